//! Requests in, answers out.
//!
//! Mirrors the request handlers of apiserver/pkg/endpoints/handlers and registry/generic. Storage is the caller's: what
//! was stored comes in, what is to be stored goes out. Not modeled: managed fields, server-side apply, admission webhooks,
//! deletion, authorization.

use super::Unknown;
use super::answer::Answer;
use super::answer::CREATED;
use super::answer::Failure;
use super::answer::FieldValidation;
use super::answer::Request;
use super::answer::Stored;
use super::answer::UID;
use super::convert::Object;
use super::convert::get_meta;
use super::convert::meta_text;
use super::convert::parse_api_version;
use super::convert::set_meta;
use super::convert::text_at;
use super::endpoint;
use super::endpoint::Endpoint;
use super::go;
use super::names;
use super::patch;
use super::prune::Lost;
use super::repeated::Repeated;
use super::serving::Served;
use super::serving::Serving;
use serde_json::Value;

impl<'c> Serving<'c> {
    /// The refusal of every request to a version and an endpoint that are not there.
    #[allow(clippy::result_large_err, reason = "a refusal is an answer like any other")]
    pub fn addresses(&self, version: &str, endpoint: Endpoint) -> Result<(), Answer> {
        let request = Request { version, endpoint, ..Request::default() };
        let answer = self.answer(&request, &[], |_| self.addressed(&request).map(drop));
        if answer.code == 0 { Ok(()) } else { Err(answer) }
    }

    /// Creates an object.
    pub fn create(&self, request: &Request<'_>, body: &Value) -> Answer {
        self.create_beside(None, request, body)
    }

