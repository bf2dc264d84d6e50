//! Opens in a schema the places that a contract writes, and removes what would refuse Kopf's first write.
//!
//! Works on the JSON of a structural schema. Whether all is kept in the end is for the [judge](crate::verdict) to say.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::kopf::Kind;
use crate::kopf::Slot;
use crate::path::Path;

/// The extension that keeps what a schema does not declare.
pub(crate) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// A place, and what stands there if nothing does yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// The place.
    pub(crate) path: Path,
    /// The schema for a place that is not declared.
    pub(crate) schema: Value,
}

/// A mapping of anything: the narrow form of `status.kopf`.
pub(crate) fn stanza() -> Value {
    json!({ "type": "object", PRESERVE: true })
}

/// Any value at all.
pub(crate) fn anything() -> Value {
    json!({ PRESERVE: true })
}

/// Any value of a JSON type.
pub(crate) fn of_type(ty: &str) -> Value {
    match ty {
        "object" => stanza(),
        "array" => json!({ "type": "array", "items": anything() }),
        _ => json!({ "type": ty }),
    }
}

/// The places to open for these slots. Several keys of one parent that is Kopf's own open the parent once.
pub(crate) fn marks(slots: &[Slot]) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    // No schema decides about metadata, and the results of nameless handlers have no place to open but the whole status.
    let placed = |it: &&Slot| it.path.0.first().is_some_and(|it| it != "metadata") && it.name != "result:*";
    let slots: Vec<&Slot> = slots.iter().filter(placed).collect();
    for slot in &slots {
        if matches!(slot.kind, Kind::Touch | Kind::Diffbase) {
            let parent = parent(&slot.path).map(|path| Mark { path, schema: stanza() });
            push(
                &mut found,
                parent.unwrap_or_else(|| Mark { path: slot.path.clone(), schema: of_type("string") }),
            );
        }
    }
    for slot in slots {
        match slot.kind {
            Kind::Touch | Kind::Diffbase => {}
            Kind::Progress | Kind::Peering => {
                push(&mut found, Mark { path: slot.path.clone(), schema: stanza() })
            }
            Kind::Result | Kind::Field => {
                push(&mut found, Mark { path: slot.path.clone(), schema: schema_of(slot) })
            }
        }
    }
    found
}

