//! One object, one request, for people: which request is sent, and what the server answers.

use super::case::completed;
use super::case::stored;
use crate::crd::Crd;
use crate::server::Answer;
use crate::server::Endpoint;
use crate::server::Request;
use crate::server::Serving;
use crate::server::Stored;
use serde_json::Value;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The version in the path; the storage version if none.
    pub version: Option<String>,
    /// Where the request goes.
    pub endpoint: Endpoint,
    /// What is sent, or what is stored if a patch is sent.
    pub object: Option<Value>,
    /// What is stored.
    pub old: Option<Value>,
    /// A merge patch, or the list of operations of a JSON patch.
    pub patch: Option<Value>,
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// `PATCH`, `PUT` or `POST`.
    pub method: &'static str,
    /// The path of the request.
    pub path: String,
    /// What the server answers.
    pub answer: Answer,
}

/// Answers a question. The error says why it cannot be asked.
///
/// An object alone is created; sent to `/status` it is created first, as a client has to. With `old` it replaces that.
/// A patch applies to `old`, or to the object, or to one that has nothing but a name.
pub fn ask(crd: &Crd, question: &Question) -> Result<Exchange, String> {
    let serving = Serving::new(crd)?;
    let version = question.version.as_deref().unwrap_or(serving.storage_version());
    let complete = |it: &Option<Value>| -> Result<Option<Value>, String> {
        let it = it.clone().map(|it| completed(it, serving.group(), version, serving.kind())).transpose()?;
        Ok(it.map(|(object, _)| object))
    };
    let (object, old) = (complete(&question.object)?, complete(&question.old)?);
    let request = Request { version, endpoint: question.endpoint, ..Request::default() };
    let asked = Asked { crd, serving: &serving, request };
    match (object, old, &question.patch) {
        (Some(_), Some(_), Some(_)) => {
            Err("a patch applies to one object: give the object or the old one".to_owned())
        }
        (object, old, Some(patch)) => {
            let nothing = complete(&Some(Value::Null))?;
            let before = old.or(object).or(nothing).unwrap_or_default();
            Ok(asked.patch(stored(before, serving.namespaced()), patch))
        }
        (Some(object), Some(old), None) => Ok(asked.replace(stored(old, serving.namespaced()), &object)),
        (Some(object), None, None) => Ok(asked.create(&object)),
        (None, _, None) => Err("nothing is sent: give an object or a patch".to_owned()),
    }
}

struct Asked<'a> {
    crd: &'a Crd,
    serving: &'a Serving<'a>,
    request: Request<'a>,
}

impl Asked<'_> {
    fn create(&self, object: &Value) -> Exchange {
        let main = Request { endpoint: Endpoint::Main, ..self.request };
        let created = self.serving.create(&main, object);
        match (self.request.endpoint, &created.etcd) {
            (Endpoint::Status, Some(etcd)) => self.replace(etcd.clone(), object),
            _ => Exchange { method: "POST", path: self.path(None, Endpoint::Main), answer: created },
        }
    }

    fn replace(&self, old: Value, object: &Value) -> Exchange {
        let answer = self.serving.update(Some(Stored { object: &old, revision: 1 }), &self.request, object);
        Exchange { method: "PUT", path: self.path(Some(&old), self.request.endpoint), answer }
    }

    fn patch(&self, old: Value, patch: &Value) -> Exchange {
        let before = Stored { object: &old, revision: 1 };
        let answer = if patch.is_array() {
            self.serving.json_patch(before, &self.request, patch)
        } else {
            self.serving.merge_patch(before, &self.request, patch)
        };
        Exchange { method: "PATCH", path: self.path(Some(&old), self.request.endpoint), answer }
    }

    fn path(&self, object: Option<&Value>, endpoint: Endpoint) -> String {
        let mut path = format!("/apis/{}/{}", self.crd.group, self.request.version);
        if self.serving.namespaced() {
            path.push_str("/namespaces/default");
        }
        path.push('/');
        path.push_str(&self.crd.names.plural);
        if let Some(name) = object.and_then(|it| it["metadata"]["name"].as_str()) {
            path.push('/');
            path.push_str(name);
        }
        path.push_str(if endpoint == Endpoint::Status { "/status" } else { "" });
        path
    }
}
