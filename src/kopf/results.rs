//! What handlers return, and the finalizer: the rest of what Kopf writes into the objects that it handles.
//!
//! Mirrors `deliver_results` in Kopf's `_core/actions/progression.py` and `_cogs/structs/finalizers.py`.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::kopf::KopfVersion;
use crate::kopf::patch;

/// The finalizer when nothing else is said.
pub const FINALIZER: &str = "kopf.zalando.org/KopfFinalizerMarker";

/// Adds the result of a handler to a patch: under its id in `status`, nothing for `null`.
/// A mapping is merged with what the handler itself patched there.
///
/// # Errors
/// Python's, when the handler patched something else there.
pub fn deliver(id: &str, result: &Value, into: &mut Value) -> Result<(), String> {
    if result.is_null() {
        return Ok(());
    }
    let fields = mapping(into, "setdefault")?;
    let status = fields.entry("status").or_insert_with(|| json!({}));
    let Value::Object(result) = result else {
        return patch::ensure(status, &[id], result.clone());
    };
    let place = mapping(status, "setdefault")?.entry(id).or_insert_with(|| json!({}));
    mapping(place, "update")?.extend(result.clone());
    Ok(())
}

/// The patch that keeps an object from being deleted before its handlers are done:
/// a JSON patch since Kopf 1.44, a merge patch of the whole list before. Empty when the finalizer is there.
pub fn block(kopf: KopfVersion, finalizer: &str, body: &Value) -> Value {
    let json_patch = kopf >= KopfVersion::QUIET_SMART;
    let present = patch::resolve(body, &["metadata", "finalizers"]).and_then(Value::as_array);
    if present.is_some_and(|it| it.iter().any(|it| it == finalizer)) {
        return if json_patch { json!([]) } else { json!({}) };
    }
    match (json_patch, present) {
        (true, Some(present)) => {
            json!([{ "op": "add", "path": format!("/metadata/finalizers/{}", present.len()), "value": finalizer }])
        }
        (true, None) => json!([{ "op": "add", "path": "/metadata/finalizers", "value": [finalizer] }]),
        (false, present) => {
            let all: Vec<_> = present.into_iter().flatten().cloned().chain([finalizer.into()]).collect();
            json!({ "metadata": { "finalizers": all } })
        }
    }
}

fn mapping<'a>(value: &'a mut Value, method: &str) -> Result<&'a mut Map<String, Value>, String> {
    let ty = patch::python_type(value);
    value.as_object_mut().ok_or_else(|| format!("AttributeError: '{ty}' object has no attribute '{method}'"))
}
