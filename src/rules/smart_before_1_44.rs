//! Second copies of the state, which Kopf before 1.44 writes in vain.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "smart-before-1.44",
    severity: Severity::Warning,
    docs: include_str!("smart_before_1_44.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let lost: Vec<&Verdict> = judged
        .verdicts
        .iter()
        .filter(|it| it.fate == Fate::Pruned && !it.critical && ["progress", "touch"].contains(&&*it.slot))
        .collect();
    let Some(first) = lost.first() else { return };
    let paths = super::lost_paths(&lost);
    let verb = if paths.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} {verb} pruned in version `{}`: a second copy, written in vain",
        words::names(&paths),
        version.name
    );
    let at = if first.blame.is_empty() { subject.version_at(version) } else { first.blame };
    let mut diagnostic = words::with_proof(RULE.found(message).at(at, first.why.clone()), &lost);
    diagnostic.version = Some(version.name.clone());
    found.push(diagnostic.help("use Kopf 1.44 or later, or `kopf.AnnotationsProgressStorage()`"));
}
