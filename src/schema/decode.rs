//! What a typed decoder says of a [`Node`]: wrong types and unknown fields, in the words of the API server.
//!
//! Mirrors the decoder of sigs.k8s.io/json: it goes on after a wrong type and reports the first one,
//! reports unknown fields by their full path, and loses sight of them inside types that decode themselves
//! (`items`, `additionalProperties`…). This module knows no keyword and no field.

use crate::source::Span;
use crate::yaml::{Entry, Node, Value};
use std::fmt::Write;
use std::sync::Arc;

/// How many mismatches and how many unknown fields are kept: paths are long where hostile input makes them so.
const MAX_FINDINGS: usize = 2000;

/// A value of a wrong type: the API server answers 400.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The server's words.
    pub message: String,
    /// The place with indexes and keys: `spec.versions[0].schema.openAPIV3Schema.type`.
    pub path: String,
    /// The key that the value belongs to; empty for an item of a list.
    pub key: Span,
    /// The value.
    pub at: Span,
    /// What was probably meant.
    pub suggestion: Option<Suggestion>,
}

/// A field that no type declares: the API server drops it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownField {
    /// The place as the server's strict errors have it: `spec.versions[0].x-foo`.
    pub path: String,
    /// The last key of the path.
    pub name: String,
    /// Where the key stands.
    pub key: Span,
    /// Where the value stands.
    pub value: Span,
    /// What the field stands in.
    pub within: Level,
    /// Whether even strict decoding does not see it: below `items`, `additionalProperties` and their like.
    pub silent: bool,
    /// What was probably meant.
    pub suggestion: Option<Suggestion>,
}

/// What a field stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The document itself.
    Document,
    /// `metadata` and below.
    Metadata,
    /// `spec`.
    Spec,
    /// `spec.names`.
    Names,
    /// One of `spec.versions`.
    Version,
    /// `schema` of a version, `spec.validation` in v1beta1: what holds `openAPIV3Schema`.
    Validation,
    /// A node of the schema.
    Schema,
    /// `properties` of a node of the schema, whose keys are names.
    Properties,
    /// One of `x-kubernetes-validations`.
    Rule,
    /// `subresources`.
    Subresources,
    /// `subresources.status`.
    Status,
    /// `subresources.scale`.
    Scale,
    /// One of `additionalPrinterColumns`.
    Column,
    /// One of `selectableFields`.
    SelectableField,
    /// `spec.conversion` and below.
    Conversion,
    /// Anything else.
    Other,
}

/// What was probably meant by a field that the server does not know there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggestion {
    /// The name of a field that may stand here.
    Misspelt(&'static str),
    /// A field that has a meaning elsewhere.
    Misplaced {
        /// The field's right name.
        name: &'static str,
        /// Where it belongs, to follow "belongs".
        belongs: &'static str,
    },
    /// A word of another dialect.
    Foreign {
        /// What to do instead, as a sentence without a period.
        instead: &'static str,
    },
}

/// One step of the path to the value that is being decoded.
#[derive(Debug, Clone, Copy)]
enum Step<'n> {
    /// A field of a Go struct, with the struct's name.
    Field(&'n str, &'static str, Span),
    /// A key of a map.
    Key(&'n str, Span),
    /// An item of a list.
    Index(usize),
}

/// Decodes nodes, and remembers what was wrong.
#[derive(Debug, Default)]
pub struct Decoder<'n> {
    steps: Vec<Step<'n>>,
    /// Every wrong type, in the order of reading.
    pub mismatches: Vec<Mismatch>,
    /// Every unknown field, in the order of reading.
    pub unknown: Vec<UnknownField>,
    /// Why not everything is read, if so: a limit of ours, not the server's.
    pub unread: Option<String>,
    /// The mismatch that the server reports.
    reported: Option<usize>,
    /// How many types that decode themselves were open where it was found.
    reported_in: usize,
    /// A type that decodes itself failed: the server has stopped reading.
    aborted: bool,
    /// Per open type that decodes itself: the lengths of `steps` and of `mismatches` at its start.
    opaque: Vec<(usize, usize)>,
    /// The package of the Go types: `v1`, `v1beta1`.
    package: &'static str,
}

impl<'n> Decoder<'n> {
    /// A decoder of types in a Go package.
    pub fn new(package: &'static str) -> Self {
        Self { package, ..Self::default() }
    }

