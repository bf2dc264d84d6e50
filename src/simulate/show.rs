//! An exchange as text for people, and as JSON.

use super::exchange::Exchange;
use crate::server::prune::Lost;
use crate::source::Source;
use crate::source::Span;
use serde_json::Value;
use serde_json::json;

/// The exchange as text: the request, the code, what was dropped or refused and by which line, what is stored.
pub fn text(exchange: &Exchange, crd: &Source) -> String {
    let answer = &exchange.answer;
    let mut text = format!("{} {}\n", exchange.method, exchange.path);
    if answer.code != 0 {
        text += &format!("{} {}\n", answer.code, phrase(answer.code));
    }
    let mut line = |what: &str, about: &str, at: Span| {
        text += &format!("  {what:<9}{about}{}\n", place(crd, at));
    };
    for lost in &answer.lost {
        line("dropped", &lost.path, lost.at);
    }
    for lost in &answer.lost_in_storage {
        line("dropped", &format!("{} by the storage version", lost.path), lost.at);
    }
    for error in &answer.errors {
        line("refused", &error.text(), error.at);
    }
    if answer.errors.is_empty() && !answer.message.is_empty() {
        line("refused", &answer.message, Span::default());
    }
    for why in &answer.unknown {
        line("unknown", &why.0, Span::default());
    }
    match &answer.etcd {
        Some(etcd) if answer.code < 300 => {
            text += if answer.wrote { "stored:\n" } else { "stored, as it was before:\n" };
            for line in yaml(etcd).lines() {
                text += &format!("  {line}\n");
            }
        }
        _ => text += "nothing is stored\n",
    }
    text
}

/// The exchange as JSON, in the schema `kopf-crd/simulate/v1`.
pub fn json(exchange: &Exchange, crd: &Source) -> Value {
    let answer = &exchange.answer;
    let lost = |it: &Lost| json!({ "path": it.path, "at": position(crd, it.at) });
    let errors: Vec<Value> = answer
        .errors
        .iter()
        .map(|it| {
            json!({ "field": it.error.field, "type": it.error.ty, "detail": it.error.detail, "at": position(crd, it.at) })
        })
        .collect();
    json!({
        "schema": "kopf-crd/simulate/v1",
        "method": exchange.method,
        "path": exchange.path,
        "code": answer.code,
        "reason": answer.reason,
        "message": answer.message,
        "lost": answer.lost.iter().map(lost).collect::<Vec<_>>(),
        "lost_in_storage": answer.lost_in_storage.iter().map(lost).collect::<Vec<_>>(),
        "errors": errors,
        "warnings": answer.warnings,
        "unknown": answer.unknown.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(),
        "object": answer.object,
        "stored": answer.etcd.as_ref().filter(|_| answer.code < 300),
    })
}

fn yaml(value: &Value) -> String {
    // JSON is YAML too: a value that cannot be printed as the one is shown as the other.
    serde_yaml::to_string(value).unwrap_or_else(|_| format!("{value:#}"))
}

fn place(crd: &Source, at: Span) -> String {
    if at.is_empty() {
        return String::new();
    }
    let position = crd.position(at.start);
    format!("  ({}:{}:{})", crd.name, position.line, position.column)
}

fn position(crd: &Source, at: Span) -> Value {
    if at.is_empty() {
        return Value::Null;
    }
    let position = crd.position(at.start);
    json!({ "line": position.line, "column": position.column })
}

fn phrase(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        404 => "Not Found",
        409 => "Conflict",
        413 => "Request Entity Too Large",
        422 => "Unprocessable Entity",
        _ => "Internal Server Error",
    }
}
