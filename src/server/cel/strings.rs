//! The functions on text, addresses, networks and sets.
//!
//! Mirrors `ext/strings.go` and `ext/sets.go` of github.com/google/cel-go, and `regex.go`, `ip.go` and `cidr.go` of the
//! server's `pkg/cel/library`.

use crate::server::cel::equality::equal;
use crate::server::cel::net;
use crate::server::cel::regexp;
use crate::server::cel::syntax::Failure;
use crate::server::cel::value::Result;
use crate::server::cel::value::Val;
use crate::server::cel::value::error;
use crate::server::cel::value::no_such_overload;
use crate::server::cel::value::unknown;
use std::net::IpAddr;
use std::rc::Rc;

/// Calls a function; a target is the first argument.
pub(super) fn call<'v>(function: &str, args: &[Val<'v>]) -> Result<Val<'v>> {
    match args {
        [Val::String(text)] => one(function, text),
        [Val::String(text), Val::String(other)] => two(function, text, other),
        [Val::String(text), rest @ ..] => more(function, text, rest),
        [Val::Ip(address)] => address_part(function, *address),
        [Val::Cidr(address, bits), rest @ ..] => network(function, (*address, *bits), rest),
        [one, two] if function.starts_with("sets.") => sets(function, one, two),
        [list] if function == "join" => join(list, ""),
        [list, Val::String(separator)] if function == "join" => join(list, separator),
        _ => unmodeled(function),
    }
}

/// A function on values that it is not modeled for; only `dyn` values lead to a wrong overload.
fn unmodeled<'v>(function: &str) -> Result<Val<'v>> {
    const ON_TEXT: [&str; 4] = ["contains", "startsWith", "endsWith", "matches"];
    if ON_TEXT.contains(&function) {
        return no_such_overload();
    }
    unknown(format!("the function `{function}` is not modeled for such values"))
}

fn one<'v>(function: &str, text: &str) -> Result<Val<'v>> {
    match function {
        "lowerAscii" => Ok(Val::text(text.to_ascii_lowercase())),
        "upperAscii" => Ok(Val::text(text.to_ascii_uppercase())),
        "trim" => Ok(Val::text(text.trim())),
        "isIP" => Ok(Val::Bool(address(text)?.is_some())),
        "isCIDR" => Ok(Val::Bool(prefix(text)?.is_some())),
        "ip" => address(text)?.map_or_else(|| error("IP Address parse error"), |it| Ok(Val::Ip(it))),
        "cidr" => match prefix(text)? {
            Some((address, bits)) => Ok(Val::Cidr(address, bits)),
            None => error("network address parse error during conversion from string"),
        },
        "ip.isCanonical" => match address(text)? {
            Some(it) => Ok(Val::Bool(it.to_string() == text)),
            None => error("IP Address parse error"),
        },
        _ => unmodeled(function),
    }
}

/// Reads an address. Where seven groups stand beside `::`, Go and Rust may differ.
fn address(text: &str) -> Result<Option<IpAddr>> {
    if text.contains("::") && text.matches(':').count() > 7 {
        return unknown("such an address is not modeled");
    }
    Ok(net::ip(text))
}

fn prefix(text: &str) -> Result<Option<(IpAddr, u8)>> {
    address(text.split('/').next().unwrap_or(text))?;
    Ok(net::cidr(text))
}

/// Compiles a pattern that an expression uses.
pub(super) fn regex(pattern: &str) -> Result<regex::Regex> {
    match regexp::compile(pattern) {
        Ok(regex) => Ok(regex),
        Err(Failure::Refused(why)) => error(why),
        Err(Failure::Unknown(why)) => unknown(why),
    }
}

fn two<'v>(function: &str, text: &str, other: &str) -> Result<Val<'v>> {
    match function {
        "contains" => Ok(Val::Bool(text.contains(other))),
        "startsWith" => Ok(Val::Bool(text.starts_with(other))),
        "endsWith" => Ok(Val::Bool(text.ends_with(other))),
        "find" => Ok(Val::text(regex(other)?.find(text).map_or("", |it| it.as_str()))),
        "findAll" => Ok(texts(regex(other)?.find_iter(text).map(|it| it.as_str()))),
        "split" => Ok(split(text, other, None)),
        "indexOf" => Ok(position(text, text.find(other))),
        "lastIndexOf" => Ok(position(text, text.rfind(other))),
        _ => unmodeled(function),
    }
}

fn more<'v>(function: &str, text: &str, args: &[Val<'v>]) -> Result<Val<'v>> {
    match (function, args) {
        ("charAt", [Val::Int(at)]) => {
            let length = text.chars().count() as i64;
            if *at < 0 || *at > length {
                return error(format!("index out of range: {at}"));
            }
            Ok(Val::text(text.chars().nth(*at as usize).map_or_else(String::new, String::from)))
        }
        ("split", [Val::String(separator), Val::Int(limit)]) => Ok(split(text, separator, Some(*limit))),
        ("replace", [Val::String(from), Val::String(to)]) => Ok(Val::text(text.replace(&**from, to))),
        ("replace", [Val::String(from), Val::String(to), Val::Int(times)]) => match usize::try_from(*times) {
            Ok(times) => Ok(Val::text(text.replacen(&**from, to, times))),
            Err(_) => Ok(Val::text(text.replace(&**from, to))),
        },
        ("substring", [Val::Int(start)]) => {
            let length = text.chars().count() as i64;
            substring(text, *start, length.max(*start))
        }
        ("substring", [Val::Int(start), Val::Int(end)]) => substring(text, *start, *end),
        _ => unmodeled(function),
    }
}

