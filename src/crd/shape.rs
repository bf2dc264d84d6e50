//! The fields of a CRD outside its schemas, with their types.
//!
//! Mirrors apis/apiextensions/{v1,v1beta1}/types.go and apis/meta/v1/types.go of apimachinery, as tables.

use crate::schema::Level;

/// The type of a value.
pub(super) enum Shape {
    /// A string, with its Go type.
    Text(&'static str),
    /// A boolean.
    Flag,
    /// A whole number of 64 bits.
    Int64,
    /// A whole number of 32 bits.
    Int32,
    /// A time by RFC 3339.
    Time,
    /// Bytes in base64.
    Bytes,
    /// Anything: managed fields, and schemas, which are read apart.
    Any,
    /// A list, with its Go type.
    List(&'static Shape, &'static str),
    /// A map of strings.
    Labels,
    /// A Go struct.
    Struct(&'static Struct),
}

/// A Go struct.
pub(super) struct Struct {
    /// Its name.
    pub(super) name: &'static str,
    /// What its fields are to a reader.
    pub(super) level: Level,
    /// Its fields.
    pub(super) fields: &'static [(&'static str, Shape)],
}

const TEXT: Shape = Shape::Text("string");
const TEXTS: Shape = Shape::List(&TEXT, "[]string");

/// A CRD.
pub(super) const V1: Struct = Struct {
    name: "CustomResourceDefinition",
    level: Level::Document,
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("metadata", Shape::Struct(&METADATA)),
        ("spec", Shape::Struct(&SPEC_V1)),
        ("status", Shape::Struct(&STATUS)),
    ],
};

/// A CRD of v1beta1.
pub(super) const V1BETA1: Struct = Struct {
    name: "CustomResourceDefinition",
    level: Level::Document,
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("metadata", Shape::Struct(&METADATA)),
        ("spec", Shape::Struct(&SPEC_V1BETA1)),
        ("status", Shape::Struct(&STATUS)),
    ],
};

const METADATA: Struct = Struct {
    name: "ObjectMeta",
    level: Level::Metadata,
    fields: &[
        ("name", TEXT),
        ("generateName", TEXT),
        ("namespace", TEXT),
        ("selfLink", TEXT),
        ("uid", Shape::Text("types.UID")),
        ("resourceVersion", TEXT),
        ("generation", Shape::Int64),
        ("creationTimestamp", Shape::Time),
        ("deletionTimestamp", Shape::Time),
        ("deletionGracePeriodSeconds", Shape::Int64),
        ("labels", Shape::Labels),
        ("annotations", Shape::Labels),
        ("ownerReferences", Shape::List(&Shape::Struct(&OWNER), "[]v1.OwnerReference")),
        ("finalizers", TEXTS),
        ("managedFields", Shape::List(&Shape::Struct(&MANAGED_FIELDS), "[]v1.ManagedFieldsEntry")),
    ],
};

const OWNER: Struct = Struct {
    name: "OwnerReference",
    level: Level::Metadata,
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("name", TEXT),
        ("uid", Shape::Text("types.UID")),
        ("controller", Shape::Flag),
        ("blockOwnerDeletion", Shape::Flag),
    ],
};

const MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    level: Level::Metadata,
    fields: &[
        ("manager", TEXT),
        ("operation", Shape::Text("v1.ManagedFieldsOperationType")),
        ("apiVersion", TEXT),
        ("time", Shape::Time),
        ("fieldsType", TEXT),
        ("fieldsV1", Shape::Any),
        ("subresource", TEXT),
    ],
};

const SPEC_V1: Struct = Struct {
    name: "CustomResourceDefinitionSpec",
    level: Level::Spec,
    fields: &[
        ("group", TEXT),
        ("names", Shape::Struct(&NAMES)),
        ("scope", Shape::Text("~.ResourceScope")),
        ("versions", Shape::List(&Shape::Struct(&VERSION_V1), "[]~.CustomResourceDefinitionVersion")),
        ("conversion", Shape::Struct(&CONVERSION_V1)),
        ("preserveUnknownFields", Shape::Flag),
    ],
};

const SPEC_V1BETA1: Struct = Struct {
    name: "CustomResourceDefinitionSpec",
    level: Level::Spec,
    fields: &[
        ("group", TEXT),
        ("version", TEXT),
        ("names", Shape::Struct(&NAMES)),
        ("scope", Shape::Text("~.ResourceScope")),
        ("validation", Shape::Struct(&VALIDATION)),
        ("subresources", Shape::Struct(&SUBRESOURCES)),
        ("versions", Shape::List(&Shape::Struct(&VERSION_V1BETA1), "[]~.CustomResourceDefinitionVersion")),
        ("additionalPrinterColumns", COLUMNS_V1BETA1),
        ("selectableFields", SELECTABLE_FIELDS),
        ("conversion", Shape::Struct(&CONVERSION_V1BETA1)),
        ("preserveUnknownFields", Shape::Flag),
    ],
};

const NAMES: Struct = Struct {
    name: "CustomResourceDefinitionNames",
    level: Level::Names,
    fields: &[
        ("plural", TEXT),
        ("singular", TEXT),
        ("shortNames", TEXTS),
        ("kind", TEXT),
        ("listKind", TEXT),
        ("categories", TEXTS),
    ],
};

