//! Everything that must work without a word from the compiler: orders, names, places, privacy.

#![deny(warnings)]
pub(crate) use kopf_crd as renamed;
use kube::CustomResourceExt;

pub(crate) mod either_order {
    use kopf_crd::{Kopf, KopfCrd};
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(KopfCrd, CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "example.com",
        version = "v1",
        kind = "Widget",
        status = "Kopf<Status>",
        schema = "manual"
    )]
    #[kopf(round_trip, result(create_fn, r#type, "resize/spec.size" = "integer"))]
    pub(super) struct Spec {
        size: u32,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub(super) struct Status {
        phase: Option<String>,
    }
}

pub(crate) mod unquoted {
    #[derive(
        kube::CustomResource,
        Clone,
        Debug,
        serde::Deserialize,
        serde::Serialize,
        schemars::JsonSchema,
        kopf_crd::KopfCrd,
    )]
    #[kube(group = "example.com", version = "v1", kind = "Gadget", root = "Root", status = Status, schema = "manual", namespaced)]
    #[kopf(crate = crate::types::quiet::renamed, name = "my-op")]
    #[kopf(status = "open")]
    pub(crate) struct Spec {}

    #[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    pub(crate) struct Status {}
}

fn inside_a_function() -> String {
    #[derive(
        kube::CustomResource,
        kopf_crd::KopfCrd,
        Clone,
        Debug,
        serde::Deserialize,
        serde::Serialize,
        schemars::JsonSchema,
    )]
    #[kube(group = "example.com", version = "v1", kind = "Local", schema = "manual")]
    #[kopf(no_export)]
    struct LocalSpec {
        size: u32,
    }
    serde_json::to_string(&Local::crd()).expect("a CRD is plain data")
}

fn crd<T: CustomResourceExt>() -> String {
    serde_json::to_string(&T::crd()).expect("a CRD is plain data")
}

#[test]
fn all_forms_compile_and_open_the_status() {
    for text in [crd::<either_order::Widget>(), crd::<unquoted::Root>(), inside_a_function()] {
        assert!(text.contains("x-kubernetes-preserve-unknown-fields"), "{text}");
    }
}
