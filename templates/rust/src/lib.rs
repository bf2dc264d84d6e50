//! The resource `Widget`, which a Kopf operator handles.
//!
//! `cargo test` holds that the API server keeps what the operator writes. `cargo kopf-crd generate --out crds` writes the
//! CRD.

use kopf_crd::{Kopf, KopfCrd};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A widget.
#[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Widget",
    plural = "widgets",
    namespaced,
    status = "Kopf<WidgetStatus>",
    schema = "manual"
)]
// `create_fn` is a handler that returns something: Kopf puts it into `status.create_fn`.
#[kopf(round_trip, result(create_fn))]
#[serde(rename_all = "camelCase")]
pub struct WidgetSpec {
    /// How many parts it has.
    pub size: i32,
}

/// What the operator found.
///
/// `Kopf<WidgetStatus>` keeps what Kopf writes beside these fields when a Rust controller writes the status back.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WidgetStatus {
    /// Where it is: `Pending`, `Ready` or `Failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_status_that_is_written_back_keeps_the_operators_state() {
        let read = json!({"phase": "Pending", "kopf": {"dummy": "2026-01-01T12:00:00+00:00"}});
        let mut status: Kopf<WidgetStatus> = serde_json::from_value(read).unwrap();
        status.phase = Some("Ready".to_owned());
        let written = serde_json::to_value(&status).unwrap();
        assert_eq!(written, json!({"phase": "Ready", "kopf": {"dummy": "2026-01-01T12:00:00+00:00"}}));
    }
}
