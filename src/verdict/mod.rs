//! The fate of what an operator writes: contract against server, slot by slot.
//!
//! The only module that knows both Kopf and the server. It knows neither rules nor severities.

mod blame;
mod compare;
mod handled;
mod judge;

use serde_json::Value;

use crate::kopf::effects::Effect;
use crate::path::Path;
use crate::server::FieldError;
use crate::source::Span;

pub use handled::version_priority;
pub use judge::Judge;
pub use judge::judge;

/// What becomes of everything that a contract writes into the objects of a CRD.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// The served versions, in the order of the CRD.
    pub versions: Vec<JudgedVersion>,
    /// Why no version could be judged: the server would not serve such a CRD.
    pub unservable: Option<String>,
}

/// A served version and what becomes of what is written through it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedVersion {
    /// Its name.
    pub name: String,
    /// Whether it is the version in which objects are stored.
    pub storage: bool,
    /// Whether the operator handles this version; one version of a judged CRD is handled.
    pub handled: bool,
    /// Whether it has the `/status` endpoint.
    pub status_subresource: bool,
    /// One verdict a slot, in the order of the contract.
    pub verdicts: Vec<Verdict>,
}

/// The fate of one slot in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The name of the slot: `progress`, `touch`, `diffbase`, `result:<id>`, `result:*`, `field:<path>`, `peering`.
    pub slot: String,
    /// The place that the slot is written to.
    pub path: Path,
    /// Whether the operator fails when the slot is lost in silence; see [`Slot::critical`](crate::kopf::Slot::critical).
    pub critical: bool,
    /// What becomes of it: the worst of its samples.
    pub fate: Fate,
    /// The paths that are lost, as the server reports them (`pruned_paths`).
    pub lost: Vec<String>,
    /// Why the server refuses the write.
    pub errors: Vec<FieldError>,
    /// The storage version, when the loss happens in it and not in the version written through.
    pub via: Option<String>,
    /// The node of the schema that decides it; empty where no text says it.
    pub blame: Span,
    /// What that node does, in a few words for a label.
    pub why: String,
    /// The situation of the sample that fares worst.
    pub about: &'static str,
    /// The proof; none where the fate is unknown.
    pub witness: Option<Witness>,
    /// What the operator does then.
    pub effect: Option<Effect>,
    /// Why the fate is unknown.
    pub unknown: Vec<String>,
}

/// What becomes of a slot. The order is that of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It is stored and read back whole.
    Kept,
    /// The model cannot tell.
    Unknown,
    /// All or part of it is dropped in silence.
    Pruned,
    /// The server refuses the write (422), and with it everything else in the request.
    Rejected,
}

impl Fate {
    /// The word for people and machines.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Unknown => "unknown",
            Fate::Pruned => "pruned",
            Fate::Rejected => "rejected",
        }
    }
}

/// A proof that anyone can repeat on a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The merge patch that Kopf sends.
    pub patch: Value,
    /// The object as it is read back afterwards, without metadata.
    pub stored: Value,
}
