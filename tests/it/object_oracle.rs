//! Random objects of random CRDs, answered by the model and by the API server's own code, case by case.
//!
//! Skipped without `KOPF_CRD_ORACLE`, the path of the built oracle (`../shared/tools/oracle`). `KOPF_CRD_SEED` and
//! `KOPF_CRD_CASES` choose others; the seed is printed. Schemas have no rules in CEL: those have a test of their own.

use kopf_crd::simulate;
use serde_json::{Map, Value, json};

use crate::admit_oracle::{ask, oracle, seed_and_count};
use crate::random_crd::Random;

const KEYS: &[&str] = &["kopf", "progress", "fn", "a", "b", "phase"];

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// A schema that the server takes, most of the time.
fn schema(random: &mut Random, depth: usize) -> Value {
    let mut out = match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => json!({ "type": "string" }),
        1 => json!({ "type": "integer", "minimum": 0 }),
        2 => json!({ "type": "number", "maximum": 5.5 }),
        3 => json!({ "type": "boolean" }),
        4 => json!({ "x-kubernetes-int-or-string": true }),
        5 => json!({ "type": "object", PRESERVE: true }),
        6 => json!({ "type": "array", "items": schema(random, depth - 1) }),
        7 => json!({ "type": "object", "additionalProperties": schema(random, depth - 1) }),
        _ => {
            let keys: Vec<_> = KEYS.iter().filter(|_| random.one_in(2)).collect();
            let properties: Map<_, _> =
                keys.iter().map(|key| ((**key).to_owned(), schema(random, depth - 1))).collect();
            json!({ "type": "object", "properties": properties })
        }
    };
    if random.one_in(6) {
        out["nullable"] = json!(true);
    }
    decorate(random, &mut out);
    out
}

/// Adds what fits the type.
fn decorate(random: &mut Random, out: &mut Value) {
    match out["type"].as_str() {
        Some("string") if random.one_in(3) => out["enum"] = json!(["x", "y"]),
        Some("string") if random.one_in(3) => out["default"] = json!("x"),
        Some("string") if random.one_in(4) => out["format"] = json!("date-time"),
        Some("integer") if random.one_in(4) => out["default"] = json!(1),
        Some("array") if random.one_in(4) => out["maxItems"] = json!(1),
        Some("array") if random.one_in(4) => out["x-kubernetes-list-type"] = json!("set"),
        Some("object") if random.one_in(5) => out["required"] = json!([random.pick(KEYS)]),
        Some("object") if random.one_in(6) => out["maxProperties"] = json!(1),
        Some("object") if random.one_in(6) => out[PRESERVE] = json!(true),
        _ => {}
    }
}

/// A value that mostly fits a schema.
fn value(random: &mut Random, schema: &Value, depth: usize) -> Value {
    if random.one_in(12) {
        return random.pick(&[json!(null), json!("x"), json!({ "a": { "b": 1 } }), json!([1, "x"])]).clone();
    }
    match schema["type"].as_str() {
        Some("string") => json!(*random.pick(&["x", "y", "z", "2026-01-01T12:00:00Z"])),
        Some("integer") => random.pick(&[json!(1), json!(-1), json!(2.0)]).clone(),
        Some("number") => random.pick(&[json!(1.5), json!(7)]).clone(),
        Some("boolean") => json!(random.one_in(2)),
        Some("array") => (0..random.below(3)).map(|_| value(random, &schema["items"], depth)).collect(),
        Some("object") => object(random, schema, depth),
        _ => random.pick(&[json!(1), json!("x"), json!(1.5)]).clone(),
    }
}

fn object(random: &mut Random, schema: &Value, depth: usize) -> Value {
    let mut out = Map::new();
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        if !random.one_in(3) {
            out.insert(key.clone(), value(random, of, depth + 1));
        }
    }
    if random.one_in(2) && depth < 6 {
        let of = if schema["additionalProperties"].is_object() {
            &schema["additionalProperties"]
        } else {
            &Value::Null
        };
        out.insert((*random.pick(KEYS)).to_owned(), value(random, of, depth + 1));
    }
    Value::Object(out)
}

/// A case: a CRD of two versions, and an object of one of them, new or in place of an old one.
fn case(random: &mut Random, id: &str) -> Value {
    let mut versions = Vec::new();
    let mut statuses = Vec::new();
    for name in ["v1", "v2"] {
        let mut status = schema(random, 3);
        status["type"] = json!("object");
        status.as_object_mut().expect("a mapping").remove("x-kubernetes-int-or-string");
        versions.push(json!({
            "name": name, "served": true, "storage": name == "v1", "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": status } } },
        }));
        statuses.push(status);
    }
    let at = random.below(2);
    let mut case = json!({
        "id": id,
        "crd": {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "things.example.com" },
            "spec": {
                "group": "example.com", "scope": "Namespaced", "versions": versions,
                "names": { "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList" },
            },
        },
        "version": (["v1", "v2"][at]),
        "endpoint": (["main", "status"][random.below(2)]),
        "object": { "status": value(random, &statuses[at], 0) },
    });
    if random.one_in(3) {
        case["old"] = json!({ "status": value(random, &statuses[at], 0) });
    }
    case
}

/// Errors by field and type.
fn kinds(errors: &Value) -> Vec<String> {
    let errors = errors.as_array().into_iter().flatten();
    let mut kinds: Vec<_> = errors.map(|it| format!("{} {}", it["field"], it["type"])).collect();
    kinds.sort();
    kinds
}

#[test]
fn random_objects_are_treated_as_the_server_treats_them() {
    let Some(oracle) = oracle() else { return };
    let (seed, count) = seed_and_count();
    let mut random = Random::new(seed);
    let cases: Vec<_> = (0..count).map(|at| case(&mut random, &format!("object/{seed}-{at}"))).collect();
    let answers = ask(&oracle, cases.iter().cloned());
    let (mut served, mut wrong) = (0, Vec::new());
    for case in &cases {
        let theirs = &answers[case["id"].as_str().expect("an id")];
        let ours: Value = serde_json::from_str(&simulate::answer(&case.to_string())).expect("JSON");
        if ours.get("unknown").is_some() {
            continue;
        }
        served += usize::from(theirs.get("defaulted").is_some());
        let values = ["decode_error", "pruned_object", "pruned_paths", "defaulted"].iter();
        let values = values.filter(|it| ours.get(**it) != theirs.get(**it)).map(|it| (*it).to_owned());
        let errors = ["crd_errors", "validation_errors"].iter();
        let errors =
            errors.filter(|it| kinds(&ours[**it]) != kinds(&theirs[**it])).map(|it| (*it).to_owned());
        let differ: Vec<_> = values.chain(errors).collect();
        if !differ.is_empty() {
            wrong.push(format!("{differ:?}\n  case   {case}\n  server {theirs}\n  ours   {ours}"));
        }
    }
    println!("{count} cases, {served} served, {} wrong", wrong.len());
    assert!(served * 3 > cases.len(), "only {served} of {count} CRDs are served");
    assert!(wrong.is_empty(), "{} of {count} differ, the first:\n{}", wrong.len(), wrong[0]);
}
