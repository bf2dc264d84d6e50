//! Merge patches as Kopf builds them: set a field, take it back, send the parts.
//!
//! Mirrors Kopf's `_cogs/structs/dicts.py` and `patch_obj` in `_cogs/clients/patching.py`.
//! This module does not know which fields there are.

use std::borrow::Cow;

use serde_json::Map;
use serde_json::Value;

use crate::kopf::KopfVersion;

/// A request to one endpoint of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<'p> {
    /// Whether it goes to `…/status`, else to the object itself.
    pub status: bool,
    /// The body, a merge patch.
    pub patch: Cow<'p, Value>,
}

/// The requests that a version of Kopf sends for a patch, in their order: the body first, then `status` where that is an endpoint of its own.
/// Nothing is sent for an empty part.
pub fn requests(kopf: KopfVersion, patch: &Value, status_subresource: bool) -> Vec<Request<'_>> {
    let Value::Object(fields) = patch else { return Vec::new() };
    let apart = status_subresource && kopf >= KopfVersion::STATUS_SUBRESOURCE;
    let whole = |status| Request { status, patch: Cow::Borrowed(patch) };
    let mut found = match (fields.get("status").filter(|_| apart), fields.len()) {
        (_, 0) => Vec::new(),
        (None, _) => vec![whole(false)],
        (Some(_), 1) => vec![whole(true)],
        (Some(status), _) => {
            let mut body = fields.clone();
            body.remove("status");
            let status = Map::from_iter([("status".to_owned(), status.clone())]);
            [(false, body), (true, status)]
                .map(|(status, part)| Request { status, patch: Cow::Owned(Value::Object(part)) })
                .into()
        }
    };
    found.retain(|it| !(it.status && it.patch["status"].is_null()));
    found
}

/// The value at a path, if there is one: `null` counts as a value. What is no mapping has no fields.
pub(crate) fn resolve<'a>(value: &'a Value, path: &[impl AsRef<str>]) -> Option<&'a Value> {
    path.iter().try_fold(value, |it, key| it.as_object()?.get(key.as_ref()))
}

/// Sets the value at a path and makes the mappings on the way.
///
/// # Errors
/// Python's, when the path is empty or leads through something that is no mapping.
pub(crate) fn ensure(target: &mut Value, path: &[impl AsRef<str>], value: Value) -> Result<(), String> {
    let Some((last, way)) = path.split_last() else {
        return Err(
            "ValueError: Setting a root of a dict is impossible. Provide the specific fields.".to_owned()
        );
    };
    let mut at = target;
    for key in way {
        at = fields(at)?.entry(key.as_ref()).or_insert_with(|| Value::Object(Map::new()));
    }
    fields(at)?.insert(last.as_ref().to_owned(), value);
    Ok(())
}

/// Takes a field away, with the mappings on the way that are empty then.
pub(crate) fn remove(target: &mut Value, path: &[impl AsRef<str>]) {
    let Some((first, rest)) = path.split_first() else { return };
    let Some(fields) = target.as_object_mut() else { return };
    if rest.is_empty() {
        fields.remove(first.as_ref());
        return;
    }
    let Some(inner) = fields.get_mut(first.as_ref()) else { return };
    remove(inner, rest);
    if inner.as_object().is_some_and(Map::is_empty) {
        fields.remove(first.as_ref());
    }
}

/// The word that Python has for the type of a value.
pub(crate) fn python_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(it) if it.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

fn fields(value: &mut Value) -> Result<&mut Map<String, Value>, String> {
    let ty = python_type(value);
    value.as_object_mut().ok_or_else(|| format!("TypeError: '{ty}' object does not support item assignment"))
}
