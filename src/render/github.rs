//! Workflow commands of GitHub Actions: an annotation per finding.
//!
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::render::place::Lines;
use crate::source::Source;

/// The annotation of a finding, one line.
pub(super) fn diagnostic(source: &Source, lines: &Lines<'_>, it: &Diagnostic) -> String {
    let command = match it.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let (start, end) = (lines.position(it.span().start), lines.position(it.span().end));
    let mut text = format!("::{command} file={},line={}", property(&source.name), start.line);
    // GitHub takes columns only where the place is within one line.
    if start.line == end.line {
        text += &format!(",col={},endColumn={}", start.column, end.column.max(start.column));
    } else {
        text += &format!(",endLine={}", end.line);
    }
    text += &format!(",title={}::{}\n", property(it.rule), data(&message(it)));
    text
}

/// Everything a reader of the annotation needs, in lines.
fn message(it: &Diagnostic) -> String {
    let mut text = it.message.clone();
    for note in &it.notes {
        text += &format!("\nnote: {note}");
    }
    if let Some(help) = &it.help {
        text += &format!("\nhelp: {help}");
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
