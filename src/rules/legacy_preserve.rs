//! CRDs that keep everything by a switch that `v1` does not have.

use super::Find;
use super::Rule;
use super::Subject;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "legacy-preserve",
    severity: Severity::Warning,
    docs: include_str!("legacy_preserve.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    // In v1 the server refuses it, in its own words.
    if subject.crd.api != Api::V1beta1 || !subject.crd.preserve_unknown_fields {
        return;
    }
    let path = "spec.preserveUnknownFields";
    let written = subject.crd.places.iter().any(|it| it.path == path);
    let (at, label) = match written {
        true => (subject.crd.place(path), "keeps everything, and cannot be set in v1"),
        false => (subject.name_at(), "`preserveUnknownFields` is true by default in v1beta1"),
    };
    let message = "the status is kept only by `preserveUnknownFields: true`, which `v1` does not have";
    let help = "open the status in a schema:
status:
  type: object
  x-kubernetes-preserve-unknown-fields: true";
    found.push(RULE.found(message).at(at, label).help(help));
}
