//! The progress of one handler: nine keys.
//!
//! Mirrors `ProgressRecord` in Kopf's `_cogs/configs/progress.py` and `HandlerState` in `_core/actions/progression.py`.
//! This module does not know where a record is stored.

use std::fmt;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::text;

/// The keys of a record, in the order in which Kopf writes them.
pub const KEYS: [&str; 9] =
    ["started", "stopped", "delayed", "purpose", "retries", "success", "failure", "message", "subrefs"];

/// The progress of one handler, as it is stored in an object.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Record {
    /// When the handler was first called, or first waited for its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    /// When the handler finished, well or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Time>,
    /// Not to be called before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed: Option<Time>,
    /// What the handler is called for: `create`, `update`, `delete`, `resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// How many times the handler was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Whether the handler finished well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Whether the handler finished with an error and is not to be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<bool>,
    /// The text of the last error; of any length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The ids of the sub-handlers, of all levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subrefs: Option<Vec<String>>,
    /// Keys that a later Kopf may write.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A moment as Kopf writes it: `2026-01-01T12:00:00.123456+00:00`, and without the offset before Kopf 1.37, still in UTC.
///
/// The text is kept, so that writing it back changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub String);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Record {
    /// The record as a version of Kopf puts it into a patch: all the keys that it knows, absent ones as `null`.
    pub fn to_patch(&self, kopf: KopfVersion) -> Value {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            unreachable!("a record is a mapping with text keys");
        };
        for key in KEYS {
            if since(key) <= kopf {
                fields.entry(key).or_insert(Value::Null);
            } else {
                fields.remove(key);
            }
        }
        Value::Object(fields)
    }
}

/// The text of a record in an annotation: the nine keys in their order, then the rest; `null` only if `verbose`.
pub(crate) fn to_annotation(kopf: KopfVersion, record: &Value, verbose: bool) -> String {
    let Value::Object(fields) = record else { return text::dumps(record, false) };
    let known = KEYS.iter().filter_map(|key| fields.get_key_value(*key));
    let other = fields.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()));
    let kept = known.chain(other).filter(|(_, value)| verbose || !value.is_null());
    text::dumps(&Ordered(kept.collect()), kopf < KopfVersion::SUBREFS)
}

/// The version of Kopf that writes a key first.
fn since(key: &str) -> KopfVersion {
    match key {
        "purpose" => KopfVersion::PURPOSE,
        "subrefs" => KopfVersion::SUBREFS,
        _ => KopfVersion::new(0, 0, 0),
    }
}

/// A mapping that is written in this order.
struct Ordered<'a>(Vec<(&'a String, &'a Value)>);

impl Serialize for Ordered<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
