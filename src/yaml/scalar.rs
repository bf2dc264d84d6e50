//! What a scalar means: a port of the rules of `go.yaml.in/yaml/v2` (`resolve.go`), YAML 1.1 as Go reads it.
//!
//! Knows neither places nor trees.

use super::Value;
use super::base64;
use crate::time;

/// A tag as far as decoding cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// No tag.
    None,
    /// `!!str`.
    Str,
    /// `!!bool`.
    Bool,
    /// `!!int`.
    Int,
    /// `!!float`.
    Float,
    /// `!!null`.
    Null,
    /// `!!timestamp`.
    Timestamp,
    /// `!!binary`.
    Binary,
    /// `!!merge`.
    Merge,
    /// `!` alone.
    Bang,
    /// Any other, which leaves the text as it is.
    Other,
}

impl Tag {
    /// The tag of a URI.
    pub(super) fn of(uri: &str) -> Tag {
        match uri.strip_prefix("tag:yaml.org,2002:") {
            Some("str") => Tag::Str,
            Some("bool") => Tag::Bool,
            Some("int") => Tag::Int,
            Some("float") => Tag::Float,
            Some("null") => Tag::Null,
            Some("timestamp") => Tag::Timestamp,
            Some("binary") => Tag::Binary,
            Some("merge") => Tag::Merge,
            _ if uri == "!" => Tag::Bang,
            _ => Tag::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tag::Str => "!!str",
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
            Tag::None | Tag::Bang | Tag::Other => "!",
        }
    }
}

/// The value of a scalar; `plain` is a scalar without quotes or block indicator.
///
/// Floats come back as Go's JSON has them: whole ones are integers.
pub(super) fn value(tag: Tag, plain: bool, text: &str) -> Result<Value, String> {
    match tag {
        Tag::None if !plain => return Ok(Value::String(text.into())),
        Tag::Str | Tag::Merge | Tag::Bang | Tag::Other => return Ok(Value::String(text.into())),
        Tag::Binary => return binary(text),
        _ => {}
    }
    let (found, value) = resolve(tag, text);
    match (tag, found) {
        (Tag::None, _) => Ok(value),
        (wanted, found) if wanted == found => Ok(value),
        (Tag::Float, Tag::Int) if matches!(value, Value::Int(_)) => match value {
            Value::Int(it) => Ok(Value::Float(it as f64)),
            other => Ok(other),
        },
        (wanted, found) => {
            Err(format!("cannot decode {} `{}` as a {}", found.name(), excerpt(text), wanted.name()))
        }
    }
}

/// Whether Go's parser reads an unquoted text as anything but that text.
pub(super) fn is_special(text: &str) -> bool {
    text == "<<" || text == "=" || resolve(Tag::None, text).0 != Tag::Str
}

fn resolve(tag: Tag, text: &str) -> (Tag, Value) {
    let string = || (Tag::Str, Value::String(text.into()));
    let Some(first) = text.bytes().next() else { return (Tag::Null, Value::Null) };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => {
            word(text).unwrap_or_else(string)
        }
        b'.' => match infinite(text).or_else(|| float(text)) {
            Some(it) => (Tag::Float, Value::Float(it)),
            None => string(),
        },
        b'+' | b'-' | b'0'..=b'9' => {
            if let Some(it) = infinite(text) {
                return (Tag::Float, Value::Float(it));
            }
            if matches!(tag, Tag::None | Tag::Timestamp) && is_timestamp(text) {
                return (Tag::Timestamp, Value::String(text.into()));
            }
            number(text).unwrap_or_else(string)
        }
        _ => string(),
    }
}

fn word(text: &str) -> Option<(Tag, Value)> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some((Tag::Bool, Value::Bool(true)))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some((Tag::Bool, Value::Bool(false)))
        }
        "~" | "null" | "Null" | "NULL" => Some((Tag::Null, Value::Null)),
        _ => None,
    }
}

fn infinite(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn number(text: &str) -> Option<(Tag, Value)> {
    let plain = text.replace('_', "");
    if let Some(it) = signed(&plain, 0) {
        return Some((Tag::Int, Value::Int(it)));
    }
    if let Some(it) = unsigned(&plain, 0) {
        return Some((Tag::Int, Value::UInt(it)));
    }
    if is_float(&plain)
        && let Some(it) = float(&plain)
    {
        return Some((Tag::Float, Value::Float(it)));
    }
    // Go tries binary once more by hand, and so reads a sign after the prefix.
    if let Some(digits) = plain.strip_prefix("0b") {
        let int = signed(digits, 2).map(Value::Int).or_else(|| unsigned(digits, 2).map(Value::UInt));
        return int.map(|it| (Tag::Int, it));
    }
    let digits = plain.strip_prefix("-0b")?;
    signed(&format!("-{digits}"), 2).map(|it| (Tag::Int, Value::Int(it)))
}

/// Go's `strconv.ParseInt(text, base, 64)` for base 0 and 2.
fn signed(text: &str, base: u32) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = unsigned(digits, base)?;
    match negative {
        true if magnitude <= i64::MIN.unsigned_abs() => Some((magnitude as i64).wrapping_neg()),
        false if magnitude <= i64::MAX as u64 => Some(magnitude as i64),
        _ => None,
    }
}

