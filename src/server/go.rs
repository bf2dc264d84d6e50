//! What Go makes of numbers and text, where the API server's answers show it.
//!
//! Objects hold `int64` and `float64` only, as Go's unstructured content. This module knows no schemas.

use serde_json::Number;
use serde_json::Value;

/// The deepest object that is evaluated; the API server itself goes to [`SERVER_DEPTH`].
///
/// Deeper ones are answered as unknown: every step is recursive and has to fit a stack of 2 MB.
pub const MAX_DEPTH: usize = 500;

/// The deepest JSON that the API server decodes (`maxNestingDepth` of its JSON decoder).
pub const SERVER_DEPTH: usize = 10_000;

/// How deep a value is, counted no further than `limit + 1`.
pub fn depth(value: &Value, limit: usize) -> usize {
    if limit == 0 {
        return usize::from(value.is_array() || value.is_object());
    }
    let deepest = match value {
        Value::Array(items) => items.iter().map(|it| depth(it, limit - 1)).max(),
        Value::Object(entries) => entries.values().map(|it| depth(it, limit - 1)).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or(0)
}

/// Makes a value what it is after Go has written it as JSON and read it again: `1.0` becomes the integer `1`.
pub fn reencode(value: &mut Value) {
    match value {
        Value::Number(number) => *number = canonical(number),
        Value::Array(items) => items.iter_mut().for_each(reencode),
        Value::Object(entries) => entries.values_mut().for_each(reencode),
        _ => {}
    }
}

/// The number after a round trip through Go's JSON: whole and printed without an exponent is an integer.
pub fn canonical(number: &Number) -> Number {
    match number.as_f64() {
        Some(float)
            if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_223_372_036_854_775_808.0 =>
        {
            Number::from(float as i64)
        }
        _ => decoded(number),
    }
}

/// The number as the server's decoder holds it: a whole number beyond `int64` is a float.
pub fn decoded(number: &Number) -> Number {
    match (number.as_i64(), number.as_f64()) {
        (None, Some(float)) if !number.is_f64() => Number::from_f64(float).unwrap_or_else(|| number.clone()),
        _ => number.clone(),
    }
}

/// Whether a value that a client sent equals one that a schema holds, as `reflect.DeepEqual` sees them.
///
/// The schema's side has been through JSON, so its numbers are [canonical]; the client's side has not.
pub fn same(sent: &Value, held: &Value) -> bool {
    match (sent, held) {
        (Value::Number(sent), Value::Number(held)) => *sent == canonical(held),
        (Value::Array(sent), Value::Array(held)) => {
            sent.len() == held.len() && sent.iter().zip(held).all(|(a, b)| same(a, b))
        }
        (Value::Object(sent), Value::Object(held)) => {
            sent.len() == held.len() && sent.iter().all(|(key, a)| held.get(key).is_some_and(|b| same(a, b)))
        }
        _ => sent == held,
    }
}

/// Go's conversion of a float to `int64` on amd64: what does not fit is the smallest integer.
pub fn int64(float: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}

/// `swag.IsFloat64AJSONInteger`: whole within a relative error of 1e-9 and within ±(2⁵³ − 1).
pub fn is_json_integer(float: f64) -> bool {
    const MAX: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > MAX {
        return false;
    }
    let rounded = float.round();
    float == rounded || (rounded != 0.0 && (float - rounded).abs() < 1e-9 * rounded.abs())
}

/// A float as `strconv.FormatFloat(f, 'f', -1, 64)` writes it.
pub fn plain(float: f64) -> String {
    format!("{float}")
}

/// A float as `fmt`'s `%v` writes it.
pub fn verb(float: f64) -> String {
    exponential(float, 1e-4, 1e6, 2)
}

/// A float as Go's JSON encoder writes it.
pub fn json(float: f64) -> String {
    exponential(float, 1e-6, 1e21, 1)
}

fn exponential(float: f64, low: f64, high: f64, digits: usize) -> String {
    if float == 0.0 || (float.abs() >= low && float.abs() < high) {
        return plain(float);
    }
    let text = format!("{float:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    // Go's encoder pads positive exponents to two digits too, and trims only `e-09`; no positive one is short.
    format!("{mantissa}e{sign}{exponent:0>digits$}")
}

/// A value as Go's JSON encoder writes it, keys sorted, without HTML escapes.
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out);
    out
}

