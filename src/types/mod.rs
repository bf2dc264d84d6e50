//! Rust types whose CRDs keep what Kopf writes: the derive's other half, and the status that survives a write.
//!
//! The derive states facts ([`Facts`]); here they become a contract and a schema. This module reads no text.
//!
//! Kopf's users open a status in one of two forms. Structured, with typed properties and only `kopf` open beside them:
//!
//! ```
//! use kopf_crd::KopfCrd;
//! use kube::{CustomResource, CustomResourceExt};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use serde_json::json;
//!
//! #[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
//! #[kube(group = "example.com", version = "v1", kind = "Job", status = "JobStatus", schema = "manual")]
//! pub struct JobSpec {
//!     pub command: String,
//! }
//!
//! #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
//! pub struct JobStatus {
//!     pub result: Option<JobResult>,
//! }
//!
//! #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
//! #[serde(rename_all = "lowercase")]
//! pub enum JobResult {
//!     Succeeded,
//!     Failed,
//! }
//!
//! let crd = serde_json::to_value(Job::crd()).unwrap();
//! assert_eq!(
//!     crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"],
//!     json!({
//!         "type": "object",
//!         "nullable": true,
//!         "properties": {
//!             "kopf": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
//!             "result": {"type": "string", "nullable": true, "enum": ["succeeded", "failed", null]},
//!         },
//!     }),
//! );
//! assert_eq!(crd["spec"]["versions"][0]["subresources"], json!({"status": {}}));
//! ```
//!
//! And wide open, for a status of which nobody knows what is in it:
//!
//! ```
//! use kopf_crd::KopfCrd;
//! use kube::{CustomResource, CustomResourceExt};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use serde_json::{Map, Value, json};
//!
//! #[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
//! #[kube(group = "example.com", version = "v1", kind = "Job", status = "Map<String, Value>", schema = "manual")]
//! #[kopf(status = "open")]
//! pub struct JobSpec {
//!     pub command: String,
//! }
//!
//! let crd = serde_json::to_value(Job::crd()).unwrap();
//! assert_eq!(
//!     crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"],
//!     json!({"type": "object", "nullable": true, "x-kubernetes-preserve-unknown-fields": true}),
//! );
//! ```
//!
//! Beyond what kube and schemars bring by themselves, an author of types pulls in `kopf-crd`, `kopf-crd-derive`, `strsim`
//! (which kube's derive has too), and `regex` with `regex-automata`, `regex-syntax` and `aho-corasick`, for the judge. No
//! Kubernetes version of `k8s-openapi` is chosen.

pub(crate) mod open;
pub mod mend;
mod known;
mod state;
mod round_trip;
mod schema;
mod example;
mod probe;
mod self_check;
mod export;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use schemars::Schema;
use schemars::SchemaGenerator;

use crate::kopf::Contract;
use crate::kopf::ContractConfig;
use crate::kopf::DiffbaseKind;
use crate::kopf::Field;
use crate::kopf::StorageKind;

pub use round_trip::Kopf;
pub use round_trip::RoundTrip;
pub use self_check::Lost;
pub use self_check::check_crd;
pub use state::KopfState;

/// A resource whose CRD keeps what a Kopf operator writes. Derived: see the [macro](macro@crate::KopfCrd).
#[diagnostic::on_unimplemented(
    message = "nothing is known of what Kopf writes into `{Self}`",
    label = "`KopfCrd` is not derived for its spec",
    note = "add `KopfCrd` to the derives of the spec, beside `CustomResource`, and `schema = \"manual\"` to `#[kube(…)]`"
)]
pub trait KopfCrd: CustomResourceExt {
    /// What the attributes state.
    const FACTS: Facts;
}

/// What the attributes of a derived type state: arguments of Kopf's storages, and what handlers write.
///
/// What is `None` is as in Kopf.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The `name=` of the storages.
    pub name: Option<&'static str>,
    /// The `field=` of the progress storage.
    pub field: Option<&'static str>,
    /// The `touch_field=` of the progress storage.
    pub touch_field: Option<&'static str>,
    /// The `field=` of the diff-base storage.
    pub diffbase_field: Option<&'static str>,
    /// The kind of the progress storages: `status`, `smart`, `annotations` or `multi`; `status` if `None`.
    pub storages: Option<&'static str>,
    /// Where the last-handled configuration is kept: `status` or `annotations`; with the progress if `None`.
    pub diffbase: Option<&'static str>,
    /// The prefix of annotations.
    pub prefix: Option<&'static str>,
    /// What handlers return, by their ids.
    pub results: &'static [(&'static str, ResultType)],
    /// Further places to keep whole.
    pub preserve: &'static [&'static str],
    /// Whether the whole status is open.
    pub open: bool,
}

