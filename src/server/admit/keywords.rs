//! The keywords of every node of a schema.
//!
//! Mirrors `ValidateCustomResourceDefinitionOpenAPISchema` and `specStandardValidatorV3`.

use super::Admission;
use super::MAX_REFUSALS;
use super::Refusal;
use super::options::Options;
use super::rules;
use crate::schema::Additional;
use crate::schema::Dependency;
use crate::schema::Items;
use crate::schema::Schema;
use crate::schema::TYPES;
use crate::server::place::Place;
use std::collections::HashSet;

/// What holds for a node and everything below it.
#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    /// Inside `metadata`, `kind` or `apiVersion` of a resource.
    meta: bool,
    /// Why defaults are forbidden, if they are.
    no_defaults: Option<NoDefaults>,
    /// Where rules are looked at at all: not under junctors.
    rules: bool,
}

/// Why defaults are forbidden.
#[derive(Debug, Clone, Copy)]
enum NoDefaults {
    TopLevel(&'static str),
    MetaMap,
}

/// What the walk over the keywords has met.
#[derive(Default)]
pub(super) struct Seen<'s> {
    /// Any default.
    pub(super) defaults: bool,
    /// Any rule in CEL where rules are looked at.
    pub(super) rules: bool,
    /// The nodes whose rules are not looked at, because they or something below them is wrong.
    pub(super) blocked: Vec<&'s Schema>,
}

/// Judges a schema.
pub(super) fn validate<'s>(
    schema: &'s Schema,
    place: &Place,
    options: &Options,
    out: &mut Admission,
) -> Seen<'s> {
    let mut walk = Walk { options, seen: Seen::default(), out };
    walk.node(schema, place, true, Inside { rules: true, ..Inside::default() });
    walk.seen
}

struct Walk<'w, 's> {
    options: &'w Options,
    seen: Seen<'s>,
    out: &'w mut Admission,
}

impl<'s> Walk<'_, 's> {
    fn node(&mut self, schema: &'s Schema, place: &Place, root: bool, inside: Inside) {
        let before = self.out.refusals.len();
        if before >= MAX_REFUSALS {
            return;
        }
        standard(schema, place, inside, self.options, &mut self.out.refusals);
        self.properties(schema, place, root, inside);
        let junctor = Inside { rules: false, ..inside };
        if let Some(it) = &schema.not {
            self.node(it, &place.child("not"), false, junctor);
        }
        for (name, list) in [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            let place = place.child(name);
            for (index, it) in list.iter().enumerate() {
                self.node(it, &place.index(index), false, junctor);
            }
        }
        self.unsupported(schema, place, junctor);
        let items = place.child("items");
        match &schema.items {
            Some(Items::Schema(item)) => self.node(item, &items, false, inside),
            Some(Items::List(list)) => {
                for (index, it) in list.iter().enumerate() {
                    self.node(it, &items.index(index), false, inside);
                }
            }
            None => {}
        }
        lists_and_maps(schema, place, self.options, &mut self.out.refusals);
        rules::shape(schema, place, &mut self.out.refusals);
        self.seen.defaults |= schema.default.is_some();
        if inside.rules && !schema.validations.is_empty() {
            self.seen.rules = true;
            if self.out.refusals.len() > before {
                self.seen.blocked.push(schema);
            }
        }
    }

    fn properties(&mut self, schema: &'s Schema, place: &Place, root: bool, inside: Inside) {
        if let Some(additional) = &schema.additional_properties {
            let place = place.child("additionalProperties");
            if !schema.properties.is_empty() && *additional != Additional::Allowed(true) {
                let (words, at) =
                    ("additionalProperties and properties are mutual exclusive", "additionalProperties");
                self.out.refusals.push(Refusal::forbidden(&place, words, schema.span(at)));
            }
            let no_defaults = if inside.meta { Some(NoDefaults::MetaMap) } else { inside.no_defaults };
            if let Additional::Schema(it) = additional {
                self.node(it, &place, false, Inside { no_defaults, ..inside });
            }
        }
        let properties = place.child("properties");
        for (name, property) in &schema.properties {
            let mut inside = inside;
            let meta = ["metadata", "kind", "apiVersion"].into_iter().find(|it| *it == &**name);
            if let Some(meta) = meta.filter(|_| root || schema.embedded) {
                inside.meta = true;
                inside.no_defaults = if root { Some(NoDefaults::TopLevel(meta)) } else { inside.no_defaults };
            }
            self.node(property, &properties.key(name), false, inside);
        }
    }

    /// What is refused as a whole is judged all the same.
    fn unsupported(&mut self, schema: &'s Schema, place: &Place, inside: Inside) {
        let definitions = place.child("definitions");
        for (name, it) in &schema.definitions {
            self.node(it, &definitions.key(name), false, inside);
        }
        let dependencies = place.child("dependencies");
        for (name, it) in schema.dependencies.iter().flatten() {
            if let Dependency::Schema(it) = it {
                self.node(it, &dependencies.key(name), false, inside);
            }
        }
    }
}

