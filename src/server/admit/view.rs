//! A CRD as the server's internal version has it: what all versions share stands at the top.
//!
//! Mirrors `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`.

use crate::crd::Column;
use crate::crd::Crd;
use crate::crd::Scale;
use crate::crd::Version;
use crate::schema::Schema;

/// `validation` or `schema`, which may be empty.
pub(super) type Validation<'a> = Option<Option<&'a Schema>>;

/// What may stand at the top or in a version.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part<'a> {
    /// `validation` or `schema`.
    pub(super) validation: Validation<'a>,
    /// `subresources`.
    pub(super) subresources: Option<Subresources<'a>>,
    /// `additionalPrinterColumns`.
    pub(super) columns: &'a [Column],
    /// `selectableFields`.
    pub(super) selectable_fields: &'a [String],
}

/// `subresources`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Subresources<'a> {
    /// Whether `status` is there.
    pub(super) status: bool,
    /// `scale`.
    pub(super) scale: Option<&'a Scale>,
}

/// The internal version.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// `spec.version`.
    pub(super) version: &'a str,
    /// The top of the spec.
    pub(super) top: Part<'a>,
    /// The versions, each with what it does not share.
    pub(super) versions: Vec<(&'a Version, Part<'a>)>,
    /// Where the parts at the top are written: in the first version, or in `spec` in v1beta1.
    pub(super) top_at: &'static str,
}

impl<'a> View<'a> {
    /// Converts a CRD.
    pub(super) fn of(crd: &'a Crd) -> Self {
        if let Some(legacy) = &crd.legacy {
            let versions = legacy.versions.iter().map(|it| (it, part(it))).collect();
            return View { version: &legacy.version, top: part(&legacy.top), versions, top_at: "spec" };
        }
        let mut versions: Vec<(&Version, Part)> = crd.versions.iter().map(|it| (it, part(it))).collect();
        let Some(first) = versions.first() else {
            return View { version: "", top: Part::default(), versions, top_at: "spec" };
        };
        let (version, first) = (first.0.name.as_str(), first.1);
        let shared = |same: fn(&Part, &Part) -> bool| versions[1..].iter().all(|it| same(&it.1, &first));
        let (validation, subresources) = (
            shared(|a, b| same_validation(a.validation, b.validation)),
            shared(|a, b| a.subresources == b.subresources),
        );
        let (columns, fields) = (
            shared(|a, b| same_columns(a.columns, b.columns)),
            shared(|a, b| a.selectable_fields == b.selectable_fields),
        );
        let mut top = Part::default();
        for (_, part) in &mut versions {
            if validation {
                (top.validation, part.validation) = (first.validation, None);
            }
            if subresources {
                (top.subresources, part.subresources) = (first.subresources, None);
            }
            if columns {
                (top.columns, part.columns) = (first.columns, &[]);
            }
            if fields {
                (top.selectable_fields, part.selectable_fields) = (first.selectable_fields, &[]);
            }
        }
        View { version, top, versions, top_at: "spec.versions[0]" }
    }

    /// The schemas of the CRD, those at the top first.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Schema> {
        let parts = std::iter::once(&self.top).chain(self.versions.iter().map(|it| &it.1));
        parts.filter_map(|it| it.validation.flatten())
    }

    /// Whether the status subresource is on at the top or in any version.
    pub(super) fn any_status(&self) -> bool {
        let parts = std::iter::once(&self.top).chain(self.versions.iter().map(|it| &it.1));
        parts.filter_map(|it| it.subresources).any(|it| it.status)
    }

    /// What validates a version of this name, if that can be said (`GetSchemaForVersion`).
    pub(super) fn validation_of(&self, version: &str) -> Option<Validation<'a>> {
        if self.versions.iter().all(|it| it.1.validation.is_none()) {
            return Some(self.top.validation);
        }
        let mut versions = self.versions.iter().filter(|_| self.top.validation.is_none());
        versions.find(|it| it.0.name == version).map(|it| it.1.validation)
    }

    /// Whether the status subresource is on in the first version of this name (`getSubresourcesForVersion`).
    pub(super) fn status_of(&self, version: &str) -> bool {
        let mut versions = self.versions.iter();
        let subresources = match versions.clone().any(|it| it.1.subresources.is_some()) {
            true => versions.find(|it| it.0.name == version).and_then(|it| it.1.subresources),
            false => self.top.subresources,
        };
        subresources.is_some_and(|it| it.status)
    }
}

fn part(version: &Version) -> Part<'_> {
    let subresources = Subresources { status: version.status_subresource, scale: version.scale.as_ref() };
    Part {
        validation: version.validation.then_some(version.schema.as_ref()),
        subresources: version.subresources.then_some(subresources),
        columns: &version.columns,
        selectable_fields: &version.selectable_fields,
    }
}

/// Whether validations say the same.
pub(super) fn same_validation(left: Validation, right: Validation) -> bool {
    match (left, right) {
        (None, None) | (Some(None), Some(None)) => true,
        (Some(Some(left)), Some(Some(right))) => left.same(right),
        _ => false,
    }
}

/// Whether columns say the same, wherever they are written.
pub(super) fn same_columns(left: &[Column], right: &[Column]) -> bool {
    let unplaced = |it: &Column| Column { at: Default::default(), ..it.clone() };
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| unplaced(left) == unplaced(right))
}
