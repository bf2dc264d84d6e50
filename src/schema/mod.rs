//! The OpenAPI v3 schema of a version, as the API server holds it.
//!
//! Mirrors `JSONSchemaProps` of k8s.io/apiextensions-apiserver: every keyword that a CRD may write, at every level.
//! What may stand where is judged in [`server`](crate::server); this module decodes only.

mod decode;
mod keyword;
mod read;
mod same;
mod suggest;

pub use decode::{Decoder, Level, Mismatch, Suggestion, UnknownField, go_type};
pub use keyword::{KEYWORDS, Keyword, Keywords};
pub use read::{MAX_DEPTH, Read, read, read_alone};
pub use suggest::unknown as suggestion;

use crate::source::Span;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::LazyLock;

/// The types of OpenAPI v3.
pub const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// One node of a schema.
///
/// `Default` is the schema `{}`. A large CRD has 20 000 nodes, which are walked a dozen times: a node holds what most
/// of them say, and [`Rare`] apart, as if its fields were fields of the node.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    /// The key that introduces the node: `kopf` in `properties: {kopf: …}`, `items` in `items: {…}`; empty for an item
    /// of a list (`anyOf`…) and for what is in no text.
    pub key: Span,
    /// The node itself.
    pub at: Span,
    /// Where each written keyword stands, in the order of the text.
    pub written: Vec<Keyword>,
    /// What may be written here or below: a walk that looks for a keyword passes over the nodes without it.
    pub within: Keywords,

    /// `description`; none for an empty one too.
    pub description: Option<Arc<str>>,
    /// `type`; empty when absent.
    pub ty: Cow<'static, str>,
    /// `nullable`.
    pub nullable: bool,
    /// `x-kubernetes-preserve-unknown-fields`; `Some(false)` is refused by the server.
    pub preserve: Option<bool>,
    /// `x-kubernetes-embedded-resource`.
    pub embedded: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `required`.
    pub required: Vec<String>,

    /// `items`.
    pub items: Option<Items>,
    /// `properties`, in the order of the text.
    pub properties: Vec<(Arc<str>, Schema)>,
    /// `additionalProperties`.
    pub additional_properties: Option<Additional>,

    /// The other keywords, if there are any; read and written as fields of the node.
    pub rare: Option<Box<Rare>>,
}

