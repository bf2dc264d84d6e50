//! Which old value belongs to which value, and whether it changed.
//!
//! Mirrors `pkg/cel/common/maplist.go` and `equality.go` of k8s.io/apiserver and the ratcheting of the server's
//! `cel/validation.go`.

use crate::schema::Schema;
use serde_json::Value;

/// The items of an old list by what identifies them; nothing in a list that is not keyed.
pub(super) struct Keyed<'v> {
    keys: &'v [String],
    items: &'v [Value],
}

/// Reads an old list.
pub(super) fn keyed<'v>(schema: &'v Schema, items: Option<&'v Vec<Value>>) -> Keyed<'v> {
    let is_keyed = schema.ty == "array" && schema.list_type.as_deref() == Some("map");
    let items = items.filter(|_| is_keyed && !schema.list_map_keys.is_empty());
    Keyed { keys: &schema.list_map_keys, items: items.map_or(&[], Vec::as_slice) }
}

impl<'v> Keyed<'v> {
    /// The first old item with the keys of this one.
    pub(super) fn get(&self, item: &Value) -> Option<&'v Value> {
        let same = |key: &String, other: &Value| {
            let (one, two) = (item.get(key)?, other.get(key)?);
            let scalar = matches!(one, Value::Bool(_) | Value::Number(_) | Value::String(_));
            (scalar && one == two).then_some(())
        };
        self.items.iter().find(|other| self.keys.iter().all(|key| same(key, other).is_some()))
    }
}

/// A value with its old value.
#[derive(Clone, Copy)]
pub(super) struct Pair<'v> {
    pub(super) schema: &'v Schema,
    pub(super) new: &'v Value,
    pub(super) old: &'v Value,
}

impl<'v> Pair<'v> {
    /// The pair of a key, if the schema declares it and both values have it.
    fn key(self, key: &str) -> Option<Self> {
        let schema = self.schema.property(key).or_else(|| self.schema.additional())?;
        Some(Self { schema, new: self.new.as_object()?.get(key)?, old: self.old.as_object()?.get(key)? })
    }

    /// The pair of an item of a keyed list.
    fn index(self, at: usize) -> Option<Self> {
        let new = self.new.as_array()?.get(at)?;
        let olds = self.old.as_array()?;
        // An old item that is null counts as none.
        let old = keyed(self.schema, Some(olds)).get(new).filter(|it| !it.is_null())?;
        Some(Self { schema: self.schema.item()?, new, old })
    }

    /// Whether nothing changed. An object with content that the schema does not declare never counts as unchanged.
    fn unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if self.schema.list_type.as_deref() != Some("map") {
                    return new == old;
                }
                (0..new.len()).all(|at| self.index(at).is_some_and(Self::unchanged))
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len() && new.keys().all(|key| self.key(key).is_some_and(Self::unchanged))
            }
            (new, old) => new == old,
        }
    }
}

/// Whose change decides whether an error counts.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratchet<'v> {
    current: Option<Pair<'v>>,
    parent: Option<Pair<'v>>,
}

impl<'v> Ratchet<'v> {
    /// The ratchet of a whole object.
    pub(super) fn root(pair: Pair<'v>) -> Self {
        Self { current: Some(pair), parent: None }
    }

    /// The ratchet of a key.
    pub(super) fn key(self, key: &str) -> Self {
        match self.current {
            None => self,
            Some(_) if self.parent.is_none() && (key == "apiVersion" || key == "kind") => Self::default(),
            Some(pair) => Self { current: pair.key(key), parent: Some(pair) },
        }
    }

    /// The ratchet of an item.
    pub(super) fn index(self, at: usize) -> Self {
        match self.current {
            None => self,
            Some(pair) => Self { current: pair.index(at), parent: Some(pair) },
        }
    }

    /// Whether errors do not count, because nothing changed.
    pub(super) fn unchanged(self) -> bool {
        self.current.or(self.parent).is_some_and(Pair::unchanged)
    }
}
