//! `x-kubernetes-validations`: the form of rules, and which of them are compiled.
//!
//! Mirrors the part of `ValidateCustomResourceDefinitionOpenAPISchema` about rules. What is in a rule is decided by the
//! module for CEL.

use super::Admission;
use super::Refusal;
use super::columns;
use crate::schema::Schema;
use crate::schema::ValidationRule;
use crate::server::FieldError;
use crate::server::cel;
use crate::server::cel::Rules;
use crate::server::place::Place;
use crate::server::structural;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// The form of the rules of a node.
pub(super) fn shape(schema: &Schema, place: &Place, out: &mut Vec<Refusal>) {
    let rules = place.child("x-kubernetes-validations");
    let with_path = schema.validations.iter().any(|it| !it.field_path.is_empty());
    // Of what cannot be converted the server asks no paths.
    let convertible = with_path && structural::unconvertible(schema).is_none();
    for (index, rule) in schema.validations.iter().enumerate() {
        text(rule, &rules.index(index), out);
        field_path(convertible.then_some(schema), rule, &rules.index(index), out);
    }
}

fn text(rule: &ValidationRule, place: &Place, out: &mut Vec<Refusal>) {
    let (trimmed, message) = (go_trim(&rule.rule), go_trim(&rule.message));
    if trimmed.is_empty() {
        out.push(Refusal::required(&place.child("rule"), "rule is not specified", rule.at));
    } else if !rule.message.is_empty() && message.is_empty() {
        out.push(Refusal::invalid(&place.child("message"), "must be non-empty if specified", rule.at));
    } else if has_newline(message) {
        out.push(Refusal::invalid(&place.child("message"), "must not contain line breaks", rule.at));
    } else if has_newline(trimmed) && message.is_empty() {
        let words = "message must be specified if rule contains line breaks";
        out.push(Refusal::required(&place.child("message"), words, rule.at));
    }
    if !rule.message_expression.is_empty() && go_trim(&rule.message_expression).is_empty() {
        let words = "messageExpression must be non-empty if specified";
        out.push(Refusal::required(&place.child("messageExpression"), words, rule.at));
    }
    if rule.reason.as_deref().is_some_and(|it| !REASONS.contains(&it)) {
        out.push(Refusal::not_supported(&place.child("reason"), &REASONS, rule.at));
    }
}

fn field_path(schema: Option<&Schema>, rule: &ValidationRule, place: &Place, out: &mut Vec<Refusal>) {
    if rule.field_path.is_empty() {
        return;
    }
    let mut refuse = |words: &str| out.push(Refusal::invalid(&place.child("fieldPath"), words, rule.at));
    if go_trim(&rule.field_path).is_empty() {
        refuse("must be non-empty if specified");
    }
    if has_newline(&rule.field_path) {
        refuse("must not contain line breaks");
    }
    if schema.is_some() && columns::field_path(&rule.field_path, schema, true).is_err() {
        refuse("must be a valid path");
    }
}

fn has_newline(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Go's `strings.TrimSpace`.
fn go_trim(text: &str) -> &str {
    text.trim_matches(|it: char| it.is_whitespace() || it == '\u{85}')
}

/// What is in the rules of a schema; `blocked` are the nodes whose rules the server does not look at, `cheap` tells
/// whether each expression has to be.
pub(super) fn validate(
    schema: &Schema,
    place: &Place,
    blocked: &[&Schema],
    cheap: bool,
    out: &mut Admission,
) {
    let rules = Rules::of(schema);
    if rules.is_empty() {
        return;
    }
    let compiled = cel::admit(&rules, schema, &place.to_string(), blocked);
    let forgiven = |error: &FieldError| {
        !cheap && error.ty == "FieldValueForbidden" && error.detail.starts_with("estimated ")
    };
    let refusals = compiled.refusals.into_iter().filter(|it| !forgiven(&it.0));
    out.refusals.extend(refusals.map(|(error, at)| Refusal { error, at }));
    out.unknown.extend(compiled.unknown);
}
