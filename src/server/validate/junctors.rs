//! `allOf`, `anyOf`, `oneOf` and `not`: which branch's errors are shown.
//!
//! Mirrors kube-openapi's `schema_props.go`. Inside branches nothing is ratcheted.

use super::Finding;
use super::Outcome;
use super::Path;
use super::Validator;
use super::go;
use super::plain;
use crate::schema::Schema;
use serde_json::Value;

impl Validator<'_> {
    pub(super) fn junctors(&self, value: &Value, schema: &Schema, path: &Path<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        self.any_of(value, schema, path, &mut outcome);
        self.one_of(value, schema, path, &mut outcome);
        self.all_of(value, schema, path, &mut outcome);
        if let Some(not) = &schema.not
            && self.check(value, not, path, None).is_valid()
        {
            outcome.add(at(path, "must not validate the schema (not)", not));
        }
        outcome.matched += 1;
        outcome
    }

    fn any_of(&self, value: &Value, schema: &Schema, path: &Path<'_>, outcome: &mut Outcome) {
        if schema.any_of.is_empty() {
            return;
        }
        let mut best: Option<Outcome> = None;
        for branch in &schema.any_of {
            let result = self.check(value, branch, path, None);
            if result.is_valid() {
                outcome.merge(result);
                return;
            }
            if best.as_ref().is_none_or(|it| result.matched > it.matched) {
                best = Some(result);
            }
        }
        outcome.add(at(path, "must validate at least one schema (anyOf)", schema));
        best.into_iter().for_each(|it| outcome.merge(it));
    }

    fn one_of(&self, value: &Value, schema: &Schema, path: &Path<'_>, outcome: &mut Outcome) {
        if schema.one_of.is_empty() {
            return;
        }
        let (mut first, mut best, mut valid) = (None, None::<Outcome>, 0);
        for branch in &schema.one_of {
            let result = self.check(value, branch, path, None);
            if result.is_valid() {
                valid += 1;
                best = None;
                first.get_or_insert(result);
            } else if valid == 0 && best.as_ref().is_none_or(|it| result.matched > it.matched) {
                best = Some(result);
            }
        }
        if valid == 1 {
            first.into_iter().for_each(|it| outcome.merge(it));
            return;
        }
        let found = match valid {
            0 => "Found none valid".to_owned(),
            _ => format!("Found {valid} valid alternatives"),
        };
        outcome.add(at(path, &format!("must validate one and only one schema (oneOf). {found}"), schema));
        best.into_iter().for_each(|it| outcome.merge(it));
    }

    fn all_of(&self, value: &Value, schema: &Schema, path: &Path<'_>, outcome: &mut Outcome) {
        let mut valid = 0;
        for branch in &schema.all_of {
            let result = self.check(value, branch, path, None);
            valid += usize::from(result.is_valid());
            outcome.merge(result);
        }
        if valid != schema.all_of.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            outcome.add(at(path, &format!("must validate all the schemas (allOf){none}"), schema));
        }
    }
}

fn at(path: &Path<'_>, text: &str, schema: &Schema) -> Finding {
    plain(format!("{} {text}", go::quote(&path.text())), schema)
}
