//! How slots, losses and witnesses are said.

use crate::diagnostic::Diagnostic;
use crate::server::FieldError;
use crate::verdict::Verdict;
use serde_json::Value;

/// A witness longer than this is shortened.
const WIDTH: usize = 110;

/// What a slot is, for people.
pub(super) fn slot(name: &str) -> String {
    match name.split_once(':') {
        _ if name == "progress" => "the progress of handlers".to_owned(),
        _ if name == "touch" => "the wake-up after a delay".to_owned(),
        _ if name == "diffbase" => "the last-handled configuration".to_owned(),
        _ if name == "peering" => "the presence of operators".to_owned(),
        Some(("result", "*")) => "what handlers return".to_owned(),
        Some(("result", id)) => format!("the result of `{id}`"),
        Some(("field", path)) => format!("what handlers patch into `{path}`"),
        _ => format!("`{name}`"),
    }
}

/// Several things: `a`, `a and b`, `a, b and c`.
pub(super) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Several names in backticks, not more than three of them.
pub(super) fn names<S: AsRef<str>>(names: &[S]) -> String {
    let mut parts: Vec<String> = names.iter().take(3).map(|it| format!("`{}`", it.as_ref())).collect();
    if names.len() > 3 {
        parts.push(format!("{} more", names.len() - 3));
    }
    list(&parts)
}

/// The types of errors as the server words them, by their names in its API.
const TYPES: [(&str, &str); 9] = [
    ("FieldValueRequired", "Required value"),
    ("FieldValueInvalid", "Invalid value"),
    ("FieldValueTypeInvalid", "Invalid value"),
    ("FieldValueNotSupported", "Unsupported value"),
    ("FieldValueForbidden", "Forbidden"),
    ("FieldValueDuplicate", "Duplicate value"),
    ("FieldValueTooLong", "Too long"),
    ("FieldValueTooMany", "Too many"),
    ("FieldValueNotFound", "Not found"),
];

/// An error in the server's own words.
pub(super) fn server(error: &FieldError) -> String {
    let field = if error.field.is_empty() { "<nil>" } else { &error.field };
    let ty = TYPES.iter().find(|it| it.0 == error.ty).map_or(error.ty, |it| it.1);
    let detail = if error.detail.is_empty() { String::new() } else { format!(": {}", error.detail) };
    format!("{field}: {ty}{detail}")
}

/// Adds slots, witness and effect of verdicts to a finding: the first speaks for all.
pub(super) fn with_proof(mut found: Diagnostic, verdicts: &[&Verdict]) -> Diagnostic {
    for verdict in verdicts {
        if !found.slots.contains(&verdict.slot) {
            found.slots.push(verdict.slot.clone());
        }
    }
    let Some(first) = verdicts.first() else { return found };
    if let Some(witness) = &first.witness {
        found = found.note(format!("sent:   {}", brief(&witness.patch)));
        found = found.note(match first.errors.is_empty() {
            true => format!("stored: {}", brief(&touched(&witness.stored, &witness.patch))),
            false => "stored: nothing".to_owned(),
        });
    }
    match first.effect {
        Some(effect) => found.note(effect_said(effect.text)),
        None => found,
    }
}

/// An effect as a sentence. Those of Kopf as a whole start with what it does.
fn effect_said(effect: &str) -> String {
    let has_subject = ["the ", "what ", "a ", "operators "].iter().any(|it| effect.starts_with(it));
    if has_subject { effect.to_owned() } else { format!("Kopf then {effect}") }
}

/// The parts of an object that a patch speaks of.
fn touched(object: &Value, patch: &Value) -> Value {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else { return object.clone() };
    let kept = object.iter().filter(|(key, _)| patch.contains_key(*key));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// JSON in one line, shortened in the middle of long mappings, lists and texts.
pub(super) fn brief(value: &Value) -> String {
    for (entries, letters) in [(usize::MAX, usize::MAX), (3, 32), (2, 20), (1, 20), (1, 8)] {
        let mut text = String::new();
        shorten(value, entries, letters, &mut text);
        if text.chars().count() <= WIDTH || letters == 8 {
            return text;
        }
    }
    String::new()
}

fn shorten(value: &Value, entries: usize, letters: usize, text: &mut String) {
    match value {
        Value::Object(map) => {
            *text += "{";
            for (at, (key, value)) in map.iter().enumerate().take(entries) {
                *text += if at == 0 { "" } else { ", " };
                *text += &format!("{}: ", Value::from(key.as_str()));
                shorten(value, entries, letters, text);
            }
            *text += if map.len() > entries { ", …}" } else { "}" };
        }
        Value::Array(items) => {
            *text += "[";
            for (at, value) in items.iter().enumerate().take(entries) {
                *text += if at == 0 { "" } else { ", " };
                shorten(value, entries, letters, text);
            }
            *text += if items.len() > entries { ", …]" } else { "]" };
        }
        Value::String(long) if long.chars().count() > letters => {
            let start: String = long.chars().take(letters).collect();
            *text += &Value::from(format!("{start}…")).to_string();
        }
        other => *text += &other.to_string(),
    }
}
