//! The hand that wrote a mapping: its indentation, braces and quotes, for what is added to it.

use super::edit::Addition;
use super::lines::{self, Lines};
use super::{Entry, Node, Style, Value};

/// The entries that are written in the mapping itself, in the order of the text.
pub(super) fn own_entries(node: &Node) -> Vec<&Entry> {
    let inside = |it: &&Entry| it.key_span.start >= node.span.start && it.key_span.end <= node.span.end;
    let mut own: Vec<&Entry> = node.entries().iter().filter(inside).collect();
    own.sort_by_key(|it| it.key_span.start);
    own
}

/// The byte after an entry; of an alias only its key's place is known.
pub(super) fn entry_end(entry: &Entry) -> u32 {
    if entry.value.shared { entry.key_span.end } else { entry.value.span.end.max(entry.key_span.end) }
}

/// How new entries look.
pub(super) struct Look {
    /// Whether mappings stand in braces.
    pub(super) flow: bool,
    /// Whether keys and strings stand in quotes.
    pub(super) quoted: bool,
    /// How far a mapping in a mapping is indented.
    pub(super) step: usize,
}

pub(super) fn block(key: &str, addition: &Addition, indent: usize, look: &Look) -> Vec<String> {
    let pad = " ".repeat(indent);
    match addition {
        Addition::Mapping(inner) if !look.flow => {
            let mut found = vec![format!("{pad}{}:", lines::key(key, look.quoted))];
            found.extend(inner.iter().flat_map(|(key, it)| block(key, it, indent + look.step, look)));
            found
        }
        _ => vec![format!("{pad}{}", lines::flow_entry(key, addition, look.quoted, false))],
    }
}

/// Whether the neighbors write their mappings in braces.
pub(super) fn is_flow(own: &[&Entry]) -> bool {
    let mappings = own.iter().filter(|it| !it.value.entries().is_empty() && !it.value.shared);
    let flows = mappings.clone().filter(|it| it.value.style == Style::Flow).count();
    flows * 2 > mappings.count()
}

/// Whether all keys of a mapping stand in quotes.
pub(super) fn quoted(node: &Node) -> bool {
    let own = own_entries(node);
    // A key in quotes is longer than its text.
    !own.is_empty() && own.iter().all(|it| (it.key_span.end - it.key_span.start) as usize >= it.key.len() + 2)
}

/// The last node inside, in the order of the text.
pub(super) fn last_leaf(node: &Node) -> &Node {
    let last = match &node.value {
        Value::Mapping(_) => own_entries(node).last().map(|it| &it.value),
        Value::Sequence(items) => items.last(),
        _ => None,
    };
    match last {
        Some(last) if !last.shared => last_leaf(last),
        _ => node,
    }
}

pub(super) fn step_of(lines: &Lines<'_>, node: &Node) -> Option<usize> {
    for entry in node.entries().iter().filter(|it| !it.value.shared) {
        let Some(inner) = entry.value.entries().first().filter(|_| !entry.value.shared) else {
            if let Some(step) = entry.value.items().iter().find_map(|it| step_of(lines, it)) {
                return Some(step);
            }
            continue;
        };
        let (outer, inner) = (lines.column(entry.key_span.start), lines.column(inner.key_span.start));
        if lines.is_first(entry.value.entries()[0].key_span.start) && inner > outer {
            return Some(inner - outer);
        }
        if let Some(step) = step_of(lines, &entry.value) {
            return Some(step);
        }
    }
    None
}
