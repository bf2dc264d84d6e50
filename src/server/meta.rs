//! `metadata` as the API server decodes it: typed, with unknown keys dropped and reported.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/objectmeta/algorithm.go over `metav1.ObjectMeta` and the strict
//! decoder of sigs.k8s.io/json. What its values may be is judged in [`names`](super::names).

use super::go;
use crate::time;
use serde_json::Map;
use serde_json::Value;
use std::fmt::Write;

/// How a field of a Go struct is decoded.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    /// Text that is written even when empty.
    TextAlways,
    Int,
    /// A pointer: zero is written.
    OptInt,
    OptBool,
    Time,
    TextMap,
    TextList,
    /// A list of structs, with the name of the struct.
    List(&'static str, Fields),
    /// Any JSON.
    Raw,
}

type Fields = &'static [(&'static str, Kind)];

const OBJECT_META: Fields = &[
    ("name", Kind::Text),
    ("generateName", Kind::Text),
    ("namespace", Kind::Text),
    ("selfLink", Kind::Text),
    ("uid", Kind::Text),
    ("resourceVersion", Kind::Text),
    ("generation", Kind::Int),
    ("creationTimestamp", Kind::Time),
    ("deletionTimestamp", Kind::Time),
    ("deletionGracePeriodSeconds", Kind::OptInt),
    ("labels", Kind::TextMap),
    ("annotations", Kind::TextMap),
    ("ownerReferences", Kind::List("OwnerReference", OWNER_REFERENCE)),
    ("finalizers", Kind::TextList),
    ("managedFields", Kind::List("ManagedFieldsEntry", MANAGED_FIELDS)),
];

const OWNER_REFERENCE: Fields = &[
    ("apiVersion", Kind::TextAlways),
    ("kind", Kind::TextAlways),
    ("name", Kind::TextAlways),
    ("uid", Kind::TextAlways),
    ("controller", Kind::OptBool),
    ("blockOwnerDeletion", Kind::OptBool),
];

const MANAGED_FIELDS: Fields = &[
    ("manager", Kind::Text),
    ("operation", Kind::Text),
    ("apiVersion", Kind::Text),
    ("time", Kind::Time),
    ("fieldsType", Kind::Text),
    ("fieldsV1", Kind::Raw),
    ("subresource", Kind::Text),
];

/// How many unknown keys the strict decoder reports at most.
const MAX_REPORTED: usize = 100;

/// What `metadata` decodes to.
#[derive(Debug, Default)]
pub struct Decoded {
    /// The fields, as Go writes them back: empty ones are left out.
    pub fields: Map<String, Value>,
    /// The paths of unknown keys below `metadata`, in the decoder's order.
    pub unknown: Vec<String>,
}

/// Decodes `metadata`. `lenient` drops malformed fields one by one, as reading from storage does.
///
/// The error is the decoder's text.
pub fn decode(metadata: Value, lenient: bool) -> Result<Decoded, String> {
    let mut object = match metadata {
        Value::Null => Map::new(),
        Value::Object(object) => object,
        other if lenient => {
            return Err(format!("invalid metadata: expected object, got {}", go::type_name(&other)));
        }
        other => {
            let ty = json_type(&other);
            return Err(format!("json: cannot unmarshal {ty} into Go value of type v1.ObjectMeta"));
        }
    };
    object.sort_keys();
    let mut decoder = Decoder::default();
    let mut fields = Map::new();
    for (key, value) in object {
        let reported = decoder.unknown.len();
        let decoded = decoder.entry(&key, value, "ObjectMeta", OBJECT_META);
        if lenient && decoder.error.take().is_some() {
            decoder.unknown.truncate(reported);
        } else if let Some(value) = decoded {
            fields.insert(key, value);
        }
    }
    match decoder.error {
        Some(error) => Err(error),
        None => Ok(Decoded { fields, unknown: decoder.unknown }),
    }
}

#[derive(Default)]
struct Decoder {
    /// The path for reports, with indexes.
    path: String,
    /// The path for errors, without.
    field: Vec<&'static str>,
    unknown: Vec<String>,
    /// The first error; Go goes on and reports this one.
    error: Option<String>,
}

impl Decoder {
    fn fields(
        &mut self,
        mut object: Map<String, Value>,
        name: &'static str,
        fields: Fields,
    ) -> Map<String, Value> {
        object.sort_keys();
        let mut out = Map::new();
        for (key, value) in object {
            if let Some(value) = self.entry(&key, value, name, fields) {
                out.insert(key, value);
            }
        }
        for (field, kind) in fields {
            if matches!(kind, Kind::TextAlways) && !out.contains_key(*field) {
                out.insert((*field).to_owned(), Value::from(""));
            }
        }
        out
    }

