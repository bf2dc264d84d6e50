//! Keys that stand twice in one mapping.

use super::Find;
use super::Part;
use super::Rule;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "duplicate-key",
    severity: Severity::Error,
    docs: include_str!("duplicate_key.md"),
    find: Find::Document(find),
};

fn find(part: &Part<'_>, found: &mut Vec<Diagnostic>) {
    let within = part.node.span;
    for duplicate in &part.document.duplicates {
        if duplicate.first.start < within.start || duplicate.last.end > within.end {
            continue;
        }
        let message = format!("`{}` stands twice in one mapping: the last one wins", duplicate.key);
        let diagnostic = RULE.found(message).at(duplicate.last, "this one is read");
        let diagnostic = diagnostic.at(duplicate.first, "this one is dropped without a word");
        found.push(diagnostic.help(format!("keep one `{}`, with what belongs in it", duplicate.key)));
    }
}
