//! Slots that the API server drops in silence.

use super::Find;
use super::Rule;
use super::Subject;
use super::stanza;
use super::words;
use crate::crd::Version;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;
use crate::verdict::JudgedVersion;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "pruned-status",
    severity: Severity::Error,
    docs: include_str!("pruned_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    // One missing stanza loses several slots: one finding a node to blame.
    for group in super::by_blame(lost(judged)) {
        found.push(finding(subject, version, judged, &group));
    }
}

/// What is lost in the handled version itself and matters to the operator.
fn lost(judged: &JudgedVersion) -> impl Iterator<Item = &Verdict> {
    judged.verdicts.iter().filter(|it| is_lost(it))
}

/// Whether a slot is lost in silence, and is neither a mere result nor a second copy.
pub(super) fn is_lost(it: &Verdict) -> bool {
    let own = !it.slot.starts_with("result:") && it.slot != "peering";
    let counts = it.critical || it.slot.starts_with("field:");
    it.fate == Fate::Pruned && it.via.is_none() && own && counts
}

fn finding(
    subject: &Subject<'_>,
    version: &Version,
    judged: &JudgedVersion,
    group: &[&Verdict],
) -> Diagnostic {
    let paths = super::lost_paths(group);
    let verb = if paths.len() == 1 { "is" } else { "are" };
    let message = format!("{} {verb} pruned in version `{}`", words::names(&paths), version.name);
    let mut all: Vec<&Verdict> = group.to_vec();
    let results =
        judged.verdicts.iter().filter(|it| it.slot.starts_with("result:") && it.fate == Fate::Pruned);
    all.extend(results.filter(|it| it.blame == group[0].blame && it.via.is_none()));
    let at = if group[0].blame.is_empty() { subject.version_at(version) } else { group[0].blame };
    let diagnostic = RULE.found(message).at(at, group[0].why.clone());
    let said: Vec<String> = super::slots(&all).into_iter().map(|it| words::slot(&it)).collect();
    let mut diagnostic = words::with_proof(diagnostic, group);
    diagnostic.notes.insert(0, format!("lost: {}", words::list(&said)));
    for verdict in &all {
        if !diagnostic.slots.contains(&verdict.slot) {
            diagnostic.slots.push(verdict.slot.clone());
        }
    }
    diagnostic.version = Some(version.name.clone());
    let others = match all.iter().any(|it| it.slot == "result:*") {
        true => "\n# likewise for the id of each handler that returns something",
        false => "",
    };
    match stanza::advice(version.schema.as_ref(), &stanza::wants(&all)) {
        Some(advice) => diagnostic.help(advice + others),
        None => diagnostic,
    }
}
