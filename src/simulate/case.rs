//! One case: read it, ask the server model, write the answer.

use super::line::Line;
use super::steps;
use crate::crd;
use crate::crd::Crd;
use crate::server::CREATED;
use crate::server::Endpoint;
use crate::server::FieldError;
use crate::server::Serving;
use crate::server::Trace;
use crate::server::UID;
use crate::server::Unknown;
use crate::server::admit;
use crate::server::go;
use crate::source::Span;
use crate::yaml;
use crate::yaml::Node;
use serde_json::Map;
use serde_json::Value;

/// Answers a line of JSON with a line of JSON. A line that cannot be read gets an `error`; nothing fails.
pub fn answer(text: &str) -> String {
    let case = match yaml::json::parse(text) {
        Ok((case, duplicates)) => Case { case, duplicates },
        Err(error) => return refused("", &error.message),
    };
    let id = case.text_of("id");
    if !matches!(case.case.value, yaml::Value::Mapping(_)) {
        return refused("", "a case is an object");
    }
    if let Some(text) = case.case.get("yaml") {
        return match text.as_str() {
            Some(text) => decoded(id, text),
            None => refused(id, "`yaml` is a text"),
        };
    }
    case.run(id)
}

fn refused(id: &str, why: &str) -> String {
    Line::default().value("id", &Value::from(id)).text("error", &format!("bad input line: {why}")).finish()
}

/// What YAML decoders make of a text.
fn decoded(id: &str, text: &str) -> String {
    let answer = yaml::client::answer(text);
    let mut line = Line::default();
    line.value("id", &Value::from(id));
    if let Some(json) = &answer.json {
        line.raw("json", json);
    }
    line.text("error", answer.error.as_deref().unwrap_or_default());
    line.text("strict_error", answer.strict_error.as_deref().unwrap_or_default());
    if !answer.docs.is_empty() {
        line.list("docs", &answer.docs);
    }
    line.text("docs_error", answer.docs_error.as_deref().unwrap_or_default());
    if answer.docs_skipped > 0 {
        line.value("docs_skipped", &Value::from(answer.docs_skipped));
    }
    line.finish()
}

/// A case with its text.
pub(super) struct Case {
    pub(super) case: Node,
    duplicates: Vec<yaml::Duplicate>,
}

/// A CRD as it was read, and what the server says of it.
pub(super) struct Loaded {
    pub(super) crd: Option<Crd>,
    pub(super) refusals: Vec<FieldError>,
    unknown: Vec<Unknown>,
    /// Why it cannot be decoded.
    pub(super) undecodable: String,
    /// The fields of the answer's `crd` that are known before it is served.
    written: Line,
}

impl Loaded {
    /// The CRD, served: if it is accepted, or forced to be.
    pub(super) fn serve(&self, force: bool) -> Option<Result<Serving<'_>, String>> {
        let crd = self.crd.as_ref().filter(|_| force || self.refusals.is_empty())?;
        Some(Serving::new(crd))
    }

    /// The answer's `crd`.
    pub(super) fn finish(mut self, serving_error: Option<&str>) -> String {
        let line = &mut self.written;
        line.text("serving_error", serving_error.unwrap_or_default());
        if let Some(crd) = &self.crd {
            let names: Vec<String> = crd.versions.iter().map(|it| it.name.clone()).collect();
            let storage = crd.versions.iter().rfind(|it| it.storage).map_or("", |it| &it.name);
            let subresource: Map<String, Value> =
                crd.versions.iter().map(|it| (it.name.clone(), Value::from(it.status_subresource))).collect();
            line.texts("versions", &names).text("storage_version", storage);
            if !subresource.is_empty() {
                line.value("status_subresource", &Value::Object(subresource));
            }
        }
        line.finish()
    }
}

impl Case {
    pub(super) fn text_of(&self, key: &str) -> &str {
        self.case.get(key).and_then(Node::as_str).unwrap_or_default()
    }

    fn run(&self, id: &str) -> String {
        let loaded = self.load(self.case.get("crd"));
        let force = self.case.get("force_serve").is_some_and(|it| it.value == yaml::Value::Bool(true));
        let mut line = Line::default();
        let mut unknown = loaded.unknown.clone();
        let mut below = Line::default();
        let mut serving_error = None;
        match loaded.serve(force) {
            Some(Ok(serving)) => {
                self.trace(&serving, &mut below, &mut unknown);
                steps::run(self, &loaded, &serving, force, &mut below, &mut unknown);
            }
            Some(Err(error)) => serving_error = Some(error),
            None => {}
        }
        let (refusals, structural) = (loaded.refusals.clone(), structural(&loaded));
        line.value("id", &Value::from(id)).raw("crd", &loaded.finish(serving_error.as_deref()));
        line.errors("crd_errors", &refusals).errors("structural_errors", &structural);
        line.append(below);
        let mut reasons: Vec<String> = unknown.into_iter().map(|it| it.0).collect();
        reasons.sort();
        reasons.dedup();
        line.texts("unknown", &reasons);
        line.finish()
    }

