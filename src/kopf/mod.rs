//! What a Kopf operator writes into the objects that it handles, as data.
//!
//! This module knows no schemas and no API server: it says what is sent, not what becomes of it.

mod contract;
pub mod effects;
mod version;

use serde_json::Value;

pub use contract::Contract;
pub use contract::Kind;
pub use contract::Sample;
pub use contract::Slot;
pub use version::KopfVersion;

/// A request to one endpoint of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Whether it goes to `…/status`, else to the object itself.
    pub status: bool,
    /// The body, a merge patch.
    pub patch: Value,
}

/// The requests that Kopf sends for a patch, in their order: the body first, then `status` where that is an endpoint of its own.
///
/// Mirrors `patch_obj` in Kopf's `_cogs/clients/patching.py`: nothing is sent for an empty part.
pub fn requests(patch: &Value, status_subresource: bool) -> Vec<Request> {
    let Value::Object(patch) = patch else { return Vec::new() };
    let mut body = patch.clone();
    let status = if status_subresource { body.remove("status") } else { None };
    let mut found = Vec::new();
    if !body.is_empty() {
        found.push(Request { status: false, patch: Value::Object(body) });
    }
    if let Some(status) = status.filter(|it| !it.is_null()) {
        found.push(Request { status: true, patch: serde_json::json!({ "status": status }) });
    }
    found
}
