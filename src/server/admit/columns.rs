//! Printer columns, selectable fields and the scale subresource: paths into objects.
//!
//! Mirrors `ValidateCustomResourceColumnDefinition`, `ValidateCustomResourceSelectableFields`,
//! `ValidateCustomResourceDefinitionSubresources`, and `ValidFieldPath` of apiserver/schema/cel/validation.go.

use super::Refusal;
use super::options::Options;
use super::spec::Scope;
use super::view::Part;
use crate::crd::Api;
use crate::crd::Column;
use crate::crd::Crd;
use crate::crd::Scale;
use crate::schema::Schema;
use crate::server::place::Place;
use crate::server::structural;
use std::borrow::Cow;
use std::collections::HashSet;

const NO_FIELD: &str = "does not refer to a valid field";

/// How many selectable fields a version may have.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn validate(crd: &Crd, part: &Part, scope: &Scope, options: &Options, out: &mut Vec<Refusal>) {
    for (index, column) in part.columns.iter().enumerate() {
        let entry = format!("additionalPrinterColumns[{index}]");
        let (field, source) = (format!("{}.{entry}", scope.field), format!("{}.{entry}", scope.source));
        printer_column(crd, column, &Place::root(&field), &source, out);
    }
    if let Some(scale) = part.subresources.and_then(|it| it.scale) {
        let (field, source) =
            (format!("{}.subresources", scope.field), format!("{}.subresources.scale", scope.source));
        paths_of_scale(crd, scale, &Place::root(&field), &source, out);
    }
    if !part.selectable_fields.is_empty() {
        selectable_fields(crd, part, scope, options, out);
    }
}

fn printer_column(crd: &Crd, column: &Column, place: &Place, source: &str, out: &mut Vec<Refusal>) {
    let at = |name: &str| crd.place(&format!("{source}.{name}"));
    if column.name.is_empty() {
        out.push(Refusal::required(&place.child("name"), "", at("name")));
    }
    let types = format!("must be one of {}", TYPES.join(","));
    if column.ty.is_empty() {
        out.push(Refusal::required(&place.child("type"), &types, at("type")));
    } else if !TYPES.contains(&column.ty.as_str()) {
        out.push(Refusal::invalid(&place.child("type"), &types, at("type")));
    }
    if !column.format.is_empty() && !FORMATS.contains(&column.format.as_str()) {
        let words = format!("must be one of {}", FORMATS.join(","));
        out.push(Refusal::invalid(&place.child("format"), &words, at("format")));
    }
    let path = if crd.api == Api::V1 { "jsonPath" } else { "JSONPath" };
    if column.json_path.is_empty() {
        out.push(Refusal::required(&place.child("JSONPath"), "", at(path)));
    } else if !column.json_path.starts_with('.') {
        let words = "must be a simple json path starting with .";
        out.push(Refusal::invalid(&place.child("JSONPath"), words, at(path)));
    }
}

fn paths_of_scale(crd: &Crd, scale: &Scale, place: &Place, source: &str, out: &mut Vec<Refusal>) {
    let label = scale.label_selector_path.as_deref().unwrap_or_default();
    let paths: [(&str, &str, &[&str], &str); 3] = [
        ("specReplicasPath", &scale.spec_replicas_path, &[".spec."], "should be a json path under .spec"),
        (
            "statusReplicasPath",
            &scale.status_replicas_path,
            &[".status."],
            "should be a json path under .status",
        ),
        (
            "labelSelectorPath",
            label,
            &[".spec.", ".status."],
            "should be a json path under either .spec or .status",
        ),
    ];
    for (name, path, prefixes, words) in paths {
        let field = format!("scale.{name}");
        let (place, at) = (place.child(&field), crd.place(&format!("{source}.{name}")));
        if path.is_empty() {
            if name != "labelSelectorPath" {
                out.push(Refusal::required(&place, "", at));
            }
        } else if !path.starts_with('.') {
            out.push(Refusal::invalid(&place, "must be a simple json path starting with .", at));
        } else if !prefixes.iter().any(|it| path.starts_with(it)) {
            out.push(Refusal::invalid(&place, words, at));
        }
    }
}

