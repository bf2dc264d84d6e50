//! Node → [`Schema`], as the API server decodes `JSONSchemaProps`.
//!
//! Mirrors apis/apiextensions/v1/{types_jsonschema,marshal}.go. Null is absence everywhere. What may stand where
//! is judged by [`server`](crate::server).

use super::decode::{Decoder, Level};
use super::suggest;
use super::{Additional, Dependency, Items, Keyword, Keywords, Schema, TYPES, ValidationRule};
use crate::source::Span;
use crate::yaml::{Entry, Node, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// How many schemas may be nested; deeper ones are not read, and what the server makes of them is unknown.
///
/// Every walk over a schema recurses. This many levels fit a stack of 2 MB even in a build without optimization.
pub const MAX_DEPTH: usize = 128;

/// The Go type of a schema; `~` is the package.
const PROPS: &str = "~.JSONSchemaProps";
const STRUCT: &str = "JSONSchemaProps";

/// Reads a schema. What is wrong is left in the decoder; the rest is read all the same.
pub fn read<'n>(decoder: &mut Decoder<'n>, node: &'n Node) -> Schema {
    let mut out = Schema::default();
    Reader { decoder, depth: 0, seen: Keywords::NONE }.schema(node, &mut out);
    out
}

/// What reading a schema alone gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The schema, as far as it can be read.
    pub schema: Schema,
    /// What the server says of the schema when it cannot decode it.
    pub undecodable: Option<super::Mismatch>,
    /// Why not all of the schema is read, if so.
    pub unread: Option<String>,
    /// Keywords that the server does not know; paths start at the schema.
    pub unknown: Vec<super::UnknownField>,
}

/// Reads a schema that stands in no CRD.
pub fn read_alone(node: &Node) -> Read {
    let mut decoder = Decoder::new("v1");
    let schema = read(&mut decoder, node);
    Read {
        schema,
        undecodable: decoder.reported().cloned(),
        unread: decoder.unread,
        unknown: decoder.unknown,
    }
}

struct Reader<'d, 'n> {
    decoder: &'d mut Decoder<'n>,
    depth: usize,
    /// What has been read of the schema that is being read, and below it.
    seen: Keywords,
}

