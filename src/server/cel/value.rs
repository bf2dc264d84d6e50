//! Values as expressions see them: JSON through its schema, and what functions make.
//!
//! Mirrors `pkg/cel/common/valuesunstructured.go` of k8s.io/apiserver and `common/types` of github.com/google/cel-go.

use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::decl::Fields;
use crate::server::cel::equality::equal;
use crate::server::cel::net;
use crate::server::cel::time;
use crate::server::go;
use crate::yaml::base64;
use serde_json::Map;
use serde_json::Value;
use std::borrow::Cow;
use std::net::IpAddr;
use std::rc::Rc;

/// A value of an expression.
#[derive(Debug, Clone)]
pub(super) enum Val<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Cow<'v, str>),
    Bytes(Rc<[u8]>),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since 1970.
    Timestamp(i128),
    /// A list that the expression made.
    List(Rc<Vec<Val<'v>>>),
    /// A map that the expression made.
    Map(Rc<Vec<(Val<'v>, Val<'v>)>>),
    /// A list of the object, with the schema of the list.
    Items(&'v [Value], &'v Schema),
    /// An object or map of the object, with its schema and its fields.
    Object(&'v Map<String, Value>, &'v Schema, Fields),
    /// What is kept without a type.
    Preserved(&'v Value),
    Type(&'static str),
    Optional(Option<Rc<Val<'v>>>),
    Url(Rc<net::Url>),
    Ip(IpAddr),
    Cidr(IpAddr, u8),
    /// A quantity, in billionths.
    Quantity(i128),
    /// A format of the `format` library, by its name.
    Format(&'static str),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The server answers an error, in about these words.
    Error(String),
    /// What the server does is not modeled.
    Unknown(String),
}

pub(super) type Result<T> = std::result::Result<T, Stop>;

/// An error of evaluation.
pub(super) fn error<T>(why: impl Into<String>) -> Result<T> {
    Err(Stop::Error(why.into()))
}

/// A question that is not modeled.
pub(super) fn unknown<T>(why: impl Into<String>) -> Result<T> {
    Err(Stop::Unknown(why.into()))
}

/// The error for operands of the wrong types.
pub(super) fn no_such_overload<T>() -> Result<T> {
    error("no such overload")
}

/// A value of the object through its schema, with the fields that are declared there.
pub(super) fn read<'v>(value: &'v Value, schema: &'v Schema, fields: Fields) -> Result<Val<'v>> {
    if let (Fields::Metadata, Value::Object(map)) = (fields, value) {
        return Ok(Val::Object(map, schema, fields));
    }
    if value.is_null() {
        return if schema.nullable {
            Ok(Val::Null)
        } else {
            error("invalid data, got null for schema with nullable=false")
        };
    }
    let invalid = |expected: &str| error(format!("invalid data, expected {expected}"));
    if schema.int_or_string {
        return match value {
            Value::String(text) => Ok(Val::String(Cow::Borrowed(text))),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Ok(Val::Int(number)),
                None => invalid("XIntOrString value to be either a string or integer"),
            },
            _ => invalid("XIntOrString value to be either a string or integer"),
        };
    }
    match (&*schema.ty, value) {
        ("object", Value::Object(map)) => Ok(Val::Object(map, schema, fields)),
        ("array", Value::Array(items)) => match schema.item() {
            Some(_) => Ok(Val::Items(items, schema)),
            None => error("invalid array type, expected Items with a non-empty Schema"),
        },
        ("string", Value::String(text)) => string(text, &schema.format),
        ("number", Value::Number(number)) => {
            number.as_f64().map_or_else(|| invalid("float"), |it| Ok(Val::Double(it)))
        }
        ("integer", Value::Number(number)) => {
            number.as_i64().map_or_else(|| invalid("int"), |it| Ok(Val::Int(it)))
        }
        ("boolean", Value::Bool(it)) => Ok(Val::Bool(*it)),
        ("object" | "array" | "string" | "number" | "integer" | "boolean", _) => {
            error(format!("invalid data, expected a value for the provided schema with type={}", schema.ty))
        }
        _ if schema.preserves() => Ok(Val::Preserved(value)),
        _ => error("invalid type"),
    }
}

fn string<'v>(text: &'v str, format: &str) -> Result<Val<'v>> {
    let odd = || unknown(format!("how the server reads {text:?} as {format} is not modeled"));
    match format {
        "duration" => go::duration(text).map_or_else(odd, |it| Ok(Val::Duration(it))),
        "date" => time::date(text).map_or_else(odd, |it| Ok(Val::Timestamp(it))),
        "date-time" => time::timestamp(text).map_or_else(odd, |it| Ok(Val::Timestamp(it))),
        "byte" => base64::decode(text).map_or_else(odd, |it| Ok(Val::Bytes(it.into()))),
        _ => Ok(Val::String(Cow::Borrowed(text))),
    }
}

impl<'v> Val<'v> {
    /// Text that an expression made.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::String(Cow::Owned(text.into()))
    }

    /// The items of a list, each read when it is reached; nothing for what is no list.
    pub(super) fn items(&self) -> Option<Vec<Result<Val<'v>>>> {
        match self {
            Self::List(items) => Some(items.iter().cloned().map(Ok).collect()),
            Self::Items(items, schema) => {
                let of = schema.item()?;
                Some(items.iter().map(|it| read(it, of, Fields::of(of))).collect())
            }
            _ => None,
        }
    }

    /// The value of a key of a map or object; `None` where it has none, an error for what is no map.
    pub(super) fn find(&self, key: &Val<'_>) -> Result<Option<Val<'v>>> {
        match (self, key) {
            (Self::Object(map, schema, fields), Val::String(key)) => find(map, schema, *fields, key),
            (Self::Object(..), _) => no_such_overload(),
            (Self::Map(entries), key) => {
                for (at, value) in entries.iter() {
                    if equal(at, key)? {
                        return Ok(Some(value.clone()));
                    }
                }
                Ok(None)
            }
            _ => no_such_overload(),
        }
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Object(..))
    }

    /// The number of items or entries; nothing for what is neither list nor map.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::Items(items, _) => Some(items.len()),
            Self::Object(map, ..) => Some(map.len()),
            _ => None,
        }
    }

    /// The keys that a comprehension over a map or object visits.
    pub(super) fn keys(&self) -> Option<Vec<Val<'v>>> {
        match self {
            Self::Map(entries) => Some(entries.iter().map(|it| it.0.clone()).collect()),
            Self::Object(map, schema, fields) => {
                let named = decl::has_properties(schema, *fields);
                let name = |key: &'v String| {
                    declared(schema, *fields, key)?;
                    let escaped = if named { decl::escape(key) } else { None };
                    Some(escaped.map_or(Val::String(Cow::Borrowed(key)), Val::text))
                };
                Some(map.keys().filter_map(name).collect())
            }
            _ => None,
        }
    }

    /// About how much there is to read in the value, never less than the server counts.
    pub(super) fn weight(&self) -> u64 {
        match self {
            Self::String(text) => text.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(items) => items.iter().fold(1, |sum, it| sum + it.weight()),
            Self::Map(entries) => entries.iter().fold(1, |sum, it| sum + it.0.weight() + it.1.weight()),
            Self::Items(items, _) => items.iter().fold(1, |sum, it| sum + weight(it)),
            Self::Object(map, ..) => map.iter().fold(1, |sum, it| sum + it.0.len() as u64 + weight(it.1)),
            Self::Preserved(value) => weight(value),
            Self::Optional(Some(value)) => value.weight(),
            Self::Url(url) => url.text.len() as u64,
            _ => 1,
        }
    }
}

fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + text.len() as u64,
        Value::Array(items) => items.iter().fold(1, |sum, it| sum + weight(it)),
        Value::Object(map) => map.iter().fold(1, |sum, it| sum + it.0.len() as u64 + weight(it.1)),
        _ => 1,
    }
}

/// The schema of a key, if CEL can name it, and the fields there.
pub(super) fn declared<'v>(schema: &'v Schema, fields: Fields, key: &str) -> Option<(&'v Schema, Fields)> {
    if decl::has_properties(schema, fields) {
        return decl::property(schema, fields, key);
    }
    schema.additional().map(|it| (it, Fields::of(it)))
}

/// The value of a key, read through its schema.
pub(super) fn find<'v>(
    map: &'v Map<String, Value>,
    schema: &'v Schema,
    fields: Fields,
    key: &str,
) -> Result<Option<Val<'v>>> {
    let named = decl::has_properties(schema, fields);
    let key = match named {
        true => match decl::unescape(key) {
            Some(key) => Cow::Owned(key),
            None => return Ok(None),
        },
        false => Cow::Borrowed(key),
    };
    match (map.get(&*key), declared(schema, fields, &key)) {
        // A null field counts as absent; a null value of a map does not.
        (Some(Value::Null), _) if named => Ok(None),
        (Some(value), Some((schema, fields))) => read(value, schema, fields).map(Some),
        _ => Ok(None),
    }
}
