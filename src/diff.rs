//! What changes for an operator between two states of its CRDs: slots that change their fate, CRDs that come and go.
//!
//! Compares judgements, not texts; where the states come from is not known here.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::hash::DefaultHasher;
use std::hash::Hash;
use std::hash::Hasher;

use serde::Serialize;

use crate::check;
use crate::check::Checked;
use crate::check::Options;
use crate::source::Position;
use crate::source::Source;
use crate::source::Span;
use crate::verdict::Fate;
use crate::verdict::JudgedVersion;
use crate::verdict::Verdict;
use crate::yaml;

/// A CRD in one of the states.
#[derive(Debug, Clone)]
pub struct State {
    /// The name of the text that holds it.
    pub file: String,
    /// What is known about it.
    pub checked: Checked,
    /// Where each place that a verdict blames stands.
    places: BTreeMap<u32, Position>,
    /// A fingerprint of its `spec`.
    spec: u64,
}

/// One thing that is different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What kind of change it is.
    pub change: Kind,
    /// Whether the operator or its users lose by it.
    pub worse: bool,
    /// `metadata.name` of the CRD.
    pub crd: String,
    /// The version of the CRD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The place of the slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The fate before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<&'static str>,
    /// The fate afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<&'static str>,
    /// What has changed, for people.
    pub message: String,
    /// What follows from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The text to look at.
    pub file: String,
    /// The line there, from 1.
    pub line: usize,
    /// The column there, from 1.
    pub column: usize,
}

/// The kind of a [`Change`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A slot has another fate.
    Fate,
    /// A CRD is there that was not.
    CrdAppears,
    /// A CRD is no longer there.
    CrdVanishes,
    /// A version is there that was not.
    VersionAppears,
    /// A version is no longer there, or no longer served.
    VersionVanishes,
    /// The server takes the CRD no longer.
    Refused,
    /// The server takes the CRD that it refused.
    Accepted,
    /// Two texts hold one CRD, and not the same.
    Copies,
}

/// Judges the CRDs of a text.
pub fn states(source: &Source, options: &Options) -> Vec<State> {
    let report = check::check(source, options);
    if report.crds.is_empty() {
        return Vec::new();
    }
    let specs = specs(source);
    let states = report.crds.into_iter().map(|checked| {
        let verdicts = checked.judgement.versions.iter().flat_map(|it| &it.verdicts);
        let mut spans: BTreeSet<u32> = verdicts.map(|it| it.blame.start).collect();
        spans.insert(name_at(&checked).start);
        let places = spans.into_iter().map(|it| (it, source.position(it))).collect();
        let spec = specs.get(&checked.crd.at.start).copied().unwrap_or_default();
        State { file: source.name.clone(), checked, places, spec }
    });
    states.collect()
}

fn name_at(checked: &Checked) -> Span {
    if checked.crd.name_at.is_empty() { checked.crd.at } else { checked.crd.name_at }
}

/// Fingerprints of the CRDs of a text, by their places.
fn specs(source: &Source) -> BTreeMap<u32, u64> {
    let mut nodes = Vec::new();
    let stream = yaml::parse(&source.text);
    stream.documents.iter().for_each(|it| check::crds(&it.root, 0, &mut nodes));
    let print = |it: &yaml::Node| {
        let mut hasher = DefaultHasher::new();
        it.get("spec").map(yaml::Node::to_json).unwrap_or_default().to_string().hash(&mut hasher);
        hasher.finish()
    };
    nodes.into_iter().map(|it| (it.span.start, print(it))).collect()
}

/// What is different in `new`.
pub fn compare(old: &[State], new: &[State]) -> Vec<Change> {
    let mut found = Vec::new();
    for state in new {
        match counterpart(old, state) {
            Some(before) => compare_crd(before, state, &mut found),
            None => appears(state, &mut found),
        }
    }
    for state in old.iter().filter(|it| !new.iter().any(|new| new.name() == it.name())) {
        let message = "the CRD is no longer there".to_owned();
        found.push(state.change(Kind::CrdVanishes, false, name_at(&state.checked), message));
    }
    found
}

