//! The functions that expressions call.
//!
//! Mirrors the standard library of github.com/google/cel-go, its `ext` and the server's `pkg/cel/library`, as far as
//! they are modeled: a function that is declared in `functions` and missing here gives no answer.

use crate::server::cel::equality::compare_numbers;
use crate::server::cel::equality::equal;
use crate::server::cel::eval::present;
use crate::server::cel::formats;
use crate::server::cel::net;
use crate::server::cel::quantity;
use crate::server::cel::strings;
use crate::server::cel::time;
use crate::server::cel::time::SECOND;
use crate::server::cel::value::Result;
use crate::server::cel::value::Stop;
use crate::server::cel::value::Val;
use crate::server::cel::value::error;
use crate::server::cel::value::no_such_overload;
use crate::server::cel::value::unknown;
use crate::server::go;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

/// An upper bound of what a call costs beyond one unit.
pub(super) fn cost(function: &str, args: &[Val<'_>]) -> u64 {
    let weight = |at: usize| args.get(at).map_or(0, Val::weight);
    match function {
        "contains" | "matches" | "find" | "findAll" => (weight(0) / 10 + 2) * (weight(1) / 4 + 2),
        "sets.contains" | "sets.intersects" | "sets.equivalent" => 2 * (weight(0) + 2) * (weight(1) + 2),
        "validate" => (weight(1) / 10 + 2) * 200,
        "replace" => weight(0) + (weight(0) + 2) * (weight(2) + 1),
        _ => args.iter().map(Val::weight).sum(),
    }
}

/// Calls a function or operator; a target is the first argument.
pub(super) fn call<'v>(function: &str, args: &[Val<'v>]) -> Result<Val<'v>> {
    match (function, args) {
        ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", [one, two]) => arithmetic(function, one, two),
        ("_<_", [one, two]) => Ok(Val::Bool(compare(one, two)? == Some(Ordering::Less))),
        ("_<=_", [one, two]) => Ok(Val::Bool(compare(one, two)?.is_some_and(Ordering::is_le))),
        ("_>_", [one, two]) => Ok(Val::Bool(compare(one, two)? == Some(Ordering::Greater))),
        ("_>=_", [one, two]) => Ok(Val::Bool(compare(one, two)?.is_some_and(Ordering::is_ge))),
        ("!_", [Val::Bool(it)]) => Ok(Val::Bool(!it)),
        ("-_", [Val::Int(it)]) => {
            it.checked_neg().map_or_else(|| error("integer overflow"), |it| Ok(Val::Int(it)))
        }
        ("-_", [Val::Double(it)]) => Ok(Val::Double(-it)),
        ("@in", [item, container]) => contains(item, container),
        ("_[_]", [container, key]) => index(container, key),
        ("_[?_]", [container, key]) => optional_index(container, key),
        ("size", [it]) => size(it),
        ("type", [it]) => type_of(it),
        ("dyn", [it]) => Ok(it.clone()),
        ("bool" | "bytes" | "double" | "duration" | "int" | "string" | "timestamp" | "uint", [it]) => {
            convert(function, it)
        }
        (_, [Val::Timestamp(_) | Val::Duration(_)]) if function.starts_with("get") => {
            time_part(function, &args[0])
        }
        ("optional.of", [it]) => Ok(Val::Optional(Some(Rc::new(it.clone())))),
        ("optional.none", []) => Ok(Val::Optional(None)),
        ("hasValue", [Val::Optional(it)]) => Ok(Val::Bool(it.is_some())),
        ("value", [Val::Optional(Some(it))]) => known(it),
        ("value", [Val::Optional(None)]) => error("optional.none() dereference"),
        ("orValue", [Val::Optional(it), other]) => it.as_deref().map_or_else(|| Ok(other.clone()), known),
        ("or", [one @ Val::Optional(it), other]) => {
            Ok(if it.is_some() { one.clone() } else { other.clone() })
        }
        ("url", [Val::String(text)]) => url(text),
        ("isURL", [Val::String(text)]) => Ok(Val::Bool(net::url(text).is_some())),
        (_, [Val::Url(url)]) => url_part(function, url),
        ("sum" | "min" | "max" | "isSorted", [list]) => fold_list(function, list),
        (_, [list]) if function.starts_with("list_") && list.len() == Some(0) => zero(function),
        (_, [list]) if function.starts_with("list_") => fold_list("sum", list),
        ("first" | "last", [list]) => match list.items() {
            Some(mut items) => {
                let found = if function == "last" {
                    items.pop()
                } else {
                    (!items.is_empty()).then(|| items.remove(0))
                };
                Ok(Val::Optional(found.transpose()?.map(Rc::new)))
            }
            None => no_such_overload(),
        },
        ("quantity" | "isQuantity", _) | (_, [Val::Quantity(_), ..]) => quantity::call(function, args),
        _ if formats::is_function(function) => formats::call(function, args),
        _ => strings::call(function, args),
    }
}

