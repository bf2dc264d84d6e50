//! "Did you mean": what was probably meant by a field that the API server does not know there.
//!
//! Knows the words of the CRD format and of the dialects people mix up with it; changes nothing.

use super::decode::{Level, Suggestion};
use super::keyword::KEYWORDS;
use crate::yaml::{Entry, Value};

/// Words of other JSON Schema dialects, with what to do instead.
const FOREIGN: &[(&str, &str)] = &[
    ("readOnly", "a structural schema has no `readOnly`; leave it out"),
    ("writeOnly", "a structural schema has no `writeOnly`; leave it out"),
    ("deprecated", "say it in `description`; `deprecated` exists for versions only"),
    ("const", "write `enum` with one value"),
    ("if", "write a rule of `x-kubernetes-validations`, or `anyOf` with `not`"),
    ("then", "write a rule of `x-kubernetes-validations`, or `anyOf` with `not`"),
    ("else", "write a rule of `x-kubernetes-validations`, or `anyOf` with `not`"),
    ("examples", "write one `example`"),
    ("contains", "write a rule of `x-kubernetes-validations`"),
    ("propertyNames", "write a rule of `x-kubernetes-validations`"),
    ("dependentRequired", "write a rule of `x-kubernetes-validations`"),
    ("dependentSchemas", "write a rule of `x-kubernetes-validations`"),
    ("unevaluatedProperties", "the server drops undeclared fields anyway; leave it out"),
    ("$defs", "write every schema out in place; references are not supported"),
    ("$id", "leave it out; references are not supported"),
    ("$anchor", "leave it out; references are not supported"),
    ("$comment", "write a comment of YAML, or `description`"),
    ("discriminator", "write `oneOf` with `enum` or `required`"),
    ("xml", "leave it out"),
    ("x-kubernetes-group-version-kind", "leave it out; it belongs to published OpenAPI documents"),
    ("x-kubernetes-patch-strategy", "write `x-kubernetes-list-type`"),
    ("x-kubernetes-patch-merge-key", "write `x-kubernetes-list-map-keys`"),
    ("x-kubernetes-unions", "write `oneOf`"),
];

const SPEC: &[&str] = &["group", "names", "scope", "versions", "conversion", "preserveUnknownFields"];
const VERSION: &[&str] = &[
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "selectableFields",
];
const NAMES: &[&str] = &["plural", "singular", "shortNames", "kind", "listKind", "categories"];
const COLUMN: &[&str] = &["name", "type", "format", "description", "priority", "jsonPath"];
const RULE: &[&str] = &["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];
const SCALE: &[&str] = &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"];
const CONVERSION: &[&str] = &["strategy", "webhook", "clientConfig", "conversionReviewVersions"];

/// Where a keyword of a schema belongs.
const IN_SCHEMA: &str = "in a node of the schema below `openAPIV3Schema`, beside its `type`";

/// What was probably meant by an entry at a level where its name is unknown.
pub fn unknown(level: Level, entry: &Entry) -> Option<Suggestion> {
    let name = &*entry.key;
    if let Some(belongs) = misplaced(level, name) {
        return Some(belongs);
    }
    if level == Level::Schema
        && let Some((_, instead)) = FOREIGN.iter().find(|it| it.0 == name)
    {
        return Some(Suggestion::Foreign { instead });
    }
    if let Some(known) = closest(name, fields(level)) {
        return Some(Suggestion::Misspelt(known));
    }
    if matches!(level, Level::Schema | Level::Properties) {
        return None.or_else(|| undeclared_property(level, entry));
    }
    closest_extension(name).map(|name| Suggestion::Misplaced { name, belongs: IN_SCHEMA })
}

/// What was probably meant by a keyword whose value is of the wrong type.
pub(super) fn wrong_type(keyword: &str, value: &Value) -> Option<Suggestion> {
    let instead = match (keyword, value) {
        ("type", Value::Sequence(_)) => "write one type, and `nullable: true` if null is another",
        ("exclusiveMinimum", Value::Int(_) | Value::UInt(_) | Value::Float(_)) => {
            "write the number as `minimum`, and `exclusiveMinimum: true`"
        }
        ("exclusiveMaximum", Value::Int(_) | Value::UInt(_) | Value::Float(_)) => {
            "write the number as `maximum`, and `exclusiveMaximum: true`"
        }
        ("required", Value::Bool(_)) => "name the property in the list `required` of what holds it",
        ("required" | "enum" | "x-kubernetes-list-map-keys", Value::String(_)) => "write a list",
        ("$ref", Value::Mapping(_)) => "write the schema out in place; references are not supported",
        _ => return None,
    };
    Some(Suggestion::Foreign { instead })
}

/// A mapping that looks like a schema, written beside `type` instead of below `properties`.
fn undeclared_property(level: Level, entry: &Entry) -> Option<Suggestion> {
    let Value::Mapping(entries) = &entry.value.value else { return None };
    let schema = entries.iter().any(|it| &*it.key == "type" || &*it.key == "properties");
    let belongs = "below `properties`";
    (level == Level::Schema && schema).then_some(Suggestion::Misplaced { name: "", belongs })
}

fn fields(level: Level) -> &'static [&'static str] {
    match level {
        Level::Schema => &KEYWORDS,
        Level::Document => &["apiVersion", "kind", "metadata", "spec", "status"],
        Level::Spec => SPEC,
        Level::Version => VERSION,
        Level::Names => NAMES,
        Level::Validation => &["openAPIV3Schema"],
        Level::Subresources => &["status", "scale"],
        Level::Scale => SCALE,
        Level::Column => COLUMN,
        Level::SelectableField => &["jsonPath"],
        Level::Rule => RULE,
        Level::Conversion => CONVERSION,
        Level::Metadata => {
            &["name", "annotations", "labels", "finalizers", "ownerReferences", "generateName"]
        }
        Level::Properties | Level::Status | Level::Other => &[],
    }
}

