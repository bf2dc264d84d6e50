//! Values as expressions see them: JSON through its schema, and what functions make.
//!
//! Mirrors `pkg/cel/common/valuesunstructured.go` of k8s.io/apiserver and `common/types` of github.com/google/cel-go.

use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::net;
use crate::server::cel::time;
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
    /// An object or map of the object, with its schema; `true` where every resource's own fields are declared.
    Object(&'v Map<String, Value>, &'v Schema, bool),
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

/// A value of the object through its schema. `resource` is whether the node is the root of a resource.
pub(super) fn read<'v>(value: &'v Value, schema: &'v Schema, resource: bool) -> Result<Val<'v>> {
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
    match (schema.ty.as_str(), value) {
        ("object", Value::Object(map)) => Ok(Val::Object(map, schema, resource || schema.embedded)),
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
        "duration" => time::duration(text).map_or_else(odd, |it| Ok(Val::Duration(it))),
        "date" => time::date(text).map_or_else(odd, |it| Ok(Val::Timestamp(it))),
        "date-time" => time::timestamp(text).map_or_else(odd, |it| Ok(Val::Timestamp(it))),
        "byte" => base64(text).map_or_else(odd, |it| Ok(Val::Bytes(it.into()))),
        _ => Ok(Val::String(Cow::Borrowed(text))),
    }
}

/// Decodes padded base64 of the standard alphabet.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut res = Vec::with_capacity(text.len() / 4 * 3);
    if text.len() % 4 != 0 {
        return None;
    }
    let padding = text.len() - text.trim_end_matches('=').len();
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for byte in chunk {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => 0,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        res.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    let inner = &text[..text.len() - padding];
    if padding > 2 || inner.contains('=') {
        return None;
    }
    res.truncate(res.len() - padding);
    Some(res)
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
                Some(items.iter().map(|it| read(it, of, false)).collect())
            }
            _ => None,
        }
    }

    /// The value of a key of a map or object; `None` where it has none, an error for what is no map.
    pub(super) fn find(&self, key: &Val<'_>) -> Result<Option<Val<'v>>> {
        match (self, key) {
            (Self::Object(map, schema, resource), Val::String(key)) => find(map, schema, *resource, key),
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
            Self::Object(map, schema, resource) => {
                let fields = decl::has_properties(schema, *resource);
                let name = |key: &'v String| {
                    declared(schema, *resource, key)?;
                    let escaped = if fields { decl::escape(key) } else { None };
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

/// The schema of a key, if CEL can name it.
fn declared<'v>(schema: &'v Schema, resource: bool, key: &str) -> Option<&'v Schema> {
    if decl::has_properties(schema, resource) {
        return decl::property(schema, resource, key);
    }
    schema.additional()
}

fn find<'v>(
    map: &'v Map<String, Value>,
    schema: &'v Schema,
    resource: bool,
    key: &str,
) -> Result<Option<Val<'v>>> {
    let fields = decl::has_properties(schema, resource);
    let key = match fields {
        true => match decl::unescape(key) {
            Some(key) => Cow::Owned(key),
            None => return Ok(None),
        },
        false => Cow::Borrowed(key),
    };
    match (map.get(&*key), declared(schema, resource, &key)) {
        // A null field counts as absent; a null value of a map does not.
        (Some(Value::Null), _) if fields => Ok(None),
        (Some(value), Some(schema)) => read(value, schema, false).map(Some),
        _ => Ok(None),
    }
}

