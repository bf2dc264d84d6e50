//! Objects between clients, versions and storage: decode, coerce, default, convert, encode.
//!
//! Mirrors `unstructuredSchemaCoercer`, `unstructuredDefaulter` and the storage codec of
//! apiextensions-apiserver/pkg/apiserver/customresource_handler.go.

use super::default;
use super::embedded;
use super::go;
use super::meta;
use super::nulls;
use super::prune;
use super::prune::Lost;
use super::serving::Serving;
use serde_json::Map;
use serde_json::Value;

/// An object's content.
pub(super) type Object = Map<String, Value>;

/// What is read from storage, and what the readers in between did not let through.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// A mapping.
    pub(super) object: Value,
    /// Why it is not certain.
    pub(super) unknown: Option<String>,
}

/// The group and the version of an `apiVersion`.
pub(super) fn parse_api_version(text: &str) -> Result<(&str, &str), String> {
    match text.matches('/').count() {
        _ if text.is_empty() || text == "/" => Ok(("", "")),
        0 => Ok(("", text)),
        1 => Ok(text.split_once('/').unwrap_or_default()),
        _ => Err(format!("unexpected GroupVersion string: {text}")),
    }
}

/// A top-level text; empty where it is absent.
fn nested_text<'o>(object: &'o Object, key: &str) -> Result<&'o str, String> {
    match object.get(key) {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!(
            ".{key} accessor error: {} is of the type {}, expected string",
            go::sprint(other),
            go::type_name(other)
        )),
    }
}

pub(super) fn text_at<'o>(object: &'o Object, key: &str) -> &'o str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

impl Serving<'_> {
    /// Prunes, removes nulls and coerces, by the schema of the version that the object names.
    ///
    /// `stored`: malformed metadata is dropped instead of refused, and a generation of 0 becomes 1.
    pub(super) fn coerce(
        &self,
        object: &mut Object,
        stored: bool,
        mut lost: Option<&mut Vec<Lost>>,
    ) -> Result<(), String> {
        let kind = nested_text(object, "kind")?;
        let named = parse_api_version(nested_text(object, "apiVersion")?);
        let ours = named.map(|(group, version)| {
            (group == self.crd.group && kind == self.crd.names.kind).then(|| self.version(version))
        });
        // It is put back at the end, whatever happens to the rest.
        let taken = object.get_mut("metadata").map(|it| std::mem::replace(it, Value::Object(Map::new())));
        let mut metadata = taken.map(|it| meta::decode(it, stored)).transpose()?;
        if let (Some(metadata), Some(lost)) = (&metadata, &mut lost) {
            let paths = metadata.unknown.iter().map(|it| format!("metadata.{it}"));
            lost.extend(paths.map(|path| Lost { path, at: Default::default() }));
        }
        if let Some(served) = ours? {
            let schema = served.and_then(|it| it.schema);
            if !self.crd.preserve_unknown_fields {
                let mut dropped = Vec::new();
                prune::root(object, schema, &mut dropped);
                if let Some(lost) = &mut lost {
                    lost.append(&mut dropped);
                }
                nulls::remove(object, schema, self.defaults(served));
            }
            embedded::coerce(object, schema, false, stored, lost).map_err(|it| it.text())?;
            if let Some(metadata) =
                metadata.as_mut().filter(|it| stored && !it.fields.contains_key("generation"))
            {
                metadata.fields.insert("generation".to_owned(), Value::from(1));
            }
        }
        if let (Some(metadata), Some(place)) = (metadata, object.get_mut("metadata")) {
            *place = Value::Object(metadata.fields);
        }
        Ok(())
    }

    /// Fills in the defaults of the version that the object names.
    pub(super) fn default(&self, object: &mut Object) {
        let Ok((group, version)) = parse_api_version(text_at(object, "apiVersion")) else { return };
        if group == self.crd.group && text_at(object, "kind") == self.crd.names.kind {
            let served = self.version(version);
            default::fill(object, served.and_then(|it| it.schema), self.defaults(served));
        }
    }

    /// What a stored object is when read in a version.
    pub(super) fn read(&self, stored: &Value, version: &str, revision: u64) -> Result<Read, String> {
        let Value::Object(stored) = stored else {
            return Err(format!("json: cannot unmarshal {} into Go value", go::type_name(stored)));
        };
        let mut object = stored.clone();
        object.values_mut().for_each(go::reencode);
        if object.contains_key("items") {
            return Err("unexpected *unstructured.UnstructuredList in storage".to_owned());
        }
        if text_at(&object, "kind").is_empty() {
            let shown = go::to_json(&Value::Object(object));
            return Err(format!("Object 'Kind' is missing in '{shown}'"));
        }
        self.coerce(&mut object, true, None)?;
        self.default(&mut object);
        let api_version = text_at(&object, "apiVersion").to_owned();
        let (group, from) = parse_api_version(&api_version)?;
        if group != self.crd.group || self.version(from).is_none() {
            return Err(format!("request to convert CR from an invalid group/version: {api_version}"));
        }
        let unknown = self.conversion(from, version);
        object.insert("apiVersion".to_owned(), Value::from(format!("{}/{version}", self.crd.group)));
        self.coerce(&mut object, false, None)?;
        set_meta(&mut object, "resourceVersion", Some(Value::from(revision.to_string())));
        Ok(Read { object: Value::Object(object), unknown })
    }

    /// What is stored of an object; `lost` gets what only the storage version's schema drops.
    pub(super) fn store(&self, object: Value, lost: &mut Vec<Lost>) -> Result<Value, String> {
        let Value::Object(mut object) = object else { return Ok(object) };
        set_meta(&mut object, "resourceVersion", None);
        set_meta(&mut object, "selfLink", None);
        let (_, version) = parse_api_version(text_at(&object, "apiVersion"))?;
        if version != self.storage {
            object
                .insert("apiVersion".to_owned(), Value::from(format!("{}/{}", self.crd.group, self.storage)));
            self.coerce(&mut object, false, Some(lost))?;
        }
        let mut stored = Value::Object(object);
        go::reencode(&mut stored);
        Ok(stored)
    }

    /// Why a conversion between two versions cannot be followed, if it cannot.
    pub(super) fn conversion(&self, from: &str, to: &str) -> Option<String> {
        let webhook = from != to && self.crd.conversion.strategy == "Webhook";
        webhook.then(|| format!("a webhook converts from {from} to {to}"))
    }
}

/// Sets or removes a field of the metadata, which is made if need be.
pub(super) fn set_meta(object: &mut Object, key: &str, value: Option<Value>) {
    match (object.get_mut("metadata"), value) {
        (Some(Value::Object(metadata)), Some(value)) => {
            metadata.insert(key.to_owned(), value);
        }
        (Some(Value::Object(metadata)), None) => {
            metadata.remove(key);
        }
        (None, Some(value)) => {
            let metadata = Map::from_iter([(key.to_owned(), value)]);
            object.insert("metadata".to_owned(), Value::Object(metadata));
        }
        _ => {}
    }
}

/// A field of the metadata.
pub(super) fn get_meta<'o>(object: &'o Object, key: &str) -> Option<&'o Value> {
    object.get("metadata")?.get(key)
}

/// A text of the metadata, empty where there is none.
pub(super) fn meta_text<'o>(object: &'o Object, key: &str) -> &'o str {
    get_meta(object, key).and_then(Value::as_str).unwrap_or_default()
}
