//! The server model as the verdict uses it: what is lost, by which line, and what is not certain.

use kopf_crd::crd;
use kopf_crd::crd::Crd;
use kopf_crd::server::Answer;
use kopf_crd::server::Endpoint;
use kopf_crd::server::FieldValidation;
use kopf_crd::server::Repeated;
use kopf_crd::server::Request;
use kopf_crd::server::Serving;
use kopf_crd::server::Stored;
use kopf_crd::source::Span;
use kopf_crd::yaml;
use serde_json::Value;
use serde_json::json;

const TWO_VERSIONS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
            properties:
              phase: {type: string, enum: [Ready]}
  - name: v2
    served: true
    storage: false
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
";

fn read(text: &str) -> Crd {
    let stream = yaml::parse(text);
    crd::read(&stream.documents[0].root).crd.expect("a CRD")
}

fn stored() -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Thing",
        "metadata": {"name": "x", "namespace": "default", "uid": "u", "generation": 1}
    })
}

fn patched(crd: &Crd, version: &str, patch: &Value) -> Answer {
    let serving = Serving::new(crd).expect("served");
    let request = Request { version, endpoint: Endpoint::Status, ..Request::default() };
    serving.merge_patch(Stored { object: &stored(), revision: 1 }, &request, patch)
}

fn line(text: &str, at: Span) -> &str {
    let from = text[..at.start as usize].rfind('\n').map_or(0, |it| it + 1);
    text[from..].lines().next().unwrap_or_default().trim()
}

#[test]
fn what_is_pruned_points_at_the_schema_that_does_not_declare_it() {
    let crd = read(TWO_VERSIONS);
    let answer = patched(&crd, "v1", &json!({"status": {"kopf": {"dummy": "x"}, "phase": "Ready"}}));
    assert_eq!((answer.code, answer.wrote), (200, true));
    assert_eq!(answer.lost.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["status.kopf"]);
    assert_eq!(line(TWO_VERSIONS, answer.lost[0].at), "type: object");
    assert_eq!(answer.warnings, ["unknown field \"status.kopf\""]);
    assert_eq!(answer.object.expect("a response")["status"], json!({"phase": "Ready"}));
}

#[test]
fn what_only_the_storage_version_drops_is_told_apart() {
    let crd = read(TWO_VERSIONS);
    let answer = patched(&crd, "v2", &json!({"status": {"kopf": {"dummy": "x"}}}));
    assert_eq!((answer.code, answer.lost.len(), answer.warnings.len()), (200, 0, 0));
    assert_eq!(answer.lost_in_storage.len(), 1);
    assert_eq!(answer.lost_in_storage[0].path, "status.kopf");
    assert_eq!(answer.etcd.expect("something stored")["status"], json!({}));
}

#[test]
fn what_is_refused_points_at_the_schema_that_refuses() {
    let crd = read(TWO_VERSIONS);
    let answer = patched(&crd, "v1", &json!({"status": {"phase": "Pending"}}));
    assert_eq!((answer.code, answer.reason), (422, "Invalid"));
    let error = &answer.errors[0];
    assert_eq!((error.error.field.as_str(), error.error.ty), ("status.phase", "FieldValueNotSupported"));
    assert_eq!(error.text(), "status.phase: Unsupported value: \"Pending\": supported values: \"Ready\"");
    assert_eq!(line(TWO_VERSIONS, error.at), "phase: {type: string, enum: [Ready]}");
}

#[test]
fn strict_clients_are_refused_what_others_are_warned_of() {
    let crd = read(TWO_VERSIONS);
    let serving = Serving::new(&crd).expect("served");
    let stored = stored();
    let before = Stored { object: &stored, revision: 1 };
    let request = Request {
        version: "v1",
        endpoint: Endpoint::Status,
        field_validation: FieldValidation::Strict,
        ..Request::default()
    };
    let answer = serving.merge_patch(before, &request, &json!({"status": {"kopf": {}}}));
    assert_eq!((answer.code, answer.errors[0].error.field.as_str()), (422, "patch"));
    assert_eq!(answer.errors[0].error.detail, "strict decoding error: unknown field \"status.kopf\"");
}

#[test]
fn a_patch_that_changes_nothing_writes_nothing() {
    let crd = read(TWO_VERSIONS);
    let answer = patched(&crd, "v1", &json!({"status": null}));
    assert_eq!((answer.code, answer.wrote), (200, false));
}

#[test]
fn a_webhook_between_versions_leaves_the_answer_open() {
    let webhook = "  conversion:\n    strategy: Webhook\n    webhook: {conversionReviewVersions: [v1], clientConfig: {url: https://a.example}}\n";
    let text = TWO_VERSIONS.replace("  versions:\n", &format!("{webhook}  versions:\n"));
    let crd = read(&text);
    assert!(patched(&crd, "v1", &json!({"status": {"phase": "Ready"}})).unknown.is_empty());
    let answer = patched(&crd, "v2", &json!({"status": {"kopf": {}}}));
    assert!(answer.unknown[0].0.contains("webhook"), "{:?}", answer.unknown);
}

#[test]
fn unserved_versions_and_missing_endpoints_are_not_found() {
    let crd = read(&TWO_VERSIONS.replace("    subresources: {status: {}}\n", ""));
    let answer = patched(&crd, "v1", &json!({"status": {}}));
    assert_eq!((answer.code, answer.message.as_str()), (404, "no status subresource"));
    assert_eq!(patched(&crd, "v3", &json!({})).code, 404);
}

#[test]
fn a_stored_object_of_another_group_cannot_be_read() {
    let crd = read(TWO_VERSIONS);
    let serving = Serving::new(&crd).expect("served");
    let foreign = json!({"apiVersion": "other.com/v1", "kind": "Thing", "metadata": {"name": "x"}});
    let answer = serving.get(Stored { object: &foreign, revision: 1 }, "v1");
    assert_eq!(answer.code, 500);
    assert!(answer.message.contains("invalid group/version: other.com/v1"), "{}", answer.message);
}

#[test]
fn patches_that_share_their_beginning_are_answered_as_if_alone() {
    let crd = read(TWO_VERSIONS);
    let serving = Serving::new(&crd).expect("served");
    let stored = stored();
    let before = Stored { object: &stored, revision: 1 };
    let request = Request { version: "v1", endpoint: Endpoint::Status, ..Request::default() };
    let repeated = Repeated::default();
    let (kept, pruned, refused) =
        (json!({"phase": "Ready"}), json!({"kopf": {}}), json!({"phase": "Pending"}));
    for status in
        [&pruned, &json!({"other": 1}), &pruned, &kept, &pruned, &refused, &refused, &kept, &json!(1)]
    {
        let patch = json!({ "status": status });
        let together = serving.merge_patch_again(&repeated, before, &request, &patch);
        assert_eq!(together, serving.merge_patch(before, &request, &patch), "{patch}");
    }
}
