//! What the main endpoint and `/status` take of a request, and what they judge.
//!
//! Mirrors apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go and
//! `BeforeCreate`, `BeforeUpdate` of apiserver/pkg/registry/rest.

use super::cel;
use super::convert::Object;
use super::convert::get_meta;
use super::convert::set_meta;
use super::convert::text_at;
use super::embedded;
use super::names;
use super::problem::NO_FIELD;
use super::problem::Problem;
use super::ratchet::Correlated;
use super::scale;
use super::serving::Served;
use super::serving::Serving;
use super::validate::Validator;
use super::validate::lists;
use serde_json::Map;
use serde_json::Value;
use std::sync::LazyLock;

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Endpoint {
    /// The object itself.
    #[default]
    Main,
    /// Its `/status`.
    Status,
}

/// What the server says of an object.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) problems: Vec<Problem>,
    /// Why it is not certain.
    pub(super) unknown: Vec<String>,
}

static NULL: Value = Value::Null;
static EMPTY: LazyLock<Object> = LazyLock::new(Map::new);

/// Resets what a client may not set on create.
pub(super) fn prepare_create(served: &Served<'_>, object: &mut Object) {
    if served.version.status_subresource {
        object.remove("status");
    }
    set_meta(object, "generation", Some(Value::from(1)));
}

/// Resets what a client may not change through an endpoint.
pub(super) fn prepare_update(served: &Served<'_>, endpoint: Endpoint, object: &mut Object, old: &Object) {
    let generation = get_meta(old, "generation").cloned();
    set_meta(object, "generation", generation.clone());
    match endpoint {
        Endpoint::Main => prepare_main(served, object, old, generation.and_then(|it| it.as_i64())),
        Endpoint::Status => {
            let managed = get_meta(object, "managedFields").cloned();
            let status = object.remove("status");
            object.clone_from(old);
            set_meta(object, "managedFields", managed);
            match status {
                Some(status) => object.insert("status".to_owned(), status),
                None => object.remove("status"),
            };
        }
    }
    if get_meta(object, "uid").is_none() {
        set_meta(object, "uid", get_meta(old, "uid").cloned());
    }
    for key in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(time) = get_meta(old, key) {
            set_meta(object, key, Some(time.clone()));
        }
    }
    let grace = "deletionGracePeriodSeconds";
    if get_meta(object, grace).is_none() {
        set_meta(object, grace, get_meta(old, grace).cloned());
    }
}

fn prepare_main(served: &Served<'_>, object: &mut Object, old: &Object, generation: Option<i64>) {
    if served.version.status_subresource {
        match old.get("status") {
            Some(status) => object.insert("status".to_owned(), status.clone()),
            None => object.remove("status"),
        };
    }
    let rest = |it: &Object| it.len() - usize::from(it.contains_key("metadata"));
    let same = rest(object) == rest(old)
        && object.iter().all(|(key, value)| key == "metadata" || old.get(key) == Some(value));
    if !same {
        // Zero is no generation.
        let next = generation.unwrap_or_default() + 1;
        set_meta(object, "generation", (next != 0).then(|| Value::from(next)));
    }
}

