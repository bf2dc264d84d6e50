//! What the rules of a schema say of an object.
//!
//! Mirrors `Validator.Validate` of the server's `cel/validation.go`. Whether other errors of the object keep the server
//! from running any rule is decided by the caller.

use crate::schema::Schema;
use crate::schema::ValidationRule;
use crate::server::FieldError;
use crate::server::Unknown;
use crate::server::cel::Outcome;
use crate::server::cel::correlate;
use crate::server::cel::correlate::Ratchet;
use crate::server::cel::decl::Fields;
use crate::server::cel::eval::Eval;
use crate::server::cel::program::Program;
use crate::server::cel::program::Rule;
use crate::server::cel::rules::Node;
use crate::server::cel::rules::Rules;
use crate::server::cel::syntax::Failure;
use crate::server::cel::value;
use crate::server::cel::value::Stop;
use crate::server::cel::value::Val;
use crate::server::problem::OMITTED;
use crate::server::problem::Problem;
use crate::server::ratchet::Correlated;
use serde_json::Value;

/// The most that all evaluations on one object may cost.
const BUDGET: u64 = 10_000_000;

/// Evaluates the rules of a schema on a whole object. `old` is the stored object of an update, none on creation;
/// errors of rules without `oldSelf` on unchanged values are then not errors.
pub fn validate(rules: &Rules, schema: &Schema, value: &Value, old: Option<&Value>) -> Outcome {
    let mut run = Run { res: Outcome::default(), spent: 0 };
    if let Some(root) = &rules.root {
        let ratchet = match old {
            Some(old) => Ratchet::root(Correlated { value, old, schema: Some(schema) }),
            None => Ratchet::default(),
        };
        run.node(schema, root, "", value, old, ratchet);
    }
    run.res
}

struct Run {
    res: Outcome,
    spent: u64,
}

