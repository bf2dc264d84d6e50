//! What a schema must declare so that lost places are kept.

use super::Manuscript;
use super::Plan;
use super::Width;
use super::safe;
use super::unsafe_;
use crate::crd::Api;
use crate::path::Path;
use crate::rules::Subject;
use crate::rules::stanza;
use crate::source::Edit;
use crate::verdict::Verdict;
use crate::yaml::Node;
use crate::yaml::Value;
use crate::yaml::edit;
use crate::yaml::edit::Addition;
use crate::yaml::edit::Refusal;

/// The keyword that keeps undeclared fields.
pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Where the schema of a version stands: below a mapping, at these keys.
pub(super) struct Home<'a> {
    pub(super) base: &'a Node,
    pub(super) keys: [&'static str; 2],
}

impl<'a> Home<'a> {
    /// The schema, if any is written.
    pub(super) fn schema(&self) -> Option<&'a Node> {
        let written = |it: &&Node| !it.is_null();
        self.base.get(self.keys[0]).and_then(|it| it.get(self.keys[1])).filter(written)
    }
}

/// Where the schema of a version stands, or would.
pub(super) fn home<'a>(text: Manuscript<'a>, subject: &Subject<'_>, version: &str) -> Option<Home<'a>> {
    let spec = text.node.get("spec")?;
    let named = |it: &&Node| it.get("name").and_then(Node::as_str) == Some(version);
    let entry = spec.get("versions").and_then(|it| it.items().iter().find(named));
    let own = entry.map(|base| Home { base, keys: ["schema", "openAPIV3Schema"] });
    if subject.crd.api == Api::V1 {
        return own;
    }
    let top = Home { base: spec, keys: ["validation", "openAPIV3Schema"] };
    match own {
        Some(own) if own.schema().is_some() => Some(own),
        _ => Some(top),
    }
}

/// Declares what these verdicts have lost in a version.
pub(super) fn plan(text: Manuscript<'_>, subject: &Subject<'_>, version: &str, lost: &[&Verdict]) -> Plan {
    let Some(home) = home(text, subject, version) else { return Ok(None) };
    if lost.is_empty() {
        return Ok(None);
    }
    let Some(schema) = home.schema() else {
        // A schema that declared the status alone would drop everything else.
        let open = vec![object(), preserve()];
        let inner = (home.keys[1].to_owned(), Addition::Mapping(open));
        let outer = [(home.keys[0].to_owned(), Addition::Mapping(vec![inner]))];
        return safe(edit::merge(text.target(), home.base, &outer)?);
    };
    let mut additions = Vec::new();
    let mut replacements = Vec::new();
    for (path, ty) in wanted(schema, text.width, lost) {
        let mut draft = Vec::new();
        let added = declare(text, schema, &path.0, ty, &mut draft)?;
        if draft.is_empty() {
            join(&mut additions, added);
        } else {
            replacements.extend(draft);
        }
    }
    let edits = edit::merge(text.target(), schema, &additions)?;
    if edits.is_empty() {
        replacements.sort_by_key(|it: &Edit| it.span.start);
        replacements.dedup();
        return unsafe_(replacements);
    }
    safe(edits)
}

/// The places to declare, with the types of their nodes.
fn wanted(schema: &Node, width: Width, lost: &[&Verdict]) -> Vec<(Path, &'static str)> {
    let status = schema.get("properties").and_then(|it| it.get("status"));
    let mut wanted: Vec<_> = stanza::wants(lost).into_iter().map(|it| (it.path, it.ty)).collect();
    if width == Width::Open && !status.is_some_and(preserves) {
        wanted.retain(|it| it.0.0.first().is_none_or(|it| it != "status"));
        wanted.push((Path::new(["status"]), "object"));
    }
    wanted
}

fn object() -> (String, Addition) {
    ("type".to_owned(), Addition::Scalar("object"))
}

fn preserve() -> (String, Addition) {
    (PRESERVE.to_owned(), Addition::Scalar("true"))
}

/// Whether a node keeps what it does not declare.
pub(super) fn preserves(node: &Node) -> bool {
    node.get(PRESERVE).is_some_and(|it| it.value == Value::Bool(true))
}

/// The type that a node of a schema states.
fn type_of(node: &Node) -> Option<&str> {
    node.get("type").and_then(Node::as_str)
}