/// CRDs of one name that are not the same everywhere.
pub fn copies(states: &[State]) -> Vec<Change> {
    let mut found = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let Some(first) = states[..at].iter().find(|it| it.name() == state.name() && !it.name().is_empty())
        else {
            continue;
        };
        if first.spec == state.spec {
            continue;
        }
        let mut differences = Vec::new();
        compare_crd(first, state, &mut differences);
        let message = format!("another copy stands in {}, and differs", first.file);
        let mut change =
            state.change(Kind::Copies, !differences.is_empty(), name_at(&state.checked), message);
        let said: Vec<String> = differences
            .iter()
            .map(|it| {
                it.version.as_ref().map_or_else(|| it.message.clone(), |v| format!("{v}: {}", it.message))
            })
            .collect();
        change.note = Some(match said.is_empty() {
            true => "what Kopf writes fares the same in both".to_owned(),
            false => format!("compared with that copy, {}", said.join("; ")),
        });
        found.push(change);
    }
    found
}

fn counterpart<'a>(old: &'a [State], state: &State) -> Option<&'a State> {
    let named = || old.iter().filter(|it| it.name() == state.name());
    named().find(|it| it.file == state.file).or_else(|| named().next())
}

impl State {
    fn name(&self) -> &str {
        &self.checked.crd.name
    }

    fn change(&self, change: Kind, worse: bool, at: Span, message: String) -> Change {
        let at = if at.is_empty() { name_at(&self.checked) } else { at };
        let place = self.places.get(&at.start).copied().unwrap_or(Position { line: 1, column: 1 });
        Change {
            change,
            worse,
            crd: self.name().to_owned(),
            version: None,
            slot: None,
            path: None,
            old: None,
            new: None,
            message,
            note: None,
            file: self.file.clone(),
            line: place.line,
            column: place.column,
        }
    }
}

fn appears(state: &State, found: &mut Vec<Change>) {
    let verdicts =
        state.checked.judgement.versions.iter().filter(|it| it.handled).flat_map(|it| &it.verdicts);
    let lost: BTreeSet<String> =
        verdicts.filter(|it| is_loss(it)).map(|it| format!("`{}`", it.path)).collect();
    let refused = !state.checked.accepted;
    let message = match (refused, lost.is_empty()) {
        (true, _) => "the CRD is new, and the server refuses it".to_owned(),
        (false, true) => "the CRD is new, and keeps what Kopf writes".to_owned(),
        (false, false) => {
            format!("the CRD is new, and loses {}", lost.into_iter().collect::<Vec<_>>().join(", "))
        }
    };
    let worse = refused || message.contains("loses");
    found.push(state.change(Kind::CrdAppears, worse, name_at(&state.checked), message));
}

/// Whether a slot that matters is not kept.
fn is_loss(verdict: &Verdict) -> bool {
    verdict.critical && matches!(verdict.fate, Fate::Pruned | Fate::Rejected)
}

fn compare_crd(old: &State, new: &State, found: &mut Vec<Change>) {
    let at = name_at(&new.checked);
    match (old.checked.accepted, new.checked.accepted) {
        (true, false) => {
            let why =
                new.checked.refusals.first().map(|it| format!("{}: {}", it.error.field, it.error.detail));
            let mut change = new.change(Kind::Refused, true, at, "the server refuses the CRD".to_owned());
            change.note = why;
            found.push(change);
        }
        (false, true) => {
            found.push(new.change(Kind::Accepted, false, at, "the server takes the CRD again".to_owned()));
        }
        _ => {}
    }
    let (before, after) = (&old.checked.judgement.versions, &new.checked.judgement.versions);
    for version in after {
        match before.iter().find(|it| it.name == version.name) {
            Some(before) => compare_version(new, before, version, found),
            None => version_appears(new, version, found),
        }
    }
    for version in before.iter().filter(|it| !after.iter().any(|new| new.name == it.name)) {
        if after.is_empty() {
            break;
        }
        let message = "the version is no longer served".to_owned();
        let mut change = new.change(Kind::VersionVanishes, version.handled, at, message);
        change.note = version.handled.then(|| "the operator handled this version".to_owned());
        change.version = Some(version.name.clone());
        found.push(change);
    }
}

