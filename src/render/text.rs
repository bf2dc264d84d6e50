//! Findings in the look of rustc: the line, carets on the culprit, notes, what to do.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Safety;
use crate::diagnostic::Severity;
use crate::render::Run;
use crate::render::patch;
use crate::render::place::Lines;
use crate::source::Source;
use crate::source::Span;
use annotate_snippets::AnnotationKind;
use annotate_snippets::Group;
use annotate_snippets::Level;
use annotate_snippets::Origin;
use annotate_snippets::Renderer;
use annotate_snippets::Snippet;

/// A window of more bytes than this is not shown: a manifest in one line, or labels far apart.
pub(super) const MAX_WINDOW: u32 = 64 * 1024;

/// A line of more bytes than this is not shown.
pub(super) const MAX_LINE: usize = 400;

/// So many CRDs that lose state are hardly all of one operator.
const MANY: usize = 5;

/// A finding as text, with escape sequences for colors.
pub(super) fn diagnostic(source: &Source, lines: &Lines<'_>, it: &Diagnostic) -> String {
    let level = match it.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut first = Group::with_title(level.primary_title(it.message.as_str()).id(it.rule));
    first = match window(source, lines, it) {
        Some(window) => first.element(snippet(source, lines, window, it)),
        None => {
            let at = lines.position(it.span().start);
            let origin = Origin::path(source.name.as_str()).line(at.line).char_column(at.column);
            let said = it.labels.iter().filter(|label| !label.text.is_empty());
            first.element(origin).elements(said.map(|label| Level::NOTE.message(label.text.as_str())))
        }
    };
    first = first.elements(it.notes.iter().map(|note| Level::NOTE.message(note.as_str())));
    let mut groups = Vec::new();
    let shown = patch::lines(source, lines, it);
    match (&it.help, &shown) {
        (Some(help), Some(_)) => {
            groups.push(first);
            groups.push(Group::with_title(Level::HELP.secondary_title(shortened(it, help))));
        }
        (Some(help), None) => groups.push(first.element(Level::HELP.message(help.as_str()))),
        (None, _) => groups.push(first),
    }
    let text = Renderer::styled().render(&groups);
    format!("{text}\n{}\n", shown.unwrap_or_default())
}

/// Advice beside a patch that shows the lines: what to do, without them.
fn shortened(it: &Diagnostic, help: &str) -> String {
    let mut text = help.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
    if let Some(more) = help.lines().last().and_then(|it| it.strip_prefix("# ")) {
        text += &format!(", and {more}");
    }
    if it.fix.as_ref().is_some_and(|it| it.safety == Safety::Unsafe) {
        text += " (changes what is accepted: `fix --unsafe` applies it)";
    }
    text
}

/// The lines to show, with the number of the first; none if they would not help.
fn window(source: &Source, lines: &Lines<'_>, it: &Diagnostic) -> Option<(Span, usize)> {
    let first = it.labels.iter().map(|label| label.span.start).min()?;
    let last = it.labels.iter().map(|label| label.span.start).max()?;
    let (span, number) = lines.window(first, last);
    let text = source.text.get(span.range())?;
    let shown = span.end - span.start <= MAX_WINDOW && !text.trim().is_empty();
    let long = it.labels.iter().any(|label| {
        let (line, _) = lines.window(label.span.start, label.span.start);
        line.range().len() > MAX_LINE
    });
    (shown && !long).then_some((span, number))
}

fn snippet<'a>(
    source: &'a Source,
    lines: &Lines<'_>,
    (window, number): (Span, usize),
    it: &'a Diagnostic,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let annotations = it.labels.iter().map(|label| {
        // Carets under a whole mapping say less than carets under its first line.
        let end = label.span.end.min(lines.line_end(label.span.start)).max(label.span.start);
        let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let place = (label.span.start - window.start) as usize..(end - window.start) as usize;
        let text = Some(label.text.as_str()).filter(|it| !it.is_empty());
        kind.span(place).label(text)
    });
    Snippet::source(&source.text[window.range()])
        .path(source.name.as_str())
        .line_start(number)
        .annotations(annotations)
}

/// The last lines: what was assumed, what was seen.
pub(super) fn end(run: &Run<'_>) -> String {
    let it = &run.summary;
    let assumed = match run.stated {
        true => format!("judged for {}", run.contract.describe()),
        false => format!(
            "assumed {}; say otherwise by flags or in kopf-crd.toml (`cargo kopf-crd contract`)",
            run.contract.describe()
        ),
    };
    let found = [(it.errors, "error"), (it.warnings, "warning"), (it.notes, "note")];
    let found: Vec<String> = found.iter().filter(|it| it.0 > 0).map(|it| count(it.0, it.1)).collect();
    let found = match (found.is_empty(), it.crds) {
        (true, 0) => "nothing to judge".to_owned(),
        (true, _) => "nothing to complain about".to_owned(),
        _ => found.join(", "),
    };
    let skipped = [
        (it.skipped.others, "other document"),
        (it.skipped.out_of_scope, "CRD out of scope"),
        (it.skipped.fragments, "fragment"),
        (it.skipped.broken, "broken document"),
    ];
    let mut skipped: Vec<String> = skipped
        .iter()
        .filter(|it| it.0 > 0)
        .map(|it| count(it.0, it.1).replace("CRD out of scopes", "CRDs out of scope"))
        .collect();
    if it.silenced > 0 {
        skipped.push(count(it.silenced, "silenced finding"));
    }
    let skipped =
        if skipped.is_empty() { String::new() } else { format!("; skipped: {}", skipped.join(", ")) };
    let seen = format!("{} in {} judged", count(it.crds, "CRD"), count(it.files, "file"));
    // Most of the CRDs in the world are of others, and need not keep anything.
    let others = match it.lossy >= MANY {
        true => format!(
            "{} CRDs lose state: leave those of other operators out by `--only` or `--skip`, or keep the state in annotations\n",
            it.lossy
        ),
        false => String::new(),
    };
    let fixes = match (it.fixable, it.risky) {
        (0, 0) => String::new(),
        (0, risky) => format!("{} can be mended by `cargo kopf-crd fix --unsafe`\n", count(risky, "finding")),
        (safe, _) => format!("{} can be mended by `cargo kopf-crd fix`\n", count(safe, "finding")),
    };
    format!("{assumed}\n{others}{fixes}{seen}: {found}{skipped}\n")
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
