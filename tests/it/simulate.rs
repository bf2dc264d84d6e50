//! Objects on their way through the server, against the answers of the API server's own code.

use kopf_crd::server::go;
use kopf_crd::simulate;
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;

fn lines(name: &str) -> Vec<String> {
    let path = format!("{}/tests/vectors/apiserver/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.split('\n').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Cases whose outcome hangs on CEL: only these may be unknown.
fn has_rules(case: &str) -> bool {
    case.contains("x-kubernetes-validations")
}

/// Fields and types. Which of two malformed keys the server names first is Go's order of maps: chance.
fn errors(found: &Value) -> Vec<(String, String)> {
    let named = |it: &Value| {
        let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        (text("field"), text("type"))
    };
    let mut errors: Vec<_> = found.as_array().into_iter().flatten().map(named).collect();
    errors.sort();
    errors
}

/// Equal up to how a number is written: 1.0 and 1 are the same to JSON.
fn same(left: &Value, right: &Value) -> bool {
    let (mut left, mut right) = (left.clone(), right.clone());
    go::reencode(&mut left);
    go::reencode(&mut right);
    left == right
}

fn sorted(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().map(Value::to_string).collect()
}

/// What the oracle hands on of warnings: those about finalizers get lost on updates.
fn warnings(step: &Value) -> Vec<String> {
    let all = step["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| it.as_str().unwrap_or_default().to_owned());
    all.filter(|it| step["op"] == "create" || !it.starts_with("metadata.finalizers: ")).collect()
}

fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, left: &Value, right: &Value| {
        found.push(format!("{what}\n  server: {left}\n  model:  {right}"));
    };
    for key in ["crd_errors", "structural_errors", "validation_errors"] {
        if !expected[key].is_null() && errors(&expected[key]) != errors(&got[key]) {
            differ(key, &expected[key], &got[key]);
        }
    }
    for key in ["decode_error", "yaml_error"] {
        if expected["crd"][key].is_null() != got["crd"][key].is_null() {
            differ(key, &expected["crd"][key], &got["crd"][key]);
        }
    }
    if sorted(&expected["crd"]["strict_errors"]) != sorted(&got["crd"]["strict_errors"]) {
        differ("strict_errors", &expected["crd"]["strict_errors"], &got["crd"]["strict_errors"]);
    }
    if expected["decode_error"].is_null() != got["decode_error"].is_null() {
        differ("decode_error", &expected["decode_error"], &got["decode_error"]);
    }
    for key in ["pruned_object", "defaulted", "pruned_paths", "duplicate_errors"] {
        if !expected[key].is_null() && !same(&expected[key], &got[key]) {
            differ(key, &expected[key], &got[key]);
        }
    }
    let none = Vec::new();
    let steps = |it: &Value| it["steps"].as_array().unwrap_or(&none).clone();
    let (ours, theirs) = (steps(got), steps(expected));
    if ours.len() != theirs.len() {
        differ("the number of steps", &json!(theirs.len()), &json!(ours.len()));
    }
    for (number, (step, our)) in theirs.iter().zip(&ours).enumerate() {
        for key in ["code", "reason", "wrote", "object", "etcd"] {
            if !same(&step[key], &our[key]) {
                differ(&format!("steps[{number}].{key}"), &step[key], &our[key]);
            }
        }
        if errors(&step["causes"]) != errors(&our["causes"]) {
            differ(&format!("steps[{number}].causes"), &step["causes"], &our["causes"]);
        }
        if warnings(step) != warnings(our) {
            differ(&format!("steps[{number}].warnings"), &step["warnings"], &our["warnings"]);
        }
    }
    found
}

fn answered_as_expected(cases: &str, expected: &str) {
    let (cases, expected) = (lines(cases), lines(expected));
    assert_eq!(cases.len(), expected.len());
    let mut wrong = Vec::new();
    for (case, expected) in cases.iter().zip(&expected) {
        let got: Value = serde_json::from_str(&simulate::answer(case)).expect("an answer is JSON");
        let expected: Value = serde_json::from_str(expected).expect("an expectation is JSON");
        assert_eq!(got["error"], Value::Null, "{case}");
        if !got["unknown"].is_null() {
            assert!(has_rules(case), "unknown without a rule: {} {}", expected["id"], got["unknown"]);
            continue;
        }
        for difference in differences(&expected, &got) {
            wrong.push(format!("{}: {difference}", expected["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}

#[test]
fn every_vector_is_answered_as_the_server_answers() {
    answered_as_expected("cases.jsonl", "expected.jsonl");
}

#[test]
fn formats_patterns_numbers_and_sequences_are_answered_as_the_server_answers() {
    answered_as_expected("objects.jsonl", "objects_expected.jsonl");
}

#[test]
fn a_line_that_cannot_be_read_is_answered_with_an_error() {
    for line in ["", "{", "nonsense", "[]", "3", "{\"id\": 5} x", "{\"yaml\": 5}"] {
        let answer: Value = serde_json::from_str(&simulate::answer(line)).expect("an answer is JSON");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("bad input line: "), "{line}: {answer}");
    }
}

#[test]
fn yaml_is_answered_as_its_decoders_answer() {
    let answer = simulate::answer(r#"{"id": "y", "yaml": "on: 1.0\n---\nb: 0x1F\n"}"#);
    assert_eq!(answer, r#"{"id":"y","json":{"true":1},"docs":[{"true":1},{"b":31}]}"#);
}

fn open_crd() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
            }]
        }
    })
}

#[test]
fn the_body_of_an_update_is_read_before_its_object_is_looked_for() {
    // Told by a live server; the oracle looks for the object first.
    let rows = [
        (json!({"object": {"spec": {}, "x": 1}}), 404),
        (json!({"object": {"spec": {}, "x": 1}, "field_validation": "Strict"}), 400),
        (json!({"object": {"spec": {}, "metadata": [1]}}), 400),
    ];
    let mut crd = open_crd();
    let root = json!({"type": "object", "properties": {"spec": {"type": "object"}}});
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = root;
    for (mut step, code) in rows {
        step["op"] = json!("update");
        let answer = simulate::answer(&json!({"id": "u", "crd": crd, "steps": [step]}).to_string());
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["steps"][0]["code"], code, "{answer}");
    }
}

#[test]
fn depth_is_answered_not_overflowed() {
    for depth in [400, 2_000, 100_000] {
        let nested = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let line = format!("{{\"id\":\"deep\",\"crd\":{},\"object\":{{\"spec\":{nested}}}}}", open_crd());
        // The stack of a thread that nobody has configured.
        let answer = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || simulate::answer(&line))
            .expect("a thread")
            .join()
            .expect("no overflow");
        let decided = answer.ends_with("\"validation_errors\":[]}");
        assert_eq!(decided, depth == 400, "{depth}: {}", &answer[..answer.len().min(300)]);
    }
}

#[test]
fn a_deep_schema_is_served_on_an_ordinary_stack() {
    let depth = 120;
    let open = r#"{"type":"object","properties":{"a":"#;
    let schema =
        format!("{}{{\"type\":\"string\",\"default\":\"x\"}}{}", open.repeat(depth), "}}".repeat(depth));
    let mut crd = open_crd();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json!("the schema");
    let crd = crd.to_string().replace("\"the schema\"", &schema);
    let object = format!("{}{{}}{}", "{\"a\":".repeat(depth - 1), "}".repeat(depth - 1));
    let line = format!("{{\"id\":\"deep\",\"crd\":{crd},\"object\":{object}}}");
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let answer =
        thread.spawn(move || simulate::answer(&line)).expect("a thread").join().expect("no overflow");
    assert!(answer.contains("\"validation_errors\":[]"), "{}", &answer[..answer.len().min(500)]);
}