    /// A decoder at the schema of a version.
    pub fn at_schema_of_version(package: &'static str, index: usize) -> Self {
        let steps = vec![
            Step::Field("spec", "CustomResourceDefinition", Span::default()),
            Step::Field("versions", "CustomResourceDefinitionSpec", Span::default()),
            Step::Index(index),
            Step::Field("schema", "CustomResourceDefinitionVersion", Span::default()),
            Step::Field("openAPIV3Schema", "CustomResourceValidation", Span::default()),
        ];
        Self { steps, ..Self::new(package) }
    }

    /// The mismatch that the server reports.
    pub fn reported(&self) -> Option<&Mismatch> {
        self.reported.map(|it| &self.mismatches[it])
    }

    /// Whether even strict decoding does not see unknown fields here.
    pub fn is_silent(&self) -> bool {
        !self.opaque.is_empty()
    }

    /// How deep the value that is being decoded lies.
    pub fn depth(&self) -> usize {
        self.steps.len()
    }

    /// Starts the value of a field of a Go struct.
    pub fn enter_field(&mut self, name: &'n str, of: &'static str, key: Span) {
        self.steps.push(Step::Field(name, of, key));
    }

    /// Starts the value of a key of a map.
    pub fn enter_key(&mut self, name: &'n str, key: Span) {
        self.steps.push(Step::Key(name, key));
    }

    /// Starts an item.
    pub fn enter_index(&mut self, index: usize) {
        self.steps.push(Step::Index(index));
    }

    /// Ends what was started last.
    pub fn leave(&mut self) {
        self.steps.pop();
    }

