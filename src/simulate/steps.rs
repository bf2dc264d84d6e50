//! A sequence of requests against one stored object.

use super::case::Case;
use super::case::Loaded;
use super::case::duplicate_fields;
use super::case::serving_body;
use super::case::stored;
use super::line::Line;
use crate::server::Answer;
use crate::server::Endpoint;
use crate::server::FieldError;
use crate::server::FieldValidation;
use crate::server::Request;
use crate::server::Serving;
use crate::server::Stored;
use crate::server::Unknown;
use crate::server::admit;
use crate::server::problem::Problem;
use crate::yaml;
use crate::yaml::Node;
use serde_json::Value;

/// Appends the answers to the steps of a case, if it has any.
pub(super) fn run(
    case: &Case,
    loaded: &Loaded,
    serving: &Serving<'_>,
    force: bool,
    line: &mut Line,
    unknown: &mut Vec<Unknown>,
) {
    let Some(steps) = case.case.get("steps").map(Node::items).filter(|it| !it.is_empty()) else { return };
    let set_crd = |step: &Node| step.get("op").and_then(Node::as_str) == Some("set-crd");
    // Read first what the steps will switch to: what is served borrows it.
    let others: Vec<Option<Loaded>> =
        steps.iter().map(|it| set_crd(it).then(|| case.load(it.get("crd")))).collect();
    let mut simulation = Simulation { serving: Some(serving), cell: None, revision: 0, foreign: false };
    let served: Vec<Option<Result<Serving<'_>, String>>> =
        others.iter().map(|it| it.as_ref().and_then(|it| it.serve(true))).collect();
    let mut current = loaded;
    let mut answers = Vec::with_capacity(steps.len());
    for ((step, other), serving) in steps.iter().zip(&others).zip(&served) {
        let Some(other) = other else {
            answers.push(simulation.step(case, step, unknown));
            continue;
        };
        let mut answer = Answer::default();
        if let (Some(crd), Some(old)) = (&other.crd, &current.crd) {
            let mut new = crd.clone();
            admit::inherit(&mut new, old);
            let admission = admit::update(&new, old);
            answer.code = 200;
            unknown.extend(admission.unknown);
            if !admission.refusals.is_empty() && !force {
                answer.code = 422;
                answer.reason = "Invalid";
                let errors: Vec<FieldError> = admission.refusals.into_iter().map(|it| it.error).collect();
                answers.push(write("set-crd", None, "", &answer, &errors));
                continue;
            }
            answer.wrote = true;
            current = other;
            simulation.serving = serving.as_ref().and_then(|it| it.as_ref().ok());
        } else {
            answer.code = 400;
            answer.message.clone_from(&other.undecodable);
        }
        answers.push(write("set-crd", None, "", &answer, &[]));
    }
    line.list("steps", &answers);
}

/// One object's place in etcd, behind one CRD.
struct Simulation<'s, 'c> {
    serving: Option<&'s Serving<'c>>,
    cell: Option<Value>,
    revision: u64,
    /// Whether the bytes in etcd were not written by the server, so that any write changes them.
    foreign: bool,
}

impl Simulation<'_, '_> {
    fn step(&mut self, case: &Case, step: &Node, unknown: &mut Vec<Unknown>) -> String {
        let text = |key: &str| step.get(key).and_then(Node::as_str).unwrap_or_default();
        let (op, endpoint) = (text("op"), text("endpoint"));
        let mut version = text("version").to_owned();
        let mut answer = match self.serving {
            None => failed(404, "NotFound", "the CRD is not served"),
            Some(serving) => {
                if version.is_empty() {
                    version = serving.storage_version().to_owned();
                }
                self.request(serving, case, step, op, &version)
            }
        };
        if op != "etcd" {
            self.keep(op, &mut answer);
        }
        if answer.code >= 400 {
            answer.etcd = None;
        }
        unknown.extend(answer.unknown.iter().cloned());
        let causes: Vec<FieldError> = answer.errors.iter().map(cause).collect();
        write(op, Some(endpoint), &version, &answer, &causes)
    }

    /// Keeps what a request has written.
    fn keep(&mut self, op: &str, answer: &mut Answer) {
        if self.foreign && op != "get" && answer.code < 300 && !answer.wrote {
            answer.wrote = true;
            let metadata = answer.object.as_mut().and_then(|it| it.get_mut("metadata"));
            if let Some(Value::Object(metadata)) = metadata {
                metadata.insert("resourceVersion".to_owned(), Value::from((self.revision + 1).to_string()));
            }
        }
        if answer.wrote {
            self.cell.clone_from(&answer.etcd);
            self.revision += 1;
            self.foreign = false;
        }
    }

    /// Writes an object into etcd, past the server.
    fn write(&mut self, serving: &Serving<'_>, object: Option<&Node>, version: &str) -> Answer {
        let null = Node::new(yaml::Value::Null);
        match serving_body(serving, object.unwrap_or(&null), version) {
            Err(error) => failed(400, "", &error),
            Ok((object, _)) => {
                let object = stored(object, serving.namespaced());
                self.cell = Some(object.clone());
                self.revision += 1;
                self.foreign = true;
                Answer { etcd: Some(object), wrote: true, ..Answer::default() }
            }
        }
    }

