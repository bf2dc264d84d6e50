//! Peering CRDs that drop the presence of operators.

use super::Find;
use super::Rule;
use super::Subject;
use super::stanza;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "closed-peering",
    severity: Severity::Error,
    docs: include_str!("closed_peering.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let lost: Vec<&Verdict> = judged
        .verdicts
        .iter()
        .filter(|it| it.slot == "peering" && matches!(it.fate, Fate::Pruned | Fate::Rejected))
        .collect();
    let Some(first) = lost.first() else { return };
    let message = format!(
        "operators do not see each other: their presence is {} in version `{}`",
        first.fate.name(),
        version.name
    );
    let at = if first.blame.is_empty() { subject.version_at(version) } else { first.blame };
    let mut diagnostic = words::with_proof(RULE.found(message).at(at, first.why.clone()), &lost);
    diagnostic.version = Some(version.name.clone());
    found.push(match stanza::advice(version.schema.as_ref(), &stanza::wants(&lost)) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    });
}
