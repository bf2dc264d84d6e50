//! YAML text as the API server's clients decode it, with the place of every key and value.
//!
//! The words of the decoding are those of Go's `sigs.k8s.io/yaml` over `go.yaml.in/yaml/v2`, and documents are told
//! apart as `k8s.io/apimachinery/pkg/util/yaml` does for kubectl. This module knows no CRDs.

pub(crate) mod base64;
#[cfg(feature = "check")]
mod decode;
#[cfg(feature = "check")]
mod faults;
#[cfg(feature = "check")]
mod print;
#[cfg(feature = "check")]
mod raw;
#[cfg(feature = "check")]
mod scalar;
#[cfg(feature = "check")]
mod split;
#[cfg(feature = "check")]
mod stream;
#[cfg(feature = "check")]
mod strict;
#[cfg(feature = "check")]
mod hand;
#[cfg(feature = "check")]
mod lines;
#[cfg(feature = "check")]
pub mod client;
#[cfg(feature = "check")]
pub mod edit;
pub mod json;
#[cfg(feature = "check")]
pub mod template;

use std::collections::HashMap;
use std::sync::Arc;

use crate::source::Span;

/// How deep a tree of [`Node`]s may be: what walks it may recurse, even on a small stack.
///
/// The server takes 10 000 levels; no CRD known has more than 80.
pub const MAX_DEPTH: usize = 500;

/// How many values a document may hold, so that memory stays bounded; the largest CRDs known have 200 000.
pub const MAX_VALUES: usize = 8_000_000;

/// What a text holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stream {
    /// The documents that could be read, in the order of the text. Empty ones are left out.
    pub documents: Vec<Document>,
    /// What could not be read, in the order of the text. Other documents are read all the same.
    pub errors: Vec<Error>,
    /// Content that every client drops without a word: what follows `...` in a document.
    pub dropped: Vec<Span>,
}

/// One document of a [`Stream`].
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Which of the documents it is, from 1; broken ones count, empty ones do not.
    pub number: usize,
    /// From the first byte of its value to the last.
    pub span: Span,
    /// Its value.
    pub root: Node,
    /// Keys that occur more than once in a mapping.
    pub duplicates: Vec<Duplicate>,
    /// Values that an alias or a merge key takes to other places: an edit in one of them shows up elsewhere.
    pub aliased: Vec<Span>,
    /// Whether it was read by the rules of JSON.
    pub json: bool,
}

/// A key that occurs again in its mapping. The last occurrence wins, without a word from kubectl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The key as JSON has it.
    pub key: Arc<str>,
    /// Where it stands first (of three, first and second make one `Duplicate`, second and third another).
    pub first: Span,
    /// Where it stands again.
    pub last: Span,
    /// The value that is dropped.
    pub first_value: Span,
    /// The value that stands.
    pub last_value: Span,
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in the words of Go's parser where it has words for it.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

/// A comment, from its `#` to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// The comment's bytes, without the line break.
    pub span: Span,
}

/// Reads every document of a text, as kubectl tells them apart. A broken document does not hide the others.
///
/// ```
/// let stream = kopf_crd::yaml::parse("on: 0o17\n---\nbroken: [\n---\nb: 2\n");
/// assert_eq!(stream.documents.len(), 2);
/// assert_eq!(stream.documents[0].root.to_json(), serde_json::json!({"true": 15}));
/// assert_eq!(stream.errors.len(), 1);
/// ```
#[cfg(feature = "check")]
pub fn parse(text: &str) -> Stream {
    stream::read(text)
}

/// Prints a value as YAML; the server's parser reads the same value back.
///
/// ```
/// let value = serde_json::json!({"on": ["y", "0o7", "2001-12-14", "1_000", "text", 1.5]});
/// let text = kopf_crd::yaml::print(&value);
/// assert_eq!(kopf_crd::yaml::parse(&text).documents[0].root.to_json(), value);
/// ```
#[cfg(feature = "check")]
pub fn print(value: &serde_json::Value) -> String {
    print::print(value)
}

