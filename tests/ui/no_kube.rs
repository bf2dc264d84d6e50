use kopf_crd::KopfCrd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct WidgetSpec {
    pub size: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct WidgetStatus {
    pub phase: Option<String>,
}

fn main() {}
