//! A status that gives back what it does not know, and the typed part of it alone.
//!
//! A controller reads an object, changes its typed status, and replaces the object: whatever the type does not know is
//! gone, and no API server is to blame. [`Kopf`] keeps it. This module knows no schemas and no contract.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Deref;
use std::ops::DerefMut;

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::types::known;
use crate::types::state::KopfState;

/// A status type that can be written back without loss: what it does not know survives a read and a write.
///
/// `#[kopf(round_trip)]` demands it of a status type. [`Kopf`] implements it for any status; a type that keeps unknown
/// fields by itself (`#[serde(flatten)] rest: BTreeMap<String, Value>`) may implement it too.
#[diagnostic::on_unimplemented(
    message = "status type `{Self}` would drop Kopf's data when it is written back",
    label = "fields that this type does not know are lost",
    note = "use `status = \"Kopf<{Self}>\"` in `#[kube(…)]`, with `kopf_crd::Kopf`"
)]
pub trait RoundTrip {}

impl<S> RoundTrip for Kopf<S> {}

/// A status `S` with all that others wrote beside it.
///
/// Use it as the status of a resource that a Kopf operator handles too: `status = "Kopf<WidgetStatus>"`. It derefs to
/// `S`; what `S` does not know, at any depth of mappings, is kept and written back as it was read. A value that `S`
/// knows and nobody changed is written as it was read too, byte for byte (`1.0`, a time in another format).
///
/// # What to send
///
/// * **`replace_status`** (PUT): the object as it is. Serialized, `Kopf<S>` is `S` and the rest, so nothing is lost; the
///   `resourceVersion` of the object makes the API server refuse the write if Kopf wrote in between.
/// * **Merge patch**: [`merge_patch`](Kopf::merge_patch), only the typed part, and `null` for what was cleared.
/// * **Server-side apply**: [`typed`](Kopf::typed), only the typed part.
///
/// Do not apply or merge-patch the object itself: the rest would travel too. A merge patch would write Kopf's progress
/// back as it was when you read it, and undo what Kopf did since; server-side apply would make your controller own
/// Kopf's fields besides.
///
/// To put a whole status in place of an old one, use [`replace`](Kopf::replace): a fresh `Kopf::from(status)` has no rest.
///
/// ```
/// use kopf_crd::Kopf;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// #[derive(Debug, Clone, Default, Serialize, Deserialize)]
/// struct WidgetStatus {
///     #[serde(skip_serializing_if = "Option::is_none")]
///     phase: Option<String>,
/// }
///
/// let read = json!({"phase": "Old", "kopf": {"progress": {"create_fn": {"retries": 3}}}});
/// let mut status: Kopf<WidgetStatus> = serde_json::from_value(read).unwrap();
/// status.phase = Some("New".to_owned());
///
/// assert_eq!(
///     serde_json::to_value(&status).unwrap(),
///     json!({"phase": "New", "kopf": {"progress": {"create_fn": {"retries": 3}}}}),
/// );
/// assert_eq!(status.merge_patch().unwrap(), json!({"status": {"phase": "New"}}));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kopf<S> {
    inner: S,
    /// What was read; none for a status that comes from no object.
    read: Option<Read>,
}

/// The status as it was read.
#[derive(Debug, Clone, PartialEq)]
struct Read {
    /// All of it.
    whole: Map<String, Value>,
    /// The part that `S` made of it.
    typed: Map<String, Value>,
}

impl<S> Kopf<S> {
    /// The typed status, without what was kept beside it.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Puts a typed status in place of the one that an object has, and keeps the rest.
    pub fn replace(place: &mut Option<Kopf<S>>, status: S) {
        match place {
            Some(it) => it.inner = status,
            None => *place = Some(status.into()),
        }
    }

    /// What was read beside the typed part and at its top: `kopf`, results of handlers.
    ///
    /// Values are as they were read. Empty for a status that comes from no object.
    pub fn rest(&self) -> impl Iterator<Item = (&str, &Value)> {
        let read = self.read.iter();
        read.flat_map(|it| it.whole.iter().filter(|(key, _)| !it.typed.contains_key(*key)))
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Kopf's own state below `status.<name>`; `name` is that of the storages, `kopf` by default.
    ///
    /// None when nothing is there. An error when something is there that Kopf never wrote.
    pub fn state(&self, name: &str) -> Option<Result<KopfState, serde_json::Error>> {
        let state = self.read.as_ref()?.whole.get(name)?;
        Some(KopfState::deserialize(state))
    }
}

impl<S: Serialize> Kopf<S> {
    /// The status with only the typed part, for server-side apply: `{"status": {…}}`.
    ///
    /// The API server wants `apiVersion`, `kind` and `metadata.name` beside it.
    pub fn typed(&self) -> Result<Value, serde_json::Error> {
        Ok(json!({ "status": typed(&self.inner)? }))
    }

