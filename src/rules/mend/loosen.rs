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
const CONSTRAINTS: [&str; 13] = [
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

/// Takes away what refuses these verdicts.
pub(super) fn plan(text: Manuscript<'_>, subject: &Subject<'_>, version: &str, refused: &[&Verdict]) -> Plan {
    let Some(schema) = open::home(text, subject, version).and_then(|it| it.schema()) else { return Ok(None) };
    let mut edits: Vec<Edit> = Vec::new();
    for verdict in refused {
        for error in &verdict.errors {
            let more = loosen(text, schema, verdict, error)?;
            edits.extend(more.into_iter().filter(|it| !edits.contains(it)).collect::<Vec<_>>());
        }
    }
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    unsafe_(edits)
}

fn loosen(
    text: Manuscript<'_>,
    schema: &Node,
    verdict: &Verdict,
    error: &FieldError,
) -> Result<Vec<Edit>, Refusal> {
    // The verdict blames the keyword of its first error.
    let Some((node, entry)) = entry_at(schema, verdict.blame.start) else { return Ok(Vec::new()) };
    match &*entry.key {
        "required" => {
            let missing = error.field.rsplit('.').next().unwrap_or_default();
            let place = entry.value.items().iter().position(|it| it.as_str() == Some(missing));
            match place {
                Some(place) if entry.value.items().len() > 1 => {
                    Ok(vec![edit::remove_item(text.target(), &entry.value, place)?])
                }
                _ => Ok(vec![edit::remove(text.target(), node, "required")?]),
            }
        }
        "type" => retype(text, node, entry, error),
        key if CONSTRAINTS.contains(&key) => Ok(vec![edit::remove(text.target(), node, key)?]),
        _ => Ok(Vec::new()),
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
    let replace = |ty: &str| Edit { span: entry.value.span, text: ty.to_owned() };
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
            edits.push(replace("object"));
            Ok(edits)
        }
        Some(ty @ ("string" | "integer" | "number" | "boolean")) => Ok(vec![replace(ty)]),
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
