//! Kopf's own state, as a Rust controller may want to read it.
//!
//! Keys that are not known here are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::jiff;
use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::kopf::record::Record;
use crate::kopf::record::Time;
use crate::types::open;

/// What Kopf keeps in `status.kopf`.
///
/// Read it with [`Kopf::state`](crate::Kopf::state), or make it a field of a status type: `kopf: Option<KopfState>`.
/// Its schema is a mapping of anything, so the API server keeps all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KopfState {
    /// The records of handlers that are not done, by the ids of the handlers. Empty between changes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub progress: BTreeMap<String, Record>,
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

impl Time {
    /// The moment. Kopf's times without an offset are in UTC. None for a text that is no time.
    pub fn timestamp(&self) -> Option<jiff::Timestamp> {
        let with_offset = self.0.parse::<jiff::Timestamp>();
        let without = || self.0.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
        with_offset.ok().or_else(|| without().map(|it| it.timestamp()))
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
