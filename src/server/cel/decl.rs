//! How CEL sees a node of a schema: its type, and the largest size that a value of it can have.
//!
//! Mirrors `pkg/cel/common/schemas.go`, `pkg/cel/types.go` and `pkg/cel/escaping.go` of k8s.io/apiserver, and
//! `WithTypeAndObjectMeta` of k8s.io/apiextensions-apiserver. Types are found on demand, node by node: most of a
//! schema is never named by a rule.

use crate::schema::Schema;
use crate::server::cel::parse;
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
    /// An object of fields.
    Object {
        schema: &'s Schema,
        fields: Fields,
    },
}

/// Which fields an object has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fields {
    /// Those of its schema.
    Declared,
    /// Those of its schema, and `apiVersion`, `kind` and `metadata` as every resource has them.
    Resource,
    /// Those of `metadata` of a resource, whose schema stands in for that of the metadata.
    Metadata,
}

impl Fields {
    /// The fields of a node that is a resource only where it says so.
    pub(super) fn of(schema: &Schema) -> Self {
        if schema.embedded { Self::of_resource(schema) } else { Self::Declared }
    }

    /// The fields of a resource. One that declares all of a resource's fields itself is taken at its word.
    pub(super) fn of_resource(schema: &Schema) -> Self {
        let is = |at: &Schema, name: &str, ty: &str| at.property(name).is_some_and(|it| it.ty == ty);
        let names = |it: &Schema| is(it, "name", "string") && is(it, "generateName", "string");
        let declared = is(schema, "kind", "string")
            && is(schema, "apiVersion", "string")
            && schema.property("metadata").is_some_and(|it| it.ty == "object" && names(it));
        if declared { Self::Declared } else { Self::Resource }
    }
}

/// The longest `metadata.name`; a generated one is longer than its `generateName`.
const MAX_NAME: usize = 253;

/// The schema of `apiVersion` and `kind` of a resource.
static TEXT: LazyLock<Schema> = LazyLock::new(|| Schema { ty: "string".into(), ..Schema::default() });
/// The schemas of the fields of `metadata` of a resource, by their greatest length.
static NAMES: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    let of_length = |max| {
        let mut schema = TEXT.clone();
        schema.max_length = Some(max as i64);
        schema
    };
    (0..=MAX_NAME).map(of_length).collect()
});

/// The schema of a field that every resource has, whatever its own schema says.
///
/// Mirrors `WithTypeAndObjectMeta` of the server's `schema/cel/model/schemas.go`.
pub(super) fn inherent(schema: &Schema, fields: Fields, name: &str) -> Option<&'static Schema> {
    let cap = match (fields, name) {
        (Fields::Resource, "apiVersion" | "kind") => return Some(&TEXT),
        (Fields::Metadata, "name") => MAX_NAME,
        (Fields::Metadata, "generateName") => MAX_NAME - 1,
        _ => return None,
    };
    let declared = schema.property("metadata").and_then(|it| it.property(name)?.max_length);
    Some(&NAMES[declared.map_or(cap, |it| cap.min(it.max(0) as usize))])
}

/// The declared schema of a property, as CEL sees the node, and the fields there.
pub(super) fn property<'s>(schema: &'s Schema, fields: Fields, name: &str) -> Option<(&'s Schema, Fields)> {
    if let Some(inherent) = inherent(schema, fields, name) {
        return Some((inherent, Fields::Declared));
    }
    match (fields, name) {
        (Fields::Resource, "metadata") => Some((schema, Fields::Metadata)),
        (Fields::Metadata, _) => None,
        _ => schema.property(name).map(|it| (it, Fields::of(it))),
    }
}

/// Whether the node declares fields (and not keys of a map).
pub(super) fn has_properties(schema: &Schema, fields: Fields) -> bool {
    fields != Fields::Declared || !schema.properties.is_empty()
}

/// The type of a node, or nothing when CEL cannot name it (untyped, or a list or map of such).
pub(super) fn of(schema: &Schema, fields: Fields) -> Option<Decl<'_>> {
    if fields == Fields::Metadata {
        return Some(Decl::Object { schema, fields });
    }
    if schema.int_or_string {
        return Some(Decl::Dyn);
    }
    match &*schema.ty {
        "array" => {
            let items = schema.item()?;
            of(items, Fields::of(items))?;
            Some(Decl::List { items })
        }
        "object" => match schema.additional() {
            Some(values) => {
                of(values, Fields::of(values))?;
                Some(Decl::Map { values })
            }
            None => Some(Decl::Object { schema, fields }),
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
pub(super) fn field<'s>(schema: &'s Schema, fields: Fields, name: &str) -> Option<(&'s Schema, Decl<'s>)> {
    match is_reserved(name) {
        true => escaped_field(schema, fields, &format!("__{name}__")),
        false => escaped_field(schema, fields, name),
    }
}

/// The type of a field, by its escaped name alone.
pub(super) fn escaped_field<'s>(
    schema: &'s Schema,
    fields: Fields,
    name: &str,
) -> Option<(&'s Schema, Decl<'s>)> {
    let real = unescape(name)?;
    let (found, below) = property(schema, fields, &real)?;
    (escape(&real).as_deref() == Some(name)).then_some(())?;
    Some((found, of(found, below)?))
}

/// The largest number of elements, characters or bytes that a value of the node can have.
pub(super) fn max_elements(schema: &Schema, decl: Decl<'_>) -> u64 {
    let cap = |it: i64| it.max(0) as u64;
    let text = (MAX_REQUEST - 2) as u64;
    match decl {
        Decl::List { items } => match schema.max_items {
            Some(max) => cap(max),
            None => ((MAX_REQUEST - 2) / (min_size(items, Fields::of(items)) + 1)) as u64,
        },
        Decl::Map { values } => match schema.max_properties {
            Some(max) => cap(max),
            None => ((MAX_REQUEST - 2) / (min_size(values, Fields::of(values)) + 6)) as u64,
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
pub(super) fn min_size(schema: &Schema, fields: Fields) -> i64 {
    match of(schema, fields) {
        Some(Decl::Object { fields: Fields::Metadata, .. }) => 2,
        Some(Decl::Object { .. }) => {
            let mut size = 2;
            for (at, name) in schema.required.iter().enumerate() {
                if schema.required[..at].contains(name) {
                    continue;
                }
                let Some((found, below)) = property(schema, fields, name) else { continue };
                let defaulted = below != Fields::Metadata && found.default.is_some();
                if !defaulted && of(found, below).is_some() {
                    size += name.len() as i64 + min_size(found, below) + 4;
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

/// Whether CEL reserves a word; a property of such a name is written `__name__`.
fn is_reserved(name: &str) -> bool {
    matches!(name, "true" | "false" | "null" | "in") || parse::RESERVED.contains(&name)
}

/// The CEL identifier of a property, if it has one.
pub(super) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    if is_reserved(name) {
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
            it if is_reserved(it) && length == name.len() => it,
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
