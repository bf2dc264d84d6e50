//! `spec` of a CRD: group, scope, versions, and what is given at the top and per version.
//!
//! Mirrors `validateCustomResourceDefinitionSpec` and `validateCustomResourceDefinitionVersion`.

use super::Admission;
use super::Refusal;
use super::columns;
use super::conversion;
use super::names;
use super::options;
use super::options::Options;
use super::root;
use super::view;
use super::view::Part;
use super::view::View;
use crate::crd::Crd;
use crate::crd::Version;
use crate::schema::Keywords;
use crate::schema::Schema;
use crate::server::default::DEFAULT;
use crate::server::names as naming;
use crate::server::place::Place;
use std::collections::BTreeSet;

pub(super) fn validate(crd: &Crd, options: &Options, out: &mut Admission) {
    let view = View::of(crd);
    let mut options = options.clone();
    names::group_and_scope(crd, &mut out.refusals);
    schemas_are_there(crd, &view, &options, &mut out.refusals);
    options.structural |= !crd.preserve_unknown_fields;
    defaults_need_pruning(crd, &view, &mut options, &mut out.refusals);
    options.structural =
        options.structural || view.schemas().any(|it| options::has(it, EXTENSIONS, &has_extension));
    for (index, (version, part)) in view.versions.iter().enumerate() {
        let field = format!("spec.versions[{index}]");
        let wrong = naming::dns1035_label(&version.name);
        if !wrong.is_empty() {
            let at = crd.place(&format!("{field}.name"));
            out.refusals.push(Refusal::invalid(&Place::root(&format!("{field}.name")), &wrong.join(","), at));
        }
        deprecation(crd, version, &field, &mut out.refusals);
        let scope = Scope {
            field: &field,
            source: &field,
            validation: "schema",
            status: view.status_of(&version.name),
            version: &version.name,
            top: false,
        };
        parts(crd, part, &scope, &options, out);
    }
    exclusive(crd, &view, &mut out.refusals);
    versions(crd, &view, &mut out.refusals);
    names::names(crd, &mut out.refusals);
    let scope = Scope {
        field: "spec",
        source: view.top_at,
        validation: "validation",
        status: view.any_status(),
        version: view.version,
        top: true,
    };
    parts(crd, &view.top, &scope, &options, out);
    conversion::validate(crd, &options, &mut out.refusals);
}

/// Where a part is judged.
pub(super) struct Scope<'a> {
    /// The server's path of what holds the part.
    pub(super) field: &'a str,
    /// The path of the same in the text.
    pub(super) source: &'a str,
    /// What the server calls the schema there: `validation` or `schema`.
    pub(super) validation: &'a str,
    /// Whether the status subresource is on.
    pub(super) status: bool,
    /// The version's name; that of the first at the top.
    pub(super) version: &'a str,
    /// Whether this is the top.
    pub(super) top: bool,
}

/// What may stand at the top or in a version.
fn parts(crd: &Crd, part: &Part, scope: &Scope, options: &Options, out: &mut Admission) {
    if let Some(Some(schema)) = part.validation {
        let unchanged = options.unchanged_versions.contains(scope.version);
        root::validate(schema, scope, &Options { unchanged, ..options.clone() }, out);
    }
    columns::validate(crd, part, scope, options, &mut out.refusals);
}

fn schemas_are_there(crd: &Crd, view: &View, options: &Options, out: &mut Vec<Refusal>) {
    if view.top.validation.flatten().is_some() || (!options.open_api_schema && crd.preserve_unknown_fields) {
        return;
    }
    for (index, (version, part)) in view.versions.iter().enumerate() {
        let missing = part.validation.flatten().is_none();
        let field = format!("spec.versions[{index}].schema.openAPIV3Schema");
        let at = crd.place(&field);
        if missing && options.open_api_schema {
            out.push(Refusal::required(&Place::root(&field), "", at));
        } else if missing && version.served {
            out.push(Refusal::required(&Place::root(&field), "because otherwise all fields are pruned", at));
        }
    }
}

fn defaults_need_pruning(crd: &Crd, view: &View, options: &mut Options, out: &mut Vec<Refusal>) {
    const FIELD: &str = "spec.preserveUnknownFields";
    let pruned = !crd.preserve_unknown_fields;
    if !pruned && view.schemas().any(|it| options::has(it, DEFAULT, &|it| it.default.is_some())) {
        options.structural = true;
        let words = "must be false in order to use defaults in the schema";
        out.push(Refusal::invalid(&Place::root(FIELD), words, crd.place(FIELD)));
    }
}

