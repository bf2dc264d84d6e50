//! Declared fields in an open status.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::path::Path;
use crate::verdict::Fate;
use serde_json::Value;
use std::cell::LazyCell;

pub(super) const RULE: Rule = Rule {
    name: "tightened-status",
    severity: Severity::Note,
    docs: include_str!("tightened_status.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let Some(status) = version.schema.as_ref().and_then(|it| it.property("status")) else { return };
    // Where a write is refused, that says it better.
    if !status.preserves() || judged.verdicts.iter().any(|it| it.fate == Fate::Rejected) {
        return;
    }
    // What the contract writes is judged, and needs no general word.
    let slots = LazyCell::new(|| subject.contract.slots());
    let judged_already = |name: &str| {
        let path = Path::new(["status", name]);
        // A null removes the key, by a merge patch as by the server: that is what the note is about.
        let null = |patch: &Value| patch.pointer(&path.pointer()).is_some_and(Value::is_null);
        let lost = judged.verdicts.iter().any(|it| it.path.is_under(&path) && it.fate != Fate::Kept);
        let mut written = slots.iter().filter(|it| it.path.is_under(&path)).flat_map(|it| &it.samples);
        lost || written.any(|it| !null(&it.patch))
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
