//! Whether two values are equal, and how numbers of different types compare.
//!
//! Mirrors the `Equal` methods of `pkg/cel/common/valuesunstructured.go` of k8s.io/apiserver and of `common/types` of
//! github.com/google/cel-go, with what they do not say of broken values.

use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::decl::Fields;
use crate::server::cel::value::Result;
use crate::server::cel::value::Stop;
use crate::server::cel::value::Val;
use crate::server::cel::value::declared;
use crate::server::cel::value::error;
use crate::server::cel::value::find;
use crate::server::cel::value::no_such_overload;
use crate::server::cel::value::read;
use crate::server::cel::value::unknown;
use serde_json::Map;
use serde_json::Value;
use std::borrow::Cow;

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
        (Val::Object(map, schema, fields), _) => equal_objects(map, schema, *fields, two),
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
            let ones = items.iter().map(|it| read(it, of, Fields::of(of))).collect::<Result<Vec<_>>>()?;
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
                if !equal(&read(one, of, Fields::of(of))?, two)? {
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
        if !equal(&read(item, of, Fields::of(of))?, other)? {
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

fn equal_objects(map: &Map<String, Value>, schema: &Schema, fields: Fields, two: &Val<'_>) -> Result<bool> {
    if !two.is_map() {
        return no_such_overload();
    }
    if two.len() != Some(map.len()) {
        return Ok(false);
    }
    for (key, value) in map {
        if declared(schema, fields, key).is_some() {
            let this = find(map, schema, fields, key)?;
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
