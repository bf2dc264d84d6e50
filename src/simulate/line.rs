//! A JSON object written field by field, in the order of the oracle's structs, numbers as Go writes them.

use crate::server::FieldError;
use crate::server::go;
use serde_json::Value;

/// An object that is being written.
#[derive(Debug, Default)]
pub(super) struct Line(String);

impl Line {
    /// Appends a field whose value is JSON already.
    pub(super) fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        go::write_json(&Value::from(key), &mut self.0);
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// Appends a value.
    pub(super) fn value(&mut self, key: &str, value: &Value) -> &mut Self {
        self.raw(key, &go::to_json(value))
    }

    /// Appends a text, unless it is empty.
    pub(super) fn text(&mut self, key: &str, text: &str) -> &mut Self {
        if text.is_empty() { self } else { self.value(key, &Value::from(text)) }
    }

    /// Appends texts, unless there are none.
    pub(super) fn texts(&mut self, key: &str, texts: &[String]) -> &mut Self {
        if texts.is_empty() { self } else { self.value(key, &Value::from(texts)) }
    }

    /// Appends a list of JSON values.
    pub(super) fn list(&mut self, key: &str, items: &[String]) -> &mut Self {
        self.raw(key, &format!("[{}]", items.join(",")))
    }

    /// Appends errors, sorted.
    pub(super) fn errors(&mut self, key: &str, errors: &[FieldError]) -> &mut Self {
        let mut sorted: Vec<&FieldError> = errors.iter().collect();
        sorted.sort();
        let items: Vec<String> = sorted.into_iter().map(error).collect();
        self.list(key, &items)
    }

    /// Appends the fields of another object.
    pub(super) fn append(&mut self, other: Line) -> &mut Self {
        if let Some(fields) = other.0.strip_prefix('{') {
            self.0.push(if self.0.is_empty() { '{' } else { ',' });
            self.0.push_str(fields);
        }
        self
    }

    /// The whole object.
    pub(super) fn finish(&self) -> String {
        if self.0.is_empty() { "{}".to_owned() } else { format!("{}}}", self.0) }
    }
}

fn error(error: &FieldError) -> String {
    let mut line = Line::default();
    for (key, text) in [("field", error.field.as_str()), ("type", error.ty), ("detail", &error.detail)] {
        line.value(key, &Value::from(text));
    }
    line.finish()
}
