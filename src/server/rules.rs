//! Whether a schema has CEL rules at all; what they say is another matter.
//!
//! Mirrors `hasXValidations` of apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.

use crate::schema::Schema;

/// Whether any rule stands on the spine of a schema or in its `allOf`.
pub(super) fn any(schema: &Schema) -> bool {
    !schema.validations.is_empty()
        || schema.properties.iter().any(|(_, it)| any(it))
        || schema.item().is_some_and(any)
        || schema.additional().is_some_and(any)
        || schema.all_of.iter().any(any)
}
