//! Writing progress: the patches of storing, touching and purging.
//!
//! Mirrors the methods of the storages in Kopf's `_cogs/configs/progress.py`.
//! This module does not know when Kopf does it.

use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::annotations;
use crate::kopf::patch;
use crate::kopf::record;
use crate::kopf::storage::AnnotationsProgress;
use crate::kopf::storage::Progress;
use crate::path::Path;

/// What all operations on an object have in common.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The version of Kopf.
    pub kopf: KopfVersion,
    /// The object before the patch.
    pub body: &'a Value,
}

/// Adds the record of a handler to a patch.
///
/// # Errors
/// Python's, when the patch has something else where a mapping must be.
pub fn store(
    scene: Scene<'_>,
    places: &[Progress],
    id: &str,
    record: &Value,
    into: &mut Value,
) -> Result<(), String> {
    for place in places {
        match place {
            Progress::Fields { field, writes: true, .. } => {
                patch::ensure(into, &field.child(id).0, record.clone())?;
            }
            Progress::Fields { writes: false, .. } => {}
            Progress::Annotations(it) => {
                let text = record::to_annotation(scene.kopf, record, it.verbose);
                for key in keys(scene, it, id) {
                    patch::ensure(into, &annotation(&key), text.clone().into())?;
                }
                annotations::mark(scene.kopf, &it.prefix, scene.body, into)?;
            }
        }
    }
    Ok(())
}

/// Takes the record of a handler out of the object, or out of the patch if it is only there.
///
/// # Errors
/// Python's, when the patch has something else where a mapping must be.
pub fn purge(scene: Scene<'_>, places: &[Progress], id: &str, into: &mut Value) -> Result<(), String> {
    if scene.kopf < KopfVersion::STORAGES {
        return purge_all(scene, places, into);
    }
    for place in places {
        match place {
            Progress::Fields { field, .. } => clear(scene, &field.child(id).0, into)?,
            Progress::Annotations(it) => {
                for key in keys(scene, it, id) {
                    clear(scene, &annotation(&key), into)?;
                }
            }
        }
    }
    Ok(())
}

/// Changes the timestamp that wakes the operator up; `null` takes it away.
///
/// # Errors
/// Python's, when the patch has something else where a mapping must be, or the field is the root.
pub fn touch(scene: Scene<'_>, places: &[Progress], value: &Value, into: &mut Value) -> Result<(), String> {
    for place in places {
        match place {
            Progress::Fields { touch_field, writes: true, .. } => {
                if stored(scene, &touch_field.0) != value {
                    patch::ensure(into, &touch_field.0, value.clone())?;
                }
            }
            Progress::Fields { writes: false, .. } => {}
            Progress::Annotations(it) => {
                for key in keys(scene, it, &it.touch_key) {
                    if stored(scene, &annotation(&key)) != value {
                        patch::ensure(into, &annotation(&key), value.clone())?;
                        annotations::mark(scene.kopf, &it.prefix, scene.body, into)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The place of an annotation.
pub(crate) fn annotation(key: &str) -> [&str; 3] {
    ["metadata", "annotations", key]
}

fn keys(scene: Scene<'_>, it: &AnnotationsProgress, name: &str) -> Vec<String> {
    annotations::keys(scene.kopf, &it.prefix, it.v1, name, scene.body)
}

/// What is stored; absent and `null` are the same.
fn stored<'a>(scene: Scene<'a>, path: &[impl AsRef<str>]) -> &'a Value {
    patch::resolve(scene.body, path).unwrap_or(&Value::Null)
}

fn clear(scene: Scene<'_>, path: &[impl AsRef<str>], into: &mut Value) -> Result<(), String> {
    if patch::resolve(scene.body, path).is_some() {
        return patch::ensure(into, path, Value::Null);
    }
    if patch::resolve(into, path).is_some() {
        patch::remove(into, path);
    }
    Ok(())
}

/// Before 0.27 the whole mapping of records goes at once.
fn purge_all(scene: Scene<'_>, places: &[Progress], into: &mut Value) -> Result<(), String> {
    let fields = places.iter().filter_map(|place| match place {
        Progress::Fields { field, .. } => Some(field),
        Progress::Annotations(_) => None,
    });
    for Path(path) in fields {
        clear(scene, path, into)?;
    }
    Ok(())
}
