//! Whether a value satisfies a schema, with the server's own errors.
//!
//! Mirrors k8s.io/kube-openapi/pkg/validation/validate, with the quirks of its types, enums and numbers, and
//! apiextensions-apiserver/pkg/apiserver/validation/{validation,formats}.go. Nothing here prunes or defaults.

pub mod formats;
mod junctors;
pub(super) mod lists;
mod mail;
mod numbers;
pub mod pattern;
mod re2;
mod scalars;
mod uri;

use super::go;
use super::problem::NO_FIELD;
use super::problem::Problem;
use super::ratchet::Correlated;
use crate::schema::Additional;
use crate::schema::Items;
use crate::schema::Schema;
use crate::source::Span;
use scalars::Types;
use serde_json::Map;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;

/// What one validation needs besides value and schema.
pub(super) struct Validator<'a> {
    /// The compiled patterns.
    patterns: &'a pattern::Patterns,
    /// Why the outcome is not certain.
    pub(super) unknown: RefCell<Vec<String>>,
    /// Whether schemas are taken as they are written: `x-kubernetes-int-or-string` is no type, formats stay, and
    /// `1.0` in an enum is a float.
    literal: bool,
}

/// An error of kube-openapi, before it is tied to a field.
#[derive(Debug)]
struct Finding {
    /// Its text: the same text is reported once.
    message: String,
    /// The path it names; none for errors that name no field.
    name: Option<String>,
    what: What,
    at: Span,
}

#[derive(Debug)]
enum What {
    Invalid(Value),
    /// The type that the value has.
    Type(&'static str),
    /// A text that is not of the format.
    TypeOf(String),
    Required,
    Enum(Value, Vec<String>),
    TooLong(i64),
    TooMany(i64, i64),
}

/// The errors of a value, and how many checks it passed: the branch of a junctor that passed most explains best.
#[derive(Debug, Default)]
struct Outcome {
    errors: Vec<Finding>,
    /// The texts of the errors, once there are many.
    seen: HashSet<String>,
    matched: u64,
}

/// From how many errors on their texts are looked up in a set.
const MANY: usize = 32;

impl Outcome {
    fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    fn add(&mut self, finding: Finding) {
        if self.errors.len() < MANY {
            if self.errors.iter().any(|it| it.message == finding.message) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen.extend(self.errors.iter().map(|it| it.message.clone()));
            }
            if !self.seen.insert(finding.message.clone()) {
                return;
            }
        }
        self.errors.push(finding);
    }

    fn merge(&mut self, other: Outcome) {
        self.matched += other.matched;
        if self.errors.is_empty() {
            self.errors = other.errors;
            self.seen = other.seen;
        } else {
            other.errors.into_iter().for_each(|it| self.add(it));
        }
    }
}

/// A path into the value, written out only for errors.
#[derive(Clone, Copy)]
enum Path<'p> {
    Root,
    Property(&'p Path<'p>, &'p str),
    Additional(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Index(above, index) => format!("{}[{index}]", above.text()),
            Path::Additional(above, key) => format!("{}.{key}", above.text()),
            Path::Property(above, key) => {
                let above = above.text();
                if above.is_empty() { (*key).to_owned() } else { format!("{above}.{key}") }
            }
        }
    }

    fn is_root(&self) -> bool {
        matches!(self, Path::Root)
    }
}

impl<'a> Validator<'a> {
    /// Validates objects: by the schema that is converted for them (`ConvertJSONSchemaPropsWithPostProcess`).
    pub(super) fn of_objects(patterns: &'a pattern::Patterns) -> Self {
        Self { patterns, unknown: RefCell::default(), literal: false }
    }

    /// Validates defaults: by the structural schema (`Structural.ToKubeOpenAPI`), which is not converted.
    pub(super) fn of_defaults(patterns: &'a pattern::Patterns) -> Self {
        Self { literal: true, ..Self::of_objects(patterns) }
    }

    /// The errors of a value. `field` is the field that the value stands in, `status` on that endpoint.
    ///
    /// With `old`, errors of what has not changed are dropped.
    pub(super) fn validate(
        &self,
        value: &Value,
        schema: &Schema,
        field: Option<&str>,
        old: Option<&Correlated<'_>>,
    ) -> Vec<Problem> {
        let outcome = self.check(value, schema, &Path::Root, old);
        outcome.errors.into_iter().map(|it| problem(it, field)).collect()
    }

    fn check(
        &self,
        value: &Value,
        schema: &Schema,
        path: &Path<'_>,
        old: Option<&Correlated<'_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let types = Types { ty: &schema.ty, int_or_string: schema.int_or_string && !self.literal };
        if value.is_null() {
            scalars::null(types, schema, path, &mut outcome);
            return ratchet(outcome, old);
        }
        let format = if self.literal { &schema.format } else { formats::effective(schema) };
        if !types.is_empty() || !format.is_empty() {
            scalars::types(value, types, schema, format, path, &mut outcome);
            outcome.matched += 1;
        }
        outcome.merge(self.junctors(value, schema, path));
        outcome.matched += 1;
        match value {
            Value::String(text) => {
                self.string(text, schema, path, &mut outcome);
                outcome.matched += 1;
                if formats::is_known(format) {
                    scalars::format(text, schema, format, path, &mut outcome);
                    outcome.matched += 1;
                }
            }
            Value::Number(number) => {
                numbers::check(number, types, schema, format, path, &mut outcome);
                outcome.matched += 1;
            }
            Value::Array(items) => {
                self.array(items, schema, path, old, &mut outcome);
                outcome.matched += 1;
            }
            _ => {}
        }
        scalars::enumeration(value, schema, self.literal, path, &mut outcome);
        outcome.matched += 1;
        if let Value::Object(object) = value {
            self.object(object, schema, path, old, &mut outcome);
            outcome.matched += 1;
        }
        outcome.matched += 1;
        ratchet(outcome, old)
    }

