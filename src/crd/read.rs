//! Node → [`Crd`]: decoding, defaulting and conversion, as the API server does it.
//!
//! Mirrors apis/apiextensions/{v1,v1beta1}/{defaults,conversion}.go. Two passes: the first compares everything
//! outside the schemas with the tables of `shape`, the second picks the values out and reads the schemas.
//! What is wrong is reported beside the CRD as far as it can be read, so that incomplete documents can be judged.

use super::check::{Checker, KIND, V1, V1BETA1};
use super::shape;
use super::{Api, Column, Conversion, Crd, Legacy, Names, Scale, Service, Version};
use crate::schema::{self, Decoder, Mismatch, Schema, UnknownField};
use crate::yaml::{Node, Value};

/// How many versions may share what a v1beta1 CRD says at the top, of which each gets a copy.
const MAX_HEIRS: usize = 100;

/// What reading a CRD gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The CRD as far as it can be read: also when the server cannot decode it. None for what is no mapping.
    pub crd: Option<Crd>,
    /// What the server says when it cannot decode the document (400).
    pub undecodable: Option<Mismatch>,
    /// Every value of a wrong type; the server reports one of them.
    pub mismatches: Vec<Mismatch>,
    /// Fields that the server drops, with or without a warning.
    pub unknown: Vec<UnknownField>,
}

impl Read {
    /// The errors of the server's strict decoding about unknown fields, in its own words.
    pub fn strict_errors(&self) -> Vec<String> {
        let seen = self.unknown.iter().filter(|it| !it.silent);
        seen.map(|it| format!("unknown field {}", serde_json::Value::from(it.path.as_str()))).collect()
    }
}

/// The API version of a document that is a CRD.
pub fn is_crd(node: &Node) -> Option<Api> {
    if node.get("kind")?.as_str()? != KIND {
        return None;
    }
    match node.get("apiVersion")?.as_str()? {
        V1 => Some(Api::V1),
        V1BETA1 => Some(Api::V1beta1),
        _ => None,
    }
}

/// Reads a CRD. A document that does not name its kind is taken for a CRD of v1, as the server does.
pub fn read(node: &Node) -> Read {
    let beta = node.get("apiVersion").and_then(Node::as_str) == Some(V1BETA1);
    let (api, package, shape) = match beta {
        true => (Api::V1beta1, "v1beta1", &shape::V1BETA1),
        false => (Api::V1, "v1", &shape::V1),
    };
    let mut checker = Checker { decoder: Decoder::new(package), places: Vec::new() };
    if checker.kind(node) || matches!(node.value, Value::Mapping(_)) {
        checker.fields(node, shape);
    }
    let Checker { mut decoder, mut places } = checker;
    places.sort_by(|left, right| left.path.cmp(&right.path));
    let mut crd = Crd { at: node.span, api, places, ..Crd::default() };
    fill(&mut crd, node, &mut decoder);
    crd.unread = decoder.unread.take();
    let crd = matches!(node.value, Value::Mapping(_)).then_some(crd);
    let undecodable = decoder.reported().cloned();
    Read { crd, undecodable, mismatches: decoder.mismatches, unknown: decoder.unknown }
}

/// The second pass. Wrong types have been reported: here they count as absent.
fn fill<'n>(crd: &mut Crd, node: &'n Node, decoder: &mut Decoder<'n>) {
    if let Some(metadata) = node.get("metadata") {
        crd.name = text(metadata, "name");
        crd.name_at = metadata.get("name").map(|it| it.span).unwrap_or_default();
        crd.annotations = labels(metadata, "annotations");
        crd.metadata = metadata.to_json();
    }
    let spec = node.get("spec").unwrap_or(&NOTHING);
    crd.group = text(spec, "group");
    crd.scope = text(spec, "scope");
    crd.names = names(spec.get("names").unwrap_or(&NOTHING));
    crd.conversion = conversion(spec.get("conversion").unwrap_or(&NOTHING), crd.api);
    let preserve = match spec.get("preserveUnknownFields").map(|it| &it.value) {
        Some(Value::Bool(it)) => Some(*it),
        _ => None,
    };
    let beta = crd.api == Api::V1beta1;
    crd.preserve_unknown_fields = preserve.unwrap_or(beta);
    crd.versions = versions(node, beta, decoder);
    if beta {
        legacy(crd, node, decoder);
    }
    crd.stored_versions = crd.storage_version().map(|it| it.name.clone()).into_iter().collect();
}

