//! JSON text as Go's `encoding/json` and `sigs.k8s.io/json` decode it, with places and repeated keys.
//!
//! Works without recursion. Knows no YAML.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Deep, Duplicate, Entry, Error, MAX_DEPTH, MAX_VALUES, Node, Style, Value, dismantle, set};
use crate::source::Span;

/// Go's limit for nesting.
#[cfg(feature = "check")]
pub(super) const GO_DEPTH: usize = 10_000;

/// Reads a text that is one JSON value. Whole numbers stay whole; of a key that occurs twice the last stands.
///
/// Fails on anything that is not JSON, on anything after the value, and beyond [`MAX_DEPTH`].
pub fn parse(text: &str) -> Result<(Node, Vec<Duplicate>), Error> {
    let found = value(text, 0, MAX_DEPTH, Numbers::Evaluated)?;
    match skip_blanks(text.as_bytes(), found.end) {
        at if at < text.len() => Err(error(text, at, "after top-level value")),
        _ => Ok((found.root.into_node(), found.duplicates)),
    }
}

/// A JSON value in a text that may go on.
pub(super) struct Found {
    pub(super) root: Deep,
    pub(super) duplicates: Vec<Duplicate>,
    /// The byte after the value.
    pub(super) end: usize,
}

/// The first byte at or after `at` that is not blank.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|it| matches!(it, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// What to do with numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Evaluate them; one beyond 64 bits is an error.
    Evaluated,
    /// Look at their syntax only, as who keeps the text does.
    #[cfg_attr(not(feature = "check"), allow(dead_code))]
    AsWritten,
}

