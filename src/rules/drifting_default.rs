//! A default that is written and never stored.

use super::Find;
use super::Rule;
use super::Subject;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "drifting-default",
    severity: Severity::Note,
    docs: include_str!("drifting_default.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let written = subject.crd.places.iter().any(|it| it.path == "spec.preserveUnknownFields");
    if subject.crd.api != Api::V1 || !written || subject.crd.preserve_unknown_fields {
        return;
    }
    let message = "`preserveUnknownFields: false` is the default and is not stored: tools that compare see a difference";
    let at = subject.crd.place("spec.preserveUnknownFields");
    found.push(RULE.found(message).at(at, "dropped by the server").help("remove the line"));
}
