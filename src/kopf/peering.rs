//! The presence of operators among their peers, in the status of peering objects.
//!
//! Mirrors Kopf's `_core/engines/peering.py`.

use serde_json::Value;
use serde_json::json;

use crate::kopf::KopfVersion;

/// The API groups of peering objects; the second is that of before Kopf 1.29.
const GROUPS: [&str; 2] = ["kopf.dev", "zalando.org"];
/// The plural names of peering objects: of one namespace, and of the whole cluster.
const PLURALS: [&str; 2] = ["kopfpeerings", "clusterkopfpeerings"];

/// Whether Kopf itself keeps the presence of operators in objects of this kind.
pub fn is_peering(group: &str, plural: &str) -> bool {
    GROUPS.contains(&group) && PLURALS.contains(&plural)
}

/// What an operator says of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peer<'a> {
    /// Whoever has less pauses.
    pub priority: i64,
    /// The seconds for which the operator counts as alive.
    pub lifetime: i64,
    /// When it was alive last, a timestamp.
    pub lastseen: &'a str,
}

/// The patch by which an operator says that it is alive.
pub fn touch(kopf: KopfVersion, identity: &str, peer: Peer<'_>) -> Value {
    let Peer { priority, lifetime, lastseen } = peer;
    if kopf < KopfVersion::PREFIXES {
        // The lifetime is what Python's `total_seconds` gives, and operators of one namespace name it.
        let lifetime = lifetime as f64;
        let entry =
            json!({ "namespace": null, "priority": priority, "lastseen": lastseen, "lifetime": lifetime });
        return json!({ "status": { identity: entry } });
    }
    json!({ "status": { identity: { "priority": priority, "lifetime": lifetime, "lastseen": lastseen } } })
}

/// The patch by which an operator, or another for it, takes its leave.
pub fn leave(identity: &str) -> Value {
    json!({ "status": { identity: null } })
}
