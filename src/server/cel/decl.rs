//! How CEL sees a node of a schema: its type, and the largest size that a value of it can have.
//!
//! Mirrors `pkg/cel/common/schemas.go`, `pkg/cel/types.go` and `pkg/cel/escaping.go` of k8s.io/apiserver, and
//! `WithTypeAndObjectMeta` of k8s.io/apiextensions-apiserver. Types are found on demand, node by node: most of a
//! schema is never named by a rule.

use crate::schema::Schema;
use serde_json::Value;
use std::sync::LazyLock;

/// The largest request the server's estimates reckon with, in bytes.
pub(super) const MAX_REQUEST: i64 = 3 * 1024 * 1024;

/// The type of a node in CEL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Decl<'s> {
    /// `x-kubernetes-int-or-string`.
    Dyn,
    Bool,
    Int,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    /// A list of the schema's items.
    List {
        items: &'s Schema,
    },
    /// A map from strings to the schema's additional properties.
    Map {
        values: &'s Schema,
    },
    /// An object of declared fields; `resource` adds those of every resource.
    Object {
        schema: &'s Schema,
        resource: bool,
    },
}

/// The schema of `apiVersion`, `kind` and of the fields of `metadata` at the root of a resource.
static TEXT: LazyLock<Schema> = LazyLock::new(|| Schema { ty: "string".to_owned(), ..Schema::default() });
/// The schema of `metadata` at the root of a resource: nothing else of it can be named in CEL.
static METADATA: LazyLock<Schema> = LazyLock::new(|| Schema {
    ty: "object".to_owned(),
    properties: [("name", 253), ("generateName", 252)]
        .map(|(name, max)| (name.to_owned(), Schema { max_length: Some(max), ..TEXT.clone() }))
        .to_vec(),
    ..Schema::default()
});

/// The declared schema of a property, as CEL sees the node.
pub(super) fn property<'s>(schema: &'s Schema, resource: bool, name: &str) -> Option<&'s Schema> {
    match name {
        "apiVersion" | "kind" if resource => Some(&TEXT),
        "metadata" if resource => Some(&METADATA),
        _ => schema.property(name),
    }
}

/// Whether the node declares fields (and not keys of a map).
pub(super) fn has_properties(schema: &Schema, resource: bool) -> bool {
    resource || !schema.properties.is_empty()
}

/// The type of a node, or nothing when CEL cannot name it (untyped, or a list or map of such).
pub(super) fn of(schema: &Schema, resource: bool) -> Option<Decl<'_>> {
    if schema.int_or_string {
        return Some(Decl::Dyn);
    }
    match schema.ty.as_str() {
        "array" => {
            let items = schema.item()?;
            of(items, items.embedded)?;
            Some(Decl::List { items })
        }
        "object" => match schema.additional() {
            Some(values) => {
                of(values, values.embedded)?;
                Some(Decl::Map { values })
            }
            None => Some(Decl::Object { schema, resource }),
        },
        "string" => Some(match schema.format.as_str() {
            "byte" => Decl::Bytes,
            "duration" => Decl::Duration,
            "date" | "date-time" => Decl::Timestamp,
            _ => Decl::String,
        }),
        "boolean" => Some(Decl::Bool),
        "number" => Some(Decl::Double),
        "integer" => Some(Decl::Int),
        _ => None,
    }
}

/// The type of a field, by the name that CEL uses for it. Reserved words may be written with and without escaping.
pub(super) fn field<'s>(schema: &'s Schema, resource: bool, name: &str) -> Option<(&'s Schema, Decl<'s>)> {
    match RESERVED.contains(&name) {
        true => escaped_field(schema, resource, &format!("__{name}__")),
        false => escaped_field(schema, resource, name),
    }
}

/// The type of a field, by its escaped name alone.
pub(super) fn escaped_field<'s>(
    schema: &'s Schema,
    resource: bool,
    name: &str,
) -> Option<(&'s Schema, Decl<'s>)> {
    let real = unescape(name)?;
    let found = property(schema, resource, &real)?;
    (escape(&real).as_deref() == Some(name)).then_some(())?;
    Some((found, of(found, found.embedded)?))
}

