//! Other served versions that lose what the handled one keeps.

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
    name: "version-drops-status",
    severity: Severity::Warning,
    docs: include_str!("version_drops_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((_, handled)) = subject.handled() else { return };
    // What the handled version loses too is said there.
    let there = |it: &Verdict| {
        let same = handled.verdicts.iter().find(|other| other.slot == it.slot && other.path == it.path);
        same.map(|other| other.fate).filter(|it| matches!(it, Fate::Kept | Fate::Unknown))
    };
    for judged in subject.judgement.versions.iter().filter(|it| !it.handled) {
        let Some(version) = subject.crd.version(&judged.name) else { continue };
        let lost: Vec<&Verdict> = judged
            .verdicts
            .iter()
            .filter(|it| matches!(it.fate, Fate::Pruned | Fate::Rejected) && there(it).is_some())
            .collect();
        let Some(first) = lost.first() else { continue };
        let paths = super::lost_paths(&lost);
        let what = if paths.is_empty() { vec![first.path.to_string()] } else { paths };
        let verb = if what.len() == 1 { "is" } else { "are" };
        let message = format!(
            "{} {verb} lost when a client writes through version `{}`",
            words::names(&what),
            judged.name
        );
        let at = if first.blame.is_empty() { subject.version_at(version) } else { first.blame };
        let mut diagnostic = RULE.found(message).at(at, first.why.clone());
        diagnostic.version = Some(judged.name.clone());
        diagnostic.slots = super::slots(&lost);
        let kept = match there(first) {
            Some(Fate::Kept) => "which keeps it",
            _ => "whose fate cannot be told",
        };
        diagnostic = diagnostic.note(format!("the operator handles version `{}`, {kept}", handled.name));
        let advice = stanza::advice(version.schema.as_ref(), &stanza::wants(&lost));
        found.push(match advice {
            Some(advice) => diagnostic.help(format!("in version `{}`, {advice}", judged.name)),
            None => diagnostic,
        });
    }
}
