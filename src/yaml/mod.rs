//! YAML text as the API server's clients decode it, with the place of every key and value.
//!
//! This module knows no CRDs.

use crate::source::Span;

/// A value with its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The bytes of the value, without its key; empty for a value that is not written (`key:`).
    pub span: Span,
    /// What it is, by the rules of Go's `sigs.k8s.io/yaml`.
    pub value: Value,
    /// How it is written.
    pub style: Style,
    /// Whether the value came here through an alias or a merge key: an edit here would land elsewhere.
    pub shared: bool,
}

/// What a [`Node`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true`, `yes`, `on`…
    Bool(bool),
    /// A whole number that fits.
    Int(i64),
    /// A whole number above `i64::MAX`.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    String(Box<str>),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values, in the order of the text. A key occurs once: of duplicates the last stands here.
    Mapping(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as JSON has it: `on:` is `"true"`, `1.0:` is `"1"`.
    pub key: Box<str>,
    /// Where the key is written.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// How a [`Node`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// A plain scalar, or a value from no text.
    #[default]
    Plain,
    /// A scalar in single or double quotes.
    Quoted,
    /// A block scalar, `|` or `>`.
    BlockScalar,
    /// A block mapping or sequence.
    Block,
    /// A flow mapping or sequence, `{…}` or `[…]`.
    Flow,
}

impl Node {
    /// The entries of a mapping; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a sequence; none for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Sequence(items) => items,
            _ => &[],
        }
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|it| &*it.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|it| &it.value)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }
}