/// A value out of an optional; the words of a format's complaint are not modeled.
fn known<'v>(value: &Val<'v>) -> Result<Val<'v>> {
    match value {
        Val::Format("errors") => unknown("the words of a format's errors are not modeled"),
        other => Ok(other.clone()),
    }
}

fn arithmetic<'v>(operator: &str, one: &Val<'v>, two: &Val<'v>) -> Result<Val<'v>> {
    let whole = |it: Option<i64>| it.map_or_else(|| error("integer overflow"), |it| Ok(Val::Int(it)));
    let natural =
        |it: Option<u64>| it.map_or_else(|| error("unsigned integer overflow"), |it| Ok(Val::Uint(it)));
    match (operator, one, two) {
        ("_/_", _, Val::Int(0) | Val::Uint(0)) => error("division by zero"),
        ("_%_", _, Val::Int(0) | Val::Uint(0)) => error("modulus by zero"),
        ("_+_", Val::Int(one), Val::Int(two)) => whole(one.checked_add(*two)),
        ("_-_", Val::Int(one), Val::Int(two)) => whole(one.checked_sub(*two)),
        ("_*_", Val::Int(one), Val::Int(two)) => whole(one.checked_mul(*two)),
        ("_/_", Val::Int(one), Val::Int(two)) => whole(one.checked_div(*two)),
        ("_%_", Val::Int(one), Val::Int(two)) => whole(one.checked_rem(*two)),
        ("_+_", Val::Uint(one), Val::Uint(two)) => natural(one.checked_add(*two)),
        ("_-_", Val::Uint(one), Val::Uint(two)) => natural(one.checked_sub(*two)),
        ("_*_", Val::Uint(one), Val::Uint(two)) => natural(one.checked_mul(*two)),
        ("_/_", Val::Uint(one), Val::Uint(two)) => natural(one.checked_div(*two)),
        ("_%_", Val::Uint(one), Val::Uint(two)) => natural(one.checked_rem(*two)),
        ("_+_", Val::Double(one), Val::Double(two)) => Ok(Val::Double(one + two)),
        ("_-_", Val::Double(one), Val::Double(two)) => Ok(Val::Double(one - two)),
        ("_*_", Val::Double(one), Val::Double(two)) => Ok(Val::Double(one * two)),
        ("_/_", Val::Double(one), Val::Double(two)) => Ok(Val::Double(one / two)),
        ("_+_", Val::String(one), Val::String(two)) => Ok(Val::text(format!("{one}{two}"))),
        ("_+_", Val::Bytes(one), Val::Bytes(two)) => {
            Ok(Val::Bytes([one.as_ref(), two.as_ref()].concat().into()))
        }
        ("_+_", Val::Duration(one), Val::Duration(two)) => span(one.checked_add(*two)),
        ("_-_", Val::Duration(one), Val::Duration(two)) => span(one.checked_sub(*two)),
        ("_+_", Val::Timestamp(at), Val::Duration(by)) | ("_+_", Val::Duration(by), Val::Timestamp(at)) => {
            instant(at + i128::from(*by))
        }
        ("_-_", Val::Timestamp(at), Val::Duration(by)) => instant(at - i128::from(*by)),
        ("_-_", Val::Timestamp(one), Val::Timestamp(two)) => span(i64::try_from(one - two).ok()),
        ("_+_", Val::Items(_, schema), _) if schema.list_type.as_deref().is_some_and(|it| it != "atomic") => {
            unknown("joining sets and keyed lists is not modeled")
        }
        ("_+_", _, _) => match (one.items(), two.items()) {
            (Some(one), Some(two)) => {
                Ok(Val::List(Rc::new(one.into_iter().chain(two).collect::<Result<Vec<_>>>()?)))
            }
            _ => no_such_overload(),
        },
        _ => no_such_overload(),
    }
}

