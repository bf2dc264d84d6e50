//! Nodes as written → the value that Go's `sigs.k8s.io/yaml` makes of them: a port of `go.yaml.in/yaml/v2` (`decode.go`).
//!
//! Works without recursion, so that neither nesting nor aliases can exhaust the stack.

use std::collections::HashMap;
use std::sync::Arc;

use super::raw::{Kind, Raw};
use super::scalar::{self, Tag};
use super::{Deep, Duplicate, Entry, Error, Node, Style, Value, dismantle, set};
use crate::source::Span;

/// A decoded document.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) root: Deep,
    pub(super) duplicates: Vec<Duplicate>,
    /// What the strict decoder would say: a key set twice, be it through a merge key.
    pub(super) strict: Option<String>,
}

/// How many bytes of text aliases may repeat. Go shares such text in memory; a tree of our own does not.
const COPY_LIMIT: usize = 256 << 20;

/// Decodes a document; fails where a tree of values would be deeper than `depth`.
pub(super) fn decode(nodes: &[Raw<'_>], depth: usize) -> Result<Decoded, Error> {
    let mut decoder = Decoder {
        nodes,
        depth,
        steps: Vec::new(),
        open: Vec::new(),
        root: None,
        active: Vec::new(),
        merges: 0,
        // The document itself is Go's first.
        decodes: 1,
        alias_decodes: 0,
        copied: 0,
        duplicates: Vec::new(),
        strict: None,
    };
    if !nodes.is_empty() {
        decoder.steps.push(Step::Value(0));
    }
    while let Some(step) = decoder.steps.pop() {
        decoder.step(step)?;
    }
    let root = decoder.root.take().unwrap_or_else(|| Node::new(Value::Null));
    let duplicates = std::mem::take(&mut decoder.duplicates);
    Ok(Decoded { root: Deep(root), duplicates, strict: decoder.strict.take() })
}

struct Decoder<'a> {
    nodes: &'a [Raw<'a>],
    depth: usize,
    /// What remains to be done, the next at the end.
    steps: Vec<Step>,
    open: Vec<Open>,
    root: Option<Node>,
    /// The aliases within which the decoder is.
    active: Vec<u32>,
    /// The merge keys within which the decoder is.
    merges: usize,
    decodes: u64,
    alias_decodes: u64,
    copied: usize,
    duplicates: Vec<Duplicate>,
    strict: Option<String>,
}

/// Indices are of [`Raw`] nodes.
enum Step {
    Value(u32),
    Items {
        at: u32,
        end: u32,
    },
    Entries {
        at: u32,
        end: u32,
    },
    /// One mapping of the list under a merge key.
    Merge(u32),
    Close,
    EndAlias,
    EndMerge,
}

/// A collection that is being filled.
struct Open {
    node: u32,
    shared: bool,
    filled: Filled,
}

enum Filled {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    /// Of each entry: what its key is to Go, and whether a merge key brought it.
    origins: Vec<(KeyKind, bool)>,
    /// The place of each key, once there are so many that looking through all is slow.
    index: HashMap<Arc<str>, usize>,
    key: Option<(Arc<str>, KeyKind, Span)>,
    replaced: bool,
}

/// An entry that made room for another with its key.
struct Replaced {
    key_span: Span,
    value_span: Span,
    /// Whether the two keys are one to Go.
    same_kind: bool,
    merged: bool,
}

/// What a key is to Go: `1` and `"1"` are two keys until they become JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    String,
    Bool,
    Int,
    Float,
}

