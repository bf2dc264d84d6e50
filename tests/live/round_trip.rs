//! What a Rust controller sends when it changes the status of a resource that a Kopf operator handles too.
//!
//! Without input it prints the CRD. With a status on stdin it reads it as `Kopf<WidgetStatus>`, sets the phase, and prints
//! the bodies of the three kinds of writes:
//!
//!     cargo run --example round_trip </dev/null
//!     echo '{"phase": "Old", "kopf": {"dummy": "x"}}' | cargo run --example round_trip

use kopf_crd::Kopf;
use kopf_crd::KopfCrd;
use kube::CustomResource;
use kube::CustomResourceExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;
use std::error::Error;
use std::io::Read;
use std::io::Write;

/// A widget.
#[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "Kopf<WidgetStatus>",
    schema = "manual"
)]
#[kopf(round_trip, result(create_fn))]
struct WidgetSpec {
    /// How many parts it has.
    size: u32,
}

/// What happened.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct WidgetStatus {
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    /// Why it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let printed = if text.trim().is_empty() {
        serde_json::to_value(Widget::crd())?
    } else {
        let mut status: Kopf<WidgetStatus> = serde_json::from_str(&text)?;
        status.phase = Some("New".to_owned());
        status.reason = None;
        json!({
            "replace": { "status": status },
            "merge_patch": status.merge_patch()?,
            "apply": status.typed()?,
        })
    };
    Ok(writeln!(std::io::stdout(), "{printed}")?)
}
