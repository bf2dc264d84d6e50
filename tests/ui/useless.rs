use kopf_crd::KopfCrd;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", status = "WidgetStatus", schema = "manual")]
#[kopf(storages = "annotation", diffbase = "status", prefix = "", result(create_fn = "int"), status = "wide")]
pub struct WidgetSpec {
    pub size: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct WidgetStatus {
    pub phase: Option<String>,
}

fn main() {}
