//! The formats for machines and the tree: what scripts and eyes depend on.

use crate::door;
use kopf_crd::render::Format;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn case(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(path)).expect("a case")
}

#[test]
fn json_is_one_object_of_a_stable_shape() {
    let text = case("storage-version-drops/m24-two-versions-storage-closed.yaml");
    let flags = "--result create_fn=object";
    let (source, report) = door::check("farms.yaml", &text, flags);
    let shown = door::shown(Format::Json, &source, &report, flags);
    let mut report: Value = serde_json::from_str(&shown).expect("JSON");
    report["tool"]["version"] = "VERSION".into();
    // What the records hold is the business of the contract's own tests.
    if let Some(progress) =
        report.pointer_mut("/crds/0/versions/1/slots/0/witness/patch/status/kopf/progress")
    {
        *progress = "…".into();
    }
    insta::assert_json_snapshot!(report);
}

#[test]
fn a_report_without_anything_is_json_too() {
    let (source, report) = door::check("x.yaml", "a: 1\n", "");
    let shown = door::shown(Format::Json, &source, &report, "");
    let report: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(report["crds"], serde_json::json!([]));
    assert_eq!(report["summary"]["skipped"]["others"], 1);
}

#[test]
fn trees_mark_what_is_kept() {
    let mut shown = String::new();
    for (path, flags) in [
        ("pruned-status/m22-progress-typed-partly.yaml", ""),
        ("storage-version-drops/m24-two-versions-storage-closed.yaml", "--result create_fn=object"),
        ("rejected-status/m20-status-enum.yaml", "--writes status.phase=\"Error\""),
        ("refused-crd/m08-spec-level-preserve-true-in-v1.yaml", ""),
    ] {
        let (source, report) = door::check("x.yaml", &case(path), flags);
        shown += &door::plain(&door::shown(Format::Tree, &source, &report, flags));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn annotations_hold_everything_in_one_line() {
    let text = case("rejected-status/m19-status-required-field.yaml");
    let (source, report) = door::check("a b,c.yaml", &text, "--results none");
    insta::assert_snapshot!(door::shown(Format::Github, &source, &report, "--results none"));
}

#[test]
fn a_manifest_in_one_long_line_is_told_by_its_place() {
    let filler = format!(
        "\"metadata\": {{\"name\": \"kiosks.shop.test\", \"annotations\": {{\"a\": \"{}\"}}}}",
        "é".repeat(4000)
    );
    let text = format!(
        "{{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", {filler}, \"spec\": {{\"group\": \"shop.test\", \"scope\": \"Cluster\", \"names\": {{\"kind\": \"Kiosk\", \"plural\": \"kiosks\"}}, \"versions\": [{{\"name\": \"v1\", \"served\": true, \"storage\": true, \"schema\": {{\"openAPIV3Schema\": {{\"type\": \"object\"}}}}}}]}}}}"
    );
    let (source, report) = door::check("long.json", &text, "--results none --allow notes");
    let shown = door::plain(&door::shown(Format::Text, &source, &report, "--results none"));
    assert!(!shown.contains("ééé"), "the line is not shown");
    let column =
        text.chars().count() - text.split("\"openAPIV3Schema\"").last().expect("a rest").chars().count() - 16;
    assert!(shown.contains(&format!("--> long.json:1:{column}\n")), "{column}: {shown}");
}