impl<'a> Decoder<'a> {
    fn step(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Value(node) => self.value(node)?,
            Step::Items { at, end } if at < end => {
                self.steps.push(Step::Items { at: self.raw(at).next, end });
                self.steps.push(Step::Value(at));
            }
            Step::Entries { at, end } if at < end => self.entry(at, end)?,
            Step::Items { .. } | Step::Entries { .. } => {}
            Step::Merge(node) => self.merge_one(node)?,
            Step::Close => self.close(),
            Step::EndAlias => drop(self.active.pop()),
            Step::EndMerge => self.merges -= 1,
        }
        Ok(())
    }

    fn raw(&self, node: u32) -> &'a Raw<'a> {
        &self.nodes[node as usize]
    }

    fn shared(&self) -> bool {
        !self.active.is_empty() || self.merges > 0
    }

    /// Go's guard against documents that grow without bound through aliases.
    fn count(&mut self, node: u32) -> Result<(), Error> {
        self.decodes += 1;
        if !self.active.is_empty() {
            self.alias_decodes += 1;
        }
        let excessive = self.alias_decodes > 100
            && self.decodes > 1000
            && self.alias_decodes as f64 / self.decodes as f64 > allowed_alias_ratio(self.decodes);
        if excessive || self.copied > COPY_LIMIT {
            return Err(self.error(node, "document contains excessive aliasing"));
        }
        Ok(())
    }

    fn error(&self, node: u32, message: impl Into<String>) -> Error {
        // Inside an alias the fault shows where the alias stands, but is mended where its target stands.
        Error { message: message.into(), span: self.raw(node).span, help: None }
    }

    fn value(&mut self, node: u32) -> Result<(), Error> {
        self.count(node)?;
        let (shared, raw) = (self.shared(), self.raw(node));
        let (span, style, next) = (raw.span, raw.style, raw.next);
        match &raw.kind {
            Kind::Scalar(text) => {
                let copied = if shared { text.len() } else { 0 };
                let value = scalar::value(raw.tag, style == Style::Plain, text);
                let value = match value.map_err(|it| self.error(node, it))? {
                    Value::Float(it) => scalar::normalize(it).ok_or_else(|| {
                        self.error(node, format!("json: unsupported value: {}", go_float(it)))
                    })?,
                    other => other,
                };
                self.copied += copied;
                self.emit(Node { span, value, style, shared });
            }
            Kind::Alias(target) => {
                let target = *target;
                self.enter_alias(node)?;
                self.steps.push(Step::Value(target));
            }
            Kind::Sequence => {
                self.open(node, Filled::Sequence(Vec::new()))?;
                self.steps.push(Step::Items { at: node + 1, end: next });
            }
            Kind::Mapping => {
                self.open(node, Filled::Mapping(Mapping::default()))?;
                self.steps.push(Step::Entries { at: node + 1, end: next });
            }
        }
        Ok(())
    }

    fn enter_alias(&mut self, node: u32) -> Result<(), Error> {
        if self.active.contains(&node) {
            return Err(self.error(node, "anchor value contains itself"));
        }
        self.active.push(node);
        self.steps.push(Step::EndAlias);
        Ok(())
    }

    fn open(&mut self, node: u32, filled: Filled) -> Result<(), Error> {
        if self.open.len() >= self.depth {
            let mut error = self.error(node, format!("exceeded max depth of {}", self.depth));
            error.span.end = error.span.end.min(error.span.start + 1);
            error.help = Some("no manifest needs as many levels: look for a generator that ran wild".into());
            return Err(error);
        }
        self.open.push(Open { node, shared: self.shared(), filled });
        self.steps.push(Step::Close);
        Ok(())
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let (span, style) = (self.raw(open.node).span, self.raw(open.node).style);
        let value = match open.filled {
            Filled::Sequence(items) => Value::Sequence(items),
            Filled::Mapping(mut mapping) => {
                // Of a key that occurs twice the last stands, in its own place.
                if mapping.replaced && !mapping.origins.iter().any(|it| it.1) {
                    mapping.entries.sort_by_key(|it| it.key_span.start);
                }
                Value::Mapping(mapping.entries)
            }
        };
        self.emit(Node { span, value, style, shared: open.shared });
    }

    /// Puts a value where it belongs: into the innermost open collection.
    fn emit(&mut self, node: Node) {
        let merged = self.merges > 0;
        match self.open.last_mut().map(|it| &mut it.filled) {
            None => self.root = Some(node),
            Some(Filled::Sequence(items)) => items.push(node),
            Some(Filled::Mapping(mapping)) => {
                let Some((key, kind, key_span)) = mapping.key.take() else { return };
                let entry = Entry { key, key_span, value: node };
                let Some((at, old)) = mapping.insert(entry, (kind, merged)) else { return };
                let key = mapping.entries[at].key.clone();
                if old.same_kind && self.strict.is_none() {
                    self.strict = Some(format!("key {key:?} already set in map"));
                }
                // An override of a merged key is what merge keys are for.
                if !merged && !old.merged {
                    let last_value = mapping.entries[at].value.span;
                    let (first, first_value) = (old.key_span, old.value_span);
                    self.duplicates.push(Duplicate { key, first, last: key_span, first_value, last_value });
                }
            }
        }
    }

    fn entry(&mut self, at: u32, end: u32) -> Result<(), Error> {
        let key = self.raw(at);
        let value = key.next;
        let next = self.raw(value).next;
        self.steps.push(Step::Entries { at: next, end });
        if is_merge(key) {
            return self.merge(value);
        }
        let (text, kind) = self.key(at)?;
        let span = self.raw(at).span;
        if let Some(Open { filled: Filled::Mapping(mapping), .. }) = self.open.last_mut() {
            mapping.key = Some((text, kind, span));
        }
        self.steps.push(Step::Value(value));
        Ok(())
    }

    fn key(&mut self, node: u32) -> Result<(Arc<str>, KeyKind), Error> {
        self.count(node)?;
        let mut target = node;
        if let Kind::Alias(aliased) = self.raw(node).kind {
            self.active.push(node);
            self.count(node)?;
            self.active.pop();
            target = aliased;
        }
        let raw = self.raw(target);
        let Kind::Scalar(text) = &raw.kind else {
            let mut error = self.error(node, "invalid map key: a mapping or a list");
            error.help = Some("put the key in quotes".into());
            return Err(error);
        };
        let value = scalar::value(raw.tag, raw.style == Style::Plain, text);
        match value.map_err(|it| self.error(node, it))? {
            Value::String(it) => Ok((it, KeyKind::String)),
            Value::Bool(it) => Ok((if it { "true" } else { "false" }.into(), KeyKind::Bool)),
            Value::Int(it) => Ok((it.to_string().into(), KeyKind::Int)),
            Value::Float(it) => Ok((go_float32(it).into(), KeyKind::Float)),
            other => {
                let mut error = self.error(node, "unsupported map key of type");
                error.message += if other == Value::Null { ": null" } else { ": uint64" };
                error.help = Some("put the key in quotes".into());
                Err(error)
            }
        }
    }

    fn merge(&mut self, value: u32) -> Result<(), Error> {
        if !matches!(self.raw(value).kind, Kind::Sequence) {
            return self.merge_one(value);
        }
        let end = self.raw(value).next;
        let mut at = value + 1;
        // The last step pushed is the first taken: earlier mappings of the list override later ones.
        while at < end {
            self.steps.push(Step::Merge(at));
            at = self.raw(at).next;
        }
        Ok(())
    }

    fn merge_one(&mut self, node: u32) -> Result<(), Error> {
        let target = match self.raw(node).kind {
            Kind::Alias(target) => target,
            _ => node,
        };
        if !matches!(self.raw(target).kind, Kind::Mapping) {
            return Err(self.error(node, "map merge requires map or sequence of maps as the value"));
        }
        self.count(node)?;
        if target != node {
            self.enter_alias(node)?;
            self.count(node)?;
        }
        self.merges += 1;
        self.steps.push(Step::EndMerge);
        self.steps.push(Step::Entries { at: target + 1, end: self.raw(target).next });
        Ok(())
    }
}