/// Go's `strconv.ParseUint(text, base, 64)` for base 0 and 2.
fn unsigned(text: &str, base: u32) -> Option<u64> {
    let (digits, radix) = match (base, text.as_bytes()) {
        (_, []) => return None,
        (0, [b'0', b'b' | b'B', _, ..]) => (&text[2..], 2),
        (0, [b'0', b'o' | b'O', _, ..]) => (&text[2..], 8),
        (0, [b'0', b'x' | b'X', _, ..]) => (&text[2..], 16),
        (0, [b'0']) => return Some(0),
        (0, [b'0', ..]) => (&text[1..], 8),
        (0, _) => (text, 10),
        (base, _) => (text, base),
    };
    // Rust takes a leading plus, Go does not.
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`
fn is_float(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(rest);
    rest = &rest[whole..];
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = digits(after);
        if whole == 0 && fraction == 0 {
            return false;
        }
        rest = &after[fraction..];
    } else if whole == 0 {
        return false;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let after = after.strip_prefix(['-', '+']).unwrap_or(after);
        let exponent = digits(after);
        return exponent > 0 && exponent == after.len();
    }
    rest.is_empty()
}

/// Go's `strconv.ParseFloat`, which fails on what is too large and skips underscores between digits.
fn float(text: &str) -> Option<f64> {
    if !text.bytes().any(|it| it.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|it: &f64| it.is_finite())
}

/// A float as Go's JSON encoder writes it and a decoder with whole numbers reads it back.
pub(super) fn normalize(value: f64) -> Option<Value> {
    if !value.is_finite() {
        return None;
    }
    if value.fract() != 0.0 || value.abs() >= 1e21 {
        return Some(Value::Float(value));
    }
    // The shortest digits that mean this float, padded with zeros, are not the float's exact value.
    match value.to_string().parse::<i64>() {
        Ok(it) => Some(Value::Int(it)),
        Err(_) => Some(Value::Float(value)),
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn binary(text: &str) -> Result<Value, String> {
    let bytes = base64::decode(text).ok_or("!!binary value contains invalid base64 data")?;
    let mut out = String::with_capacity(bytes.len());
    // Go's JSON encoder replaces each byte that is not UTF-8, Rust's conversion each sequence of them.
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Ok(Value::String(out.into()))
}

/// Whether Go's `time.Parse` takes the text in one of the four layouts of yaml/v2.
fn is_timestamp(text: &str) -> bool {
    timestamp(text).is_some()
}

fn timestamp(text: &str) -> Option<()> {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || bytes[4] != b'-' {
        return None;
    }
    let year: i64 = text[..4].parse().ok()?;
    let mut rest = &bytes[5..];
    let month = two_digits(&mut rest)?;
    literal(&mut rest, b'-')?;
    let day = two_digits(&mut rest)?;
    time::days(year, month, day)?;
    let Some((separator, after)) = rest.split_first() else { return Some(()) };
    rest = after;
    let hour = two_digits(&mut rest)?;
    literal(&mut rest, b':')?;
    let minute = two_digits(&mut rest)?;
    literal(&mut rest, b':')?;
    let second = two_digits(&mut rest)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if let [b'.' | b',', digit, ..] = rest
        && digit.is_ascii_digit()
    {
        let digits = rest[1..].iter().take_while(|it| it.is_ascii_digit()).count();
        rest = &rest[1 + digits..];
    }
    match separator {
        b' ' => rest.is_empty().then_some(()),
        b'T' | b't' => zone(rest),
        _ => None,
    }
}

fn zone(rest: &[u8]) -> Option<()> {
    match rest {
        b"Z" => Some(()),
        [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|it| it.is_ascii_digit()) => {
            let (hours, minutes) = ((a - b'0') * 10 + b - b'0', (c - b'0') * 10 + d - b'0');
            (hours <= 24 && minutes < 60).then_some(())
        }
        _ => None,
    }
}

fn two_digits(rest: &mut &[u8]) -> Option<i64> {
    let count = rest.iter().take(2).take_while(|it| it.is_ascii_digit()).count();
    let (digits, after) = rest.split_at(count);
    *rest = after;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn literal(rest: &mut &[u8], wanted: u8) -> Option<()> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    (*first == wanted).then_some(())
}