    fn request(
        &mut self,
        serving: &Serving<'_>,
        case: &Case,
        step: &Node,
        op: &str,
        version: &str,
    ) -> Answer {
        let text = |key: &str| step.get(key).and_then(Node::as_str).unwrap_or_default();
        if op == "etcd" {
            return self.write(serving, step.get("object"), version);
        }
        let endpoint = if text("endpoint") == "status" { Endpoint::Status } else { Endpoint::Main };
        let field_validation = match text("field_validation") {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        };
        let cell = self.cell.as_ref().map(|object| Stored { object, revision: self.revision });
        let whole = matches!(op, "create" | "update");
        let (key, patch) = if whole { ("object", false) } else { ("patch", true) };
        let body = match body(serving, case, step, key, patch, version) {
            Ok(body) => body,
            Err(error) => match serving.addresses(version, endpoint) {
                Err(answer) => return answer,
                Ok(()) if cell.is_none() && !whole => return failed(404, "NotFound", ""),
                Ok(()) => {
                    return failed(400, if text("raw_body").is_empty() { "" } else { "BadRequest" }, &error);
                }
            },
        };
        let request = Request {
            version,
            endpoint,
            field_validation,
            duplicates: &body.duplicates,
            ..Request::default()
        };
        match op {
            "create" => return serving.create_beside(cell, &request, &body.value),
            "update" => return serving.update(cell, &request, &body.value),
            _ => {}
        }
        let Some(cell) = cell else {
            return match serving.addresses(version, endpoint) {
                Ok(()) if !matches!(op, "get" | "merge-patch" | "json-patch") => unknown_op(op),
                Ok(()) => failed(404, "NotFound", ""),
                Err(answer) => answer,
            };
        };
        match op {
            "get" => match serving.addresses(version, endpoint) {
                Ok(()) => serving.get(cell, version),
                Err(answer) => answer,
            },
            "merge-patch" => serving.merge_patch(cell, &request, &body.value),
            "json-patch" => serving.json_patch(cell, &request, &body.value),
            other => serving.addresses(version, endpoint).err().unwrap_or_else(|| unknown_op(other)),
        }
    }
}

fn unknown_op(op: &str) -> Answer {
    failed(400, "", &format!("unknown op {op}"))
}

fn failed(code: u16, reason: &'static str, message: &str) -> Answer {
    Answer { code, reason, message: message.to_owned(), ..Answer::default() }
}

/// What a request sends.
struct Body {
    value: Value,
    duplicates: Vec<String>,
}

fn body(
    serving: &Serving<'_>,
    case: &Case,
    step: &Node,
    key: &str,
    patch: bool,
    version: &str,
) -> Result<Body, String> {
    let raw = step.get("raw_body").and_then(Node::as_str).unwrap_or_default();
    if !raw.is_empty() {
        let (node, found) = yaml::json::parse(raw).map_err(|it| it.message)?;
        let places: Vec<_> = found.iter().map(|it| it.last).collect();
        return Ok(Body { value: node.to_json(), duplicates: duplicate_fields(&node, &places) });
    }
    let null = Node::new(yaml::Value::Null);
    let node = step.get(key).unwrap_or(&null);
    if patch {
        return Ok(Body { value: node.to_json(), duplicates: case.duplicates(node) });
    }
    let (value, complete) = serving_body(serving, node, version)?;
    let duplicates = if complete { case.duplicates(node) } else { Vec::new() };
    Ok(Body { value, duplicates })
}

/// An error as a cause of a status: its detail is the whole text but the field.
fn cause(problem: &Problem) -> FieldError {
    let mut error = problem.error.clone();
    if error.field != "patch" || !problem.value.is_null() {
        error.detail = problem.body();
    }
    error.detail = trim(error.detail);
    error
}

/// The oracle cuts long messages.
fn trim(text: String) -> String {
    const MAX: usize = 600;
    if text.len() <= MAX {
        return text;
    }
    let end = (0..=MAX).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    format!("{}...", &text[..end])
}

fn write(op: &str, endpoint: Option<&str>, version: &str, answer: &Answer, causes: &[FieldError]) -> String {
    let mut line = Line::default();
    line.value("op", &Value::from(op))
        .text("endpoint", endpoint.unwrap_or_default())
        .text("version", version);
    line.value("code", &Value::from(answer.code)).text("reason", answer.reason);
    line.text("message", &trim(answer.message.clone()));
    if !causes.is_empty() {
        line.errors("causes", causes);
    }
    line.texts("warnings", &answer.warnings);
    for (key, value) in [("object", &answer.object), ("etcd", &answer.etcd)] {
        if let Some(value) = value {
            line.value(key, value);
        }
    }
    line.value("wrote", &Value::from(answer.wrote));
    line.finish()
}