/// A field that has a meaning at another level.
fn misplaced(level: Level, name: &str) -> Option<Suggestion> {
    let at = |name, belongs| Some(Suggestion::Misplaced { name, belongs });
    let schema_keyword = KEYWORDS.binary_search(&name).ok().map(|it| KEYWORDS[it]);
    match (level, name) {
        (Level::Spec, "validation") => at("schema", "in every entry of `spec.versions`, as `schema`"),
        (Level::Spec, "version") => at("name", "in an entry of `spec.versions`, as `name`"),
        (Level::Spec | Level::Document | Level::Validation, "subresources") => {
            at("subresources", "in every entry of `spec.versions`")
        }
        (Level::Spec | Level::Document | Level::Validation, "additionalPrinterColumns") => {
            at("additionalPrinterColumns", "in every entry of `spec.versions`")
        }
        (Level::Spec | Level::Document, "schema") => at("schema", "in every entry of `spec.versions`"),
        (Level::Spec | Level::Version, "openAPIV3Schema") => {
            at("openAPIV3Schema", "below `schema` of a version")
        }
        (Level::Spec, "plural" | "singular" | "kind" | "listKind" | "shortNames" | "categories") => {
            at("names", "below `spec.names`")
        }
        (Level::Conversion, "conversionReviewVersions") => {
            at("conversionReviewVersions", "below `conversion.webhook`")
        }
        (Level::Conversion, "clientConfig" | "webhookClientConfig") => {
            at("clientConfig", "below `conversion.webhook`")
        }
        (Level::Version, "status" | "scale") => at("subresources", "below `subresources`"),
        (Level::Document, "group" | "names" | "scope" | "versions") => at("spec", "below `spec`"),
        (Level::Properties, _) => schema_keyword
            .or_else(|| closest_extension(name))
            .map(|name| Suggestion::Misplaced { name, belongs: "one level up, beside `properties`" }),
        (Level::Schema, "served" | "storage" | "subresources" | "additionalPrinterColumns") => {
            at("versions", "in an entry of `spec.versions`")
        }
        (Level::Spec | Level::Version | Level::Validation | Level::Document, _) => schema_keyword
            .filter(|it| it.starts_with("x-") || matches!(*it, "properties" | "type" | "required"))
            .map(|name| Suggestion::Misplaced { name, belongs: IN_SCHEMA }),
        _ => None,
    }
}

/// The extension that a name resembles: `x-preserve-unknown-fields`, `preserveUnknownFields`…
fn closest_extension(name: &str) -> Option<&'static str> {
    let words = fold(name);
    let bare = words.strip_prefix("xkubernetes").or(words.strip_prefix('x')).unwrap_or(&words);
    let extensions = || KEYWORDS.iter().copied().filter(|it| it.starts_with("x-kubernetes-"));
    let near = |it: &&str| {
        let known = fold(&it["x-kubernetes-".len()..]);
        distance(bare, &known, 3).is_some_and(|far| far * 5 <= known.len())
    };
    extensions().find(near).or_else(|| (bare == "preserve").then_some("x-kubernetes-preserve-unknown-fields"))
}

/// The known name that a name resembles most.
fn closest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    if std::ptr::eq(known.as_ptr(), KEYWORDS.as_ptr())
        && let Some(extension) = closest_extension(name)
    {
        return Some(extension);
    }
    let folded = fold(name);
    let limit = (folded.chars().count() / 3).min(3);
    known
        .iter()
        // A name that other places of the level know is not misspelt.
        .filter(|it| **it != name)
        .filter_map(|it| distance(&folded, &fold(it), limit).map(|far| (far, *it)))
        .min_by_key(|it| it.0)
        .map(|it| it.1)
}

/// Letters and digits in lower case: spelling with dashes, underscores or capitals is the same word.
fn fold(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The edits (insert, delete, replace, swap neighbors) between two words, when they are at most `limit`.
fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for i in 0..left.len() {
        let mut next = vec![i + 1; right.len() + 1];
        for j in 0..right.len() {
            let replaced = row[j] + usize::from(left[i] != right[j]);
            next[j + 1] = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|it| *it <= limit)
}
