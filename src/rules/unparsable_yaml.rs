//! Text that is not YAML.

use super::Find;
use super::Rule;
use super::Text;
use super::unrendered_template;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "unparsable-yaml",
    severity: Severity::Error,
    docs: include_str!("unparsable_yaml.md"),
    find: Find::Text(find),
};

fn find(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for error in &text.stream.errors {
        // A template is broken YAML too, but that is not the point.
        if unrendered_template::marker_near(&text.source.text, error.span).is_some() {
            continue;
        }
        let diagnostic = RULE.found(format!("{}: this document is not judged", error.message));
        let diagnostic = diagnostic.at(error.span, "");
        found.push(match &error.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
    for dropped in &text.stream.dropped {
        let mut diagnostic = RULE.found("what follows `...` is dropped by every client without a word");
        diagnostic.severity = Severity::Warning;
        found.push(diagnostic.at(*dropped, "not read").help("start a document with `---`"));
    }
}
