//! Results of handlers that the API server drops.

use super::Find;
use super::Rule;
use super::Subject;
use super::pruned_status;
use super::stanza;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;

pub(super) const RULE: Rule = Rule {
    name: "pruned-result",
    severity: Severity::Warning,
    docs: include_str!("pruned_result.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    // Where a graver loss has the same cause, that finding speaks of the results too.
    let graver = |blame| judged.verdicts.iter().any(|it| pruned_status::is_lost(it) && it.blame == blame);
    let lost = judged.verdicts.iter().filter(|it| {
        it.slot.starts_with("result:") && it.fate == Fate::Pruned && it.via.is_none() && !graver(it.blame)
    });
    for group in super::by_blame(lost) {
        let unknown = group.iter().any(|it| it.slot == "result:*");
        let message = match unknown {
            true => format!("what handlers return is pruned in version `{}`", version.name),
            false => {
                let paths: Vec<String> = group.iter().map(|it| it.path.to_string()).collect();
                let verb = if paths.len() == 1 { "is" } else { "are" };
                format!("{} {verb} pruned in version `{}`", words::names(&paths), version.name)
            }
        };
        let at = if group[0].blame.is_empty() { subject.version_at(version) } else { group[0].blame };
        let mut diagnostic = RULE.found(message).at(at, group[0].why.clone());
        diagnostic.version = Some(version.name.clone());
        diagnostic = words::with_proof(diagnostic, &group);
        let wants = stanza::wants(&group);
        found.push(match stanza::advice(version.schema.as_ref(), &wants) {
            Some(advice) => diagnostic.help(advice),
            None => diagnostic.help(
                "name the handlers that return something (`--result ID=object`), or say that none does (`--results none`)",
            ),
        });
    }
}
