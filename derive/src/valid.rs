//! What is wrong with attributes that could be read. The rules mirror what Kopf and kube would do with them.

use proc_macro2::Span;
use syn::Data;
use syn::DeriveInput;
use syn::LitStr;

use crate::ast::Input;
use crate::ast::Kopf;
use crate::ast::ResultType;
use crate::attr::Errors;
use crate::attr::JSON_TYPES;
use crate::attr::suggest;

const STORAGES: [&str; 4] = ["status", "smart", "annotations", "multi"];
const DIFFBASES: [&str; 2] = ["status", "annotations"];

/// Reports everything that is wrong with a derived type.
pub(crate) fn check(derived: &DeriveInput, input: &Input, errors: &mut Errors) {
    shape(derived, errors);
    kube(input, errors);
    words(&input.kopf, errors);
    let places = places(&input.kopf, errors);
    collisions(&places, errors);
    round_trip(input, errors);
}

/// Kube takes an enum as well, and finds out when `crd()` runs, by a panic, whether its variants go together in one schema.
/// A field of a struct keeps that to one place of the spec.
fn shape(derived: &DeriveInput, errors: &mut Errors) {
    let kind = match derived.data {
        Data::Struct(_) => return,
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let message = format!(
        "`KopfCrd` is derived for a struct, and `{}` is {kind}: put it in a field of the struct that is the spec",
        derived.ident
    );
    errors.at(derived.ident.span(), message);
}

fn kube(input: &Input, errors: &mut Errors) {
    let Some(kube) = &input.kube else {
        let message = format!(
            "`{}` has no `#[kube(…)]` attribute: `KopfCrd` is derived beside kube's `CustomResource`, \
             `#[derive(CustomResource, KopfCrd)] #[kube(group = \"…\", version = \"…\", kind = \"…\", schema = \"manual\")]`",
            input.spec
        );
        return errors.at(input.spec.span(), message);
    };
    for rule in &kube.rules {
        let message = format!(
            "kube applies `{rule}` to schemas that it derives itself; here `KopfCrd` gives the schema: \
             move it to `#[kopf({rule}…)]`, with the same meaning"
        );
        errors.at(rule.span(), message);
    }
    match &kube.schema {
        Some(it) if it.value() == "manual" => {}
        Some(it) if it.value() == "disabled" => errors.at(
            it.span(),
            "`schema = \"disabled\"` leaves the CRD without a schema, and the API server refuses it: \
             write `schema = \"manual\"`, and `KopfCrd` gives the schema",
        ),
        other => {
            let at = other.as_ref().map_or(kube.at, LitStr::span);
            let message = "add `schema = \"manual\"` to `#[kube(…)]`: kube's own schema would drop what Kopf writes into \
                           `status`, and with \"manual\" the one of `KopfCrd` takes its place";
            errors.at(at, message);
        }
    }
}

fn words(kopf: &Kopf, errors: &mut Errors) {
    for (key, word, known) in
        [("storages", &kopf.storages, &STORAGES[..]), ("diffbase", &kopf.diffbase, &DIFFBASES[..])]
    {
        let Some(word) = word else { continue };
        if !known.contains(&word.value().as_str()) {
            errors.at(
                word.span(),
                format!("unknown value `{}` of `{key}`{}", word.value(), suggest(&word.value(), known)),
            );
        }
    }
    for result in &kopf.results {
        if let ResultType::Json(ty) = &result.ty
            && !JSON_TYPES.contains(&ty.value().as_str())
        {
            errors.at(
                ty.span(),
                format!("unknown JSON type `{}`{}", ty.value(), suggest(&ty.value(), &JSON_TYPES)),
            );
        }
        if result.id.is_empty() {
            errors.at(result.at, "the id of a handler is empty");
        }
    }
    if let Some(prefix) = kopf.prefix.as_ref().filter(|it| it.value().is_empty()) {
        errors.at(prefix.span(), "Kopf refuses an empty prefix: annotations must be prefixed");
    }
    if let Some(name) = kopf.name.as_ref().filter(|it| it.value().is_empty()) {
        errors.at(name.span(), "the name is empty");
    }
}

/// A place in the object that Kopf writes.
struct Place {
    what: String,
    path: Vec<String>,
    at: Span,
    written: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A mapping of records by handler.
    Progress,
    /// One string.
    Text,
    /// What a handler returns.
    Result,
}

fn places(kopf: &Kopf, errors: &mut Errors) -> Vec<Place> {
    let mut found = Vec::new();
    let word = |it: &Option<LitStr>| it.as_ref().map(LitStr::value);
    let storages = word(&kopf.storages).unwrap_or_else(|| "status".to_owned());
    let in_status = matches!(storages.as_str(), "status" | "multi");
    let with_progress =
        if storages == "status" || kopf.diffbase_field.is_some() { "status" } else { "annotations" };
    let diffbase = word(&kopf.diffbase).unwrap_or_else(|| with_progress.to_owned());
    let name = word(&kopf.name).unwrap_or_else(|| "kopf".to_owned());
    let fields = [
        ("the progress", &kopf.field, "progress", in_status, Kind::Progress),
        ("the touch field", &kopf.touch_field, "dummy", in_status, Kind::Text),
        (
            "the last-handled configuration",
            &kopf.diffbase_field,
            "last-handled-configuration",
            diffbase == "status",
            Kind::Text,
        ),
    ];
    for (what, written, key, used, kind) in fields {
        let at = written.as_ref().or(kopf.name.as_ref()).map_or_else(Span::call_site, LitStr::span);
        let text = word(written).unwrap_or_else(|| format!("status.{{name}}.{key}")).replace("{name}", &name);
        match keys(&text).and_then(inside) {
            // The smart storage reads and purges what an older Kopf left there.
            Ok(_)
                if written.is_some()
                    && !used
                    && !(storages == "smart" && what != "the last-handled configuration") =>
            {
                errors.at(at, format!("{what} is kept in annotations: a field for it has no use"));
            }
            Ok(path) if used => {
                found.push(Place { what: what.to_owned(), path, at, written: written.is_some(), kind });
            }
            Ok(_) => {}
            Err(message) => errors.at(at, format!("`{text}` is not a path that Kopf can write: {message}")),
        }
    }
    for result in &kopf.results {
        let path = vec!["status".to_owned(), result.id.clone()];
        found.push(Place {
            what: format!("the result of `{}`", result.id),
            path,
            at: result.at,
            written: true,
            kind: Kind::Result,
        });
    }
    if let Some(prefix) = kopf.prefix.as_ref().filter(|_| storages == "status" && diffbase == "status") {
        errors.at(prefix.span(), "nothing is kept in annotations: a prefix has no use");
    }
    if let Some(name) = kopf.name.as_ref().filter(|_| storages == "annotations" && diffbase != "status") {
        errors.at(name.span(), "nothing is kept in the status: a name has no use");
    }
    preserved(kopf, errors);
    found
}

fn preserved(kopf: &Kopf, errors: &mut Errors) {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for text in &kopf.preserve {
        match keys(&text.value()).and_then(inside) {
            Ok(path) if path == ["status"] => {
                errors.at(text.span(), "to open the whole status, write `status = \"open\"`");
            }
            Ok(path) if path.len() == 1 => {
                errors.at(
                    text.span(),
                    format!("`{}` is a whole part of the object: name a field in it", text.value()),
                );
            }
            Ok(path) if seen.contains(&path) => {
                errors.at(text.span(), format!("`{}` is given twice", text.value()))
            }
            Ok(path) => seen.push(path),
            Err(message) => errors.at(text.span(), format!("`{}` is not a path: {message}", text.value())),
        }
    }
}

/// Two things that Kopf writes to one place destroy each other, whatever the schema says.
fn collisions(places: &[Place], errors: &mut Errors) {
    for (index, place) in places.iter().enumerate() {
        for other in &places[..index] {
            if !collide(place, other) {
                continue;
            }
            // The one that somebody wrote is to blame; a default place is not.
            let (blamed, rival) =
                if place.written || !other.written { (place, other) } else { (other, place) };
            let message = format!(
                "{} at `{}` collides with {} at `{}`: Kopf would overwrite one with the other",
                blamed.what,
                blamed.path.join("."),
                rival.what,
                rival.path.join(".")
            );
            errors.at(blamed.at, message);
            break;
        }
    }
}

fn collide(one: &Place, two: &Place) -> bool {
    let (outer, inner) = if one.path.len() <= two.path.len() { (one, two) } else { (two, one) };
    // Kopf looks up records by the ids of handlers: a text deeper in the mapping is in nobody's way.
    let beside_records = outer.kind == Kind::Progress && inner.kind == Kind::Text && inner.path != outer.path;
    inner.path.starts_with(&outer.path) && !beside_records
}

/// With no status there is nothing to write back.
fn round_trip(input: &Input, errors: &mut Errors) {
    let without_status = input.kube.as_ref().is_some_and(|it| it.status.is_none());
    if let Some(at) = input.kopf.round_trip.filter(|_| without_status) {
        errors.at(at, "`round_trip` needs a status: add `status = \"Kopf<…>\"` to `#[kube(…)]`");
    }
}

/// The keys of `status.kopf["a/b"]`.
fn keys(text: &str) -> Result<Vec<String>, String> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, more) = quoted.split_once("\"]").ok_or("a `[\"` is not closed")?;
            found.push(key.to_owned());
            rest = more;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return Err("it has an empty key".to_owned());
            }
            found.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        rest = match rest.strip_prefix('.') {
            Some(more) => more,
            None if rest.is_empty() => return Ok(found),
            None if rest.starts_with("[\"") => rest,
            None => return Err(format!("expected `.` before `{rest}`")),
        };
    }
}

/// Whether a path lies where a schema decides. The API server owns the rest.
fn inside(path: Vec<String>) -> Result<Vec<String>, String> {
    match path[0].as_str() {
        "metadata" => Err("no schema reaches into `metadata`".to_owned()),
        root @ ("apiVersion" | "kind") => Err(format!("`{root}` holds a string")),
        _ => Ok(path),
    }
}
