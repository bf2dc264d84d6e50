//! JSON patches: applied, they keep what Kopf writes; on a CRD of another shape they fail.

use std::path::PathBuf;

use kopf_crd::check::check;
use kopf_crd::diagnostic::Safety;
use kopf_crd::patch::{Patch, apply, kubectl, kustomize, patches};
use kopf_crd::source::Source;
use kopf_crd::verdict::Fate;
use kopf_crd::yaml;
use serde_json::{Value as Json, json};

use super::fix::{crd, options};

fn only(text: &str) -> Patch {
    let mut all = patches(&Source::new("x.yaml", text), &options(), Safety::Safe);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn value(text: &str) -> Json {
    yaml::parse(text).documents[0].root.to_json()
}

fn lost(crd: &Json) -> usize {
    let report = check(&Source::new("x.json", crd.to_string()), &options());
    let verdicts = report.crds.iter().flat_map(|it| &it.judgement.versions).flat_map(|it| &it.verdicts);
    verdicts.filter(|it| it.fate != Fate::Kept).count()
}

#[test]
fn a_patched_crd_keeps_what_kopf_writes() {
    let cases = [
        "          spec: {type: object}\n",
        "          status: {type: object}\n",
        "          status:\n            type: object\n            properties: {phase: {type: string}}\n",
        "          status:\n            type: object\n            properties: {kopf: {type: object}}\n",
        "          status:\n            description: none\n",
    ];
    for properties in cases {
        let old = value(&crd(properties));
        let patch = only(&crd(properties));
        assert!(lost(&old) > 0, "{properties}");
        let new = apply(&old, &patch.operations).expect("the patch applies");
        assert_eq!(lost(&new), 0, "{properties}\n{:#}", Json::from(patch.operations));
        assert!(patch.left.is_empty(), "{:?}", patch.left);
    }
}

#[test]
fn a_crd_of_another_shape_is_refused() {
    let patch = only(&crd(
        "          status:\n            type: object\n            properties: {phase: {type: string}}\n",
    ));
    let others = [
        crd(
            "          status:\n            type: object\n            properties: {phase: {type: string}, kopf: {type: string}}\n",
        ),
        crd("          status: {type: object}\n"),
        crd("          status:\n            type: object\n            properties: {phase: {type: string}}\n")
            .replace("name: v1", "name: v2"),
    ];
    for other in others {
        assert!(apply(&value(&other), &patch.operations).is_err(), "{other}");
    }
    // A status that was not there may be by now: it must not be overwritten.
    let patch = only(&crd("          spec: {type: object}\n"));
    assert!(
        apply(
            &value(&crd("          status: {type: object, properties: {a: {type: string}}}\n")),
            &patch.operations
        )
        .is_err()
    );
}

#[test]
fn a_sound_crd_needs_no_patch() {
    let patch = only(&crd("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"));
    assert_eq!(patch.operations, Vec::<Json>::new());
}

#[test]
fn the_patch_stands_in_a_kustomization_and_on_a_command_line() {
    let patch = only(&crd("          status: {type: object}\n"));
    let entry = value(&kustomize(&[&patch]));
    assert_eq!(
        entry["patches"][0]["target"],
        json!({"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition", "name": "xs.example.com"})
    );
    let text = entry["patches"][0]["patch"].as_str().expect("a text");
    assert_eq!(value(text), Json::from(patch.operations.clone()));
    let line = kubectl(&patch);
    let start = line.find(" -p '").expect("the operations") + " -p '".len();
    let operations: Json =
        serde_json::from_str(line[start..].trim_end().strip_suffix('\'').expect("a quote")).expect("JSON");
    assert_eq!(operations, Json::from(patch.operations));
    assert!(line.starts_with("kubectl patch crd xs.example.com --type=json -p '["));
}

#[test]
fn every_case_is_patched_as_it_is_fixed() {
    let Ok(entries) = std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/cases"))
    else {
        println!("skipped: ../shared is not here");
        return;
    };
    let mut patched = 0;
    for path in
        entries.flatten().map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "yaml"))
    {
        let text = std::fs::read_to_string(&path).expect("a text");
        for patch in patches(&Source::new("x.yaml", text.as_str()), &options(), Safety::Safe) {
            let stream = yaml::parse(&text);
            let roots = stream.documents.iter().map(|it| it.root.to_json());
            let items = roots
                .flat_map(|it| it.get("items").and_then(Json::as_array).cloned().unwrap_or_else(|| vec![it]));
            let old =
                items.into_iter().find(|it| it["metadata"]["name"] == patch.name.as_str()).expect("the CRD");
            let new = apply(&old, &patch.operations).expect("the patch applies");
            assert!(lost(&new) <= lost(&old), "{}", path.display());
            patched += usize::from(lost(&new) < lost(&old));
        }
    }
    assert!(patched > 10, "{patched}");
}
