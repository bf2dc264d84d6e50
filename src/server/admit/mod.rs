//! Whether the API server accepts a CRD: on create, and as an update of a stored one.
//!
//! Mirrors `ValidateCustomResourceDefinition` and `ValidateCustomResourceDefinitionUpdate` of
//! apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, and registry/customresourcedefinition.
//! Fields have the server's own paths, which are those of its internal version: what all versions share stands at the
//! top (`spec.validation.openAPIV3Schema`). Not modeled: certificates of webhooks, and of rules what
//! [`cel`](super::cel) does not model; that is [`Unknown`]. At most about two thousand refusals are listed.

mod columns;
mod conversion;
mod defaults;
mod keywords;
mod names;
mod options;
mod root;
mod rules;
mod spec;
mod url;
mod view;
mod warnings;

use super::FieldError;
use super::Unknown;
use super::place::Place;
use super::structural;
use crate::crd::Crd;
use crate::schema::Schema;
use crate::source::Span;
use options::Options;

/// From how many refusals on no further node of a schema is looked at: the server would go on, nobody reads on.
pub(super) const MAX_REFUSALS: usize = 2000;

/// What the server says of a CRD.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Admission {
    /// Why it refuses (422); empty when it accepts.
    pub refusals: Vec<Refusal>,
    /// Warnings beside an acceptance, in the server's words.
    pub warnings: Vec<String>,
    /// What cannot be decided: an acceptance with unknowns is not certain.
    pub unknown: Vec<Unknown>,
}

impl Admission {
    fn undecided(why: &str) -> Self {
        Self { unknown: vec![Unknown(why.to_owned())], ..Self::default() }
    }
}

/// One reason to refuse a CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The server's error.
    pub error: FieldError,
    /// What to point at.
    pub at: Span,
}

/// What the server says when a CRD is created. The decoding errors of [`crd::read`](crate::crd::read) come before.
pub fn create(crd: &Crd) -> Admission {
    if let Some(why) = &crd.unread {
        return Admission::undecided(why);
    }
    let mut admission = Admission::default();
    names::metadata_of_new(crd, &mut admission.refusals);
    spec::validate(crd, &Options::strict(), &mut admission);
    names::stored_versions(crd, &crd.stored_versions, &mut admission.refusals);
    names::approval(crd, None, &mut admission.refusals);
    preserve_unknown_fields(crd, None, &mut admission.refusals);
    admission.warnings = warnings::of(crd);
    admission
}

/// What the server says when a stored CRD is replaced by another of its name; of itself, what no ratchet forgives.
///
/// What the old one already violates is not asked of the new one. The old one counts as not yet established, so its
/// scope and kind may change. The new one keeps the old one's versions that may be stored: see [`inherit`].
pub fn update(new: &Crd, old: &Crd) -> Admission {
    if let Some(why) = new.unread.as_ref().or(old.unread.as_ref()) {
        return Admission::undecided(why);
    }
    let mut admission = Admission::default();
    names::metadata_of_update(new, old, &mut admission.refusals);
    spec::validate(new, &Options::ratcheted(new, old), &mut admission);
    for (field, new_value, old_value) in
        [("spec.group", &new.group, &old.group), ("spec.names.plural", &new.names.plural, &old.names.plural)]
    {
        if new_value != old_value {
            let refusal = Refusal::invalid(&Place::root(field), "field is immutable", new.place(field));
            admission.refusals.push(refusal);
        }
    }
    names::stored_versions(new, &stored_versions(new, old), &mut admission.refusals);
    names::approval(new, Some(old), &mut admission.refusals);
    preserve_unknown_fields(new, Some(old), &mut admission.refusals);
    let known = warnings::of(old);
    admission.warnings = warnings::of(new).into_iter().filter(|it| !known.contains(it)).collect();
    admission
}

/// Prepares an update: the stored versions of the old CRD stay, the new storage version joins them.
///
/// Mirrors `PrepareForUpdate`.
pub fn inherit(new: &mut Crd, old: &Crd) {
    new.stored_versions = stored_versions(new, old);
}

fn stored_versions(new: &Crd, old: &Crd) -> Vec<String> {
    let mut versions = old.stored_versions.clone();
    if let Some(version) = new.storage_version().filter(|it| !versions.contains(&it.name)) {
        versions.push(version.name.clone());
    }
    versions
}

/// What keeps the schema of a version from being structural, by its place in `spec.versions`.
///
/// The server reports these in the condition `NonStructuralSchema` of a stored CRD.
pub fn structural_errors(schema: &Schema, version: usize) -> Vec<Refusal> {
    let field = format!("spec.versions[{version}].schema.openAPIV3Schema");
    let place = Place::root(&field);
    let mut out = Vec::new();
    match structural::unconvertible(schema) {
        Some((detail, at)) => out.push(Refusal::new("NotStructural", &place, &detail, at)),
        None => structural::violations(schema, &place, &mut out),
    }
    out
}

/// `validatePreserveUnknownFields`.
fn preserve_unknown_fields(crd: &Crd, old: Option<&Crd>, out: &mut Vec<Refusal>) {
    const FIELD: &str = "spec.preserveUnknownFields";
    if crd.preserve_unknown_fields && !old.is_some_and(|it| it.preserve_unknown_fields) {
        let words = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        out.push(Refusal::invalid(&Place::root(FIELD), words, crd.place(FIELD)));
    }
}

impl Refusal {
    pub(super) fn new(ty: &'static str, field: &Place, detail: &str, at: Span) -> Self {
        Self { error: FieldError { field: field.to_string(), ty, detail: detail.to_owned() }, at }
    }

    pub(super) fn invalid(field: &Place, detail: &str, at: Span) -> Self {
        Self::new("FieldValueInvalid", field, detail, at)
    }

    pub(super) fn required(field: &Place, detail: &str, at: Span) -> Self {
        Self::new("FieldValueRequired", field, detail, at)
    }

    pub(super) fn forbidden(field: &Place, detail: &str, at: Span) -> Self {
        Self::new("FieldValueForbidden", field, detail, at)
    }

    pub(super) fn not_supported(field: &Place, supported: &[&str], at: Span) -> Self {
        let quoted: Vec<String> = supported.iter().map(|it| format!("\"{it}\"")).collect();
        let detail = format!("supported values: {}", quoted.join(", "));
        Self::new("FieldValueNotSupported", field, &detail, at)
    }
}