impl Run {
    fn node<'v>(
        &mut self,
        schema: &'v Schema,
        node: &'v Node,
        path: &str,
        value: &'v Value,
        old: Option<&'v Value>,
        ratchet: Ratchet<'v>,
    ) {
        if value.is_null() || node.hidden {
            return;
        }
        let old = old.filter(|it| !it.is_null());
        for (rule, written) in node.rules(schema).iter().zip(&schema.validations) {
            self.rule(Site { schema, fields: node.fields, path, value, old, ratchet }, rule, written);
        }
        match value {
            Value::Array(items) => {
                let (Some(child), Some(of)) = (&node.items, schema.item()) else { return };
                let olds = correlate::keyed(schema, old.and_then(Value::as_array));
                for (at, item) in items.iter().enumerate() {
                    let ratchet = ratchet.index(at);
                    self.node(of, child, &format!("{path}[{at}]"), item, olds.get(item), ratchet);
                }
            }
            Value::Object(map) => {
                let old = |key: &str| old.and_then(|it| it.get(key));
                if let (Some(child), Some(of)) = (&node.additional, schema.additional()) {
                    for (key, value) in map {
                        self.node(of, child, &format!("{path}[{key}]"), value, old(key), ratchet.key(key));
                    }
                }
                for (at, child) in &node.properties {
                    let (name, property) = &schema.properties[*at];
                    if let Some(value) = map.get(&**name) {
                        self.node(property, child, &joined(path, name), value, old(name), ratchet.key(name));
                    }
                }
            }
            _ => {}
        }
    }

    fn rule<'v>(&mut self, site: Site<'v, '_>, rule: &'v Rule, written: &'v ValidationRule) {
        let program = match &rule.program {
            None => return,
            Some(Ok(program)) => program,
            Some(Err(Failure::Refused(why))) => {
                return self.error(
                    site.path,
                    "FieldValueInvalid",
                    format!("rule compile error: {why}"),
                    written,
                    Value::from(&*site.schema.ty),
                );
            }
            Some(Err(Failure::Unknown(why))) => return self.unknown(site.path, written, why),
        };
        let optional = written.optional_old_self == Some(true);
        if rule.uses_old && site.old.is_none() && !optional {
            return;
        }
        match self.evaluate(site, program, optional) {
            Ok(Val::Bool(true)) => {}
            Ok(_) => {
                let path = if rule.field_path.is_empty() {
                    site.path.to_owned()
                } else {
                    joined(site.path, &rule.field_path)
                };
                if !rule.uses_old && site.ratchet.unchanged() {
                    return;
                }
                let reason = reason(written);
                // The server's word for a duplicate is the value, which it leaves out of the detail.
                let detail = match reason {
                    "FieldValueDuplicate" => String::new(),
                    _ => self.message(site, rule, written),
                };
                let shown = match &*site.schema.ty {
                    "object" | "array" => Value::from(OMITTED),
                    _ => site.value.clone(),
                };
                self.error(&path, reason, detail, written, shown);
            }
            Err(Stop::Error(why)) => {
                let detail = if why.starts_with("no such overload") {
                    format!(
                        "'{why}': call arguments did not match a supported operator, function or macro signature for \
                         rule: {}",
                        written.name()
                    )
                } else {
                    format!("{why} evaluating rule: {}", written.name())
                };
                self.error(site.path, "FieldValueInvalid", detail, written, Value::from(&*site.schema.ty));
            }
            Err(Stop::Unknown(why)) => self.unknown(site.path, written, &why),
        }
    }

    fn evaluate<'v>(
        &mut self,
        site: Site<'v, '_>,
        program: &'v Program,
        optional: bool,
    ) -> value::Result<Val<'v>> {
        let read = |value: &'v Value| value::read(value, site.schema, site.fields);
        let old = match (site.old, optional) {
            (Some(old), false) => Some(read(old)),
            (Some(old), true) => Some(read(old).map(|it| Val::Optional(Some(it.into())))),
            (None, true) => Some(Ok(Val::Optional(None))),
            (None, false) => None,
        };
        let mut eval = Eval::new(read(site.value), old);
        let res = eval.expr(&program.expr);
        self.spent = self.spent.saturating_add(eval.spent);
        if eval.is_exhausted() || self.spent > BUDGET {
            return value::unknown("the rule may cost more than the server allows");
        }
        res
    }

    fn message<'v>(&mut self, site: Site<'v, '_>, rule: &'v Rule, written: &ValidationRule) -> String {
        let optional = written.optional_old_self == Some(true);
        if let Some(Ok(program)) = &rule.message
            && let Ok(Val::String(text)) = self.evaluate(site, program, optional)
        {
            let text = text.trim();
            if !text.is_empty() && text.len() <= 5 * 1024 && !text.contains('\n') {
                return text.to_owned();
            }
        }
        match written.message.trim() {
            "" if written.message.is_empty() => format!("failed rule: {}", written.rule.trim()),
            message => message.to_owned(),
        }
    }

    fn error(
        &mut self,
        path: &str,
        ty: &'static str,
        detail: String,
        written: &ValidationRule,
        shown: Value,
    ) {
        // Go prints the path of the root itself so.
        let field = if path.is_empty() { "<nil>" } else { path }.to_owned();
        self.res.errors.push(Problem {
            error: FieldError { field, ty, detail },
            value: shown,
            at: written.at,
        });
    }

    fn unknown(&mut self, path: &str, written: &ValidationRule, why: &str) {
        let path = if path.is_empty() { "the object" } else { path };
        self.res
            .unknown
            .push(Unknown(format!("{path}: the rule `{}` is not evaluated: {why}", written.rule.trim())));
    }
}

/// Where a rule runs.
#[derive(Clone, Copy)]
struct Site<'v, 'p> {
    schema: &'v Schema,
    fields: Fields,
    path: &'p str,
    value: &'v Value,
    old: Option<&'v Value>,
    ratchet: Ratchet<'v>,
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn reason(rule: &ValidationRule) -> &'static str {
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => "FieldValueForbidden",
        Some("FieldValueRequired") => "FieldValueRequired",
        Some("FieldValueDuplicate") => "FieldValueDuplicate",
        _ => "FieldValueInvalid",
    }
}
