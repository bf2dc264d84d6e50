//! The values of `format` that have an effect, and what satisfies them.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/validation/formats.go and k8s.io/kube-openapi/pkg/validation/strfmt.
//! A format that is not listed here, or that stands at another type, has no effect.

use super::mail;
use super::uri;
use crate::schema::Schema;
use crate::server::go;
use crate::time;
use regex::Regex;
use std::net::Ipv6Addr;
use std::sync::LazyLock;

/// The formats of strings, dashes left out, in the order of the server's list.
pub const OF_STRINGS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// The format of a schema, or nothing where the server takes it out because it does not know it for the type.
pub fn effective(schema: &Schema) -> &str {
    let format = schema.format.as_str();
    let known = match &*schema.ty {
        _ if format.is_empty() => false,
        _ if schema.int_or_string => is_known(format),
        "" | "string" => is_known(format),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    };
    if known { format } else { "" }
}

/// Whether strings are checked against a format; dashes do not count.
pub fn is_known(format: &str) -> bool {
    !format.is_empty() && OF_STRINGS.contains(&&*normalized(format))
}

fn normalized(format: &str) -> String {
    format.replace('-', "")
}

/// Whether a text satisfies a known format.
pub fn is_valid(format: &str, text: &str) -> bool {
    match normalized(format).as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|it| it.is_ascii_hexdigit()),
        "uri" => uri::is_request_uri(text),
        "email" => mail::is_address(text),
        "hostname" => is_hostname(text),
        "ipv4" => text.contains('.') && is_sloppy_ip(text),
        "ipv6" => text.contains(':') && text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" => is_uuid(text, |_| true),
        "uuid3" => is_uuid(text, |it| it[12] == b'3'),
        "uuid4" => is_uuid(text, |it| it[12] == b'4' && is_variant(it[16])),
        "uuid5" => is_uuid(text, |it| it[12] == b'5' && is_variant(it[16])),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => text.len() == 11 && SSN.is_match(text),
        "hexcolor" => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|it| it.is_ascii_hexdigit())
        }
        "rgbcolor" => RGB_COLOR.is_match(text),
        "byte" => BASE64.is_match(text),
        "date" => time::is_date(text),
        "duration" => is_duration(text),
        "datetime" => is_date_time(text),
        "k8sshortname" => text.len() <= 63 && is_dns_label(text),
        "k8slongname" => text.len() <= 253 && text.split('.').all(is_dns_label),
        _ => true,
    }
}

fn regex(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants of this module, and each is tested")]
    Regex::new(pattern).expect("a constant pattern")
}

static HOSTNAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)",
        r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
    ))
});
static SSN: LazyLock<Regex> = LazyLock::new(|| regex(r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"));
static RGB_COLOR: LazyLock<Regex> = LazyLock::new(|| {
    let part = r"[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*";
    regex(&format!(r"^rgb\({part},{part},{part}\)$"))
});
static BASE64: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$")
});
static CREDIT_CARD: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}",
        r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"
    ))
});
static TIME: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"));
static DURATION: LazyLock<Regex> = LazyLock::new(|| regex("([0-9]+)[\\t\\n\\f\\r ]*([A-Za-zµ]+)"));

fn is_hostname(text: &str) -> bool {
    HOSTNAME.is_match(text) && text.len() <= 255 && text.split('.').all(|it| it.len() <= 63)
}

fn is_dns_label(text: &str) -> bool {
    let inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Four numbers up to 255, with leading zeros.
fn is_sloppy_ipv4(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let octet = |it: &&str| {
        let digits = it.trim_start_matches('0');
        !it.is_empty()
            && it.bytes().all(|it| it.is_ascii_digit())
            && digits.len() <= 3
            && digits.parse().unwrap_or(0u16) <= 255
    };
    parts.len() == 4 && parts.iter().all(octet)
}

/// An IPv6 address whose groups and embedded IPv4 numbers may have leading zeros.
fn is_sloppy_ipv6(text: &str) -> bool {
    let (head, ipv4) = match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => {
            if !is_sloppy_ipv4(tail) {
                return false;
            }
            (head, true)
        }
        _ => (text, false),
    };
    let strip = |group: &str| {
        let hex = group.bytes().all(|it| it.is_ascii_hexdigit());
        let digits = group.trim_start_matches('0');
        match (group.is_empty(), hex) {
            (true, _) => String::new(),
            (_, false) => "x".to_owned(),
            _ => {
                if digits.is_empty() {
                    "0".to_owned()
                } else {
                    digits.to_owned()
                }
            }
        }
    };
    let groups: Vec<String> = head.split(':').map(strip).collect();
    let tail = if ipv4 { ":0.0.0.0" } else { "" };
    format!("{}{tail}", groups.join(":")).parse::<Ipv6Addr>().is_ok()
}