const NOTHING: Node = Node {
    span: crate::source::Span { start: 0, end: 0 },
    value: Value::Null,
    style: crate::yaml::Style::Plain,
    shared: false,
};

fn versions<'n>(node: &'n Node, beta: bool, decoder: &mut Decoder<'n>) -> Vec<Version> {
    let Some(spec) = node.get("spec") else { return Vec::new() };
    let items = list(spec, "versions");
    let mut out = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        decoder.enter_field("spec", "CustomResourceDefinition", Default::default());
        decoder.enter_field("versions", "CustomResourceDefinitionSpec", Default::default());
        decoder.enter_index(index);
        out.push(version(item, "schema", beta, decoder));
        decoder.leave();
        decoder.leave();
        decoder.leave();
    }
    out
}

/// One of `spec.versions`, or the top of a v1beta1 spec, where the schema is called otherwise.
fn version<'n>(node: &'n Node, validation: &'static str, beta: bool, decoder: &mut Decoder<'n>) -> Version {
    let subresources = present(node, "subresources");
    let path = if beta { "JSONPath" } else { "jsonPath" };
    Version {
        at: node.span,
        name: text(node, "name"),
        served: flag(node, "served"),
        storage: flag(node, "storage"),
        deprecated: flag(node, "deprecated"),
        deprecation_warning: present(node, "deprecationWarning")
            .and_then(|it| it.as_str())
            .map(str::to_owned),
        validation: present(node, validation).is_some(),
        schema: present(node, validation).and_then(|it| open_api_schema(it, validation, decoder)),
        subresources: subresources.is_some(),
        status_subresource: subresources.is_some_and(|it| present(it, "status").is_some()),
        scale: subresources.and_then(|it| present(it, "scale")).map(scale),
        columns: list(node, "additionalPrinterColumns").iter().map(|it| column(it, path)).collect(),
        selectable_fields: list(node, "selectableFields").iter().map(|it| text(it, "jsonPath")).collect(),
    }
}

fn open_api_schema<'n>(node: &'n Node, field: &'static str, decoder: &mut Decoder<'n>) -> Option<Schema> {
    let entry = node.entry("openAPIV3Schema").filter(|it| !it.value.is_null())?;
    let of =
        if field == "schema" { "CustomResourceDefinitionVersion" } else { "CustomResourceDefinitionSpec" };
    decoder.enter_field(field, of, Default::default());
    decoder.enter_field("openAPIV3Schema", "CustomResourceValidation", entry.key_span);
    let mut schema = schema::read(decoder, &entry.value);
    schema.key = entry.key_span;
    decoder.leave();
    decoder.leave();
    Some(schema)
}

/// Defaults of v1beta1, and its conversion: what the top says holds for every version.
fn legacy<'n>(crd: &mut Crd, node: &'n Node, decoder: &mut Decoder<'n>) {
    let spec = node.get("spec").unwrap_or(&NOTHING);
    decoder.enter_field("spec", "CustomResourceDefinition", Default::default());
    let top = version(spec, "validation", true, decoder);
    decoder.leave();
    let mut legacy = Legacy { version: text(spec, "version"), top, versions: Vec::new() };
    if crd.scope.is_empty() {
        crd.scope = "Namespaced".to_owned();
    }
    if crd.versions.is_empty() && !legacy.version.is_empty() {
        let at = spec.get("version").unwrap_or(&NOTHING).span;
        let name = legacy.version.clone();
        crd.versions.push(Version { at, name, served: true, storage: true, ..Version::default() });
    }
    if let (true, Some(first)) = (legacy.version.is_empty(), crd.versions.first()) {
        legacy.version = first.name.clone();
    }
    if crd.conversion.strategy == "Webhook" && crd.conversion.review_versions.is_empty() {
        crd.conversion.review_versions = vec!["v1beta1".to_owned()];
    }
    if crd.versions.len() > MAX_HEIRS {
        let message = format!("more than {MAX_HEIRS} versions of v1beta1 share a schema, and are not read");
        decoder.error(spec, message);
    }
    legacy.versions = crd.versions.clone();
    for version in crd.versions.iter_mut().take(MAX_HEIRS) {
        inherit(version, &legacy.top);
    }
    crd.legacy = Some(Box::new(legacy));
}

