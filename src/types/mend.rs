//! Mends what schemars makes of some Rust types and the API server refuses, empties or warns about.
//!
//! Works on a structural schema, after kube's own transforms. Knows no Kopf: what Kopf needs is opened in
//! `open`.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::types::open::PRESERVE;

/// One trap, and how it is mended.
pub struct Mend {
    /// What the trap is called.
    pub name: &'static str,
    /// What the user wrote, what the API server would do with it, and what is written instead.
    pub about: &'static str,
    apply: fn(&mut Map<String, Value>, Place),
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Reached through `properties`, `items` and `additionalProperties`: here pruning is decided.
    Spine,
    /// Below `allOf`, `anyOf`, `oneOf` or `not`: here types and extensions are forbidden.
    Junctor,
}

/// All mends, in the order in which they are made.
pub const ALL: &[Mend] = &[
    Mend {
        name: "open-map",
        about: "`Map<String, Value>` becomes `additionalProperties: true`, which keeps the keys and empties every object \
                below them; `x-kubernetes-preserve-unknown-fields: true` keeps both",
        apply: open_map,
    },
    Mend {
        name: "untyped",
        about: "`Option<Value>` and enums of different types become a schema without a type, which makes the API server \
                refuse the CRD; the type is written where it is clear, and \
                `x-kubernetes-preserve-unknown-fields: true` where anything may stand",
        apply: untyped,
    },
    Mend {
        name: "integer-format",
        about: "`u8` to `u64` and `i8`, `i16` become formats such as `uint32`, which the API server ignores with a warning \
                since Kubernetes 1.34; the bounds that the type has are written, with a format that is known",
        apply: integer_format,
    },
];

/// Mends a schema at every level.
pub fn mend(schema: &mut Value) {
    walk(schema, Place::Spine);
}

fn walk(schema: &mut Value, place: Place) {
    let Value::Object(node) = schema else { return };
    for it in ALL {
        (it.apply)(node, place);
    }
    for (keyword, value) in node.iter_mut() {
        match keyword.as_str() {
            "properties" => {
                value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(|it| walk(it, place))
            }
            "items" | "additionalProperties" => walk(value, place),
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array_mut().into_iter().flatten().for_each(|it| walk(it, Place::Junctor));
            }
            "not" => walk(value, Place::Junctor),
            _ => {}
        }
    }
}

fn open_map(node: &mut Map<String, Value>, place: Place) {
    if place == Place::Spine && node.get("additionalProperties") == Some(&Value::Bool(true)) {
        node.remove("additionalProperties");
        node.insert(PRESERVE.to_owned(), true.into());
    }
}

fn untyped(node: &mut Map<String, Value>, place: Place) {
    let on = |key: &str| node.get(key) == Some(&Value::Bool(true));
    if place == Place::Junctor
        || node.contains_key("type")
        || on(PRESERVE)
        || on("x-kubernetes-int-or-string")
    {
        return;
    }
    if node.contains_key("properties") || node.contains_key("additionalProperties") {
        node.insert("type".to_owned(), "object".into());
    } else if node.contains_key("items") {
        node.insert("type".to_owned(), "array".into());
    } else if let Some(ty) = node.get("enum").and_then(type_of_all) {
        node.insert("type".to_owned(), ty.into());
    } else {
        node.insert(PRESERVE.to_owned(), true.into());
    }
}

/// The JSON type that all values but null have.
fn type_of_all(values: &Value) -> Option<&'static str> {
    let mut types = values.as_array()?.iter().filter(|it| !it.is_null()).map(|it| match it {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(it) if it.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        _ => None,
    });
    let first = types.next()??;
    types.all(|it| it == Some(first)).then_some(first)
}

/// Name, lowest value, highest value, known format.
type Integer = (&'static str, Option<i64>, Option<i64>, Option<&'static str>);

/// What schemars calls the integers of Rust: name, bounds, and the format that the API server knows for it.
/// Whole numbers of objects are `int64` in the API server, so 64 bits without a sign have no upper bound of their own.
const INTEGERS: [Integer; 10] = [
    ("uint8", Some(0), Some(u8::MAX as i64), Some("int32")),
    ("uint16", Some(0), Some(u16::MAX as i64), Some("int32")),
    ("uint32", Some(0), Some(u32::MAX as i64), Some("int64")),
    ("uint64", Some(0), None, Some("int64")),
    ("uint", Some(0), None, Some("int64")),
    ("uint128", Some(0), None, None),
    ("int8", Some(i8::MIN as i64), Some(i8::MAX as i64), Some("int32")),
    ("int16", Some(i16::MIN as i64), Some(i16::MAX as i64), Some("int32")),
    ("int", None, None, Some("int64")),
    ("int128", None, None, None),
];

fn integer_format(node: &mut Map<String, Value>, _: Place) {
    let Some(format) = node.get("format").and_then(Value::as_str) else { return };
    let Some(&(_, minimum, maximum, known)) = INTEGERS.iter().find(|it| it.0 == format) else { return };
    match known {
        Some(known) => node.insert("format".to_owned(), known.into()),
        None => node.remove("format"),
    };
    // A bound that the user set is the tighter one, or it would not compile into the type.
    if let Some(minimum) = minimum {
        node.entry("minimum").or_insert(json!(minimum));
    }
    if let Some(maximum) = maximum {
        node.entry("maximum").or_insert(json!(maximum));
    }
}