const VERSION_V1: Struct = Struct {
    name: "CustomResourceDefinitionVersion",
    level: Level::Version,
    fields: &[
        ("name", TEXT),
        ("served", Shape::Flag),
        ("storage", Shape::Flag),
        ("deprecated", Shape::Flag),
        ("deprecationWarning", TEXT),
        ("schema", Shape::Struct(&VALIDATION)),
        ("subresources", Shape::Struct(&SUBRESOURCES)),
        ("additionalPrinterColumns", COLUMNS_V1),
        ("selectableFields", SELECTABLE_FIELDS),
    ],
};

const VERSION_V1BETA1: Struct = Struct {
    name: "CustomResourceDefinitionVersion",
    level: Level::Version,
    fields: &[
        ("name", TEXT),
        ("served", Shape::Flag),
        ("storage", Shape::Flag),
        ("deprecated", Shape::Flag),
        ("deprecationWarning", TEXT),
        ("schema", Shape::Struct(&VALIDATION)),
        ("subresources", Shape::Struct(&SUBRESOURCES)),
        ("additionalPrinterColumns", COLUMNS_V1BETA1),
        ("selectableFields", SELECTABLE_FIELDS),
    ],
};

const VALIDATION: Struct = Struct {
    name: "CustomResourceValidation",
    level: Level::Validation,
    fields: &[("openAPIV3Schema", Shape::Any)],
};

const SUBRESOURCES: Struct = Struct {
    name: "CustomResourceSubresources",
    level: Level::Subresources,
    fields: &[("status", Shape::Struct(&STATUS_SUBRESOURCE)), ("scale", Shape::Struct(&SCALE))],
};

const STATUS_SUBRESOURCE: Struct =
    Struct { name: "CustomResourceSubresourceStatus", level: Level::Status, fields: &[] };

const SCALE: Struct = Struct {
    name: "CustomResourceSubresourceScale",
    level: Level::Scale,
    fields: &[("specReplicasPath", TEXT), ("statusReplicasPath", TEXT), ("labelSelectorPath", TEXT)],
};

const COLUMNS_V1: Shape = Shape::List(&Shape::Struct(&COLUMN_V1), "[]~.CustomResourceColumnDefinition");
const COLUMNS_V1BETA1: Shape =
    Shape::List(&Shape::Struct(&COLUMN_V1BETA1), "[]~.CustomResourceColumnDefinition");

const COLUMN_V1: Struct = Struct {
    name: "CustomResourceColumnDefinition",
    level: Level::Column,
    fields: &[
        ("name", TEXT),
        ("type", TEXT),
        ("format", TEXT),
        ("description", TEXT),
        ("priority", Shape::Int32),
        ("jsonPath", TEXT),
    ],
};

const COLUMN_V1BETA1: Struct = Struct {
    name: "CustomResourceColumnDefinition",
    level: Level::Column,
    fields: &[
        ("name", TEXT),
        ("type", TEXT),
        ("format", TEXT),
        ("description", TEXT),
        ("priority", Shape::Int32),
        ("JSONPath", TEXT),
    ],
};

const SELECTABLE_FIELDS: Shape = Shape::List(
    &Shape::Struct(&Struct {
        name: "SelectableField",
        level: Level::SelectableField,
        fields: &[("jsonPath", TEXT)],
    }),
    "[]~.SelectableField",
);

const CONVERSION_V1: Struct = Struct {
    name: "CustomResourceConversion",
    level: Level::Conversion,
    fields: &[("strategy", Shape::Text("~.ConversionStrategyType")), ("webhook", Shape::Struct(&WEBHOOK))],
};

const CONVERSION_V1BETA1: Struct = Struct {
    name: "CustomResourceConversion",
    level: Level::Conversion,
    fields: &[
        ("strategy", Shape::Text("~.ConversionStrategyType")),
        ("webhookClientConfig", Shape::Struct(&CLIENT_CONFIG)),
        ("conversionReviewVersions", TEXTS),
    ],
};

const WEBHOOK: Struct = Struct {
    name: "WebhookConversion",
    level: Level::Conversion,
    fields: &[("clientConfig", Shape::Struct(&CLIENT_CONFIG)), ("conversionReviewVersions", TEXTS)],
};

const CLIENT_CONFIG: Struct = Struct {
    name: "WebhookClientConfig",
    level: Level::Conversion,
    fields: &[("url", TEXT), ("service", Shape::Struct(&SERVICE)), ("caBundle", Shape::Bytes)],
};

const SERVICE: Struct = Struct {
    name: "ServiceReference",
    level: Level::Conversion,
    fields: &[("namespace", TEXT), ("name", TEXT), ("path", TEXT), ("port", Shape::Int32)],
};

const STATUS: Struct = Struct {
    name: "CustomResourceDefinitionStatus",
    level: Level::Other,
    fields: &[
        ("conditions", Shape::List(&Shape::Struct(&CONDITION), "[]~.CustomResourceDefinitionCondition")),
        ("acceptedNames", Shape::Struct(&NAMES)),
        ("storedVersions", TEXTS),
        ("observedGeneration", Shape::Int64),
    ],
};

const CONDITION: Struct = Struct {
    name: "CustomResourceDefinitionCondition",
    level: Level::Other,
    fields: &[
        ("type", Shape::Text("~.CustomResourceDefinitionConditionType")),
        ("status", Shape::Text("~.ConditionStatus")),
        ("lastTransitionTime", Shape::Time),
        ("reason", TEXT),
        ("message", TEXT),
        ("observedGeneration", Shape::Int64),
    ],
};
