//! Merge patches and JSON patches, with the habits of the server's library.
//!
//! Mirrors gopkg.in/evanphx/json-patch.v4, `merge.go` and `patch.go`.

use super::answer::Failure;
use serde_json::Map;
use serde_json::Value;

/// The most operations that the server applies (`maxJSONPatchOperations`).
pub(super) const MAX_OPERATIONS: usize = 10_000;

/// Applies a merge patch as the server does.
///
/// # Errors
/// What is no object and no list is no patch.
#[allow(clippy::result_unit_err, reason = "there is nothing more to say")]
pub fn merge(document: Value, patch: &Value) -> Result<Value, ()> {
    match (document, patch) {
        (Value::Object(mut document), Value::Object(patch)) => {
            merge_objects(&mut document, patch);
            Ok(Value::Object(document))
        }
        (_, Value::Array(_) | Value::Object(_)) => Ok(without_nulls(patch.clone())),
        _ => Err(()),
    }
}

fn merge_objects(document: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (key, value) in patch {
        if value.is_null() {
            document.remove(key);
            continue;
        }
        let merged = match (document.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(value)) => {
                merge_objects(below, value);
                continue;
            }
            // A list over an object keeps its nulls; over anything else its objects lose theirs.
            (Some(Value::Object(_)), value) => value.clone(),
            (_, value) => without_nulls(value.clone()),
        };
        document.insert(key.clone(), merged);
    }
}

/// Takes nulls out of objects, also of those in lists; items that are null stay.
fn without_nulls(mut value: Value) -> Value {
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|_, it| !it.is_null());
            object.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Applies a JSON patch.
pub(super) fn apply(document: Value, patch: &Value) -> Result<Value, Failure> {
    let operations = match patch {
        Value::Array(operations) => operations.as_slice(),
        Value::Null => &[],
        _ => return Err(Failure::bad("json: cannot unmarshal into Go value of type jsonpatch.Patch")),
    };
    if operations.iter().any(|it| !it.is_object() && !it.is_null()) {
        return Err(Failure::bad("json: cannot unmarshal into Go value of type jsonpatch.Operation"));
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(Failure::new(
            413,
            "RequestEntityTooLarge",
            format!(
                "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
                operations.len()
            ),
        ));
    }
    let mut document = document;
    for operation in operations {
        operate(&mut document, operation).map_err(|it| Failure::new(422, "Invalid", it))?;
    }
    Ok(document)
}

fn operate(document: &mut Value, operation: &Value) -> Result<(), String> {
    let kind = operation.get("op").and_then(Value::as_str).unwrap_or("unknown");
    let path = member(operation, "path", kind)?;
    let value = operation.get("value");
    match kind {
        "add" => add(document, path, value.cloned().unwrap_or_default(), kind),
        "remove" => remove(document, path, kind).map(drop),
        "replace" => replace(document, path, value),
        "test" => test(document, path, value.unwrap_or(&Value::Null)),
        "move" => {
            let from = member(operation, "from", kind)?;
            let moved = remove(document, from, kind)?;
            add(document, path, moved, kind)
        }
        "copy" => {
            let from = member(operation, "from", kind)?;
            let mut place = find(document, from, kind)?;
            let copied = place.get().map_err(|it| format!("error in copy for from: '{from}': {it}"))?;
            let copied = copied.cloned().unwrap_or_default();
            add(document, path, copied, kind)
        }
        other => Err(format!("Unexpected kind: {other}")),
    }
}

fn member<'o>(operation: &'o Value, key: &str, kind: &str) -> Result<&'o str, String> {
    let text = operation.get(key).and_then(Value::as_str);
    text.ok_or_else(|| format!("{kind} operation failed to decode {key}: missing value"))
}

/// A place in a container: an object with a key, or a list with what should be an index.
struct Place<'d> {
    container: &'d mut Value,
    key: String,
}