fn version_appears(state: &State, version: &JudgedVersion, found: &mut Vec<Change>) {
    let lost: BTreeSet<String> =
        version.verdicts.iter().filter(|it| is_loss(it)).map(|it| format!("`{}`", it.path)).collect();
    let worse = !lost.is_empty();
    let message = match worse {
        false => "the version is new, and keeps what Kopf writes".to_owned(),
        true => format!("the version is new, and loses {}", lost.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let mut change = state.change(Kind::VersionAppears, worse, name_at(&state.checked), message);
    change.version = Some(version.name.clone());
    found.push(change);
}

fn compare_version(state: &State, old: &JudgedVersion, new: &JudgedVersion, found: &mut Vec<Change>) {
    for verdict in &new.verdicts {
        let same = |it: &&Verdict| it.slot == verdict.slot && it.path == verdict.path;
        let Some(before) = old.verdicts.iter().find(same).filter(|it| it.fate != verdict.fate) else {
            continue;
        };
        let worse = verdict.fate > before.fate;
        let message = format!("`{}` was {} and is {}", verdict.path, before.fate.name(), verdict.fate.name());
        let mut change = state.change(Kind::Fate, worse, verdict.blame, message);
        change.version = Some(new.name.clone());
        change.slot = Some(verdict.slot.clone());
        change.path = Some(verdict.path.to_string());
        (change.old, change.new) = (Some(before.fate.name()), Some(verdict.fate.name()));
        change.note = worse.then(|| consequence(verdict)).flatten();
        found.push(change);
    }
}

/// What a tightened status does to objects that hold Kopf's data already.
///
/// The server forgives old faults only in values that are equal to what they were, and a value with fields that are
/// not declared never counts as equal (`ratcheting.go`).
fn consequence(verdict: &Verdict) -> Option<String> {
    let text = match verdict.fate {
        Fate::Rejected => {
            "objects that hold it already are refused with every write until their status is mended: \
             such faults are not forgiven to old objects"
        }
        Fate::Pruned => "what objects hold already is dropped with their next write",
        _ => return None,
    };
    Some(text.to_owned())
}

/// The changes for people, the worse ones first; slots that share a fate and a place share a line.
pub fn text(changes: &[Change]) -> String {
    let mut out = String::new();
    let (worse, rest): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|it| it.worse);
    let all: Vec<&Change> = worse.iter().chain(&rest).copied().collect();
    for group in all.chunk_by(|one, other| alike(one, other)) {
        let change = group[0];
        let word = match change.worse {
            true => "worse",
            false if is_better(change) => "better",
            false => "",
        };
        let version = change.version.as_ref().map_or_else(String::new, |it| format!(" {it}"));
        let (crd, message) = (&change.crd, together(group));
        let place = format!("{}:{}:{}", change.file, change.line, change.column);
        let _ = writeln!(out, "{word:6} {crd}{version}: {message}\n       --> {place}");
        if let Some(note) = &change.note {
            let _ = writeln!(out, "       {note}");
        }
    }
    let better = rest.iter().filter(|it| is_better(it)).count();
    let _ = writeln!(out, "{} worse, {better} better, {} other changes", worse.len(), rest.len() - better);
    out
}

/// Whether two changes can be told in one line.
fn alike(one: &Change, other: &Change) -> bool {
    let of = |it: &Change| (it.change == Kind::Fate, it.old, it.new, it.line, it.column);
    of(one).0
        && of(one) == of(other)
        && (&one.crd, &one.version, &one.file) == (&other.crd, &other.version, &other.file)
}

fn together(group: &[&Change]) -> String {
    let (Some(old), Some(new), [_, _, ..]) = (group[0].old, group[0].new, group) else {
        return group[0].message.clone();
    };
    let paths: Vec<String> =
        group.iter().filter_map(|it| it.path.as_ref()).map(|it| format!("`{it}`")).collect();
    format!("{} were {old} and are {new}", paths.join(", "))
}

fn is_better(change: &Change) -> bool {
    !change.worse && matches!(change.change, Kind::Fate | Kind::Accepted)
}

/// The changes for machines: one object, `kopf-crd/diff/v1`.
pub fn json(changes: &[Change]) -> String {
    let worse = changes.iter().filter(|it| it.worse).count();
    let better = changes.iter().filter(|it| is_better(it)).count();
    let whole = serde_json::json!({
        "schema": "kopf-crd/diff/v1",
        "summary": {"changes": changes.len(), "worse": worse, "better": better},
        "changes": changes,
    });
    format!("{whole:#}\n")
}

/// The changes as annotations of GitHub Actions.
pub fn github(changes: &[Change]) -> String {
    let escape = |it: &str| it.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |it: &str| escape(it).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for change in changes {
        let level = if change.worse { "error" } else { "notice" };
        let version = change.version.as_ref().map_or_else(String::new, |it| format!(" {it}"));
        let note = change.note.as_ref().map_or_else(String::new, |it| format!("\n{it}"));
        let message = escape(&format!("{}{version}: {}{note}", change.crd, change.message));
        let (file, line, column) = (property(&change.file), change.line, change.column);
        let _ =
            writeln!(out, "::{level} file={file},line={line},col={column},title=kopf-crd diff::{message}");
    }
    out
}
