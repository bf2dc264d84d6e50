//! Declared fields in an open status.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::path::Path;

pub(super) const RULE: Rule = Rule {
    name: "tightened-status",
    severity: Severity::Note,
    docs: include_str!("tightened_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let Some(status) = version.schema.as_ref().and_then(|it| it.property("status")) else { return };
    if !status.preserves() {
        return;
    }
    // What the contract writes is judged, and needs no general word.
    let judged_already = |name: &str| {
        let path = Path::new(["status", name]);
        judged.verdicts.iter().any(|it| it.path.is_under(&path))
    };
    let tight: Vec<_> = status.properties.iter().filter(|(name, _)| !judged_already(name)).collect();
    let Some((_, first)) = tight.first() else { return };
    let names: Vec<String> = tight.iter().map(|(name, _)| Path::new(["status", name]).to_string()).collect();
    let verb = if names.len() == 1 { "goes by its" } else { "go by their" };
    let message = format!("{} {verb} own schema, though the status is open", words::names(&names));
    let diagnostic = RULE.found(message).at(first.key, "declared below an open `status`");
    let diagnostic = diagnostic.note(
        "another type or a value outside `enum` is refused (422), a null is removed unless `nullable`, and what is not declared below is pruned",
    );
    let path = &names[0];
    found.push(diagnostic.help(format!("say what handlers write, and it is judged: `--writes {path}=TYPE`")));
}
