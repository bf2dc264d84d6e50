//! One object, step by step: what is pruned, what is defaulted, what is refused. Nothing is stored.

use super::convert::Object;
use super::convert::get_meta;
use super::convert::meta_text;
use super::convert::set_meta;
use super::endpoint;
use super::endpoint::Endpoint;
use super::go;
use super::problem::Problem;
use super::prune::Lost;
use super::serving::Serving;
use serde_json::Value;

/// What becomes of an object on its way in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// Why it cannot be decoded.
    pub decode_error: Option<String>,
    /// After pruning, removal of nulls and coercion of metadata.
    pub pruned: Option<Value>,
    /// What that dropped.
    pub lost: Vec<Lost>,
    /// After defaulting: what is validated.
    pub defaulted: Option<Value>,
    /// Why it is refused.
    pub errors: Vec<Problem>,
    /// Why the trace is not certain.
    pub unknown: Vec<super::Unknown>,
}

impl Serving<'_> {
    /// Follows an object through a version, as an update of `old` where there is one. Endpoints reset nothing here.
    pub fn trace(&self, version: &str, endpoint: Endpoint, object: &Value, old: Option<&Value>) -> Trace {
        let mut trace = Trace::default();
        let values = [Some(object), old];
        if values.into_iter().flatten().any(|it| go::depth(it, go::MAX_DEPTH) > go::MAX_DEPTH) {
            let why = format!("the object is nested deeper than {} levels", go::MAX_DEPTH);
            trace.unknown.push(super::Unknown(why));
            return trace;
        }
        if let Err(error) = self.follow(version, endpoint, object, old, &mut trace) {
            trace.decode_error = Some(error);
        }
        trace
    }

    fn follow(
        &self,
        version: &str,
        endpoint: Endpoint,
        object: &Value,
        old: Option<&Value>,
        trace: &mut Trace,
    ) -> Result<(), String> {
        let served = self.version(version).ok_or_else(|| format!("there is no version {version}"))?;
        trace.unknown.extend(served.unknown.clone().map(super::Unknown));
        let pruned = &mut trace.pruned;
        let mut keep = |it: &Object| *pruned = Some(Value::Object(it.clone()));
        let (mut object, lost) = self.decode(object.clone(), Some(&mut keep))?;
        trace.lost = lost;
        trace.defaulted = Some(Value::Object(object.clone()));
        if self.namespaced() && meta_text(&object, "namespace").is_empty() {
            set_meta(&mut object, "namespace", Some(Value::from("default")));
        }
        let old = match (old, endpoint) {
            (None, Endpoint::Main) => {
                let verdict = self.validate_create(served, &Value::Object(object));
                trace.errors = verdict.problems;
                trace.unknown.extend(verdict.unknown.into_iter().map(super::Unknown));
                return Ok(());
            }
            (None, Endpoint::Status) => {
                let mut old = object.clone();
                old.remove("status");
                old
            }
            (Some(old), _) => {
                let read = self.read(old, version, 1).map_err(|it| format!("old: {it}"))?;
                trace.unknown.extend(read.unknown.map(super::Unknown));
                let old = endpoint::content(&read.object);
                for key in ["uid", "creationTimestamp", "generation", "namespace"] {
                    set_meta(&mut object, key, get_meta(old, key).cloned());
                }
                old.clone()
            }
        };
        let revision = Some(Value::from("1"));
        let mut old = old;
        set_meta(&mut object, "resourceVersion", revision.clone());
        set_meta(&mut old, "resourceVersion", revision);
        let verdict = self.validate_update(served, endpoint, &Value::Object(object), &Value::Object(old));
        trace.errors = verdict.problems;
        trace.unknown.extend(verdict.unknown.into_iter().map(super::Unknown));
        Ok(())
    }
}
