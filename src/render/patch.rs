//! A fix as people see it: the lines that go and come, each hunk below the line before it.

use crate::changes;
use crate::changes::Change;
use crate::diagnostic::Diagnostic;
use crate::render::place::Lines;
use crate::render::text::MAX_LINE;
use crate::render::text::MAX_WINDOW;
use crate::source;
use crate::source::Edit;
use crate::source::Source;
use crate::source::Span;

const BLUE: &str = "\u{1b}[1m\u{1b}[94m";
const GREEN: &str = "\u{1b}[92m";
const RED: &str = "\u{1b}[91m";
const RESET: &str = "\u{1b}[0m";

/// A line of the patch: its number, its sign, its text.
type Row<'a> = (usize, char, &'a str);

/// The lines of a fix; none if there is no fix, or nothing that could be shown well.
pub(super) fn lines(source: &Source, lines: &Lines<'_>, it: &Diagnostic) -> Option<String> {
    let edits = &it.fix.as_ref()?.edits;
    let first = edits.iter().map(|edit| edit.span.start).min()?;
    let last = edits.iter().map(|edit| edit.span.end).max()?;
    // From a line before, so that one sees what is above.
    let before = lines.window(first, first).0.start.saturating_sub(1);
    let (window, number) = lines.window(before, last);
    let old = source.text.get(window.range())?;
    if old.len() > MAX_WINDOW as usize {
        return None;
    }
    let moved = |edit: &Edit| {
        let span = Span { start: edit.span.start - window.start, end: edit.span.end - window.start };
        Edit { span, text: edit.text.clone() }
    };
    let (new, _) = source::apply(old, &edits.iter().map(moved).collect::<Vec<_>>());
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if old_lines.iter().chain(&new_lines).any(|it| it.len() > MAX_LINE) {
        return None;
    }
    Some(written(&rows(&old_lines, &new_lines, number)))
}

/// The changed lines; nothing stands between hunks that are apart.
fn rows<'a>(old: &[&'a str], new: &[&'a str], number: usize) -> Vec<Option<Row<'a>>> {
    let mut rows = Vec::new();
    let mut shown = 0;
    for Change { old: gone, new: come } in changes::changes(old, new) {
        if shown > 0 && gone.start > shown + 1 {
            rows.push(None);
        }
        if gone.start > shown || shown == 0 && gone.start > 0 {
            rows.push(Some((number + gone.start - 1, '|', old[gone.start - 1])));
        }
        shown = gone.end.max(1);
        rows.extend(gone.map(|at| Some((number + at, '-', old[at]))));
        rows.extend(come.map(|at| Some((number + at, '+', new[at]))));
    }
    rows
}

fn written(rows: &[Option<Row<'_>>]) -> String {
    let greatest = rows.iter().flatten().map(|it| it.0).max().unwrap_or(0);
    let width = greatest.to_string().len();
    let mut text = format!("{:width$} {BLUE}|{RESET}\n", "");
    for row in rows {
        match row {
            None => text += &format!("{BLUE}...{RESET}\n"),
            Some((number, sign, line)) => {
                let color = match sign {
                    '+' => GREEN,
                    '-' => RED,
                    _ => BLUE,
                };
                let line = match sign {
                    '|' => (*line).to_owned(),
                    _ => format!("{color}{line}{RESET}"),
                };
                text += format!("{BLUE}{number:width$}{RESET} {color}{sign}{RESET} {line}").trim_end();
                text += "\n";
            }
        }
    }
    text + &format!("{:width$} {BLUE}|{RESET}\n", "")
}