/// The keywords that few nodes have; those that next to none has stand apart again, in [`Seldom`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rare {
    /// `format`; empty when absent.
    pub format: String,
    /// `default`; `None` also for `default: null`.
    pub default: Option<Value>,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `maxLength`, in code points.
    pub max_length: Option<i64>,
    /// `minLength`, in code points.
    pub min_length: Option<i64>,
    /// `pattern`; empty when absent.
    pub pattern: String,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `enum`.
    pub enumeration: Vec<Value>,
    /// `anyOf`.
    pub any_of: Vec<Schema>,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`.
    pub validations: Vec<ValidationRule>,

    /// The last keywords, if there are any; read and written as fields of the node too.
    pub seldom: Option<Box<Seldom>>,
}

/// The keywords that next to no node has, many of them because the server refuses them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seldom {
    /// `id`, refused by the server.
    pub id: String,
    /// `$schema`, refused by the server.
    pub schema: String,
    /// `$ref`, refused by the server.
    pub reference: Option<String>,
    /// `title`.
    pub title: String,
    /// `example`.
    pub example: Option<Value>,
    /// `externalDocs`: its description and URL.
    pub external_docs: Option<(String, String)>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `minProperties`.
    pub min_properties: Option<i64>,
    /// `additionalItems`, refused by the server.
    pub additional_items: Option<Additional>,
    /// `patternProperties`, refused by the server.
    pub pattern_properties: Vec<(Arc<str>, Schema)>,
    /// `dependencies`, refused by the server.
    pub dependencies: Option<Vec<(Arc<str>, Dependency)>>,
    /// `definitions`, refused by the server.
    pub definitions: Vec<(Arc<str>, Schema)>,
    /// `allOf`.
    pub all_of: Vec<Schema>,
    /// `oneOf`.
    pub one_of: Vec<Schema>,
    /// `not`.
    pub not: Option<Box<Schema>>,
}

impl Deref for Rare {
    type Target = Seldom;

    fn deref(&self) -> &Seldom {
        static NOTHING: LazyLock<Seldom> = LazyLock::new(Seldom::default);
        self.seldom.as_deref().unwrap_or_else(|| &NOTHING)
    }
}

impl DerefMut for Rare {
    fn deref_mut(&mut self) -> &mut Seldom {
        self.seldom.get_or_insert_default()
    }
}

impl Deref for Schema {
    type Target = Rare;

    fn deref(&self) -> &Rare {
        static NOTHING: LazyLock<Rare> = LazyLock::new(Rare::default);
        self.rare.as_deref().unwrap_or_else(|| &NOTHING)
    }
}

impl DerefMut for Schema {
    fn deref_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

/// `items`: one schema, or the list of schemas that the server refuses.
#[derive(Debug, Clone, PartialEq)]
pub enum Items {
    /// One schema for every item.
    Schema(Box<Schema>),
    /// A schema per place.
    List(Vec<Schema>),
}

/// `additionalProperties` or `additionalItems`.
#[derive(Debug, Clone, PartialEq)]
pub enum Additional {
    /// `true` or `false`. For pruning both are a schema of nothing: no preserve.
    Allowed(bool),
    /// A schema for every undeclared key.
    Schema(Box<Schema>),
}

/// What an object with some property must satisfy.
#[derive(Debug, Clone, PartialEq)]
pub enum Dependency {
    /// It has other properties.
    Names(Vec<String>),
    /// It is valid by a schema.
    Schema(Box<Schema>),
}

/// One rule of `x-kubernetes-validations`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ValidationRule {
    /// Where the rule stands.
    pub at: Span,
    /// `rule`, in CEL.
    pub rule: String,
    /// `message`.
    pub message: String,
    /// `messageExpression`, in CEL.
    pub message_expression: String,
    /// `reason`.
    pub reason: Option<String>,
    /// `fieldPath`.
    pub field_path: String,
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
}

impl ValidationRule {
    /// What the server calls the rule by when it refuses something.
    pub fn name(&self) -> &str {
        if self.message.is_empty() { self.rule.trim() } else { self.message.trim() }
    }
}

impl Schema {
    /// The schema of a declared property.
    pub fn property(&self, name: &str) -> Option<&Schema> {
        self.properties.iter().find(|(it, _)| &**it == name).map(|(_, schema)| schema)
    }

    /// The properties by name, for many look-ups: [`property`](Self::property) walks the list.
    pub fn index(&self) -> HashMap<&str, &Schema> {
        self.properties.iter().map(|(name, it)| (&**name, it)).collect()
    }

    /// The schema of every item, if there is one.
    pub fn item(&self) -> Option<&Schema> {
        match &self.items {
            Some(Items::Schema(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The schema of undeclared keys: none for `true`, `false` and nothing.
    pub fn additional(&self) -> Option<&Schema> {
        match &self.additional_properties {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        }
    }

    /// Whether the node keeps what it does not declare.
    pub fn preserves(&self) -> bool {
        self.preserve == Some(true)
    }

    /// Where a keyword is written.
    pub fn keyword(&self, name: &str) -> Option<&Keyword> {
        self.written.iter().find(|it| it.name() == name)
    }

    /// Whether a keyword is written with a value that is not null, be it empty.
    pub fn writes(&self, name: &str) -> bool {
        self.keyword(name).is_some_and(|it| !it.null)
    }

    /// The key that introduces the node; else the node.
    pub fn introduced(&self) -> Span {
        if self.key.is_empty() { self.at } else { self.key }
    }

    /// What to point at when a keyword is wrong: the keyword with its value, the keyword alone where a schema or list
    /// follows, what introduces the node where it is missing.
    pub fn span(&self, name: &str) -> Span {
        let nested = matches!(
            name,
            "properties"
                | "patternProperties"
                | "additionalProperties"
                | "additionalItems"
                | "items"
                | "definitions"
                | "dependencies"
                | "allOf"
                | "anyOf"
                | "oneOf"
                | "not"
                | "enum"
                | "required"
                | "default"
                | "x-kubernetes-validations"
                | "x-kubernetes-list-map-keys"
        );
        match self.keyword(name) {
            Some(it) if nested || it.value.is_empty() => it.key,
            Some(it) => it.key.to(it.value),
            None => self.introduced(),
        }
    }
}
