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
        ("misplaced-subresources", _) if field.name == "subresources" => {
            move_down(text, node, entry, "subresources")
        }
        ("misplaced-subresources", _) if field.name == "validation" => move_down(text, node, entry, "schema"),
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

/// Gives every version what stands at the top, and takes it away there.
fn move_down(text: Manuscript<'_>, spec: &Node, entry: &Entry, name: &str) -> Plan {
    let versions = spec.get("versions").map_or(&[][..], Node::items);
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
