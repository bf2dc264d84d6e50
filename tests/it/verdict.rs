//! The judge on small schemas: what only it decides. Rules, cases and the corpus hold the rest.

use kopf_crd::crd;
use kopf_crd::kopf::ContractConfig;
use kopf_crd::verdict::{Fate, Judgement, judge};
use kopf_crd::yaml::Node;
use serde_json::{Value, json};

/// A CRD with these versions.
fn judgement(versions: Value, spec: Value, contract: &str) -> Judgement {
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "things", "kind": "Thing" },
            "versions": versions,
        },
    });
    for (key, value) in spec.as_object().expect("a mapping") {
        crd["spec"][key] = value.clone();
    }
    let config: ContractConfig = serde_json::from_str(contract).expect("a contract");
    let read = crd::read(&Node::from_json(&crd));
    judge(&read.crd.expect("a CRD"), &config.contract().expect("a contract that makes sense"))
}

fn version(name: &str, status: Value) -> Value {
    let mut version = json!({
        "name": name, "served": true, "storage": true, "subresources": { "status": {} },
        "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": { "type": "object" } } } },
    });
    if !status.is_null() {
        version["schema"]["openAPIV3Schema"]["properties"]["status"] = status;
    }
    version
}

/// `slot=fate` of every slot of the handled version.
fn fates(judgement: &Judgement) -> String {
    let handled = judgement.versions.iter().find(|it| it.handled).expect("a handled version");
    let fates = handled.verdicts.iter().map(|it| format!("{}={}", it.slot, it.fate.name()));
    fates.collect::<Vec<_>>().join(" ")
}

fn open() -> Value {
    json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

const STATUS: &str = r#"{"results": "none"}"#;

#[test]
fn schemas_of_one_version() {
    let with = |more: Value| {
        let mut status = json!({ "type": "object", "properties": { "kopf": open() } });
        status.as_object_mut().expect("a mapping").extend(more.as_object().expect("a mapping").clone());
        status
    };
    let kept = "progress=kept touch=kept diffbase=kept";
    let cases = [
        ("only `kopf` is open", with(json!({})), STATUS, kept),
        ("nothing is declared", Value::Null, STATUS, "progress=pruned touch=pruned diffbase=pruned"),
        (
            "a field is required",
            with(json!({ "required": ["phase"] })),
            STATUS,
            "progress=rejected touch=rejected diffbase=rejected",
        ),
        // One key more than `kopf`: alone each fits.
        (
            "two keys are too many together",
            json!({ "type": "object", "maxProperties": 1, "x-kubernetes-preserve-unknown-fields": true }),
            r#"{"result": ["create_fn=object"]}"#,
            "progress=rejected touch=kept diffbase=rejected result:create_fn=rejected",
        ),
        (
            "a result whose type nobody said is declared as text",
            with(json!({ "properties": { "kopf": open(), "create_fn": { "type": "string" } } })),
            r#"{"result": ["create_fn"]}"#,
            "progress=kept touch=kept diffbase=kept result:create_fn=unknown",
        ),
        (
            "and one that is text",
            with(json!({ "properties": { "kopf": open(), "create_fn": { "type": "string" } } })),
            r#"{"result": ["create_fn=string"]}"#,
            "progress=kept touch=kept diffbase=kept result:create_fn=kept",
        ),
        (
            "a result that is declared as a bare object",
            with(json!({ "properties": { "kopf": open(), "create_fn": { "type": "object" } } })),
            r#"{"result": ["create_fn"]}"#,
            "progress=kept touch=kept diffbase=kept result:create_fn=pruned",
        ),
        ("annotations need no schema", Value::Null, r#"{"storage": "annotations", "results": "none"}"#, kept),
    ];
    for (about, status, contract, want) in cases {
        let judged = judgement(json!([version("v1", status)]), json!({}), contract);
        assert_eq!(fates(&judged), want, "{about}");
    }
}

#[test]
fn what_is_wrong_without_the_operator_is_not_its_doing() {
    let mut version = version("v1", open());
    version["subresources"] = json!({});
    version["schema"]["openAPIV3Schema"]["required"] = json!(["spec"]);
    let judged = judgement(json!([version]), json!({}), STATUS);
    assert_eq!(
        fates(&judged),
        "progress=kept touch=kept diffbase=kept",
        "the spec is missing before and after"
    );
}

#[test]
fn the_storage_version_counts_and_is_named() {
    let mut closed = version("v1", json!({ "type": "object" }));
    let mut wide = version("v2", open());
    wide["storage"] = json!(false);
    let judged = judgement(json!([closed.clone(), wide.clone()]), json!({}), STATUS);
    let handled = judged.versions.iter().find(|it| it.handled).expect("a handled version");
    assert_eq!(handled.name, "v2", "the preferred version is handled");
    assert_eq!(handled.verdicts[0].fate, Fate::Pruned);
    assert_eq!(handled.verdicts[0].via.as_deref(), Some("v1"));
    assert_eq!(handled.verdicts[0].lost, ["status.kopf"]);

    // A webhook may do anything on the way.
    let webhook = json!({ "conversion": { "strategy": "Webhook", "webhook": {
        "clientConfig": { "url": "https://example.com/convert" }, "conversionReviewVersions": ["v1"] } } });
    closed["schema"] = wide["schema"].clone();
    let judged = judgement(json!([closed, wide]), webhook, STATUS);
    assert_eq!(fates(&judged), "progress=unknown touch=unknown diffbase=unknown");
}

#[test]
fn a_named_version_is_handled() {
    let mut old = version("v1", json!({ "type": "object" }));
    old["storage"] = json!(false);
    let versions = json!([old, version("v2", open())]);
    let judged = judgement(versions, json!({}), r#"{"results": "none", "api-version": "v1"}"#);
    assert_eq!(fates(&judged), "progress=pruned touch=pruned diffbase=pruned");
}

#[test]
fn peering_objects_are_judged_by_what_peers_write() {
    let spec = json!({ "group": "kopf.dev", "names": { "plural": "kopfpeerings", "kind": "KopfPeering" } });
    let judged = judgement(json!([version("v1", open())]), spec.clone(), STATUS);
    assert_eq!(fates(&judged), "peering=kept");
    let judged = judgement(json!([version("v1", json!({ "type": "object" }))]), spec, STATUS);
    assert_eq!(fates(&judged), "peering=pruned");
}

#[test]
fn a_witness_shows_what_is_sent_and_what_is_left() {
    let judged = judgement(json!([version("v1", json!({ "type": "object" }))]), json!({}), STATUS);
    let touch = judged.versions[0].verdicts.iter().find(|it| it.slot == "touch").expect("a touch slot");
    let witness = touch.witness.as_ref().expect("a finding has a witness");
    assert_eq!(
        witness.patch,
        json!({ "status": { "kopf": { "dummy": "2026-01-01T12:01:00.123456+00:00" } } })
    );
    assert_eq!(witness.stored, json!({ "status": {} }));
    assert!(touch.effect.is_some(), "a loss has an effect");
}
