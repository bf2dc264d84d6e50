//! Embedded resources: their `metadata` is coerced like that of an object of its own, and judged too.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/objectmeta, `algorithm.go` and `validation.go`.

use super::meta;
use super::names;
use super::place::Place;
use super::problem::Problem;
use super::prune::Lost;
use super::prune::declared;
use crate::schema::Keywords;
use crate::schema::Schema;
use serde_json::Map;
use serde_json::Value;

/// What makes a resource of a value.
const EMBEDDED: Keywords = Keywords::of(&["x-kubernetes-embedded-resource"]);

/// Drops unknown keys of embedded metadata, and appends their paths to `lost`, sorted.
///
/// `root`: the object itself is a resource too. `lenient` drops what is malformed; else it is an error.
pub(super) fn coerce(
    object: &mut Map<String, Value>,
    schema: Option<&Schema>,
    root: bool,
    lenient: bool,
    lost: Option<&mut Vec<Lost>>,
) -> Result<(), Box<Problem>> {
    let nothing = Schema::default();
    let schema = match schema {
        Some(schema) => schema,
        None if root => &nothing,
        None => return Ok(()),
    };
    if !root && !has_resources(schema) {
        return Ok(());
    }
    let mut coercer = Coercer { path: String::new(), lenient, lost: Vec::new() };
    coercer.object(object, schema, root || schema.embedded)?;
    coercer.lost.sort();
    if let Some(lost) = lost {
        lost.append(&mut coercer.lost);
    }
    Ok(())
}

/// Whether a node is a resource, be it for the caller's purposes only, or resources may be below.
fn has_resources(schema: &Schema) -> bool {
    schema.embedded || schema.within.meets(EMBEDDED)
}

struct Coercer {
    path: String,
    lenient: bool,
    lost: Vec<Lost>,
}

impl Coercer {
    fn object(
        &mut self,
        object: &mut Map<String, Value>,
        schema: &Schema,
        embedded: bool,
    ) -> Result<(), Box<Problem>> {
        if embedded {
            self.type_meta(object, "apiVersion")?;
            self.type_meta(object, "kind")?;
            self.metadata(object, schema)?;
        }
        for (key, value) in object.iter_mut() {
            let Some(Some(below)) = declared(schema, key) else { continue };
            let mark = self.path.len();
            self.path = step(std::mem::take(&mut self.path), schema, key);
            self.value(value, below)?;
            self.path.truncate(mark);
        }
        Ok(())
    }

    fn value(&mut self, value: &mut Value, schema: &Schema) -> Result<(), Box<Problem>> {
        match value {
            Value::Object(object) => self.object(object, schema, schema.embedded),
            Value::Array(items) => {
                let Some(item) = schema.item() else { return Ok(()) };
                for (index, value) in items.iter_mut().enumerate() {
                    let mark = self.path.len();
                    self.path.push_str(&format!("[{index}]"));
                    self.value(value, item)?;
                    self.path.truncate(mark);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn type_meta(&mut self, object: &mut Map<String, Value>, key: &str) -> Result<(), Box<Problem>> {
        match object.get(key) {
            None | Some(Value::String(_)) => Ok(()),
            Some(_) if self.lenient => {
                object.remove(key);
                Ok(())
            }
            Some(value) => Err(Problem::invalid(self.below(key), value.clone(), "must be a string").into()),
        }
    }

    fn metadata(&mut self, object: &mut Map<String, Value>, schema: &Schema) -> Result<(), Box<Problem>> {
        let Some(metadata) = object.get_mut("metadata") else { return Ok(()) };
        let decoded = match meta::decode(metadata.clone(), self.lenient) {
            Ok(decoded) => decoded,
            Err(_) if self.lenient => return Ok(()),
            Err(error) => {
                return Err(Problem::invalid(self.below("metadata"), metadata.clone(), &error).into());
            }
        };
        *metadata = Value::Object(decoded.fields);
        let prefix = self.below("metadata");
        self.lost
            .extend(decoded.unknown.iter().map(|it| Lost { path: format!("{prefix}.{it}"), at: schema.at }));
        Ok(())
    }

    fn below(&self, key: &str) -> String {
        child(self.path.clone(), key)
    }
}

/// Judges the type and metadata of every embedded resource; not of the root.
pub(super) fn validate(object: &Map<String, Value>, schema: Option<&Schema>, problems: &mut Vec<Problem>) {
    if let Some(schema) = schema.filter(|it| has_resources(it)) {
        validate_object(object, schema, String::new(), problems);
    }
}

fn validate_object(object: &Map<String, Value>, schema: &Schema, path: String, problems: &mut Vec<Problem>) {
    if schema.embedded {
        validate_resource(object, schema, &path, problems);
    }
    for (key, value) in object {
        let Some(Some(below)) = declared(schema, key) else { continue };
        if value.is_object() || value.is_array() {
            validate_value(value, below, step(path.clone(), schema, key), problems);
        }
    }
}

fn validate_value(value: &Value, schema: &Schema, path: String, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(object) => validate_object(object, schema, path, problems),
        Value::Array(items) => {
            let Some(item) = schema.item() else { return };
            for (index, value) in items.iter().enumerate() {
                validate_value(value, item, format!("{path}[{index}]"), problems);
            }
        }
        _ => {}
    }
}

/// The path of a declared key, `a.b`, or of another one, `a[b]`.
fn step(path: String, schema: &Schema, key: &str) -> String {
    if schema.property(key).is_some() { child(path, key) } else { path + "[" + key + "]" }
}

fn child(path: String, key: &str) -> String {
    match (path.is_empty(), key.is_empty()) {
        // A nameless step is an index without a value, to the server.
        (_, true) => path + "[]",
        (true, false) => key.to_owned(),
        (false, false) => path + "." + key,
    }
}

fn validate_resource(object: &Map<String, Value>, schema: &Schema, path: &str, problems: &mut Vec<Problem>) {
    let from = problems.len();
    validate_type(object.get("apiVersion"), child(path.to_owned(), "apiVersion"), problems, |text| {
        (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
    });
    validate_type(object.get("kind"), child(path.to_owned(), "kind"), problems, |text| {
        let errors = names::dns1035_label(&text.to_lowercase());
        let listed = errors.join(",");
        (!errors.is_empty()).then(|| format!("may have mixed case, but should otherwise match: {listed}"))
    });
    if let Some(metadata) = object.get("metadata") {
        let field = child(path.to_owned(), "metadata");
        match meta::decode(metadata.clone(), false) {
            Err(error) => problems.push(Problem::invalid(field, metadata.clone(), &error)),
            Ok(mut decoded) => {
                decoded.fields.entry("name").or_insert_with(|| Value::from("fakename"));
                let namespaced = decoded.fields.contains_key("namespace");
                names::object_meta(
                    &decoded.fields,
                    namespaced,
                    names::path_segment,
                    &Place::root(&field),
                    problems,
                );
            }
        }
    }
    for problem in &mut problems[from..] {
        problem.at = schema.at;
    }
}

fn validate_type(
    value: Option<&Value>,
    field: String,
    problems: &mut Vec<Problem>,
    check: impl Fn(&str) -> Option<String>,
) {
    match value {
        None => problems.push(Problem::required(field, "")),
        Some(Value::String(text)) if text.is_empty() => {
            problems.push(Problem::invalid(field, Value::from(""), "must not be empty"));
        }
        Some(Value::String(text)) => {
            if let Some(error) = check(text) {
                problems.push(Problem::invalid(field, Value::from(text.as_str()), &error));
            }
        }
        Some(other) => problems.push(Problem::invalid(field, other.clone(), "must be a string")),
    }
}
