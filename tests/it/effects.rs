//! What an operator does after a loss, by what is left of what it sent.

use kopf_crd::kopf::Contract;
use kopf_crd::kopf::ContractConfig;
use kopf_crd::kopf::Slot;
use kopf_crd::kopf::effects;
use kopf_crd::kopf::effects::Loss;
use serde_json::Value;
use serde_json::json;

#[track_caller]
fn contract(of: Value) -> Contract {
    let config: ContractConfig = serde_json::from_value(of).expect("a configuration");
    config.contract().expect("a contract")
}

fn slot(contract: &Contract, name: &str) -> Slot {
    contract.slots().into_iter().find(|it| it.name == name).expect("a slot of that name")
}

/// What is stored of a patch whose record lacks these keys.
fn without(patch: &Value, keys: &[&str]) -> Value {
    let mut stored = patch.clone();
    let records = stored.pointer_mut("/status/kopf/progress").unwrap().as_object_mut().unwrap();
    for record in records.values_mut() {
        record
            .as_object_mut()
            .unwrap()
            .retain(|key, value| !value.is_null() && !keys.contains(&key.as_str()));
    }
    stored
}

#[test]
fn effects_follow_from_what_is_left() {
    let status = json!({});
    let annotated = json!({"diffbase": "annotations", "storage": "annotations"});
    let rows = [
        (&status, "progress", false, json!({"spec": {}}), Some("stalls")),
        (&status, "progress", false, json!({"status": {}}), Some("stalls-later")),
        (
            &status,
            "progress",
            false,
            json!({"status": {"kopf": {"progress": {"create_fn": {}}}}}),
            Some("stalls-later"),
        ),
        (&status, "progress", true, json!({}), Some("stalls-refused")),
        (&status, "touch", false, json!({"status": {"kopf": {}}}), Some("sleeps")),
        (&status, "touch", true, json!({}), Some("sleeps")),
        (&status, "diffbase", false, json!({}), Some("creates-again")),
        (&status, "diffbase", true, json!({}), Some("last-again-refused")),
        (&status, "result:*", false, json!({"status": {}}), Some("value-lost")),
        (&status, "result:*", false, json!({"status": {"your_handler": {}}}), Some("value-emptied")),
        (&status, "result:*", true, json!({}), Some("cycle-refused")),
        (&annotated, "result:*", true, json!({}), Some("value-refused")),
        (
            &status,
            "result:*",
            false,
            json!({"status": {"your_handler": {"your_key": "value"}, "more": 1}}),
            None,
        ),
    ];
    for (of, name, rejected, stored, effect) in rows {
        let contract = contract(of.clone());
        let slot = slot(&contract, name);
        let loss =
            Loss { rejected, status_subresource: true, patch: &slot.samples[0].patch, stored: &stored };
        assert_eq!(effects::of(&contract, &slot, &loss).map(|it| it.id), effect, "{of}: {name} as {stored}");
    }
    let contract = contract(status);
    let slot = slot(&contract, "progress");
    let rows: [(&[&str], _); 14] = [
        (&[], None),
        (&["started"], Some("stalls-on-retry")),
        (&["retries"], Some("stalls-on-retry")),
        (&["success"], Some("loops")),
        (&["success", "delayed"], Some("loops-at-once")),
        (&["success", "retries"], Some("stalls-uncounted")),
        (&["failure"], Some("fails-again")),
        (&["delayed"], Some("retries-at-once")),
        (&["delayed", "message", "purpose", "subrefs"], Some("retries-at-once")),
        (&["delayed", "retries"], Some("retries-once")),
        (&["purpose"], Some("forgets-purpose")),
        (&["message"], Some("forgets-message")),
        (&["message", "retries"], Some("stalls-on-retry")),
        (&["stopped"], None),
    ];
    for (lost, effect) in rows {
        let patch = &slot.samples[0].patch;
        let loss = Loss { rejected: false, status_subresource: true, patch, stored: &without(patch, lost) };
        assert_eq!(effects::of(&contract, &slot, &loss).map(|it| it.id), effect, "without {lost:?}");
    }
}

