//! Defaults: without unknown fields, and valid by the node that gives them.
//!
//! Mirrors `ValidateDefaults` of apiserver/schema/defaulting/validation.go. A default inside `metadata` is judged within
//! the resource around it. Defaults below `additionalProperties` are not looked at.

use super::Admission;
use super::Refusal;
use super::options::Options;
use crate::schema::Schema;
use crate::server::FieldError;
use crate::server::Unknown;
use crate::server::cel;
use crate::server::cel::Rules;
use crate::server::default::DEFAULT;
use crate::server::default::Defaults;
use crate::server::embedded;
use crate::server::place::Place;
use crate::server::problem::NO_FIELD;
use crate::server::problem::Problem;
use crate::server::prune;
use crate::server::structural;
use crate::server::validate::Validator;
use crate::server::validate::pattern::Patterns;
use serde_json::Map;
use serde_json::Value;

/// Judges the defaults of a structural schema.
pub(super) fn validate(schema: &Schema, place: &Place, options: &Options, out: &mut Admission) {
    let patterns = Patterns::default();
    let validator = Validator::of_defaults(&patterns);
    let mut walk = Walk { pruned: options.pruned_defaults, validator, steps: Vec::new(), out };
    walk.resource(schema, place, true);
    let unknown = walk.validator.unknown.into_inner();
    out.unknown.extend(unknown.into_iter().map(Unknown));
}

/// Whether any default of a schema has unknown fields (`schemaHasUnprunedDefaults`).
pub(super) fn has_unpruned(schema: &Schema) -> bool {
    structural::is_structural(schema) && Defaults::served(schema).is_ok_and(|it| !it.are_as_written())
}

struct Walk<'w, 's> {
    /// Whether unknown fields are refused.
    pruned: bool,
    validator: Validator<'w>,
    /// The way from the innermost resource to the node.
    steps: Vec<Step<'s>>,
    out: &'w mut Admission,
}

#[derive(Clone, Copy)]
enum Step<'s> {
    Key(&'s str),
    Item,
}

/// The innermost resource around a node, and whether the node stands in its metadata.
#[derive(Clone, Copy)]
struct Within<'s> {
    resource: &'s Schema,
    meta: bool,
}

