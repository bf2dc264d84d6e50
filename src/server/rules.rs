//! Which CEL rules would run on an object; what they say is another matter.
//!
//! Mirrors the walk of apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.

use crate::schema::Schema;
use serde_json::Value;

/// Whether any rule stands on the spine of a schema or in its `allOf`.
pub(super) fn any(schema: &Schema) -> bool {
    !schema.validations.is_empty()
        || schema.properties.iter().any(|(_, it)| any(it))
        || schema.item().is_some_and(any)
        || schema.additional().is_some_and(any)
        || schema.all_of.iter().any(any)
}

/// The first rule that would run on a value.
pub(super) fn reached<'s>(value: &Value, schema: &'s Schema) -> Option<&'s str> {
    if value.is_null() {
        return None;
    }
    if let Some(rule) = schema.validations.first() {
        return Some(&rule.rule);
    }
    if let Some(rule) = schema.all_of.iter().find_map(|it| reached(value, it)) {
        return Some(rule);
    }
    match value {
        Value::Array(items) => {
            let item = schema.item()?;
            items.iter().find_map(|it| reached(it, item))
        }
        Value::Object(object) => object
            .iter()
            .find_map(|(key, value)| reached(value, schema.property(key).or_else(|| schema.additional())?)),
        _ => None,
    }
}
