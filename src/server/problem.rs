//! An error of the API server about one field, with what its text and its causes are made of.
//!
//! Mirrors apimachinery/pkg/util/validation/field/errors.go and path.go.

use super::FieldError;
use super::go;
use crate::source::Span;
use serde_json::Value;

/// An error about one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Field, type and detail.
    pub error: FieldError,
    /// The offending value, where the server shows it.
    pub value: Value,
    /// The schema node that refuses; empty for what no schema decides.
    pub at: Span,
}

/// The value of an error that does not show it: the server leaves out objects, lists and long texts.
pub const OMITTED: &str = "<value omitted>";

/// The field of an error about the whole object.
pub const NO_FIELD: &str = "<nil>";

impl Problem {
    /// An error of any type.
    pub fn new(ty: &'static str, field: String, value: Value, detail: String) -> Self {
        Self { error: FieldError { field, ty, detail }, value, at: Span::default() }
    }

    /// `Invalid value`.
    pub fn invalid(field: String, value: Value, detail: &str) -> Self {
        Self::new("FieldValueInvalid", field, value, detail.to_owned())
    }

    /// `Required value`.
    pub fn required(field: String, detail: &str) -> Self {
        Self::new("FieldValueRequired", field, Value::from(""), detail.to_owned())
    }

    /// `Forbidden`.
    pub fn forbidden(field: String, detail: &str) -> Self {
        Self::new("FieldValueForbidden", field, Value::from(""), detail.to_owned())
    }

    /// `Duplicate value`.
    pub fn duplicate(field: String, value: Value) -> Self {
        Self::new("FieldValueDuplicate", field, value, String::new())
    }

    /// `Unsupported value`; the supported ones are quoted.
    pub fn not_supported(field: String, value: Value, supported: &[String]) -> Self {
        let quoted: Vec<String> = supported.iter().map(|it| go::quote(it)).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        Self::new("FieldValueNotSupported", field, value, detail)
    }

    /// `Too long`: more than `max` bytes, or characters, which the server calls bytes too.
    pub fn too_long(field: String, max: i64) -> Self {
        let detail = match max {
            1 => "may not be more than 1 byte".to_owned(),
            0.. => format!("may not be more than {max} bytes"),
            _ => "value is too long".to_owned(),
        };
        Self::new("FieldValueTooLong", field, Value::from(OMITTED), detail)
    }

    /// `Too many`: items or properties.
    pub fn too_many(field: String, actual: i64, max: i64) -> Self {
        let detail = match max {
            1 => "must have at most 1 item".to_owned(),
            0.. => format!("must have at most {max} items"),
            _ => "has too many items".to_owned(),
        };
        Self::new("FieldValueTooMany", field, Value::from(actual), detail)
    }

    /// The error without its field: `Invalid value: 5: must be …`.
    pub fn body(&self) -> String {
        let (name, shown) = match self.error.ty {
            // A cause without a type is its text.
            "" => return self.error.detail.clone(),
            "FieldValueRequired" => ("Required value", false),
            "FieldValueForbidden" => ("Forbidden", false),
            "FieldValueTooLong" => ("Too long", false),
            "InternalError" => ("Internal error", false),
            "FieldValueDuplicate" => ("Duplicate value", true),
            "FieldValueNotSupported" => ("Unsupported value", true),
            "FieldValueTooMany" => ("Too many", true),
            "FieldValueNotFound" => ("Not found", true),
            _ => ("Invalid value", true),
        };
        let mut text = name.to_owned();
        if shown && self.value != OMITTED {
            text.push_str(": ");
            text.push_str(&match &self.value {
                Value::String(text) => go::quote(text),
                Value::Number(_) => go::sprint(&self.value),
                other => go::to_html_json(other),
            });
        }
        if !self.error.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.error.detail);
        }
        text
    }

    /// The whole error: `status.x: Invalid value: 5: must be …`.
    pub fn text(&self) -> String {
        format!("{}: {}", self.error.field, self.body())
    }

    /// Whether the error keeps the server from evaluating CEL rules (`hasBlockingErr`).
    pub fn blocks_rules(&self) -> bool {
        matches!(
            self.error.ty,
            "FieldValueNotSupported"
                | "FieldValueRequired"
                | "FieldValueTooLong"
                | "FieldValueTooMany"
                | "FieldValueTypeInvalid"
        )
    }
}
