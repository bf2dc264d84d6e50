//! Templates that nobody has rendered.

use super::Find;
use super::Rule;
use super::Text;
use crate::crd;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::source::Span;
use crate::yaml::Node;
use crate::yaml::Value;
use crate::yaml::template;

pub(super) const RULE: Rule = Rule {
    name: "unrendered-template",
    severity: Severity::Error,
    docs: include_str!("unrendered_template.md"),
    find: Find::Text(find),
};

const HELP: &str = "render it first: `helm template CHART --include-crds | cargo kopf-crd check -`";

/// Schemas hold texts for people and for other programs, where braces mean nothing here.
const PROSE: [&str; 2] = ["openAPIV3Schema", "kubectl.kubernetes.io/last-applied-configuration"];

fn find(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let mut last = None;
    for error in &text.stream.errors {
        let Some(marker) = marker_near(&text.source.text, error.span) else { continue };
        // One document may break in several places.
        if last.replace(marker) != Some(marker) {
            let message = "this is a template that is not rendered: it is not judged";
            found.push(RULE.found(message).at(marker, "template syntax outside quotes").help(HELP));
        }
    }
    for document in &text.stream.documents {
        if crd::is_crd(&document.root).is_none() {
            continue;
        }
        if let Some(at) = quoted(&document.root) {
            let mut diagnostic =
                RULE.found("template syntax is left in this CRD: the server takes it literally");
            diagnostic.severity = Severity::Warning;
            found.push(diagnostic.at(at, "reaches the server with its braces").help(HELP));
        }
    }
}

/// The first sign of a template in the broken document around `at`. Lines that start with `---` bound the document.
pub(super) fn marker_near(text: &str, at: Span) -> Option<Span> {
    let at = floor(text, at.start as usize);
    let start = text[..at].rfind("\n---").map_or(0, |it| it + 1);
    let end = text[at..].find("\n---").map_or(text.len(), |it| at + it);
    let mark = template::marks(&text[start..end]).next()?;
    Some(Span::new(start + mark.start as usize, start + mark.end as usize))
}

/// Where a readable document still has braces, outside its schemas.
fn quoted(node: &Node) -> Option<Span> {
    match &node.value {
        Value::String(text) => {
            let open = text.find("{{")?;
            text[open..].contains("}}").then_some(node.span)
        }
        Value::Sequence(items) => items.iter().find_map(quoted),
        Value::Mapping(entries) => {
            let entries = entries.iter().filter(|it| !PROSE.contains(&&*it.key));
            entries.into_iter().find_map(|it| quoted(&it.value))
        }
        _ => None,
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}
