//! A CustomResourceDefinition, v1 or v1beta1, as the API server holds it after decoding, defaulting and conversion.

mod check;
mod read;
mod shape;

pub use read::{Read, is_crd, read};

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
    /// `metadata` as it is written.
    pub metadata: serde_json::Value,
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
    /// What a v1beta1 CRD writes at the top and in its versions, before it is copied.
    pub legacy: Option<Box<Legacy>>,
    /// Versions in which objects may be stored: once created, the storage version.
    pub stored_versions: Vec<String>,
    /// Why not all of the schemas is read, if so: nothing is certain then.
    pub unread: Option<String>,
    /// Where each field outside the schemas is written, sorted by path.
    pub places: Vec<Place>,
}

/// Where a field is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its path in the text: `spec.versions[0].name`.
    pub path: String,
    /// Its key; empty for an item of a list.
    pub key: Span,
    /// Its value.
    pub value: Span,
}

/// The top of a v1beta1 CRD.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legacy {
    /// `spec.version`, defaulted.
    pub version: String,
    /// `spec.{validation,subresources,additionalPrinterColumns,selectableFields}`, held as a version has them.
    pub top: Version,
    /// `spec.versions` as they are written.
    pub versions: Vec<Version>,
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    /// Whether `schema` is there, be it empty.
    pub validation: bool,
    /// `schema.openAPIV3Schema`.
    pub schema: Option<Schema>,
    /// Whether `subresources` is there, be it empty.
    pub subresources: bool,
    /// Whether `subresources.status` is there (`{}`, not null).
    pub status_subresource: bool,
    /// `subresources.scale`.
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`.
    pub columns: Vec<Column>,
    /// `selectableFields`, each by its `jsonPath`.
    pub selectable_fields: Vec<String>,
}

/// `subresources.scale`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scale {
    /// `specReplicasPath`.
    pub spec_replicas_path: String,
    /// `statusReplicasPath`.
    pub status_replicas_path: String,
    /// `labelSelectorPath`.
    pub label_selector_path: Option<String>,
}

/// One of `additionalPrinterColumns`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    /// The whole entry.
    pub at: Span,
    /// `name`.
    pub name: String,
    /// `type`.
    pub ty: String,
    /// `format`.
    pub format: String,
    /// `description`.
    pub description: String,
    /// `priority`.
    pub priority: i64,
    /// `jsonPath` (`JSONPath` in v1beta1).
    pub json_path: String,
}

/// `spec.conversion`, defaulted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversion {
    /// `strategy`: `None`, `Webhook`, or what is written.
    pub strategy: String,
    /// Whether a webhook's client config is given.
    pub webhook: bool,
    /// The client config's `url`.
    pub url: Option<String>,
    /// The client config's `service`.
    pub service: Option<Service>,
    /// The client config's `caBundle`, in base64.
    pub ca_bundle: String,
    /// `conversionReviewVersions`.
    pub review_versions: Vec<String>,
}

/// The service of a conversion webhook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Service {
    /// `namespace`.
    pub namespace: String,
    /// `name`.
    pub name: String,
    /// `path`.
    pub path: Option<String>,
    /// `port`, 443 by default.
    pub port: i64,
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

    /// Where a field outside the schemas is written; its parent when it is not, at last the whole document.
    pub fn place(&self, path: &str) -> Span {
        let mut path = path;
        loop {
            if let Ok(at) = self.places.binary_search_by(|it| it.path.as_str().cmp(path)) {
                let place = &self.places[at];
                return if place.key.is_empty() { place.value } else { place.key.to(place.value) };
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => return self.at,
            }
        }
    }
}
