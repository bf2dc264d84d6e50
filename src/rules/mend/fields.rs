//! Words that are misspelt, stand in the wrong place, or twice.

use super::Manuscript;
use super::Plan;
use super::loosen::CONSTRAINTS;
use super::open::PRESERVE;
use super::safe;
use super::unsafe_;
use crate::diagnostic::Diagnostic;
use crate::rules::Subject;
use crate::schema::Level;
use crate::schema::Suggestion;
use crate::schema::UnknownField;
use crate::source::Edit;
use crate::source::Source;
use crate::source::Span;
use crate::yaml::Entry;
use crate::yaml::Node;
use crate::yaml::Value;
use crate::yaml::edit;
use crate::yaml::edit::Addition;

/// What mends such a word, where one answer is right.
pub(super) fn plan(text: Manuscript<'_>, subject: &Subject<'_>, diagnostic: &Diagnostic) -> Plan {
    if diagnostic.rule == "duplicate-key" {
        return duplicate(text, diagnostic.span());
    }
    let at = diagnostic.span();
    if diagnostic.rule == "undecodable-crd" {
        return undecodable(text, at);
    }
    let Some(field) = subject.read.unknown.iter().find(|it| it.key == at) else { return Ok(None) };
    let Some((node, entry)) = entry_at(text.node, at) else { return Ok(None) };
    match (diagnostic.rule, field.suggestion) {
        ("misspelt-extension", Some(Suggestion::Misspelt(name))) => misspelt(text, node, entry, name),
        ("misplaced-extension", Some(Suggestion::Misplaced { name, .. })) => {
            misplaced(text, field, node, entry, name)
        }
        ("misplaced-subresources", _) => legacy(text, field, node, entry),
        _ => Ok(None),
    }
}

/// Keywords that refuse values: what a misspelt one never did.
const REFUSING: [&str; 8] = [
    "required",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "x-kubernetes-validations",
];

/// Writes the right name. Safe where that only adds letters, and refuses nothing that was taken before.
fn misspelt(text: Manuscript<'_>, node: &Node, entry: &Entry, name: &str) -> Plan {
    if let Some(right) = node.get(name) {
        // Both names at once: only one that says the same is needless.
        let same = right.to_json() == entry.value.to_json();
        return if same { unsafe_(vec![edit::remove(text.target(), node, &entry.key)?]) } else { Ok(None) };
    }
    if entry.value.shared || node.shared {
        return Ok(None);
    }
    let edit = edit::rename(text.target(), entry.key_span, &entry.key, name);
    let refuses = REFUSING.contains(&name) || CONSTRAINTS.contains(&name);
    if edit.span.is_empty() && !refuses { safe(vec![edit]) } else { unsafe_(vec![edit]) }
}

/// The extension among the names of properties: a schema is expected there, and the server decodes nothing.
fn undecodable(text: Manuscript<'_>, at: Span) -> Plan {
    let Some((node, entry)) = entry_at(text.node, at) else { return Ok(None) };
    let among = parent_of(text.node, node)
        .is_some_and(|it| it.get("properties").is_some_and(|it| std::ptr::eq(it, node)));
    if !among || &*entry.key != PRESERVE {
        return Ok(None);
    }
    move_up(text, Level::Properties, node, entry)
}

/// Moves the extension one level up, out of `properties`, or into the schema.
fn misplaced(text: Manuscript<'_>, field: &UnknownField, node: &Node, entry: &Entry, name: &str) -> Plan {
    if name != PRESERVE {
        return Ok(None);
    }
    move_up(text, field.within, node, entry)
}

fn move_up(text: Manuscript<'_>, within: Level, node: &Node, entry: &Entry) -> Plan {
    if entry.value.value != Value::Bool(true) {
        return Ok(None);
    }
    let open = (PRESERVE.to_owned(), Addition::Scalar("true"));
    let (onto, additions) = match within {
        Level::Properties => {
            let Some(parent) = parent_of(text.node, node) else { return Ok(None) };
            (parent, open)
        }
        Level::Validation => (node, ("openAPIV3Schema".to_owned(), Addition::Mapping(vec![open]))),
        Level::Version => {
            let schema = ("openAPIV3Schema".to_owned(), Addition::Mapping(vec![open]));
            (node, ("schema".to_owned(), Addition::Mapping(vec![schema])))
        }
        _ => return Ok(None),
    };
    let mut edits = edit::merge(text.target(), onto, &[additions])?;
    let alone = node.entries().len() == 1;
    edits.push(match parent_of(text.node, node) {
        Some(parent) if alone => {
            let outer = parent.entries().iter().find(|it| it.value.span == node.span);
            let outer = outer.map_or("", |it| &it.key);
            edit::remove(text.target(), parent, outer)?
        }
        _ => edit::remove(text.target(), node, &entry.key)?,
    });
    unsafe_(edits)
}

