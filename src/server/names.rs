//! Names, labels, annotations, owners and finalizers: what the API server allows in metadata.
//!
//! Mirrors apimachinery/pkg/api/validation/objectmeta.go, apis/meta/v1/validation and api/validate/content.

use super::go;
use super::place::Place;
use super::problem::Problem;
use serde_json::Map;
use serde_json::Value;

/// The limit on all annotations of an object together, in bytes of keys and values.
pub const ANNOTATIONS_LIMIT: usize = 256 * 1024;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// What is wrong with a DNS-1123 label; nothing if it is one.
pub fn dns1123_label(text: &str) -> Vec<String> {
    let mut errors = too_long(text, 63);
    if !is_label(text) {
        errors.push(if is_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            regex_error(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                 start and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    errors
}

/// What is wrong with a DNS-1123 subdomain; nothing if it is one.
pub fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut errors = too_long(text, 253);
    if !is_subdomain(text) {
        errors.push(regex_error(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
             must start and end with an alphanumeric character",
            &format!("{LABEL}(\\.{LABEL})*"),
            &["example.com"],
        ));
    }
    errors
}

/// What is wrong with a DNS-1035 label; nothing if it is one.
pub fn dns1035_label(text: &str) -> Vec<String> {
    let mut errors = too_long(text, 63);
    if !is_label(text) || !text.starts_with(|it: char| it.is_ascii_lowercase()) {
        errors.push(regex_error(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    errors
}

/// What is wrong with a label key (a qualified name); nothing if it is one.
pub fn label_key(text: &str) -> Vec<String> {
    let message = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                   alphanumeric character";
    let pattern = || regex_error(message, QUALIFIED, &["MyName", "my.name", "123-abc"]);
    let mut errors = Vec::new();
    let mut parts = text.splitn(3, '/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(""), Some(name), None) => {
            errors.push("prefix part must be non-empty".to_owned());
            name
        }
        (Some(prefix), Some(name), None) => {
            errors.extend(dns1123_subdomain(prefix).into_iter().map(|it| format!("prefix part {it}")));
            name
        }
        _ => {
            let suffix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {} {suffix}", pattern())];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else {
        errors.extend(too_long(name, 63).into_iter().map(|it| format!("name part {it}")));
    }
    if !is_qualified(name) {
        errors.push(format!("name part {}", pattern()));
    }
    errors
}

/// What is wrong with a label value; nothing if it is one.
pub fn label_value(text: &str) -> Vec<String> {
    let mut errors = too_long(text, 63);
    if !text.is_empty() && !is_qualified(text) {
        errors.push(regex_error(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
             must start and end with an alphanumeric character",
            &format!("({QUALIFIED})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

/// What is wrong with a name as a part of a path; a prefix may be `.`.
pub fn path_segment(text: &str, prefix: bool) -> Vec<String> {
    if !prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"].iter().filter(|it| text.contains(**it)).map(|it| format!("may not contain '{it}'")).collect()
}

/// What is wrong with the name of a custom object; a prefix may end in a dash.
pub fn subdomain_name(text: &str, prefix: bool) -> Vec<String> {
    if prefix && text.len() > 1 && text.ends_with('-') {
        // The server masks the last two bytes; so does this.
        let cut = (0..=text.len() - 2).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
        return dns1123_subdomain(&format!("{}a", &text[..cut]));
    }
    dns1123_subdomain(text)
}

/// Where the metadata of an object are.
pub(super) const METADATA: Place<'static> = Place::root("metadata");

/// Judges decoded metadata, as `ValidateObjectMetaAccessor` does.
pub(super) fn object_meta(
    meta: &Map<String, Value>,
    namespaced: bool,
    name_errors: fn(&str, bool) -> Vec<String>,
    field: &Place<'_>,
    problems: &mut Vec<Problem>,
) {
    let (name, generate, namespace) =
        (text(meta, "name"), text(meta, "generateName"), text(meta, "namespace"));
    let at = |key| field.child(key);
    if !generate.is_empty() {
        refuse(problems, &at("generateName"), generate, name_errors(generate, true));
    }
    if name.is_empty() {
        problems.push(Problem::required(at("name").to_string(), "name or generateName is required"));
    } else {
        refuse(problems, &at("name"), name, name_errors(name, false));
    }
    match (namespaced, namespace) {
        (true, "") => problems.push(Problem::required(at("namespace").to_string(), "")),
        (true, namespace) => refuse(problems, &at("namespace"), namespace, dns1123_label(namespace)),
        (false, "") => {}
        (false, _) => {
            problems.push(Problem::forbidden(at("namespace").to_string(), "not allowed on this type"))
        }
    }
    non_negative(meta, field, problems);
    common(meta, field, problems);
    finalizers(meta, &at("finalizers"), problems);
    managed_fields(meta, &at("managedFields"), problems);
}

/// Judges decoded metadata against the old one, as `ValidateObjectMetaAccessorUpdate` does.
pub(super) fn object_meta_update(
    meta: &Map<String, Value>,
    old: &Map<String, Value>,
    problems: &mut Vec<Problem>,
) {
    let field = &METADATA;
    if !text(old, "deletionTimestamp").is_empty() {
        let mut extra: Vec<&str> = texts(meta, "finalizers")
            .into_iter()
            .filter(|it| !texts(old, "finalizers").contains(it))
            .collect();
        extra.sort_unstable();
        extra.dedup();
        if !extra.is_empty() {
            let listed: Vec<String> = extra.iter().map(|it| go::quote(it)).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                listed.join(", ")
            );
            problems.push(Problem::forbidden(field.child("finalizers").to_string(), &detail));
        }
    }
    if text(meta, "resourceVersion").is_empty() {
        let at = field.child("resourceVersion").to_string();
        problems.push(Problem::invalid(at, Value::from(""), "must be specified for an update"));
    }
    non_negative(meta, field, problems);
    let (generation, before) = (whole(meta, "generation"), whole(old, "generation"));
    if generation < before {
        let at = field.child("generation").to_string();
        problems.push(Problem::invalid(at, Value::from(generation), "must not be decremented"));
    }
    for key in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        if meta.get(key) != old.get(key) {
            let empty = if key.starts_with("deletion") || key == "creationTimestamp" {
                Value::Null
            } else {
                "".into()
            };
            let value = meta.get(key).cloned().unwrap_or(empty);
            problems.push(Problem::invalid(field.child(key).to_string(), value, "field is immutable"));
        }
    }
    common(meta, field, problems);
    managed_fields(meta, &field.child("managedFields"), problems);
}

/// What the server warns about finalizers that are added (`validateKubeFinalizerName`).
pub(super) fn finalizer_warnings(meta: Option<&Value>, old: Option<&Value>) -> Vec<String> {
    let of = |it: Option<&Value>| -> Vec<String> {
        let meta = it.and_then(Value::as_object);
        meta.map(|it| texts(it, "finalizers").into_iter().map(str::to_owned).collect()).unwrap_or_default()
    };
    let (mut added, before) = (of(meta), of(old));
    added.retain(|it| !before.contains(it));
    added.sort_unstable();
    added.dedup();
    let mut warnings = Vec::new();
    for finalizer in added {
        let quoted = go::quote(&finalizer);
        warnings
            .extend(label_key(&finalizer).iter().map(|it| format!("metadata.finalizers: {quoted}: {it}")));
        if finalizer.contains('/')
            || matches!(finalizer.as_str(), "orphan" | "foregroundDeletion" | "kubernetes")
        {
            continue;
        }
        let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
        warnings.push(format!(
            "metadata.finalizers: {quoted}: prefer a domain-qualified finalizer name{path} to avoid accidental \
             conflicts with other finalizer writers"
        ));
    }
    warnings
}

/// Labels, annotations and owners: judged alike on create and update.
fn common(meta: &Map<String, Value>, field: &Place<'_>, problems: &mut Vec<Problem>) {
    let at = field.child("labels");
    for (key, value) in text_map(meta, "labels") {
        refuse(problems, &at, key, label_key(key));
        refuse(problems, &at, value, label_value(value));
    }
    annotations(text_map(meta, "annotations"), &field.child("annotations"), problems);
    owners(meta, &field.child("ownerReferences"), problems);
}

/// Judges annotations, as `ValidateAnnotations` does: keys regardless of case, and the size of all together.
pub(super) fn annotations<'a>(
    annotations: impl Iterator<Item = (&'a str, &'a str)>,
    field: &Place<'_>,
    problems: &mut Vec<Problem>,
) {
    let mut size = 0;
    for (key, value) in annotations {
        size += key.len() + value.len();
        refuse(problems, field, key, label_key(&key.to_lowercase()));
    }
    if size > ANNOTATIONS_LIMIT {
        problems.push(Problem::too_long(field.to_string(), ANNOTATIONS_LIMIT as i64));
    }
}

fn owners(meta: &Map<String, Value>, field: &Place<'_>, problems: &mut Vec<Problem>) {
    let owners = meta.get("ownerReferences").and_then(Value::as_array);
    let mut controller: Option<String> = None;
    for (index, owner) in owners.into_iter().flatten().enumerate() {
        let Some(owner) = owner.as_object() else { continue };
        let place = field.index(index);
        let at = |key| place.child(key).to_string();
        let api = text(owner, "apiVersion");
        let version = api.rsplit('/').next().unwrap_or_default();
        if api.is_empty() {
            problems.push(Problem::required(at("apiVersion"), "must not be empty"));
        } else if api.matches('/').count() > 1 || version.is_empty() {
            let detail = "must be <group>/<version> or <version>";
            problems.push(Problem::invalid(at("apiVersion"), Value::from(api), detail));
        }
        for key in ["kind", "name", "uid"] {
            if text(owner, key).is_empty() {
                problems.push(Problem::required(at(key), "must not be empty"));
            }
        }
        if api == "v1" && text(owner, "kind") == "Event" {
            let value = Value::Object(owner.clone());
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            problems.push(Problem::invalid(place.to_string(), value, detail));
        }
        if owner.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let named = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        match &controller {
            None => controller = Some(named),
            Some(first) => {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and \
                     {named}"
                );
                let value = meta["ownerReferences"].clone();
                problems.push(Problem::invalid(field.to_string(), value, &detail));
            }
        }
    }
}

fn finalizers(meta: &Map<String, Value>, field: &Place<'_>, problems: &mut Vec<Problem>) {
    let names = texts(meta, "finalizers");
    for name in &names {
        refuse(problems, field, name, label_key(name));
    }
    if names.contains(&"orphan") && names.contains(&"foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        problems.push(Problem::invalid(field.to_string(), meta["finalizers"].clone(), detail));
    }
}

fn managed_fields(meta: &Map<String, Value>, field: &Place<'_>, problems: &mut Vec<Problem>) {
    let entries = meta.get("managedFields").and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let Some(entry) = entry.as_object() else { continue };
        let place = field.index(index);
        let at = |key| place.child(key).to_string();
        match text(entry, "operation") {
            "" => problems.push(Problem::required(at("operation"), "must not be empty")),
            "Apply" | "Update" => {}
            other => {
                let supported = ["Apply".to_owned(), "Update".to_owned()];
                problems.push(Problem::not_supported(at("operation"), Value::from(other), &supported));
            }
        }
        let fields_type = text(entry, "fieldsType");
        if !fields_type.is_empty() && fields_type != "FieldsV1" {
            let value = Value::from(fields_type);
            problems.push(Problem::invalid(at("fieldsType"), value, "must be `FieldsV1`"));
        }
        let manager = text(entry, "manager");
        if manager.len() > 128 {
            problems.push(Problem::too_long(at("manager"), 128));
        }
        for (place, c) in manager.char_indices().filter(|(_, it)| it.is_control()) {
            let detail = format!("invalid character U+{:04X} (at position {place})", c as u32);
            problems.push(Problem::invalid(at("manager"), Value::from(manager), &detail));
        }
        if text(entry, "subresource").len() > 256 {
            problems.push(Problem::too_long(at("subresource"), 256));
        }
    }
}

fn non_negative(meta: &Map<String, Value>, field: &Place<'_>, problems: &mut Vec<Problem>) {
    let generation = whole(meta, "generation");
    if generation < 0 {
        let at = field.child("generation").to_string();
        problems.push(Problem::invalid(at, Value::from(generation), "must be greater than or equal to 0"));
    }
}

fn refuse(problems: &mut Vec<Problem>, field: &Place<'_>, value: &str, errors: Vec<String>) {
    problems.extend(errors.iter().map(|it| Problem::invalid(field.to_string(), Value::from(value), it)));
}

fn text<'m>(meta: &'m Map<String, Value>, key: &str) -> &'m str {
    meta.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn whole(meta: &Map<String, Value>, key: &str) -> i64 {
    meta.get(key).and_then(Value::as_i64).unwrap_or_default()
}

fn texts<'m>(meta: &'m Map<String, Value>, key: &str) -> Vec<&'m str> {
    let items = meta.get(key).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn text_map<'m>(meta: &'m Map<String, Value>, key: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let entries = meta.get(key).and_then(Value::as_object);
    entries.into_iter().flatten().map(|(key, it)| (key.as_str(), it.as_str().unwrap_or_default()))
}

fn too_long(text: &str, max: usize) -> Vec<String> {
    if text.len() > max { vec![format!("must be no more than {max} bytes")] } else { Vec::new() }
}

fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let inner = |it: &u8| it.is_ascii_lowercase() || it.is_ascii_digit() || *it == b'-';
    !bytes.is_empty() && bytes.iter().all(inner) && bytes[0] != b'-' && bytes[bytes.len() - 1] != b'-'
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_qualified(text: &str) -> bool {
    let bytes = text.as_bytes();
    let edge = |it: Option<&u8>| it.is_some_and(u8::is_ascii_alphanumeric);
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.'))
}

fn regex_error(message: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|it| format!("'{it}', ")).collect();
    format!("{message} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}