    /// The value of a key as it is written back, if it is; `name` is the struct's.
    fn entry(&mut self, key: &str, value: Value, name: &'static str, fields: Fields) -> Option<Value> {
        let mark = self.path.len();
        if mark > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        let decoded = match fields.iter().find(|(field, _)| *field == key) {
            Some((field, kind)) => {
                self.field.push(field);
                let decoded = self.field(value, *kind, name);
                self.field.pop();
                decoded
            }
            None => {
                if self.unknown.len() < MAX_REPORTED {
                    self.unknown.push(self.path.clone());
                }
                None
            }
        };
        self.path.truncate(mark);
        decoded
    }

    /// The value as it is written back; none for what Go leaves out.
    fn field(&mut self, value: Value, kind: Kind, of: &'static str) -> Option<Value> {
        match (kind, value) {
            (_, Value::Null) => None,
            (Kind::Text, Value::String(text)) => (!text.is_empty()).then_some(Value::String(text)),
            (Kind::TextAlways, value @ Value::String(_)) | (Kind::OptBool, value @ Value::Bool(_)) => {
                Some(value)
            }
            (Kind::Int | Kind::OptInt, Value::Number(number)) => match go::canonical(&number).as_i64() {
                Some(0) if matches!(kind, Kind::Int) => None,
                Some(whole) => Some(Value::from(whole)),
                None => self.fail(&format!("number {}", go::to_json(&Value::Number(number))), of, "int64"),
            },
            (Kind::Time, Value::String(mut text)) => {
                match time::parse(&text) {
                    Some(time) if time.is_zero() => None,
                    Some(time) => {
                        text.clear();
                        write!(text, "{time}").expect("memory takes any text");
                        Some(Value::String(text))
                    }
                    None => {
                        let quoted = go::quote(&text);
                        self.error.get_or_insert_with(|| {
                        format!(r#"parsing time {quoted} as "2006-01-02T15:04:05Z07:00": cannot parse {quoted}"#)
                    });
                        None
                    }
                }
            }
            (Kind::TextMap, Value::Object(entries)) => self.text_map(entries, of),
            (Kind::TextList, Value::Array(items)) => {
                let texts: Vec<Value> = items.into_iter().map(|it| self.text(it, of)).collect();
                (!texts.is_empty()).then_some(Value::Array(texts))
            }
            (Kind::List(name, fields), Value::Array(items)) => self.list(items, name, fields, of),
            (Kind::Raw, mut raw) => {
                go::reencode(&mut raw);
                Some(raw)
            }
            (_, other) => self.fail(json_type(&other), of, go_type(kind)),
        }
    }

    fn text_map(&mut self, entries: Map<String, Value>, of: &'static str) -> Option<Value> {
        let texts: Map<String, Value> =
            entries.into_iter().map(|(key, it)| (key, self.text(it, of))).collect();
        (!texts.is_empty()).then_some(Value::Object(texts))
    }

    fn text(&mut self, value: Value, of: &'static str) -> Value {
        match value {
            Value::String(_) => value,
            Value::Null => Value::from(""),
            other => self.fail(json_type(&other), of, "string").unwrap_or_default(),
        }
    }

    fn list(
        &mut self,
        items: Vec<Value>,
        name: &'static str,
        fields: Fields,
        of: &'static str,
    ) -> Option<Value> {
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let mark = self.path.len();
            self.path.push_str(&format!("[{index}]"));
            match item {
                Value::Object(object) => out.push(Value::Object(self.fields(object, name, fields))),
                Value::Null => out.push(Value::Object(self.fields(Map::new(), name, fields))),
                other => {
                    self.fail(json_type(&other), of, &format!("v1.{name}"));
                }
            }
            self.path.truncate(mark);
        }
        (!out.is_empty()).then_some(Value::Array(out))
    }

    fn fail(&mut self, what: &str, of: &str, wanted: &str) -> Option<Value> {
        let field = self.field.join(".");
        self.error.get_or_insert_with(|| {
            format!("json: cannot unmarshal {what} into Go struct field {of}.{field} of type {wanted}")
        });
        None
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn go_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::TextAlways | Kind::Time => "string",
        Kind::Int | Kind::OptInt => "int64",
        Kind::OptBool => "bool",
        Kind::TextMap => "map[string]string",
        Kind::TextList => "[]string",
        Kind::List("OwnerReference", _) => "[]v1.OwnerReference",
        Kind::List(..) => "[]v1.ManagedFieldsEntry",
        Kind::Raw => "v1.FieldsV1",
    }
}
