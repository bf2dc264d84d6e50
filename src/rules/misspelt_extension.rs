//! Fields that the API server does not know.

use super::Find;
use super::Rule;
use super::Subject;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::schema::Suggestion;

pub(super) const RULE: Rule = Rule {
    name: "misspelt-extension",
    severity: Severity::Error,
    docs: include_str!("misspelt_extension.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for field in &subject.read.unknown {
        if matches!(field.suggestion, Some(Suggestion::Misplaced { .. }))
            || super::misplaced_subresources::is_legacy_place(field)
        {
            continue;
        }
        let message = format!("the server does not know `{}`: {}", field.name, super::dropped(field));
        let mut diagnostic =
            RULE.found(message).at(field.key, format!("not known in {}", super::level(field.within)));
        match field.suggestion {
            // The one name of v1 that was spelt otherwise in v1beta1.
            Some(Suggestion::Misspelt("jsonPath")) if subject.crd.api == Api::V1beta1 => {
                diagnostic = diagnostic.help("write `JSONPath`: so it is spelt in v1beta1");
            }
            Some(Suggestion::Misspelt(name)) => diagnostic = diagnostic.help(format!("write `{name}`")),
            Some(Suggestion::Foreign { instead }) => diagnostic = diagnostic.help(instead),
            _ => {}
        }
        // A word that nobody misses and no client complains about.
        if field.silent
            && !matches!(field.suggestion, Some(Suggestion::Misspelt(name)) if name.starts_with("x-"))
        {
            diagnostic.severity = Severity::Warning;
        }
        found.push(diagnostic);
    }
}
