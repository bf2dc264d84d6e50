//! JSON patches: applied, they keep what Kopf writes; on a CRD of another shape they fail.

use std::path::PathBuf;

use kopf_crd::check::check;
use kopf_crd::diagnostic::{Safety, Severity};
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
    worse_than(Fate::Kept, crd)
}

fn worse_than(fate: Fate, crd: &Json) -> usize {
    let report = check(&Source::new("x.json", crd.to_string()), &options());
    let verdicts = report.crds.iter().flat_map(|it| &it.judgement.versions).flat_map(|it| &it.verdicts);
    verdicts.filter(|it| it.fate > fate).count()
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

/// How many CRDs of a text a patch mends; what holds of every patch is held.
#[track_caller]
pub(crate) fn patched(name: &str, text: &str) -> usize {
    let patches = patches(&Source::new(name, text), &options(), Safety::Safe);
    let roots = yaml::parse(text).documents.iter().map(|it| it.root.to_json()).collect::<Vec<_>>();
    let items = |it: Json| match it.get("items").and_then(Json::as_array) {
        Some(items) => items.clone(),
        None => vec![it],
    };
    let crds: Vec<Json> = roots.into_iter().flat_map(items).collect();
    let mut mended = 0;
    for patch in patches.iter().filter(|it| !it.operations.is_empty()) {
        let same = |it: &&Json| it["metadata"]["name"] == patch.name.as_str();
        // Several of one name: the patch fits the one that has its shape.
        let mut applied = crds.iter().filter(same).map(|old| (old, apply(old, &patch.operations)));
        let fits = applied.find_map(|(old, new)| new.ok().map(|new| (old, new)));
        let (old, new) = fits.unwrap_or_else(|| panic!("{name}: the patch does not apply"));
        let tests = patch.operations.iter().filter(|it| it["op"] == "test").count();
        assert!(tests > 0, "{name}: the patch tests nothing");
        assert!(apply(&new, &patch.operations).is_err(), "{name}: the patch applies twice");
        let (before, after) = (worse_than(Fate::Unknown, old), worse_than(Fate::Unknown, &new));
        assert!(after <= before, "{name}: {after} slots are lost of {before} that were");
        let whole = !patch.left.iter().any(|it| it.severity > Severity::Note);
        assert!(!whole || after == 0, "{name}: nothing is said, though {after} slots are lost");
        mended += usize::from(after < before);
    }
    mended
}

#[test]
fn every_case_is_patched_as_it_is_fixed() {
    let Ok(entries) = std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/cases"))
    else {
        println!("skipped: ../shared is not here");
        return;
    };
    let paths = entries.flatten().map(|it| it.path());
    let texts = paths.filter(|it| it.extension().is_some_and(|it| it == "yaml"));
    let mended: usize = texts
        .map(|it| patched(&it.display().to_string(), &std::fs::read_to_string(&it).expect("a text")))
        .sum();
    assert!(mended > 10, "{mended}");
}
