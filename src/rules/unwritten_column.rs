//! Printer columns that stay empty.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::path::Path;
use crate::schema::Schema;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "unwritten-column",
    severity: Severity::Note,
    docs: include_str!("unwritten_column.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    // Without known handlers anything may be written.
    let written = |it: &&Verdict| it.slot.starts_with("result:") || it.slot.starts_with("field:");
    let slots: Vec<&Verdict> = judged.verdicts.iter().filter(written).collect();
    if slots.is_empty() || slots.iter().any(|it| it.slot == "result:*") {
        return;
    }
    for column in &version.columns {
        let Some(path) = column.json_path.strip_prefix('.').and_then(|it| Path::parse(it).ok()) else {
            continue;
        };
        let of_status = path.0.first().is_some_and(|it| it == "status");
        let reached = judged.verdicts.iter().any(|it| path.is_under(&it.path) || it.path.is_under(&path));
        if !of_status || reached || version.schema.as_ref().is_some_and(|it| declares(it, &path)) {
            continue;
        }
        let message = format!(
            "the column `{}` reads `{}`, which nothing writes: it stays empty",
            column.name, column.json_path
        );
        let diagnostic =
            RULE.found(message).at(column.at, "not declared, and no result or field of the contract");
        let places: Vec<String> = slots.iter().map(|it| it.path.to_string()).collect();
        let diagnostic = diagnostic.note(format!("handlers write {}", words::names(&places)));
        let last = path.0.last().map_or("", |it| it);
        found.push(
            diagnostic.help(format!(
                "read `.{}.{last}`, or say that handlers patch it: `--writes {path}`",
                places[0]
            )),
        );
    }
}

/// Whether the schema declares every key of a path.
fn declares(root: &Schema, path: &Path) -> bool {
    path.0.iter().try_fold(root, |node, key| node.property(key)).is_some()
}
