//! Whether a schema is structural: without that, no CRD is accepted.
//!
//! Mirrors apiextensions-apiserver/pkg/apiserver/schema/{convert,validation,complete}.go.

use super::admit::MAX_REFUSALS;
use super::admit::Refusal;
use super::place::Place;
use super::validate::pattern;
use super::validate::pattern::Refused;
use crate::schema::Additional;
use crate::schema::Items;
use crate::schema::Keywords;
use crate::schema::Schema;
use crate::source::Span;
use std::collections::HashMap;

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What keeps a schema from having a structure at all (`NewStructural`): the server's words, and where.
pub(super) fn unconvertible(schema: &Schema) -> Option<(String, Span)> {
    // Only these are ever refused below.
    const SUSPECTS: Keywords = Keywords::LIST_OF_ITEMS.or(Keywords::of(&[
        "id",
        "$schema",
        "$ref",
        "patternProperties",
        "dependencies",
        "additionalItems",
        "definitions",
        "x-kubernetes-preserve-unknown-fields",
    ]));
    if !schema.within.meets(SUSPECTS) {
        return None;
    }
    unsupported(schema)
        .or_else(|| junctors(schema).find_map(unconvertible))
        .or_else(|| preserve_false(schema))
        .or_else(|| match &schema.items {
            Some(Items::List(items)) if !items.is_empty() => {
                let words = "OpenAPIV3Schema 'items' must be a schema, but is an array";
                Some((words.to_owned(), schema.span("items")))
            }
            _ => schema.item().and_then(unconvertible),
        })
        .or_else(|| schema.properties.iter().find_map(|(_, it)| unconvertible(it)))
        .or_else(|| schema.additional().and_then(unconvertible))
}

/// Every schema under a logic junctor of a node.
pub(super) fn junctors(schema: &Schema) -> impl Iterator<Item = &Schema> {
    let lists = schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of);
    schema.not.as_deref().into_iter().chain(lists)
}

fn unsupported(schema: &Schema) -> Option<(String, Span)> {
    let reference = schema.reference.as_deref().unwrap_or_default();
    let refused = [
        (!schema.id.is_empty(), "id", "id"),
        (!schema.schema.is_empty(), "schema", "$schema"),
        (!reference.is_empty(), "$ref", "$ref"),
        (!schema.pattern_properties.is_empty(), "patternProperties", "patternProperties"),
        (schema.dependencies.as_ref().is_some_and(|it| !it.is_empty()), "dependencies", "dependencies"),
        (schema.additional_items.is_some(), "additionalItems", "additionalItems"),
        (!schema.definitions.is_empty(), "definitions", "definitions"),
    ];
    let first = refused.into_iter().find(|it| it.0);
    first.map(|(_, words, name)| (format!("OpenAPIV3Schema '{words}' is not supported"), schema.span(name)))
}

fn preserve_false(schema: &Schema) -> Option<(String, Span)> {
    const NAME: &str = "x-kubernetes-preserve-unknown-fields";
    (schema.preserve == Some(false))
        .then(|| (format!("internal error: '{NAME}' must be true or undefined"), schema.span(NAME)))
}

/// What keeps a converted schema from being structural (`ValidateStructural`).
pub(super) fn violations(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    invariants(schema, Level::Root, place, out);
    complete_junctors(schema, Some(schema), place, place, out);
}

/// Whether a schema can be converted and violates nothing.
pub(super) fn is_structural(schema: &Schema) -> bool {
    let mut out = Vec::new();
    violations(schema, &Place::root(""), &mut out);
    unconvertible(schema).is_none() && out.is_empty()
}

fn invariants(schema: &Schema, level: Level, place: &Place, out: &mut Vec<Refusal>) {
    if out.len() >= MAX_REFUSALS {
        return;
    }
    let item = schema.item();
    if schema.ty == "array" && item.is_none() {
        out.push(Refusal::required(&place.child("items"), "must be specified", schema.span("items")));
    }
    if let Some(item) = item {
        invariants(item, Level::Item, &place.child("items"), out);
    }
    let properties = place.child("properties");
    for (name, property) in &schema.properties {
        invariants(property, Level::Field, &properties.key(name), out);
    }
    if schema.additional_properties.is_some() {
        let (place, at) = (place.child("additionalProperties"), schema.span("additionalProperties"));
        if level == Level::Root {
            out.push(Refusal::forbidden(&place, "must not be used at the root", at));
        }
        if let Some(additional) = schema.additional() {
            invariants(additional, Level::Field, &place, out);
        }
    }
    extensions(schema, place, out);
    let skip = Skip { any_of: is_int_or_string(&schema.any_of), all_of_any_of: starts_int_or_string(schema) };
    value_validation(schema, skip, place, out);
    types(schema, level, place, out);
    meta(schema, level, place, out);
}

fn extensions(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    let words = "must be false if x-kubernetes-int-or-string is true";
    if schema.int_or_string && schema.preserves() {
        let name = "x-kubernetes-preserve-unknown-fields";
        out.push(Refusal::invalid(&place.child(name), words, schema.span(name)));
    }
    if schema.int_or_string && schema.embedded {
        let name = "x-kubernetes-embedded-resource";
        out.push(Refusal::invalid(&place.child(name), words, schema.span(name)));
    }
}

