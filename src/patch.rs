//! JSON patches (RFC 6902) for CRDs that one does not own.
//!
//! What is to be changed is decided as for `fix`; here it becomes operations on values. Every patch first
//! tests what it rests on, so that it fails loudly when the CRD has changed shape.

use serde_json::{Value, json};

use crate::check;
use crate::check::Options;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Safety;
use crate::fix;
use crate::source::Source;
use crate::yaml;
use crate::yaml::Node;

/// A patch for one CRD.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// `metadata.name`.
    pub name: String,
    /// The version of its API: `v1`.
    pub version: String,
    /// The operations, tests first; none where nothing can or need be done.
    pub operations: Vec<Value>,
    /// What is still said about the CRD once it is patched.
    pub left: Vec<Diagnostic>,
}

/// The patches for all CRDs of a text, in its order.
pub fn patches(source: &Source, options: &Options, safety: Safety) -> Vec<Patch> {
    let stream = yaml::parse(&source.text);
    let mut nodes = Vec::new();
    for document in &stream.documents {
        check::crds(&document.root, 0, &mut nodes);
    }
    nodes.into_iter().filter_map(|it| patch(source, it, options, safety)).collect()
}

fn patch(source: &Source, node: &Node, options: &Options, safety: Safety) -> Option<Patch> {
    let old = node.to_json();
    let text = serde_json::to_string_pretty(&old).ok()?;
    // The name of the source decides what is in scope.
    let fixed = fix::fix(&Source::new(source.name.as_str(), text), options, safety);
    if fixed.report.crds.is_empty() && fixed.report.diagnostics.is_empty() {
        return None;
    }
    let new = yaml::json::parse(&fixed.text).ok()?.0.to_json();
    let mut found = Operations::default();
    found.compare(&old, &new, "");
    found.name_versions(&old);
    let word = |pointer: &str| old.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Patch {
        name: word("/metadata/name"),
        version: word("/apiVersion").rsplit('/').next().unwrap_or_default().to_owned(),
        operations: found.tests.into_iter().chain(found.changes).collect(),
        left: fixed.report.diagnostics,
    })
}

#[derive(Default)]
struct Operations {
    tests: Vec<Value>,
    changes: Vec<Value>,
}

impl Operations {
    fn test(&mut self, path: &str, value: &Value) {
        let test = json!({"op": "test", "path": path, "value": value});
        if !self.tests.contains(&test) {
            self.tests.push(test);
        }
    }

    fn change(&mut self, op: &str, path: &str, value: Option<&Value>) {
        let mut change = json!({"op": op, "path": path});
        if let Some(value) = value {
            change["value"] = value.clone();
        }
        self.changes.push(change);
    }

    /// Collects what makes `new` of `old`.
    fn compare(&mut self, old: &Value, new: &Value, path: &str) {
        match (old, new) {
            (old, new) if old == new => {}
            (Value::Object(before), Value::Object(after)) => {
                for (key, value) in after {
                    let path = format!("{path}/{}", escape(key));
                    match before.get(key) {
                        Some(old) => self.compare(old, value, &path),
                        None => self.add(old, &path, value),
                    }
                }
                for (key, value) in before.iter().filter(|it| !after.contains_key(it.0)) {
                    let path = format!("{path}/{}", escape(key));
                    self.test(&path, value);
                    self.change("remove", &path, None);
                }
            }
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                for (index, (old, new)) in before.iter().zip(after).enumerate() {
                    self.compare(old, new, &format!("{path}/{index}"));
                }
            }
            (old, new) => {
                self.test(path, old);
                self.change("replace", path, Some(new));
            }
        }
    }

    /// Adds a key that is not there. The tools of Kubernetes take a test for null as a test for nothing.
    fn add(&mut self, parent: &Value, path: &str, value: &Value) {
        let above = path.rsplit_once('/').map_or("", |it| it.0);
        if let Some(ty) = parent.get("type").filter(|it| it.is_string()) {
            self.test(&format!("{above}/type"), ty);
        }
        self.test(path, &Value::Null);
        self.change("add", path, Some(value));
    }

    /// Lists know no names: what is changed by its place is tested by its name first.
    fn name_versions(&mut self, crd: &Value) {
        let mut tests = Vec::new();
        for change in &self.changes {
            let path = change["path"].as_str().unwrap_or_default();
            let Some(index) = path.strip_prefix("/spec/versions/").and_then(|it| it.split('/').next()) else {
                continue;
            };
            let path = format!("/spec/versions/{index}/name");
            let Some(name) = crd.pointer(&path) else { continue };
            let test = json!({"op": "test", "path": path, "value": name});
            if !tests.contains(&test) {
                tests.push(test);
            }
        }
        tests.append(&mut self.tests);
        self.tests = tests;
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The patch as an entry of `patches:` in a `kustomization.yaml`.
///
/// A strategic merge would replace the whole list of versions.
pub fn kustomize(patches: &[&Patch]) -> String {
    let entries: Vec<Value> = patches.iter().map(|it| entry(it)).collect();
    yaml::print(&json!({"patches": entries}))
}

fn entry(patch: &Patch) -> Value {
    json!({
        "target": {
            "group": "apiextensions.k8s.io",
            "version": patch.version,
            "kind": "CustomResourceDefinition",
            "name": patch.name,
        },
        "patch": yaml::print(&Value::from(patch.operations.clone())),
    })
}

/// The patch as a command line for a POSIX shell.
pub fn kubectl(patch: &Patch) -> String {
    let operations = Value::from(patch.operations.clone()).to_string().replace('\'', "'\\''");
    format!("kubectl patch crd {} --type=json -p '{operations}'\n", patch.name)
}

/// Applies operations as the tools of Kubernetes do.
///
/// # Errors
/// When a test fails or a path leads nowhere; the message names the operation.
pub fn apply(document: &Value, operations: &[Value]) -> Result<Value, String> {
    let mut document = document.clone();
    for operation in operations {
        let wrong = |why: &str| format!("{why}: {operation}");
        let path = operation["path"].as_str().ok_or_else(|| wrong("no path"))?;
        let (above, key) = path.rsplit_once('/').ok_or_else(|| wrong("no place to change"))?;
        let key = key.replace("~1", "/").replace("~0", "~");
        let parent = document.pointer_mut(above).ok_or_else(|| wrong("the path leads nowhere"))?;
        let place = match parent {
            Value::Object(map) => map.get(&key).cloned(),
            Value::Array(items) => key.parse().ok().and_then(|it: usize| items.get(it)).cloned(),
            _ => return Err(wrong("the path leads nowhere")),
        };
        let value = operation.get("value").cloned().unwrap_or_default();
        match (operation["op"].as_str(), parent, place) {
            (Some("test"), _, place) if place.clone().unwrap_or_default() == value => {}
            (Some("test"), ..) => return Err(wrong("the test fails")),
            (Some("add"), Value::Object(map), _) => drop(map.insert(key, value)),
            (Some("replace"), Value::Object(map), Some(_)) => drop(map.insert(key, value)),
            (Some("remove"), Value::Object(map), Some(_)) => drop(map.remove(&key)),
            _ => return Err(wrong("the operation does not apply")),
        }
    }
    Ok(document)
}
