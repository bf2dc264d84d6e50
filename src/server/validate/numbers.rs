//! Bounds, multiples and formats of numbers, with their quirks.
//!
//! Mirrors kube-openapi's `validator.go` (numberValidator) and `values.go`: integers compare with truncated bounds.

use super::Finding;
use super::Outcome;
use super::Path;
use super::What;
use super::go;
use super::in_body;
use super::plain;
use super::scalars::Types;
use crate::schema::Schema;
use serde_json::Number;
use serde_json::Value;

/// A number as Go holds it.
#[derive(Clone, Copy)]
enum Native {
    Int(i64),
    Float(f64),
}

impl Native {
    fn float(self) -> f64 {
        match self {
            Native::Int(whole) => whole as f64,
            Native::Float(float) => float,
        }
    }

    fn value(self) -> Value {
        match self {
            Native::Int(whole) => Value::from(whole),
            Native::Float(float) => Value::from(float),
        }
    }

    fn text(self) -> String {
        match self {
            Native::Int(whole) => whole.to_string(),
            Native::Float(float) => go::verb(float),
        }
    }
}

pub(super) fn check(
    number: &Number,
    types: Types<'_>,
    schema: &Schema,
    format: &str,
    path: &Path<'_>,
    outcome: &mut Outcome,
) {
    let value = match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) if !number.is_f64() => Native::Int(whole),
        (_, float) => Native::Float(float.unwrap_or_default()),
    };
    // The range of a format is checked only for the type that it belongs to.
    let (ty, format) = match (types.ty, format) {
        _ if types.int_or_string => ("", ""),
        ("integer", "int32" | "int64") | ("number", "float" | "double") => (types.ty, format),
        ("integer" | "number", _) => (types.ty, ""),
        _ => ("", ""),
    };
    let in_range = |value: Native, what: &str| range(value, ty, format, what, path, schema);
    outcome.matched += 1;
    in_range(value, "Checked").into_iter().for_each(|it| outcome.add(it));
    if let Some(factor) = schema.multiple_of {
        let bad = in_range(Native::Float(factor), "MultipleOf");
        let native = if bad.is_none() { value } else { Native::Float(value.float()) };
        bad.into_iter().for_each(|it| outcome.add(it));
        multiple(native, factor, path, schema).into_iter().for_each(|it| outcome.add(it));
    }
    let minimum = schema.minimum.map(|it| (it, "Minimum boundary", false, schema.exclusive_minimum));
    let maximum = schema.maximum.map(|it| (it, "Maximum boundary", true, schema.exclusive_maximum));
    for (bound, what, upper, exclusive) in minimum.into_iter().chain(maximum) {
        let bad = in_range(Native::Float(bound), what);
        let native = if bad.is_none() { value } else { Native::Float(value.float()) };
        bad.into_iter().for_each(|it| outcome.add(it));
        bounded(native, bound, upper, exclusive, path, schema).into_iter().for_each(|it| outcome.add(it));
    }
}

/// Whether a value, or a keyword's value, fits the type and format of the schema.
fn range(
    value: Native,
    ty: &str,
    format: &str,
    what: &str,
    path: &Path<'_>,
    schema: &Schema,
) -> Option<Finding> {
    let fits = match (ty, value) {
        ("integer", _) => {
            let text = match value {
                Native::Int(whole) => whole.to_string(),
                Native::Float(float) => go::plain(float),
            };
            if format == "int32" { text.parse::<i32>().is_ok() } else { text.parse::<i64>().is_ok() }
        }
        // What rounds to infinity does not fit.
        _ if format == "float" => (value.float() as f32).is_finite(),
        _ => true,
    };
    let shown = match format {
        "" => "(default format)".to_owned(),
        _ => format!("with format {format}"),
    };
    (!fits).then(|| plain(format!("{what} value must be of type {ty} {shown} in {}", path.text()), schema))
}

fn multiple(value: Native, factor: f64, path: &Path<'_>, schema: &Schema) -> Option<Finding> {
    let (factor, is_multiple) = match value {
        Native::Int(whole) => {
            let factor = go::int64(factor);
            (Native::Int(factor), factor > 0 && whole % factor == 0)
        }
        Native::Float(float) => {
            let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
            (Native::Float(factor), go::is_json_integer(quotient))
        }
    };
    if factor.float() <= 0.0 {
        let name = path.text();
        let message = format!("factor MultipleOf declared for {name} must be positive: {}", factor.text());
        return Some(Finding {
            message,
            name: Some(name),
            what: What::Invalid(factor.value()),
            at: schema.at,
        });
    }
    let text = format!("should be a multiple of {}", factor.text());
    (!is_multiple).then(|| in_body(path, &text, What::Invalid(value.value()), schema))
}

fn bounded(
    value: Native,
    bound: f64,
    upper: bool,
    exclusive: bool,
    path: &Path<'_>,
    schema: &Schema,
) -> Option<Finding> {
    let (bound, order) = match value {
        Native::Int(whole) => {
            let bound = go::int64(bound);
            (Native::Int(bound), whole.partial_cmp(&bound))
        }
        Native::Float(float) => (Native::Float(bound), float.partial_cmp(&bound)),
    };
    let order = order?;
    let fails = if upper { order.is_gt() } else { order.is_lt() } || (exclusive && order.is_eq());
    let relation = match (upper, exclusive) {
        (true, false) => "less than or equal to",
        (true, true) => "less than",
        (false, false) => "greater than or equal to",
        (false, true) => "greater than",
    };
    let text = format!("should be {relation} {}", bound.text());
    fails.then(|| in_body(path, &text, What::Invalid(value.value()), schema))
}
