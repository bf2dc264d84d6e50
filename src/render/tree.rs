//! The status of every CRD as a tree: what the schema declares, what is written into it, what is kept.

use crate::check::Checked;
use crate::check::Report;
use crate::render::place::Lines;
use crate::schema::Additional;
use crate::schema::Schema;
use crate::source::Source;
use crate::verdict::Fate;
use crate::verdict::JudgedVersion;

/// Deeper levels of a schema are not shown, unless something is written there.
const DEPTH: usize = 4;

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[33m";
const DIM: &str = "\u{1b}[2m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// The right column starts here at the latest.
const WIDTH: usize = 64;

/// One line of the tree with what is below it.
#[derive(Default)]
struct Twig {
    name: String,
    /// What the schema says of it; nothing if it is not declared.
    about: Option<String>,
    /// The slots that are written here, with the gravest of their fates.
    slots: Vec<String>,
    fate: Option<Fate>,
    below: Vec<Twig>,
}

/// A line before its columns are set.
struct Row {
    left: String,
    fate: Option<Fate>,
    slots: String,
}

/// The trees of the CRDs of a text.
pub(super) fn crds(source: &Source, lines: &Lines<'_>, report: &Report) -> String {
    report.crds.iter().map(|it| crd(source, lines, it)).collect()
}

fn crd(source: &Source, lines: &Lines<'_>, it: &Checked) -> String {
    let line = lines.position(it.crd.at.start).line;
    let mut text = format!("{BOLD}{}{RESET}  {DIM}{}:{line}{RESET}\n", it.crd.name, source.name);
    if !it.accepted {
        text += &format!("  {RED}refused by the server{RESET}\n");
    }
    for version in &it.crd.versions {
        let Some(judged) = it.judgement.versions.iter().find(|judged| judged.name == version.name) else {
            text += &format!("  {}  {DIM}not judged{RESET}\n", version.name);
            continue;
        };
        let marks = [
            (judged.handled, "handled"),
            (judged.storage, "stored"),
            (judged.status_subresource, "with /status"),
        ];
        let marks: Vec<&str> = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
        text += &format!("  {}  {DIM}{}{RESET}\n", version.name, marks.join(", "));
        let mut rows = Vec::new();
        let root = root(version.schema.as_ref(), judged);
        for (at, twig) in root.below.iter().enumerate() {
            collect(twig, "  ", at + 1 == root.below.len(), &mut rows);
        }
        text += &columns(&rows);
    }
    text + "\n"
}

/// The status as declared, with the slots put in.
fn root(schema: Option<&Schema>, judged: &JudgedVersion) -> Twig {
    let mut root = Twig::default();
    if let Some(status) = schema.and_then(|it| it.property("status")) {
        root.below.push(declared("status", status, 0));
    }
    for verdict in &judged.verdicts {
        let mut twig = &mut root;
        for (depth, key) in verdict.path.0.iter().enumerate() {
            let unnamed = verdict.slot == "result:*" && depth + 1 == verdict.path.0.len();
            let name = if unnamed { "<id>" } else { key };
            let at = match twig.below.iter().position(|it| it.name == name) {
                Some(at) => at,
                None => {
                    twig.below.push(Twig { name: name.to_owned(), ..Twig::default() });
                    twig.below.len() - 1
                }
            };
            twig = &mut twig.below[at];
        }
        let via = verdict.via.as_ref().map_or_else(String::new, |it| format!(" in version {it}"));
        twig.slots.push(format!("{}{via}", verdict.slot));
        twig.fate = twig.fate.max(Some(verdict.fate));
    }
    root
}

fn declared(name: &str, schema: &Schema, depth: usize) -> Twig {
    let mut about = if schema.ty.is_empty() { "any type".to_owned() } else { schema.ty.to_string() };
    if schema.preserves() {
        about += ", open";
    } else if let Some(Additional::Allowed(allowed)) = schema.additional_properties {
        about += &format!(", additionalProperties: {allowed}");
    } else if schema.additional().is_some() {
        about += ", any keys";
    }
    let below = match depth < DEPTH {
        true => schema.properties.iter().map(|(name, it)| declared(name, it, depth + 1)).collect(),
        false => Vec::new(),
    };
    Twig { name: name.to_owned(), about: Some(about), below, ..Twig::default() }
}

fn collect(twig: &Twig, indent: &str, last: bool, rows: &mut Vec<Row>) {
    let about = match &twig.about {
        Some(about) => format!(": {about}"),
        None => " (not declared)".to_owned(),
    };
    let left = format!("{indent}{} {}{about}", if last { "└─" } else { "├─" }, twig.name);
    rows.push(Row { left, fate: twig.fate, slots: twig.slots.join(", ") });
    let indent = format!("{indent}{}", if last { "   " } else { "│  " });
    for (at, it) in twig.below.iter().enumerate() {
        collect(it, &indent, at + 1 == twig.below.len(), rows);
    }
}

/// Sets the columns: the tree, the fate, the slots.
fn columns(rows: &[Row]) -> String {
    let judged = rows.iter().filter(|it| it.fate.is_some());
    let width = judged.map(|it| it.left.chars().count()).max().unwrap_or(0).min(WIDTH);
    let line = |row: &Row| match row.fate {
        None => format!("{}\n", row.left),
        Some(fate) => {
            let color = match fate {
                Fate::Kept => GREEN,
                Fate::Unknown => YELLOW,
                Fate::Pruned | Fate::Rejected => RED,
            };
            format!("{:width$}  {color}{:8}{RESET}  {DIM}{}{RESET}\n", row.left, fate.name(), row.slots)
        }
    };
    rows.iter().map(line).collect()
}
