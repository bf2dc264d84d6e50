//! How a run looks, for people and for machines: one file a format.
//!
//! Each text is rendered on its own, so that it can be let go of before the next; a whole is put together at the end.

mod github;
mod json;
mod patch;
mod place;
mod text;
mod tree;

use crate::check::Report;
use crate::check::Summary;
use crate::kopf::Contract;
use crate::source::Source;
use place::Lines;

/// A way to show a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people, in the look of rustc.
    Text,
    /// One JSON object, `kopf-crd/report/v1`.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// The status of every CRD as a tree, with what is kept and what is not.
    Tree,
}

/// All formats with their names.
pub const FORMATS: [(&str, Format); 4] =
    [("text", Format::Text), ("json", Format::Json), ("github", Format::Github), ("tree", Format::Tree)];

/// What one text contributes.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    /// Its findings.
    diagnostics: String,
    /// Its CRDs, where the format shows them.
    crds: String,
}

/// What holds for a whole run.
#[derive(Debug)]
pub struct Run<'a> {
    /// What was seen.
    pub summary: Summary,
    /// What the operator is taken to write.
    pub contract: &'a Contract,
    /// Whether somebody said so, in flags or in a configuration.
    pub stated: bool,
}

impl Format {
    /// The format of a name.
    pub fn by_name(name: &str) -> Option<Format> {
        FORMATS.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// Whether a piece can be shown before the rest of the run is known.
    pub fn streams(self) -> bool {
        self != Format::Json
    }
}

/// What a text contributes to a run.
pub fn piece(format: Format, source: &Source, report: &Report) -> Piece {
    if report.diagnostics.is_empty() && report.crds.is_empty() {
        return Piece::default();
    }
    let lines = Lines::new(source);
    let each = |show: fn(&Source, &Lines<'_>, &crate::diagnostic::Diagnostic) -> String| {
        report.diagnostics.iter().map(|it| show(source, &lines, it)).collect::<String>()
    };
    match format {
        Format::Text => Piece { diagnostics: each(text::diagnostic), crds: String::new() },
        Format::Github => Piece { diagnostics: each(github::diagnostic), crds: String::new() },
        Format::Json => Piece {
            diagnostics: json::diagnostics(source, &lines, report),
            crds: json::crds(source, &lines, report),
        },
        Format::Tree => Piece { diagnostics: String::new(), crds: tree::crds(source, &lines, report) },
    }
}

/// A piece of a format that streams, as it is shown.
pub fn stream(piece: &Piece) -> &str {
    if piece.crds.is_empty() { &piece.diagnostics } else { &piece.crds }
}

/// A whole run: its pieces, in their order, and what holds for all. Pieces that are shown already are left out.
pub fn whole(format: Format, pieces: &[Piece], run: &Run<'_>) -> String {
    let streamed: String = pieces.iter().map(stream).collect();
    match format {
        Format::Text => streamed + &text::end(run),
        Format::Github => streamed + &text::end(run),
        Format::Tree => streamed,
        Format::Json => {
            let crds: Vec<&str> = pieces.iter().map(|it| it.crds.as_str()).collect();
            let diagnostics: Vec<&str> = pieces.iter().map(|it| it.diagnostics.as_str()).collect();
            json::whole(&crds, &diagnostics, run)
        }
    }
}
