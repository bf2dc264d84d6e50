//! How slots, losses and witnesses are said.

use crate::diagnostic::Diagnostic;
use crate::server::FieldError;
use crate::verdict::Verdict;
use serde_json::Value;

/// A witness longer than this is shortened.
const WIDTH: usize = 100;

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

/// An error in the server's own words.
pub(super) fn server(error: &FieldError) -> String {
    format!("{}: {}", if error.field.is_empty() { "<nil>" } else { &error.field }, error.detail)
}

/// Adds slots, witness and effect of verdicts to a finding: the first speaks for the proof.
pub(super) fn with_proof(mut found: Diagnostic, verdicts: &[&Verdict]) -> Diagnostic {
    for verdict in verdicts {
        if !found.slots.contains(&verdict.slot) {
            found.slots.push(verdict.slot.clone());
        }
    }
    let Some(first) = verdicts.first() else { return found };
    if let Some(witness) = &first.witness {
        found = found.note(format!("Kopf sends {}", brief(&witness.patch)));
        found = found.note(match first.errors.is_empty() {
            true => format!("stored is  {}", brief(&touched(&witness.stored, &witness.patch))),
            false => "nothing is stored".to_owned(),
        });
    }
    let mut effects: Vec<&str> = Vec::new();
    for effect in verdicts.iter().filter_map(|it| it.effect.map(|it| it.text)) {
        if !effects.contains(&effect) && effects.len() < 3 {
            effects.push(effect);
        }
    }
    for effect in effects {
        found = found.note(effect);
    }
    found
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