fn types(schema: &Schema, level: Level, place: &Place, out: &mut Vec<Refusal>) {
    let ty = place.child("type");
    let at = || schema.span("type");
    if schema.embedded && schema.ty != "object" {
        let words = "must be object if x-kubernetes-embedded-resource is true";
        out.push(match schema.ty.is_empty() {
            true => Refusal::required(&ty, words, at()),
            false => Refusal::invalid(&ty, words, at()),
        });
    } else if schema.ty.is_empty() && !schema.int_or_string && !schema.preserves() {
        let words = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        out.push(Refusal::required(&ty, words, at()));
    }
    if schema.embedded && schema.additional_properties.is_some() {
        let words = "must not be used if x-kubernetes-embedded-resource is set";
        let at = schema.span("additionalProperties");
        out.push(Refusal::forbidden(&place.child("additionalProperties"), words, at));
    }
    if level == Level::Root && !schema.ty.is_empty() && schema.ty != "object" {
        out.push(Refusal::invalid(&ty, "must be object at the root", at()));
    }
}

/// What `apiVersion`, `kind` and `metadata` of a resource may be.
fn meta(schema: &Schema, level: Level, place: &Place, out: &mut Vec<Refusal>) {
    if level != Level::Root && !schema.embedded {
        return;
    }
    let properties = place.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(it) = schema.property(name).filter(|it| it.ty != "string") {
            out.push(Refusal::invalid(
                &properties.key(name).child("type"),
                "must be string",
                it.span("type"),
            ));
        }
    }
    if let Some(metadata) = schema.property("metadata") {
        let place = properties.key("metadata");
        if metadata.ty != "object" {
            out.push(Refusal::invalid(&place.child("type"), "must be object", metadata.span("type")));
        }
        if level == Level::Root && says_more_than_names(metadata) {
            let words = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            out.push(Refusal::forbidden(&place, words, metadata.introduced()));
        }
    }
    if schema.embedded && !schema.preserves() && schema.properties.is_empty() {
        let words = "must not be empty if x-kubernetes-embedded-resource is true \
                     without x-kubernetes-preserve-unknown-fields";
        out.push(Refusal::required(&properties, words, schema.introduced()));
    }
}

/// Whether root metadata is anything but a type, a default and restrictions of the two names.
fn says_more_than_names(metadata: &Schema) -> bool {
    let names = metadata.properties.iter().all(|it| matches!(&*it.0, "name" | "generateName"));
    let generic = metadata.description.is_some()
        || !metadata.title.is_empty()
        || metadata.nullable
        || metadata.external_docs.is_some()
        || metadata.example.is_some();
    !names
        || generic
        || metadata.item().is_some()
        || metadata.additional_properties.is_some()
        || has_extensions(metadata)
        || has_value_validation(metadata)
}

fn has_extensions(schema: &Schema) -> bool {
    schema.preserves()
        || schema.embedded
        || schema.int_or_string
        || schema.list_type.is_some()
        || schema.map_type.is_some()
        || !schema.list_map_keys.is_empty()
        || !schema.validations.is_empty()
        || schema.writes("x-kubernetes-list-map-keys")
        || schema.writes("x-kubernetes-validations")
}

/// Whether a node has anything of `ValueValidation`: an empty `required` counts, an empty `enum` does not.
fn has_value_validation(schema: &Schema) -> bool {
    let bounds = schema.maximum.is_some()
        || schema.minimum.is_some()
        || schema.multiple_of.is_some()
        || schema.exclusive_maximum
        || schema.exclusive_minimum;
    let sizes = [
        schema.max_length,
        schema.min_length,
        schema.max_items,
        schema.min_items,
        schema.max_properties,
        schema.min_properties,
    ];
    bounds
        || sizes.iter().any(Option::is_some)
        || !schema.format.is_empty()
        || !schema.pattern.is_empty()
        || schema.unique_items
        || !schema.enumeration.is_empty()
        || !schema.required.is_empty()
        || schema.writes("required")
        || junctors(schema).next().is_some()
}

/// Whether schemas are exactly `[{type: integer}, {type: string}]`.
fn is_int_or_string(schemas: &[Schema]) -> bool {
    matches!(schemas, [first, second] if is_bare(first, "integer") && is_bare(second, "string"))
}

fn starts_int_or_string(schema: &Schema) -> bool {
    schema.all_of.first().is_some_and(|it| is_int_or_string(&it.any_of))
}

/// Whether a node under a junctor says nothing but its type, as Go compares them.
fn is_bare(schema: &Schema, ty: &str) -> bool {
    let generic = schema.description.is_some()
        || !schema.title.is_empty()
        || schema.nullable
        || schema.default.is_some()
        || schema.example.is_some()
        || schema.external_docs.is_some();
    let nested = schema.item().is_some()
        || !schema.properties.is_empty()
        || schema.writes("properties")
        || matches!(schema.additional_properties, Some(Additional::Schema(_) | Additional::Allowed(true)));
    schema.ty == ty && !generic && !nested && !has_extensions(schema) && !has_value_validation(schema)
}