fn texts<'v, 't>(parts: impl Iterator<Item = &'t str>) -> Val<'v> {
    Val::List(Rc::new(parts.map(Val::text).collect()))
}

fn split<'v>(text: &str, separator: &str, limit: Option<i64>) -> Val<'v> {
    let limit = limit.filter(|it| *it >= 0).map(|it| it as usize);
    if limit == Some(0) {
        return texts(std::iter::empty());
    }
    if separator.is_empty() {
        let mut ends: Vec<_> = text.char_indices().map(|it| it.0).collect();
        ends.truncate(limit.unwrap_or(usize::MAX));
        let stop = |at: usize| ends.get(at + 1).copied().unwrap_or(text.len());
        return texts((0..ends.len()).map(|at| &text[ends[at]..stop(at)]));
    }
    match limit {
        Some(limit) => texts(text.splitn(limit, separator)),
        None => texts(text.split(separator)),
    }
}

/// A place in characters, or -1.
fn position<'v>(text: &str, at: Option<usize>) -> Val<'v> {
    Val::Int(at.map_or(-1, |it| text[..it].chars().count() as i64))
}

fn substring<'v>(text: &str, start: i64, end: i64) -> Result<Val<'v>> {
    let length = text.chars().count() as i64;
    if start > end {
        return error(format!("invalid substring range. start: {start}, end: {end}"));
    }
    if let Some(at) = [start, end].into_iter().find(|it| !(0..=length).contains(it)) {
        return error(format!("index out of range: {at}"));
    }
    Ok(Val::text(text.chars().skip(start as usize).take((end - start) as usize).collect::<String>()))
}

fn join<'v>(list: &Val<'v>, separator: &str) -> Result<Val<'v>> {
    let Some(items) = list.items() else { return no_such_overload() };
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        match item? {
            Val::String(text) => parts.push(text),
            _ => return no_such_overload(),
        }
    }
    Ok(Val::text(parts.join(separator)))
}

fn address_part<'v>(function: &str, address: IpAddr) -> Result<Val<'v>> {
    Ok(match function {
        "family" => Val::Int(if address.is_ipv4() { 4 } else { 6 }),
        "isUnspecified" => Val::Bool(address.is_unspecified()),
        "isLoopback" => Val::Bool(address.is_loopback()),
        "isLinkLocalMulticast" => Val::Bool(net::is_link_local_multicast(address)),
        "isLinkLocalUnicast" => Val::Bool(net::is_link_local(address)),
        "isGlobalUnicast" => Val::Bool(net::is_global_unicast(address)),
        _ => return unmodeled(function),
    })
}

fn network<'v>(function: &str, network: (IpAddr, u8), args: &[Val<'v>]) -> Result<Val<'v>> {
    let within = |other: (IpAddr, u8)| Val::Bool(network.1 <= other.1 && net::contains(network, other.0));
    match (function, args) {
        ("ip", []) => Ok(Val::Ip(network.0)),
        ("prefixLength", []) => Ok(Val::Int(i64::from(network.1))),
        ("masked", []) => Ok(Val::Cidr(net::masked(network.0, network.1), network.1)),
        ("containsIP", [Val::Ip(address)]) => Ok(Val::Bool(net::contains(network, *address))),
        ("containsIP", [Val::String(text)]) => match address(text)? {
            Some(address) => Ok(Val::Bool(net::contains(network, address))),
            None => no_such_overload(),
        },
        ("containsCIDR", [Val::Cidr(address, bits)]) => Ok(within((*address, *bits))),
        ("containsCIDR", [Val::String(text)]) => {
            prefix(text)?.map_or_else(no_such_overload, |it| Ok(within(it)))
        }
        _ => unmodeled(function),
    }
}

fn sets<'v>(function: &str, one: &Val<'v>, two: &Val<'v>) -> Result<Val<'v>> {
    let (Some(ones), Some(twos)) = (one.items(), two.items()) else { return no_such_overload() };
    let ones = ones.into_iter().collect::<Result<Vec<_>>>()?;
    let twos = twos.into_iter().collect::<Result<Vec<_>>>()?;
    let any = |item: &Val<'v>, list: &[Val<'v>]| -> Result<bool> {
        for other in list {
            if equal(item, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let count = |items: &[Val<'v>], within: &[Val<'v>]| -> Result<usize> {
        items.iter().try_fold(0, |sum, it| Ok(sum + usize::from(any(it, within)?)))
    };
    Ok(Val::Bool(match function {
        "sets.contains" => count(&twos, &ones)? == twos.len(),
        "sets.equivalent" => count(&twos, &ones)? == twos.len() && count(&ones, &twos)? == ones.len(),
        "sets.intersects" => count(&ones, &twos)? > 0,
        _ => return unmodeled(function),
    }))
}