    /// Reads a CRD: an object, or the text of one.
    pub(super) fn load(&self, node: Option<&Node>) -> Loaded {
        let mut written = Line::default();
        let owned;
        let (node, mut strict) = match node {
            Some(Node { value: yaml::Value::String(text), .. }) => {
                let answer = yaml::client::answer(text);
                if let Some(error) = &answer.error {
                    written.text("yaml_error", error).raw("served_api", "false").raw("errors", "[]");
                    return Loaded::undecodable(written, error);
                }
                written.texts("yaml_strict_errors", answer.strict_error.as_slice());
                owned = yaml::json::parse(answer.json.as_deref().unwrap_or("null")).map(|(node, _)| node);
                match &owned {
                    Ok(node) => (node, Vec::new()),
                    Err(error) => {
                        written
                            .text("decode_error", &error.message)
                            .raw("served_api", "false")
                            .raw("errors", "[]");
                        return Loaded::undecodable(written, &error.message);
                    }
                }
            }
            Some(node) => (node, self.duplicates(node)),
            None => {
                written.text("decode_error", "no crd given").raw("served_api", "false").raw("errors", "[]");
                return Loaded::undecodable(written, "no crd given");
            }
        };
        let read = crd::read(node);
        strict.extend(read.strict_errors());
        let undecodable = read.undecodable.map(|it| it.message).unwrap_or_default();
        let served_api = read.crd.as_ref().is_some_and(|it| it.api == crd::Api::V1);
        written.text("decode_error", &undecodable).texts("strict_errors", &strict);
        written.value("served_api", &Value::from(served_api));
        let Some(crd) = read.crd.filter(|_| undecodable.is_empty()) else {
            written.raw("errors", "[]");
            return Loaded::undecodable(written, &undecodable);
        };
        let admission = admit::create(&crd);
        let refusals: Vec<FieldError> = admission.refusals.into_iter().map(|it| it.error).collect();
        written.errors("errors", &refusals).texts("warnings", &admission.warnings);
        if crd.preserve_unknown_fields {
            written.raw("preserve_unknown_fields", "true");
        }
        Loaded { crd: Some(crd), refusals, unknown: admission.unknown, undecodable, written }
    }

    fn trace(&self, serving: &Serving<'_>, line: &mut Line, unknown: &mut Vec<Unknown>) {
        let Some(object) = self.case.get("object") else { return };
        let version = match self.text_of("version") {
            "" => serving.storage_version(),
            version => version,
        };
        if !serving.handles(version) {
            return;
        }
        let endpoint = if self.text_of("endpoint") == "status" { Endpoint::Status } else { Endpoint::Main };
        let (body, complete) = match serving_body(serving, object, version) {
            Ok(body) => body,
            Err(error) => {
                return write_trace(line, &Trace { decode_error: Some(error), ..Trace::default() }, &[]);
            }
        };
        let old = self.case.get("old").map(|it| serving_body(serving, it, version)).transpose();
        let (old, old_error) = match old {
            Ok(old) => (old.map(|(old, _)| stored(old, serving.namespaced())), None),
            Err(error) => (None, Some(format!("old: {error}"))),
        };
        let duplicates = if complete { self.duplicates(object) } else { Vec::new() };
        let mut trace = serving.trace(version, endpoint, &body, old.as_ref());
        unknown.append(&mut trace.unknown);
        if trace.decode_error.is_none() && old_error.is_some() {
            trace.decode_error = old_error;
            trace.errors.clear();
        }
        write_trace(line, &trace, &duplicates);
    }

    /// What strict decoding says about keys that occur twice below a node.
    pub(super) fn duplicates(&self, node: &Node) -> Vec<String> {
        let within = |it: &&yaml::Duplicate| node.span.start <= it.last.start && it.last.end <= node.span.end;
        duplicate_fields(node, &self.duplicates.iter().filter(within).map(|it| it.last).collect::<Vec<_>>())
    }
}

