//! Makes a value that a schema accepts, and from it the contract of results whose type is declared.
//!
//! A best effort: what no example is found for is judged as if its type were unknown.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::kopf::ContractConfig;
use crate::types::KopfCrd;
use crate::types::ResultType;
use crate::types::open::PRESERVE;

/// A value of every string format that the API server checks.
const FORMATS: [(&str, &str); 12] = [
    ("date-time", "2026-01-01T12:00:00Z"),
    ("datetime", "2026-01-01T12:00:00Z"),
    ("date", "2026-01-01"),
    ("duration", "1h"),
    ("uri", "https://example.com/"),
    ("email", "a@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ip", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uuid", "00000000-0000-4000-8000-000000000000"),
    ("byte", "eA=="),
];

/// What the patterns of names, numbers and versions tend to accept.
const GUESSES: [&str; 10] = ["x", "1", "a1", "X", "a.b", "a/b", "1.2.3", "v1", "1s", "#abc"];

/// The statements of a derived type, with examples of results whose type its schema declares.
pub(crate) fn config_of<T: KopfCrd>(crd: &CustomResourceDefinition) -> ContractConfig {
    let mut config = T::FACTS.config();
    let schema = schema_of(crd);
    for ((id, ty), text) in T::FACTS.results.iter().zip(config.result.iter_mut().flatten()) {
        let node = &schema["properties"]["status"]["properties"][*id];
        let open = node.get(PRESERVE) == Some(&Value::Bool(true));
        match (ty, node.get("type").and_then(Value::as_str)) {
            (ResultType::Json(_), _) => {}
            (ResultType::Any, None) if open => {}
            (_, Some(ty)) if open => *text = format!("{id}={ty}"),
            _ => {
                if let Some(example) = example(node) {
                    *text = format!("{id}={example}");
                }
            }
        }
    }
    config
}

/// The schema of the only version that kube's derive makes.
pub(crate) fn schema_of(crd: &CustomResourceDefinition) -> Value {
    let schema = crd.spec.versions.first().and_then(|it| it.schema.as_ref()?.open_api_v3_schema.as_ref());
    schema.map_or(Value::Null, |it| serde_json::to_value(it).expect("a schema is plain data"))
}

/// A value that the schema accepts; none where that takes more than a look (patterns, rules).
pub fn example(schema: &Value) -> Option<Value> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(given) = schema.get("default") {
        return Some(given.clone());
    }
    if let Some(first) =
        schema.get("enum").and_then(Value::as_array).and_then(|it| it.iter().find(|it| !it.is_null()))
    {
        return Some(first.clone());
    }
    if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
        return Some(json!(1));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => text(schema),
        Some("boolean") => Some(json!(true)),
        Some("integer") => Some(json!(number("minimum").map_or(1, |it| it.ceil() as i64))),
        Some("number") => Some(json!(number("minimum").unwrap_or(1.5))),
        Some("array") => {
            let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).max(1);
            let item = example(schema.get("items")?)?;
            Some(Value::Array(vec![item; count as usize]))
        }
        Some("object") => mapping(schema),
        _ => Some(json!({})),
    }
}

fn text(schema: &Value) -> Option<Value> {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if let Some((_, text)) = FORMATS.iter().find(|it| it.0 == format) {
        return Some(json!(text));
    }
    let length = schema.get("minLength").and_then(Value::as_u64).unwrap_or(1).max(1);
    let length = usize::try_from(length).ok().filter(|it| *it < 4096)?;
    let pattern = match schema.get("pattern").and_then(Value::as_str) {
        Some(pattern) => Some(regex::Regex::new(pattern).ok()?),
        None => None,
    };
    let fits = |text: &String| pattern.as_ref().is_none_or(|it| it.is_match(text));
    GUESSES.iter().map(|it| it.repeat(length.div_ceil(it.len()))).find(fits).map(Value::String)
}

/// All declared properties, or of variants the first one's.
fn mapping(schema: &Value) -> Option<Value> {
    let mut found = Map::new();
    let variant = ["oneOf", "anyOf"].iter().find_map(|it| schema.get(it)?.as_array()?.first());
    let only = variant.and_then(|it| it.get("required")).and_then(Value::as_array);
    let required = schema.get("required").and_then(Value::as_array);
    for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let named = |list: Option<&Vec<Value>>| list.is_some_and(|it| it.iter().any(|it| it == key));
        if variant.is_some() && !named(only) && !named(required) {
            continue;
        }
        let narrowed = variant.and_then(|it| it.get("properties")?.get(key)?.get("enum")?.get(0));
        match narrowed.cloned().or_else(|| example(property)) {
            Some(value) => drop(found.insert(key.clone(), value)),
            None if named(required) || named(only) => return None,
            None => {}
        }
    }
    if let Some(values @ Value::Object(_)) = schema.get("additionalProperties") {
        found.insert("key".to_owned(), example(values)?);
    }
    Some(Value::Object(found))
}