/// A value as `json.Marshal` writes it: with HTML escapes.
pub fn to_html_json(value: &Value) -> String {
    to_json(value).replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

/// Appends a value as [`to_json`] writes it.
pub fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => out.push_str(&json(float)),
            _ => out.push_str(&number.to_string()),
        },
        Value::String(text) => write_json_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_json(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            let mut keys: Vec<&String> = entries.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_json_string(key, out);
                out.push(':');
                write_json(&entries[key], out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

fn write_json_string(text: &str, out: &mut String) {
    // Go escapes these two line separators as well, with or without HTML escaping.
    let quoted = Value::from(text).to_string();
    if quoted.contains(['\u{2028}', '\u{2029}']) {
        out.push_str(&quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"));
    } else {
        out.push_str(&quoted);
    }
}

/// Text in quotes, as `strconv.Quote` writes it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(c),
            '\0'..='\u{7f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            _ if is_print(c) => out.push(c),
            '\u{10000}'.. => out.push_str(&format!("\\U{:08x}", c as u32)),
            _ => out.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    out.push('"');
    out
}

/// Whether `strconv.IsPrint` holds, up to unassigned code points.
fn is_print(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let space = c.is_whitespace() && c != ' ';
    !(c.is_control() || space || hidden)
}

/// A value as `fmt`'s `%v` writes it.
pub fn sprint(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => verb(float),
            _ => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(sprint).collect::<Vec<_>>().join(" ")),
        Value::Object(entries) => {
            let mut parts: Vec<String> =
                entries.iter().map(|(key, it)| format!("{key}:{}", sprint(it))).collect();
            parts.sort_unstable();
            format!("map[{}]", parts.join(" "))
        }
        Value::Bool(_) => value.to_string(),
    }
}

/// Reads what `time.ParseDuration` reads (`1h30m`, `-1.5s`), in nanoseconds.
pub fn duration(text: &str) -> Option<i64> {
    const LIMIT: u64 = 1 << 63;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest.is_empty() || rest == "0" {
        return (rest == "0").then_some(0);
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, behind) = rest.split_at(digits(rest));
        let (fraction, behind) = match behind.strip_prefix('.') {
            Some(behind) => behind.split_at(digits(behind)),
            None => ("", behind),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let end = behind.find(|it: char| it == '.' || it.is_ascii_digit()).unwrap_or(behind.len());
        let unit: u64 = match &behind[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let count: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let mut value = count.checked_mul(unit).filter(|it| *it <= LIMIT)?;
        // The fraction is computed in floating point, without the digits that do not fit.
        let (mut part, mut scale) = (0, 1.0);
        for digit in fraction.bytes().map(|it| u64::from(it - b'0')) {
            let fits = part <= i64::MAX as u64 / 10;
            let Some(next) = fits.then(|| part * 10 + digit).filter(|it| *it <= LIMIT) else { break };
            (part, scale) = (next, scale * 10.0);
        }
        value += (part as f64 * (unit as f64 / scale)) as u64;
        total = total.wrapping_add(value);
        if value > LIMIT || total > LIMIT {
            return None;
        }
        rest = &behind[end..];
    }
    match text.starts_with('-') {
        true => Some((total as i64).wrapping_neg()),
        false => i64::try_from(total).ok(),
    }
}

/// The Go type of a value, as `%T` writes it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    /// The answers of Go 1.26.
    #[test]
    fn durations_are_read_as_go_reads_them() {
        let rows = [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("1h0", None),
            ("", None),
            (".s", None),
            ("1.s", Some(1_000_000_000)),
            ("-1.5h", Some(-5_400_000_000_000)),
            ("1h30m.5s", Some(5_400_500_000_000)),
            ("1µs1μs1us", Some(3_000)),
            (".99999999999999999999s", Some(1_000_000_000)),
            ("9223372036854775807.ns", Some(i64::MAX)),
            ("9223372036854775808ns", None),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("2562047h47m16.854775807s", Some(i64::MAX)),
            ("2562048h", None),
            // The sum overflows unseen.
            ("9223372036854775808ns9223372036854775808ns", Some(0)),
        ];
        for (text, nanoseconds) in rows {
            assert_eq!(super::duration(text), nanoseconds, "{text}");
        }
    }
}