    /// Creates an object, unless there is one of that name.
    pub fn create_beside(&self, existing: Option<Stored<'_>>, request: &Request<'_>, body: &Value) -> Answer {
        self.answer(request, &[body], |answer| {
            let served = self.addressed(request)?;
            let (mut object, lost) = self.decode(body.clone(), None).map_err(Failure::bad)?;
            self.report(request, lost, answer)?;
            self.same_version(&object, request.version)?;
            if existing.is_some() {
                return Err(Failure::new(409, "AlreadyExists", ""));
            }
            for key in
                ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]
            {
                set_meta(&mut object, key, None);
            }
            self.namespace(&mut object)?;
            set_meta(&mut object, "uid", Some(Value::from(UID)));
            set_meta(&mut object, "creationTimestamp", Some(Value::from(CREATED)));
            if meta_text(&object, "name").is_empty() && !meta_text(&object, "generateName").is_empty() {
                return Err(Failure::caused("metadata.name was not generated"));
            }
            endpoint::prepare_create(served, &mut object);
            let value = Value::Object(object);
            let object = endpoint::content(&value);
            let mut verdict = self.validate_create(served, &value);
            answer.unknown.extend(verdict.unknown.drain(..).map(Unknown));
            if verdict.problems.is_empty() {
                self.common_create(object, &mut verdict.problems);
            }
            if !verdict.problems.is_empty() {
                return Err(Failure::invalid(verdict.problems));
            }
            answer.warnings.extend(names::finalizer_warnings(object.get("metadata"), None));
            self.commit(answer, value, request.version, None)?;
            answer.code = 201;
            Ok(())
        })
    }

    /// Replaces an object. The body is read before the object is looked for, so a bad one is 400 even without an object.
    pub fn update(&self, stored: Option<Stored<'_>>, request: &Request<'_>, body: &Value) -> Answer {
        let old = stored.as_ref().map_or(&Value::Null, |it| it.object);
        self.answer(request, &[body, old], |answer| {
            let served = self.addressed(request)?;
            let (mut object, lost) = self.decode(body.clone(), None).map_err(Failure::bad)?;
            self.report(request, lost, answer)?;
            self.same_version(&object, request.version)?;
            let stored = stored.ok_or_else(|| Failure::new(404, "NotFound", ""))?;
            let current = self.current(stored, request.version, answer)?;
            if meta_text(&object, "resourceVersion").is_empty() {
                let revision = get_meta(endpoint::content(&current), "resourceVersion");
                set_meta(&mut object, "resourceVersion", revision.cloned());
            }
            self.finish(answer, served, request, object, &current, stored)
        })
    }

    /// Applies a JSON merge patch.
    pub fn merge_patch(&self, stored: Stored<'_>, request: &Request<'_>, patch: &Value) -> Answer {
        self.merge_patch_again(&Repeated::default(), stored, request, patch)
    }

    /// Applies a JSON merge patch, and what is `repeated` of it only once.
    pub fn merge_patch_again(
        &self,
        repeated: &Repeated,
        stored: Stored<'_>,
        request: &Request<'_>,
        patch: &Value,
    ) -> Answer {
        self.patched(repeated, stored, request, patch, |current| {
            if request.field_validation != FieldValidation::Ignore && !patch.is_object() && !patch.is_null() {
                let what = match patch {
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "bool",
                    _ => "number",
                };
                return Err(Failure::bad(format!(
                    "error decoding patch: json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
                )));
            }
            patch::merge(current, patch).map_err(|()| Failure::bad("Invalid JSON Patch"))
        })
    }

    /// Applies a JSON patch (RFC 6902).
    pub fn json_patch(&self, stored: Stored<'_>, request: &Request<'_>, patch: &Value) -> Answer {
        self.patched(&Repeated::default(), stored, request, patch, |current| patch::apply(current, patch))
    }

    fn patched(
        &self,
        repeated: &Repeated,
        stored: Stored<'_>,
        request: &Request<'_>,
        patch: &Value,
        apply: impl FnOnce(Value) -> Result<Value, Failure>,
    ) -> Answer {
        self.answer(request, &[patch, stored.object], |answer| {
            let served = self.addressed(request)?;
            let read = || self.read(stored.object, request.version, stored.revision);
            let current = repeated.current.get_or_init(read).as_ref().map_err(Failure::internal)?;
            answer.unknown.extend(current.unknown.clone().map(Unknown));
            let mut text = current.object.clone();
            go::reencode(&mut text);
            let body = apply(text)?;
            let (object, lost) = self.decode(body, None).map_err(Failure::patch)?;
            self.report(request, lost, answer).map_err(|it| Failure::patch(it.message))?;
            let finish = |object| {
                let mut end = Answer::default();
                let done = self.finish(&mut end, served, request, object, &current.object, stored);
                done.unwrap_or_else(|failure| end.fail(failure));
                end
            };
            // Where all is kept, no other patch comes to the same end.
            answer.end_as(if answer.lost.is_empty() { finish(object) } else { repeated.end(object, finish) });
            Ok(())
        })
    }

    /// Reads an object in a version.
    pub fn get(&self, stored: Stored<'_>, version: &str) -> Answer {
        let request = Request { version, ..Request::default() };
        self.answer(&request, &[stored.object], |answer| {
            self.addressed(&request)?;
            let object = self.current(stored, version, answer)?;
            answer.code = 200;
            answer.object = Some(object);
            Ok(())
        })
    }

    /// Runs a request unless its values are too deep to.
    fn answer(
        &self,
        request: &Request<'_>,
        values: &[&Value],
        run: impl FnOnce(&mut Answer) -> Result<(), Failure>,
    ) -> Answer {
        let mut answer = Answer::default();
        if values.iter().any(|it| go::depth(it, go::MAX_DEPTH) > go::MAX_DEPTH) {
            let why = format!("the object is nested deeper than {} levels", go::MAX_DEPTH);
            answer.unknown.push(Unknown(why));
            return answer;
        }
        if let Some(why) = self.version(request.version).and_then(|it| it.unknown.clone()) {
            answer.unknown.push(Unknown(why));
        }
        run(&mut answer).unwrap_or_else(|failure| answer.fail(failure));
        answer
    }

    fn addressed(&self, request: &Request<'_>) -> Result<&Served<'c>, Failure> {
        let served = self.version(request.version).filter(|it| it.version.served);
        let served = served.ok_or_else(|| Failure::new(404, "NotFound", "version not served"))?;
        if request.endpoint == Endpoint::Status && !served.version.status_subresource {
            return Err(Failure::new(404, "NotFound", "no status subresource"));
        }
        Ok(served)
    }

    /// Decodes a body; `between` sees it pruned and not yet defaulted.
    pub(super) fn decode(
        &self,
        body: Value,
        between: Option<&mut dyn FnMut(&Object)>,
    ) -> Result<(Object, Vec<Lost>), String> {
        let Value::Object(mut object) = body else {
            let ty = go::type_name(&body);
            return Err(format!("couldn't get version/kind; json parse error: cannot unmarshal {ty}"));
        };
        for key in ["apiVersion", "kind"] {
            if let Some(other) = object.get(key).filter(|it| !it.is_string() && !it.is_null()) {
                let ty = match other {
                    Value::Bool(_) => "bool",
                    Value::Number(_) => "number",
                    Value::Array(_) => "array",
                    _ => "object",
                };
                return Err(format!(
                    "couldn't get version/kind; json parse error: json: cannot unmarshal {ty} into Go struct field \
                     .{key} of type string"
                ));
            }
        }
        if text_at(&object, "kind").is_empty() {
            return Err(format!("Object 'Kind' is missing in '{}'", go::to_json(&Value::Object(object))));
        }
        let mut lost = Vec::new();
        self.coerce(&mut object, false, Some(&mut lost))?;
        if let Some(between) = between {
            between(&object);
        }
        self.default(&mut object);
        Ok((object, lost))
    }

    /// Warns of, or refuses, what is unknown or written twice.
    fn report(&self, request: &Request<'_>, lost: Vec<Lost>, answer: &mut Answer) -> Result<(), Failure> {
        let unknown = lost.iter().map(|it| format!("unknown field {}", go::quote(&it.path)));
        let messages: Vec<String> = request.duplicates.iter().cloned().chain(unknown).collect();
        answer.lost = lost;
        match request.field_validation {
            FieldValidation::Strict if !messages.is_empty() => {
                Err(Failure::bad(format!("strict decoding error: {}", messages.join(", "))))
            }
            FieldValidation::Warn => {
                answer.warnings = messages;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn same_version(&self, object: &Object, version: &str) -> Result<(), Failure> {
        let (group, given) = parse_api_version(text_at(object, "apiVersion")).map_err(Failure::bad)?;
        let expected = format!("{}/{version}", self.crd.group);
        let given = if group.is_empty() { given.to_owned() } else { format!("{group}/{given}") };
        if given == expected {
            return Ok(());
        }
        Err(Failure::bad(format!(
            "the API version in the data ({given}) does not match the expected API version ({expected})"
        )))
    }

    fn current(&self, stored: Stored<'_>, version: &str, answer: &mut Answer) -> Result<Value, Failure> {
        let read = self.read(stored.object, version, stored.revision).map_err(Failure::internal)?;
        answer.unknown.extend(read.unknown.map(Unknown));
        Ok(read.object)
    }

    fn namespace(&self, object: &mut Object) -> Result<(), Failure> {
        let requested = if self.namespaced() { "default" } else { "" };
        let given = meta_text(object, "namespace");
        if given == requested {
            return Ok(());
        }
        if !given.is_empty() && !requested.is_empty() {
            return Err(Failure::bad(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        let namespace = (!requested.is_empty()).then(|| Value::from(requested));
        set_meta(object, "namespace", namespace);
        Ok(())
    }

    fn finish(
        &self,
        answer: &mut Answer,
        served: &Served<'c>,
        request: &Request<'_>,
        mut object: Object,
        before: &Value,
        stored: Stored<'_>,
    ) -> Result<(), Failure> {
        let current = endpoint::content(before);
        self.namespace(&mut object)?;
        let (name, wanted) = (meta_text(&object, "name"), meta_text(current, "name"));
        if name != wanted {
            return Err(Failure::bad(if name.is_empty() {
                "the name of the object is empty".to_owned()
            } else {
                format!("the name of the object ({name}) does not match the name on the URL ({wanted})")
            }));
        }
        let revision = meta_text(&object, "resourceVersion");
        if revision.is_empty() {
            let message = "metadata.resourceVersion: Invalid value: 0: must be specified for an update";
            return Err(Failure::new(422, "Invalid", message));
        }
        if revision != meta_text(current, "resourceVersion") {
            return Err(Failure::new(409, "Conflict", ""));
        }
        let (_, version) = parse_api_version(text_at(&object, "apiVersion")).map_err(Failure::internal)?;
        if version.is_empty() {
            return Err(Failure::caused(
                "Object 'apiVersion' is missing in 'object has no apiVersion field'",
            ));
        }
        endpoint::prepare_update(served, request.endpoint, &mut object, current);
        let value = Value::Object(object);
        let object = endpoint::content(&value);
        let mut problems = Vec::new();
        self.common_update(object, current, &mut problems);
        let mut verdict = self.validate_update(served, request.endpoint, &value, before);
        problems.append(&mut verdict.problems);
        problems.retain(|it| !request.tolerated.contains(&it.error));
        answer.unknown.extend(verdict.unknown.into_iter().map(Unknown));
        if !problems.is_empty() {
            return Err(Failure::invalid(problems));
        }
        if request.endpoint == Endpoint::Main {
            let (meta, old) = (object.get("metadata"), current.get("metadata"));
            answer.warnings.extend(names::finalizer_warnings(meta, old));
        }
        self.commit(answer, value, request.version, Some(stored))?;
        answer.code = 200;
        Ok(())
    }

    fn commit(
        &self,
        answer: &mut Answer,
        object: Value,
        version: &str,
        before: Option<Stored<'_>>,
    ) -> Result<(), Failure> {
        answer.unknown.extend(self.conversion(version, self.storage).map(Unknown));
        let stored = self.store(object, &mut answer.lost_in_storage).map_err(Failure::internal)?;
        answer.wrote = before.is_none_or(|it| *it.object != stored);
        let revision = before.map_or(0, |it| it.revision) + u64::from(answer.wrote);
        // What is written stays written, even where it cannot be read back.
        answer.etcd = Some(stored);
        let stored = Stored { object: answer.etcd.as_ref().unwrap_or(&Value::Null), revision };
        let read = self.read(stored.object, version, revision).map_err(Failure::internal)?;
        answer.object = Some(read.object);
        Ok(())
    }
}