/// What `v1beta1` had under `spec`.
fn legacy(text: Manuscript<'_>, field: &UnknownField, spec: &Node, entry: &Entry) -> Plan {
    match field.name.as_str() {
        "subresources" => move_down(text, spec, entry, "subresources"),
        "validation" => move_down(text, spec, entry, "schema"),
        "additionalPrinterColumns" => {
            let respelt = with_json_path(text.source, &entry.value);
            move_down(Manuscript { source: &respelt, ..text }, spec, entry, "additionalPrinterColumns")
        }
        // The name says nothing that the list of versions does not.
        "version" if entry.value.as_str().is_some_and(|it| is_listed(spec, it)) => {
            unsafe_(vec![edit::remove(text.target(), spec, &entry.key)?])
        }
        _ => Ok(None),
    }
}

/// The same text with `JSONPath` of columns spelt as in `v1`: as long as before, so that every place stays.
fn with_json_path(source: &Source, columns: &Node) -> Source {
    let mut text = source.text.clone();
    for key in columns.items().iter().filter_map(|it| it.entry("JSONPath")).map(|it| it.key_span) {
        let written = text[key.range()].replace("JSONPath", "jsonPath");
        text.replace_range(key.range(), &written);
    }
    Source::new(source.name.as_str(), text)
}

/// Whether a version is in the list of versions.
fn is_listed(spec: &Node, version: &str) -> bool {
    versions(spec).iter().any(|it| it.get("name").and_then(Node::as_str) == Some(version))
}

fn versions(spec: &Node) -> &[Node] {
    spec.get("versions").map_or(&[][..], Node::items)
}

/// Gives every version what stands at the top, and takes it away there.
fn move_down(text: Manuscript<'_>, spec: &Node, entry: &Entry, name: &str) -> Plan {
    let versions = versions(spec);
    if versions.is_empty() || entry.value.is_null() {
        return Ok(None);
    }
    let mut edits = Vec::new();
    for version in versions.iter().filter(|it| it.get(name).is_none()) {
        edits.push(edit::copy(text.target(), entry, version, name)?);
    }
    edits.push(edit::remove(text.target(), spec, &entry.key)?);
    unsafe_(edits)
}

/// Drops the first of two keys that say the same.
fn duplicate(text: Manuscript<'_>, last: Span) -> Plan {
    let Some(found) = text.document.duplicates.iter().find(|it| it.last == last) else { return Ok(None) };
    let written = |span: Span| text.source.text.get(span.range()).map(str::trim);
    if written(found.first_value) != written(found.last_value) {
        return Ok(None);
    }
    let edit: Edit = edit::remove_dropped(text.target(), found.first, found.first_value)?;
    unsafe_(vec![edit])
}

/// The mapping or list that holds a node.
fn parent_of<'a>(root: &'a Node, node: &Node) -> Option<&'a Node> {
    let is = |it: &Node| std::ptr::eq(it, node);
    if root.entries().iter().any(|it| is(&it.value)) || root.items().iter().any(is) {
        return Some(root);
    }
    let children = root.entries().iter().map(|it| &it.value).chain(root.items());
    children.filter_map(|it| parent_of(it, node)).next()
}

/// The entry whose key stands at a place, with its mapping.
fn entry_at(node: &Node, at: Span) -> Option<(&Node, &Entry)> {
    let children = node.entries().iter().map(|it| &it.value).chain(node.items());
    match node.entries().iter().find(|it| it.key_span == at) {
        Some(entry) => Some((node, entry)),
        None => children.filter_map(|it| entry_at(it, at)).next(),
    }
}
