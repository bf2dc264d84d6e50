//! Which node of a schema decides the fate of a path.
//!
//! Attribution only: that something is lost is decided by the server model, not here.

use crate::schema::Additional;
use crate::schema::Schema;
use crate::schema::ValidationRule;
use crate::server::FieldError;
use crate::source::Span;

/// A place in the text with what it does.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Blame {
    /// The node; empty where no text says it.
    pub(super) at: Span,
    /// What it does, in a few words.
    pub(super) why: String,
}

/// The node that makes the server drop `path`, given as keys and list places from the root of the object.
pub(super) fn pruned(root: Option<&Schema>, path: &[String]) -> Blame {
    let Some(root) = root else {
        return Blame { at: Span::default(), why: "the version has no schema".to_owned() };
    };
    let mut node = root;
    let mut name = "the root";
    for key in path {
        if let Some(child) = node.property(key) {
            node = child;
        } else if let Some(child) = node.additional() {
            node = child;
        } else if let Some(Additional::Allowed(allowed)) = node.additional_properties {
            let why = format!(
                "`additionalProperties: {allowed}` keeps the keys and empties every object below them"
            );
            return Blame { at: keyword(node, "additionalProperties"), why };
        } else if let Some(child) = node.item().filter(|_| key.parse::<usize>().is_ok()) {
            node = child;
        } else {
            return Blame { at: introduces(node), why: undeclared(node, name, key) };
        }
        name = key;
    }
    Blame { at: introduces(node), why: format!("what is declared below `{name}` leaves no room for it") }
}

fn undeclared(node: &Schema, name: &str, key: &str) -> String {
    let of = if name == "the root" { "the schema".to_owned() } else { format!("`{name}`") };
    match node.properties.is_empty() {
        true if node.ty == "object" => {
            format!("a bare `type: object` loses every key below it, here `{key}`")
        }
        true if !node.ty.is_empty() => {
            format!("{of} is of type `{}`, which has no room for `{key}`", node.ty)
        }
        _ => format!("{of} declares no `{key}` and does not preserve unknown fields"),
    }
}

/// The keyword of each kind of error, so that the caret stands on what refuses.
const KEYWORDS: &[(&str, &str, &str)] = &[
    ("FieldValueTypeInvalid", "", "type"),
    ("FieldValueNotSupported", "", "enum"),
    ("FieldValueTooMany", "", "maxProperties"),
    ("FieldValueTooLong", "", "maxLength"),
    ("FieldValueInvalid", "must be of type", "type"),
    ("FieldValueInvalid", "should match", "pattern"),
    ("FieldValueInvalid", "at least", "minProperties"),
];

/// The node that makes the server refuse a write with `error`.
pub(super) fn rejected(root: Option<&Schema>, error: &FieldError) -> Blame {
    let why = if error.detail.is_empty() {
        format!("the server refuses `{}`", error.field)
    } else {
        error.detail.clone()
    };
    let Some(root) = root else { return Blame { at: Span::default(), why } };
    if error.ty == "FieldValueRequired" {
        let (parent, missing) = error.field.rsplit_once('.').unwrap_or(("", &error.field));
        let node = descend(root, parent);
        return Blame { at: keyword(node, "required"), why: format!("`{missing}` is required here") };
    }
    let node = descend(root, &error.field);
    let named = KEYWORDS.iter().find(|(ty, part, _)| *ty == error.ty && error.detail.contains(part));
    let refuses = |it: &ValidationRule| !it.name().is_empty() && error.detail.ends_with(it.name());
    let name = match node.validations.iter().any(refuses) {
        true => Some("x-kubernetes-validations"),
        false => named.map(|it| it.2),
    };
    Blame { at: name.map_or_else(|| introduces(node), |name| keyword(node, name)), why }
}

/// The deepest declared node on a path in the server's words: keys joined by dots, unescaped, with `[i]` for items.
fn descend<'a>(root: &'a Schema, field: &str) -> &'a Schema {
    let (mut node, mut rest) = (root, field.trim_start_matches('.'));
    while !rest.is_empty() {
        if rest.starts_with('[') {
            let Some(end) = rest.find(']') else { break };
            let Some(child) = node.item().or_else(|| node.additional()) else { break };
            (node, rest) = (child, rest[end + 1..].trim_start_matches('.'));
            continue;
        }
        // Keys may hold dots: the longest declared one wins.
        let declared = node.properties.iter().filter(|(name, _)| {
            rest.strip_prefix(&**name).is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
        });
        if let Some((name, child)) = declared.max_by_key(|(name, _)| name.len()) {
            (node, rest) = (child, rest[name.len()..].trim_start_matches('.'));
        } else if let Some(child) = node.additional() {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            (node, rest) = (child, rest[end..].trim_start_matches('.'));
        } else {
            break;
        }
    }
    node
}

/// Where a node is introduced: its key, else its first keyword.
fn introduces(node: &Schema) -> Span {
    if !node.key.is_empty() {
        return node.key;
    }
    node.written.first().map_or(node.at, |it| it.key)
}

fn keyword(node: &Schema, name: &str) -> Span {
    node.keyword(name).map_or_else(|| introduces(node), |it| it.key.to(it.value)).first_line(node)
}

impl Span {
    /// A span of several lines is no place to point at; the keyword alone is.
    fn first_line(self, node: &Schema) -> Span {
        let long = (self.end - self.start) > 200;
        let key = node.written.iter().find(|it| it.key.start == self.start).map(|it| it.key);
        if long { key.unwrap_or(self) } else { self }
    }
}
