//! Versions without the `/status` endpoint.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "no-status-subresource",
    severity: Severity::Note,
    docs: include_str!("no_status_subresource.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if !subject.accepted() || subject.contract.peering {
        return;
    }
    let without: Vec<_> =
        subject.crd.versions.iter().filter(|it| it.served && !it.status_subresource).collect();
    let Some(first) = without.first() else { return };
    let names: Vec<&str> = without.iter().map(|it| it.name.as_str()).collect();
    let (noun, verb) = if names.len() == 1 { ("version", "has") } else { ("versions", "have") };
    let message = format!("{noun} {} {verb} no `/status` endpoint", words::names(&names));
    let diagnostic = RULE.found(message).at(subject.version_at(first), "declares no `subresources.status`");
    let diagnostic = diagnostic.note(
        "Kopf patches the main object instead: nothing is lost, but a refused status takes the rest of the patch with it",
    );
    found.push(diagnostic.help("add to the version:\nsubresources:\n  status: {}"));
}