/// The schema that takes every sample of a slot.
fn schema_of(slot: &Slot) -> Value {
    let values = slot.samples.iter().filter_map(|it| it.patch.pointer(&slot.path.pointer()));
    let mut types: Vec<&str> = values.filter(|it| !it.is_null()).map(type_of).collect();
    types.dedup();
    match types[..] {
        [ty] => of_type(ty),
        _ => anything(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(it) if it.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn push(found: &mut Vec<Mark>, mark: Mark) {
    if !found.iter().any(|it| mark.path.is_under(&it.path) && it.schema.get(PRESERVE).is_some()) {
        found.push(mark);
    }
}

/// The mapping around a place, if it is Kopf's own and not the object's status or spec.
fn parent(path: &Path) -> Option<Path> {
    let keys = &path.0[..path.0.len() - 1];
    let whole = matches!(keys, [] | [_]) && keys.first().is_none_or(|it| it == "status" || it == "spec");
    (!whole).then(|| Path(keys.to_vec()))
}

/// Opens the whole status.
pub(crate) fn open_status(schema: &mut Value) {
    let Value::Object(root) = schema else { return };
    forget_required(root, "status");
    if let Some(status) =
        properties(root).and_then(|it| declare(it, "status", || json!({ "type": "object" })))
    {
        status.insert(PRESERVE.to_owned(), true.into());
        relax(status);
    }
}

/// Makes a key of a status keep what it is given, in the schema of the status itself.
pub(crate) fn open_in_status(schema: &mut Value, key: &str) {
    let Value::Object(status) = schema else { return };
    relax(status);
    open_below(status, &[key.to_owned()], &stanza());
}

/// Makes a place keep what it is given. A place on the way that is declared as something else than a mapping stays
/// as it is.
pub(crate) fn open(schema: &mut Value, mark: &Mark) {
    let (Value::Object(root), Some(first)) = (schema, mark.path.0.first()) else { return };
    // Kopf may write before anybody wrote the rest; but an object has its spec before Kopf sees it.
    if first != "spec" {
        forget_required(root, first);
    }
    open_below(root, &mark.path.0, &mark.schema);
}

fn open_below(node: &mut Map<String, Value>, keys: &[String], schema: &Value) {
    let Some((key, rest)) = keys.split_first() else { return };
    let declared = node.get("properties").is_some_and(|it| it.get(key).is_some());
    if !declared {
        match node.get_mut("additionalProperties") {
            Some(Value::Object(values)) if values.get("type").is_none_or(|it| it == "object") => {
                // The schema of all values is the schema of this key too.
                return if rest.is_empty() { open_all(values) } else { step(values, key, rest, schema) };
            }
            // A scalar schema for all values has no room for Kopf's mapping, and the API server allows no exception by name.
            Some(Value::Object(_)) => {
                node.remove("additionalProperties");
                node.insert(PRESERVE.to_owned(), true.into());
            }
            _ => {}
        }
        if node.get(PRESERVE) == Some(&Value::Bool(true)) {
            return;
        }
    }
    let Some(properties) = properties(node) else { return };
    if rest.is_empty() && !declared {
        properties.insert(key.clone(), schema.clone());
        return;
    }
    let Some(child) = declare(properties, key, || json!({ "type": "object" })) else { return };
    if !rest.is_empty() {
        step(child, key, rest, schema);
    } else if schema.get(PRESERVE) == Some(&Value::Bool(true)) {
        open_all(child);
    }
}

fn step(child: &mut Map<String, Value>, key: &str, rest: &[String], schema: &Value) {
    // The spec is the user's, and complete before Kopf sees it; all else may begin with Kopf's write.
    if key != "spec" {
        relax(child);
    }
    open_below(child, rest, schema);
}

fn declare<'a>(
    properties: &'a mut Map<String, Value>,
    key: &str,
    schema: impl FnOnce() -> Value,
) -> Option<&'a mut Map<String, Value>> {
    properties.entry(key).or_insert_with(schema).as_object_mut()
}

/// The properties of a mapping; none where the node is none.
fn properties(node: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    if node.get("type").is_some_and(|it| it != "object") {
        return None;
    }
    if !node.contains_key(PRESERVE) {
        node.insert("type".to_owned(), "object".into());
    }
    // Beside properties, the API server forbids `false`, and `true` switches pruning on again.
    if node.get("additionalProperties").is_some_and(Value::is_boolean) {
        node.remove("additionalProperties");
    }
    node.entry("properties").or_insert_with(|| json!({})).as_object_mut()
}

/// Opens a declared node and every mapping below: a declared child of an open node is pruned by its own schema.
fn open_all(node: &mut Map<String, Value>) {
    let mapping = node.get("type").is_none_or(|it| it == "object");
    if mapping {
        relax(node);
        if node.get("additionalProperties").is_none_or(Value::is_boolean) {
            node.remove("additionalProperties");
            node.insert(PRESERVE.to_owned(), true.into());
        }
    }
    for keyword in ["properties", "items", "additionalProperties"] {
        match node.get_mut(keyword) {
            Some(Value::Object(children)) if keyword == "properties" => {
                children.values_mut().filter_map(Value::as_object_mut).for_each(open_all);
            }
            Some(Value::Object(child)) => open_all(child),
            _ => {}
        }
    }
}

/// Removes what refuses a mapping that holds only what Kopf wrote, or fills in what Kopf removed.
fn relax(node: &mut Map<String, Value>) {
    for keyword in
        ["required", "default", "minProperties", "maxProperties", "oneOf", "anyOf", "allOf", "not", "enum"]
    {
        node.remove(keyword);
    }
}

fn forget_required(root: &mut Map<String, Value>, key: &str) {
    let Some(Value::Array(required)) = root.get_mut("required") else { return };
    required.retain(|it| it != key);
    if required.is_empty() {
        root.remove("required");
    }
}
