//! The functions and operators that a rule may call, with their overloads.
//!
//! Mirrors the environment of `pkg/cel/environment/base.go` of k8s.io/apiserver for expressions that are new to a
//! Kubernetes 1.37 server: the standard library and optionals of cel-go, its `ext` strings, sets and lists, and the
//! server's `pkg/cel/library`. A function can be declared here without being evaluated by `eval`.

use crate::server::cel::types::Type;
use std::collections::HashMap;
use std::sync::LazyLock;

/// One way to call a function.
#[derive(Debug)]
pub(super) struct Overload {
    /// cel-go's name for it.
    pub(super) id: &'static str,
    /// Whether the first parameter stands before a dot.
    pub(super) member: bool,
    params: Vec<Sig>,
    result: Sig,
    /// How many variables the signature uses.
    pub(super) vars: u32,
}

/// A type in a signature; `Var` counts from zero in each overload.
#[derive(Debug, Clone)]
enum Sig {
    Plain(&'static str),
    Var(u32),
    List(Box<Sig>),
    Map(Box<Sig>, Box<Sig>),
    Optional(Box<Sig>),
}

/// The types named in signatures; other names are types of libraries.
const PLAIN: [(&str, Type<'static>); 11] = [
    ("dyn", Type::Dyn),
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("uint", Type::Uint),
    ("double", Type::Double),
    ("string", Type::String),
    ("bytes", Type::Bytes),
    ("duration", Type::Duration),
    ("timestamp", Type::Timestamp),
    ("null", Type::Null),
    ("type", Type::Kind),
];

impl Overload {
    /// Whether it has so many parameters.
    pub(super) fn takes(&self, count: usize) -> bool {
        self.params.len() == count
    }

    /// The types of the parameters and of the result, with variables counted from `first`.
    pub(super) fn instance<'s>(&self, first: u32) -> (Vec<Type<'s>>, Type<'s>) {
        (self.params.iter().map(|it| it.instance(first)).collect(), self.result.instance(first))
    }
}

impl Sig {
    fn instance<'s>(&self, first: u32) -> Type<'s> {
        match self {
            Self::Plain(name) => {
                PLAIN.iter().find(|it| it.0 == *name).map_or(Type::Library(name), |it| it.1.clone())
            }
            Self::Var(at) => Type::Var(first + at),
            Self::List(of) => Type::list(of.instance(first)),
            Self::Optional(of) => Type::optional(of.instance(first)),
            Self::Map(keys, values) => Type::map(keys.instance(first), values.instance(first)),
        }
    }
}

/// The overloads of a function, none if it is not declared.
pub(super) fn overloads(function: &str) -> &'static [Overload] {
    static ALL: LazyLock<HashMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
        let mut res: HashMap<&'static str, Vec<Overload>> = HashMap::new();
        for line in DECLARATIONS.lines().map(str::trim).filter(|it| !it.is_empty()) {
            let (function, overload) = declaration(line).expect("the table of declarations is well formed");
            res.entry(function).or_default().push(overload);
        }
        res
    });
    ALL.get(function).map_or(&[], Vec::as_slice)
}

/// Reads `function id (params) -> result`, or with a dot before the parenthesis for a member.
fn declaration(line: &'static str) -> Option<(&'static str, Overload)> {
    let (function, rest) = line.split_once(' ')?;
    let (id, rest) = rest.trim_start().split_once(' ')?;
    let (params, result) = rest.trim_start().split_once(" -> ")?;
    let member = params.starts_with('.');
    let params = params.trim_start_matches('.').strip_prefix('(')?.strip_suffix(')')?;
    let mut names = Vec::new();
    let params = split(params).into_iter().map(|it| signature(it, &mut names)).collect::<Option<_>>()?;
    let result = signature(result, &mut names)?;
    Some((function, Overload { id, member, params, result, vars: names.len() as u32 }))
}

/// Splits at the commas outside of angle brackets.
fn split(text: &'static str) -> Vec<&'static str> {
    let (mut res, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b',' if depth == 0 => {
                res.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    res.push(text[start..].trim());
    res.retain(|it| !it.is_empty());
    res
}

fn signature(text: &'static str, names: &mut Vec<&'static str>) -> Option<Sig> {
    let inner = |head: &str| text.strip_prefix(head).and_then(|it| it.strip_suffix('>'));
    if let Some(of) = inner("list<") {
        return Some(Sig::List(Box::new(signature(of, names)?)));
    }
    if let Some(of) = inner("optional<") {
        return Some(Sig::Optional(Box::new(signature(of, names)?)));
    }
    if let Some(of) = inner("map<") {
        let parts = split(of);
        let [keys, values] = parts.as_slice() else { return None };
        return Some(Sig::Map(Box::new(signature(keys, names)?), Box::new(signature(values, names)?)));
    }
    if text.len() > 1 {
        return Some(Sig::Plain(text));
    }
    let at = names.iter().position(|it| *it == text).unwrap_or_else(|| {
        names.push(text);
        names.len() - 1
    });
    Some(Sig::Var(at as u32))
}

const DECLARATIONS: &str = include_str!("declarations.txt");
