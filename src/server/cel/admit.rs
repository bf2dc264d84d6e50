//! Whether the server takes the rules of a schema when the CRD is created.
//!
//! Mirrors the part of `ValidateCustomResourceDefinitionOpenAPISchema` that is about rules, and `cel_validation.go`
//! beside it, in k8s.io/apiextensions-apiserver. The form of rules, which comes first, is judged elsewhere.

use crate::schema::Schema;
use crate::schema::ValidationRule;
use crate::server::FieldError;
use crate::server::Unknown;
use crate::server::cel::Compiled;
use crate::server::cel::decl;
use crate::server::cel::program::Program;
use crate::server::cel::program::Rule;
use crate::server::cel::rules::Node;
use crate::server::cel::rules::Rules;
use crate::server::cel::syntax::Failure;
use crate::source::Span;

/// The most that one expression may cost.
const RULE_LIMIT: u64 = 10_000_000;
/// The most that all expressions of a schema may cost.
const SCHEMA_LIMIT: u64 = 100_000_000;

/// What the server says of the rules of a root schema that stands at `path`.
///
/// `blocked` are the nodes with an error of the schema itself at or below them: their rules are not looked at.
/// A schema that is not structural, or whose defaults are refused, must not be asked about at all.
pub fn admit(rules: &Rules, schema: &Schema, path: &str, blocked: &[&Schema]) -> Compiled {
    let mut walk =
        Walk { blocked, res: Compiled::default(), total: 0, expensive: Vec::new(), uncosted: false };
    if let Some(root) = &rules.root {
        let place =
            Place { path: path.to_owned(), scope: Scope::None, cardinality: Some(1), uncorrelatable: None };
        walk.node(schema, root, place);
    }
    walk.finish(schema, path);
    walk.res
}

struct Walk<'w> {
    blocked: &'w [&'w Schema],
    res: Compiled,
    total: u64,
    expensive: Vec<(u64, String, Span)>,
    uncosted: bool,
}

/// Where a node stands.
struct Place {
    path: String,
    scope: Scope,
    /// How many values of the node an object may hold, if that is bounded.
    cardinality: Option<u64>,
    /// The list or map, if any, below which values have no old ones.
    uncorrelatable: Option<String>,
}

/// What is known of the types above a node.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    /// There is no rule above.
    None,
    /// A rule above has a type.
    Typed,
    /// A rule above has none, which is an error here too.
    Untyped,
}

