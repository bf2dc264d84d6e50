//! Reads `#[kube(…)]` and `#[kopf(…)]`. Every mistake is reported on its token, and reading goes on.

use proc_macro2::Span;
use proc_macro2::TokenStream;
use proc_macro2::TokenTree;
use quote::ToTokens as _;
use syn::Attribute;
use syn::DeriveInput;
use syn::Ident;
use syn::LitStr;
use syn::Token;
use syn::ext::IdentExt as _;
use syn::parse::Parse;
use syn::parse::ParseStream;
use syn::parse::Parser as _;

use crate::ast::Input;
use crate::ast::Kopf;
use crate::ast::Kube;
use crate::ast::ResultOf;
use crate::ast::ResultType;

/// The keys of `#[kopf(…)]`, in the order of their reference.
pub(crate) const KEYS: [&str; 15] = [
    "name",
    "field",
    "touch_field",
    "diffbase_field",
    "storages",
    "diffbase",
    "prefix",
    "result",
    "preserve",
    "status",
    "validation",
    "cel",
    "crate",
    "no_export",
    "round_trip",
];

/// The types that JSON knows and a schema may name.
pub(crate) const JSON_TYPES: [&str; 6] = ["object", "array", "string", "integer", "number", "boolean"];

/// Mistakes, collected.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds a mistake.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds a mistake on a span.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// All mistakes as `compile_error!`s; none when there is no mistake.
    pub(crate) fn tokens(&self) -> Option<TokenStream> {
        self.0.as_ref().map(syn::Error::to_compile_error)
    }

    fn keep<T>(&mut self, read: syn::Result<T>) -> Option<T> {
        read.map_err(|error| self.push(error)).ok()
    }
}

/// Reads both attributes of a struct.
pub(crate) fn read(input: &DeriveInput, errors: &mut Errors) -> Input {
    let mut found = Input { spec: input.ident.clone(), kube: None, kopf: Kopf::default() };
    for attribute in &input.attrs {
        if attribute.path().is_ident("kube") {
            let at = syn::spanned::Spanned::span(attribute.path());
            let kube = found.kube.get_or_insert_with(|| Kube::none(at));
            // Mistakes in kube's attribute are kube's to report.
            for entry in entries(attribute, &mut Errors::default()) {
                kube.take(entry, errors);
            }
        } else if attribute.path().is_ident("kopf") {
            for entry in entries(attribute, errors) {
                found.kopf.take(entry, errors);
            }
        }
    }
    found
}

/// One entry of an attribute: `key`, `key = value` or `key(…)`.
struct Entry {
    key: Ident,
    value: Value,
}

enum Value {
    None,
    Is(TokenStream),
    List(TokenStream),
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = Ident::parse_any(input)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let tokens = until_comma(input)?;
            if tokens.is_empty() {
                return Err(syn::Error::new(key.span(), format!("expected a value after `{key} =`")));
            }
            Value::Is(tokens)
        } else if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Value::List(content.parse()?)
        } else {
            Value::None
        };
        Ok(Self { key, value })
    }
}

/// The tokens of a value. A comma inside angle brackets belongs to a type: `Map<String, u8>`.
fn until_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let (mut tokens, mut depth) = (TokenStream::new(), 0_usize);
    let mut dash = false;
    while !(input.is_empty() || depth == 0 && input.peek(Token![,])) {
        let tree: TokenTree = input.parse()?;
        if let TokenTree::Punct(it) = &tree {
            match it.as_char() {
                '<' => depth += 1,
                '>' if !dash => depth = depth.saturating_sub(1),
                _ => {}
            }
            dash = matches!(it.as_char(), '-' | '=');
        }
        tree.to_tokens(&mut tokens);
    }
    Ok(tokens)
}