fn inherit(version: &mut Version, top: &Version) {
    if top.validation {
        (version.validation, version.schema) = (true, top.schema.clone());
    }
    if top.subresources {
        version.subresources = true;
        (version.status_subresource, version.scale) = (top.status_subresource, top.scale.clone());
    }
    if !top.columns.is_empty() {
        version.columns = top.columns.clone();
    }
    if !top.selectable_fields.is_empty() {
        version.selectable_fields = top.selectable_fields.clone();
    }
}

fn names(node: &Node) -> Names {
    let (kind, mut singular, mut list_kind) =
        (text(node, "kind"), text(node, "singular"), text(node, "listKind"));
    if singular.is_empty() {
        singular = kind.to_lowercase();
    }
    if list_kind.is_empty() && !kind.is_empty() {
        list_kind = format!("{kind}List");
    }
    let (short_names, categories) = (texts(node, "shortNames"), texts(node, "categories"));
    Names { plural: text(node, "plural"), singular, kind, list_kind, short_names, categories }
}

fn conversion(node: &Node, api: Api) -> Conversion {
    if node.is_null() {
        return Conversion { strategy: "None".to_owned(), ..Conversion::default() };
    }
    let (webhook, config) = match api {
        Api::V1 => (node.get("webhook").unwrap_or(&NOTHING), "clientConfig"),
        Api::V1beta1 => (node, "webhookClientConfig"),
    };
    let config = present(webhook, config);
    Conversion {
        strategy: text(node, "strategy"),
        webhook: config.is_some(),
        url: config.and_then(|it| it.get("url")).and_then(|it| it.as_str()).map(str::to_owned),
        service: config.and_then(|it| present(it, "service")).map(service),
        ca_bundle: config.map(|it| text(it, "caBundle")).unwrap_or_default(),
        review_versions: texts(webhook, "conversionReviewVersions"),
    }
}

fn service(node: &Node) -> Service {
    let path = present(node, "path").and_then(|it| it.as_str()).map(str::to_owned);
    let port = if present(node, "port").is_some() { number(node, "port") } else { 443 };
    Service { namespace: text(node, "namespace"), name: text(node, "name"), path, port }
}

fn scale(node: &Node) -> Scale {
    Scale {
        spec_replicas_path: text(node, "specReplicasPath"),
        status_replicas_path: text(node, "statusReplicasPath"),
        label_selector_path: present(node, "labelSelectorPath").and_then(|it| it.as_str()).map(str::to_owned),
    }
}

fn column(node: &Node, path: &str) -> Column {
    Column {
        at: node.span,
        name: text(node, "name"),
        ty: text(node, "type"),
        format: text(node, "format"),
        description: text(node, "description"),
        priority: number(node, "priority"),
        json_path: text(node, path),
    }
}

/// A key's value that is not null.
fn present<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.get(key).filter(|it| !it.is_null())
}

fn list<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.get(key).map(Node::items).unwrap_or_default()
}

fn text(node: &Node, key: &str) -> String {
    node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned()
}

fn texts(node: &Node, key: &str) -> Vec<String> {
    list(node, key).iter().map(|it| it.as_str().unwrap_or_default().to_owned()).collect()
}

fn labels(node: &Node, key: &str) -> Vec<(String, String)> {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    entries.iter().map(|it| (it.key.to_string(), it.value.as_str().unwrap_or_default().to_owned())).collect()
}

fn flag(node: &Node, key: &str) -> bool {
    node.get(key).is_some_and(|it| it.value == Value::Bool(true))
}

fn number(node: &Node, key: &str) -> i64 {
    match node.get(key).map(|it| &it.value) {
        Some(Value::Int(it)) => *it,
        _ => 0,
    }
}
