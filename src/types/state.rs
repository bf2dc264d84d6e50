//! Kopf's own state, as a Rust controller may want to read it.
//!
//! Mirrors `ProgressRecord` in Kopf's `_cogs/configs/progress.py`. Keys that are not known here are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::jiff;
use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::types::open;

/// What Kopf keeps in `status.kopf`.
///
/// Read it with [`Kopf::state`](crate::Kopf::state), or make it a field of a status type: `kopf: Option<KopfState>`.
/// Its schema is a mapping of anything, so the API server keeps all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KopfState {
    /// The records of handlers that are not done, by the ids of the handlers. Empty between changes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub progress: BTreeMap<String, Progress>,
    /// When the operator last woke itself up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dummy: Option<Time>,
    /// The object as it was last handled: JSON in a string. See [`last_handled`](KopfState::last_handled).
    #[serde(default, rename = "last-handled-configuration", skip_serializing_if = "Option::is_none")]
    pub last_handled_configuration: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How far one handler came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// When the handler was first tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    /// When it was done, for good or ill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Time>,
    /// Until when it waits for the next try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed: Option<Time>,
    /// `create`, `update`, `delete` or `resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// How often it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Whether it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Whether it gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<bool>,
    /// The text of the last exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The ids of sub-handlers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subrefs: Option<Vec<String>>,
    /// Everything else: what other versions of Kopf may write.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A time as Kopf writes it: `2026-01-01T12:00:00.123456+00:00`, and without the offset before Kopf 1.37.
///
/// The text is kept, so that writing it back changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub String);

impl Time {
    /// The moment. Kopf's times without an offset are in UTC. None for a text that is no time.
    pub fn timestamp(&self) -> Option<jiff::Timestamp> {
        let with_offset = self.0.parse::<jiff::Timestamp>();
        let without = || self.0.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
        with_offset.ok().or_else(|| without().map(|it| it.timestamp()))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl KopfState {
    /// The object as it was last handled. None when nothing is there; an error when it is no JSON.
    pub fn last_handled(&self) -> Option<Result<Value, serde_json::Error>> {
        self.last_handled_configuration.as_deref().map(serde_json::from_str)
    }
}

impl JsonSchema for KopfState {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "KopfState".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match open::stanza() {
            Value::Object(it) => it.into(),
            _ => Schema::default(),
        }
    }
}
