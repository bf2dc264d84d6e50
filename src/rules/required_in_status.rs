//! Required fields that refuse a later write to the status.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;

pub(super) const RULE: Rule = Rule {
    name: "required-in-status",
    severity: Severity::Warning,
    docs: include_str!("required_in_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let Some(status) = version.schema.as_ref().and_then(|it| it.property("status")) else { return };
    // Where the contract writes to the status, the refusal itself is found.
    if judged
        .verdicts
        .iter()
        .any(|it| it.fate == Fate::Rejected || it.path.0.first().is_some_and(|it| it == "status"))
    {
        return;
    }
    let defaulted = |name: &str| status.property(name).is_some_and(|it| it.default.is_some());
    let names: Vec<&String> = status.required.iter().filter(|it| !defaulted(it)).collect();
    if names.is_empty() {
        return;
    }
    let message = format!(
        "the status requires {}: a handler that writes anything else to it is refused",
        words::names(&names)
    );
    let at = status.keyword("required").map_or(status.key, |it| it.key);
    let mut diagnostic = RULE.found(message).at(at, "holds for every write to the status");
    diagnostic.version = Some(version.name.clone());
    found.push(diagnostic.help("drop `required`, or give the field a `default`"));
}
