//! JSON text exactly as Python's `json.dumps` writes it: what Kopf puts into annotations and the diff-base.
//!
//! This module does not know what the text is for.

use std::io;
use std::io::Write;

use serde::Serialize;
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
fn repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    match exponent.parse::<i32>().expect("`{:e}` writes a whole exponent") {
        -4..16 => format!("{value:?}"),
        large if large > 0 => format!("{digits}e+{large:02}"),
        small => format!("{digits}e-{:02}", -small),
    }
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
