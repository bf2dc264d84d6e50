//! Which edits mend a finding. Attached to findings as their [`Fix`]; judged again before anything counts as mended.
//!
//! What cannot be edited well gets a note with the reason. How an edit is written is decided in `yaml::edit`.

mod fields;
mod loosen;
mod open;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Fix;
use crate::diagnostic::Safety;
use crate::rules::Subject;
use crate::source::Edit;
use crate::source::Source;
use crate::source::Span;
use crate::verdict::Fate;
use crate::verdict::Verdict;
use crate::yaml::Document;
use crate::yaml::Node;
use crate::yaml::edit::Refusal;
use crate::yaml::edit::Target;
use crate::yaml::template;

/// How wide a status is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Width {
    /// Only what the operator writes: `status.kopf` and the known results.
    #[default]
    Narrow,
    /// The whole status.
    Open,
}

/// The text of a CRD, for edits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manuscript<'a> {
    pub(crate) source: &'a Source,
    pub(crate) document: &'a Document,
    /// The CRD.
    pub(crate) node: &'a Node,
    pub(crate) width: Width,
}

impl<'a> Manuscript<'a> {
    fn target(self) -> Target<'a> {
        Target { text: &self.source.text, document: self.document }
    }
}

/// Edits with their safety; none if there is nothing to do.
type Plan = Result<Option<Fix>, Refusal>;

fn safe(edits: Vec<Edit>) -> Plan {
    Ok((!edits.is_empty()).then_some(Fix { safety: Safety::Safe, edits }))
}

fn unsafe_(edits: Vec<Edit>) -> Plan {
    Ok((!edits.is_empty()).then_some(Fix { safety: Safety::Unsafe, edits }))
}

/// Attaches fixes to the findings about a CRD.
pub(crate) fn mend(text: Manuscript<'_>, subject: &Subject<'_>, found: &mut [Diagnostic]) {
    if found.is_empty() {
        return;
    }
    if let Some(at) = template_mark(text) {
        let refusal = Refusal { reason: "it is a template that nobody has rendered", at };
        found.iter_mut().filter(|it| is_mendable(it.rule)).for_each(|it| refuse(it, text.source, &refusal));
        return;
    }
    let mut structural = false;
    for diagnostic in found.iter_mut() {
        let plan = fields::plan(text, subject, diagnostic);
        structural |= plan.as_ref().is_ok_and(|it| it.as_ref().is_some_and(|it| it.safety == Safety::Safe));
        attach(diagnostic, text.source, plan);
    }
    // What is written right after a misspelt or misplaced word is mended may be all that is needed.
    if structural {
        let lost = ["pruned-status", "pruned-result"];
        let waits = found.iter_mut().filter(|it| it.fix.is_none() && lost.contains(&it.rule));
        waits.for_each(|it| {
            it.help = Some("mend what is misspelt or misplaced first: that may be all it needs".to_owned())
        });
        return;
    }
    for diagnostic in found.iter_mut().filter(|it| it.fix.is_none()) {
        let plan = schema_plan(text, subject, diagnostic);
        attach(diagnostic, text.source, plan);
    }
}

fn template_mark(text: Manuscript<'_>) -> Option<Span> {
    let within = text.node.span;
    let mut marks = template::marks(text.source.text.get(within.range())?);
    let mark = marks.next()?;
    Some(Span { start: within.start + mark.start, end: within.start + mark.end })
}

/// Rules whose findings may have a fix; the last five are those of [`is_structural`].
const MENDABLE: [&str; 11] = [
    "pruned-status",
    "storage-version-drops",
    "version-drops-status",
    "pruned-result",
    "closed-peering",
    "rejected-status",
    "misspelt-extension",
    "misplaced-extension",
    "misplaced-subresources",
    "duplicate-key",
    "undecodable-crd",
];

/// Whether the fix of a rule moves, respells or drops words, and so may make others needless.
pub(crate) fn is_structural(rule: &str) -> bool {
    MENDABLE[MENDABLE.len() - 5..].contains(&rule)
}

fn is_mendable(rule: &str) -> bool {
    MENDABLE.contains(&rule)
}

fn attach(diagnostic: &mut Diagnostic, source: &Source, plan: Plan) {
    match plan {
        // One node cannot be two things at once.
        Ok(fix) => diagnostic.fix = fix.filter(|it| !contradicts(&it.edits)),
        Err(refusal) => refuse(diagnostic, source, &refusal),
    }
}

/// Whether two edits want different texts in one place.
fn contradicts(edits: &[Edit]) -> bool {
    let collide =
        |one: &Edit, other: &Edit| one.span.start < other.span.end && other.span.start < one.span.end;
    edits.iter().enumerate().any(|(at, one)| edits[at + 1..].iter().any(|other| collide(one, other)))
}

fn refuse(diagnostic: &mut Diagnostic, source: &Source, refusal: &Refusal) {
    let line = source.position(refusal.at.start).line;
    diagnostic.notes.push(format!("`fix` leaves it as it is: {} (line {line})", refusal.reason));
}

fn schema_plan(text: Manuscript<'_>, subject: &Subject<'_>, diagnostic: &Diagnostic) -> Plan {
    let verdicts = |fate: Fate, version: &str| -> Vec<&Verdict> {
        let judged = subject.judgement.versions.iter();
        let all = judged.flat_map(|it| it.verdicts.iter().map(move |verdict| (it.name.as_str(), verdict)));
        // What is lost on the way to the storage version is to be declared there.
        let edited = |name: &str, it: &Verdict| it.via.as_deref().unwrap_or(name) == version;
        all.filter(|(name, it)| it.fate == fate && edited(name, it)).map(|it| it.1).collect()
    };
    let handled = subject.handled().map(|it| it.1);
    let version = diagnostic.version.as_deref().or(handled.map(|it| it.name.as_str())).unwrap_or_default();
    match diagnostic.rule {
        "pruned-status" | "version-drops-status" => {
            let refused = verdicts(Fate::Rejected, version);
            match open::plan(text, subject, version, &verdicts(Fate::Pruned, version))? {
                None if diagnostic.rule == "version-drops-status" => {
                    loosen::plan(text, subject, version, &refused)
                }
                plan => Ok(plan),
            }
        }
        "closed-peering" => match open::plan(text, subject, version, &verdicts(Fate::Pruned, version))? {
            None => loosen::plan(text, subject, version, &verdicts(Fate::Rejected, version)),
            plan => Ok(plan),
        },
        "storage-version-drops" => {
            let lost = handled.into_iter().flat_map(|it| &it.verdicts).find_map(|it| it.via.as_deref());
            let version = lost.unwrap_or(version);
            open::plan(text, subject, version, &verdicts(Fate::Pruned, version))
        }
        "pruned-result" => {
            let lost = verdicts(Fate::Pruned, version);
            let unnamed = lost.iter().any(|it| it.slot == "result:*" && it.blame == diagnostic.span());
            // Nobody knows the names; only an open status keeps them.
            if unnamed && text.width == Width::Narrow {
                return Ok(None);
            }
            open::plan(text, subject, version, &lost)
        }
        "rejected-status" => loosen::plan(text, subject, version, &verdicts(Fate::Rejected, version)),
        _ => Ok(None),
    }
}
