//! The last handled configuration: what Kopf takes of an object, and the patches that store it.
//!
//! Mirrors Kopf's `_cogs/configs/diffbase.py`. This module does not know when Kopf does it.

use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::annotations;
use crate::kopf::patch;
use crate::kopf::progress::Scene;
use crate::kopf::progress::annotation;
use crate::kopf::storage::Diffbase;
use crate::kopf::storage::PREFIX;
use crate::kopf::storage::Progress;
use crate::kopf::text;
use crate::path::Path;

/// A part of an object whose keys keep their order, as Python's do: that of the text in the patch.
#[derive(Debug, Clone, PartialEq)]
pub enum Essence {
    /// Keys with values.
    Mapping(Vec<(String, Essence)>),
    /// Anything else.
    Leaf(Value),
}

/// What Kopf compares and stores of an object: neither its identity nor its status nor what Kopf itself wrote there,
/// but the fields (`extra`) that handlers name.
pub fn build(scene: Scene<'_>, places: &[Diffbase], extra: &[Path], progress: &[Progress]) -> Essence {
    let mut res = Essence::from(scene.body);
    let mut owned_by = scene.body;
    if places.len() != 1 {
        // The members of several see only what is left: no owners, so no keys of replica sets.
        res = strip(scene.kopf, &res, extra);
        owned_by = &Value::Null;
    }
    for place in places {
        res = strip(scene.kopf, &res, extra);
        let (Diffbase::Field { ignored_fields, .. } | Diffbase::Annotation { ignored_fields, .. }) = place;
        for Path(path) in ignored_fields {
            res.remove(path);
        }
        match place {
            Diffbase::Field { field, .. } => res.remove(&field.0),
            Diffbase::Annotation { prefix, key, v1, .. } => {
                let keys = annotations::keys(scene.kopf, prefix, *v1, key, owned_by);
                res.retain_annotations(|it| !keys.iter().any(|key| key == it));
                res.remove_empty();
            }
        }
    }
    for place in progress {
        match place {
            Progress::Fields { field, .. } => res.remove(&field.0),
            Progress::Annotations(it) => res.retain_annotations(|key| !is_below(key, &it.prefix)),
        }
        res.remove_empty();
    }
    res
}

/// Adds the last handled configuration to a patch, as a text.
///
/// # Errors
/// Python's, when the patch has something else where a mapping must be, or the field is the root.
pub fn store(
    scene: Scene<'_>,
    places: &[Diffbase],
    essence: &Essence,
    into: &mut Value,
) -> Result<(), String> {
    let compact = scene.kopf >= KopfVersion::SUBREFS;
    let text = text::dumps(essence, !compact);
    for place in places {
        match place {
            Diffbase::Field { field, .. } => patch::ensure(into, &field.0, text.clone().into())?,
            Diffbase::Annotation { prefix, key, v1, .. } => {
                let text = if compact { format!("{text}\n") } else { text.clone() };
                for key in annotations::keys(scene.kopf, prefix, *v1, key, scene.body) {
                    patch::ensure(into, &annotation(&key), text.clone().into())?;
                }
                annotations::mark(scene.kopf, prefix, scene.body, into)?;
            }
        }
    }
    Ok(())
}

/// The base of all storages: `DiffBaseStorage.build`.
fn strip(kopf: KopfVersion, body: &Essence, extra: &[Path]) -> Essence {
    let mut res = body.clone();
    for key in ["apiVersion", "kind", "metadata", "status"] {
        res.remove(&[key]);
    }
    for path in [["metadata", "labels"], ["metadata", "annotations"]] {
        if let Some(value) = body.resolve(&path) {
            res.ensure(&path, value.clone());
        }
    }
    let foreign = marked_prefixes(kopf, &res);
    res.retain_annotations(|key| {
        let marked = foreign.iter().any(|prefix| is_below(key, prefix));
        !marked && key != "kubectl.kubernetes.io/last-applied-configuration"
    });
    for Path(path) in extra {
        if let Some(value) = body.resolve(path) {
            res.ensure(path, value.clone());
        }
    }
    res.remove_empty();
    res
}

