//! Keys of annotations that the API server refuses.

use super::Find;
use super::Rule;
use super::Subject;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::kopf::annotations;
use crate::verdict::Fate;

pub(super) const RULE: Rule = Rule {
    name: "invalid-annotation-key",
    severity: Severity::Warning,
    docs: include_str!("invalid_annotation_key.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((_, judged)) = subject.handled() else { return };
    if !judged.verdicts.iter().any(|it| it.path.0.first().is_some_and(|it| it == "metadata")) {
        return;
    }
    let slots = subject.contract.slots();
    let patches = slots.iter().flat_map(|it| &it.samples).map(|it| &it.patch);
    let together = subject.contract.together();
    let mut keys: Vec<&str> = Vec::new();
    for patch in patches.chain(together.iter().map(|it| &it.patch)) {
        for key in annotations::invalid_keys(patch) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if keys.is_empty() {
        return;
    }
    let what = if keys.len() == 1 { "the annotation" } else { "annotations such as" };
    let message = format!("the server refuses {what} `{}`: every patch with it is a 422", keys[0]);
    let mut diagnostic = RULE.found(message).at(subject.name_at(), "the objects of this CRD");
    // Where the state itself is under such a key, nothing works at all.
    if judged.verdicts.iter().any(|it| it.critical && it.fate == Fate::Rejected && it.path.0[0] == "metadata")
    {
        diagnostic.severity = Severity::Error;
    }
    let diagnostic = diagnostic.note(
        "a key starts and ends with a letter or a digit, and holds only letters, digits, `-`, `_` and `.`",
    );
    found.push(diagnostic.help("give the handler an `id=`, or the storage another `prefix=`"));
}
