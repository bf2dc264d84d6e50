//! What holds for any text: the promises that the fuzz targets try to break, and that `tests/it` holds for what they kept.

use kopf_crd::check::Options;
use kopf_crd::check::Report;
use kopf_crd::diagnostic::Safety;
use kopf_crd::fix;
use kopf_crd::simulate;
use kopf_crd::source::Source;
use kopf_crd::source::Span;
use kopf_crd::verdict::Fate;
use kopf_crd::yaml;
use kopf_crd::yaml::Node;
use kopf_crd::yaml::Value;

/// Any text can be read as YAML, and every span is a range of the text.
pub(crate) fn yaml(text: &str) {
    let stream = yaml::parse(text);
    for document in &stream.documents {
        walk(&document.root, text);
        let json = document.root.to_json();
        assert_eq!(Node::from_json(&json).to_json(), json, "a value survives its way through nodes");
    }
    for error in &stream.errors {
        inside(error.span, text);
    }
    for comment in yaml::comments(text) {
        inside(comment.span, text);
    }
}

/// Any text can be checked, and every finding points into the text.
pub(crate) fn check(text: &str) {
    let report = checked(text);
    for finding in &report.diagnostics {
        for label in &finding.labels {
            inside(label.span, text);
        }
    }
}

/// Any text can be mended; a second fix has nothing to do, and no slot is lost that was kept.
pub(crate) fn fix(text: &str) {
    let before = checked(text);
    for safety in [Safety::Safe, Safety::Unsafe] {
        let fixed = fix::fix(&source(text), &options(), safety);
        assert_eq!(
            fixed.text == text,
            fixed.applied.is_empty(),
            "an applied fix changes the text, nothing else does"
        );
        // A CRD that the server refuses has no slots to lose.
        if before.crds.iter().all(|it| it.accepted) && before.crds.len() == fixed.report.crds.len() {
            let text = &fixed.text;
            assert!(lost(&fixed.report) <= lost(&before), "{safety:?} loses more than there was\n{text}");
        }
        let again = fix::fix(&source(&fixed.text), &options(), safety);
        assert_eq!(again.text, fixed.text, "a second fix changes what the first one left");
    }
}

/// Any line gets an answer in JSON, whatever the CRD and the requests are.
pub(crate) fn simulate(line: &str) {
    let answer = simulate::answer(line);
    assert!(yaml::json::parse(&answer).is_ok(), "the answer is JSON: {answer}");
}

fn source(text: &str) -> Source {
    Source::new("fuzz.yaml", text)
}

fn options() -> Options {
    Options { named: true, ..Options::default() }
}

fn checked(text: &str) -> Report {
    kopf_crd::check::check(&source(text), &options())
}

/// How many slots are lost, in all versions of all CRDs that the server can serve.
fn lost(report: &Report) -> usize {
    let versions = report.crds.iter().flat_map(|it| &it.judgement.versions);
    versions.flat_map(|it| &it.verdicts).filter(|it| it.fate >= Fate::Pruned).count()
}

fn walk(node: &Node, text: &str) {
    inside(node.span, text);
    match &node.value {
        Value::Mapping(entries) => entries.iter().for_each(|it| walk(&it.value, text)),
        Value::Sequence(items) => items.iter().for_each(|it| walk(it, text)),
        _ => {}
    }
}

fn inside(span: Span, text: &str) {
    assert!(text.get(span.range()).is_some(), "{span:?} is no range of the text");
}
