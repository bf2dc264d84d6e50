//! Any status with Kopf's data goes through `Kopf<Status>` unchanged but for what the controller changed.

use kopf_crd::Kopf;
use kopf_crd::KopfState;
use proptest::prelude::*;
use serde::Deserialize;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeMap;

/// A status with one of each thing that serde's derive does differently.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current_phase: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    retries: u32,
    #[serde(default, alias = "oldMessage", skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nested: Option<Nested>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    by_name: BTreeMap<String, Nested>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<Nested>,
}

fn is_zero(it: &u32) -> bool {
    *it == 0
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Nested {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", deny_unknown_fields)]
enum Tagged {
    Ready { url: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum External {
    Ready { url: String },
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    phase: String,
    #[serde(flatten)]
    more: Nested,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CatchAll {
    phase: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Wrapped(Option<Box<Strict>>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Reader {
    #[serde(default)]
    kopf: Option<KopfState>,
}

fn kopf_data() -> Value {
    json!({
        "kopf": {
            "progress": {"create_fn/spec.size": {
                "started": "2026-01-01T12:00:00.123456+00:00", "stopped": "2025-01-01T12:00:00.5", "purpose": "create",
                "retries": 3, "success": false, "failure": false, "message": "no\n", "subrefs": ["a/b"], "later": {"x": [1.0]},
            }},
            "dummy": "2026-01-01T12:00:00.123456+00:00",
            "last-handled-configuration": "{\"spec\":{\"size\":1}}",
        },
        "create_fn": {"m": {"n": [1, null, {"o": 1.0}]}},
        "resize/spec.size": "done",
    })
}

fn with_kopf_data(status: Value) -> Value {
    let Value::Object(mut whole) = kopf_data() else { unreachable!("an object was written above") };
    whole.extend(status.as_object().expect("a status is an object").clone());
    Value::Object(whole)
}

#[track_caller]
fn reads_and_writes<S: DeserializeOwned + Serialize>(status: Value) -> Kopf<S> {
    let whole = with_kopf_data(status);
    let read: Kopf<S> = serde_json::from_value(whole.clone()).expect("the type reads it");
    assert_eq!(serde_json::to_value(&read).expect("it can be written"), whole);
    read
}

#[test]
fn a_status_of_any_form_is_written_back_as_it_was_read() {
    reads_and_writes::<Status>(json!({}));
    reads_and_writes::<Status>(
        json!({"currentPhase": "Old", "retries": 0, "nested": {"size": 1, "more": {"x": 1}}}),
    );
    reads_and_writes::<Status>(json!({"currentPhase": null, "conditions": [{"size": 1, "unknown": true}]}));
    reads_and_writes::<Status>(json!({"byName": {"a": {"size": 1, "unknown": true}, "b": {}}}));
    reads_and_writes::<Strict>(json!({"phase": "Old"}));
    reads_and_writes::<Strict>(json!({}));
    reads_and_writes::<Tagged>(json!({"state": "Ready", "url": "x"}));
    reads_and_writes::<External>(json!({"Ready": {"url": "x"}}));
    reads_and_writes::<External>(json!({"Failed": "x"}));
    reads_and_writes::<Flat>(json!({"phase": "Old", "size": 3}));
    reads_and_writes::<CatchAll>(json!({"phase": "Old"}));
    reads_and_writes::<Wrapped>(json!({"phase": "Old"}));
    reads_and_writes::<Reader>(json!({}));
    reads_and_writes::<BTreeMap<String, Value>>(json!({"phase": "Old"}));
    reads_and_writes::<Kopf<Strict>>(json!({"phase": "Old"}));
}

#[test]
fn only_what_the_controller_changed_is_changed() {
    let mut read: Kopf<Status> = serde_json::from_value(with_kopf_data(json!({
        "currentPhase": "Old", "retries": 3, "nested": {"size": 1, "more": 2},
        "byName": {"a": {"size": 1, "more": 1}, "b": {"size": 2, "more": 2}}, "conditions": [{"size": 1, "more": 1}],
    })))
    .expect("the type reads it");
    read.current_phase = Some("New".to_owned());
    read.retries = 0;
    read.nested.as_mut().expect("it was read").label = Some("x".to_owned());
    read.by_name.remove("a");
    read.conditions.push(Nested::default());

    let written = serde_json::to_value(&read).expect("it can be written");
    let expected = with_kopf_data(json!({
        "currentPhase": "New", "nested": {"size": 1, "label": "x", "more": 2},
        "byName": {"b": {"size": 2, "more": 2}}, "conditions": [{"size": 1}, {}],
    }));
    assert_eq!(written, expected);
}

#[test]
fn patches_hold_the_typed_part_alone() {
    let mut read: Kopf<Status> = serde_json::from_value(with_kopf_data(json!({
        "currentPhase": "Old", "retries": 3, "nested": {"size": 1, "label": "x", "more": 2},
    })))
    .expect("the type reads it");
    read.current_phase = Some("New".to_owned());
    read.retries = 0;
    read.nested.as_mut().expect("it was read").label = None;

    let typed = json!({"status": {"currentPhase": "New", "nested": {"size": 1}}});
    assert_eq!(read.typed().expect("it can be written"), typed);
    let patch =
        json!({"status": {"currentPhase": "New", "retries": null, "nested": {"size": 1, "label": null}}});
    assert_eq!(read.merge_patch().expect("it can be written"), patch);
}

#[test]
fn an_old_name_is_not_written_beside_its_new_one() {
    let read: Kopf<Status> =
        serde_json::from_value(with_kopf_data(json!({"oldMessage": "x"}))).expect("the type reads it");
    let written = serde_json::to_value(&read).expect("it can be written");
    assert_eq!(written, with_kopf_data(json!({"message": "x"})));
    serde_json::from_value::<Kopf<Status>>(written).expect("the type reads what it wrote");
}

#[test]
fn a_replaced_status_keeps_the_rest() {
    let mut place: Option<Kopf<Strict>> = Some(reads_and_writes(json!({"phase": "Old"})));
    Kopf::replace(&mut place, Strict { phase: None });
    assert_eq!(serde_json::to_value(&place).expect("it can be written"), kopf_data());

    let mut place = None;
    Kopf::replace(&mut place, Strict { phase: Some("New".to_owned()) });
    assert_eq!(serde_json::to_value(&place).expect("it can be written"), json!({"phase": "New"}));
    assert_eq!(place.expect("it was put there").rest().count(), 0);
}

#[test]
fn the_rest_is_what_the_type_does_not_know() {
    let read: Kopf<Strict> = reads_and_writes(json!({"phase": "Old"}));
    assert_eq!(read.rest().map(|it| it.0).collect::<Vec<_>>(), ["create_fn", "kopf", "resize/spec.size"]);
}

#[test]
fn a_status_that_is_no_mapping_is_an_error_and_not_a_panic() {
    let wrong = serde_json::from_value::<Kopf<Strict>>(json!(["x"])).expect_err("a list is no status");
    assert!(wrong.to_string().contains("expected a map"), "{wrong}");
    let wrong = serde_json::to_value(Kopf::from("x")).expect_err("a text is no status");
    assert!(wrong.to_string().contains("a status is a mapping"), "{wrong}");
    let wrong = serde_json::from_value::<Kopf<Strict>>(json!({"phase": 3})).expect_err("a phase is a text");
    assert!(wrong.to_string().contains("invalid type: integer `3`"), "{wrong}");
}

#[test]
fn kopfs_state_is_read() {
    let read: Kopf<Strict> = reads_and_writes(json!({}));
    let state = read.state("kopf").expect("it is there").expect("Kopf wrote it");
    let record = &state.progress["create_fn/spec.size"];
    let time = |it: &Option<kopf_crd::kopf::record::Time>| {
        it.as_ref().and_then(|it| it.timestamp()).map(|it| it.to_string())
    };
    assert_eq!(time(&record.started).as_deref(), Some("2026-01-01T12:00:00.123456Z"));
    assert_eq!(time(&record.stopped).as_deref(), Some("2025-01-01T12:00:00.5Z"));
    assert_eq!((record.retries, record.success, record.failure), (Some(3), Some(false), Some(false)));
    assert_eq!(record.rest["later"], json!({"x": [1.0]}));
    assert_eq!(state.last_handled().expect("it is there").expect("it is JSON"), json!({"spec": {"size": 1}}));
    assert_eq!(serde_json::to_value(&state).expect("it can be written"), kopf_data()["kopf"]);
    assert!(read.state("other").is_none());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0e9..1.0e9).prop_map(Value::from),
        "[a-z]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z/._-]{0,8}", inner, 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn nested() -> impl Strategy<Value = Value> {
    let size = prop::option::of(any::<i64>());
    let label = prop::option::of("[a-z]{0,4}");
    (size, label, prop::collection::btree_map("x[a-z]{0,3}", any_json(), 0..3)).prop_map(
        |(size, label, unknown)| {
            let mut it: Map<String, Value> = unknown.into_iter().collect();
            size.map(|size| it.insert("size".to_owned(), size.into()));
            label.map(|label| it.insert("label".to_owned(), label.into()));
            Value::Object(it)
        },
    )
}

/// A status that the type can read, with anything beside it.
fn any_status() -> impl Strategy<Value = Map<String, Value>> {
    (
        prop::collection::btree_map("[A-Za-z/._-]{1,12}", any_json(), 0..6),
        prop::option::of(prop::option::of("[a-z]{0,4}").prop_map(Value::from)),
        prop::option::of((0..9_u32).prop_map(Value::from)),
        prop::option::of(nested()),
        prop::option::of(prop::collection::btree_map("[a-z]{1,3}", nested(), 0..3)),
        prop::option::of(prop::collection::vec(nested(), 0..3)),
    )
        .prop_map(|(unknown, phase, retries, nested, by_name, conditions)| {
            const KNOWN: [&str; 7] =
                ["currentPhase", "retries", "message", "oldMessage", "nested", "byName", "conditions"];
            let mut status: Map<String, Value> =
                unknown.into_iter().filter(|(key, _)| !KNOWN.contains(&key.as_str())).collect();
            let known = [("currentPhase", phase), ("retries", retries), ("nested", nested)];
            let by_name = by_name.map(|it| Value::Object(it.into_iter().collect()));
            let more = [("byName", by_name), ("conditions", conditions.map(Value::from))];
            for (key, value) in known.into_iter().chain(more) {
                value.map(|value| status.insert(key.to_owned(), value));
            }
            status
        })
}

proptest! {
    #[test]
    fn any_status_is_written_back_as_it_was_read(status in any_status()) {
        let whole = Value::Object(status);
        let read: Kopf<Status> = serde_json::from_value(whole.clone()).expect("the type reads it");
        prop_assert_eq!(serde_json::to_value(&read).expect("it can be written"), whole);
    }

    #[test]
    fn a_change_of_the_phase_changes_the_phase(status in any_status(), phase in prop::option::of("[a-z]{1,4}")) {
        let mut read: Kopf<Status> = serde_json::from_value(Value::Object(status.clone())).expect("the type reads it");
        let before = read.current_phase.clone();
        read.current_phase = phase.clone();
        let mut expected = status;
        match phase {
            Some(phase) => drop(expected.insert("currentPhase".to_owned(), phase.into())),
            // A null that was read and is still one stays as it is.
            None if before.is_none() => {}
            None => drop(expected.remove("currentPhase")),
        }
        prop_assert_eq!(serde_json::to_value(&read).expect("it can be written"), Value::Object(expected));
    }

    #[test]
    fn patches_never_hold_what_the_type_does_not_know(status in any_status()) {
        let read: Kopf<Status> = serde_json::from_value(Value::Object(status)).expect("the type reads it");
        let typed: Status = (*read).clone();
        let typed = json!({ "status": serde_json::to_value(typed).expect("it can be written") });
        prop_assert_eq!(&read.typed().expect("it can be written"), &typed);
        prop_assert_eq!(&read.merge_patch().expect("it can be written"), &typed);
    }
}