/// The prefixes under which operators with Kopf store something.
fn marked_prefixes(kopf: KopfVersion, essence: &Essence) -> Vec<String> {
    let marks = kopf >= KopfVersion::SUBREFS;
    let known = |prefix: &str, name: &str| {
        prefix == PREFIX || marks && (name == "kopf-managed" || prefix.ends_with(&format!(".{PREFIX}")))
    };
    let keys = essence.resolve(&["metadata", "annotations"]).into_iter().flat_map(Essence::keys);
    let parts = keys.filter_map(|key| key.split_once('/'));
    parts.filter(|(prefix, name)| known(prefix, name)).map(|(prefix, _)| prefix.to_owned()).collect()
}

fn is_below(key: &str, prefix: &str) -> bool {
    key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

impl Essence {
    fn keys(&self) -> impl Iterator<Item = &str> {
        let entries: &[_] = match self {
            Self::Mapping(entries) => entries,
            Self::Leaf(_) => &[],
        };
        entries.iter().map(|(key, _)| key.as_str())
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Mapping(entries) => entries.iter_mut().find(|(it, _)| it == key).map(|(_, value)| value),
            Self::Leaf(_) => None,
        }
    }

    fn resolve(&self, path: &[impl AsRef<str>]) -> Option<&Self> {
        path.iter().try_fold(self, |it, key| match it {
            Self::Mapping(entries) => {
                entries.iter().find(|(it, _)| it == key.as_ref()).map(|(_, value)| value)
            }
            Self::Leaf(_) => None,
        })
    }

    fn ensure(&mut self, path: &[impl AsRef<str>], value: Self) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        let Self::Mapping(entries) = self else { return };
        let at = match entries.iter().position(|(it, _)| it == first.as_ref()) {
            Some(at) => at,
            None => {
                entries.push((first.as_ref().to_owned(), Self::Mapping(Vec::new())));
                entries.len() - 1
            }
        };
        entries[at].1.ensure(rest, value);
    }

    fn remove(&mut self, path: &[impl AsRef<str>]) {
        let Some((first, rest)) = path.split_first() else { return };
        if !rest.is_empty() {
            let Some(inner) = self.get_mut(first.as_ref()) else { return };
            inner.remove(rest);
            if !inner.is_empty_mapping() {
                return;
            }
        }
        if let Self::Mapping(entries) = self {
            entries.retain(|(it, _)| it != first.as_ref());
        }
    }

    fn retain_annotations(&mut self, keep: impl Fn(&str) -> bool) {
        let annotations = self.get_mut("metadata").and_then(|it| it.get_mut("annotations"));
        if let Some(Self::Mapping(entries)) = annotations {
            entries.retain(|(key, _)| keep(key));
        }
    }

    fn remove_empty(&mut self) {
        for path in [&["metadata", "annotations"][..], &["metadata", "labels"], &["metadata"], &["status"]] {
            if self.resolve(path).is_some_and(Self::is_falsy) {
                self.remove(path);
            }
        }
    }

    fn is_empty_mapping(&self) -> bool {
        matches!(self, Self::Mapping(entries) if entries.is_empty())
    }

    /// What Python takes for false.
    fn is_falsy(&self) -> bool {
        match self {
            Self::Mapping(entries) => entries.is_empty(),
            Self::Leaf(Value::Null | Value::Bool(false)) => true,
            Self::Leaf(Value::Number(it)) => it.as_f64() == Some(0.0),
            Self::Leaf(Value::String(it)) => it.is_empty(),
            Self::Leaf(Value::Array(it)) => it.is_empty(),
            Self::Leaf(_) => false,
        }
    }
}

impl From<&Value> for Essence {
    fn from(value: &Value) -> Self {
        match value {
            Value::Object(fields) => {
                Self::Mapping(fields.iter().map(|(key, it)| (key.clone(), it.into())).collect())
            }
            other => Self::Leaf(other.clone()),
        }
    }
}

impl Serialize for Essence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Mapping(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
            Self::Leaf(value) => value.serialize(serializer),
        }
    }
}
