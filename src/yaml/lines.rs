//! Lines of a text, for who edits it: where they start, how they end, and new ones among them.
//!
//! Knows no trees.

use super::edit::Addition;
use super::scalar;
use crate::source::Edit;
use crate::source::Span;

/// A text as lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines<'a> {
    text: &'a str,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// The first byte of the line of a byte; a byte order mark is no part of it.
    pub(super) fn start(self, at: u32) -> u32 {
        let before = &self.text.as_bytes()[..at as usize];
        let start = memchr::memrchr(b'\n', before).map_or(0, |it| it + 1);
        let mark = if start == 0 && self.text.starts_with('\u{feff}') { 3 } else { 0 };
        (start + mark).min(at as usize) as u32
    }

    /// The byte after the line break of the line of a byte.
    pub(super) fn after(self, at: u32) -> u32 {
        let rest = &self.text.as_bytes()[at as usize..];
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |it| at as usize + it + 1) as u32
    }

    /// The line of a byte, with its line break.
    pub(super) fn line(self, at: u32) -> &'a str {
        &self.text[self.start(at) as usize..self.after(at) as usize]
    }

    /// What stands before a byte on its line.
    pub(super) fn before(self, at: u32) -> &'a str {
        &self.text[self.start(at) as usize..at as usize]
    }

    /// What stands from a byte on to the end of its line.
    pub(super) fn rest(self, at: u32) -> &'a str {
        &self.text[at as usize..self.after(at) as usize]
    }

    /// The lines from that of one byte to that of another, without their line breaks.
    pub(super) fn between(self, from: u32, to: u32) -> impl Iterator<Item = &'a str> {
        self.text[self.start(from) as usize..self.after(to) as usize].lines()
    }

    /// Whether only blanks stand before a byte on its line.
    pub(super) fn is_first(self, at: u32) -> bool {
        self.before(at).bytes().all(|it| it == b' ')
    }

    /// How many characters stand before a byte on its line.
    pub(super) fn column(self, at: u32) -> usize {
        self.before(at).chars().count()
    }

    /// How many blanks the line of a byte starts with.
    pub(super) fn indentation(self, at: u32) -> usize {
        self.line(at).bytes().take_while(|it| matches!(it, b' ' | b'\t')).count()
    }

    /// How most lines end.
    pub(super) fn newline(self) -> &'static str {
        let breaks = self.text.bytes().filter(|it| *it == b'\n').count();
        if self.text.matches("\r\n").count() * 2 > breaks { "\r\n" } else { "\n" }
    }

    /// How the line of a byte ends; as most do, if it is the last.
    fn newline_at(self, at: u32) -> &'static str {
        match self.line(at) {
            line if line.ends_with("\r\n") => "\r\n",
            line if line.ends_with('\n') => "\n",
            _ => self.newline(),
        }
    }

    /// A byte of the last comment line, from the line of `at` on, that is indented deeper than `indent`.
    pub(super) fn skip_comments(self, at: u32, indent: usize) -> u32 {
        let (mut last, mut next) = (at, self.after(at));
        while (next as usize) < self.text.len() {
            let line = self.line(next);
            let content = line.trim();
            let deeper = line.len() - line.trim_start_matches(' ').len() > indent;
            if content.starts_with('#') && deeper {
                last = next;
            } else if !content.is_empty() {
                break;
            }
            next = self.after(next);
        }
        last
    }

    /// A byte of the last blank line that follows the line of `at`.
    pub(super) fn skip_blank(self, at: u32) -> u32 {
        let (mut last, mut next) = (at, self.after(at));
        while (next as usize) < self.text.len() && self.line(next).trim().is_empty() {
            last = next;
            next = self.after(next);
        }
        last
    }

    /// Adds lines behind the line of a byte.
    pub(super) fn insert_after(self, at: u32, lines: &[String]) -> Edit {
        let newline = self.newline_at(at);
        let place = self.after(at);
        let ended = self.line(at).ends_with('\n');
        let text = match ended {
            true => lines.iter().map(|it| format!("{it}{newline}")).collect(),
            // The last line stays without a line break.
            false => lines.iter().map(|it| format!("{newline}{it}")).collect(),
        };
        Edit { span: Span { start: place, end: place }, text }
    }

    /// Adds lines above the line of a byte, and above the comments right above it.
    pub(super) fn insert_above(self, at: u32, lines: &[String]) -> Edit {
        let mut place = self.start(at);
        let indent = self.before(at);
        while place > 0 {
            let above = self.start(place - 1);
            let line = &self.text[above as usize..place as usize];
            if !line.strip_prefix(indent).is_some_and(|it| it.starts_with('#')) || above >= place {
                break;
            }
            place = above;
        }
        let newline = self.newline_at(at);
        let text = lines.iter().map(|it| format!("{it}{newline}")).collect();
        Edit { span: Span { start: place, end: place }, text }
    }
}

/// A key as it is written.
pub(super) fn key(key: &str, quoted: bool) -> String {
    if !quoted && is_plain(key) { key.to_owned() } else { serde_json::Value::from(key).to_string() }
}

/// Whether a text may stand without quotes in any place and is read back as it is, by readers of YAML 1.1 and 1.2.
pub(super) fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
        && bytes.all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.' | b'/'))
        && !scalar::is_special(text)
}

/// An entry in braces.
pub(super) fn flow_entry(name: &str, addition: &Addition, quoted: bool, tight: bool) -> String {
    let (colon, comma) = if tight { (":", ",") } else { (": ", ", ") };
    let value = match addition {
        Addition::Scalar(text) => scalar_text(text, quoted),
        Addition::Mapping(inner) => {
            let parts: Vec<String> =
                inner.iter().map(|(name, it)| flow_entry(name, it, quoted, tight)).collect();
            format!("{{{}}}", parts.join(comma))
        }
    };
    format!("{}{colon}{value}", key(name, quoted))
}

/// An entry of a JSON object that has a line for each.
pub(super) fn pretty_entry(
    name: &str,
    addition: &Addition,
    indent: usize,
    unit: usize,
    pad: &str,
    newline: &str,
) -> String {
    let Addition::Mapping(inner) = addition else { return flow_entry(name, addition, true, false) };
    let deeper = pad.repeat(indent + unit);
    let parts: Vec<String> =
        inner.iter().map(|(name, it)| pretty_entry(name, it, indent + unit, unit, pad, newline)).collect();
    let inside = parts.join(&format!(",{newline}{deeper}"));
    format!("{}: {{{newline}{deeper}{inside}{newline}{}}}", key(name, true), pad.repeat(indent))
}

fn scalar_text(text: &str, quoted: bool) -> String {
    let word = matches!(text, "true" | "false") || text.bytes().all(|it| it.is_ascii_digit());
    if quoted && !word { serde_json::Value::from(text).to_string() } else { text.to_owned() }
}
