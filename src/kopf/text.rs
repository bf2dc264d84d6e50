//! JSON text exactly as Python's `json.dumps` writes it: what Kopf puts into annotations and the diff-base.
//!
//! This module does not know what the text is for.

use std::io;
use std::io::Write;

use serde::Serialize;
use serde_json::Number;
use serde_json::ser::CharEscape;
use serde_json::ser::Formatter;
use serde_json::ser::Serializer;

/// The text of a value, ASCII only; `spaced` as Python does by default, else without any blanks.
pub(crate) fn dumps(value: &impl Serialize, spaced: bool) -> String {
    let mut text = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut text, Python { spaced }))
        .expect("a JSON value has string keys, and memory takes any text");
    String::from_utf8(text).expect("the formatter writes ASCII")
}

struct Python {
    spaced: bool,
}

impl Python {
    fn comma<W: ?Sized + Write>(&self, writer: &mut W, first: bool) -> io::Result<()> {
        match (first, self.spaced) {
            (true, _) => Ok(()),
            (false, true) => writer.write_all(b", "),
            (false, false) => writer.write_all(b","),
        }
    }
}

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.comma(writer, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.comma(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.spaced { b": " } else { b":" })
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for it in fragment.chars() {
            if (' '..='~').contains(&it) {
                writer.write_all(&[it as u8])?;
                continue;
            }
            for unit in it.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let short = match escape {
            CharEscape::Quote => b"\\\"",
            CharEscape::ReverseSolidus => b"\\\\",
            CharEscape::Solidus => b"\\/",
            CharEscape::Backspace => b"\\b",
            CharEscape::FormFeed => b"\\f",
            CharEscape::LineFeed => b"\\n",
            CharEscape::CarriageReturn => b"\\r",
            CharEscape::Tab => b"\\t",
            CharEscape::AsciiControl(byte) => return write!(writer, "\\u{byte:04x}"),
        };
        writer.write_all(short)
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(repr(value).as_bytes())
    }
}

/// A number as Python's `repr` writes it: an exponent from 1e16 up and below 1e-4.
///
/// The digits are those of `serde_json`. The standard library's are as few, but of two that are as near it takes the odd one.
fn repr(value: f64) -> String {
    let text = Number::from_f64(value).map_or_else(|| "0.0".to_owned(), |it| it.to_string());
    let (sign, text) = text.strip_prefix('-').map_or(("", &*text), |rest| ("-", rest));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i32 = exponent.parse().expect("exponents are whole numbers");
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    // Where the point stands, counted from the first digit that is no zero.
    let point = whole.len() as i32 + exponent - (all.len() - digits.len()) as i32;
    let digits = digits.trim_end_matches('0');
    let length = digits.len() as i32;
    let zeros = |count: i32| "0".repeat(count.unsigned_abs() as usize);
    let body = match point {
        _ if digits.is_empty() => "0.0".to_owned(),
        17.. | ..=-4 => {
            let rest = if length > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            let (sign, exponent) = if point > 0 { ('+', point - 1) } else { ('-', 1 - point) };
            format!("{}{rest}e{sign}{exponent:02}", &digits[..1])
        }
        ..=0 => format!("0.{}{digits}", zeros(point)),
        _ if point >= length => format!("{digits}{}.0", zeros(point - length)),
        _ => format!("{}.{}", &digits[..point as usize], &digits[point as usize..]),
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::dumps;

    /// Each row was asked from Python's own `json.dumps(value, separators=(',', ':'))`.
    #[test]
    fn numbers_and_letters_are_written_as_python_writes_them() {
        let rows = [
            (json!(1.0), "1.0"),
            (json!(1.5e300), "1.5e+300"),
            (json!(1e16), "1e+16"),
            (json!(1e15), "1000000000000000.0"),
            (json!(123_456_789_012_345_680.0), "1.2345678901234568e+17"),
            (json!(32_960_461_784_554.562), "32960461784554.562"),
            (json!(100.0), "100.0"),
            (json!(123.456), "123.456"),
            (json!(5e-324), "5e-324"),
            (json!(1.25e-5), "1.25e-05"),
            (json!(9_999_999_999_999_998.0), "9999999999999998.0"),
            (json!(0.0), "0.0"),
            (json!(0.0001), "0.0001"),
            (json!(0.00001), "1e-05"),
            (json!(-0.0), "-0.0"),
            (json!("é\u{7f}\u{1}\t\n/\"\\ 😀"), "\"\\u00e9\\u007f\\u0001\\t\\n/\\\"\\\\ \\ud83d\\ude00\""),
            (json!({"a": [1, null, {}], "b": []}), "{\"a\":[1,null,{}],\"b\":[]}"),
        ];
        for (value, text) in rows {
            assert_eq!(dumps(&value, false), text);
        }
        assert_eq!(dumps(&json!({"a": [1, 2], "b": {}}), true), "{\"a\": [1, 2], \"b\": {}}");
    }
}