/// The comments of a text, as far as it can be read.
#[cfg(feature = "check")]
pub fn comments(text: &str) -> Vec<Comment> {
    stream::comments(text)
}

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
    String(Arc<str>),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values, in the order of the text. A key occurs once: of duplicates the last stands here.
    Mapping(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as JSON has it: `on:` is `"true"`, `1.0:` is `"1"`.
    pub key: Arc<str>,
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

    /// A node from no text.
    pub fn new(value: Value) -> Node {
        Node { span: Span::default(), value, style: Style::Plain, shared: false }
    }

    /// The value as the API server holds it in memory: whole numbers are `i64`, all others `f64`.
    ///
    /// A number that JSON cannot hold (`.inf`) never gets here: it is an [`Error`] when it is read.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(it) => Json::Bool(*it),
            Value::Int(it) => Json::from(*it),
            Value::UInt(it) => Json::from(*it as f64),
            Value::Float(it) => Json::from(*it),
            Value::String(it) => Json::String(it.to_string()),
            Value::Sequence(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Value::Mapping(entries) => {
                Json::Object(entries.iter().map(|it| (it.key.to_string(), it.value.to_json())).collect())
            }
        }
    }

    /// A node of a value from no text.
    pub fn from_json(json: &serde_json::Value) -> Node {
        use serde_json::Value as Json;
        Node::new(match json {
            Json::Null => Value::Null,
            Json::Bool(it) => Value::Bool(*it),
            Json::Number(it) => match (it.as_i64(), it.as_u64()) {
                (Some(int), _) => Value::Int(int),
                (None, Some(int)) => Value::UInt(int),
                (None, None) => Value::Float(it.as_f64().unwrap_or(f64::MAX)),
            },
            Json::String(it) => Value::String(it.as_str().into()),
            Json::Array(items) => Value::Sequence(items.iter().map(Node::from_json).collect()),
            Json::Object(map) => Value::Mapping(
                map.iter()
                    .map(|(key, value)| Entry {
                        key: key.as_str().into(),
                        key_span: Span::default(),
                        value: Node::from_json(value),
                    })
                    .collect(),
            ),
        })
    }
}

/// Sets a key of a mapping; gives its place, and the entry that it replaces. `index` serves the larger mappings.
fn set(
    entries: &mut Vec<Entry>,
    index: &mut HashMap<Arc<str>, usize>,
    entry: Entry,
) -> (usize, Option<Entry>) {
    const MANY: usize = 16;
    if entries.len() == MANY && index.is_empty() {
        *index = entries.iter().enumerate().map(|(at, it)| (it.key.clone(), at)).collect();
    }
    let found = if entries.len() < MANY {
        entries.iter().position(|it| it.key == entry.key)
    } else {
        index.get(&entry.key).copied()
    };
    if let Some(at) = found {
        return (at, Some(std::mem::replace(&mut entries[at], entry)));
    }
    if entries.len() >= MANY {
        index.insert(entry.key.clone(), entries.len());
    }
    entries.push(entry);
    (entries.len() - 1, None)
}

/// Takes trees apart without recursion: a tree deeper than the stack must not be dropped in the ordinary way.
fn dismantle(mut nodes: Vec<Node>) {
    while let Some(node) = nodes.pop() {
        match node.value {
            Value::Sequence(items) => nodes.extend(items),
            Value::Mapping(entries) => nodes.extend(entries.into_iter().map(|it| it.value)),
            _ => {}
        }
    }
}

/// A tree that may be deeper than [`MAX_DEPTH`], so that it is dropped without recursion.
#[derive(Debug)]
struct Deep(Node);

impl Deep {
    /// The tree, which the caller knows to be at most [`MAX_DEPTH`] deep.
    fn into_node(mut self) -> Node {
        std::mem::replace(&mut self.0, Node::new(Value::Null))
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        dismantle(vec![std::mem::replace(&mut self.0, Node::new(Value::Null))]);
    }
}
