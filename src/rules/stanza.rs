//! The lines to add to a schema so that lost places are kept, as people would write them.
//!
//! Knows no text: where an edit goes, and how it fits the neighbors' style, is not decided here.

use crate::path::Path;
use crate::schema::Additional;
use crate::schema::Schema;
use crate::verdict::Verdict;
use serde_json::Value;

/// The extension that keeps undeclared fields.
pub(crate) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields: true";

/// A place that is to be declared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Want {
    /// The place.
    pub(crate) path: Path,
    /// The type of its node; what it holds is kept whole if that is an object.
    pub(crate) ty: &'static str,
    /// What is written, with the place where: the place itself, or one below it.
    written: (Path, Value),
}

/// What must be declared so that these slots are kept, narrow: one open `kopf` for all that lies below it.
pub(crate) fn wants(verdicts: &[&Verdict]) -> Vec<Want> {
    let mut found: Vec<Want> = Vec::new();
    for verdict in verdicts.iter().filter(|it| it.slot != "result:*") {
        let keys = &verdict.path.0;
        let sample = verdict.witness.as_ref().and_then(|it| it.patch.pointer(&verdict.path.pointer()));
        let shared = ["progress", "touch", "diffbase"].contains(&&*verdict.slot) && keys.len() > 2;
        let (path, ty) = match &*verdict.slot {
            // Peers stand directly in the status, under names nobody knows beforehand.
            "peering" => (Path(keys[..1].to_vec()), "object"),
            "progress" if !shared => (verdict.path.clone(), "object"),
            _ if shared => (Path(keys[..2].to_vec()), "object"),
            _ => (verdict.path.clone(), sample.map_or("object", type_of)),
        };
        let written = (verdict.path.clone(), sample.cloned().unwrap_or_default());
        found.push(Want { path, ty, written });
    }
    found
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) | Value::Null => "object",
    }
}

/// What to write: where, and the lines.
pub(crate) fn advice(root: Option<&Schema>, wants: &[Want]) -> Option<String> {
    let root = root?;
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for want in wants {
        let (node, done) = declared(root, &want.path);
        let (place, lines) = match done == want.path.0.len() {
            true => opened(root, want),
            false => missing(node, &want.path, done, want.ty),
        };
        match parts.iter_mut().find(|it| it.0 == place) {
            Some((_, known)) => join(known, lines),
            None => parts.push((place, lines)),
        }
    }
    let texts: Vec<String> =
        parts.into_iter().map(|(place, lines)| format!("{place}:\n{}", lines.join("\n"))).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The deepest declared node on a path, and how many keys lead to it.
fn declared<'a>(root: &'a Schema, path: &Path) -> (&'a Schema, usize) {
    let (mut node, mut done) = (root, 0);
    for key in &path.0 {
        let Some(child) = node.property(key) else { break };
        (node, done) = (child, done + 1);
    }
    (node, done)
}

/// Where a declared place is closed, be it far below, and what opens it.
fn opened(root: &Schema, want: &Want) -> (String, Vec<String>) {
    let (path, sample) = &want.written;
    let (mut node, mut name) = (root, Name { path: Path::default(), within: "" });
    let mut rest = Vec::new();
    for (at, key) in path.0.iter().enumerate() {
        match below(node, key) {
            Some((child, within)) => (node, name) = (child, name.child(key, within)),
            None => {
                rest = path.0[at..].to_vec();
                break;
            }
        }
    }
    if rest.is_empty() {
        (node, name) = closed(node, name, sample);
    }
    if let Some(true_or_not) = replaced(node, &name.to_string()) {
        return true_or_not;
    }
    match &*node.ty {
        "" | "object" => (format!("add to {name}"), vec![PRESERVE.to_owned()]),
        _ => (
            format!("in {name}, instead of `type: {}`", node.ty),
            vec!["type: object".to_owned(), PRESERVE.to_owned()],
        ),
    }
}

/// A node as people call it.
struct Name {
    path: Path,
    /// `items` or `additionalProperties` of the node at the path.
    within: &'static str,
}

