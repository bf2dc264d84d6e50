//! Prints a CRD so that the API server's YAML rules read back what was printed, and compares texts.

use serde_json::Value;

use crate::changes;
use crate::source;
use crate::source::Edit;
use crate::source::Span;
use crate::yaml;
use crate::yaml::Document;
use crate::yaml::Node;
use crate::yaml::Style;

/// How often words are quoted before giving up. Each round ends a collision or quotes everything that is left.
const MAX_ROUNDS: usize = 16;

/// A CRD as YAML.
///
/// Words that YAML 1.1 takes for something else (`on`, `1_000`) are quoted where serde_yaml, which follows YAML 1.2, does
/// not see the need.
///
/// # Errors
/// When the text would not be read back as the same value.
pub fn yaml(crd: &Value) -> Result<String, String> {
    let crd = whole_numbers(crd);
    let mut text = serde_yaml::to_string(&crd).map_err(|error| format!("it cannot be printed: {error}"))?;
    // Keys that collide (`5` and `5_`) hide each other until the first is quoted.
    for _ in 0..MAX_ROUNDS {
        let document = read(&text)?;
        let mut edits = Vec::new();
        match document.duplicates.is_empty() {
            true => quote(&document.root, &crd, &mut edits),
            false => collisions(&document, &text, &mut edits),
        }
        if edits.is_empty() {
            break;
        }
        text = source::apply(&text, &edits).0;
    }
    // Line breaks of YAML 1.1 (U+2028) are beyond serde_yaml; the plainer printer escapes them.
    [text, yaml::print(&crd)]
        .into_iter()
        .find(|text| read(text).is_ok_and(|it| whole_numbers(&it.root.to_json()) == crd))
        .ok_or_else(|| "it cannot be printed so that the API server's rules of YAML read it back".to_owned())
}

/// A CRD as JSON.
pub fn json(crd: &Value) -> String {
    format!("{:#}\n", whole_numbers(crd))
}

/// Numbers as the API server prints them: kube holds bounds as floats, and `minimum: 0.0` would differ from what is
/// read back from a cluster.
fn whole_numbers(value: &Value) -> Value {
    match value {
        Value::Number(it) => match it.as_f64() {
            Some(float) if it.is_f64() && float.fract() == 0.0 && float.abs() < 9.0e15 => {
                Value::from(float as i64)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(whole_numbers).collect(),
        Value::Object(map) => map.iter().map(|(key, it)| (key.clone(), whole_numbers(it))).collect(),
        _ => value.clone(),
    }
}

fn read(text: &str) -> Result<Document, String> {
    let mut stream = yaml::parse(text);
    match (stream.documents.pop(), stream.errors.pop()) {
        (Some(document), None) if stream.documents.is_empty() => Ok(document),
        (_, Some(error)) => Err(format!("it cannot be printed as YAML: {}", error.message)),
        _ => Err("it cannot be printed as one document".to_owned()),
    }
}

/// Quotes the plain keys of those that are read as one key. A quoted key is one already for what it is.
fn collisions(document: &Document, text: &str, edits: &mut Vec<Edit>) {
    for span in document.duplicates.iter().flat_map(|it| [it.first, it.last]) {
        let key = &text[span.range()];
        if !key.starts_with(['"', '\'']) && !edits.iter().any(|it| it.span == span) {
            edits.push(quoted(span, key));
        }
    }
}

/// Quotes the plain words that are read back as something else. Both sides have the same order.
fn quote(node: &Node, value: &Value, edits: &mut Vec<Edit>) {
    match value {
        Value::Object(map) => {
            for (entry, (key, value)) in node.entries().iter().zip(map) {
                if *entry.key != **key {
                    edits.push(quoted(entry.key_span, key));
                }
                quote(&entry.value, value, edits);
            }
        }
        Value::Array(items) => {
            node.items().iter().zip(items).for_each(|(node, value)| quote(node, value, edits))
        }
        Value::String(text) if node.style == Style::Plain && node.as_str() != Some(text) => {
            edits.push(quoted(node.span, text));
        }
        _ => {}
    }
}

fn quoted(span: Span, text: &str) -> Edit {
    Edit { span, text: Value::from(text).to_string() }
}

/// The text with the comments that stand at the head of the file it replaces, and with that file's line ends.
pub fn with_head(existing: &str, text: &str) -> String {
    let is_head = |line: &&str| line.trim().is_empty() || line.starts_with('#') || line.trim_end() == "---";
    let head: String = existing.split_inclusive('\n').take_while(is_head).collect();
    let end = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let unix = format!("{}{end}{text}", head.replace("\r\n", "\n"));
    if existing.contains("\r\n") { unix.replace('\n', "\r\n") } else { unix }
}

/// A unified diff between two texts of one file.
pub fn diff(name: &str, old: &str, new: &str) -> String {
    changes::unified(name, old, new)
}
