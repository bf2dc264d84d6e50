//! A CustomResourceDefinition, v1 or v1beta1, as the API server holds it after decoding, defaulting and conversion.

use crate::schema::Schema;
use crate::source::Span;

/// A custom resource definition.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Crd {
    /// The whole document (or item of a list).
    pub at: Span,
    /// The API version it is written in.
    pub api: Api,
    /// `metadata.name`.
    pub name: String,
    /// Where the name is written.
    pub name_at: Span,
    /// `metadata.annotations`.
    pub annotations: Vec<(String, String)>,
    /// `spec.group`.
    pub group: String,
    /// `spec.scope`; empty when absent.
    pub scope: String,
    /// `spec.names`, defaulted.
    pub names: Names,
    /// `spec.versions`; a v1beta1 CRD's top-level schema, subresources and columns are copied into each.
    pub versions: Vec<Version>,
    /// `spec.preserveUnknownFields`: legacy, nothing is pruned while true.
    pub preserve_unknown_fields: bool,
    /// `spec.conversion`.
    pub conversion: Conversion,
}

/// The API version a CRD is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    /// `apiextensions.k8s.io/v1`.
    #[default]
    V1,
    /// `apiextensions.k8s.io/v1beta1`, not served since Kubernetes 1.22.
    V1beta1,
}

/// `spec.names`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Names {
    /// `plural`.
    pub plural: String,
    /// `singular`.
    pub singular: String,
    /// `kind`.
    pub kind: String,
    /// `listKind`.
    pub list_kind: String,
    /// `shortNames`.
    pub short_names: Vec<String>,
    /// `categories`.
    pub categories: Vec<String>,
}

/// One of `spec.versions`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Version {
    /// The whole entry.
    pub at: Span,
    /// `name`.
    pub name: String,
    /// `served`.
    pub served: bool,
    /// `storage`.
    pub storage: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `deprecationWarning`.
    pub deprecation_warning: Option<String>,
    /// `schema.openAPIV3Schema`.
    pub schema: Option<Schema>,
    /// Whether `subresources.status` is there (`{}`, not null).
    pub status_subresource: bool,
    /// `subresources.scale`.
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`.
    pub columns: Vec<Column>,
    /// `selectableFields`.
    pub selectable_fields: Vec<String>,
}

/// `subresources.scale`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scale {
    /// `specReplicasPath`.
    pub spec_replicas_path: String,
    /// `statusReplicasPath`.
    pub status_replicas_path: String,
    /// `labelSelectorPath`.
    pub label_selector_path: Option<String>,
}

/// One of `additionalPrinterColumns`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// The whole entry.
    pub at: Span,
    /// `name`.
    pub name: String,
    /// `type`.
    pub ty: String,
    /// `format`.
    pub format: String,
    /// `jsonPath` (`JSONPath` in v1beta1).
    pub json_path: String,
}

/// `spec.conversion`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversion {
    /// `strategy`: `None`, `Webhook`, or what is written.
    pub strategy: String,
    /// Whether a webhook's client config is given.
    pub webhook: bool,
    /// `conversionReviewVersions`.
    pub review_versions: Vec<String>,
}

impl Crd {
    /// A version by its name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|it| it.name == name)
    }

    /// The version in which objects are stored.
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|it| it.storage)
    }
}