/// What a handler returns.
#[derive(Debug, Clone, Copy)]
pub enum ResultType {
    /// Anything, or what the status type declares.
    Any,
    /// A value of a JSON type.
    Json(&'static str),
    /// A value of a Rust type, by its schema.
    Rust(fn(&mut SchemaGenerator) -> Schema),
}

impl Facts {
    /// The facts in the words of flags and configuration files. What a handler returns as a Rust type is open here;
    /// [`contract_of`] knows better.
    pub fn config(&self) -> ContractConfig {
        let text = |it: Option<&str>| it.map(str::to_owned);
        let field = |it: Option<&str>| it.map(|it| it.parse().unwrap_or_else(|_| Field::dotted(it)));
        let result = |(id, ty): &(&str, ResultType)| match ty {
            ResultType::Json(ty) => format!("{id}={ty}"),
            ResultType::Any | ResultType::Rust(_) => (*id).to_owned(),
        };
        let results: Vec<String> = self.results.iter().map(result).collect();
        let writes: Vec<String> = self.preserve.iter().map(|it| (*it).to_owned()).collect();
        ContractConfig {
            storage: self.storages.and_then(storage),
            name: text(self.name),
            progress_field: field(self.field),
            touch_field: field(self.touch_field),
            diffbase: self.diffbase.and_then(diffbase),
            diffbase_field: field(self.diffbase_field),
            prefix: text(self.prefix),
            result: (!results.is_empty()).then_some(results),
            writes: (!writes.is_empty()).then_some(writes),
            ..ContractConfig::default()
        }
    }
}

fn storage(word: &str) -> Option<StorageKind> {
    serde_json::from_value(word.into()).ok()
}

fn diffbase(word: &str) -> Option<DiffbaseKind> {
    serde_json::from_value(word.into()).ok()
}

/// The contract of a derived type.
///
/// A result whose type the schema declares is judged by a value of that type: what a handler returns beyond it is not
/// promised by anybody.
///
/// # Errors
/// When the attributes contradict each other in a way that the derive does not see. The message names the key.
pub fn contract_of<T: KopfCrd>() -> Result<Contract, String> {
    example::config_of::<T>(&T::crd()).contract()
}

/// Opens a CRD for a contract, in every version, and mends what [`mend::ALL`] lists: for CRDs that come from elsewhere.
///
/// A place that is declared as something that cannot hold what Kopf writes (`kopf: {type: string}`) stays as it is:
/// ask [`check_crd`] afterwards.
///
/// ```
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let text = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
/// #   "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
/// #   "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
/// #   "subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"status":{"type":"object"}}}}}]}}"#;
/// # let mut crd: CustomResourceDefinition = serde_json::from_str(text)?;
/// let contract = kopf_crd::kopf::Contract::default();
/// kopf_crd::preserve(&mut crd, &contract);
/// kopf_crd::check_crd(&crd, &contract)?;
/// # Ok(())
/// # }
/// ```
pub fn preserve(crd: &mut CustomResourceDefinition, contract: &Contract) {
    schema::preserve(crd, contract);
}

/// A `main` that prints the CRDs of derived types: for a binary or an example, where the hidden tests are not wanted.
///
/// ```
/// # mod widgets {
/// # use kopf_crd::KopfCrd; use kube::CustomResource; use schemars::JsonSchema; use serde::{Deserialize, Serialize};
/// # #[derive(CustomResource, KopfCrd, Clone, Debug, Deserialize, Serialize, JsonSchema)]
/// # #[kube(group = "example.com", version = "v1", kind = "Widget", schema = "manual")]
/// # pub struct WidgetSpec { pub size: u32 }
/// # }
/// use widgets::Widget;
///
/// kopf_crd::crdgen!(Widget);
/// ```
///
/// `cargo run --bin crdgen` prints JSON documents, which `kubectl apply -f -` takes.
/// `cargo kopf-crd generate --bin crdgen` merges versions, judges them and writes YAML.
#[macro_export]
macro_rules! crdgen {
    ($($ty:ty),+ $(,)?) => {
        fn main() {
            $crate::__private::crdgen(&[$($crate::__private::Exporter::new::<$ty>(|| {
                $crate::__private::export::<$ty>($crate::__private::Origin {
                    ty: ::core::stringify!($ty),
                    module: ::core::module_path!(),
                    file: ::core::file!(),
                    line: ::core::line!(),
                });
            })),+]);
        }
    };
}

/// What the derive's code calls. Not for anybody else: it changes without notice.
#[doc(hidden)]
pub mod private {
    pub use crate::types::example::example;
    pub use crate::types::export::Exporter;
    pub use crate::types::export::Origin;
    pub use crate::types::export::crdgen;
    pub use crate::types::export::export;
    pub use crate::types::schema::open;
    pub use schemars;
    pub use std::borrow::Cow;
}
