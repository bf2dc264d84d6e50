//! Which nulls are removed, silently, before defaulting.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/defaulting/prunenulls.go.

use super::default::Defaults;
use super::prune::declared;
use crate::schema::Schema;
use serde_json::Map;
use serde_json::Value;

/// Removes keys whose value is null where the schema is neither nullable nor has a default.
///
/// Items of arrays stay, and so do nulls without a schema.
pub(super) fn remove(object: &mut Map<String, Value>, schema: Option<&Schema>, defaults: &Defaults) {
    let Some(schema) = schema else { return };
    object.retain(|key, value| {
        let below = declared(schema, key).flatten();
        if value.is_null() && below.is_some_and(|it| !it.nullable && defaults.of(it).is_none()) {
            return false;
        }
        remove_below(value, below, defaults);
        true
    });
}

fn remove_below(value: &mut Value, schema: Option<&Schema>, defaults: &Defaults) {
    match value {
        Value::Object(object) => remove(object, schema, defaults),
        Value::Array(items) => {
            let item = schema.and_then(Schema::item);
            items.iter_mut().for_each(|it| remove_below(it, item, defaults));
        }
        _ => {}
    }
}
