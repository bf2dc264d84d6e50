//! Finds keys that a type collects under `#[serde(flatten)]` while its schema drops them.
//!
//! A collection with `#[schemars(skip)]`, or with a schema of somebody's own, leaves no trace in the schema. The type itself
//! tells: a key that nobody declares is put into an object, and if the type gives it back, it collects.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::path::Path;
use crate::types::example::example;
use crate::types::open::PRESERVE;
use crate::types::round_trip::without_rest;

const KEY: &str = "kopfCrdProbe";

/// One problem a mapping whose unknown keys the type collects and the API server drops.
///
/// None is found in a type that no example is found for.
pub(crate) fn pruned_by_flattening<T: DeserializeOwned + Serialize>(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(Value::Object(mut object)) = example(schema) else { return found };
    object.insert("apiVersion".to_owned(), json!("example.com/v1"));
    object.insert("kind".to_owned(), json!("Example"));
    object.insert("metadata".to_owned(), json!({}));
    let object = Value::Object(object);
    let mut places = Vec::new();
    closed(schema, &object, &Path::default(), &mut places);
    for place in places {
        let mut probed = object.clone();
        let pointer = format!("{}/{KEY}", place.pointer());
        if let Some(node) = probed.pointer_mut(&place.pointer()).and_then(Value::as_object_mut) {
            node.insert(KEY.to_owned(), json!({}));
        }
        // `Kopf<Status>` gives back whatever it is given; what it wraps may not.
        let read = without_rest(|| serde_json::from_value::<T>(probed).ok());
        let back = read.and_then(|it| serde_json::to_value(it).ok());
        if back.is_some_and(|it| it.pointer(&pointer).is_some()) {
            found.push(problem(&place));
        }
    }
    found
}

fn problem(place: &Path) -> String {
    format!(
        "the type collects unknown keys of `{place}` (`#[serde(flatten)]`), and the schema drops them: collect them in a \
         `BTreeMap<String, Value>` without `#[schemars(skip)]`, whose schema is open"
    )
}

/// The mappings with declared keys that drop all others.
fn closed(schema: &Value, example: &Value, path: &Path, found: &mut Vec<Path>) {
    let (Some(properties), Some(object)) = (schema["properties"].as_object(), example.as_object()) else {
        return;
    };
    let open =
        schema.get(PRESERVE) == Some(&Value::Bool(true)) || schema.get("additionalProperties").is_some();
    // The root is kube's own.
    if !open && !path.0.is_empty() {
        found.push(path.clone());
    }
    let none = Map::new();
    for (key, property) in if open { &none } else { properties } {
        if let Some(value) = object.get(key) {
            closed(property, value, &path.child(key), found);
        }
    }
}
