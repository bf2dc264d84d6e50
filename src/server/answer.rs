//! What is asked of the server, and what it answers.
//!
//! Mirrors the statuses of apimachinery/pkg/api/errors.

use super::FieldError;
use super::Unknown;
use super::endpoint::Endpoint;
use super::problem::Problem;
use super::prune::Lost;
use serde_json::Value;

/// What the server does with unknown and duplicate fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldValidation {
    /// Nothing.
    Ignore,
    /// A warning: what clients get that do not ask.
    #[default]
    Warn,
    /// An error: what kubectl asks for.
    Strict,
}

/// What is asked of the server besides the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'r> {
    /// The version in the path.
    pub version: &'r str,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The parameter `fieldValidation`.
    pub field_validation: FieldValidation,
    /// What strict decoding says about the body's text: `duplicate field "spec.a"`.
    pub duplicates: &'r [String],
    /// Errors that refuse nothing: those that an object has anyway, where only what a patch adds is of interest.
    pub tolerated: &'r [FieldError],
}

/// What is in etcd.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'s> {
    /// The object.
    pub object: &'s Value,
    /// Its resource version.
    pub revision: u64,
}

/// What the server answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub code: u16,
    /// The reason of a failure: `Invalid`, `BadRequest`, …
    pub reason: &'static str,
    /// The message of a failure that has no causes.
    pub message: String,
    /// The object in the response.
    pub object: Option<Value>,
    /// What is in etcd afterwards.
    pub etcd: Option<Value>,
    /// Whether etcd has changed.
    pub wrote: bool,
    /// What the request's version dropped of the body. A client is told of it at most by a warning.
    pub lost: Vec<Lost>,
    /// What the storage version dropped on top. Nobody is told.
    pub lost_in_storage: Vec<Lost>,
    /// Why the object is refused.
    pub errors: Vec<Problem>,
    /// The warnings of the response.
    pub warnings: Vec<String>,
    /// Why the answer is not certain; empty if it is.
    pub unknown: Vec<Unknown>,
}

impl Answer {
    /// Becomes a refusal.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.code = failure.code;
        self.reason = failure.reason;
        self.message = failure.message;
        self.errors = failure.errors;
    }

    /// Takes over how the request ends, beside what was said before.
    pub(super) fn end_as(&mut self, end: Answer) {
        let Answer { lost, mut warnings, mut unknown, .. } = std::mem::take(self);
        warnings.extend(end.warnings);
        unknown.extend(end.unknown);
        *self = Answer { lost, warnings, unknown, ..end };
    }
}

/// The UID that every created object gets.
pub const UID: &str = "00000000-0000-0000-0000-000000000001";

/// When every created object was created.
pub const CREATED: &str = "2023-11-14T22:13:20Z";

/// A request that goes no further.
pub(super) struct Failure {
    pub(super) code: u16,
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) errors: Vec<Problem>,
}

impl Failure {
    pub(super) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), errors: Vec::new() }
    }

    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "InternalError", message)
    }

    /// An internal error that is wrapped in a status: its text is a cause.
    pub(super) fn caused(text: &str) -> Self {
        let cause = Problem::new("", String::new(), Value::Null, text.to_owned());
        Self { errors: vec![cause], ..Self::internal("") }
    }

    pub(super) fn invalid(errors: Vec<Problem>) -> Self {
        Self { code: 422, reason: "Invalid", message: String::new(), errors }
    }

    /// A patched object that cannot be decoded.
    pub(super) fn patch(message: String) -> Self {
        Self::invalid(vec![Problem::new("FieldValueInvalid", "patch".to_owned(), Value::Null, message)])
    }
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self {
            version: "",
            endpoint: Endpoint::Main,
            field_validation: FieldValidation::Warn,
            duplicates: &[],
            tolerated: &[],
        }
    }
}
