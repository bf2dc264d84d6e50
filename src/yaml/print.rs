//! Values as YAML text that every reader takes for the same values, those of YAML 1.1 included.

use serde_json::Value;

use super::{lines, scalar};

/// Prints a value, keys in their order. What the server's parser would misread (`y`, `on`, `0o7`, `1_000`, dates)
/// stands in quotes.
pub(super) fn print(value: &Value) -> String {
    let mut out = String::new();
    node(value, 0, false, &mut out);
    out
}

/// Writes a value behind what begins its line: nothing, a dash, or a key with its colon.
fn node(value: &Value, indent: usize, behind_key: bool, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            if behind_key {
                out.push('\n');
            }
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 || behind_key {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str(&text(key));
                out.push(':');
                let deeper = if matches!(value, Value::Array(_)) { indent } else { indent + 2 };
                node(value, deeper, true, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            if behind_key {
                out.push('\n');
            }
            for (at, item) in items.iter().enumerate() {
                if at > 0 || behind_key {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str("- ");
                node(item, indent + 2, false, out);
            }
        }
        value => {
            if behind_key {
                out.push(' ');
            }
            leaf(value, indent, out);
            out.push('\n');
        }
    }
}

fn leaf(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::String(it) if is_literal(it) => {
            out.push_str(if it.ends_with('\n') { "|" } else { "|-" });
            for line in it.strip_suffix('\n').unwrap_or(it).split('\n') {
                out.push('\n');
                if !line.is_empty() {
                    out.push_str(&" ".repeat(indent.max(2)));
                    out.push_str(line);
                }
            }
        }
        Value::String(it) => out.push_str(&text(it)),
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        // JSON's `1e400` and the like do not get here: such a number is no value.
        other => out.push_str(&other.to_string()),
    }
}

/// Whether a text of several lines can stand as a block scalar without an indentation indicator.
fn is_literal(it: &str) -> bool {
    let body = it.strip_suffix('\n').unwrap_or(it);
    let plain =
        |it: char| it == '\n' || ('\u{20}'..'\u{7f}').contains(&it) || it >= '\u{a1}' && is_printable(it);
    body.contains('\n')
        && !body.starts_with([' ', '\n'])
        && !body.ends_with('\n')
        && body.chars().all(plain)
        && body.lines().all(|line| !line.starts_with("---") && !line.starts_with("..."))
        && body.lines().all(|line| line.trim_end() == line)
}

fn is_printable(it: char) -> bool {
    !matches!(it, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A text on one line, in quotes where it needs them.
fn text(it: &str) -> String {
    let mut bytes = it.bytes();
    let first = bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || matches!(it, b'_' | b'/'));
    let simple = bytes.all(|it| it.is_ascii_alphanumeric() || b"_-./ ()$;+<>=".contains(&it));
    let spaced = it.contains("  ") || it.ends_with(' ');
    if lines::is_plain(it) || first && simple && !spaced && !scalar::is_special(it) {
        return it.to_owned();
    }
    escaped(it)
}

/// JSON's quotes, with the escapes that YAML 1.1 needs beyond.
fn escaped(it: &str) -> String {
    let mut out = String::new();
    for part in Value::from(it).to_string().chars() {
        match part {
            '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(part)));
            }
            other => out.push(other),
        }
    }
    out
}