fn span<'v>(nanos: Option<i64>) -> Result<Val<'v>> {
    nanos.map_or_else(|| error("duration overflow"), |it| Ok(Val::Duration(it)))
}

fn instant<'v>(nanos: i128) -> Result<Val<'v>> {
    // From year 1 to year 9999.
    let seconds = nanos.div_euclid(i128::from(SECOND));
    if (-62_135_596_800..=253_402_300_799).contains(&seconds) {
        Ok(Val::Timestamp(nanos))
    } else {
        error("timestamp overflow")
    }
}

/// Orders two values; nothing with a NaN.
pub(super) fn compare(one: &Val<'_>, two: &Val<'_>) -> Result<Option<Ordering>> {
    Ok(match (one, two) {
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), Val::Int(_) | Val::Uint(_) | Val::Double(_)) => {
            match compare_numbers(one, two) {
                None => return error("NaN values cannot be ordered"),
                found => found,
            }
        }
        (Val::Bool(one), Val::Bool(two)) => Some(one.cmp(two)),
        (Val::String(one), Val::String(two)) => Some(one.cmp(two)),
        (Val::Bytes(one), Val::Bytes(two)) => Some(one.cmp(two)),
        (Val::Duration(one), Val::Duration(two)) => Some(one.cmp(two)),
        (Val::Timestamp(one), Val::Timestamp(two)) => Some(one.cmp(two)),
        _ => return no_such_overload(),
    })
}

fn contains<'v>(item: &Val<'v>, container: &Val<'v>) -> Result<Val<'v>> {
    if container.is_map() {
        return Ok(Val::Bool(container.find(item)?.is_some()));
    }
    let Some(items) = container.items() else { return no_such_overload() };
    // A list of the object passes errors on if nothing is found; a list of the expression forgets them.
    let remembers = matches!(container, Val::Items(..));
    let mut stop = None;
    for it in items {
        match it.and_then(|it| if remembers { equal(&it, item) } else { equal(item, &it) }) {
            Ok(true) => return Ok(Val::Bool(true)),
            Ok(false) => {}
            Err(Stop::Unknown(why)) => stop = Some(Stop::Unknown(why)),
            Err(why) if remembers => stop = stop.or(Some(why)),
            Err(_) => {}
        }
    }
    stop.map_or(Ok(Val::Bool(false)), Err)
}

fn index<'v>(container: &Val<'v>, key: &Val<'v>) -> Result<Val<'v>> {
    if matches!(container, Val::Optional(_)) {
        return optional_index(container, key);
    }
    match find_index(container, key)? {
        Some(value) => Ok(value),
        None if container.is_map() => error(format!("no such key: {}", words(key))),
        None => error(format!("index out of bounds: {}", words(key))),
    }
}

/// A key as an error names it.
fn words(key: &Val<'_>) -> String {
    match key {
        Val::String(text) => text.to_string(),
        Val::Int(number) => number.to_string(),
        _ => "key".to_owned(),
    }
}

fn optional_index<'v>(container: &Val<'v>, key: &Val<'v>) -> Result<Val<'v>> {
    let found = match container {
        Val::Optional(None) => None,
        Val::Optional(Some(inner)) => find_index(inner, key)?,
        other => find_index(other, key)?,
    };
    Ok(Val::Optional(found.map(Rc::new)))
}

fn find_index<'v>(container: &Val<'v>, key: &Val<'v>) -> Result<Option<Val<'v>>> {
    if container.is_map() {
        return match key {
            Val::String(name) => present(container, name),
            key => container.find(key),
        };
    }
    let Some(mut items) = container.items() else { return no_such_overload() };
    let at = match key {
        Val::Int(at) => usize::try_from(*at).unwrap_or(usize::MAX),
        _ => return unknown("such an index is not modeled"),
    };
    if at >= items.len() { Ok(None) } else { items.swap_remove(at).map(Some) }
}

fn size<'v>(value: &Val<'v>) -> Result<Val<'v>> {
    let size = match value {
        Val::String(text) => text.chars().count(),
        Val::Bytes(bytes) => bytes.len(),
        other => match other.len() {
            Some(size) => size,
            None => return no_such_overload(),
        },
    };
    Ok(Val::Int(size as i64))
}