const EXTENSIONS: Keywords = Keywords::of(&[
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
]);

/// `schemaHasKubernetesExtensions`, which knows no map type.
fn has_extension(schema: &Schema) -> bool {
    schema.embedded
        || schema.preserve.is_some()
        || schema.int_or_string
        || !schema.list_map_keys.is_empty()
        || schema.list_type.is_some()
        || !schema.validations.is_empty()
}

/// `validateDeprecationWarning`.
fn deprecation(crd: &Crd, version: &Version, field: &str, out: &mut Vec<Refusal>) {
    let Some(warning) = &version.deprecation_warning else { return };
    let field = format!("{field}.deprecationWarning");
    let mut refuse = |words: &str| out.push(Refusal::invalid(&Place::root(&field), words, crd.place(&field)));
    if !version.deprecated {
        return refuse("can only be set for deprecated versions");
    }
    if warning.len() > 256 {
        refuse("must be <= 256 characters long");
    }
    if warning.is_empty() {
        refuse("must not be an empty string");
    }
    if let Some((at, _)) = warning.char_indices().find(|it| !is_print(it.1)) {
        refuse(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
}

/// Go's `unicode.IsPrint`: what Rust's debug output does not escape, and of all spaces only the plain one.
pub(super) fn is_print(character: char) -> bool {
    // Behind a letter, marks that combine with it are not escaped either.
    let behind = format!("a{character}");
    matches!(character, '"' | '\'' | '\\') || behind.escape_debug().eq(behind.chars())
}

/// What is given at the top is not given per version, and the other way around.
fn exclusive(crd: &Crd, view: &View, out: &mut Vec<Refusal>) {
    let versions = || view.versions.iter().map(|it| &it.1);
    let top = &view.top;
    let both = [
        (top.validation.is_some() && versions().any(|it| it.validation.is_some()), "validation", "schemas"),
        (
            top.subresources.is_some() && versions().any(|it| it.subresources.is_some()),
            "subresources",
            "subresources",
        ),
        (
            !top.columns.is_empty() && versions().any(|it| !it.columns.is_empty()),
            "additionalPrinterColumns",
            "additionalPrinterColumns",
        ),
    ];
    for (_, name, words) in both.iter().filter(|it| it.0) {
        let field = format!("spec.{name}");
        let words = format!("top-level and per-version {words} are mutually exclusive");
        out.push(Refusal::forbidden(&Place::root(&field), &words, crd.place(&field)));
    }
    let Some((_, first)) = view.versions.first() else { return };
    let identical = [
        (
            first.validation.is_some()
                && versions().all(|it| view::same_validation(it.validation, first.validation)),
            "schemas",
            "validation",
        ),
        (
            versions().all(|it| it.subresources.is_some() && it.subresources == first.subresources),
            "subresources",
            "subresources",
        ),
        (
            versions().all(|it| !it.columns.is_empty() && view::same_columns(it.columns, first.columns)),
            "additionalPrinterColumns",
            "additionalPrinterColumns",
        ),
    ];
    for (_, what, top) in identical.iter().filter(|it| it.0) {
        let words = format!(
            "per-version {what} may not all be set to identical values (top-level {top} should be used instead)"
        );
        out.push(Refusal::invalid(&Place::root("spec.versions"), &words, crd.place("spec.versions")));
    }
}

/// What the versions are among themselves.
fn versions(crd: &Crd, view: &View, out: &mut Vec<Refusal>) {
    let at = crd.place("spec.versions");
    let mut refuse = |words: &str| out.push(Refusal::invalid(&Place::root("spec.versions"), words, at));
    let names: BTreeSet<&str> = view.versions.iter().map(|it| it.0.name.as_str()).collect();
    if names.len() < view.versions.len() {
        refuse("must contain unique version names");
    }
    if view.versions.iter().filter(|it| it.0.storage).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
    if view.version.is_empty() {
        return;
    }
    let (field, at) = (Place::root("spec.version"), crd.place("spec.version"));
    let wrong = naming::dns1035_label(view.version);
    if !wrong.is_empty() {
        out.push(Refusal::invalid(&field, &wrong.join(","), at));
    }
    if view.versions.first().is_some_and(|it| it.0.name != view.version) {
        out.push(Refusal::invalid(&field, "must match the first version in spec.versions", at));
    }
}
