//! Which keys are removed because no schema declares or preserves them.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go. The `type` keyword and value validations
//! play no part. A missing schema is a state of its own: it empties every object below.

use crate::schema::Additional;
use crate::schema::Schema;
use crate::source::Span;
use serde_json::Map;
use serde_json::Value;

/// A path that was removed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// The path as the server reports it: keys joined with `.` unescaped, indexes as `[0]`.
    pub path: String,
    /// The schema node that did not declare it: the nearest one above.
    pub at: Span,
}

/// Whether a key is metadata of a resource.
pub fn is_meta(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "metadata")
}

/// Removes what the schema of a resource's root neither declares nor preserves, and appends it to `lost`, sorted.
pub fn root(object: &mut Map<String, Value>, schema: Option<&Schema>, lost: &mut Vec<Lost>) {
    let mut pruner = Pruner { path: Trail::default(), lost: Vec::new() };
    match schema {
        Some(schema) if schema.preserves() => pruner.skip_object(object, schema, true),
        Some(schema) => pruner.prune_object(object, schema, true),
        None => pruner.prune_object(object, &Schema::default(), true),
    }
    pruner.lost.sort();
    lost.append(&mut pruner.lost);
}

/// Removes what the schema of any node neither declares nor preserves.
pub(super) fn node(value: &mut Value, schema: &Schema) {
    Pruner { path: Trail::default(), lost: Vec::new() }.prune(value, Some(schema), schema.at);
}

/// A path that is built up and down while walking.
#[derive(Default)]
pub(super) struct Trail {
    text: String,
    steps: usize,
}

impl Trail {
    /// Appends a key; undo with [`Trail::back`].
    pub(super) fn key(&mut self, key: &str) -> usize {
        let mark = self.text.len();
        if self.steps > 0 {
            self.text.push('.');
        }
        self.text.push_str(key);
        self.steps += 1;
        mark
    }

    /// Appends an index; undo with [`Trail::back`].
    pub(super) fn index(&mut self, index: usize) -> usize {
        let mark = self.text.len();
        self.text.push('[');
        self.text.push_str(&index.to_string());
        self.text.push(']');
        self.steps += 1;
        mark
    }

    /// Takes the last step off.
    pub(super) fn back(&mut self, mark: usize) {
        self.text.truncate(mark);
        self.steps -= 1;
    }

    /// The path so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

struct Pruner {
    path: Trail,
    lost: Vec<Lost>,
}

impl Pruner {
    /// `at` is the last schema seen above, to blame when `schema` is missing.
    fn prune(&mut self, value: &mut Value, schema: Option<&Schema>, at: Span) {
        match (value, schema) {
            (value, Some(schema)) if schema.preserves() => self.skip(value, schema),
            (Value::Object(object), Some(schema)) => self.prune_object(object, schema, schema.embedded),
            (Value::Object(object), None) => {
                for key in object.keys() {
                    self.lose(key, at);
                }
                object.clear();
            }
            (Value::Array(items), schema) => {
                let item = schema.and_then(Schema::item);
                let at = schema.map_or(at, |it| it.at);
                for (index, value) in items.iter_mut().enumerate() {
                    let mark = self.path.index(index);
                    self.prune(value, item, at);
                    self.path.back(mark);
                }
            }
            _ => {}
        }
    }

    fn prune_object(&mut self, object: &mut Map<String, Value>, schema: &Schema, embedded: bool) {
        object.retain(|key, value| {
            if embedded && is_meta(key) {
                return true;
            }
            let Some(below) = declared(schema, key) else {
                self.lose(key, schema.at);
                return false;
            };
            let mark = self.path.key(key);
            self.prune(value, below, schema.at);
            self.path.back(mark);
            true
        });
    }

    /// Inside a preserving node: what is not declared stays whole, what is declared decides for itself.
    fn skip(&mut self, value: &mut Value, schema: &Schema) {
        match value {
            Value::Object(object) => self.skip_object(object, schema, schema.embedded),
            Value::Array(items) => {
                let Some(item) = schema.item() else { return };
                for (index, value) in items.iter_mut().enumerate() {
                    let mark = self.path.index(index);
                    // Skips, not prunes: the items inherit the preservation.
                    self.skip(value, item);
                    self.path.back(mark);
                }
            }
            _ => {}
        }
    }

    fn skip_object(&mut self, object: &mut Map<String, Value>, schema: &Schema, embedded: bool) {
        for (key, value) in object.iter_mut() {
            if embedded && is_meta(key) {
                continue;
            }
            let Some(below) = declared(schema, key) else { continue };
            let mark = self.path.key(key);
            self.prune(value, below, schema.at);
            self.path.back(mark);
        }
    }

    fn lose(&mut self, key: &str, at: Span) {
        let mark = self.path.key(key);
        self.lost.push(Lost { path: self.path.text().to_owned(), at });
        self.path.back(mark);
    }
}

/// How a schema declares a key: not at all, without a schema (`additionalProperties: true` or `false`), or with one.
pub(super) fn declared<'s>(schema: &'s Schema, key: &str) -> Option<Option<&'s Schema>> {
    match (schema.property(key), &schema.additional_properties) {
        (Some(property), _) => Some(Some(property)),
        (None, Some(Additional::Schema(additional))) => Some(Some(additional)),
        (None, Some(Additional::Allowed(_))) => Some(None),
        (None, None) => None,
    }
}