fn type_of<'v>(value: &Val<'v>) -> Result<Val<'v>> {
    Ok(Val::Type(match value {
        Val::Null => "null_type",
        Val::Bool(_) => "bool",
        Val::Int(_) => "int",
        Val::Uint(_) => "uint",
        Val::Double(_) => "double",
        Val::String(_) => "string",
        Val::Bytes(_) => "bytes",
        Val::List(_) | Val::Items(..) => "list",
        Val::Map(_) | Val::Object(..) => "map",
        Val::Type(_) => "type",
        _ => return unknown("the name of the type is not modeled"),
    }))
}

fn convert<'v>(to: &str, value: &Val<'v>) -> Result<Val<'v>> {
    let name = match to {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        other => other,
    };
    let failed = || error(format!("type conversion error from 'string' to '{name}'"));
    let range = || error("integer overflow");
    match (to, value) {
        ("bool", Val::Bool(_))
        | ("bytes", Val::Bytes(_))
        | ("double", Val::Double(_))
        | ("duration", Val::Duration(_))
        | ("int", Val::Int(_))
        | ("string", Val::String(_))
        | ("timestamp", Val::Timestamp(_))
        | ("uint", Val::Uint(_)) => Ok(value.clone()),
        ("bool", Val::String(text)) => match text.as_ref() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Val::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Val::Bool(false)),
            _ => failed(),
        },
        ("bytes", Val::String(text)) => Ok(Val::Bytes(text.as_bytes().into())),
        ("double", Val::Int(it)) => Ok(Val::Double(*it as f64)),
        ("double", Val::Uint(it)) => Ok(Val::Double(*it as f64)),
        ("double", Val::String(text)) => match text.parse::<f64>() {
            Ok(it)
                if text.bytes().all(|it| it.is_ascii_digit() || b".-+eE".contains(&it)) && it.is_finite() =>
            {
                Ok(Val::Double(it))
            }
            _ => unknown("how Go reads this number is not modeled"),
        },
        ("duration", Val::String(text)) => go::duration(text).map_or_else(failed, |it| Ok(Val::Duration(it))),
        ("timestamp", Val::String(text)) => match time::timestamp(text) {
            Some(it) => instant(it),
            None => unknown("how Go reads this timestamp is not modeled"),
        },
        ("int", Val::Double(it)) if it.abs() < 9.2e18 => Ok(Val::Int(*it as i64)),
        ("int", Val::Double(_)) => range(),
        ("int", Val::Uint(it)) => i64::try_from(*it).map_or_else(|_| range(), |it| Ok(Val::Int(it))),
        ("int", Val::String(text)) => text.parse().map_or_else(|_| failed(), |it| Ok(Val::Int(it))),
        ("int", Val::Timestamp(it)) => Ok(Val::Int(it.div_euclid(i128::from(SECOND)) as i64)),
        ("int", Val::Duration(it)) => Ok(Val::Int(*it)),
        ("uint", Val::Int(it)) => u64::try_from(*it).map_or_else(|_| range(), |it| Ok(Val::Uint(it))),
        ("string", value) => to_text(value),
        ("uint", Val::Double(_) | Val::String(_)) | ("timestamp", Val::Int(_)) => {
            unknown("the conversion is not modeled")
        }
        _ => no_such_overload(),
    }
}

fn to_text<'v>(value: &Val<'v>) -> Result<Val<'v>> {
    Ok(Val::text(match value {
        Val::Bool(it) => it.to_string(),
        Val::Int(it) => it.to_string(),
        Val::Uint(it) => it.to_string(),
        Val::Ip(it) => it.to_string(),
        Val::Cidr(it, bits) => format!("{it}/{bits}"),
        Val::Bytes(it) => match String::from_utf8(it.to_vec()) {
            Ok(text) => text,
            Err(_) => return error("invalid UTF-8 in bytes, cannot convert to string"),
        },
        Val::Double(_) | Val::Duration(_) | Val::Timestamp(_) => {
            return unknown("the conversion is not modeled");
        }
        _ => return no_such_overload(),
    }))
}

