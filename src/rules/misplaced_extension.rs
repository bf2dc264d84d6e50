//! Keywords of a schema where no schema is.

use super::Find;
use super::Rule;
use super::Subject;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::schema::Suggestion;

pub(super) const RULE: Rule = Rule {
    name: "misplaced-extension",
    severity: Severity::Error,
    docs: include_str!("misplaced_extension.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for field in &subject.read.unknown {
        let Some(Suggestion::Misplaced { name, belongs }) = field.suggestion else { continue };
        if super::misplaced_subresources::is_legacy_place(field) {
            continue;
        }
        let message = format!(
            "`{}` stands where the server does not look for it: {}",
            field.name,
            super::dropped(field)
        );
        let mut diagnostic =
            RULE.found(message).at(field.key, format!("not known in {}", super::level(field.within)));
        // A property in the wrong place, which no client complains about, is not what state is lost by.
        if field.silent && name.is_empty() {
            diagnostic.severity = Severity::Warning;
        }
        let what = if name.is_empty() { &field.name } else { name };
        found.push(diagnostic.help(format!("`{what}` belongs {belongs}")));
    }
}
