//! The schema of a version as a whole: what its root may say, structure, defaults, keywords, rules.
//!
//! Mirrors `validateCustomResourceDefinitionValidation`.

use super::Admission;
use super::Refusal;
use super::defaults;
use super::keywords;
use super::options;
use super::options::Options;
use super::rules;
use super::spec::Scope;
use crate::schema::Keywords;
use crate::schema::Schema;
use crate::server::Unknown;
use crate::server::place::Place;
use crate::server::structural;
use crate::server::validate::pattern;

/// What the root may say when `status` is validated apart from it.
const ALLOWED_AT_ROOT: &str = "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum \
     MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs \
     Example XPreserveUnknownFields XValidations";

const PATTERN: Keywords = Keywords::of(&["pattern"]);

pub(super) fn validate(schema: &Schema, scope: &Scope, options: &Options, out: &mut Admission) {
    let field = format!("{}.{}", scope.field, scope.validation);
    let validation = Place::root(&field);
    let place = validation.child("openAPIV3Schema");
    let before = out.refusals.len();
    if scope.status {
        status_at_root(schema, &place, &mut out.refusals);
    }
    if schema.nullable {
        let (place, at) = (place.child("nullable"), schema.span("nullable"));
        out.refusals.push(Refusal::forbidden(&place, "nullable cannot be true at the root", at));
    }
    let mut unconvertible = None;
    let mut structural = false;
    if options.structural {
        unconvertible = structural::unconvertible(schema);
        let violations = out.refusals.len();
        if unconvertible.is_none() {
            structural::violations(schema, &place, &mut out.refusals);
            structural = out.refusals.len() == violations;
            if options::has(schema, PATTERN, &|it| !pattern::is_modeled(&it.pattern)) {
                out.unknown
                    .push(Unknown(format!("{place}: whether so large a pattern is refused is not modeled")));
            }
        }
    }
    let seen = keywords::validate(schema, &place, options, out);
    let defaults = out.refusals.len();
    if structural && seen.defaults {
        defaults::validate(schema, &place, options, out);
    }
    // Rules are looked at only in a schema that is structural and has valid defaults.
    if structural && seen.rules && out.refusals.len() == defaults {
        rules::validate(schema, &place, &seen.blocked, !options.unchanged, out);
    }
    if let (true, Some((words, at))) = (out.refusals.len() == before, unconvertible) {
        out.refusals.push(Refusal::invalid(&place, &words, at));
    }
}

/// Only what is not lost when `status` is taken out of the root may stand there.
fn status_at_root(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    let early = [
        (!schema.id.is_empty(), "id"),
        (!schema.schema.is_empty(), "$schema"),
        (schema.reference.is_some(), "$ref"),
    ];
    let early = early.into_iter().find(|it| it.0);
    if early.is_none() && !schema.ty.is_empty() && schema.ty != "object" {
        let words = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        return out.push(Refusal::invalid(&place.child("type"), words, schema.span("type")));
    }
    // An empty list that is written counts as set.
    let set = |empty: bool, name: &'static str| (!empty || schema.writes(name), name);
    let late = [
        (schema.nullable, "nullable"),
        (schema.default.is_some(), "default"),
        set(schema.enumeration.is_empty(), "enum"),
        (schema.max_properties.is_some(), "maxProperties"),
        (schema.min_properties.is_some(), "minProperties"),
        set(schema.all_of.is_empty(), "allOf"),
        set(schema.one_of.is_empty(), "oneOf"),
        set(schema.any_of.is_empty(), "anyOf"),
        (schema.not.is_some(), "not"),
        (schema.additional_properties.is_some(), "additionalProperties"),
        set(schema.pattern_properties.is_empty(), "patternProperties"),
        (schema.dependencies.is_some(), "dependencies"),
        (schema.additional_items.is_some(), "additionalItems"),
        set(schema.definitions.is_empty(), "definitions"),
        (schema.embedded, "x-kubernetes-embedded-resource"),
        (schema.int_or_string, "x-kubernetes-int-or-string"),
        set(schema.list_map_keys.is_empty(), "x-kubernetes-list-map-keys"),
        (schema.list_type.is_some(), "x-kubernetes-list-type"),
        (schema.map_type.is_some(), "x-kubernetes-map-type"),
    ];
    if let Some((_, name)) = early.or_else(|| late.into_iter().find(|it| it.0)) {
        let words = format!(
            "only [{ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled"
        );
        out.push(Refusal::invalid(place, &words, schema.span(name)));
    }
}