    fn array(
        &self,
        items: &[Value],
        schema: &Schema,
        path: &Path<'_>,
        old: Option<&Correlated<'_>>,
        outcome: &mut Outcome,
    ) {
        for (index, item) in items.iter().enumerate() {
            let below = match &schema.items {
                Some(Items::Schema(item)) => item,
                Some(Items::List(places)) if index < places.len() => &places[index],
                _ => break,
            };
            let child = old.and_then(|it| it.index(index));
            outcome.merge(self.check(item, below, &Path::Index(path, index), child.as_ref()));
        }
        let size = items.len() as i64;
        if let Some(min) = schema.min_items.filter(|it| size < *it) {
            let text = format!("should have at least {min} items");
            outcome.add(in_body(path, &text, What::Invalid(Value::from(size)), schema));
        }
        if let Some(max) = schema.max_items.filter(|it| size > *it) {
            let text = format!("should have at most {max} items");
            outcome.add(in_body(path, &text, What::TooMany(size, max), schema));
        }
        if schema.unique_items && items.iter().enumerate().any(|(at, it)| items[..at].contains(it)) {
            let text = "shouldn't contain duplicates";
            outcome.add(in_body(path, text, What::Invalid(Value::from("")), schema));
        }
        outcome.matched += 1;
    }

    fn object(
        &self,
        object: &Map<String, Value>,
        schema: &Schema,
        path: &Path<'_>,
        old: Option<&Correlated<'_>>,
        outcome: &mut Outcome,
    ) {
        let size = object.len() as i64;
        if let Some(min) = schema.min_properties.filter(|it| size < *it) {
            let text = format!("should have at least {min} properties");
            outcome.add(in_body(path, &text, What::Invalid(Value::from(size)), schema));
        }
        if let Some(max) = schema.max_properties.filter(|it| size > *it) {
            let text = format!("should have at most {max} properties");
            outcome.add(in_body(path, &text, What::TooMany(size, max), schema));
        }
        for (key, value) in object {
            let (below, at) = match (schema.property(key), &schema.additional_properties) {
                (Some(property), _) => (property, Path::Property(path, key)),
                (None, Some(Additional::Schema(additional))) => (&**additional, Path::Additional(path, key)),
                (None, Some(Additional::Allowed(false))) => {
                    let name = path.text();
                    outcome.add(Finding {
                        message: format!("{name}.{key} in body is a forbidden property"),
                        name: Some(name),
                        what: What::Invalid(Value::from(key.as_str())),
                        at: schema.at,
                    });
                    continue;
                }
                _ => continue,
            };
            // Both versions of an object carry the same converted type: its errors are never dropped.
            let type_meta = path.is_root() && matches!(key.as_str(), "kind" | "apiVersion");
            let child = old.filter(|_| !type_meta).and_then(|it| it.key(key));
            outcome.merge(self.check(value, below, &at, child.as_ref()));
        }
        for key in schema.required.iter().filter(|it| !object.contains_key(it.as_str())) {
            outcome.add(in_body(&Path::Additional(path, key), "is required", What::Required, schema));
        }
    }
}

/// Errors of a value that equals its old one are dropped; what it passed still counts.
fn ratchet(mut outcome: Outcome, old: Option<&Correlated<'_>>) -> Outcome {
    if !outcome.is_valid() && old.is_some_and(Correlated::is_equal) {
        outcome.errors.clear();
        outcome.seen.clear();
    }
    outcome
}

/// `<path> in body <text>`.
fn in_body(path: &Path<'_>, text: &str, what: What, schema: &Schema) -> Finding {
    let name = path.text();
    Finding { message: format!("{name} in body {text}"), name: Some(name), what, at: schema.at }
}

/// An error that names no field.
fn plain(message: String, schema: &Schema) -> Finding {
    Finding { message, name: None, what: What::Invalid(Value::from("")), at: schema.at }
}

/// Mirrors `kubeOpenAPIResultToFieldErrors`.
fn problem(finding: Finding, above: Option<&str>) -> Problem {
    let field = match (above, finding.name.as_deref()) {
        (above, None | Some("" | ".")) => above.unwrap_or(NO_FIELD).to_owned(),
        (above, Some(name)) => {
            let name = name.strip_prefix('.').unwrap_or(name);
            above.map_or_else(|| name.to_owned(), |it| format!("{it}.{name}"))
        }
    };
    let mut problem = match finding.what {
        What::Required => Problem::required(field, ""),
        What::Enum(value, supported) => Problem::not_supported(field, value, &supported),
        What::TooLong(max) => Problem::too_long(field, max),
        What::TooMany(actual, max) => Problem::too_many(field, actual, max),
        What::Type(got) => Problem::new("FieldValueTypeInvalid", field, Value::from(got), finding.message),
        What::TypeOf(text) => {
            Problem::new("FieldValueTypeInvalid", field, Value::from(text), finding.message)
        }
        What::Invalid(value) => Problem::invalid(field, value, &finding.message),
    };
    problem.at = finding.at;
    problem
}