/// The largest number of elements, characters or bytes that a value of the node can have.
pub(super) fn max_elements(schema: &Schema, decl: Decl<'_>) -> u64 {
    let cap = |it: i64| it.max(0) as u64;
    let text = (MAX_REQUEST - 2) as u64;
    match decl {
        Decl::List { items } => match schema.max_items {
            Some(max) => cap(max),
            None => ((MAX_REQUEST - 2) / (min_size(items, items.embedded) + 1)) as u64,
        },
        Decl::Map { values } => match schema.max_properties {
            Some(max) => cap(max),
            None => ((MAX_REQUEST - 2) / (min_size(values, values.embedded) + 6)) as u64,
        },
        Decl::Dyn => schema.max_length.map_or(text, |it| cap(it).saturating_mul(4)),
        Decl::Bytes => schema.max_length.map_or(text, cap),
        Decl::Duration => 32,
        Decl::Timestamp if schema.format == "date" => 12,
        Decl::Timestamp => 32,
        Decl::String => match schema.max_length {
            Some(max) => cap(max).saturating_mul(4),
            None if schema.enumeration.is_empty() => text,
            None => schema
                .enumeration
                .iter()
                .filter_map(Value::as_str)
                .map(|it| it.len() as u64)
                .max()
                .unwrap_or(0),
        },
        Decl::Object { .. } | Decl::Bool | Decl::Int | Decl::Double => 0,
    }
}

/// The fewest bytes of JSON that a value of the node takes.
pub(super) fn min_size(schema: &Schema, resource: bool) -> i64 {
    match of(schema, resource) {
        Some(Decl::Object { .. }) => {
            let mut size = 2;
            for (at, name) in schema.required.iter().enumerate() {
                if schema.required[..at].contains(name) {
                    continue;
                }
                let Some(found) = property(schema, resource, name) else { continue };
                if found.default.is_none() && of(found, found.embedded).is_some() {
                    size += name.len() as i64 + min_size(found, found.embedded) + 4;
                }
            }
            size
        }
        Some(Decl::List { .. } | Decl::Map { .. } | Decl::String | Decl::Bytes) => 2,
        Some(Decl::Bool) => 4,
        Some(Decl::Duration) => 3,
        Some(Decl::Timestamp) if schema.format == "date" => 12,
        Some(Decl::Timestamp) => 21,
        Some(Decl::Dyn | Decl::Int | Decl::Double) | None => 1,
    }
}

/// Words that CEL reserves; a property of such a name is written `__name__`.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The CEL identifier of a property, if it has one.
pub(super) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut res = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("__") {
            res.push_str("__underscores__");
            rest = after;
            continue;
        }
        match first {
            '.' => res.push_str("__dot__"),
            '-' => res.push_str("__dash__"),
            '/' => res.push_str("__slash__"),
            it if it.is_ascii_alphanumeric() || it == '_' => res.push(it),
            _ => return None,
        }
        rest = &rest[first.len_utf8()..];
    }
    Some(res)
}

/// The property that a CEL identifier names, if its escapes are sound.
pub(super) fn unescape(name: &str) -> Option<String> {
    let mut res = String::with_capacity(name.len());
    let mut rest = name;
    while !rest.is_empty() {
        let Some((length, word)) = escaped_word(rest) else {
            let first = rest.chars().next()?;
            res.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        res.push_str(match word {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            it if RESERVED.contains(&it) && length == name.len() => it,
            _ => return None,
        });
        rest = &rest[length..];
    }
    Some(res)
}

/// Matches `__[^_]+__` at the start of the text: the length of the match and the word in it.
fn escaped_word(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix("__")?;
    let end = inner.find('_')?;
    (end > 0 && inner[end..].starts_with("__")).then(|| (end + 4, &inner[..end]))
}
