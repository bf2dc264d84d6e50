//! Types, enums, lengths, patterns and formats of single values.
//!
//! Mirrors kube-openapi's `type.go`, `validator.go` and `formats.go`.

use super::Finding;
use super::Outcome;
use super::Path;
use super::Validator;
use super::What;
use super::formats;
use super::go;
use super::in_body;
use super::pattern::Refused;
use crate::schema::Schema;
use serde_json::Value;

/// The types that a schema allows.
#[derive(Clone, Copy)]
pub(super) struct Types<'s> {
    /// `type`.
    pub(super) ty: &'s str,
    /// Whether both integers and texts are allowed instead.
    pub(super) int_or_string: bool,
}

impl<'s> Types<'s> {
    pub(super) fn is_empty(self) -> bool {
        self.ty.is_empty() && !self.int_or_string
    }

    fn allow(self, ty: &str) -> bool {
        if self.int_or_string { matches!(ty, "integer" | "string") } else { self.ty == ty }
    }

    fn text(self) -> &'s str {
        if self.int_or_string { "integer,string" } else { self.ty }
    }
}

fn wrong_type(path: &Path<'_>, wanted: &str, got: &'static str, schema: &Schema) -> Finding {
    in_body(path, &format!("must be of type {wanted}: {}", go::quote(got)), What::Type(got), schema)
}

/// A null is checked for its type and against the enum, which it never satisfies; nothing else applies.
pub(super) fn null(types: Types<'_>, schema: &Schema, path: &Path<'_>, outcome: &mut Outcome) {
    if types.is_empty() || schema.nullable || types.allow("null") {
        outcome.matched += 1;
    } else {
        outcome.add(wrong_type(path, types.text(), "null", schema));
    }
    // No item equals it, however the items are read.
    enumeration(&Value::Null, schema, false, path, outcome);
}

pub(super) fn types(
    value: &Value,
    types: Types<'_>,
    schema: &Schema,
    format: &str,
    path: &Path<'_>,
    outcome: &mut Outcome,
) {
    let (ty, native) = match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) if number.is_f64() => ("number", "float64"),
        Value::Number(_) => ("integer", "int64"),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    };
    let whole_float =
        ty == "number" && value.as_f64().is_some_and(go::is_json_integer) && types.allow("integer");
    let fits = types.allow(ty) || whole_float || (ty == "integer" && types.allow("number"));
    let text_or_list = matches!(value, Value::String(_) | Value::Array(_));
    if !text_or_list && !format.is_empty() && !fits && native != format {
        outcome.add(wrong_type(path, format, native, schema));
        return;
    }
    let numeric = types.allow("number") || types.allow("integer");
    // With a format even a list passes for a string.
    if fits || (!numeric && !format.is_empty() && text_or_list) {
        outcome.matched += 1;
        return;
    }
    outcome.add(wrong_type(path, types.text(), ty, schema));
}

/// A value is converted to the Go type of each enum item before it is compared.
///
/// `literal`: the items are as they are written, not as the stored CRD has them.
pub(super) fn enumeration(
    value: &Value,
    schema: &Schema,
    literal: bool,
    path: &Path<'_>,
    outcome: &mut Outcome,
) {
    let items = &schema.enumeration;
    if items.is_empty() || items.iter().any(|it| equals_converted(value, it, literal)) {
        return;
    }
    let supported: Vec<String> = schema.enumeration.iter().map(shown).collect();
    let text = format!("should be one of [{}]", supported.join(" "));
    outcome.add(in_body(path, &text, What::Enum(value.clone(), supported), schema));
}

fn shown(item: &Value) -> String {
    let mut item = item.clone();
    go::reencode(&mut item);
    match item {
        Value::String(text) => text,
        other => go::to_html_json(&other),
    }
}

fn equals_converted(value: &Value, item: &Value, literal: bool) -> bool {
    match (value, item) {
        (_, Value::Null) => false,
        (Value::Number(number), Value::Number(item)) => {
            let item = if literal { go::decoded(item) } else { go::canonical(item) };
            match (number.as_f64(), item.as_i64()) {
                // Floats are truncated, integers widened, to what the item is.
                (Some(float), Some(item)) if number.is_f64() => go::int64(float) == item,
                (_, Some(item)) => number.as_i64() == Some(item),
                (Some(float), None) => item.as_f64() == Some(float),
                (None, None) => false,
            }
        }
        // An integer converts to the character with that number.
        (Value::Number(number), Value::String(item)) if !number.is_f64() => {
            let code = number.as_i64().and_then(|it| u32::try_from(it).ok());
            let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            item.chars().eq([c])
        }
        _ => go::same(value, item),
    }
}

impl Validator<'_> {
    /// The first of length and pattern that fails.
    pub(super) fn string(&self, text: &str, schema: &Schema, path: &Path<'_>, outcome: &mut Outcome) {
        if schema.max_length.is_some() || schema.min_length.is_some() {
            let length = text.chars().count() as i64;
            if let Some(max) = schema.max_length.filter(|it| length > *it) {
                let detail = format!("should be at most {max} chars long");
                outcome.add(in_body(path, &detail, What::TooLong(max), schema));
                return;
            }
            if let Some(min) = schema.min_length.filter(|it| length < *it) {
                let detail = format!("should be at least {min} chars long");
                outcome.add(in_body(path, &detail, What::Invalid(Value::from(text)), schema));
                return;
            }
        }
        if schema.pattern.is_empty() {
            return;
        }
        let failed = match self.patterns.is_match(&schema.pattern, text) {
            Ok(true) => return,
            Ok(false) => schema.pattern.clone(),
            Err(Refused::Unsupported(why) | Refused::Unknown(why)) => {
                self.unknown.borrow_mut().push(why);
                return;
            }
            Err(Refused::Invalid(why)) => {
                format!("{}, but pattern is invalid: error parsing regexp: {why}", schema.pattern)
            }
        };
        let what = What::Invalid(Value::from(text));
        outcome.add(in_body(path, &format!("should match '{failed}'"), what, schema));
    }
}

pub(super) fn format(text: &str, schema: &Schema, format: &str, path: &Path<'_>, outcome: &mut Outcome) {
    if !formats::is_valid(format, text) {
        let name = path.text();
        let message = format!("{name} in body must be of type {format}: {}", go::quote(text));
        outcome.add(Finding {
            message,
            name: Some(name),
            what: What::TypeOf(text.to_owned()),
            at: schema.at,
        });
    }
}