fn find<'d>(document: &'d mut Value, path: &str, kind: &str) -> Result<Place<'d>, String> {
    let missing =
        || format!("{kind} operation does not apply: doc is missing path: \"{path}\": missing value");
    let parts: Vec<&str> = path.split('/').collect();
    // What stands before the first slash is not looked at.
    let [_, above @ .., key] = parts.as_slice() else { return Err(missing()) };
    let mut container = document;
    for part in above {
        let mut place = Place { container, key: unescape(part) };
        let found = place.index_or_key();
        container = match (place.container, found) {
            (Value::Object(object), _) => object.get_mut(&place.key),
            (Value::Array(items), Ok(Some(index))) => items.get_mut(index),
            _ => None,
        }
        .ok_or_else(missing)?;
    }
    if !container.is_object() && !container.is_array() {
        return Err(missing());
    }
    Ok(Place { container, key: unescape(key) })
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

impl Place<'_> {
    /// The index in a list, counted from the end if negative; nothing for an object.
    fn index_or_key(&mut self) -> Result<Option<usize>, String> {
        let Value::Array(items) = &*self.container else { return Ok(None) };
        index(&self.key, items.len(), items.len()).map(Some)
    }

    fn get(&mut self) -> Result<Option<&Value>, String> {
        let index = self.index_or_key()?;
        Ok(match (&*self.container, index) {
            (Value::Array(items), Some(index)) => items.get(index),
            (Value::Object(object), _) => object.get(&self.key),
            _ => None,
        })
    }
}

/// Reads an index below `end`; a negative one counts from `len`.
fn index(key: &str, end: usize, len: usize) -> Result<usize, String> {
    let number: i64 = key.parse().map_err(|_| format!("strconv.Atoi: parsing \"{key}\": invalid syntax"))?;
    let index = if number < 0 { number + len as i64 } else { number };
    match usize::try_from(index) {
        Ok(index) if index < end => Ok(index),
        _ => Err(format!("Unable to access invalid index: {number}: invalid index referenced")),
    }
}

fn add(document: &mut Value, path: &str, value: Value, kind: &str) -> Result<(), String> {
    let place = find(document, path, kind)?;
    match place.container {
        Value::Object(object) => {
            object.insert(place.key, value);
        }
        Value::Array(items) if place.key == "-" => items.push(value),
        Value::Array(items) => {
            let index = index(&place.key, items.len() + 1, items.len() + 1)
                .map_err(|it| format!("error in {kind} for path: '{path}': {it}"))?;
            items.insert(index, value);
        }
        _ => {}
    }
    Ok(())
}

fn remove(document: &mut Value, path: &str, kind: &str) -> Result<Value, String> {
    let mut place = find(document, path, kind)?;
    let at = |it: String| format!("error in {kind} for path: '{path}': {it}");
    let index = place.index_or_key().map_err(at)?;
    match (place.container, index) {
        (Value::Array(items), Some(index)) => Ok(items.remove(index)),
        (Value::Object(object), _) => object
            .remove(&place.key)
            .ok_or_else(|| at(format!("Unable to remove nonexistent key: {}: missing value", place.key))),
        _ => Ok(Value::Null),
    }
}

fn replace(document: &mut Value, path: &str, value: Option<&Value>) -> Result<(), String> {
    if path.is_empty() {
        return match value {
            Some(value) if value.is_object() || value.is_array() => {
                *document = value.clone();
                Ok(())
            }
            _ => Err("replace operation value must be object or array".to_owned()),
        };
    }
    let mut place = find(document, path, "replace")?;
    let missing = |_| format!("replace operation does not apply: doc is missing key: {path}: missing value");
    let index = place.index_or_key().map_err(missing)?;
    let value = value.cloned().unwrap_or_default();
    match (place.container, index) {
        (Value::Array(items), Some(index)) => items[index] = value,
        // A key that is not there is set as well.
        (Value::Object(object), _) => {
            object.insert(place.key, value);
        }
        _ => {}
    }
    Ok(())
}

fn test(document: &mut Value, path: &str, value: &Value) -> Result<(), String> {
    let failed = || format!("testing value {path} failed: test failed");
    if path.is_empty() {
        return if document == value { Ok(()) } else { Err(failed()) };
    }
    let mut place = find(document, path, "test")?;
    let found = place.get().map_err(|it| format!("error in test for path: '{path}': {it}"))?;
    if found.unwrap_or(&Value::Null) == value { Ok(()) } else { Err(failed()) }
}
