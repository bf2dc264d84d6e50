//! What the hidden test says when a type does not keep what Kopf writes.

use kopf_crd::__private::Origin;
use kopf_crd::KopfCrd;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Flattened {
    phase: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    rest: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Collected {
    phase: Option<String>,
    #[serde(flatten)]
    rest: Value,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Typed {
    kopf: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Recursive {
    children: Option<Vec<Recursive>>,
}

/// A resource with a status of each kind, and in its spec the same.
macro_rules! resource {
    ($module:ident, $status:literal, $kopf:meta) => {
        mod $module {
            use super::*;

            #[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
            #[kube(group = "example.com", version = "v1", kind = "Widget", status = $status, schema = "manual")]
            #[kopf(no_export)]
            #[$kopf]
            pub(crate) struct Spec {
                size: u32,
            }
        }
    };
}

resource!(flattened, "Flattened", kopf());
resource!(wrapped, "kopf_crd::Kopf<Flattened>", kopf());
resource!(collected, "Collected", kopf());
resource!(typed, "Typed", kopf());
resource!(recursive, "Recursive", kopf());
resource!(open, "Flattened", kopf(status = "open"));

/// What the hidden test panics with; none if it passes.
fn said<T: KopfCrd + DeserializeOwned + Serialize>() -> Option<String> {
    let origin = Origin { ty: "Widget", module: "m", file: "src/lib.rs", line: 3 };
    let cause = std::panic::catch_unwind(|| kopf_crd::__private::export::<T>(origin)).err()?;
    Some(cause.downcast_ref::<String>().expect("a text").clone())
}

#[test]
fn flattened_values_are_told_where_the_schema_drops_them() {
    let told = said::<flattened::Widget>().expect("it loses what it collects");
    assert!(
        told.starts_with("the CRD of `Widget` (src/lib.rs:3) does not keep what Kopf writes:\n"),
        "{told}"
    );
    assert!(told.contains("the type collects unknown keys of `status`"), "{told}");
    assert!(told.contains("without `#[schemars(skip)]`"), "{told}");
    let told = said::<wrapped::Widget>().expect("the wrapper does not hide it");
    assert!(told.contains("the type collects unknown keys of `status`"), "{told}");
    assert_eq!(said::<collected::Widget>(), None);
    assert_eq!(said::<open::Widget>(), None);
}

#[test]
fn a_place_that_cannot_hold_what_kopf_writes_is_told_with_a_witness() {
    let told = said::<typed::Widget>().expect("a text is no mapping");
    assert!(told.contains("`status.kopf.progress` is rejected in version `v1`"), "{told}");
    assert!(told.contains("Kopf sends {\"status\":{\"kopf\":{\"progress\""), "{told}");
}

#[test]
fn a_crd_that_the_server_refuses_is_told_in_its_words() {
    let told = said::<recursive::Widget>().expect("a schema without an end is no schema for the server");
    assert!(told.contains("the API server"), "{told}");
}