/// Whether two values are equal, as `==` has it: values of different types are not.
pub(super) fn equal(one: &Val<'_>, two: &Val<'_>) -> Result<bool> {
    match (one, two) {
        (Val::Null, Val::Null) => Ok(true),
        (Val::Null, _) | (_, Val::Null) => Ok(false),
        (Val::Bool(one), Val::Bool(two)) => Ok(one == two),
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), Val::Int(_) | Val::Uint(_) | Val::Double(_)) => {
            Ok(compare_numbers(one, two) == Some(std::cmp::Ordering::Equal))
        }
        (Val::String(one), Val::String(two)) => Ok(one == two),
        (Val::Bytes(one), Val::Bytes(two)) => Ok(one == two),
        (Val::Duration(one), Val::Duration(two)) => Ok(one == two),
        (Val::Timestamp(one), Val::Timestamp(two)) => Ok(one == two),
        (Val::Type(one), Val::Type(two)) => Ok(one == two),
        (Val::Ip(one), Val::Ip(two)) => Ok(one == two),
        (Val::Quantity(one), Val::Quantity(two)) => Ok(one == two),
        (Val::Cidr(one, a), Val::Cidr(two, b)) => Ok(one == two && a == b),
        (Val::Optional(one), Val::Optional(two)) => match (one, two) {
            (Some(one), Some(two)) => equal(one, two),
            _ => Ok(one.is_none() && two.is_none()),
        },
        (Val::List(_), _) => equal_lists(one, two),
        (Val::Map(_), _) => equal_maps(one, two),
        (Val::Items(items, schema), _) => equal_items(items, schema, two),
        (Val::Object(map, schema, resource), _) => equal_objects(map, schema, *resource, two),
        (Val::Preserved(one), two) => match raw(two) {
            Some(two) => Ok(**one == *two),
            None => unknown("equality with untyped content is not modeled"),
        },
        (Val::Url(_) | Val::Format(_), _) => unknown("equality of such values is not modeled"),
        _ => Ok(false),
    }
}

/// The JSON behind a value, if it is JSON as it came.
fn raw<'v>(value: &Val<'v>) -> Option<Cow<'v, Value>> {
    Some(match value {
        Val::Preserved(value) => Cow::Borrowed(value),
        Val::Bool(it) => Cow::Owned(Value::from(*it)),
        Val::Int(it) => Cow::Owned(Value::from(*it)),
        Val::Double(it) => Cow::Owned(Value::from(*it)),
        Val::String(it) => Cow::Owned(Value::from(it.as_ref())),
        Val::Object(map, ..) => Cow::Owned(Value::Object((*map).clone())),
        Val::Items(items, _) => Cow::Owned(Value::Array(items.to_vec())),
        _ => return None,
    })
}

/// Compares numbers of any types; nothing with a NaN.
pub(super) fn compare_numbers(one: &Val<'_>, two: &Val<'_>) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering::{Greater, Less};
    let whole = |it: &Val<'_>| match it {
        Val::Int(it) => Some(i128::from(*it)),
        Val::Uint(it) => Some(i128::from(*it)),
        _ => None,
    };
    match (one, two) {
        (Val::Double(one), Val::Double(two)) => one.partial_cmp(two),
        (Val::Double(one), Val::Int(two)) if *one < i64::MIN as f64 || *one > i64::MAX as f64 => {
            let _ = two;
            Some(if *one < 0.0 { Less } else { Greater })
        }
        (Val::Double(one), Val::Int(two)) => one.partial_cmp(&(*two as f64)),
        (Val::Double(one), Val::Uint(_)) if *one < 0.0 => Some(Less),
        (Val::Double(one), Val::Uint(_)) if *one > u64::MAX as f64 => Some(Greater),
        (Val::Double(one), Val::Uint(two)) => one.partial_cmp(&(*two as f64)),
        (_, Val::Double(_)) => compare_numbers(two, one).map(std::cmp::Ordering::reverse),
        _ => Some(whole(one)?.cmp(&whole(two)?)),
    }
}

/// A list made by the expression: errors within are passed over.
fn equal_lists(one: &Val<'_>, two: &Val<'_>) -> Result<bool> {
    let (Some(ones), Some(twos)) = (one.items(), two.items()) else { return Ok(false) };
    if ones.len() != twos.len() {
        return Ok(false);
    }
    for pair in ones.into_iter().zip(twos) {
        if let (Ok(one), Ok(two)) = pair {
            match equal(&one, &two) {
                Ok(false) => return Ok(false),
                Err(Stop::Unknown(why)) => return unknown(why),
                _ => {}
            }
        } else {
            return unknown("equality with a broken item is not modeled");
        }
    }
    Ok(true)
}

