//! The paths of the scale subresource: what stands there has to be a number of replicas.
//!
//! Mirrors `ValidateScaleSpec` and `ValidateScaleStatus` of apiextensions-apiserver/pkg/registry/customresource/validator.go.

use super::convert::Object;
use super::go;
use super::problem::Problem;
use crate::crd::Scale;
use serde_json::Value;

/// Judges the replicas that are asked for.
pub(super) fn spec(object: &Object, scale: Option<&Scale>, problems: &mut Vec<Problem>) {
    if let Some(scale) = scale {
        replicas(object, &scale.spec_replicas_path, problems);
    }
}

/// Judges the replicas and the selector that are reported.
pub(super) fn status(object: &Object, scale: Option<&Scale>, problems: &mut Vec<Problem>) {
    let Some(scale) = scale else { return };
    replicas(object, &scale.status_replicas_path, problems);
    let Some(path) = &scale.label_selector_path else { return };
    match nested(object, path) {
        Ok(None | Some(Value::String(_))) => {}
        Ok(Some(other)) => {
            let error = mismatch(&keys(path), other, "string");
            problems.push(Problem::invalid(path.clone(), Value::from(""), &error));
        }
        Err(error) => problems.push(Problem::invalid(path.clone(), Value::from(""), &error)),
    }
}

fn replicas(object: &Object, path: &str, problems: &mut Vec<Problem>) {
    let whole = match nested(object, path) {
        Ok(None) => return,
        Ok(Some(Value::Number(number))) if !number.is_f64() => Ok(number.as_i64().unwrap_or_default()),
        Ok(Some(other)) => Err(mismatch(&keys(path), other, "int64")),
        Err(error) => Err(error),
    };
    let (shown, error) = match whole {
        Err(error) => (0, error),
        Ok(whole @ ..0) => (whole, "should be a non-negative integer".to_owned()),
        Ok(whole) if whole > i64::from(i32::MAX) => {
            (whole, format!("should be less than or equal to {}", i32::MAX))
        }
        Ok(_) => return,
    };
    problems.push(Problem::invalid(path.to_owned(), Value::from(shown), &error));
}

fn keys(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

fn nested<'o>(object: &'o Object, path: &str) -> Result<Option<&'o Value>, String> {
    let keys = keys(path);
    let Some(mut value) = object.get(keys[0]) else { return Ok(None) };
    for (at, key) in keys.iter().enumerate().skip(1) {
        value = match value {
            Value::Null => return Ok(None),
            Value::Object(object) => match object.get(*key) {
                Some(value) => value,
                None => return Ok(None),
            },
            other => return Err(mismatch(&keys[..=at], other, "map[string]interface{}")),
        };
    }
    Ok(Some(value))
}

fn mismatch(keys: &[&str], value: &Value, wanted: &str) -> String {
    let (shown, ty) = (go::sprint(value), go::type_name(value));
    format!(".{} accessor error: {shown} is of the type {ty}, expected {wanted}", keys.join("."))
}