#[test]
fn what_a_default_brings_back_is_told() {
    let contract = contract(json!({}));
    for (name, stored, effect) in [
        (
            "progress",
            json!({"status": {"kopf": {"progress": {"create_fn": {"retries": 0}}}}}),
            Some("records-return"),
        ),
        ("touch", json!({"status": {"kopf": {"dummy": "never"}}}), Some("touch-returns")),
        ("progress", json!({"status": {"kopf": {"progress": {}}}}), None),
        ("touch", json!({"status": {"kopf": {}}}), None),
    ] {
        let slot = slot(&contract, name);
        let patch = &slot.samples.last().unwrap().patch;
        let loss = Loss { rejected: false, status_subresource: true, patch, stored: &stored };
        assert_eq!(
            effects::of(&contract, &slot, &loss).map(|it| it.id),
            effect,
            "{name} after its removal: {stored}"
        );
    }
}

/// Each row was seen with Kopf on a real API server.
#[test]
fn what_a_refusal_takes_along_depends_on_what_else_is_in_the_request() {
    let status = json!({"diffbase": "status"});
    let diffbase_apart = json!({"diffbase": "annotations"});
    let progress_apart = json!({"storage": "annotations", "diffbase": "status"});
    let all_apart = json!({"storage": "annotations"});
    let all_in_body = json!({"storage": "annotations", "writes": ["spec.x"]});
    let rows = [
        (&status, "result:*", true, "cycle-refused"),
        (&diffbase_apart, "result:*", true, "progress-refused"),
        (&diffbase_apart, "result:*", false, "cycle-refused"),
        (&progress_apart, "result:*", true, "cycle-refused"),
        (&all_apart, "result:*", true, "value-refused"),
        (&all_apart, "result:*", false, "cycle-refused"),
        (&status, "diffbase", true, "last-again-refused"),
        (&progress_apart, "diffbase", true, "creates-again-refused"),
        (&progress_apart, "diffbase", false, "last-again-refused"),
        (&all_in_body, "field:spec.x", true, "cycle-refused"),
    ];
    for (of, name, status_subresource, effect) in rows {
        let contract = contract(of.clone());
        let slot = slot(&contract, name);
        let loss =
            Loss { rejected: true, status_subresource, patch: &slot.samples[0].patch, stored: &json!({}) };
        assert_eq!(
            effects::of(&contract, &slot, &loss).map(|it| it.id),
            Some(effect),
            "{of}: {name} {status_subresource}"
        );
    }
    for (of, effect) in [(&status, "never-done"), (&diffbase_apart, "keeps-records")] {
        let contract = contract(of.clone());
        let slot = slot(&contract, "progress");
        let purge = &slot.samples.last().unwrap().patch;
        let loss = Loss { rejected: true, status_subresource: true, patch: purge, stored: &json!({}) };
        assert_eq!(effects::of(&contract, &slot, &loss).map(|it| it.id), Some(effect), "{of}");
    }
}

#[test]
fn peers_misjudge_each_other_by_what_is_left() {
    let contract = Contract::of_peering("1.45.2".parse().unwrap());
    let slot = slot(&contract, "peering");
    let patch = &slot.samples[0].patch;
    let without = |keys: &[&str]| {
        let mut stored = patch.clone();
        let entry = stored["status"][&slot.path.0[1]].as_object_mut().unwrap();
        entry.retain(|key, _| !keys.contains(&key.as_str()));
        stored
    };
    let rows = [
        (json!({"status": {}}), Some("peers-unseen")),
        (without(&["priority", "lifetime", "lastseen"]), Some("peers-unranked")),
        (without(&["lastseen"]), Some("peers-undying")),
        (without(&["lifetime"]), Some("peers-late")),
        (without(&[]), None),
    ];
    for (stored, effect) in rows {
        let loss = Loss { rejected: false, status_subresource: false, patch, stored: &stored };
        assert_eq!(effects::of(&contract, &slot, &loss).map(|it| it.id), effect, "{stored}");
    }
}

#[test]
fn a_copy_in_annotations_softens_a_loss() {
    let contract = contract(json!({"storage": "multi", "results": "none"}));
    let slots = contract.slots();
    let copy = slots.iter().find(|it| it.path.to_string() == "status.kopf.progress").unwrap();
    let loss =
        Loss { rejected: false, status_subresource: true, patch: &copy.samples[0].patch, stored: &json!({}) };
    assert_eq!(effects::of(&contract, copy, &loss).map(|it| it.id), Some("reads-copy"));
    let refused = Loss { rejected: true, ..loss };
    assert_eq!(effects::of(&contract, copy, &refused).map(|it| it.id), Some("slowed-down"));
    let at_once = Loss { status_subresource: false, ..refused };
    assert_eq!(effects::of(&contract, copy, &at_once).map(|it| it.id), Some("stalls-refused"));
}
