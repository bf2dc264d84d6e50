//! Named text, places in it, and edits of it.

use std::ops::Range;

/// A text with the name under which it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// A path, `<stdin>`, or a git name such as `HEAD~1:crds/x.yaml`.
    pub name: String,
    /// The text, byte for byte as it was read, a byte order mark included.
    pub text: String,
}

/// A range of bytes in a [`Source`].
///
/// Values that come from no text (a derived type, a line of JSON) have the [default](Span::default) span, `0..0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// A span of `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The bytes as a range, to index a text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The span from the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the span is empty, as that of a value from no text.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// A place as people count: both from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in Unicode scalar values, from 1.
    pub column: usize,
}

impl Source {
    /// Creates a source.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// The line and column of a byte; a byte past the end is the end.
    pub fn position(&self, byte: u32) -> Position {
        let byte = (byte as usize).min(self.text.len());
        let before = &self.text.as_bytes()[..byte];
        let line = before.iter().filter(|it| **it == b'\n').count() + 1;
        let line_start = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        let mark =
            if line_start == 0 && self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = (line_start + mark).min(byte);
        // Count the bytes that begin a character: right even where `byte` is not a boundary.
        let column = before[start..].iter().filter(|it| (**it & 0xC0) != 0x80).count() + 1;
        Position { line, column }
    }
}

/// Replaces the bytes of a span; an empty span inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// Applies edits to a text. Edits that overlap an earlier one are left out, and returned.
///
/// Two insertions at one place are both made, in the order given.
pub fn apply(text: &str, edits: &[Edit]) -> (String, Vec<Edit>) {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|it| (it.span.start, it.span.end));
    let (mut out, mut at, mut left) = (String::with_capacity(text.len() + 256), 0, Vec::new());
    for edit in sorted {
        let range = edit.span.range();
        if range.start < at || range.end > text.len() {
            left.push(edit.clone());
            continue;
        }
        out.push_str(&text[at..range.start]);
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(&text[at..]);
    (out, left)
}
