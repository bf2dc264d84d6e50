//! Decoding and accepting CRDs, against the answers of the API server's own code.

use kopf_crd::crd;
use kopf_crd::schema;
use kopf_crd::source::Span;
use kopf_crd::yaml::{Entry, Node, Style, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;

fn vectors(name: &str) -> Vec<Json> {
    let path = format!("{}/tests/vectors/apiserver/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn node(value: &Json) -> Node {
    let value = match value {
        Json::Null => Value::Null,
        Json::Bool(it) => Value::Bool(*it),
        Json::Number(it) => match it.as_i64() {
            Some(it) => Value::Int(it),
            None => Value::Float(it.as_f64().expect("a number")),
        },
        Json::String(it) => Value::String(it.as_str().into()),
        Json::Array(items) => Value::Sequence(items.iter().map(node).collect()),
        Json::Object(fields) => {
            let entry = |(key, value): (&String, &Json)| Entry {
                key: key.as_str().into(),
                key_span: Span::default(),
                value: node(value),
            };
            Value::Mapping(fields.iter().map(entry).collect())
        }
    };
    Node { span: Span::default(), value, style: Style::Plain, shared: false }
}

/// The cases whose CRD is a JSON object, each with the answer.
fn cases() -> Vec<(String, Json, Json)> {
    let answers: BTreeMap<String, Json> = vectors("expected.jsonl")
        .into_iter()
        .map(|it| (it["id"].as_str().expect("an id").to_owned(), it))
        .collect();
    let cases = vectors("cases.jsonl").into_iter().filter(|it| it["crd"].is_object());
    let pair = |it: Json| {
        let id = it["id"].as_str().expect("an id").to_owned();
        let answer = answers[&id].clone();
        (id, it["crd"].clone(), answer)
    };
    cases.map(pair).collect()
}

fn texts(value: &Json) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|it| it.as_str().expect("text").to_owned()).collect()
}

#[test]
fn crds_are_decoded_as_the_server_decodes_them() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() > 400, "only {} cases", cases.len());
    for (id, json, answer) in &cases {
        let read = crd::read(&node(json));
        let said = &answer["crd"];
        let message = read.undecodable.as_ref().map(|it| it.message.as_str());
        if message != said["decode_error"].as_str() {
            wrong.push(format!("{id}: decode error {message:?}, the server: {}", said["decode_error"]));
        }
        if message.is_some() {
            continue;
        }
        let mut strict = read.strict_errors();
        strict.sort();
        let mut expected = texts(&said["strict_errors"]);
        expected.sort();
        if strict != expected {
            wrong.push(format!("{id}: strict errors {strict:?}, the server: {expected:?}"));
        }
        let crd = read.crd.expect("a mapping");
        let versions: Vec<String> = crd.versions.iter().map(|it| it.name.clone()).collect();
        if versions != texts(&said["versions"]) {
            wrong.push(format!("{id}: versions {versions:?}, the server: {}", said["versions"]));
        }
        let storage = crd.versions.iter().filter(|it| it.storage).next_back().map(|it| it.name.as_str());
        if storage != said["storage_version"].as_str() {
            wrong.push(format!("{id}: stored in {storage:?}, the server: {}", said["storage_version"]));
        }
        for version in &crd.versions {
            let expected = said["status_subresource"][&version.name].as_bool();
            if expected != Some(version.status_subresource) {
                wrong.push(format!("{id}: {}: the status subresource is {expected:?}", version.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn schemas_nested_without_end_are_refused_by_name() {
    let read = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let deep = node_of_depth(1000);
            let out = schema::read_alone(&deep).undecodable.map(|it| it.message);
            // Dropping so deep a node is not what this test is about.
            std::mem::forget(deep);
            out
        })
        .expect("a thread")
        .join()
        .expect("no overflow");
    let message = read.expect("too deep");
    assert!(message.contains(&schema::MAX_DEPTH.to_string()), "{message}");
}

fn node_of_depth(depth: usize) -> Node {
    let plain = |value| Node { span: Span::default(), value, style: Style::Plain, shared: false };
    let map = |key: &str, value| {
        let entry = Entry { key: key.into(), key_span: Span::default(), value };
        plain(Value::Mapping(vec![entry]))
    };
    let mut out = plain(Value::Mapping(Vec::new()));
    for _ in 0..depth {
        out = map("properties", map("a", out));
    }
    out
}
