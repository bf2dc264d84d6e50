//! Words that are misspelt, stand in the wrong place, or twice.

use super::Manuscript;
use super::Plan;
use super::open::PRESERVE;
use super::safe;
use super::unsafe_;
use crate::diagnostic::Diagnostic;
use crate::rules::Subject;
use crate::schema::Level;
use crate::schema::Suggestion;
use crate::schema::UnknownField;
use crate::source::Edit;
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
    let Some(field) = subject.read.unknown.iter().find(|it| it.key == at) else { return Ok(None) };
    let Some((node, entry)) = entry_at(text.node, at) else { return Ok(None) };
    match (diagnostic.rule, field.suggestion) {
        ("misspelt-extension", Some(Suggestion::Misspelt(name))) => misspelt(text, node, entry, name),
        ("misplaced-extension", Some(Suggestion::Misplaced { name, .. })) => {
            misplaced(text, field, node, entry, name)
        }
        ("misplaced-subresources", _) if field.name == "subresources" => subresources(text, node, entry),
        _ => Ok(None),
    }
}

/// Writes the right name. That only adds letters where some are missing.
fn misspelt(text: Manuscript<'_>, node: &Node, entry: &Entry, name: &str) -> Plan {
    // Both names at once: the wrong one says nothing that the right one does not.
    if node.get(name).is_some() {
        return unsafe_(vec![edit::remove(text.target(), node, &entry.key)?]);
    }
    if entry.value.shared || node.shared {
        return Ok(None);
    }
    let edit = edit::rename(text.target(), entry.key_span, &entry.key, name);
    if edit.span.is_empty() { safe(vec![edit]) } else { unsafe_(vec![edit]) }
}

/// Moves the extension one level up, out of `properties`, or into the schema.
fn misplaced(text: Manuscript<'_>, field: &UnknownField, node: &Node, entry: &Entry, name: &str) -> Plan {
    if name != PRESERVE || entry.value.value != Value::Bool(true) {
        return Ok(None);
    }
    let open = (PRESERVE.to_owned(), Addition::Scalar("true"));
    let (onto, additions) = match field.within {
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

/// Gives every version the subresources that stand at the top, and takes them away there.
fn subresources(text: Manuscript<'_>, spec: &Node, entry: &Entry) -> Plan {
    let Some(addition) = addition(&entry.value) else { return Ok(None) };
    let versions = spec.get("versions").map_or(&[][..], Node::items);
    let additions = [("subresources".to_owned(), addition)];
    let mut edits = Vec::new();
    for version in versions.iter().filter(|it| it.get("subresources").is_none()) {
        edits.extend(edit::merge(text.target(), version, &additions)?);
    }
    edits.push(edit::remove(text.target(), spec, "subresources")?);
    unsafe_(edits)
}

/// A value to be written again: empty mappings and mappings of them.
fn addition(node: &Node) -> Option<Addition> {
    let Value::Mapping(entries) = &node.value else { return None };
    let inner = entries.iter().map(|it| Some((it.key.to_string(), addition(&it.value)?)));
    Some(Addition::Mapping(inner.collect::<Option<_>>()?))
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
