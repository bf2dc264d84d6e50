//! CRDs that the API server cannot read.

use super::Find;
use super::Rule;
use super::Subject;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::schema::Suggestion;

pub(super) const RULE: Rule = Rule {
    name: "undecodable-crd",
    severity: Severity::Error,
    docs: include_str!("undecodable_crd.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some(mismatch) = &subject.read.undecodable else { return };
    let message = "the server cannot decode this CRD (400): it is not created";
    let at = if mismatch.key.is_empty() { mismatch.at } else { mismatch.key };
    // A document of an unknown kind is wrong as a whole.
    let label = if mismatch.key.is_empty() { "" } else { "a value of another kind is expected" };
    let diagnostic = RULE.found(message).at(at, label);
    let diagnostic = diagnostic.note(format!("the server says: {}", mismatch.message));
    found.push(match mismatch.suggestion {
        Some(Suggestion::Misplaced { name, belongs }) if !name.is_empty() => {
            diagnostic.help(format!("`{name}` belongs {belongs}"))
        }
        Some(Suggestion::Misplaced { belongs, .. }) => diagnostic.help(format!("it belongs {belongs}")),
        Some(Suggestion::Misspelt(name)) => diagnostic.help(format!("write `{name}`")),
        Some(Suggestion::Foreign { instead }) => diagnostic.help(instead),
        None if is_quoted(&mismatch.message) => diagnostic.help("write the value without quotes"),
        None => diagnostic,
    });
}

/// Whether a text stands where a flag or a number belongs.
fn is_quoted(message: &str) -> bool {
    let wanted = [" of type bool", " of type int64", " of type float64"];
    message.contains("cannot unmarshal string into") && wanted.iter().any(|it| message.ends_with(it))
}
