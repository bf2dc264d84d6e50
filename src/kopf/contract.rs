//! All that one operator writes into one kind of object, as facts and as slots with samples.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::patch;
use crate::kopf::patch::Request;
use crate::kopf::storage::Diffbase;
use crate::kopf::storage::Progress;
use crate::kopf::value::Written;
use crate::path::Path;

/// The facts that decide what an operator writes. Made by [`ContractConfig::contract`](crate::kopf::ContractConfig::contract).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contract {
    /// The version of Kopf that the operator runs with.
    pub kopf: KopfVersion,
    /// Where progress is stored; the first that has something is read.
    pub progress: Vec<Progress>,
    /// Where the last handled configuration is stored; the first that has something is read.
    pub diffbase: Vec<Diffbase>,
    /// What the named handlers return.
    pub results: Vec<Written<String>>,
    /// Whether handlers that are not named may return something too.
    pub other_results: bool,
    /// The fields that handlers patch by themselves.
    pub writes: Vec<Written<Path>>,
    /// Whether operators keep their own presence here, and nothing else: peering objects.
    pub peering: bool,
    /// The version of the API that the handlers name; else the preferred one is handled.
    pub api_version: Option<String>,
}

/// One place where the operator writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slot {
    /// `progress`, `touch`, `diffbase`, `result:<id>`, `result:*`, `field:<path>`, `peering`.
    /// Several storages at once give several slots of one name; their paths differ.
    pub name: String,
    /// What the place is for.
    pub kind: Kind,
    /// The place: for progress, the mapping that holds the records.
    pub path: Path,
    /// Whether the operator fails when the server drops the slot in silence.
    /// A slot that is not critical is a second copy or the result of a handler that nobody named: its loss is a warning.
    /// A refusal (422) harms any operator: it takes the rest of the request with it.
    pub critical: bool,
    /// Whether the samples are guesses, of which any may be what is really written: values whose type nobody said.
    pub guessed: bool,
    /// What is written there; the most usual first. Never empty.
    pub samples: Vec<Sample>,
}

/// What a [`Slot`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The records of handlers: how often tried, when to try next.
    Progress,
    /// The timestamp that wakes the operator up after a delay.
    Touch,
    /// The last handled configuration, JSON in a string.
    Diffbase,
    /// What a handler returns.
    Result,
    /// What handlers patch by themselves.
    Field,
    /// The presence of an operator among its peers.
    Peering,
}

/// One patch that the operator sends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// The situation in which it is sent.
    pub about: &'static str,
    /// The merge patch that was sent earlier on the same object, if the situation needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The merge patch (RFC 7386), not yet split: see [`Contract::requests`].
    pub patch: Value,
}

impl Contract {
    /// What operators write into peering objects.
    pub fn of_peering(kopf: KopfVersion) -> Self {
        let (progress, diffbase, results, writes) = Default::default();
        Self {
            kopf,
            progress,
            diffbase,
            results,
            other_results: false,
            writes,
            peering: true,
            api_version: None,
        }
    }

    /// The requests that Kopf sends for a patch, in their order. See [`patch::requests`].
    pub fn requests<'p>(&self, patch: &'p Value, status_subresource: bool) -> Vec<Request<'p>> {
        patch::requests(self.kopf, patch, status_subresource)
    }

    /// One line for people: what is assumed of the operator.
    pub fn describe(&self) -> String {
        let mut line = format!("Kopf {}", self.kopf);
        if self.kopf > KopfVersion::NEWEST {
            write!(line, " (taken for {}, the newest that is known)", KopfVersion::NEWEST)
                .expect("memory takes any text");
        }
        if self.peering {
            line.push_str(": the presence of operators in `status`");
            return line;
        }
        let progress: Vec<_> = self.progress.iter().filter_map(place_of_progress).collect();
        let diffbase: Vec<_> = self.diffbase.iter().map(place_of_diffbase).collect();
        let results: Vec<_> = self.results.iter().map(|it| format!("`{}`", it.name)).collect();
        let writes: Vec<_> = self.writes.iter().map(|it| format!("`{}`", it.name)).collect();
        for (what, places) in [("progress", progress), ("diff-base", diffbase)] {
            if !places.is_empty() {
                write!(line, ", {what} in {}", places.join(" and ")).expect("memory takes any text");
            }
        }
        match (results.is_empty(), self.other_results) {
            (true, true) => line.push_str(", any results"),
            (true, false) => line.push_str(", no results"),
            (false, others) => {
                let more = if others { " and others" } else { "" };
                write!(line, ", results of {}{more}", results.join(", ")).expect("memory takes any text");
            }
        }
        if !writes.is_empty() {
            write!(line, ", {} patched", writes.join(", ")).expect("memory takes any text");
        }
        line
    }
}

fn place_of_progress(place: &Progress) -> Option<String> {
    match place {
        Progress::Fields { field, writes: true, .. } => Some(format!("`{field}`")),
        Progress::Fields { writes: false, .. } => None,
        Progress::Annotations(it) => Some(format!("annotations `{}/…`", it.prefix)),
    }
}

fn place_of_diffbase(place: &Diffbase) -> String {
    match place {
        Diffbase::Field { field, .. } => format!("`{field}`"),
        Diffbase::Annotation { prefix, key, .. } => format!("annotation `{prefix}/{key}`"),
    }
}