fn selectable_fields(crd: &Crd, part: &Part, scope: &Scope, options: &Options, out: &mut Vec<Refusal>) {
    let (field, source) =
        (format!("{}.selectableFields", scope.field), format!("{}.selectableFields", scope.source));
    let place = Place::root(&field);
    let at = crd.place(&source);
    let mut schema = part.validation.flatten();
    let (missing, words) = match scope.top {
        true => (part.validation.is_none(), "may only be set when validations.schema is included"),
        false => (schema.is_none(), "may only be set when `version.schema.openAPIV3Schema` is not included"),
    };
    if missing {
        return out.push(Refusal::invalid(&place, words, at));
    }
    if let Some((words, at)) = schema.and_then(structural::unconvertible) {
        let field = format!("{}.schema.openAPIV3Schema", scope.field);
        out.push(Refusal::invalid(&Place::root(&field), &words, at));
        schema = None;
    }
    let mut seen: HashSet<String> = HashSet::new();
    for (index, path) in part.selectable_fields.iter().enumerate() {
        let at = crd.place(&format!("{source}[{index}].jsonPath"));
        let (entry, mut refuse) = (place.index(index), |it| out.push(it));
        let place = entry.child("jsonPath");
        if path.is_empty() {
            refuse(Refusal::required(&place, "", at));
            continue;
        }
        let (keys, found) = match field_path(path, schema, false) {
            Ok(found) => found,
            // The server fails where it looks into a schema that it does not have.
            Err(error) if schema.is_none() && error == NO_FIELD => continue,
            Err(error) => {
                refuse(Refusal::invalid(&place, &format!("is an invalid path: {error}"), at));
                continue;
            }
        };
        if keys.split('.').next() == Some("metadata") {
            refuse(Refusal::invalid(&place, "must not point to fields in metadata", at));
        }
        if !found.is_some_and(|it| matches!(&*it.ty, "string" | "boolean" | "integer")) {
            let words = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
            refuse(Refusal::invalid(&place, words, at));
        }
        if !seen.insert(keys) {
            refuse(Refusal::new("FieldValueDuplicate", &place, "", at));
        }
    }
    if seen.len() > MAX_SELECTABLE_FIELDS
        && !options.many_selectable_fields.contains(if scope.top { "" } else { scope.version })
    {
        let words = format!("must have at most {MAX_SELECTABLE_FIELDS} items");
        out.push(Refusal::new("FieldValueTooMany", &place, &words, at));
    }
}

/// Follows a path such as `.spec.a['b.c']` through what a schema declares: the path as the server writes it and the
/// node it leads to, which is none below `additionalProperties: true`.
pub(super) fn field_path<'s>(
    path: &str,
    schema: Option<&'s Schema>,
    brackets: bool,
) -> Result<(String, Option<&'s Schema>), Cow<'static, str>> {
    let mut tokens = tokens(path).into_iter();
    let (mut keys, mut node) = (String::new(), schema);
    while let Some(token) = tokens.next() {
        let bracket = match token {
            "." => false,
            "[" if brackets => true,
            "[" => return Err("array notation is not allowed".into()),
            other => return Err(format!("expected [ or . but got: {other}").into()),
        };
        let name = tokens.next().ok_or("unexpected end of JSON path")?;
        let quoted = name.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        let name = match (bracket, quoted) {
            (true, None) => return Err(format!("expected single quoted string but got {name}").into()),
            (true, Some(quoted)) => quoted.replace("\\'", "'"),
            (false, _) => name.to_owned(),
        };
        let here = node.ok_or(NO_FIELD)?;
        if !here.properties.is_empty() {
            node = Some(here.property(&name).ok_or(NO_FIELD)?);
            if !keys.is_empty() {
                keys.push('.');
            }
            keys.push_str(&name);
        } else if here.additional_properties.is_some() {
            node = here.additional();
            keys.push_str(&format!("[{name}]"));
        } else {
            return Err(NO_FIELD.into());
        }
        if bracket {
            match tokens.next() {
                None => return Err("unexpected end of JSON path".into()),
                Some("]") => {}
                Some(other) => return Err(format!("expected ] but got {other}").into()),
            }
        }
    }
    Ok((keys, node))
}

/// The delimiters `.`, `[`, `]`, and the texts between them; inside quotes nothing delimits.
fn tokens(path: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let end = match rest.as_bytes()[0] {
            b'.' | b'[' | b']' => 1,
            b'\'' => {
                let bytes = rest.as_bytes();
                let close = (1..bytes.len()).find(|at| bytes[*at] == b'\'' && bytes[at - 1] != b'\\');
                close.map_or(rest.len(), |it| it + 1)
            }
            _ => rest.find(['.', '[', ']']).unwrap_or(rest.len()),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}