impl Walk<'_> {
    fn node(&mut self, schema: &Schema, node: &Node, place: Place) {
        let scope = match place.scope {
            Scope::None if schema.validations.is_empty() => Scope::None,
            Scope::Untyped => Scope::Untyped,
            _ if decl::of(schema, node.fields).is_some() => Scope::Typed,
            _ => Scope::Untyped,
        };
        let path = &place.path;
        let below = |path: String, correlates: bool| Place {
            path,
            scope,
            cardinality: place
                .cardinality
                .zip(max_elements(schema))
                .map(|(one, two)| one.saturating_mul(two)),
            uncorrelatable: place
                .uncorrelatable
                .clone()
                .or_else(|| (!correlates).then(|| place.path.clone())),
        };
        if let (Some(child), Some(values)) = (&node.additional, schema.additional()) {
            self.node(values, child, below(format!("{path}.additionalProperties"), true));
        }
        for (at, child) in &node.properties {
            let (name, property) = &schema.properties[*at];
            // `MapIsCorrelatable`.
            let correlates = matches!(schema.map_type.as_deref(), None | Some("granular" | "atomic"));
            self.node(property, child, below(format!("{path}.properties[{name}]"), correlates));
        }
        if let (Some(child), Some(items)) = (&node.items, schema.item()) {
            let correlates = schema.list_type.as_deref() == Some("map");
            self.node(items, child, below(format!("{path}.items"), correlates));
        }
        if !schema.validations.is_empty() && !self.blocked.iter().any(|it| std::ptr::eq(*it, schema)) {
            self.rules(schema, node, &place, scope);
        }
    }

    fn rules(&mut self, schema: &Schema, node: &Node, place: &Place, scope: Scope) {
        let path = format!("{}.x-kubernetes-validations", place.path);
        if scope == Scope::Untyped {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            let at = schema.keyword("x-kubernetes-validations").map_or(schema.at, |it| it.value);
            self.refuse(path, "InternalError", detail.to_owned(), at);
            return;
        }
        for (at, (rule, written)) in node.rules(schema).iter().zip(&schema.validations).enumerate() {
            self.rule(rule, written, &format!("{path}[{at}]"), place);
        }
    }

    fn rule(&mut self, rule: &Rule, written: &ValidationRule, path: &str, place: &Place) {
        let times = place.cardinality.unwrap_or(rule.cardinality);
        let at = written.at;
        match &rule.program {
            None => return,
            Some(Ok(program)) => self.cost(program, times, &format!("{path}.rule"), "rule", at),
            Some(Err(Failure::Refused(why))) => {
                self.refuse(format!("{path}.rule"), "FieldValueInvalid", why.clone(), at);
            }
            Some(Err(Failure::Unknown(why))) => {
                self.res.unknown.push(Unknown(format!("{path}.rule: {why}")));
                return;
            }
        }
        match &rule.message {
            None => {}
            // The server does not multiply the cost of messages.
            Some(Ok(program)) => {
                self.cost(program, 1, &format!("{path}.messageExpression"), "messageExpression", at)
            }
            Some(Err(Failure::Refused(why))) => {
                self.refuse(format!("{path}.messageExpression"), "FieldValueInvalid", why.clone(), at);
            }
            Some(Err(Failure::Unknown(why))) => {
                self.res.unknown.push(Unknown(format!("{path}.messageExpression: {why}")));
            }
        }
        if rule.uses_old {
            if let Some(owner) = &place.uncorrelatable {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {owner}"
                );
                self.refuse(format!("{path}.rule"), "FieldValueInvalid", detail, at);
            }
        } else if written.optional_old_self.is_some() {
            let detail = "may not be set if oldSelf is not used in rule".to_owned();
            self.refuse(format!("{path}.optionalOldSelf"), "FieldValueInvalid", detail, at);
        }
    }

    fn cost(&mut self, program: &Program, times: u64, path: &str, what: &str, at: Span) {
        let Some(cost) = program.max_cost.map(|it| it.saturating_mul(times)) else {
            self.uncosted = true;
            self.res.unknown.push(Unknown(format!("{path}: the cost of the expression is not modeled")));
            return;
        };
        if cost > RULE_LIMIT {
            self.refuse(
                path.to_owned(),
                "FieldValueForbidden",
                exceeded(&format!("estimated {what} cost"), cost, RULE_LIMIT),
                at,
            );
        }
        self.total = self.total.saturating_add(cost);
        if cost >= SCHEMA_LIMIT / 100 {
            self.expensive.push((cost, path.to_owned(), at));
            self.expensive.sort_by_key(|it| std::cmp::Reverse(it.0));
            self.expensive.truncate(4);
        }
    }

    fn finish(&mut self, schema: &Schema, path: &str) {
        if self.total <= SCHEMA_LIMIT {
            return;
        }
        if self.uncosted {
            self.res.unknown.push(Unknown(format!("{path}: the most expensive rules are not known")));
        }
        for (_, path, at) in std::mem::take(&mut self.expensive) {
            let detail =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.refuse(path, "FieldValueForbidden", detail.to_owned(), at);
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        self.refuse(
            path.to_owned(),
            "FieldValueForbidden",
            exceeded(what, self.total, SCHEMA_LIMIT),
            schema.at,
        );
    }

    fn refuse(&mut self, field: String, ty: &'static str, detail: String, at: Span) {
        self.res.refusals.push((FieldError { field, ty, detail }, at));
    }
}

/// By how much a node multiplies the number of the values below it, if that is bounded.
fn max_elements(schema: &Schema) -> Option<u64> {
    let cap = |it: i64| it.max(0) as u64;
    match &*schema.ty {
        "object" if schema.additional_properties.is_some() => schema.max_properties.map(cap),
        "array" => schema.max_items.map(cap),
        _ => Some(1),
    }
}

fn exceeded(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}
