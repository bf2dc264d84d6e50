//! All that one operator writes into one kind of object: slots with samples.

use serde::Deserialize;
use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::path::Path;

/// The facts that decide what an operator writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub struct Contract {
    /// The version of Kopf that the operator runs with.
    pub kopf: KopfVersion,
    /// The version of the API that the handlers name; else the preferred one is handled.
    pub api_version: Option<String>,
}

impl Contract {
    /// The places where the operator writes, each with what it writes there.
    pub fn slots(&self) -> Vec<Slot> {
        Vec::new()
    }

    /// Patches with several slots at once, as Kopf sends them in one cycle.
    pub fn together(&self) -> Vec<Sample> {
        Vec::new()
    }

    /// One line for people: what was assumed.
    pub fn describe(&self) -> String {
        format!("Kopf {}", self.kopf)
    }
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
    #[serde(serialize_with = "as_text")]
    pub path: Path,
    /// Whether the operator fails when the server drops the slot in silence.
    /// A slot that is not critical is a second copy or a value whose handler nobody named: its loss is a warning.
    /// A refusal (422) harms any operator: it takes the rest of the patch with it.
    pub critical: bool,
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
    pub before: Option<Value>,
    /// The merge patch (RFC 7386), not yet split: see [`requests`](crate::kopf::requests).
    pub patch: Value,
}

fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}
