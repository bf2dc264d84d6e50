//! What must go from a schema so that the server no longer refuses what is written. Never safe: somebody meant it.

use super::Manuscript;
use super::Plan;
use super::open;
use super::unsafe_;
use crate::rules::Subject;
use crate::server::FieldError;
use crate::source::Edit;
use crate::verdict::Verdict;
use crate::yaml::Entry;
use crate::yaml::Node;
use crate::yaml::edit;
use crate::yaml::edit::Addition;
use crate::yaml::edit::Refusal;

/// Keywords that can be dropped without making a schema something else.
pub(super) const CONSTRAINTS: [&str; 13] = [
    "enum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Takes away what refuses these verdicts: the first reason of each; the next one is met in the next round.
pub(super) fn plan(text: Manuscript<'_>, subject: &Subject<'_>, version: &str, refused: &[&Verdict]) -> Plan {
    let Some(schema) = open::home(text, subject, version).and_then(|it| it.schema()) else { return Ok(None) };
    let mut edits: Vec<Edit> = Vec::new();
    for verdict in refused {
        let more = loosen(text, schema, verdict)?;
        edits.extend(more.into_iter().filter(|it| !edits.contains(it)).collect::<Vec<_>>());
    }
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    unsafe_(edits)
}

fn loosen(text: Manuscript<'_>, schema: &Node, verdict: &Verdict) -> Result<Vec<Edit>, Refusal> {
    // The verdict blames the keyword of its first error.
    let Some(error) = verdict.errors.first() else { return Ok(Vec::new()) };
    let Some((node, entry)) = entry_at(schema, verdict.blame.start) else { return Ok(Vec::new()) };
    match &*entry.key {
        "required" => unrequire(text, node, entry, verdict),
        "type" => retype(text, node, entry, error),
        "x-kubernetes-validations" => unrule(text, node, entry, error),
        key if CONSTRAINTS.contains(&key) => Ok(vec![edit::remove(text.target(), node, key)?]),
        _ => Ok(Vec::new()),
    }
}

/// Requires no longer what is missing.
fn unrequire(
    text: Manuscript<'_>,
    node: &Node,
    entry: &Entry,
    verdict: &Verdict,
) -> Result<Vec<Edit>, Refusal> {
    let parts = |it: &FieldError| it.field.rsplit_once('.').map(|it| (it.0.to_owned(), it.1.to_owned()));
    let within = verdict.errors.first().and_then(parts).map(|it| it.0);
    let missing: Vec<String> = verdict
        .errors
        .iter()
        .filter(|it| it.ty == verdict.errors[0].ty)
        .filter_map(parts)
        .filter(|it| Some(&it.0) == within.as_ref())
        .map(|it| it.1)
        .collect();
    let items = entry.value.items();
    let is_missing = |it: &Node| it.as_str().is_some_and(|it| missing.iter().any(|other| other == it));
    let gone: Vec<usize> = (0..items.len()).filter(|it| is_missing(&items[*it])).collect();
    if gone.is_empty() || gone.len() == items.len() {
        return Ok(vec![edit::remove(text.target(), node, &entry.key)?]);
    }
    edit::remove_items(text.target(), &entry.value, &gone)
}

/// Drops the rule that the server names.
fn unrule(
    text: Manuscript<'_>,
    node: &Node,
    entry: &Entry,
    error: &FieldError,
) -> Result<Vec<Edit>, Refusal> {
    let word = |rule: &Node, key| rule.get(key).and_then(Node::as_str).unwrap_or_default().trim().to_owned();
    let names = |rule: &Node| {
        let (message, rule) = (word(rule, "message"), word(rule, "rule"));
        let name = if message.is_empty() { rule } else { message };
        !name.is_empty() && error.detail.ends_with(&name)
    };
    let rules = entry.value.items();
    let gone: Vec<usize> = (0..rules.len()).filter(|it| names(&rules[*it])).collect();
    match gone.len() {
        0 => Ok(Vec::new()),
        all if all == rules.len() => Ok(vec![edit::remove(text.target(), node, &entry.key)?]),
        _ => edit::remove_items(text.target(), &entry.value, &gone),
    }
}

/// Lets the type be what is written, as far as the server says what that is.
fn retype(
    text: Manuscript<'_>,
    node: &Node,
    entry: &Entry,
    error: &FieldError,
) -> Result<Vec<Edit>, Refusal> {
    // "… must be of type string: "integer""
    let written = error.detail.rsplit_once(": \"").and_then(|it| it.1.strip_suffix('"'));
    let replace = |ty: &str| edit::set(text.target(), node, &entry.key, ty);
    let preserve = || {
        let open = [(open::PRESERVE.to_owned(), Addition::Scalar("true"))];
        edit::merge(text.target(), node, &open)
    };
    // An open node that is typed for one writer refuses the other.
    if written != Some("null") && open::preserves(node) {
        return Ok(vec![edit::remove(text.target(), node, "type")?]);
    }
    match written {
        Some("null") => {
            let nullable = [("nullable".to_owned(), Addition::Scalar("true"))];
            edit::merge(text.target(), node, &nullable)
        }
        Some("object") => {
            let mut edits = preserve()?;
            edits.push(replace("object")?);
            Ok(edits)
        }
        Some(ty @ ("string" | "integer" | "number" | "boolean")) => Ok(vec![replace(ty)?]),
        _ => Ok(Vec::new()),
    }
}

/// The entry whose key starts at a byte, with its mapping.
fn entry_at(node: &Node, at: u32) -> Option<(&Node, &Entry)> {
    for entry in node.entries() {
        if entry.key_span.start == at {
            return Some((node, entry));
        }
        if let Some(found) = entry_at(&entry.value, at) {
            return Some(found);
        }
    }
    node.items().iter().find_map(|it| entry_at(it, at))
}