impl Loaded {
    fn undecodable(written: Line, why: &str) -> Self {
        Loaded { crd: None, refusals: Vec::new(), unknown: Vec::new(), undecodable: why.to_owned(), written }
    }
}

fn structural(loaded: &Loaded) -> Vec<FieldError> {
    let read = loaded.crd.iter().filter(|it| it.unread.is_none());
    let versions = read.flat_map(|it| it.versions.iter().enumerate());
    let schemas = versions.filter_map(|(index, it)| Some((index, it.schema.as_ref()?)));
    schemas.flat_map(|(index, it)| admit::structural_errors(it, index)).map(|it| it.error).collect()
}

fn write_trace(line: &mut Line, trace: &Trace, duplicates: &[String]) {
    line.text("decode_error", trace.decode_error.as_deref().unwrap_or_default());
    let kept = |value: &Option<Value>| value.clone().unwrap_or_default();
    let paths: Vec<String> = trace.lost.iter().map(|it| it.path.clone()).collect();
    let errors: Vec<FieldError> = trace.errors.iter().map(|it| it.error.clone()).collect();
    line.texts("duplicate_errors", duplicates).value("pruned_object", &kept(&trace.pruned));
    line.value("pruned_paths", &Value::from(paths)).value("defaulted", &kept(&trace.defaulted));
    line.errors("validation_errors", &errors);
}

/// The messages for keys that occur again at these places, in the order of the text.
pub(super) fn duplicate_fields(node: &Node, places: &[Span]) -> Vec<String> {
    let mut messages = Vec::new();
    if !places.is_empty() {
        walk(node, &mut String::new(), places, &mut messages);
    }
    messages.sort();
    messages.dedup();
    messages.into_iter().map(|(_, it)| it).collect()
}

fn walk(node: &Node, path: &mut String, places: &[Span], messages: &mut Vec<(u32, String)>) {
    let mark = path.len();
    for entry in node.entries() {
        path.push_str(if mark == 0 { "" } else { "." });
        path.push_str(&entry.key);
        if places.contains(&entry.key_span) {
            messages.push((entry.key_span.start, format!("duplicate field {}", go::quote(path))));
        }
        walk(&entry.value, path, places, messages);
        path.truncate(mark);
    }
    for (index, item) in node.items().iter().enumerate() {
        path.push_str(&format!("[{index}]"));
        walk(item, path, places, messages);
        path.truncate(mark);
    }
}

/// An object of a case, completed; whether it was complete, so that its text is the body.
pub(super) fn serving_body(
    serving: &Serving<'_>,
    node: &Node,
    version: &str,
) -> Result<(Value, bool), String> {
    completed(node.to_json(), serving.group(), version, serving.kind())
}

/// Fills in `apiVersion`, `kind` and `metadata.name`, so that cases can stay short; whether nothing was missing.
///
/// The error is the decoder's for what is no object.
pub fn completed(object: Value, group: &str, version: &str, kind: &str) -> Result<(Value, bool), String> {
    let mut object = match object {
        Value::Object(object) => object,
        Value::Null => Map::new(),
        other => {
            let ty = match other {
                Value::Array(_) => "array",
                Value::String(_) => "string",
                Value::Bool(_) => "bool",
                _ => "number",
            };
            return Err(format!(
                "json: cannot unmarshal {ty} into Go value of type map[string]interface {{}}"
            ));
        }
    };
    let given = |it: Option<&Value>| it.is_some_and(|it| !it.is_null());
    let named = given(object.get("metadata").and_then(Value::as_object).and_then(|it| it.get("name")));
    if named && given(object.get("apiVersion")) && given(object.get("kind")) {
        return Ok((Value::Object(object), true));
    }
    object.entry("apiVersion").or_insert_with(|| Value::from(format!("{group}/{version}")));
    object.entry("kind").or_insert_with(|| Value::from(kind));
    let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(metadata) = metadata {
        metadata.entry("name").or_insert_with(|| Value::from("obj"));
    }
    let mut object = Value::Object(object);
    go::reencode(&mut object);
    Ok((object, false))
}

/// Gives a hand-written stored object the system metadata that every stored object has.
pub fn stored(mut object: Value, namespaced: bool) -> Value {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.entry("uid").or_insert_with(|| Value::from(UID));
        metadata.entry("creationTimestamp").or_insert_with(|| Value::from(CREATED));
        metadata.entry("generation").or_insert_with(|| Value::from(1));
        if namespaced {
            metadata.entry("namespace").or_insert_with(|| Value::from("default"));
        }
        go::reencode(&mut object);
    }
    object
}
