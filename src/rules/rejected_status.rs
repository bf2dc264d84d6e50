//! Writes that the API server refuses.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "rejected-status",
    severity: Severity::Error,
    docs: include_str!("rejected_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    // A refused annotation has a rule of its own.
    let of_annotations = |it: &Verdict| it.path.0[0] == "metadata";
    let refused = judged
        .verdicts
        .iter()
        .filter(|it| it.fate == Fate::Rejected && it.slot != "peering" && !of_annotations(it));
    for group in super::by_blame(refused) {
        let said: Vec<String> = super::slots(&group).into_iter().map(|it| words::slot(&it)).collect();
        let message =
            format!("the server refuses {} in version `{}` (422)", words::list(&said), version.name);
        let at = if group[0].blame.is_empty() { subject.version_at(version) } else { group[0].blame };
        let mut diagnostic = RULE.found(message).at(at, group[0].why.clone());
        diagnostic.version = Some(version.name.clone());
        // A refusal is loud: for a value of one handler a warning is enough.
        if !group.iter().any(|it| is_own(it)) {
            diagnostic.severity = Severity::Warning;
        }
        let mut said: Vec<String> = group[0].errors.iter().map(words::server).collect();
        said.dedup();
        for error in said.into_iter().take(3) {
            diagnostic = diagnostic.note(format!("the server says: {error}"));
        }
        found.push(words::with_proof(diagnostic, &group).help(help(group[0])));
    }
}

/// Whether the slot is Kopf's own state.
fn is_own(it: &Verdict) -> bool {
    ["progress", "touch", "diffbase"].contains(&&*it.slot)
}

fn help(verdict: &Verdict) -> String {
    let ty = verdict.errors.first().map_or("", |it| it.ty);
    match ty {
        "FieldValueRequired" => "drop it from `required`, or give it a `default`",
        "FieldValueTypeInvalid" => "let the type be what is written, or open the node instead of typing it",
        "FieldValueNotSupported" => "list every value that handlers write in `enum`",
        _ => "drop the constraint, or let handlers write what it admits",
    }
    .to_owned()
}