impl<'n> Reader<'_, 'n> {
    /// Fills a schema in place: it is too large to be moved about.
    fn schema(&mut self, node: &'n Node, out: &mut Schema) {
        out.at = node.span;
        if self.depth >= MAX_DEPTH {
            let why = || format!("schemas are nested more than {MAX_DEPTH} deep, and are not read below");
            self.decoder.unread.get_or_insert_with(why);
            return;
        }
        let entries = self.decoder.entries(node, PROPS);
        out.written.reserve(entries.len());
        let around = std::mem::replace(&mut self.seen, Keywords::NONE);
        self.depth += 1;
        for entry in entries {
            self.entry(entry, out);
        }
        self.depth -= 1;
        out.within = self.seen;
        self.seen = self.seen.or(around);
    }

    fn entry(&mut self, entry: &'n Entry, out: &mut Schema) {
        let node = &entry.value;
        let Some(keyword) = Keyword::new(&entry.key, entry.key_span, node.span, node.is_null()) else {
            self.decoder.enter_field(&entry.key, STRUCT, entry.key_span);
            self.decoder.unknown_here(entry, Level::Schema, suggest::unknown(Level::Schema, entry));
            return self.decoder.leave();
        };
        let name = keyword.name();
        self.seen = self.seen.or(Keywords::from(&keyword));
        out.written.push(keyword);
        let before = self.decoder.mismatches.len();
        self.decoder.enter_field(name, STRUCT, entry.key_span);
        let known =
            self.scalar(name, node, out) || self.extension(name, node, out) || self.nested(name, entry, out);
        debug_assert!(known, "{name} is not decoded");
        self.decoder.leave();
        if let Some(mismatch) = self.decoder.mismatches.get_mut(before).filter(|it| it.at == node.span) {
            mismatch.suggestion = mismatch.suggestion.or_else(|| suggest::wrong_type(name, &node.value));
        }
    }

    fn scalar(&mut self, name: &str, node: &'n Node, out: &mut Schema) -> bool {
        let decoder = &mut *self.decoder;
        match name {
            "id" => out.id = decoder.text(node, "string"),
            "$schema" => out.schema = decoder.text(node, "~.JSONSchemaURL"),
            "$ref" => out.reference = decoder.optional_text(node, "string"),
            "description" => out.description = decoder.shared(node, "string").filter(|it| !it.is_empty()),
            "title" => out.title = decoder.text(node, "string"),
            "type" => out.ty = word(decoder.str(node, "string")),
            "format" => out.format = decoder.text(node, "string"),
            "pattern" => out.pattern = decoder.text(node, "string"),
            "nullable" => out.nullable = decoder.flag(node) == Some(true),
            "uniqueItems" => out.unique_items = decoder.flag(node) == Some(true),
            "exclusiveMaximum" => out.exclusive_maximum = decoder.flag(node) == Some(true),
            "exclusiveMinimum" => out.exclusive_minimum = decoder.flag(node) == Some(true),
            "maximum" => out.maximum = decoder.float(node),
            "minimum" => out.minimum = decoder.float(node),
            "multipleOf" => out.multiple_of = decoder.float(node),
            "maxLength" => out.max_length = decoder.int(node),
            "minLength" => out.min_length = decoder.int(node),
            "maxItems" => out.max_items = decoder.int(node),
            "minItems" => out.min_items = decoder.int(node),
            "maxProperties" => out.max_properties = decoder.int(node),
            "minProperties" => out.min_properties = decoder.int(node),
            "required" => out.required = decoder.texts(node),
            "default" => out.default = (!node.is_null()).then(|| node.to_json()),
            "example" => out.example = (!node.is_null()).then(|| node.to_json()),
            "enum" => out.enumeration = decoder.items(node, "[]~.JSON").iter().map(Node::to_json).collect(),
            _ => return false,
        }
        true
    }

    fn extension(&mut self, name: &str, node: &'n Node, out: &mut Schema) -> bool {
        let decoder = &mut *self.decoder;
        match name {
            "x-kubernetes-preserve-unknown-fields" => out.preserve = decoder.flag(node),
            "x-kubernetes-embedded-resource" => out.embedded = decoder.flag(node) == Some(true),
            "x-kubernetes-int-or-string" => out.int_or_string = decoder.flag(node) == Some(true),
            "x-kubernetes-list-type" => out.list_type = decoder.optional_text(node, "string"),
            "x-kubernetes-list-map-keys" => out.list_map_keys = decoder.texts(node),
            "x-kubernetes-map-type" => out.map_type = decoder.optional_text(node, "string"),
            "x-kubernetes-validations" => {
                let items = decoder.items(node, "~.ValidationRules");
                let read = |(index, item)| decoder.index(index, |it| rule(it, item));
                out.validations = items.iter().enumerate().map(read).collect();
            }
            _ => return false,
        }
        true
    }

    fn nested(&mut self, name: &str, entry: &'n Entry, out: &mut Schema) -> bool {
        let (node, key) = (&entry.value, entry.key_span);
        match name {
            "properties" => out.properties = self.map(node, Level::Properties),
            "patternProperties" => out.pattern_properties = self.map(node, Level::Other),
            "definitions" => out.definitions = self.map(node, Level::Other),
            "allOf" => out.all_of = self.list(node),
            "oneOf" => out.one_of = self.list(node),
            "anyOf" => out.any_of = self.list(node),
            "not" => out.not = (!node.is_null()).then(|| self.boxed(node, key)),
            "items" => out.items = self.items(node, key),
            "additionalProperties" => out.additional_properties = self.additional(node, key),
            "additionalItems" => out.additional_items = self.additional(node, key),
            "dependencies" => out.dependencies = self.dependencies(node),
            "externalDocs" => out.external_docs = external_docs(self.decoder, node),
            _ => return false,
        }
        true
    }

    fn boxed(&mut self, node: &'n Node, key: Span) -> Box<Schema> {
        let mut out = Box::new(Schema { key, ..Schema::default() });
        self.schema(node, &mut out);
        out
    }

    fn list(&mut self, node: &'n Node) -> Vec<Schema> {
        let items = self.decoder.items(node, "[]~.JSONSchemaProps");
        let mut out: Vec<Schema> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            out.push(Schema::default());
            self.decoder.enter_index(index);
            self.schema(item, out.last_mut().expect("just pushed"));
            self.decoder.leave();
        }
        out
    }

    fn map(&mut self, node: &'n Node, level: Level) -> Vec<(Arc<str>, Schema)> {
        let entries = self.decoder.entries(node, "map[string]~.JSONSchemaProps");
        let mut out: Vec<(Arc<str>, Schema)> = Vec::with_capacity(entries.len());
        for entry in entries {
            let schema = Schema { key: entry.key_span, ..Schema::default() };
            out.push((entry.key.clone(), schema));
            let before = self.decoder.mismatches.len();
            self.decoder.enter_key(&entry.key, entry.key_span);
            self.schema(&entry.value, &mut out.last_mut().expect("just pushed").1);
            self.decoder.leave();
            if level == Level::Properties && !matches!(entry.value.value, Value::Mapping(_)) {
                let suggestion = suggest::unknown(Level::Properties, entry);
                self.decoder.mismatches[before..].iter_mut().for_each(|it| it.suggestion = suggestion);
            }
        }
        out
    }

    fn items(&mut self, node: &'n Node, key: Span) -> Option<Items> {
        self.decoder.enter_custom();
        let out = match &node.value {
            Value::Null => None,
            Value::Mapping(_) => Some(Items::Schema(self.boxed(node, key))),
            Value::Sequence(_) => {
                self.seen = self.seen.or(Keywords::LIST_OF_ITEMS);
                Some(Items::List(self.list(node)))
            }
            _ => Some(Items::List(Vec::new())),
        };
        self.decoder.leave_custom();
        out
    }

    fn additional(&mut self, node: &'n Node, key: Span) -> Option<Additional> {
        self.decoder.enter_custom();
        let out = match &node.value {
            Value::Null => None,
            Value::Bool(allowed) => Some(Additional::Allowed(*allowed)),
            Value::Mapping(_) => Some(Additional::Schema(self.boxed(node, key))),
            _ => {
                self.decoder.error(node, "boolean or JSON schema expected".to_owned());
                None
            }
        };
        self.decoder.leave_custom();
        out
    }

    fn dependencies(&mut self, node: &'n Node) -> Option<Vec<(Arc<str>, Dependency)>> {
        let entries = self.decoder.entries(node, "~.JSONSchemaDependencies");
        let mut out = Vec::with_capacity(entries.len());
        for entry in entries {
            self.decoder.enter_key(&entry.key, entry.key_span);
            self.decoder.enter_custom();
            let dependency = match &entry.value.value {
                Value::Mapping(_) => Dependency::Schema(self.boxed(&entry.value, entry.key_span)),
                Value::Sequence(_) => Dependency::Names(self.decoder.texts(&entry.value)),
                _ => Dependency::Names(Vec::new()),
            };
            self.decoder.leave_custom();
            self.decoder.leave();
            out.push((entry.key.clone(), dependency));
        }
        (!node.is_null()).then_some(out)
    }
}

