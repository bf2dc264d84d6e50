//! Which old value a value corresponds to, and whether it has changed.
//!
//! Mirrors apiserver/pkg/cel/common/{equality,maplist}.go. An object with any key that its schema does not declare never
//! counts as unchanged.

use super::prune::declared;
use crate::schema::Schema;
use serde_json::Value;

/// A value with the old value and the schema it is correlated by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Correlated<'v> {
    /// The value.
    pub(super) value: &'v Value,
    /// The old value; null where there was none.
    pub(super) old: &'v Value,
    /// The structural schema of both; none where nothing below is correlated.
    pub(super) schema: Option<&'v Schema>,
}

/// How an item of a list finds its old one.
enum Found<'v> {
    /// It has this old item.
    Item(Correlated<'v>),
    /// It is new in a list that correlates items by key.
    NewKey,
    /// The list does not correlate items.
    Uncorrelated,
}

impl<'v> Correlated<'v> {
    /// The value of a key with its old value, if both have it and the schema declares it.
    pub(super) fn key(&self, key: &str) -> Option<Correlated<'v>> {
        let (value, old) = (self.value.as_object()?.get(key)?, self.old.as_object()?.get(key)?);
        let schema = declared(self.schema?, key)??;
        Some(Correlated { value, old, schema: Some(schema) })
    }

    /// An item with its old item, if the list is a map and the schema has items.
    pub(super) fn index(&self, index: usize) -> Option<Correlated<'v>> {
        match self.find(index) {
            Found::Item(found) => Some(found),
            _ => None,
        }
    }

    fn find(&self, index: usize) -> Found<'v> {
        let (Some(schema), Value::Array(items), Value::Array(olds)) = (self.schema, self.value, self.old)
        else {
            return Found::Uncorrelated;
        };
        if schema.list_type.as_deref() != Some("map") || index >= items.len() {
            return Found::Uncorrelated;
        }
        if schema.ty != "array" || schema.list_map_keys.is_empty() {
            return Found::NewKey;
        }
        let value = &items[index];
        let key = key_of(value, &schema.list_map_keys);
        let old = key
            .and_then(|key| olds.iter().find(|it| key_of(it, &schema.list_map_keys).as_ref() == Some(&key)));
        match (old, schema.item()) {
            (Some(old), Some(item)) => Found::Item(Correlated { value, old, schema: Some(item) }),
            _ => Found::NewKey,
        }
    }

    /// Whether the value equals the old one (`CachedDeepEqual`).
    pub(super) fn is_equal(&self) -> bool {
        match (self.value, self.old) {
            (Value::Array(items), Value::Array(olds)) => {
                items.len() == olds.len() && self.items_equal(items, olds)
            }
            (Value::Object(object), Value::Object(olds)) => {
                object.len() == olds.len()
                    && object.keys().all(|key| self.key(key).is_some_and(|it| it.is_equal()))
            }
            (value, old) => value == old,
        }
    }

    fn items_equal(&self, items: &[Value], olds: &[Value]) -> bool {
        for index in 0..items.len() {
            match self.find(index) {
                Found::Item(found) if found.is_equal() => {}
                Found::Uncorrelated => return items == olds,
                _ => return false,
            }
        }
        true
    }
}

/// A composite key: scalars only.
fn key_of(item: &Value, keys: &[String]) -> Option<Vec<String>> {
    let object = item.as_object()?;
    let single = keys.len() == 1;
    let part = |key: &String| match object.get(key)? {
        Value::Bool(it) => Some(format!("b{it}")),
        Value::String(text) => Some(format!("s{text}")),
        Value::Number(number) if !number.is_f64() => Some(format!("i{number}")),
        // Several keys are compared as text with six decimals.
        Value::Number(number) if single => Some(format!("f{number}")),
        Value::Number(number) => Some(format!("f{:.6}", number.as_f64()?)),
        _ => None,
    };
    keys.iter().map(part).collect()
}
