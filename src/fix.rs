//! A text with what can be mended mended: apply, parse again, judge again, until nothing more is offered.
//!
//! Which edits mend what is decided with the findings; here it is decided what of that stands.

use std::collections::BTreeSet;

use crate::changes;
use crate::check;
use crate::check::Options;
use crate::check::Report;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Safety;
use crate::diagnostic::Severity;
use crate::rules::mend;
use crate::source;
use crate::source::Edit;
use crate::source::Source;
use crate::verdict::Fate;
use crate::yaml;
use crate::yaml::Node;
use crate::yaml::Value;

/// One fix may uncover the next; more rounds than this are no progress.
const MAX_ROUNDS: usize = 8;

/// What became of a text.
#[derive(Debug, Clone)]
pub struct Fixed {
    /// The text afterwards; the very same if nothing was mended.
    pub text: String,
    /// The findings whose fixes were applied, in the order of application; places are those of their round.
    pub applied: Vec<Diagnostic>,
    /// What is said about the text afterwards.
    pub report: Report,
    /// CRDs that would not have been whole afterwards, and so were left as they are.
    pub left: Vec<String>,
}

/// Applies every fix up to a safety.
///
/// A CRD is touched only if that leaves it better: accepted if it was accepted before, and with fewer slots lost.
/// What is edited for one CRD never changes the value of another place; a safe fix only adds.
pub fn fix(source: &Source, options: &Options, safety: Safety) -> Fixed {
    let before = check::check(source, options);
    if !before.diagnostics.iter().any(|it| is_wanted(it, safety)) {
        return Fixed { text: source.text.clone(), applied: Vec::new(), report: before, left: Vec::new() };
    }
    let mut left = BTreeSet::new();
    loop {
        let fixed = rounds(source, options, safety, &left);
        let worse: Vec<String> =
            touched(&fixed.applied).filter(|it| !is_better(&before, &fixed, it)).collect();
        if worse.is_empty() {
            return Fixed { left: left.into_iter().collect(), ..fixed };
        }
        left.extend(worse);
    }
}

fn is_wanted(diagnostic: &Diagnostic, safety: Safety) -> bool {
    diagnostic.fix.as_ref().is_some_and(|it| it.safety <= safety)
}

fn touched(applied: &[Diagnostic]) -> impl Iterator<Item = String> {
    let names: BTreeSet<String> = applied.iter().map(|it| it.crd.clone().unwrap_or_default()).collect();
    names.into_iter()
}

fn rounds(source: &Source, options: &Options, safety: Safety, left: &BTreeSet<String>) -> Fixed {
    let mut current = source.clone();
    let mut applied = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let report = check::check(&current, options);
        let (chosen, edits) = choose(&current, &report, safety, left);
        if edits.is_empty() {
            break;
        }
        let (text, _) = source::apply(&current.text, &edits);
        current.text = text;
        applied.extend(chosen);
    }
    let report = check::check(&current, options);
    Fixed { text: current.text, applied, report, left: Vec::new() }
}

/// The fixes that can be made at once.
fn choose(
    source: &Source,
    report: &Report,
    safety: Safety,
    left: &BTreeSet<String>,
) -> (Vec<Diagnostic>, Vec<Edit>) {
    let mut all: Vec<&Diagnostic> = report.diagnostics.iter().filter(|it| is_wanted(it, safety)).collect();
    all.retain(|it| !left.contains(it.crd.as_deref().unwrap_or_default()));
    // A word that is moved or respelled may be all that is needed.
    if all.iter().any(|it| mend::is_structural(it.rule)) {
        all.retain(|it| mend::is_structural(it.rule));
    }
    let (chosen, edits) = together(&all);
    let safest = if chosen.iter().all(|it| is_wanted(it, Safety::Safe)) { Safety::Safe } else { safety };
    if edits.is_empty() || is_sound(&source.text, &edits, safest) {
        return (chosen, edits);
    }
    // One of them does damage: each is looked at by itself.
    let sound =
        |it: &&Diagnostic| it.fix.as_ref().is_some_and(|fix| is_sound(&source.text, &fix.edits, fix.safety));
    all.retain(sound);
    together(&all)
}

