//! Which old item belongs to which, and whose change decides whether an error counts.
//!
//! Mirrors `pkg/cel/common/maplist.go` of k8s.io/apiserver and `ratchetingOptions` of the server's `cel/validation.go`.

use crate::schema::Schema;
use crate::server::ratchet::Correlated;
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

/// Whose change decides whether an error counts.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratchet<'v> {
    current: Option<Correlated<'v>>,
    parent: Option<Correlated<'v>>,
}

impl<'v> Ratchet<'v> {
    /// The ratchet of a whole object.
    pub(super) fn root(pair: Correlated<'v>) -> Self {
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
        self.current.or(self.parent).is_some_and(|it| it.is_equal())
    }
}
