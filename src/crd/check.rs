//! Everything of a CRD outside its schemas against the tables of its fields: wrong types, unknown fields, places.

use super::Place;
use super::shape::{Shape, Struct};
use crate::schema::{self, Decoder, Level};
use crate::time;
use crate::yaml::{Entry, Node, Value};

pub(super) const KIND: &str = "CustomResourceDefinition";
pub(super) const V1: &str = "apiextensions.k8s.io/v1";
pub(super) const V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

/// Walks a document along its table.
pub(super) struct Checker<'n> {
    pub(super) decoder: Decoder<'n>,
    pub(super) places: Vec<Place>,
}

impl<'n> Checker<'n> {
    /// The type of the document, which the server finds out first; whether it can go on.
    pub(super) fn kind(&mut self, node: &'n Node) -> bool {
        const SHAPE: &str = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
        const FIRST: &str = "couldn't get version/kind; json parse error: ";
        let mut words = |at: &'n Node, message: String| {
            self.decoder.error(at, message);
            self.decoder.abort();
            false
        };
        if !matches!(node.value, Value::Mapping(_) | Value::Null) {
            let message = format!(
                "{FIRST}json: cannot unmarshal {} into Go value of type {SHAPE}",
                schema::go_type(node)
            );
            return words(node, message);
        }
        let (version, kind) = (node.get("apiVersion"), node.get("kind"));
        for (name, it) in [("apiVersion", version), ("kind", kind)] {
            if let Some(it) = it.filter(|it| !matches!(it.value, Value::String(_) | Value::Null)) {
                let value = schema::go_type(it);
                let message = format!(
                    "{FIRST}json: cannot unmarshal {value} into Go struct field .{name} of type string"
                );
                return words(it, message);
            }
        }
        let text = |it: Option<&'n Node>| it.and_then(Node::as_str).unwrap_or_default();
        let known = [V1, V1BETA1, ""].contains(&text(version)) && [KIND, ""].contains(&text(kind));
        let wrong = if [V1, V1BETA1, ""].contains(&text(version)) { kind } else { version };
        match wrong.filter(|_| !known) {
            Some(at) => {
                // What is missing is taken from the request, which is for CRDs of v1.
                let given = |it, default| if text(it).is_empty() { default } else { text(it) };
                let (version, kind) = (given(version, V1), given(kind, KIND));
                let message = format!("no kind {kind:?} is registered for version {version:?}");
                words(at, message)
            }
            None => true,
        }
    }

    pub(super) fn fields(&mut self, node: &'n Node, of: &'static Struct) {
        // Metadata is of another package, whose one version is v1.
        let package = if of.level == Level::Metadata { "v1" } else { "~" };
        for entry in self.decoder.entries(node, &format!("{package}.{}", of.name)) {
            self.decoder.enter_field(&entry.key, of.name, entry.key_span);
            match of.fields.iter().find(|it| it.0 == &*entry.key) {
                Some((_, shape)) => self.entry(entry, shape),
                None => self.decoder.unknown_here(entry, of.level, schema::suggestion(of.level, entry)),
            }
            self.decoder.leave();
        }
    }

    fn entry(&mut self, entry: &'n Entry, shape: &'static Shape) {
        if !entry.key_span.is_empty() {
            let (path, key, value) = (self.decoder.path(), entry.key_span, entry.value.span);
            self.places.push(Place { path, key, value });
        }
        self.value(&entry.value, shape);
    }

    fn value(&mut self, node: &'n Node, shape: &'static Shape) {
        match shape {
            Shape::Any => {}
            Shape::Text(go_type) => _ = self.decoder.str(node, go_type),
            Shape::Flag => _ = self.decoder.flag(node),
            Shape::Int64 => _ = self.decoder.int(node),
            Shape::Int32 => match node.value {
                Value::Int(it) if i32::try_from(it).is_ok() => {}
                Value::Null => {}
                _ => self.decoder.mismatch(node, "int32"),
            },
            Shape::Time => self.time(node),
            Shape::Bytes => self.bytes(node),
            Shape::Labels => {
                for entry in self.decoder.entries(node, "map[string]string") {
                    self.decoder.enter_key(&entry.key, entry.key_span);
                    self.entry(entry, &Shape::Text("string"));
                    self.decoder.leave();
                }
            }
            Shape::List(shape, go_type) => {
                for (index, item) in self.decoder.items(node, go_type).iter().enumerate() {
                    self.decoder.enter_index(index);
                    if !item.span.is_empty() {
                        let (path, key) = (self.decoder.path(), Default::default());
                        self.places.push(Place { path, key, value: item.span });
                    }
                    self.value(item, shape);
                    self.decoder.leave();
                }
            }
            Shape::Struct(of) => self.fields(node, of),
        }
    }

    /// A time decodes itself: an error there ends the server's reading.
    fn time(&mut self, node: &'n Node) {
        self.decoder.enter_custom();
        match &node.value {
            Value::Null => {}
            Value::String(text) if time::parse(text).is_some() => {}
            Value::String(text) => {
                let message =
                    format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?}");
                self.decoder.error(node, message);
            }
            _ => self.decoder.mismatch(node, "string"),
        }
        self.decoder.leave_custom();
    }

    fn bytes(&mut self, node: &'n Node) {
        match &node.value {
            Value::Null => {}
            Value::String(text) => {
                if let Err(at) = base64(text) {
                    self.decoder.error(node, format!("illegal base64 data at input byte {at}"));
                }
            }
            Value::Sequence(items) => {
                for item in items {
                    if !matches!(item.value, Value::Int(0..=255) | Value::Null) {
                        self.decoder.mismatch(item, "uint8");
                    }
                }
            }
            _ => self.decoder.mismatch(node, "[]uint8"),
        }
    }
}

/// Checks padded base64 without line breaks; the error is the first wrong byte.
fn base64(text: &str) -> Result<(), usize> {
    let (mut digits, mut padding) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\r' | b'\n' => {}
            b'=' if digits % 4 >= 2 && (digits + padding) % 4 != 0 => padding += 1,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' if padding == 0 => digits += 1,
            _ => return Err(at),
        }
    }
    if (digits + padding) % 4 == 0 { Ok(()) } else { Err(text.len()) }
}