/// A type, which mostly is a known word and then takes no memory of its own.
fn word(text: &str) -> Cow<'static, str> {
    match TYPES.into_iter().find(|it| *it == text) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(text.to_owned()),
    }
}

fn rule<'n>(decoder: &mut Decoder<'n>, node: &'n Node) -> ValidationRule {
    let mut out = ValidationRule { at: node.span, ..ValidationRule::default() };
    for entry in decoder.entries(node, "~.ValidationRule") {
        let value = &entry.value;
        decoder.enter_field(&entry.key, "ValidationRule", entry.key_span);
        match &*entry.key {
            "rule" => out.rule = decoder.text(value, "string"),
            "message" => out.message = decoder.text(value, "string"),
            "messageExpression" => out.message_expression = decoder.text(value, "string"),
            "reason" => out.reason = decoder.optional_text(value, "~.FieldValueErrorReason"),
            "fieldPath" => out.field_path = decoder.text(value, "string"),
            "optionalOldSelf" => out.optional_old_self = decoder.flag(value),
            _ => decoder.unknown_here(entry, Level::Rule, suggest::unknown(Level::Rule, entry)),
        }
        decoder.leave();
    }
    out
}

fn external_docs<'n>(decoder: &mut Decoder<'n>, node: &'n Node) -> Option<(String, String)> {
    let (mut description, mut url) = (String::new(), String::new());
    for entry in decoder.entries(node, "~.ExternalDocumentation") {
        decoder.enter_field(&entry.key, "ExternalDocumentation", entry.key_span);
        match &*entry.key {
            "description" => description = decoder.text(&entry.value, "string"),
            "url" => url = decoder.text(&entry.value, "string"),
            _ => decoder.unknown_here(entry, Level::Other, None),
        }
        decoder.leave();
    }
    (!node.is_null()).then_some((description, url))
}