/// Go's `net.ParseIP` as it was before 1.17.
fn is_sloppy_ip(text: &str) -> bool {
    match text.find(['.', ':']) {
        Some(at) if text.as_bytes()[at] == b'.' => is_sloppy_ipv4(text),
        Some(_) => is_sloppy_ipv6(text),
        None => false,
    }
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let max = match address {
        _ if is_sloppy_ipv4(address) => 32,
        _ if is_sloppy_ipv6(address) => 128,
        _ => return false,
    };
    let digits = length.trim_start_matches('0');
    !length.is_empty()
        && length.bytes().all(|it| it.is_ascii_digit())
        && digits.len() <= 3
        && digits.parse().unwrap_or(0u32) <= max
}

/// 6, 8 or 20 bytes in one of Go's four spellings.
fn is_mac(text: &str) -> bool {
    let hex = |it: &str, digits: usize| it.len() == digits && it.bytes().all(|it| it.is_ascii_hexdigit());
    let Some(third) = text.as_bytes().get(2).filter(|_| text.len() >= 12 && text.is_ascii()) else {
        return false;
    };
    let bytes = match third {
        b':' | b'-' => {
            let parts: Vec<&str> = text.split(*third as char).collect();
            if !parts.iter().all(|it| hex(it, 2)) {
                return false;
            }
            parts.len()
        }
        _ if text.as_bytes()[4] == b'.' => {
            let parts: Vec<&str> = text.split('.').collect();
            if !parts.iter().all(|it| hex(it, 4)) {
                return false;
            }
            parts.len() * 2
        }
        _ if hex(text, text.len()) && text.len().is_multiple_of(2) => text.len() / 2,
        _ => return false,
    };
    matches!(bytes, 6 | 8 | 20)
}

/// 32 hexadecimal digits with optional dashes behind the 8th, 12th, 16th and 20th.
fn is_uuid(text: &str, check: impl Fn(&[u8]) -> bool) -> bool {
    let mut digits = Vec::with_capacity(32);
    let mut dashed = false;
    for byte in text.bytes() {
        if byte == b'-' {
            if dashed || !matches!(digits.len(), 8 | 12 | 16 | 20) {
                return false;
            }
            dashed = true;
        } else if byte.is_ascii_hexdigit() && digits.len() < 32 {
            digits.push(byte.to_ascii_lowercase());
            dashed = false;
        } else {
            return false;
        }
    }
    digits.len() == 32 && check(&digits)
}

fn is_variant(digit: u8) -> bool {
    matches!(digit, b'8' | b'9' | b'a' | b'b')
}

fn without_separators(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, '\t' | '\n' | '\u{c}' | '\r' | ' ' | '-')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = without_separators(text);
    let digits = text.strip_suffix('X').unwrap_or(&text);
    if text.len() != 10 || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return false;
    }
    let sum: u32 =
        text.bytes().zip(1..).map(|(it, at)| at * if it == b'X' { 10 } else { u32::from(it - b'0') }).sum();
    sum.is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let text = without_separators(text);
    if text.len() != 13 || !text.bytes().all(|it| it.is_ascii_digit()) {
        return false;
    }
    let sum: u32 =
        text.bytes().zip([1, 3].into_iter().cycle()).map(|(it, factor)| factor * u32::from(it - b'0')).sum();
    sum.is_multiple_of(10)
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let double = |it: u32| if it > 4 { it * 2 - 9 } else { it * 2 };
    let digit = |(at, it): (usize, u8)| {
        let it = u32::from(it - b'0');
        if at % 2 == 1 { double(it) } else { it }
    };
    CREDIT_CARD.is_match(&digits)
        && digits.bytes().rev().enumerate().map(digit).sum::<u32>().is_multiple_of(10)
}

/// The date is checked as a date, the time only digit by digit; what follows a second `t` is not looked at.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(rest)) = (parts.next(), parts.next()) else { return false };
    let Some(found) = TIME.captures(rest).filter(|_| time::is_date(date)) else { return false };
    &found[1] <= "23" && &found[2] <= "59" && &found[3] <= "59"
}

fn is_duration(text: &str) -> bool {
    go::duration(text).is_some() || is_spoken_duration(text)
}

/// Any number with a unit anywhere in the text, as Scala writes durations.
fn is_spoken_duration(text: &str) -> bool {
    const EXACT: [&str; 9] = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "wk"];
    const PREFIXES: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    let mut found = false;
    for part in DURATION.captures_iter(text) {
        if part[1].parse::<i64>().is_err() {
            return false;
        }
        let unit = part[2].to_lowercase();
        found |= EXACT.contains(&&*unit)
            || matches!(&*unit, "d" | "w")
            || PREFIXES.iter().any(|it| unit.starts_with(it));
    }
    found
}