impl Name {
    fn child(&self, key: &str, within: &'static str) -> Self {
        match within {
            "" => Self { path: self.path.child(key), within },
            // The key is one of many: the node belongs to the mapping.
            _ => Self { path: self.path.clone(), within },
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.path.0.is_empty(), self.within) {
            (true, _) => write!(f, "the root"),
            (false, "") => write!(f, "`{}`", self.path),
            (false, within) => write!(f, "the `{within}` of `{}`", self.path),
        }
    }
}

/// The node of a key, and what holds it if not `properties`.
fn below<'a>(node: &'a Schema, key: &str) -> Option<(&'a Schema, &'static str)> {
    let property = node.property(key).map(|it| (it, ""));
    property.or_else(|| node.additional().map(|it| (it, "additionalProperties")))
}

/// The node that has no room for something in a value; the node itself if all has.
fn closed<'a>(node: &'a Schema, name: Name, value: &Value) -> (&'a Schema, Name) {
    let lacks = |node: &Schema, value: &Value| match value {
        Value::Object(map) => !node.preserves() && map.keys().any(|key| below(node, key).is_none()),
        _ => false,
    };
    if lacks(node, value) {
        return (node, name);
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let Some((child, within)) = below(node, key) else { continue };
                let (found, at) = closed(child, name.child(key, within), value);
                if lacks_any(found, value) {
                    return (found, at);
                }
            }
        }
        Value::Array(items) => {
            if let (Some(item), Some(value)) = (node.item(), items.first()) {
                return closed(item, Name { path: name.path, within: "items" }, value);
            }
        }
        _ => {}
    }
    (node, name)
}

/// Whether a node that was found is worth naming: it keeps less than an open one.
fn lacks_any(node: &Schema, value: &Value) -> bool {
    !node.preserves() && (value.is_object() || value.is_array())
}

/// `additionalProperties: true`, which is to be replaced.
fn replaced(node: &Schema, name: &str) -> Option<(String, Vec<String>)> {
    let wrong = node.properties.is_empty() && node.additional_properties == Some(Additional::Allowed(true));
    wrong.then(|| (format!("in {name}, replace `additionalProperties: true` by"), vec![PRESERVE.to_owned()]))
}

/// Where the missing lines go, and the lines.
fn missing(node: &Schema, path: &Path, done: usize, ty: &str) -> (String, Vec<String>) {
    let name = match done {
        0 => "the root".to_owned(),
        _ => format!("`{}`", Path(path.0[..done].to_vec())),
    };
    if let Some(replaced) = replaced(node, &name) {
        return replaced;
    }
    let rest = &path.0[done..];
    let mut lines = Vec::new();
    for (depth, key) in rest.iter().enumerate() {
        let pad = "    ".repeat(depth);
        lines.push(format!("{pad}{}:", yaml_key(key)));
        if depth + 1 < rest.len() {
            lines.push(format!("{pad}  type: object"));
            lines.push(format!("{pad}  properties:"));
            continue;
        }
        lines.push(format!("{pad}  type: {ty}"));
        match ty {
            "object" => lines.push(format!("{pad}  {PRESERVE}")),
            "array" => lines.push(format!("{pad}  items: {{{PRESERVE}}}")),
            _ => {}
        }
    }
    if node.properties.is_empty() {
        lines.iter_mut().for_each(|it| it.insert_str(0, "  "));
        lines.insert(0, "properties:".to_owned());
        return (format!("add to {name}"), lines);
    }
    (format!("add to the `properties` of {name}"), lines)
}

/// Joins two stanzas that go to one place: common first lines are written once.
fn join(known: &mut Vec<String>, lines: Vec<String>) {
    let common = known.iter().zip(&lines).take_while(|(a, b)| a == b).count();
    known.extend(lines.into_iter().skip(common));
}

/// A key as YAML takes it.
fn yaml_key(key: &str) -> String {
    let plain = key.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '-')
        && key.starts_with(|it: char| it.is_ascii_alphabetic())
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
            .contains(&&*key.to_ascii_lowercase());
    if plain { key.to_owned() } else { Value::from(key).to_string() }
}