fn entries(attribute: &Attribute, errors: &mut Errors) -> Vec<Entry> {
    let read = attribute.parse_args_with(|input: ParseStream<'_>| {
        let mut found = Vec::new();
        while !input.is_empty() {
            found.push(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(found)
    });
    errors.keep(read).unwrap_or_default()
}

impl Kube {
    fn none(at: Span) -> Self {
        Self {
            at,
            kind: None,
            root: None,
            doc: None,
            docs: Vec::new(),
            no_spec: false,
            schema: None,
            status: None,
            rules: Vec::new(),
            kube_core: None,
            serde: None,
        }
    }

    /// Takes what matters here and skips the rest, so that a key that kube gains later changes nothing.
    fn take(&mut self, entry: Entry, errors: &mut Errors) {
        let Entry { key, value } = entry;
        match (key.to_string().as_str(), value) {
            ("kind", value) => self.kind = quiet_string(value),
            ("root", value) => self.root = quiet_string(value),
            ("doc", value) => self.doc = quiet_string(value),
            ("schema", value) => self.schema = quiet_string(value),
            ("attr", value) => self.docs.extend(quiet_string(value).and_then(|it| doc(&it))),
            ("no_spec", value) => self.no_spec = is_on(&value),
            ("cel", value) if is_on(&value) => self.rules.push(key),
            ("validation", _) => self.rules.push(key),
            ("status", Value::Is(tokens)) => {
                let span = syn::spanned::Spanned::span(&tokens);
                match syn::parse2::<LitStr>(tokens.clone()) {
                    Ok(text) => self.status = errors.keep(text.parse()).map(|ty| (ty, text.span())),
                    Err(_) => self.status = syn::parse2(tokens).ok().map(|ty| (ty, span)),
                }
            }
            ("crates", Value::List(tokens)) => self.take_crates(tokens),
            _ => {}
        }
    }

    fn take_crates(&mut self, tokens: TokenStream) {
        let parser = |input: ParseStream<'_>| input.parse_terminated(Entry::parse, Token![,]);
        for entry in parser.parse2(tokens).into_iter().flatten() {
            let Value::Is(tokens) = entry.value else { continue };
            let path = path(tokens).ok();
            match entry.key.to_string().as_str() {
                "kube_core" => self.kube_core = path,
                "serde" => self.serde = path,
                _ => {}
            }
        }
    }
}

impl Kopf {
    fn take(&mut self, entry: Entry, errors: &mut Errors) {
        let Entry { key, value } = entry;
        match key.to_string().as_str() {
            "name" => once(&mut self.name, string(&key, value), &key, errors),
            "field" => once(&mut self.field, string(&key, value), &key, errors),
            "touch_field" => once(&mut self.touch_field, string(&key, value), &key, errors),
            "diffbase_field" => once(&mut self.diffbase_field, string(&key, value), &key, errors),
            "storages" => once(&mut self.storages, string(&key, value), &key, errors),
            "diffbase" => once(&mut self.diffbase, string(&key, value), &key, errors),
            "prefix" => once(&mut self.prefix, string(&key, value), &key, errors),
            "result" => self.results.extend(errors.keep(results(&key, value)).unwrap_or_default()),
            "preserve" => self.preserve.extend(errors.keep(strings(&key, value)).unwrap_or_default()),
            "status" => self.open |= errors.keep(open(&key, value)).is_some(),
            "validation" => match value {
                Value::Is(tokens) => self.validations.push(tokens),
                _ => errors.at(key.span(), "expected `validation = \"…\"` or `validation = Rule::new(…)`"),
            },
            "cel" => self.cel |= errors.keep(flag(&key, value)).is_some(),
            "crate" => match value {
                Value::Is(tokens) => once(&mut self.krate, path(tokens), &key, errors),
                _ => errors.at(key.span(), "expected `crate = path::to::kopf_crd`"),
            },
            "no_export" => self.no_export |= errors.keep(flag(&key, value)).is_some(),
            "round_trip" => {
                self.round_trip = self.round_trip.or(errors.keep(flag(&key, value)).map(|()| key.span()));
            }
            unknown => {
                errors.at(key.span(), format!("unknown `kopf` key `{unknown}`{}", suggest(unknown, &KEYS)))
            }
        }
    }
}

/// `: did you mean …`, or the list to choose from.
pub(crate) fn suggest(word: &str, known: &[&str]) -> String {
    let near = known.iter().map(|it| (strsim::damerau_levenshtein(word, it), it)).min_by_key(|it| it.0);
    match near {
        Some((distance, it)) if distance <= 1 + word.len() / 4 => format!(": did you mean `{it}`?"),
        _ => format!(": expected one of `{}`", known.join("`, `")),
    }
}

fn once<T>(place: &mut Option<T>, value: syn::Result<T>, key: &Ident, errors: &mut Errors) {
    if place.is_some() {
        errors.at(key.span(), format!("`{key}` is given twice"));
    }
    if let Some(value) = errors.keep(value) {
        *place = Some(value);
    }
}

fn string(key: &Ident, value: Value) -> syn::Result<LitStr> {
    match value {
        Value::Is(tokens) => {
            let span = syn::spanned::Spanned::span(&tokens);
            syn::parse2(tokens)
                .map_err(|_| syn::Error::new(span, format!("expected a string: `{key} = \"…\"`")))
        }
        _ => Err(syn::Error::new(key.span(), format!("expected `{key} = \"…\"`"))),
    }
}

fn strings(key: &Ident, value: Value) -> syn::Result<Vec<LitStr>> {
    let wrong = || syn::Error::new(key.span(), format!("expected `{key}(\"…\", …)`"));
    let Value::List(tokens) = value else { return Err(wrong()) };
    let parser = |input: ParseStream<'_>| input.parse_terminated(<LitStr as Parse>::parse, Token![,]);
    Ok(parser.parse2(tokens)?.into_iter().collect())
}

fn flag(key: &Ident, value: Value) -> syn::Result<()> {
    match value {
        Value::None => Ok(()),
        _ => Err(syn::Error::new(key.span(), format!("`{key}` takes no value"))),
    }
}

fn open(key: &Ident, value: Value) -> syn::Result<()> {
    let text = string(key, value)?;
    if text.value() == "open" {
        return Ok(());
    }
    let message = format!(
        "unknown status form `{}`: expected \"open\"; leave the key away to open only what Kopf needs",
        text.value()
    );
    Err(syn::Error::new(text.span(), message))
}

/// `result(create_fn, "create_fn/spec.size" = "integer", resize = Outcome)`.
fn results(key: &Ident, value: Value) -> syn::Result<Vec<ResultOf>> {
    let wrong = || {
        syn::Error::new(
            key.span(),
            "expected `result(handler)`, `result(handler = \"integer\")` or `result(handler = Type)`",
        )
    };
    let Value::List(tokens) = value else { return Err(wrong()) };
    let parser = |input: ParseStream<'_>| {
        let mut found = Vec::new();
        while !input.is_empty() {
            found.push(result_of(input)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(found)
    };
    parser.parse2(tokens)
}

fn result_of(input: ParseStream<'_>) -> syn::Result<ResultOf> {
    let (id, at) = if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        (text.value(), text.span())
    } else {
        let ident = Ident::parse_any(input)?;
        (ident.unraw().to_string(), ident.span())
    };
    if !input.peek(Token![=]) {
        return Ok(ResultOf { id, at, ty: ResultType::Any });
    }
    input.parse::<Token![=]>()?;
    let ty = if input.peek(LitStr) {
        ResultType::Json(input.parse()?)
    } else {
        ResultType::Rust(Box::new(syn::parse2(until_comma(input)?)?))
    };
    Ok(ResultOf { id, at, ty })
}

/// A path, with or without quotes.
fn path(tokens: TokenStream) -> syn::Result<syn::Path> {
    match syn::parse2::<LitStr>(tokens.clone()) {
        Ok(text) => text.parse(),
        Err(_) => syn::parse2(tokens),
    }
}

fn quiet_string(value: Value) -> Option<LitStr> {
    match value {
        Value::Is(tokens) => syn::parse2(tokens).ok(),
        _ => None,
    }
}

fn is_on(value: &Value) -> bool {
    match value {
        Value::None => true,
        Value::Is(tokens) => tokens.to_string() != "false",
        Value::List(_) => false,
    }
}

/// The attribute `attr = "doc = …"` of kube: schemars reads it as a part of the description.
fn doc(text: &LitStr) -> Option<TokenStream> {
    let meta: syn::Meta = text.parse().ok()?;
    meta.path().is_ident("doc").then(|| meta.to_token_stream())
}
