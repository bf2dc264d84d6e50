//! Lists that are sets or maps: no item and no key occurs twice.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.

use super::go;
use crate::schema::Schema;
use crate::server::problem::Problem;
use crate::source::Span;
use serde_json::Map;
use serde_json::Value;
use std::collections::HashMap;

/// Judges every list of an object that its schema makes a set or a map.
pub(in crate::server) fn validate(object: &Map<String, Value>, schema: Option<&Schema>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(schema) = schema {
        in_object(object, schema, "", &mut problems);
    }
    problems
}

fn in_object(object: &Map<String, Value>, schema: &Schema, path: &str, problems: &mut Vec<Problem>) {
    for (key, value) in object.iter().filter(|(_, it)| it.is_array() || it.is_object()) {
        if let Some(additional) = schema.additional() {
            in_value(value, additional, || format!("{path}[{key}]"), problems);
        }
        if let Some(property) = schema.property(key) {
            let child = || match (path.is_empty(), key.is_empty()) {
                (_, true) => format!("{path}[]"),
                (true, false) => key.clone(),
                (false, false) => format!("{path}.{key}"),
            };
            in_value(value, property, child, problems);
        }
    }
}

fn in_value(value: &Value, schema: &Schema, path: impl FnOnce() -> String, problems: &mut Vec<Problem>) {
    match value {
        Value::Array(items) => in_array(items, schema, &path(), problems),
        Value::Object(object) => in_object(object, schema, &path(), problems),
        _ => {}
    }
}

fn in_array(items: &[Value], schema: &Schema, path: &str, problems: &mut Vec<Problem>) {
    match schema.list_type.as_deref() {
        Some("set") => {
            for index in repeated(items.iter().map(|it| Key::of(Some(it)))) {
                problems.push(duplicate(path, index, items[index].clone(), schema.at));
            }
        }
        Some("map") => in_map(items, schema, path, problems),
        _ => {}
    }
    let Some(item) = schema.item() else { return };
    for (index, value) in items.iter().enumerate() {
        in_value(value, item, || format!("{path}[{index}]"), problems);
    }
}

fn in_map(items: &[Value], schema: &Schema, path: &str, problems: &mut Vec<Problem>) {
    if let Some(index) = items.iter().position(|it| !it.is_object() && !it.is_null()) {
        let detail = "must be an object for an array of list-type map";
        let mut problem = Problem::invalid(format!("{path}[{index}]"), items[index].clone(), detail);
        problem.at = schema.at;
        problems.push(problem);
        return;
    }
    let keys_of = |item: &Value| -> Map<String, Value> {
        let keys = schema.list_map_keys.iter();
        keys.filter_map(|key| item.get(key).map(|it| (key.clone(), it.clone()))).collect()
    };
    let found = match schema.list_map_keys.as_slice() {
        [key] => repeated(items.iter().map(|it| Key::of(it.get(key)))),
        _ => repeated(items.iter().map(|it| Key::Json(go::to_json(&Value::Object(keys_of(it)))))),
    };
    for index in found {
        problems.push(duplicate(path, index, Value::Object(keys_of(&items[index])), schema.at));
    }
}

fn duplicate(path: &str, index: usize, value: Value, at: Span) -> Problem {
    let mut problem = Problem::duplicate(format!("{path}[{index}]"), value);
    problem.at = at;
    problem
}

/// What items are compared by: scalars as Go compares them (1 is not 1.0), the rest by their JSON.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Missing,
    Null,
    Bool(bool),
    Int(i64),
    Float(u64),
    Text(String),
    Json(String),
}

impl Key {
    fn of(value: Option<&Value>) -> Self {
        match value {
            None => Key::Missing,
            Some(Value::Null) => Key::Null,
            Some(Value::Bool(it)) => Key::Bool(*it),
            Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) if !number.is_f64() => Key::Int(whole),
                // Zero equals minus zero.
                (_, float) => Key::Float((float.unwrap_or_default() + 0.0).to_bits()),
            },
            Some(Value::String(text)) => Key::Text(text.clone()),
            Some(other) => Key::Json(go::to_json(other)),
        }
    }
}

/// The places where a key occurs for the second time; further ones are not reported.
fn repeated(keys: impl Iterator<Item = Key>) -> Vec<usize> {
    let mut seen: HashMap<Key, usize> = HashMap::new();
    let mut second = Vec::new();
    for (index, key) in keys.enumerate() {
        let times = seen.entry(key).or_default();
        *times += 1;
        if *times == 2 {
            second.push(index);
        }
    }
    second
}