fn equal_maps(one: &Val<'_>, two: &Val<'_>) -> Result<bool> {
    if !two.is_map() || one.len() != two.len() {
        return Ok(false);
    }
    for key in one.keys().unwrap_or_default() {
        let (Some(this), Some(that)) = (one.find(&key)?, two.find(&key)?) else { return Ok(false) };
        if !equal(&this, &that)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A list of the object: in order, or by what identifies an item.
fn equal_items(items: &[Value], schema: &Schema, two: &Val<'_>) -> Result<bool> {
    let (Some(of), Some(others)) = (schema.item(), two.items()) else { return no_such_overload() };
    if items.len() != others.len() {
        return Ok(false);
    }
    let others = others.into_iter().collect::<Result<Vec<_>>>()?;
    match schema.list_type.as_deref() {
        Some("map") => equal_keyed(items, schema, of, &others),
        Some("set") => {
            let ones = items.iter().map(|it| read(it, of, false)).collect::<Result<Vec<_>>>()?;
            if ones.iter().chain(&others).any(|it| it.len().is_some()) {
                return error("listSet operations are only supported on lists of scalar values");
            }
            let within = |one: &[Val<'_>], two: &[Val<'_>]| -> Result<bool> {
                for it in one {
                    let mut found = false;
                    for other in two {
                        found |= equal(it, other)?;
                    }
                    if !found {
                        return Ok(false);
                    }
                }
                Ok(true)
            };
            Ok(within(&ones, &others)? && within(&others, &ones)?)
        }
        _ => {
            for (one, two) in items.iter().zip(&others) {
                if !equal(&read(one, of, false)?, two)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

fn equal_keyed(items: &[Value], schema: &Schema, of: &Schema, others: &[Val<'_>]) -> Result<bool> {
    // The server looks keys up by their escaped names.
    let names: Vec<_> =
        schema.list_map_keys.iter().map(|it| decl::escape(it).unwrap_or_else(|| it.clone())).collect();
    let key = |map: &Map<String, Value>| names.iter().map(|it| map.get(it).cloned()).collect::<Vec<_>>();
    let keyed: Vec<_> = items.iter().filter_map(|it| Some((key(it.as_object()?), it))).collect();
    if keyed.len() != items.len() {
        return unknown("equality of lists with broken items is not modeled");
    }
    let mut seen = Vec::new();
    for other in others {
        let Val::Object(map, ..) = other else { return unknown("equality with such a list is not modeled") };
        let wanted = key(map);
        // Of items with the same key the last counts.
        let Some((_, item)) = keyed.iter().rev().find(|it| it.0 == wanted) else { return Ok(false) };
        if !equal(&read(item, of, false)?, other)? {
            return Ok(false);
        }
        if !seen.contains(&wanted) {
            seen.push(wanted);
        }
    }
    let distinct =
        keyed.iter().enumerate().filter(|(at, it)| !keyed[..*at].iter().any(|before| before.0 == it.0));
    Ok(seen.len() == distinct.count())
}

fn equal_objects(map: &Map<String, Value>, schema: &Schema, resource: bool, two: &Val<'_>) -> Result<bool> {
    if !two.is_map() {
        return no_such_overload();
    }
    if two.len() != Some(map.len()) {
        return Ok(false);
    }
    for (key, value) in map {
        if declared(schema, resource, key).is_some() {
            let this = find(map, schema, resource, key)?;
            let that = two.find(&Val::String(Cow::Borrowed(key)))?;
            match (this, that) {
                (None, None) => {}
                (Some(this), Some(that)) if equal(&this, &that)? => {}
                _ => return Ok(false),
            }
            continue;
        }
        // Undeclared content is compared as JSON; the server takes a key that only one side has for equal.
        let Val::Object(others, ..) = two else { return no_such_overload() };
        if others.get(key).is_some_and(|other| other != value) {
            return Ok(false);
        }
    }
    Ok(true)
}
