//! Two states of CRDs: what gets worse, what better, what comes and goes.

use kopf_crd::diff::{Change, Kind, State, compare, copies, github, json, states, text};
use kopf_crd::source::Source;

use super::fix::{crd, options};

fn of(name: &str, text: &str) -> Vec<State> {
    states(&Source::new(name, text), &options())
}

fn between(old: &str, new: &str) -> Vec<Change> {
    compare(&of("a/x.yaml", old), &of("b/x.yaml", new))
}

const OPEN: &str = "          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";
const BARE: &str = "          status: {type: object}\n";
const TIGHT: &str =
    "          status: {type: object, x-kubernetes-preserve-unknown-fields: true, required: [phase]}\n";

#[test]
fn fates_change_both_ways() {
    let worse = between(&crd(OPEN), &crd(BARE));
    assert_eq!(worse.len(), 3, "{worse:?}");
    for change in &worse {
        assert!(change.worse && change.change == Kind::Fate);
        assert_eq!(
            (change.old, change.new, change.version.as_deref()),
            (Some("kept"), Some("pruned"), Some("v1"))
        );
        assert_eq!((change.file.as_str(), change.line), ("b/x.yaml", 18));
        assert!(change.note.as_deref().is_some_and(|it| it.contains("dropped with their next write")));
    }
    let better = between(&crd(BARE), &crd(OPEN));
    assert!(better.len() == 3 && better.iter().all(|it| !it.worse));
    assert_eq!(between(&crd(OPEN), &crd(OPEN)), []);
}

#[test]
fn a_tightened_status_is_not_forgiven_to_old_objects() {
    let changes = between(&crd(OPEN), &crd(TIGHT));
    assert!(changes.iter().all(|it| it.new == Some("rejected") && it.worse), "{changes:?}");
    assert!(changes[0].note.as_deref().is_some_and(|it| it.contains("not forgiven")));
}

#[test]
fn crds_come_go_and_are_refused() {
    let kinds = |old: &str, new: &str| -> Vec<(Kind, bool)> {
        between(old, new).iter().map(|it| (it.change, it.worse)).collect()
    };
    let none = "a: 1\n";
    assert_eq!(kinds(none, &crd(OPEN)), [(Kind::CrdAppears, false)]);
    assert_eq!(kinds(none, &crd(BARE)), [(Kind::CrdAppears, true)]);
    assert_eq!(kinds(&crd(OPEN), none), [(Kind::CrdVanishes, false)]);
    let broken = crd(OPEN).replace("plural: xs", "plural: ys");
    assert_eq!(kinds(&crd(OPEN), &broken), [(Kind::Refused, true)]);
    assert_eq!(kinds(&broken, &crd(OPEN)), [(Kind::Accepted, false)]);
}

#[test]
fn versions_come_and_go() {
    let two = crd(OPEN)
        + "  - name: v2\n    served: true\n    storage: false\n    schema:\n      openAPIV3Schema:\n        type: object\n";
    let changes = between(&crd(OPEN), &two);
    let appears = changes.iter().find(|it| it.change == Kind::VersionAppears).expect("v2 appears");
    assert!(appears.worse && appears.version.as_deref() == Some("v2"), "{changes:?}");
    let changes = between(&two, &crd(OPEN));
    assert!(changes.iter().any(|it| it.change == Kind::VersionVanishes && it.worse), "{changes:?}");
}

#[test]
fn copies_that_differ_are_found() {
    let all = |other: &str| {
        let mut all = of("a.yaml", &crd(OPEN));
        all.extend(of("b.yaml", &crd(OPEN)));
        all.extend(of("c.yaml", other));
        copies(&all)
    };
    assert_eq!(all(&crd(OPEN)), []);
    let changes = all(&crd(BARE));
    assert_eq!(changes.len(), 1);
    assert!(
        changes[0].worse && changes[0].file == "c.yaml" && changes[0].message.contains("a.yaml"),
        "{changes:?}"
    );
    let changes = all(&crd(OPEN).replace("{kind: X", "{shortNames: [q], kind: X"));
    assert!(changes.len() == 1 && !changes[0].worse, "{changes:?}");
}

#[test]
fn changes_are_shown() {
    let changes = between(&crd(OPEN), &crd(BARE));
    let shown = text(&changes);
    let first = "worse  xs.example.com v1: `status.kopf.progress`, `status.kopf.dummy`, `status.kopf.last-handled-configuration` were kept and are pruned\n       --> b/x.yaml:18:11\n";
    assert!(shown.starts_with(first), "{shown}");
    assert!(shown.ends_with("3 worse, 0 better, 0 other changes\n"), "{shown}");
    let report: serde_json::Value = serde_json::from_str(&json(&changes)).expect("JSON");
    assert_eq!(
        (report["schema"].as_str(), report["summary"]["worse"].as_u64()),
        (Some("kopf-crd/diff/v1"), Some(3))
    );
    assert!(github(&changes).starts_with("::error file=b/x.yaml,line=18,col=11,"), "{}", github(&changes));
}
