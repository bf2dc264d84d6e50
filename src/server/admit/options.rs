//! What the server asks of a CRD: all of it on create, less where the stored CRD already violates it.
//!
//! Mirrors `validationOptions` and the functions `require…`: the ratchets of an update.

use super::keywords;
use super::view;
use super::view::View;
use crate::crd::Crd;
use crate::schema::Additional;
use crate::schema::Dependency;
use crate::schema::Items;
use crate::schema::Keywords;
use crate::schema::Schema;
use crate::schema::TYPES;
use crate::server::structural;
use std::collections::BTreeSet;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    /// Every version has a schema.
    pub(super) open_api_schema: bool,
    /// Types are those of OpenAPI v3.
    pub(super) valid_type: bool,
    /// Schemas are structural.
    pub(super) structural: bool,
    /// Defaults have no unknown fields.
    pub(super) pruned_defaults: bool,
    /// Items of sets are atomic.
    pub(super) atomic_set: bool,
    /// Keys of list maps are required or have defaults.
    pub(super) map_list_keys: bool,
    /// `conversionReviewVersions` has a version that the server speaks.
    pub(super) review_version: bool,
    /// The versions whose schemas are those of the old CRD.
    pub(super) unchanged_versions: BTreeSet<String>,
    /// Whether the schema at hand is one of them: its expressions may cost more than they now might.
    pub(super) unchanged: bool,
    /// The versions (the empty name is the top) that may have more than eight selectable fields.
    pub(super) many_selectable_fields: BTreeSet<String>,
}

impl Options {
    /// What is asked on create.
    pub(super) fn strict() -> Self {
        Self {
            open_api_schema: true,
            valid_type: true,
            structural: true,
            pruned_defaults: true,
            atomic_set: true,
            map_list_keys: true,
            review_version: true,
            unchanged_versions: BTreeSet::new(),
            unchanged: false,
            many_selectable_fields: BTreeSet::new(),
        }
    }

    /// What is asked of a CRD that replaces an old one.
    pub(super) fn ratcheted(new: &Crd, old: &Crd) -> Self {
        let (new, view) = (View::of(new), View::of(old));
        let top_schema = view.top.validation.flatten().is_some();
        let any = |among: Keywords, violates: fn(&Schema) -> bool| {
            view.schemas().any(|schema| has(schema, among, &violates))
        };
        let review_versions = &old.conversion.review_versions;
        Self {
            open_api_schema: top_schema || view.versions.iter().all(|it| it.1.validation.flatten().is_some()),
            valid_type: !any(TYPE, |it| !it.ty.is_empty() && !TYPES.contains(&&*it.ty)),
            structural: view.schemas().all(structural::is_structural),
            pruned_defaults: !view.schemas().any(super::defaults::has_unpruned),
            atomic_set: !any(LIST_TYPE, |it| keywords::non_atomic_set(it).is_some()),
            map_list_keys: !any(LIST_TYPE, |it| !keywords::wrong_list_keys(it).is_empty()),
            review_version: review_versions.is_empty()
                || review_versions.iter().any(|it| super::conversion::is_known(it)),
            unchanged_versions: unchanged_versions(&new, &view),
            unchanged: false,
            many_selectable_fields: many_selectable_fields(&new, &view),
        }
    }
}

/// `findVersionsWithUnchangedSchemas`.
fn unchanged_versions(new: &View, old: &View) -> BTreeSet<String> {
    let is_same = |name: &&str| match (new.validation_of(name), old.validation_of(name)) {
        (Some(new), Some(old)) => view::same_validation(new, old),
        _ => false,
    };
    new.versions.iter().map(|it| it.0.name.as_str()).filter(is_same).map(str::to_owned).collect()
}

/// `findTooManySelectableFieldsAllowed`.
fn many_selectable_fields(new: &View, old: &View) -> BTreeSet<String> {
    let many = |fields: &[String]| fields.len() > super::columns::MAX_SELECTABLE_FIELDS;
    let mut out = BTreeSet::new();
    if many(old.top.selectable_fields) && old.top.selectable_fields == new.top.selectable_fields {
        out.insert(String::new());
    }
    for (version, part) in &new.versions {
        let twin = old.versions.iter().rev().find(|it| it.0.name == version.name);
        if twin.is_some_and(|it| {
            many(it.1.selectable_fields) && it.1.selectable_fields == part.selectable_fields
        }) {
            out.insert(version.name.clone());
        }
    }
    out
}

const TYPE: Keywords = Keywords::of(&["type"]);
const LIST_TYPE: Keywords = Keywords::of(&["x-kubernetes-list-type"]);

/// Whether any node of a schema, wherever it stands, has a property (`SchemaHas`), which only nodes with any of some
/// keywords may have.
pub(super) fn has(schema: &Schema, among: Keywords, test: &impl Fn(&Schema) -> bool) -> bool {
    if !schema.within.meets(among) {
        return false;
    }
    if test(schema) {
        return true;
    }
    let additional =
        |it: &Option<Additional>| matches!(it, Some(Additional::Schema(it)) if has(it, among, test));
    let items = match &schema.items {
        Some(Items::Schema(item)) => has(item, among, test),
        Some(Items::List(items)) => items.iter().any(|it| has(it, among, test)),
        None => false,
    };
    items
        || structural::junctors(schema).any(|it| has(it, among, test))
        || [&schema.properties, &schema.pattern_properties, &schema.definitions]
            .into_iter()
            .flatten()
            .any(|it| has(&it.1, among, test))
        || additional(&schema.additional_properties)
        || additional(&schema.additional_items)
        || schema
            .dependencies
            .iter()
            .flatten()
            .any(|it| matches!(&it.1, Dependency::Schema(it) if has(it, among, test)))
}