    /// A merge patch of the status with only the typed part: `{"status": {…}}`.
    ///
    /// A key that was read and is no longer there is `null`, which clears it.
    pub fn merge_patch(&self) -> Result<Value, serde_json::Error> {
        let mut status = typed(&self.inner)?;
        if let Some(read) = &self.read {
            clear(&mut status, &read.typed);
        }
        Ok(json!({ "status": status }))
    }
}

fn clear(patch: &mut Map<String, Value>, read: &Map<String, Value>) {
    for (key, before) in read {
        match (patch.get_mut(key), before) {
            (None, _) => {
                patch.insert(key.clone(), Value::Null);
            }
            (Some(Value::Object(patch)), Value::Object(before)) => clear(patch, before),
            _ => {}
        }
    }
}

impl<S> From<S> for Kopf<S> {
    fn from(inner: S) -> Self {
        Self { inner, read: None }
    }
}

impl<S> Deref for Kopf<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.inner
    }
}

impl<S> DerefMut for Kopf<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.inner
    }
}

thread_local! {
    static BARE: Cell<bool> = const { Cell::new(false) };
}

/// Runs something in which no [`Kopf`] keeps a rest: to see what its typed status does by itself.
pub(crate) fn without_rest<R>(run: impl FnOnce() -> R) -> R {
    let before = BARE.replace(true);
    let done = run();
    BARE.set(before);
    done
}

impl<'de, S: DeserializeOwned + Serialize> Deserialize<'de> for Kopf<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut whole = Map::deserialize(deserializer)?;
        let (inner, known): (S, _) = known::read(&whole).map_err(serde::de::Error::custom)?;
        if BARE.get() {
            return Ok(inner.into());
        }
        let typed = typed(&inner).map_err(serde::de::Error::custom)?;
        let readable = |whole: &_| known::read::<S>(&merge(whole, &typed, &typed)).is_ok();
        // An old name of a field is not written beside its new one: the status would be unreadable.
        if !readable(&whole) {
            whole.retain(|key, _| typed.contains_key(key) || !known.contains(&key.as_str()));
        }
        // Deeper down nobody tells what a type knows, so there it is written as the type writes it.
        if !readable(&whole) {
            whole.extend(typed.clone());
        }
        Ok(Self { inner, read: Some(Read { whole, typed }) })
    }
}

impl<S: Serialize> Serialize for Kopf<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let current = typed(&self.inner).map_err(serde::ser::Error::custom)?;
        match &self.read {
            Some(read) => merge(&read.whole, &read.typed, &current).serialize(serializer),
            None => current.serialize(serializer),
        }
    }
}

fn typed<S: Serialize>(status: &S) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::to_value(status)? {
        Value::Object(it) => Ok(it),
        other => Err(serde::ser::Error::custom(format!("a status is a mapping, and this one is `{other}`"))),
    }
}

/// What to write: the changes from `typed` to `current`, made in `whole`.
fn merge(
    whole: &Map<String, Value>,
    typed: &Map<String, Value>,
    current: &Map<String, Value>,
) -> Map<String, Value> {
    let unknown = whole.iter().filter(|(key, _)| !typed.contains_key(*key) && !current.contains_key(*key));
    let mut merged: Map<String, Value> = unknown.map(|(key, it)| (key.clone(), it.clone())).collect();
    for (key, current) in current {
        let value = match (whole.get(key), typed.get(key)) {
            (Some(whole), Some(typed)) if typed == current => whole.clone(),
            (Some(Value::Object(whole)), typed) if current.is_object() => {
                let none = Map::new();
                let typed = typed.and_then(Value::as_object).unwrap_or(&none);
                Value::Object(merge(whole, typed, current.as_object().unwrap_or(&none)))
            }
            _ => current.clone(),
        };
        merged.insert(key.clone(), value);
    }
    merged
}

impl<S: JsonSchema> JsonSchema for Kopf<S> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        S::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("kopf_crd::Kopf<{}>", S::schema_id()).into()
    }

    /// The schema of `S` with `kopf` open in it: kept even where no `#[derive(KopfCrd)]` opens more.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = S::json_schema(generator);
        crate::types::schema::opened(generator, schema)
    }
}