/// As many fixes as do not touch each other; what several of them share is done once.
fn together(all: &[&Diagnostic]) -> (Vec<Diagnostic>, Vec<Edit>) {
    let (mut chosen, mut edits): (Vec<Diagnostic>, Vec<Edit>) = (Vec::new(), Vec::new());
    for diagnostic in all {
        let Some(fix) = &diagnostic.fix else { continue };
        let more: Vec<&Edit> = fix.edits.iter().filter(|it| !edits.contains(it)).collect();
        if more.iter().any(|edit| edits.iter().any(|it| collide(edit, it))) {
            continue;
        }
        let more: Vec<Edit> = more.into_iter().cloned().collect();
        edits.extend(more);
        chosen.push((*diagnostic).clone());
    }
    (chosen, edits)
}

/// Whether two edits of different fixes touch.
fn collide(one: &Edit, other: &Edit) -> bool {
    one.span.start <= other.span.end && other.span.start <= one.span.end
}

/// Whether a text is as readable after edits as before; after safe ones it says all that it said.
fn is_sound(text: &str, edits: &[Edit], safety: Safety) -> bool {
    let (after, skipped) = source::apply(text, edits);
    let (old, new) = (yaml::parse(text), yaml::parse(&after));
    let readable = skipped.is_empty()
        && old.errors.len() == new.errors.len()
        && old.documents.len() == new.documents.len()
        && old.dropped.len() == new.dropped.len();
    let mut pairs = old.documents.iter().zip(&new.documents);
    readable
        && pairs.all(|(old, new)| {
            old.duplicates.len() >= new.duplicates.len()
                && (safety == Safety::Unsafe || contains(&new.root, &old.root) || renamed(old, new))
        })
}

/// Whether a value says all that another says: more keys in mappings, something instead of null, the rest equal.
fn contains(new: &Node, old: &Node) -> bool {
    match (&old.value, &new.value) {
        (Value::Null, _) => true,
        (Value::Mapping(old), Value::Mapping(_)) => {
            old.iter().all(|it| new.get(&it.key).is_some_and(|new| contains(new, &it.value)))
        }
        (Value::Sequence(old), Value::Sequence(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| contains(new, old))
        }
        (old, new) => old == new,
    }
}

/// Whether all that differs are names of keys that have become longer.
fn renamed(old: &yaml::Document, new: &yaml::Document) -> bool {
    fn keys(node: &Node) -> usize {
        let inner = node.entries().iter().map(|it| 1 + keys(&it.value)).sum::<usize>();
        inner + node.items().iter().map(keys).sum::<usize>()
    }
    keys(&old.root) == keys(&new.root)
}

/// How bad a fate is: that nobody can tell is better than a loss.
fn harm(fate: Fate) -> usize {
    match fate {
        Fate::Kept => 0,
        Fate::Unknown => 1,
        Fate::Pruned => 2,
        Fate::Rejected => 3,
    }
}

/// Whether a CRD is better off: still accepted, and with less harm or fewer findings.
fn is_better(before: &Report, fixed: &Fixed, name: &str) -> bool {
    let accepted = |it: &Report| it.crds.iter().filter(|it| it.crd.name == name).all(|it| it.accepted);
    let lost = |it: &Report| {
        let crds = it.crds.iter().filter(|it| it.crd.name == name);
        let verdicts = crds.flat_map(|it| &it.judgement.versions).flat_map(|it| &it.verdicts);
        verdicts.map(|it| harm(it.fate)).sum::<usize>()
    };
    let said = |it: &Report| {
        let about = |it: &&Diagnostic| it.crd.as_deref().unwrap_or_default() == name;
        it.diagnostics.iter().filter(about).filter(|it| it.severity > Severity::Note).count()
    };
    let (old, new) = (before, &fixed.report);
    // A CRD that has its name only since a fix had nothing to lose under it.
    if !name.is_empty() && !old.crds.iter().any(|it| it.crd.name == name) {
        return true;
    }
    match (accepted(old), accepted(new)) {
        (true, false) => return false,
        (false, true) => return true,
        _ => {}
    }
    match lost(old).cmp(&lost(new)) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => said(new) < said(old),
        std::cmp::Ordering::Less => false,
    }
}

/// The difference of two texts as a unified diff; empty if there is none.
pub fn unified_diff(name: &str, old: &str, new: &str) -> String {
    changes::unified(name.trim_start_matches('/'), old, new)
}