/// Reads the JSON value that starts at or after a byte.
pub(super) fn value(text: &str, at: usize, depth: usize, numbers: Numbers) -> Result<Found, Error> {
    let (open, duplicates) = (Vec::new(), Vec::new());
    let bytes = text.as_bytes();
    let mut reader = Reader { text, bytes, at, depth, numbers, values: 0, open, duplicates };
    let mut done = reader.start()?;
    loop {
        let node = match done {
            Some(node) if reader.open.is_empty() => {
                let duplicates = std::mem::take(&mut reader.duplicates);
                return Ok(Found { root: Deep(node), duplicates, end: reader.at });
            }
            Some(node) => reader.add(node)?,
            None => reader.next()?,
        };
        done = node;
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    numbers: Numbers,
    /// How many values there are so far.
    values: usize,
    open: Vec<Open>,
    duplicates: Vec<Duplicate>,
}

struct Open {
    start: usize,
    filled: Filled,
}

enum Filled {
    Array(Vec<Node>),
    Object { entries: Vec<Entry>, index: HashMap<Arc<str>, usize>, key: (Arc<str>, Span), replaced: bool },
}

impl<'a> Reader<'a> {
    /// Begins a value: a scalar or an empty collection is done at once.
    fn start(&mut self) -> Result<Option<Node>, Error> {
        self.at = skip_blanks(self.bytes, self.at);
        let start = self.at;
        let Some(byte) = self.bytes.get(start) else { return Err(self.unexpected_end()) };
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("the document holds more than {MAX_VALUES} values");
            return Err(Error { message, span: Span::new(start, start + 1), help: None });
        }
        let (value, style) = match byte {
            b'{' | b'[' => return self.open(*byte == b'{'),
            b'"' => (Value::String(self.string()?.into()), Style::Quoted),
            b'-' | b'0'..=b'9' => (self.number()?, Style::Plain),
            b't' => (self.word("true", Value::Bool(true))?, Style::Plain),
            b'f' => (self.word("false", Value::Bool(false))?, Style::Plain),
            b'n' => (self.word("null", Value::Null)?, Style::Plain),
            _ => return Err(self.error("looking for beginning of value")),
        };
        Ok(Some(Node { span: Span::new(start, self.at), value, style, shared: false }))
    }

    fn open(&mut self, object: bool) -> Result<Option<Node>, Error> {
        if self.open.len() >= self.depth {
            return Err(self.error("exceeded max depth"));
        }
        let filled = if object {
            let key = (Arc::from(""), Span::default());
            Filled::Object { entries: Vec::new(), index: HashMap::new(), key, replaced: false }
        } else {
            Filled::Array(Vec::new())
        };
        self.open.push(Open { start: self.at, filled });
        self.at = skip_blanks(self.bytes, self.at + 1);
        let close = if object { b'}' } else { b']' };
        if self.bytes.get(self.at) == Some(&close) { Ok(Some(self.close())) } else { Ok(None) }
    }

    fn close(&mut self) -> Node {
        self.at += 1;
        let open = self.open.pop().expect("a collection closes only where one is open");
        let value = match open.filled {
            Filled::Array(items) => Value::Sequence(items),
            Filled::Object { mut entries, replaced, .. } => {
                if replaced {
                    entries.sort_by_key(|it| it.key_span.start);
                }
                Value::Mapping(entries)
            }
        };
        Node { span: Span::new(open.start, self.at), value, style: Style::Flow, shared: false }
    }

    /// Begins the next item or entry of the innermost collection.
    fn next(&mut self) -> Result<Option<Node>, Error> {
        if matches!(self.open.last(), Some(Open { filled: Filled::Object { .. }, .. })) {
            self.at = skip_blanks(self.bytes, self.at);
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.error("looking for beginning of object key string"));
            }
            let start = self.at;
            let text = self.string()?;
            let span = Span::new(start, self.at);
            self.at = skip_blanks(self.bytes, self.at);
            if self.bytes.get(self.at) != Some(&b':') {
                return Err(self.error("after object key"));
            }
            self.at += 1;
            if let Some(Open { filled: Filled::Object { key, .. }, .. }) = self.open.last_mut() {
                *key = (text.into(), span);
            }
        }
        self.start()
    }

    /// Adds a value to the innermost collection, and closes it where it ends.
    fn add(&mut self, node: Node) -> Result<Option<Node>, Error> {
        let open = self.open.last_mut().expect("the caller looked");
        let close = match &mut open.filled {
            Filled::Array(items) => {
                items.push(node);
                b']'
            }
            Filled::Object { entries, index, key, replaced } => {
                let (key, key_span) = std::mem::take(key);
                let last_value = node.span;
                let entry = Entry { key, key_span, value: node };
                if let (_, Some(old)) = set(entries, index, entry) {
                    *replaced = true;
                    let key = old.key.clone();
                    let (first, first_value) = (old.key_span, old.value.span);
                    self.duplicates.push(Duplicate { key, first, last: key_span, first_value, last_value });
                    dismantle(vec![old.value]);
                }
                b'}'
            }
        };
        self.at = skip_blanks(self.bytes, self.at);
        match self.bytes.get(self.at) {
            Some(b',') => {
                self.at += 1;
                self.next()
            }
            Some(byte) if *byte == close => Ok(Some(self.close())),
            _ if close == b']' => Err(self.error("after array element")),
            _ => Err(self.error("after object key:value pair")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Error> {
        for (offset, wanted) in word.bytes().enumerate() {
            if self.bytes.get(self.at + offset) != Some(&wanted) {
                self.at += offset;
                return Err(self.error(&format!("in literal {word}")));
            }
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Error> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        let mut whole = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            whole = false;
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        let text = &self.text[start..self.at];
        if whole && let Ok(it) = text.parse() {
            return Ok(Value::Int(it));
        }
        if whole && let Ok(it) = text.parse() {
            return Ok(Value::UInt(it));
        }
        if self.numbers == Numbers::AsWritten {
            return Ok(Value::Null);
        }
        let float: Option<f64> = text.parse().ok();
        float.filter(|it| it.is_finite()).map(Value::Float).ok_or_else(|| Error {
            message: format!("json: cannot unmarshal number {text} into a 64-bit float"),
            span: Span::new(start, self.at),
            help: None,
        })
    }

    fn digits(&mut self, context: &str) -> Result<(), Error> {
        let count = self.bytes[self.at..].iter().take_while(|it| it.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.error(context)) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        let start = self.at + 1;
        self.at = start;
        let mut out: Option<String> = None;
        let mut copied = start;
        loop {
            match self.bytes.get(self.at) {
                None => return Err(self.unexpected_end()),
                Some(b'"') => break,
                Some(b'\\') => {
                    let text = &self.text[copied..self.at];
                    let out = out.get_or_insert_default();
                    out.push_str(text);
                    out.push(self.escape()?);
                    copied = self.at;
                }
                Some(..0x20) => return Err(self.error("in string literal")),
                Some(_) => self.at += 1,
            }
        }
        let rest = &self.text[copied..self.at];
        self.at += 1;
        Ok(match out {
            Some(text) => Cow::Owned(text + rest),
            None => Cow::Borrowed(rest),
        })
    }

    /// Reads an escape; half of a surrogate pair alone becomes U+FFFD, as in Go.
    fn escape(&mut self) -> Result<char, Error> {
        self.at += 1;
        let Some(byte) = self.bytes.get(self.at) else { return Err(self.unexpected_end()) };
        let simple = match byte {
            b'"' | b'\\' | b'/' => char::from(*byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.error("in string escape code")),
        };
        self.at += 1;
        Ok(simple)
    }

    fn unicode(&mut self) -> Result<char, Error> {
        let first = self.hex4()?;
        if (0xD800..0xDC00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, Error> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.bytes.get(self.at).and_then(|it| char::from(*it).to_digit(16));
            let Some(digit) = digit else { return Err(self.error("in \\u hexadecimal character escape")) };
            value = value << 4 | digit;
            self.at += 1;
        }
        Ok(value)
    }

    fn error(&self, context: &str) -> Error {
        error(self.text, self.at, context)
    }

    fn unexpected_end(&self) -> Error {
        error(self.text, self.text.len(), "")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        for open in self.open.drain(..) {
            match open.filled {
                Filled::Array(items) => dismantle(items),
                Filled::Object { entries, .. } => dismantle(entries.into_iter().map(|it| it.value).collect()),
            }
        }
    }
}

fn error(text: &str, at: usize, context: &str) -> Error {
    let Some(character) = text.get(at..).and_then(|it| it.chars().next()) else {
        let span = Span::new(text.len(), text.len());
        return Error { message: "unexpected end of JSON input".into(), span, help: None };
    };
    let message = match context {
        "exceeded max depth" => format!("{character:?} exceeded max depth"),
        _ => format!("invalid character {character:?} {context}"),
    };
    Error { message, span: Span::new(at, at + character.len_utf8()), help: None }
}
