//! Places of `v1beta1` in a CRD of `v1`.

use super::Find;
use super::Rule;
use super::Subject;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::schema::Level;
use crate::schema::UnknownField;

pub(super) const RULE: Rule = Rule {
    name: "misplaced-subresources",
    severity: Severity::Error,
    docs: include_str!("misplaced_subresources.md"),
    find: Find::Crd(find),
};

/// What v1beta1 had under `spec`, and what becomes of it in v1.
const PLACES: [(&str, &str, &str); 4] = [
    ("subresources", "there is no `/status` endpoint", "move it into each of `spec.versions`"),
    ("validation", "the versions have no schema", "move it into each of `spec.versions`, as `schema`"),
    (
        "additionalPrinterColumns",
        "there are no columns",
        "move it into each of `spec.versions`, with `jsonPath`",
    ),
    ("version", "it names no version", "name it in `spec.versions`"),
];

/// Whether an unknown field is one that v1beta1 knew there.
pub(super) fn is_legacy_place(field: &UnknownField) -> bool {
    field.within == Level::Spec && PLACES.iter().any(|it| it.0 == field.name)
}

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.crd.api != Api::V1 {
        return;
    }
    for field in subject.read.unknown.iter().filter(|it| is_legacy_place(it)) {
        let Some((name, effect, help)) = PLACES.iter().find(|it| it.0 == field.name) else { continue };
        let message = format!("`spec.{name}` is a place of `v1beta1`: the server drops it, and {effect}");
        found.push(RULE.found(message).at(field.key, "not known in `spec` of `v1`").help(*help));
    }
}
