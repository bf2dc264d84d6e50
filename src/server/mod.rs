//! What the API server does, in its own order; one file a step.
//!
//! Mirrors kube-apiserver 1.37.2. This module knows no Kopf. What it cannot evaluate is [`Unknown`], never accepted.

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown(pub String);

/// One error of the API server: `field: type: detail`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct FieldError {
    /// The path of the field, as the server words it.
    pub field: String,
    /// The type of the error, as the server's API spells it, for example `FieldValueInvalid`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// What is wrong.
    pub detail: String,
}

pub mod admit;
pub mod cel;
mod answer;
mod convert;
mod default;
mod embedded;
mod endpoint;
pub mod go;
mod handle;
pub mod meta;
pub mod names;
mod nulls;
mod patch;
mod place;
pub mod problem;
pub mod prune;
mod ratchet;
mod repeated;
mod scale;
mod serving;
mod structural;
mod trace;
pub mod validate;

pub use answer::Answer;
pub use answer::CREATED;
pub use answer::FieldValidation;
pub use answer::Request;
pub use answer::Stored;
pub use answer::UID;
pub use endpoint::Endpoint;
pub use patch::merge;
pub use repeated::Repeated;
pub use serving::Serving;
pub use trace::Trace;