/// What a node of a schema lacks to keep what is written at `keys` below it; what cannot be added without taking
/// something away becomes a replacement.
fn declare(
    text: Manuscript<'_>,
    node: &Node,
    keys: &[String],
    ty: &'static str,
    replaced: &mut Vec<Edit>,
) -> Result<Vec<(String, Addition)>, Refusal> {
    let Some((key, rest)) = keys.split_first() else { return admit(text, node, ty, replaced) };
    let below = |name: &str, inner: Vec<(String, Addition)>| match inner.is_empty() {
        true => Vec::new(),
        false => vec![(name.to_owned(), Addition::Mapping(inner))],
    };
    let declared = node.get("properties").and_then(|it| it.get(key)).filter(|it| !it.is_null());
    if let Some(child) = declared {
        let inner = declare(text, child, rest, ty, replaced)?;
        return Ok(below("properties", below(key, inner)));
    }
    Ok(match node.entry("additionalProperties").filter(|it| !it.value.is_null()) {
        Some(entry) if matches!(entry.value.value, Value::Bool(_)) => {
            replaced.push(match node.get(PRESERVE) {
                None => edit::replace(text.target(), node, &entry.key, PRESERVE, "true")?,
                // It is open but for this, or will be in the next round.
                Some(_) => edit::remove(text.target(), node, &entry.key)?,
            });
            Vec::new()
        }
        // A schema of nothing keeps keys and strings, and empties objects.
        Some(entry) if entry.value.entries().is_empty() => below("additionalProperties", vec![preserve()]),
        Some(entry) => below("additionalProperties", declare(text, &entry.value, rest, ty, replaced)?),
        None => {
            let mut added = Vec::new();
            let typed = type_of(node).is_some() || preserves(node);
            if !typed && node.get("x-kubernetes-int-or-string").is_none() {
                added.push(object());
            }
            if type_of(node).is_some_and(|it| it != "object") {
                replaced.push(edit::set(text.target(), node, "type", "object")?);
            }
            added.extend(below("properties", vec![(key.clone(), fresh(rest, ty))]));
            added
        }
    })
}

/// A declaration where there is none.
fn fresh(keys: &[String], ty: &'static str) -> Addition {
    Addition::Mapping(match (keys.split_first(), ty) {
        (Some((key, rest)), _) => {
            let inner = vec![(key.clone(), fresh(rest, ty))];
            vec![object(), ("properties".to_owned(), Addition::Mapping(inner))]
        }
        (None, "object") => vec![object(), preserve()],
        (None, "array") => {
            vec![
                ("type".to_owned(), Addition::Scalar("array")),
                ("items".to_owned(), Addition::Mapping(vec![preserve()])),
            ]
        }
        (None, ty) => vec![("type".to_owned(), Addition::Scalar(ty))],
    })
}

/// What a declared node lacks to keep a value of a type.
fn admit(
    text: Manuscript<'_>,
    node: &Node,
    ty: &'static str,
    replaced: &mut Vec<Edit>,
) -> Result<Vec<(String, Addition)>, Refusal> {
    let stated = type_of(node);
    if stated.is_some_and(|it| it != ty && !(it == "number" && ty == "integer")) {
        replaced.push(edit::set(text.target(), node, "type", ty)?);
    }
    if ty == "array" && node.get("items").is_some() {
        // What is lost of a list that is declared is lost in its items.
        return Ok(open_below(node));
    }
    if ty != "object" {
        let open = preserves(node) || node.get("x-kubernetes-int-or-string").is_some();
        let added = ("type".to_owned(), Addition::Scalar(ty));
        return Ok(if stated.is_none() && !open { vec![added] } else { Vec::new() });
    }
    if preserves(node) {
        return Ok(open_below(node));
    }
    if node.get(PRESERVE).is_some_and(|it| it.value == Value::Bool(false)) {
        replaced.push(edit::set(text.target(), node, PRESERVE, "true")?);
    }
    let mut added = if stated.is_none() { vec![object(), preserve()] } else { vec![preserve()] };
    added.extend(open_below(node));
    Ok(added)
}

/// Opens every object that is declared below an open node: declared objects are pruned for themselves.
fn open_below(node: &Node) -> Vec<(String, Addition)> {
    let mut added = Vec::new();
    let mut properties = Vec::new();
    for entry in node.get("properties").map_or(&[][..], Node::entries) {
        let inner = open_inner(&entry.value);
        if !inner.is_empty() {
            properties.push((entry.key.to_string(), Addition::Mapping(inner)));
        }
    }
    if !properties.is_empty() {
        added.push(("properties".to_owned(), Addition::Mapping(properties)));
    }
    for keyword in ["additionalProperties", "items"] {
        let inner = node.get(keyword).map_or_else(Vec::new, open_inner);
        if !inner.is_empty() {
            added.push((keyword.to_owned(), Addition::Mapping(inner)));
        }
    }
    added
}

fn open_inner(node: &Node) -> Vec<(String, Addition)> {
    let mut added = open_below(node);
    let object = type_of(node) == Some("object") || node.get("properties").is_some();
    if object && !preserves(node) {
        added.push(preserve());
    }
    added
}

/// Joins additions of one node, so that a mapping that is missing is added once.
pub(super) fn join(known: &mut Vec<(String, Addition)>, more: Vec<(String, Addition)>) {
    for (key, addition) in more {
        match (known.iter_mut().find(|it| it.0 == key), addition) {
            (None, addition) => known.push((key, addition)),
            (Some((_, Addition::Mapping(inner))), Addition::Mapping(more)) => join(inner, more),
            _ => {}
        }
    }
}
