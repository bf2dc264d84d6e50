//! What Go's scanner refuses and the parser crate lets pass: tabs where a key may start, escapes that YAML 1.1 lacks.
//!
//! A port of the places in `go.yaml.in/yaml/v2` (`scannerc.go`) that look at tabs and escapes. Knows no trees.

use std::ops::Range;

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: &'static str,
    pub(super) at: usize,
    pub(super) help: &'static str,
}

/// Looks at the text between tokens.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Whether there is any tab to look for.
    tabs: bool,
    /// The byte after the last token.
    at: usize,
    /// How many flow collections are open: tabs are blanks in them.
    flow: usize,
}

const TABS: &str = "indent with spaces: YAML forbids tabs there";

/// The name of an anchor or alias, with its indicator: Go takes letters, digits, `_` and `-`.
pub(super) fn name(text: &str, at: usize) -> Result<(), Fault> {
    let rest = text.get(1..).unwrap_or_default();
    if rest.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-')) {
        return Ok(());
    }
    let help = "name anchors with letters, digits, `_` and `-` only";
    Err(Fault { message: "did not find expected alphabetic or numeric character", at, help })
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, tabs: memchr::memchr(b'\t', text.as_bytes()).is_some(), at: 0, flow: 0 }
    }

    /// Whether [`Reader::plain`] wants to know the indentation.
    pub(super) fn needs_indent(&self) -> bool {
        self.tabs
    }

    /// A token that is neither plain nor quoted.
    pub(super) fn token(&mut self, span: Range<usize>) -> Result<(), Fault> {
        self.gap(span.start)?;
        self.at = self.at.max(span.end);
        Ok(())
    }

    pub(super) fn open_flow(&mut self, span: Range<usize>) -> Result<(), Fault> {
        self.token(span)?;
        self.flow += 1;
        Ok(())
    }

    pub(super) fn close_flow(&mut self, span: Range<usize>) -> Result<(), Fault> {
        self.token(span)?;
        self.flow -= 1;
        Ok(())
    }

    /// A plain scalar: no tab may stand left of the indentation in the lines that it could go on in.
    pub(super) fn plain(&mut self, span: Range<usize>, indent: Option<Option<usize>>) -> Result<(), Fault> {
        self.token(span.clone())?;
        let first = self.text.as_bytes().get(span.start);
        if first == Some(&b'%') || self.flow > 0 && matches!(first, Some(b':' | b'?')) {
            let help = "put the text in quotes: it starts with a character that YAML reserves";
            return Err(Fault {
                message: "found character that cannot start any token",
                at: span.start,
                help,
            });
        }
        let Some(indent) = indent else { return Ok(()) };
        let indent = indent.map_or(0, |it| it + 1);
        let bytes = self.text.as_bytes();
        let (mut column, mut leading, mut at) = (0, false, span.start);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' | b'\r' => (leading, column) = (true, 0),
                b'\t' if leading && column < indent => {
                    let message = "found a tab character that violates indentation";
                    return Err(Fault { message, at, help: TABS });
                }
                b' ' | b'\t' => column += 1,
                _ if at < span.end => (leading, column) = (false, column + 1),
                _ => break,
            }
            at += 1;
        }
        self.at = at;
        Ok(())
    }

    /// A quoted scalar; Go knows fewer escapes than YAML 1.2.
    pub(super) fn quoted(&mut self, span: Range<usize>, double: bool) -> Result<(), Fault> {
        self.token(span.clone())?;
        if !double {
            return Ok(());
        }
        let bytes = &self.text.as_bytes()[span.clone()];
        let mut at = 0;
        while let Some(found) = bytes[at..].iter().position(|it| *it == b'\\') {
            at += found + 1;
            let digits = match bytes.get(at) {
                Some(b'/') => {
                    let help = "write `/` without a backslash";
                    let message = "found unknown escape character";
                    return Err(Fault { message, at: span.start + at - 1, help });
                }
                Some(b'u') => 4,
                Some(b'U') => 8,
                _ => 0,
            };
            let code = bytes.get(at + 1..at + 1 + digits).and_then(|it| std::str::from_utf8(it).ok());
            let code = code.and_then(|it| u32::from_str_radix(it, 16).ok());
            if code.is_some_and(|it| (0xD800..0xE000).contains(&it)) {
                let help = "write the character itself, or `\\U` with its eight digits: YAML knows no surrogate pairs";
                let message = "found invalid Unicode character escape code";
                return Err(Fault { message, at: span.start + at - 1, help });
            }
            at += 1;
        }
        Ok(())
    }

    /// Between tokens of block style a tab may not stand where a key may start.
    pub(super) fn gap(&mut self, end: usize) -> Result<(), Fault> {
        if !self.tabs || self.flow > 0 || self.at >= end {
            return Ok(());
        }
        let bytes = &self.text.as_bytes()[..end];
        let mut key_allowed = self.at == 0;
        let mut at = self.at;
        while let Some(byte) = bytes.get(at) {
            let line_start = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
            let to_line_end = || bytes[at..].iter().take_while(|it| !matches!(it, b'\n' | b'\r')).count();
            match byte {
                b'\t' if key_allowed => {
                    let message = "found character that cannot start any token";
                    return Err(Fault { message, at, help: TABS });
                }
                b'\n' | b'\r' | b'?' => key_allowed = true,
                b'-' if bytes[at..].starts_with(b"---") && line_start => {
                    (key_allowed, at) = (false, at + 2);
                }
                b'-' => key_allowed = true,
                b':' => key_allowed = false,
                b'.' if line_start && bytes[at..].starts_with(b"...") => return Ok(()),
                b'#' | b'%' if line_start || matches!(bytes[at - 1], b' ' | b'\t') => at += to_line_end() - 1,
                b'&' | b'!' => {
                    key_allowed = false;
                    at += bytes[at..].iter().take_while(|it| !it.is_ascii_whitespace()).count() - 1;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = end;
        Ok(())
    }
}
