//! State that is kept in the version the operator speaks, and lost in the one objects are stored in.

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
    name: "storage-version-drops",
    severity: Severity::Error,
    docs: include_str!("storage_version_drops.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let lost: Vec<&Verdict> =
        judged.verdicts.iter().filter(|it| it.fate == Fate::Pruned && it.via.is_some()).collect();
    let Some(first) = lost.first() else { return };
    let storage = first.via.clone().unwrap_or_default();
    let paths = super::lost_paths(&lost);
    let verb = if paths.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} {verb} kept in version `{}` and pruned in version `{storage}`, in which objects are stored",
        words::names(&paths),
        version.name
    );
    let stored_in = subject.crd.version(&storage);
    let at = match stored_in {
        _ if !first.blame.is_empty() => first.blame,
        Some(it) => subject.version_at(it),
        None => subject.name_at(),
    };
    let mut diagnostic = RULE.found(message).at(at, first.why.clone());
    diagnostic = diagnostic.at(subject.version_at(version), "the version that the operator handles");
    diagnostic.version = Some(version.name.clone());
    // What only handlers return is missed, but the operator goes on.
    if lost.iter().all(|it| it.slot.starts_with("result:") || !it.critical) {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic = words::with_proof(diagnostic, &lost);
    let advice = stored_in.and_then(|it| stanza::advice(it.schema.as_ref(), &stanza::wants(&lost)));
    found.push(match advice {
        Some(advice) => diagnostic.help(format!("in version `{storage}`, {advice}")),
        None => diagnostic,
    });
}