/// `specStandardValidatorV3.validate`, and what stands beside it.
fn standard(schema: &Schema, place: &Place, inside: Inside, options: &Options, out: &mut Vec<Refusal>) {
    let ty = &*schema.ty;
    if options.valid_type && !ty.is_empty() && !TYPES.contains(&ty) {
        out.push(Refusal::not_supported(&place.child("type"), &TYPES, schema.span("type")));
    }
    if let (Some(reason), true) = (inside.no_defaults, schema.default.is_some()) {
        let words = match reason {
            NoDefaults::TopLevel(name) => format!("must not be set in top-level {name}"),
            NoDefaults::MetaMap => {
                "must not be set inside additionalProperties applying to object metadata".to_owned()
            }
        };
        out.push(Refusal::forbidden(&place.child("default"), &words, schema.span("default")));
    }
    let list = matches!(&schema.items, Some(Items::List(it)) if !it.is_empty());
    let forbidden = [
        (!schema.id.is_empty(), "id", "id is not supported"),
        (schema.additional_items.is_some(), "additionalItems", "additionalItems is not supported"),
        (!schema.pattern_properties.is_empty(), "patternProperties", "patternProperties is not supported"),
        (!schema.definitions.is_empty(), "definitions", "definitions is not supported"),
        (schema.dependencies.is_some(), "dependencies", "dependencies is not supported"),
        (schema.reference.is_some(), "$ref", "$ref is not supported"),
        (ty == "null", "type", "type cannot be set to null, use nullable as an alternative"),
        (list, "items", "items must be a schema object and not an array"),
        (
            inside.meta && schema.embedded,
            "x-kubernetes-embedded-resource",
            "must not be used inside of resource meta",
        ),
        (
            schema.unique_items,
            "uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
    ];
    for (_, name, words) in forbidden.iter().filter(|it| it.0) {
        out.push(Refusal::forbidden(&place.child(name), words, schema.span(name)));
    }
    if schema.preserve == Some(false) {
        let name = "x-kubernetes-preserve-unknown-fields";
        out.push(Refusal::invalid(&place.child(name), "must be true or undefined", schema.span(name)));
    }
}

fn lists_and_maps(schema: &Schema, place: &Place, options: &Options, out: &mut Vec<Refusal>) {
    const LIST: &str = "x-kubernetes-list-type";
    const MAP: &str = "x-kubernetes-map-type";
    if let Some(map) = &schema.map_type {
        wrong_type(schema, "object", "must be object if x-kubernetes-map-type is specified", place, out);
        if !["atomic", "granular"].contains(&map.as_str()) {
            out.push(Refusal::not_supported(&place.child(MAP), &["atomic", "granular"], schema.span(MAP)));
        }
    }
    let Some(list) = &schema.list_type else {
        if !schema.list_map_keys.is_empty() {
            let words = "must be map if x-kubernetes-list-map-keys is non-empty";
            let at = schema.span("x-kubernetes-list-map-keys");
            out.push(Refusal::required(&place.child(LIST), words, at));
        }
        return;
    };
    wrong_type(schema, "array", "must be array if x-kubernetes-list-type is specified", place, out);
    if let (true, "array", Some(name)) = (options.atomic_set, &*schema.ty, non_atomic_set(schema)) {
        let at = schema.item().map(|it| it.span(name)).unwrap_or_default();
        let words = "must be atomic as item of a list with x-kubernetes-list-type=set";
        out.push(Refusal::invalid(&place.child("items").child(name), words, at));
    }
    if !["atomic", "set", "map"].contains(&list.as_str()) {
        out.push(Refusal::not_supported(&place.child(LIST), &["atomic", "set", "map"], schema.span(LIST)));
    }
    if !schema.list_map_keys.is_empty() && list != "map" {
        let words = "must be map if x-kubernetes-list-map-keys is non-empty";
        out.push(Refusal::invalid(&place.child(LIST), words, schema.span(LIST)));
    }
    if list == "map" {
        list_map(schema, place, out);
    }
    if options.map_list_keys {
        list_keys(schema, place, out);
    }
}

fn wrong_type(schema: &Schema, wanted: &str, words: &str, place: &Place, out: &mut Vec<Refusal>) {
    let (place, at) = (place.child("type"), schema.span("type"));
    match &*schema.ty {
        "" => out.push(Refusal::required(&place, words, at)),
        ty if ty != wanted => out.push(Refusal::invalid(&place, words, at)),
        _ => {}
    }
}

/// The extension by which the items of a set are not atomic.
pub(super) fn non_atomic_set(schema: &Schema) -> Option<&'static str> {
    let item = schema.item().filter(|_| schema.list_type.as_deref() == Some("set"))?;
    match &*item.ty {
        "array" if item.list_type.as_deref().is_some_and(|it| it != "atomic") => {
            Some("x-kubernetes-list-type")
        }
        "object" if item.map_type.as_deref() != Some("atomic") => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn list_map(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    const KEYS: &str = "x-kubernetes-list-map-keys";
    let (items, keys) = (place.child("items"), place.child(KEYS));
    if schema.list_map_keys.is_empty() {
        let words = "must not be empty if x-kubernetes-list-type is map";
        out.push(Refusal::required(&keys, words, schema.span("x-kubernetes-list-type")));
    }
    let item = match &schema.items {
        None => {
            let words = "must have a schema if x-kubernetes-list-type is map";
            return out.push(Refusal::required(&items, words, schema.span("items")));
        }
        Some(Items::List(_)) => {
            let words = "must only have a single schema if x-kubernetes-list-type is map";
            return out.push(Refusal::invalid(&items, words, schema.span("items")));
        }
        Some(Items::Schema(item)) => item,
    };
    if item.ty != "object" {
        let words = "must be object if parent array's x-kubernetes-list-type is map";
        return out.push(Refusal::invalid(&items.child("type"), words, item.span("type")));
    }
    let at = schema.span(KEYS);
    let mut seen = HashSet::new();
    let properties = item.index();
    for key in &schema.list_map_keys {
        match properties.get(&**key) {
            Some(property) if matches!(&*property.ty, "array" | "object") => {
                let (words, properties) = (
                    "must be a scalar type if parent array's x-kubernetes-list-type is map",
                    items.child("properties"),
                );
                let place = properties.key(key);
                out.push(Refusal::invalid(&place.child("type"), words, property.span("type")));
            }
            Some(_) => {}
            None => out.push(Refusal::invalid(&keys, "entries must all be names of item properties", at)),
        }
        if !seen.insert(key) {
            out.push(Refusal::invalid(&keys, "must not contain duplicate entries", at));
        }
    }
}

fn list_keys(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    let Some(item) = schema.item() else { return };
    let items = place.child("items");
    let properties = items.child("properties");
    for wrong in wrong_list_keys(schema) {
        out.push(match wrong {
            WrongKey::NullableItem => {
                let list = schema.list_type.as_deref().unwrap_or_default();
                let words = format!("cannot be nullable when x-kubernetes-list-type is {list}");
                Refusal::forbidden(&items.child("nullable"), &words, item.span("nullable"))
            }
            WrongKey::Optional(name, it) => {
                let words = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
                Refusal::required(&properties.key(name).child("default"), words, it.introduced())
            }
            WrongKey::Nullable(name, it) => {
                let words = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
                Refusal::forbidden(&properties.key(name).child("nullable"), words, it.span("nullable"))
            }
        });
    }
}

/// What makes keys of a list map, or items of a set, unfit to tell items apart.
pub(super) enum WrongKey<'s> {
    /// Items may be null.
    NullableItem,
    /// A key may be missing.
    Optional(&'s str, &'s Schema),
    /// A key may be null.
    Nullable(&'s str, &'s Schema),
}

/// `validateMapListKeysMapSet`.
pub(super) fn wrong_list_keys(schema: &Schema) -> Vec<WrongKey<'_>> {
    let list = schema.list_type.as_deref().unwrap_or_default();
    let Some(item) = schema.item().filter(|_| matches!(list, "set" | "map")) else { return Vec::new() };
    let mut out = Vec::new();
    if item.nullable {
        out.push(WrongKey::NullableItem);
    }
    let keys = if list == "map" { schema.list_map_keys.as_slice() } else { &[] };
    let properties = item.index();
    let required: HashSet<&String> = item.required.iter().collect();
    for key in keys {
        let Some(property) = properties.get(&**key) else { continue };
        if !required.contains(key) && property.default.is_none() {
            out.push(WrongKey::Optional(key, property));
        }
        if property.nullable {
            out.push(WrongKey::Nullable(key, property));
        }
    }
    out
}
