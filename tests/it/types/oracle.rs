//! Every shape, asked of the API server's own code: the CRD is accepted without a warning, and every patch that Kopf would
//! send is answered with success and read back whole.
//!
//! The server's code is `../shared/tools/oracle`; `KOPF_CRD_ORACLE` names the built program. Skipped without it.

use crate::types::shapes;
use kopf_crd::kopf::Contract;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use std::io::Write;
use std::process::Command;
use std::process::Stdio;

/// Lines of the oracle's answers, in the order of the questions. None when there is no oracle.
fn ask(cases: &[Value]) -> Option<Vec<Value>> {
    let Some(oracle) = std::env::var_os("KOPF_CRD_ORACLE") else {
        println!("skipped: KOPF_CRD_ORACLE does not name the oracle");
        return None;
    };
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    let mut child =
        Command::new(oracle).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the oracle runs");
    let mut stdin = child.stdin.take().expect("it has an input");
    let writer = std::thread::spawn(move || stdin.write_all(lines.join("\n").as_bytes()));
    let output = child.wait_with_output().expect("the oracle answers");
    writer.join().expect("no panic").expect("the oracle reads");
    let answers = String::from_utf8(output.stdout).expect("the oracle writes text");
    Some(answers.lines().map(|it| serde_json::from_str(it).expect("the oracle writes JSON")).collect())
}

/// An object of the kind, as a user would create it.
fn object(crd: &Value) -> Value {
    let version = &crd["spec"]["versions"][0];
    let example = kopf_crd::__private::example(&version["schema"]["openAPIV3Schema"]);
    let mut object: Map<String, Value> =
        example.and_then(|it| it.as_object().cloned()).expect("the shape has an example");
    object.remove("status");
    object.insert("apiVersion".to_owned(), json!("example.com/v1"));
    object.insert("kind".to_owned(), json!("Widget"));
    object.insert("metadata".to_owned(), json!({"name": "w", "namespace": "default"}));
    Value::Object(object)
}

/// One question a sample of a slot.
fn cases(name: &str, crd: &Value, contract: &Contract) -> Vec<(Value, Value)> {
    let status = crd["spec"]["versions"][0]["subresources"].get("status").is_some();
    let mut found = Vec::new();
    let slots = contract.slots();
    let single = slots.iter().flat_map(|slot| {
        slot.samples
            .iter()
            .map(move |sample| (format!("{name} {} {}", slot.path, sample.about), sample.clone()))
    });
    let together = contract.together().into_iter().map(|it| (format!("{name} {}", it.about), it));
    for (id, sample) in single.chain(together) {
        let mut steps = vec![json!({"op": "create", "object": object(crd)})];
        for patch in sample.before.iter().chain([&sample.patch]) {
            for request in contract.requests(patch, status) {
                let mut step = json!({"op": "merge-patch", "patch": request.patch});
                if request.status {
                    step["endpoint"] = json!("status");
                }
                steps.push(step);
            }
        }
        steps.push(json!({"op": "get"}));
        found.push((json!({"id": id, "crd": crd, "steps": steps}), sample.patch));
    }
    found
}

/// Whether all that was sent is there; what was sent as null is not.
fn holds(sent: &Value, stored: Option<&Value>) -> bool {
    match (sent, stored) {
        (Value::Null, stored) => stored.is_none(),
        (Value::Object(sent), Some(stored @ Value::Object(_))) => {
            sent.iter().all(|(key, it)| holds(it, stored.get(key)))
        }
        // An empty parent need not be there for what is not there.
        (Value::Object(sent), None) => sent.values().all(|it| holds(it, None)),
        (sent, Some(stored)) => sent == stored,
        _ => false,
    }
}

#[test]
fn the_api_server_accepts_every_shape_and_keeps_every_slot() {
    let mut asked = Vec::new();
    for shape in shapes::ALL {
        let crd = serde_json::to_value((shape.ours)()).expect("a CRD is plain data");
        // A result that no attribute names has no place to be kept.
        let contract =
            Contract { other_results: false, ..(shape.contract)().expect("the attributes make sense") };
        asked.extend(cases(shape.name, &crd, &contract));
    }
    let (cases, sent): (Vec<Value>, Vec<Value>) = asked.into_iter().unzip();
    let Some(answers) = ask(&cases) else { return };
    assert_eq!(answers.len(), cases.len(), "an answer a question");
    let mut wrong = Vec::new();
    for (answer, sent) in answers.iter().zip(&sent) {
        let id = &answer["id"];
        let empty = |it: &Value| it.as_array().is_none_or(Vec::is_empty);
        if !answer["decode_error"].is_null()
            || !empty(&answer["crd_errors"])
            || !empty(&answer["crd"]["warnings"])
        {
            wrong.push(format!(
                "{id}: {} {} {}",
                answer["decode_error"], answer["crd_errors"], answer["crd"]["warnings"]
            ));
            continue;
        }
        let steps = answer["steps"].as_array().expect("there are steps");
        if let Some(refused) = steps.iter().find(|it| it["code"].as_u64().is_none_or(|it| it >= 300)) {
            wrong.push(format!("{id}: {refused}"));
        } else if !holds(sent, steps.last().map(|it| &it["object"])) {
            wrong.push(format!(
                "{id}: {sent} is read back as {}",
                steps.last().expect("there is a get")["object"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), answers.len(), wrong.join("\n"));
    println!("{} patches were kept", answers.len());
}
