//! The `format` library: named formats that text can be checked against.
//!
//! Mirrors `pkg/cel/library/format.go` of k8s.io/apiserver and `util/validation` of k8s.io/apimachinery. Whether text
//! fits is modeled, the words of the complaint are not.

use crate::server::cel::value::Result;
use crate::server::cel::value::Val;
use crate::server::cel::value::no_such_overload;
use crate::server::cel::value::unknown;
use std::rc::Rc;

const NAMES: [&str; 13] = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

/// Whether a function belongs to this library.
pub(super) fn is_function(function: &str) -> bool {
    function.starts_with("format.") || function == "validate"
}

/// Calls a function of this library; a target is the first argument.
pub(super) fn call<'v>(function: &str, args: &[Val<'v>]) -> Result<Val<'v>> {
    match (function, args) {
        ("validate", [Val::Format(name), Val::String(text)]) => {
            let complaint = || Some(Rc::new(Val::Format("errors")));
            Ok(Val::Optional(if fits(name, text)? { None } else { complaint() }))
        }
        ("format.named", [Val::String(name)]) => {
            let found = NAMES.into_iter().find(|it| *it == name.as_ref());
            Ok(Val::Optional(found.map(|it| Rc::new(Val::Format(it)))))
        }
        (_, []) => match NAMES.into_iter().find(|it| function.strip_prefix("format.") == Some(it)) {
            Some(name) => Ok(Val::Format(name)),
            None => no_such_overload(),
        },
        _ => no_such_overload(),
    }
}

fn fits(format: &str, text: &str) -> Result<bool> {
    Ok(match format {
        "dns1123Label" => label(text, true),
        "dns1035Label" => label(text, false),
        "dns1123Subdomain" => subdomain(text),
        "qualifiedName" => match text.split_once('/') {
            Some((prefix, name)) => subdomain(prefix) && !name.is_empty() && part(name),
            None => !text.is_empty() && part(text),
        },
        "uuid" => uuid(text),
        "labelValue" => text.is_empty() || part(text),
        _ => return unknown(format!("the format `{format}` is not modeled")),
    })
}

/// A label of DNS, which may start with a digit or not.
fn label(text: &str, digit_first: bool) -> bool {
    let inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    let first =
        text.bytes().next().is_some_and(|it| it.is_ascii_lowercase() || digit_first && it.is_ascii_digit());
    text.len() <= 63 && first && text.bytes().all(inner) && !text.ends_with('-')
}

fn subdomain(text: &str) -> bool {
    // The length of a part is not limited here.
    let part = |it: &str| {
        let inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
        !it.is_empty() && it.bytes().all(inner) && !it.starts_with('-') && !it.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(part)
}

/// The name part of a qualified name.
fn part(text: &str) -> bool {
    let inner = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    let edge = |it: Option<u8>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    text.len() <= 63 && text.bytes().all(inner) && edge(text.bytes().next()) && edge(text.bytes().last())
}

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12, with or without dashes.
fn uuid(text: &str) -> bool {
    let mut rest = text;
    for (at, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((digits, after)) if digits.bytes().all(|it| it.is_ascii_hexdigit()) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}