impl Drop for Decoder<'_> {
    fn drop(&mut self) {
        let mut nodes: Vec<Node> = self.root.take().into_iter().collect();
        for open in self.open.drain(..) {
            match open.filled {
                Filled::Sequence(items) => nodes.extend(items),
                Filled::Mapping(mapping) => nodes.extend(mapping.entries.into_iter().map(|it| it.value)),
            }
        }
        dismantle(nodes);
    }
}

impl Mapping {
    /// Sets a key; gives its place and what it replaces there.
    fn insert(&mut self, entry: Entry, origin: (KeyKind, bool)) -> Option<(usize, Replaced)> {
        let (at, old) = set(&mut self.entries, &mut self.index, entry);
        let Some(old) = old else {
            self.origins.push(origin);
            return None;
        };
        let (kind, merged) = std::mem::replace(&mut self.origins[at], origin);
        self.replaced = true;
        let value_span = old.value.span;
        dismantle(vec![old.value]);
        Some((at, Replaced { key_span: old.key_span, value_span, same_kind: kind == origin.0, merged }))
    }
}

fn is_merge(raw: &Raw<'_>) -> bool {
    let Kind::Scalar(text) = &raw.kind else { return false };
    let implicit = raw.tag == Tag::None && raw.style == Style::Plain;
    text == "<<" && (implicit || matches!(raw.tag, Tag::Bang | Tag::Merge))
}

fn allowed_alias_ratio(decodes: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match decodes {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decodes - LOW) as f64 / (HIGH - LOW) as f64),
    }
}

fn go_float(value: f64) -> &'static str {
    match value {
        it if it.is_nan() => "NaN",
        it if it > 0.0 => "+Inf",
        _ => "-Inf",
    }
}

/// Go's `strconv.FormatFloat(value, 'g', -1, 32)`, as `sigs.k8s.io/yaml` writes a number that is a key.
fn go_float32(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
