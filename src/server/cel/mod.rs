//! `x-kubernetes-validations`: whether the server would take a rule, and what a rule says of a value.
//!
//! Mirrors `pkg/apiserver/schema/cel` of k8s.io/apiextensions-apiserver and the CEL part of its
//! `pkg/apis/apiextensions/validation`. Own parser, type checker, cost estimator and evaluator: the server refuses a rule
//! for its types and its estimated cost, and no crate answers for either. What is not modeled is [`Unknown`], never a guess.
//! Which errors of the schema stop the server before it looks at rules is decided by the caller.

mod admit;
mod call_cost;
mod check;
mod correlate;
mod cost;
mod decl;
mod equality;
mod eval;
mod field_path;
mod formats;
mod functions;
mod library;
mod macros;
mod net;
mod parse;
mod plan;
mod program;
mod quantity;
mod regexp;
mod rules;
mod strings;
mod syntax;
mod time;
mod types;
mod validate;
mod value;

use crate::server::FieldError;
use crate::server::Unknown;
use crate::server::problem::Problem;
use crate::source::Span;

pub use admit::admit;
pub use rules::Rules;
pub use validate::validate;

/// What the server says of the rules of a schema when the CRD is created.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compiled {
    /// Why it refuses, with the rule or node to blame.
    pub refusals: Vec<(FieldError, Span)>,
    /// Which rules cannot be decided.
    pub unknown: Vec<Unknown>,
}

/// What the rules say of a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The errors the server would answer, each with the rule it comes from.
    pub errors: Vec<Problem>,
    /// Which rules cannot be evaluated on this value.
    pub unknown: Vec<Unknown>,
}