impl<'s> Walk<'_, 's> {
    /// Enters a resource: the root, or an embedded one.
    fn resource(&mut self, schema: &'s Schema, place: &Place, root: bool) {
        let outer = std::mem::take(&mut self.steps);
        if let Some(default) = &schema.default {
            self.default(schema, default, &place.child("default"), root);
        }
        self.below(schema, place, Within { resource: schema, meta: false }, true);
        self.steps = outer;
    }

    fn node(&mut self, schema: &'s Schema, place: &Place, within: Within<'s>) {
        if !schema.within.meets(DEFAULT) {
            return;
        }
        if schema.embedded {
            return self.resource(schema, place, false);
        }
        match &schema.default {
            Some(default) if within.meta => {
                self.meta_default(schema, default, &place.child("default"), within.resource);
            }
            Some(default) => self.default(schema, default, &place.child("default"), false),
            None => {}
        }
        self.below(schema, place, within, false);
    }

    fn below(&mut self, schema: &'s Schema, place: &Place, within: Within<'s>, resource: bool) {
        if let Some(item) = schema.item() {
            self.steps.push(Step::Item);
            self.node(item, &place.child("items"), within);
            self.steps.pop();
        }
        let properties = place.child("properties");
        for (name, property) in &schema.properties {
            let meta = within.meta || (resource && prune::is_meta(name));
            self.steps.push(Step::Key(name));
            self.node(property, &properties.key(name), Within { meta, ..within });
            self.steps.pop();
        }
    }

    fn default(&mut self, schema: &Schema, default: &Value, place: &Place, root: bool) {
        let at = schema.span("default");
        let mut value = default.clone();
        if self.pruned {
            match &mut value {
                Value::Object(object) if root => prune::root(object, Some(schema), &mut Vec::new()),
                value => prune::node(value, schema),
            }
            if value != *default {
                self.out.refusals.push(Refusal::invalid(place, "must not have unknown fields", at));
            }
        }
        // What is coerced is what is validated.
        let mut value = default.clone();
        match coerced(&mut value, schema, root) {
            Err(mut problem) => {
                problem.error.field = below(place, &problem.error.field);
                self.out.refusals.push(Refusal { error: problem.error, at });
                return;
            }
            Ok(problems) if !problems.is_empty() => {
                for mut problem in problems {
                    problem.error.field = below(place, &problem.error.field);
                    self.out.refusals.push(Refusal { error: problem.error, at });
                }
                return;
            }
            Ok(_) => {}
        }
        self.valid(schema, &value, place, root);
    }

    /// The default of a node in the metadata of a resource.
    fn meta_default(&mut self, schema: &Schema, default: &Value, place: &Place, resource: &Schema) {
        let at = schema.span("default");
        let mut value = default.clone();
        for step in self.steps.iter().rev() {
            value = match step {
                Step::Key(key) => Value::Object(Map::from_iter([((*key).to_owned(), value)])),
                Step::Item => Value::Array(vec![value]),
            };
        }
        if let Value::Object(object) = &mut value {
            object.entry("apiVersion").or_insert_with(|| "validation/v1".into());
            object.entry("kind").or_insert_with(|| "Validation".into());
        }
        let error = match coerced(&mut value, resource, true) {
            Err(problem) => Some(problem.text()),
            Ok(problems) if problems.is_empty() => None,
            Ok(problems) => Some(aggregate(&problems)),
        };
        match error {
            Some(error) => {
                let words = format!("must result in valid metadata: {error}");
                self.out.refusals.push(Refusal::invalid(place, &words, at));
            }
            None => self.valid(schema, default, place, false),
        }
    }

    /// By values of the schema, then by its rules.
    fn valid(&mut self, schema: &Schema, default: &Value, place: &Place, root: bool) {
        let (field, at) = (place.to_string(), schema.span("default"));
        let problems = self.validator.validate(default, schema, Some(&field), None);
        if problems.is_empty() {
            self.rules(schema, default, place, root);
        }
        self.out.refusals.extend(problems.into_iter().map(|it| Refusal { error: it.error, at }));
    }

    /// A default has to satisfy rules both as a value that comes and as one that stays.
    fn rules(&mut self, schema: &Schema, default: &Value, place: &Place, root: bool) {
        let rules = if root { Rules::of(schema) } else { Rules::of_node(schema) };
        if rules.is_empty() {
            return;
        }
        let (comes, stays) = (
            cel::validate(&rules, schema, default, None),
            cel::validate(&rules, schema, default, Some(default)),
        );
        let mut errors: Vec<FieldError> = comes.errors.into_iter().map(|it| it.error).collect();
        errors.extend(
            stays.errors.into_iter().map(|it| it.error).filter(|it| !errors.contains(it)).collect::<Vec<_>>(),
        );
        let at = schema.span("default");
        for mut error in errors {
            error.field = below(place, error.field.trim_start_matches('.'));
            self.out.refusals.push(Refusal { error, at });
        }
        for unknown in comes.unknown.into_iter().chain(stays.unknown) {
            let unknown = Unknown(format!("{place}: {}", unknown.0));
            if !self.out.unknown.contains(&unknown) {
                self.out.unknown.push(unknown);
            }
        }
    }
}

/// What is wrong with the resources in a default, or why they cannot be decoded.
fn coerced(default: &mut Value, schema: &Schema, root: bool) -> Result<Vec<Problem>, Box<Problem>> {
    let mut problems = Vec::new();
    let object = match default {
        Value::Object(object) => object,
        Value::Array(_) => return listed(default, schema),
        _ => return Ok(problems),
    };
    let resource = (root && !schema.embedded).then(|| Schema { embedded: true, ..schema.clone() });
    let schema = resource.as_ref().unwrap_or(schema);
    embedded::coerce(object, Some(schema), schema.embedded, false, None)?;
    embedded::validate(object, Some(schema), &mut problems);
    Ok(problems)
}

/// A list is judged as the value of a key, which is then taken off the paths.
fn listed(default: &mut Value, schema: &Schema) -> Result<Vec<Problem>, Box<Problem>> {
    const KEY: &str = "x";
    let properties = vec![(KEY.into(), schema.clone())];
    let parent = Schema { properties, ..Schema::default() };
    let mut object = Map::from_iter([(KEY.to_owned(), default.take())]);
    let mut problems = Vec::new();
    let unkey = |it: &mut Problem| {
        if let Some(rest) = it.error.field.strip_prefix(KEY) {
            it.error.field = rest.to_owned();
        }
    };
    if let Err(mut problem) = embedded::coerce(&mut object, Some(&parent), false, false, None) {
        unkey(&mut problem);
        return Err(problem);
    }
    embedded::validate(&object, Some(&parent), &mut problems);
    *default = object.remove(KEY).unwrap_or_default();
    problems.iter_mut().for_each(unkey);
    Ok(problems)
}

/// A field below a place.
fn below(place: &Place, field: &str) -> String {
    match field {
        "" | NO_FIELD => place.to_string(),
        it if it.starts_with('[') => format!("{place}{it}"),
        it => format!("{place}.{it}"),
    }
}

/// `ToAggregate`: one error alone, more in brackets, each once.
fn aggregate(problems: &[Problem]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in problems.iter().map(Problem::text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) }
}