/// The two exceptions for `x-kubernetes-int-or-string`.
#[derive(Debug, Clone, Copy, Default)]
struct Skip {
    any_of: bool,
    all_of_any_of: bool,
}

fn value_validation(schema: &Schema, skip: Skip, place: &Place, out: &mut Vec<Refusal>) {
    let none = Skip::default();
    if !skip.any_of {
        let place = place.child("anyOf");
        for (index, it) in schema.any_of.iter().enumerate() {
            nested(it, none, &place.index(index), out);
        }
    }
    let all_of = place.child("allOf");
    for (index, it) in schema.all_of.iter().enumerate() {
        let skip = Skip { any_of: skip.all_of_any_of && index == 0, ..none };
        nested(it, skip, &all_of.index(index), out);
    }
    let one_of = place.child("oneOf");
    for (index, it) in schema.one_of.iter().enumerate() {
        nested(it, none, &one_of.index(index), out);
    }
    if let Some(it) = &schema.not {
        nested(it, none, &place.child("not"), out);
    }
    if !schema.pattern.is_empty()
        && let Err(Refused::Invalid(error)) = pattern::check(&schema.pattern)
    {
        let words = format!("must be a valid regular expression, but isn't: error parsing regexp: {error}");
        out.push(Refusal::invalid(&place.child("pattern"), &words, schema.span("pattern")));
    }
}

fn nested(schema: &Schema, skip: Skip, place: &Place, out: &mut Vec<Refusal>) {
    if out.len() >= MAX_REFUSALS {
        return;
    }
    value_validation(schema, skip, place, out);
    let none = Skip::default();
    if let Some(item) = schema.item() {
        nested(item, none, &place.child("items"), out);
    }
    let properties = place.child("properties");
    for (name, property) in &schema.properties {
        nested(property, none, &properties.key(name), out);
    }
    let additional =
        matches!(schema.additional_properties, Some(Additional::Schema(_) | Additional::Allowed(true)));
    let list_map_keys = !schema.list_map_keys.is_empty();
    let forbidden = [
        (!schema.ty.is_empty(), "type", "must be empty to be structural"),
        (additional, "additionalProperties", "must be undefined to be structural"),
        (schema.default.is_some(), "default", "must be undefined to be structural"),
        (!schema.title.is_empty(), "title", "must be empty to be structural"),
        (schema.description.is_some(), "description", "must be empty to be structural"),
        (schema.nullable, "nullable", "must be false to be structural"),
        (schema.preserves(), "x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
        (schema.embedded, "x-kubernetes-embedded-resource", "must be false to be structural"),
        (schema.int_or_string, "x-kubernetes-int-or-string", "must be false to be structural"),
        (list_map_keys, "x-kubernetes-list-map-keys", "must be empty to be structural"),
        (schema.list_type.is_some(), "x-kubernetes-list-type", "must be undefined to be structural"),
        (schema.map_type.is_some(), "x-kubernetes-map-type", "must be undefined to be structural"),
        (!schema.validations.is_empty(), "x-kubernetes-validations", "must be empty to be structural"),
    ];
    for (_, name, words) in forbidden.iter().filter(|it| it.0) {
        out.push(Refusal::forbidden(&place.child(name), words, schema.span(name)));
    }
    if let Some(metadata) = schema.property("metadata") {
        let words = "must not be specified in a nested context";
        out.push(Refusal::forbidden(&properties.key("metadata"), words, metadata.introduced()));
    }
}

/// Everything named in a junctor is declared in the spine too.
fn complete_junctors(
    junctor: &Schema,
    spine: Option<&Schema>,
    spine_place: &Place,
    place: &Place,
    out: &mut Vec<Refusal>,
) {
    if let Some(it) = &junctor.not {
        complete(it, spine, spine_place, &place.child("not"), out);
    }
    for (name, list) in [("allOf", &junctor.all_of), ("anyOf", &junctor.any_of), ("oneOf", &junctor.one_of)] {
        let place = place.child(name);
        for (index, it) in list.iter().enumerate() {
            complete(it, spine, spine_place, &place.index(index), out);
        }
    }
}

fn complete(
    junctor: &Schema,
    spine: Option<&Schema>,
    spine_place: &Place,
    place: &Place,
    out: &mut Vec<Refusal>,
) {
    if out.len() >= MAX_REFUSALS {
        return;
    }
    let Some(spine) = spine else {
        let words = format!("because it is defined in {place}");
        return out.push(Refusal::required(spine_place, &words, junctor.introduced()));
    };
    complete_junctors(junctor, Some(spine), spine_place, place, out);
    if let Some(item) = junctor.item() {
        complete(item, spine.item(), &spine_place.child("items"), &place.child("items"), out);
    }
    let (spine_properties, properties) = (spine_place.child("properties"), place.child("properties"));
    let declared = if junctor.properties.is_empty() { HashMap::new() } else { spine.index() };
    for (name, property) in &junctor.properties {
        let (spine_place, place) = (spine_properties.key(name), properties.key(name));
        complete(property, declared.get(&**name).copied(), &spine_place, &place, out);
    }
}