fn time_part<'v>(function: &str, value: &Val<'v>) -> Result<Val<'v>> {
    let second = i128::from(SECOND);
    let (nanos, timestamp) = match value {
        Val::Timestamp(it) => (*it, true),
        Val::Duration(it) => (i128::from(*it), false),
        _ => return no_such_overload(),
    };
    let of_day = nanos.rem_euclid(86_400 * second);
    let [year, month, day, day_of_year, weekday] = time::calendar(nanos);
    Ok(Val::Int(match (function, timestamp) {
        ("getFullYear", true) => year,
        ("getMonth", true) => month,
        ("getDayOfYear", true) => day_of_year,
        ("getDayOfMonth", true) => day,
        ("getDate", true) => day + 1,
        ("getDayOfWeek", true) => weekday,
        ("getHours", true) => (of_day / (3600 * second)) as i64,
        ("getMinutes", true) => (of_day / (60 * second) % 60) as i64,
        ("getSeconds", true) => (of_day / second % 60) as i64,
        ("getMilliseconds", true) => (of_day / 1_000_000 % 1000) as i64,
        ("getHours", false) => (nanos / (3600 * second)) as i64,
        ("getMinutes", false) => (nanos / (60 * second)) as i64,
        ("getSeconds", false) => (nanos / second) as i64,
        ("getMilliseconds", false) => (nanos / 1_000_000) as i64,
        _ => return no_such_overload(),
    }))
}

fn url<'v>(text: &str) -> Result<Val<'v>> {
    let Some(mut url) = net::url(text) else { return error("URL parse error during conversion from string") };
    // The server reads the text again, without the fragment.
    if let Some((before, _)) = text.split_once('#') {
        match net::url(before) {
            Some(again) => url = again,
            None => return unknown("the URL is not modeled"),
        }
    }
    Ok(Val::Url(Rc::new(url)))
}

fn url_part<'v>(function: &str, url: &net::Url) -> Result<Val<'v>> {
    let (host, port) = url.host_and_port();
    Ok(match function {
        "getScheme" => Val::text(url.scheme.as_str()),
        "getHost" | "getHostname" if url.host.contains('%') => return unknown("the host is not modeled"),
        "getHost" => Val::text(url.host.as_str()),
        "getHostname" => Val::text(host),
        "getPort" => Val::text(port),
        "getEscapedPath" => match &url.path {
            Some(path) => Val::text(path.as_str()),
            None => return unknown("the path is not modeled"),
        },
        "getQuery" if url.query.is_empty() => Val::Map(Rc::new(Vec::new())),
        "getQuery" if url.query.contains(['%', '+', ';']) => return unknown("the query is not modeled"),
        "getQuery" => query(&url.query),
        _ => return no_such_overload(),
    })
}

fn query<'v>(text: &str) -> Val<'v> {
    let mut res: Vec<(String, Vec<Val<'v>>)> = Vec::new();
    for pair in text.split('&').filter(|it| !it.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = Val::text(value);
        match res.iter_mut().find(|it| it.0 == key) {
            Some((_, values)) => values.push(value),
            None => res.push((key.to_owned(), vec![value])),
        }
    }
    let entry = |(key, values)| (Val::String(Cow::Owned(key)), Val::List(Rc::new(values)));
    Val::Map(Rc::new(res.into_iter().map(entry).collect()))
}

/// The sum of nothing, by the overload of `sum`.
fn zero<'v>(overload: &str) -> Result<Val<'v>> {
    Ok(match overload {
        "list_int_sum_int" => Val::Int(0),
        "list_uint_sum_uint" => Val::Uint(0),
        "list_double_sum_double" => Val::Double(0.0),
        _ => Val::Duration(0),
    })
}

fn fold_list<'v>(function: &str, list: &Val<'v>) -> Result<Val<'v>> {
    let Some(items) = list.items() else { return no_such_overload() };
    let items = items.into_iter().collect::<Result<Vec<_>>>()?;
    let mut iter = items.iter();
    let Some(mut res) = iter.next().cloned() else {
        return match function {
            // The type of nothing decides which zero this is.
            "sum" => unknown("the sum of an empty list is not modeled"),
            "isSorted" => Ok(Val::Bool(true)),
            _ => error(format!("{function} called on empty list")),
        };
    };
    for it in iter {
        let order = if function == "sum" { None } else { compare(&res, it)? };
        match (function, order) {
            ("sum", _) => res = arithmetic("_+_", &res, it)?,
            ("isSorted", Some(Ordering::Greater)) => return Ok(Val::Bool(false)),
            ("isSorted", _) | ("max", Some(Ordering::Less)) | ("min", Some(Ordering::Greater)) => {
                res = it.clone()
            }
            _ => {}
        }
    }
    Ok(if function == "isSorted" { Val::Bool(true) } else { res })
}
