//! CRDs in an API version that is no longer served.

use super::Find;
use super::Rule;
use super::Subject;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "removed-api",
    severity: Severity::Error,
    docs: include_str!("removed_api.md"),
    find: Find::Crd(find),
};

/// Kubernetes 1.22 removed `apiextensions.k8s.io/v1beta1`.
const REMOVED_IN: u32 = 22;

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.crd.api != Api::V1beta1 || subject.kubernetes < REMOVED_IN {
        return;
    }
    let message =
        "`apiextensions.k8s.io/v1beta1` is not served since Kubernetes 1.22: this CRD cannot be created";
    let diagnostic = RULE.found(message).at(subject.crd.place("apiVersion"), "not served");
    let kept = match subject.crd.preserve_unknown_fields {
        true => ", with an open status: nothing is pruned here only because `preserveUnknownFields` is true",
        false => "",
    };
    found.push(diagnostic.help(format!("write it as `apiextensions.k8s.io/v1`{kept}")));
}