    /// Decodes an item.
    pub fn index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.enter_index(index);
        let out = read(self);
        self.leave();
        out
    }

    /// Starts a type that decodes itself: unknown fields are invisible inside, and an error ends the decoding.
    pub fn enter_custom(&mut self) {
        self.opaque.push((self.steps.len(), self.mismatches.len()));
    }

    /// Ends a type that decodes itself.
    pub fn leave_custom(&mut self) {
        if let Some((_, before)) = self.opaque.pop() {
            self.aborted |= self.mismatches.len() > before;
        }
    }

    /// The path of the value that is being decoded, as strict errors have it.
    pub fn path(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            match step {
                Step::Field(name, ..) | Step::Key(name, _) if out.is_empty() => out.push_str(name),
                Step::Field(name, ..) | Step::Key(name, _) => {
                    out.push('.');
                    out.push_str(name);
                }
                // Writing to a string cannot fail.
                Step::Index(index) => _ = write!(out, "[{index}]"),
            }
        }
        out
    }

    /// Reports the field that is being decoded as unknown.
    pub fn unknown_here(&mut self, entry: &Entry, within: Level, suggestion: Option<Suggestion>) {
        if self.unknown.len() >= MAX_FINDINGS {
            return;
        }
        let (name, key, value) = (entry.key.to_string(), entry.key_span, entry.value.span);
        let (path, silent) = (self.path(), self.is_silent());
        self.unknown.push(UnknownField { path, name, key, value, within, silent, suggestion });
    }

    /// Reports that a value cannot be decoded into a Go type. `[]T`, `map[string]T` and `T` of this package
    /// are written with `~` for the package: `[]~.JSONSchemaProps`.
    pub fn mismatch(&mut self, node: &Node, go_type: &str) {
        let wanted = go_type.replace('~', self.package);
        let message = match self.go_place() {
            Some(place) => format!(
                "json: cannot unmarshal {} into Go struct field {place} of type {wanted}",
                go_value(node, &wanted)
            ),
            None => {
                format!("json: cannot unmarshal {} into Go value of type {wanted}", go_value(node, &wanted))
            }
        };
        self.error(node, message);
    }

    /// Reports that a value cannot be decoded, in these words.
    pub fn error(&mut self, node: &Node, message: String) {
        if self.mismatches.len() >= MAX_FINDINGS {
            return;
        }
        let (path, at) = (self.path(), node.span);
        if !self.aborted && (self.reported.is_none() || self.opaque.len() > self.reported_in) {
            self.reported = Some(self.mismatches.len());
            self.reported_in = self.opaque.len();
        }
        let key = match self.steps.last() {
            Some(Step::Field(_, _, key) | Step::Key(_, key)) => *key,
            _ => Span::default(),
        };
        self.mismatches.push(Mismatch { message, path, key, at, suggestion: None });
    }

    /// Ends the server's reading: later errors are none of its own.
    pub fn abort(&mut self) {
        self.aborted = true;
    }

    /// `JSONSchemaProps.spec.versions.schema`: the fields without keys and indexes behind the innermost struct, or the
    /// innermost one around the outermost type that decodes itself.
    fn go_place(&self) -> Option<String> {
        let seen = self.opaque.first().map_or(self.steps.len(), |it| it.0);
        let mut fields = String::new();
        let mut of = None;
        for (at, step) in self.steps.iter().enumerate() {
            if let Step::Field(name, within, _) = step {
                fields.push('.');
                fields.push_str(name);
                of = if at < seen { Some(within) } else { of };
            }
        }
        of.map(|it| format!("{it}{fields}"))
    }

    /// Decodes a string where it stands; null is the empty one.
    pub fn str<'t>(&mut self, node: &'t Node, go_type: &str) -> &'t str {
        if !matches!(node.value, Value::String(_) | Value::Null) {
            self.mismatch(node, go_type);
        }
        node.as_str().unwrap_or_default()
    }

    /// Decodes a string without a copy; null is none.
    pub fn shared(&mut self, node: &Node, go_type: &str) -> Option<Arc<str>> {
        self.str(node, go_type);
        match &node.value {
            Value::String(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Decodes a string; null is the empty one.
    pub fn text(&mut self, node: &Node, go_type: &str) -> String {
        self.str(node, go_type).to_owned()
    }

    /// Decodes a string that may be absent.
    pub fn optional_text(&mut self, node: &Node, go_type: &str) -> Option<String> {
        (!node.is_null()).then(|| self.text(node, go_type))
    }

    /// Decodes a boolean; null is none.
    pub fn flag(&mut self, node: &Node) -> Option<bool> {
        match &node.value {
            Value::Bool(it) => Some(*it),
            Value::Null => None,
            _ => {
                self.mismatch(node, "bool");
                None
            }
        }
    }

    /// Decodes a whole number of 64 bits; null is none.
    pub fn int(&mut self, node: &Node) -> Option<i64> {
        match &node.value {
            Value::Int(it) => Some(*it),
            Value::Null => None,
            _ => {
                self.mismatch(node, "int64");
                None
            }
        }
    }

    /// Decodes a number; null is none.
    pub fn float(&mut self, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Int(it) => Some(*it as f64),
            Value::UInt(it) => Some(*it as f64),
            Value::Float(it) => Some(*it),
            Value::Null => None,
            _ => {
                self.mismatch(node, "float64");
                None
            }
        }
    }

    /// Decodes a list of strings; null is the empty list, a null item the empty string.
    pub fn texts(&mut self, node: &'n Node) -> Vec<String> {
        let items = self.items(node, "[]string");
        let read = |(index, item)| self.index(index, |it| it.text(item, "string"));
        items.iter().enumerate().map(read).collect()
    }

    /// The items of a list; null has none.
    pub fn items(&mut self, node: &'n Node, go_type: &str) -> &'n [Node] {
        if !matches!(node.value, Value::Sequence(_) | Value::Null) {
            self.mismatch(node, go_type);
        }
        node.items()
    }

    /// The entries of a struct or map; null has none.
    pub fn entries(&mut self, node: &'n Node, go_type: &str) -> &'n [Entry] {
        if !matches!(node.value, Value::Mapping(_) | Value::Null) {
            self.mismatch(node, go_type);
        }
        node.entries()
    }
}

/// A value as Go's decoder names it: numbers with their text where a number is wanted.
fn go_value(node: &Node, wanted: &str) -> String {
    let numeric = wanted.starts_with("int") || wanted.starts_with("float");
    match &node.value {
        Value::Int(it) if numeric => format!("number {it}"),
        Value::UInt(it) if numeric => format!("number {it}"),
        Value::Float(it) if numeric => format!("number {it}"),
        _ => go_type(node).to_owned(),
    }
}

/// The type of a value as Go's decoder names it.
pub fn go_type(node: &Node) -> &'static str {
    match &node.value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::UInt(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) => "object",
    }
}
