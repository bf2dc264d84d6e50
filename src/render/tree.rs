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

/// One line of the tree with what is below it.
#[derive(Default)]
struct Twig {
    name: String,
    about: String,
    fate: Option<Fate>,
    below: Vec<Twig>,
}

/// The trees of the CRDs of a text.
pub(super) fn crds(source: &Source, lines: &Lines<'_>, report: &Report) -> String {
    report.crds.iter().map(|it| crd(source, lines, it)).collect()
}

fn crd(source: &Source, lines: &Lines<'_>, it: &Checked) -> String {
    let line = lines.position(it.crd.at.start).line;
    let mut text = format!("{BOLD}{}{RESET} {DIM}{}:{line}{RESET}\n", it.crd.name, source.name);
    if !it.accepted {
        text += &format!("  {RED}refused by the server{RESET}\n");
    }
    for version in &it.crd.versions {
        let Some(judged) = it.judgement.versions.iter().find(|judged| judged.name == version.name) else {
            text += &format!("  {} {DIM}not judged{RESET}\n", version.name);
            continue;
        };
        let marks = [
            (judged.handled, "handled"),
            (judged.storage, "stored"),
            (judged.status_subresource, "with /status"),
        ];
        let marks: Vec<&str> = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
        text += &format!("  {} {DIM}{}{RESET}\n", version.name, marks.join(", "));
        let root = root(version.schema.as_ref(), judged);
        for twig in &root.below {
            show(twig, "  ", true, &mut text);
        }
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
        for key in &verdict.path.0 {
            let at = match twig.below.iter().position(|it| it.name == *key) {
                Some(at) => at,
                None => {
                    twig.below.push(Twig { name: key.clone(), ..Twig::default() });
                    twig.below.len() - 1
                }
            };
            twig = &mut twig.below[at];
        }
        let what = match (&*verdict.slot, verdict.fate) {
            ("result:*", _) => "any result".to_owned(),
            (slot, _) => slot.to_owned(),
        };
        let why = match (verdict.fate, &verdict.via) {
            (Fate::Pruned | Fate::Rejected, Some(via)) => format!(" in version {via}"),
            _ => String::new(),
        };
        twig.about = format!(
            "{}{what}{why}",
            if twig.about.is_empty() { String::new() } else { format!("{}, ", twig.about) }
        );
        twig.fate = twig.fate.max(Some(verdict.fate));
    }
    root
}

fn declared(name: &str, schema: &Schema, depth: usize) -> Twig {
    let mut about = match schema.ty.as_str() {
        "" => "any type".to_owned(),
        ty => ty.to_owned(),
    };
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
    Twig { name: name.to_owned(), about, fate: None, below }
}

fn show(twig: &Twig, indent: &str, last: bool, text: &mut String) {
    let fate = match twig.fate {
        None => String::new(),
        Some(Fate::Kept) => format!("  {GREEN}kept{RESET}"),
        Some(Fate::Unknown) => format!("  {YELLOW}unknown{RESET}"),
        Some(Fate::Pruned) => format!("  {RED}pruned{RESET}"),
        Some(Fate::Rejected) => format!("  {RED}rejected{RESET}"),
    };
    let about = if twig.about.is_empty() { String::new() } else { format!("  {DIM}{}{RESET}", twig.about) };
    *text += &format!("{indent}{} {}{about}{fate}\n", if last { "└─" } else { "├─" }, twig.name);
    let indent = format!("{indent}{}", if last { "   " } else { "│  " });
    for (at, it) in twig.below.iter().enumerate() {
        show(it, &indent, at + 1 == twig.below.len(), text);
    }
}
