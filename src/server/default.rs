//! Which defaults are filled in.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/defaulting: `algorithm.go`, and `prune.go` for what is left of a
//! default when it is served.

use super::embedded;
use super::go;
use super::prune;
use super::prune::declared;
use crate::schema::Keywords;
use crate::schema::Schema;
use serde_json::Map;
use serde_json::Value;
use std::collections::HashMap;

/// What a walk over defaults looks for.
pub(super) const DEFAULT: Keywords = Keywords::of(&["default"]);

/// The defaults of a schema as they are served: those that pruning changed differ from the written ones.
///
/// Belongs to the schema it was made of, which it outlives nowhere: nodes are told apart by their address.
#[derive(Debug, Default)]
pub(super) struct Defaults(HashMap<usize, Option<Value>>);

impl Defaults {
    /// The default of a node, if it has one.
    pub(super) fn of<'a>(&'a self, schema: &'a Schema) -> Option<&'a Value> {
        let written = schema.default.as_ref()?;
        if self.0.is_empty() {
            return Some(written);
        }
        match self.0.get(&std::ptr::from_ref(schema).addr()) {
            Some(served) => served.as_ref(),
            None => Some(written),
        }
    }

    /// The defaults below a root as they are served, or why the server could not serve the schema.
    pub(super) fn served(root: &Schema) -> Result<Self, String> {
        let mut defaults = Self::default();
        defaults.collect(root, root, &mut Vec::new(), false)?;
        Ok(defaults)
    }

    /// Whether every default is served as it is written.
    pub(super) fn are_as_written(&self) -> bool {
        self.0.is_empty()
    }

    fn collect<'s>(
        &mut self,
        root: &'s Schema,
        schema: &'s Schema,
        path: &mut Vec<Step<'s>>,
        embedded: bool,
    ) -> Result<(), String> {
        if !schema.within.meets(DEFAULT) {
            return Ok(());
        }
        let embedded = embedded || schema.embedded;
        if let Some(written) = &schema.default {
            // A scalar cannot be pruned, only lost with the metadata it stands in, or as a type that is no text.
            let embedded =
                embedded || matches!(path[..], [Step::Key("apiVersion" | "kind" | "metadata"), ..]);
            if embedded || path.is_empty() || written.is_object() || written.is_array() {
                let written = copy(written);
                let served = serve(root, written.clone(), path)?;
                if served.as_ref() != Some(&written) {
                    self.0.insert(std::ptr::from_ref(schema).addr(), served);
                }
            }
        }
        let children = (schema.additional().map(|it| (Step::Key("*"), it)).into_iter())
            .chain(schema.item().map(|it| (Step::Item, it)))
            .chain(schema.properties.iter().map(|(key, it)| (Step::Key(key), it)));
        for (step, child) in children {
            path.push(step);
            self.collect(root, child, path, embedded)?;
            path.pop();
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Step<'s> {
    Key(&'s str),
    Item,
}

/// What is left of a default after its surrounding object was coerced and pruned with the whole schema.
fn serve(root: &Schema, mut value: Value, path: &[Step<'_>]) -> Result<Option<Value>, String> {
    for step in path.iter().rev() {
        value = match step {
            Step::Key(key) => Value::Object(Map::from_iter([((*key).to_owned(), value)])),
            Step::Item => Value::Array(vec![value]),
        };
    }
    let Value::Object(mut object) = value else {
        return Err(
            "failed to prune default value: object root default value must be of object type".to_owned()
        );
    };
    embedded::coerce(&mut object, Some(root), true, true, None)
        .map_err(|error| format!("failed to prune default value: {}", error.text()))?;
    prune::root(&mut object, Some(root), &mut Vec::new());
    let mut left = Some(Value::Object(object));
    for step in path {
        left = match (step, left) {
            (Step::Key(key), Some(Value::Object(mut object))) => object.remove(*key),
            (Step::Item, Some(Value::Array(items))) => items.into_iter().next(),
            _ => None,
        };
    }
    Ok(left.filter(|it| !it.is_null()))
}

/// Fills in the defaults of absent keys and of nulls that are not nullable.
pub(super) fn fill(object: &mut Map<String, Value>, schema: Option<&Schema>, defaults: &Defaults) {
    let Some(schema) = schema else { return };
    for (key, property) in &schema.properties {
        if let Some(default) = defaults.of(property) {
            let absent = object.get(&**key).is_none_or(|it| it.is_null() && !property.nullable);
            if absent {
                object.insert(key.to_string(), copy(default));
            }
        }
    }
    for (key, value) in object.iter_mut() {
        if let Some(property) = schema.property(key) {
            fill_below(value, property, defaults);
        } else if let Some(additional) = declared(schema, key).flatten() {
            replace_null(value, additional, defaults);
            fill_below(value, additional, defaults);
        }
    }
}

fn fill_below(value: &mut Value, schema: &Schema, defaults: &Defaults) {
    match value {
        Value::Object(object) => fill(object, Some(schema), defaults),
        Value::Array(items) => {
            let Some(item) = schema.item() else { return };
            for value in items {
                replace_null(value, item, defaults);
                fill_below(value, item, defaults);
            }
        }
        _ => {}
    }
}

fn replace_null(value: &mut Value, schema: &Schema, defaults: &Defaults) {
    if value.is_null() && !schema.nullable {
        *value = defaults.of(schema).map_or(Value::Null, copy);
    }
}

/// A default as the stored CRD holds it.
fn copy(default: &Value) -> Value {
    let mut value = default.clone();
    go::reencode(&mut value);
    value
}