impl Serving<'_> {
    /// What the strategy of the main endpoint says of an object to create.
    pub(super) fn validate_create(&self, served: &Served<'_>, value: &Value) -> Verdict {
        let object = content(value);
        let mut verdict = Verdict::default();
        if self.type_meta(served, object, &mut verdict.problems) {
            let meta = metadata(object);
            names::object_meta(
                meta,
                self.namespaced(),
                names::subdomain_name,
                &names::METADATA,
                &mut verdict.problems,
            );
            if let Some(schema) = &served.version.schema {
                self.schema(value, schema, None, None, &mut verdict);
            }
            scale::spec(object, served.version.scale.as_ref(), &mut verdict.problems);
            scale::status(object, served.version.scale.as_ref(), &mut verdict.problems);
        }
        embedded::validate(object, served.schema, &mut verdict.problems);
        verdict.problems.append(&mut lists::validate(object, served.schema));
        self.rules(served, value, None, &mut verdict);
        verdict
    }

    /// What the strategy of an endpoint says of a changed object.
    pub(super) fn validate_update(
        &self,
        served: &Served<'_>,
        endpoint: Endpoint,
        value: &Value,
        before: &Value,
    ) -> Verdict {
        let (object, old) = (content(value), content(before));
        let mut verdict = Verdict::default();
        let main = endpoint == Endpoint::Main;
        if self.type_meta(served, object, &mut verdict.problems) {
            names::object_meta_update(metadata(object), metadata(old), &mut verdict.problems);
            if main {
                self.whole_schema(served, value, before, &mut verdict);
                scale::spec(object, served.version.scale.as_ref(), &mut verdict.problems);
            } else {
                self.status_schema(served, object, old, &mut verdict);
            }
            scale::status(object, served.version.scale.as_ref(), &mut verdict.problems);
        }
        if main {
            embedded::validate(object, served.schema, &mut verdict.problems);
        }
        let mut found = lists::validate(object, served.schema);
        // Whoever had duplicates may keep them.
        if !found.is_empty() && lists::validate(old, served.schema).is_empty() {
            verdict.problems.append(&mut found);
        }
        self.rules(served, value, Some(before), &mut verdict);
        verdict
    }

    /// The checks of every resource, before those of the strategy.
    pub(super) fn common_update(&self, object: &Object, old: &Object, problems: &mut Vec<Problem>) {
        let meta = metadata(object);
        names::object_meta(meta, self.namespaced(), names::path_segment, &names::METADATA, problems);
        names::object_meta_update(meta, metadata(old), problems);
    }

    /// The checks of every resource, after those of the strategy have passed.
    pub(super) fn common_create(&self, object: &Object, problems: &mut Vec<Problem>) {
        names::object_meta(
            metadata(object),
            self.namespaced(),
            names::path_segment,
            &names::METADATA,
            problems,
        );
    }

    fn type_meta(&self, served: &Served<'_>, object: &Object, problems: &mut Vec<Problem>) -> bool {
        let before = problems.len();
        let api_version = format!("{}/{}", self.crd.group, served.version.name);
        for (key, wanted) in [("kind", self.crd.names.kind.as_str()), ("apiVersion", api_version.as_str())] {
            let given = text_at(object, key);
            if given != wanted {
                let detail = format!("must be {wanted}");
                problems.push(Problem::invalid(key.to_owned(), Value::from(given), &detail));
            }
        }
        problems.len() == before
    }

    fn whole_schema(&self, served: &Served<'_>, value: &Value, old: &Value, verdict: &mut Verdict) {
        let Some(schema) = &served.version.schema else { return };
        let correlated = Correlated { value, old, schema: served.schema };
        self.schema(value, schema, None, Some(&correlated), verdict);
    }

    fn status_schema(&self, served: &Served<'_>, object: &Object, old: &Object, verdict: &mut Verdict) {
        let declared = served.version.schema.as_ref().and_then(|it| it.property("status"));
        let (Some(schema), Some(status)) = (declared, object.get("status")) else { return };
        // The server makes a validator of the status only where that is an endpoint of its own.
        if !served.version.status_subresource {
            return;
        }
        let before = old.get("status");
        let structural = served.schema.and_then(|it| it.property("status"));
        let correlated = Correlated {
            value: status,
            old: before.unwrap_or(&NULL),
            schema: structural.filter(|_| before.is_some()),
        };
        let ratcheted = served.schema.is_some().then_some(&correlated);
        self.schema(status, schema, Some("status"), ratcheted, verdict);
    }

    fn schema(
        &self,
        value: &Value,
        schema: &crate::schema::Schema,
        field: Option<&str>,
        old: Option<&Correlated<'_>>,
        verdict: &mut Verdict,
    ) {
        let validator = Validator::of_objects(&self.patterns);
        verdict.problems.append(&mut validator.validate(value, schema, field, old));
        verdict.unknown.append(&mut validator.unknown.into_inner());
    }

    fn rules(&self, served: &Served<'_>, value: &Value, old: Option<&Value>, verdict: &mut Verdict) {
        let Some(schema) = served.schema.filter(|_| served.rules.can_run()) else { return };
        if verdict.problems.iter().any(Problem::blocks_rules) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing \
                          errors to complete validation";
            verdict.problems.push(Problem::invalid(NO_FIELD.to_owned(), Value::Null, detail));
            return;
        }
        let outcome = cel::validate(&served.rules, schema, value, old);
        verdict.problems.extend(outcome.errors);
        verdict.unknown.extend(outcome.unknown.into_iter().map(|it| it.0));
    }
}

/// The metadata of an object, empty where there is none.
fn metadata(object: &Object) -> &Object {
    object.get("metadata").and_then(Value::as_object).unwrap_or(&EMPTY)
}

/// The content of an object.
pub(super) fn content(value: &Value) -> &Object {
    value.as_object().unwrap_or(&EMPTY)
}
