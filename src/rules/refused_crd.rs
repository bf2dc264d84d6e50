//! CRDs that the API server does not accept.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "refused-crd",
    severity: Severity::Error,
    docs: include_str!("refused_crd.md"),
    find: Find::Crd(find),
};

/// A CRD without a type in every node would fill the screen.
const SHOWN: usize = 10;

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.read.undecodable.is_some() {
        return;
    }
    let refusals = &subject.admission.refusals;
    for (number, refusal) in refusals.iter().take(SHOWN).enumerate() {
        let at = if refusal.at.is_empty() { subject.name_at() } else { refusal.at };
        let message = format!("the server refuses this CRD: {}", words::server(&refusal.error));
        let diagnostic = RULE.found(message).at(at, "");
        let more = refusals.len().saturating_sub(SHOWN);
        found.push(match more {
            1.. if number + 1 == SHOWN => diagnostic.note(format!("{more} more refusals like these follow")),
            _ => diagnostic,
        });
    }
}
