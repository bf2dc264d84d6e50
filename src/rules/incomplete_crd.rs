//! Fragments of CRDs: patches, mostly.

use super::Find;
use super::Part;
use super::Rule;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::yaml::Node;

pub(super) const RULE: Rule = Rule {
    name: "incomplete-crd",
    severity: Severity::Error,
    docs: include_str!("incomplete_crd.md"),
    find: Find::Document(find),
};

fn find(part: &Part<'_>, found: &mut Vec<Diagnostic>) {
    if !is_fragment(part.node) || !speaks_of_schemas(part.node) {
        return;
    }
    let spec = part.node.get("spec");
    let missing: Vec<&str> = ["group", "names", "scope"]
        .into_iter()
        .filter(|key| spec.is_none_or(|it| it.get(key).is_none()))
        .collect();
    let message =
        format!("this is a fragment of a CRD, without {}: it is not judged", super::words::names(&missing));
    let versions = spec.and_then(|it| it.entry("versions"));
    let mut diagnostic = RULE.found(message);
    diagnostic = match part.node.entry("kind") {
        Some(kind) => diagnostic.at(kind.value.span, "claims to be a whole CRD"),
        None => diagnostic.at(part.node.span, ""),
    };
    if let Some(versions) = versions {
        diagnostic = diagnostic.at(versions.key_span, "as a merge patch, this list replaces the whole list");
    }
    found.push(diagnostic.help(
        "patch a CRD by JSON 6902, and check what is rendered: `kustomize build . | cargo kopf-crd check -`",
    ));
}

/// Whether a document that says it is a CRD lacks what makes one.
pub(crate) fn is_fragment(node: &Node) -> bool {
    let Some(spec) = node.get("spec") else { return true };
    spec.get("group").is_none() && spec.get("names").is_none()
}

/// Whether the fragment touches what is judged here; a patch of labels or of a webhook does not.
fn speaks_of_schemas(node: &Node) -> bool {
    let spec = node.get("spec");
    ["versions", "validation"].iter().any(|key| spec.is_some_and(|it| it.get(key).is_some()))
}
