//! What the server's own libraries answer about a YAML text, field by field: the line format of the oracle.

use super::json::{GO_DEPTH, Numbers};
use super::raw::{self, Ending};
use super::{Error, Node, Value, decode, split};

/// The answers for one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// JSON text of the first document: `YAMLToJSON` of `sigs.k8s.io/yaml`.
    pub json: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
    /// The fault that `YAMLToJSONStrict` finds, repeated keys among them.
    pub strict_error: Option<String>,
    /// JSON texts of the documents that kubectl reads, empty ones left out.
    pub docs: Vec<String>,
    /// Why kubectl stops reading.
    pub docs_error: Option<String>,
    /// How many documents were empty.
    pub docs_skipped: usize,
}

/// Decodes a text as `YAMLToJSON`, as `YAMLToJSONStrict` and as kubectl's `YAMLOrJSONDecoder` do.
///
/// Values are equal to theirs; of errors the presence is, the wording only roughly.
pub fn answer(text: &str) -> Answer {
    let mut answer = Answer::default();
    match first(text) {
        Ok((json, strict)) => {
            answer.json = Some(json);
            answer.strict_error = strict.map(|it| format!("yaml: unmarshal errors:\n  {it}"));
        }
        Err(error) => {
            let words = words(text, &error);
            answer.strict_error = Some(words.clone());
            answer.error = Some(words);
        }
    }
    documents(text, &mut answer);
    answer
}

fn first(text: &str) -> Result<(String, Option<String>), Error> {
    let text = &*raw::with_plain_breaks(text);
    let raw = raw::read(text, 0, Ending::AsWritten)?;
    let decoded = decode::decode(&raw.nodes, usize::MAX)?;
    Ok((write(&decoded.root.0), decoded.strict))
}

fn documents(text: &str, answer: &mut Answer) {
    let mut from = 0;
    let mut json_error = None;
    if split::might_be_json(text) {
        let found = split::values(text, GO_DEPTH, Numbers::AsWritten);
        for value in &found.values {
            match &value.root.0 {
                Node { value: Value::Null, span, .. } if &text[span.range()] == "null" => {
                    answer.docs_skipped += 1
                }
                root => answer.docs.push(text[root.span.range()].to_owned()),
            }
        }
        json_error = found.error.map(|it| format!("json: offset {}: {}", it.span.end, it.message));
        let Some(at) = found.yaml_from else {
            answer.docs_error = json_error;
            return;
        };
        from = at;
    }
    for chunk in split::chunks(text, from) {
        if let Some(fault) = chunk.fault {
            let words = format!("invalid Yaml document separator: {}", &text[fault]);
            answer.docs_error = Some(json_error.unwrap_or(words));
            return;
        }
        let chunk = &*raw::with_plain_breaks(&text[chunk.range]);
        let decoded =
            raw::read(chunk, 0, Ending::Terminated).and_then(|it| decode::decode(&it.nodes, GO_DEPTH));
        match decoded {
            Ok(decoded) if decoded.root.0.is_null() => answer.docs_skipped += 1,
            Ok(decoded) => answer.docs.push(write(&decoded.root.0)),
            Err(error) => {
                let words = format!("error converting YAML to JSON: {}", words(chunk, &error));
                answer.docs_error = Some(json_error.unwrap_or(words));
                return;
            }
        }
        json_error = None;
    }
}

fn words(text: &str, error: &Error) -> String {
    let before = &text.as_bytes()[..(error.span.start as usize).min(text.len())];
    match before.iter().filter(|it| **it == b'\n').count() {
        _ if error.message.starts_with("json: ") => error.message.clone(),
        _ if error.message.starts_with("unsupported map key") => error.message.clone(),
        0 => format!("yaml: {}", error.message),
        lines => format!("yaml: line {}: {}", lines + 1, error.message),
    }
}

enum Step<'a> {
    Value(&'a Node),
    Text(&'static str),
    Key(&'a str),
}

/// Writes JSON with sorted keys, without recursion.
fn write(root: &Node) -> String {
    let mut out = String::new();
    let mut steps = vec![Step::Value(root)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Text(text) => out.push_str(text),
            Step::Key(key) => out.push_str(&quoted(key)),
            Step::Value(node) => match &node.value {
                Value::Null => out.push_str("null"),
                Value::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
                Value::Int(it) => out.push_str(&it.to_string()),
                Value::UInt(it) => out.push_str(&it.to_string()),
                Value::Float(it) => out.push_str(&serde_json::Value::from(*it).to_string()),
                Value::String(it) => out.push_str(&quoted(it)),
                Value::Sequence(items) => {
                    steps.push(Step::Text("]"));
                    for (at, item) in items.iter().enumerate().rev() {
                        steps.push(Step::Value(item));
                        steps.push(Step::Text(if at == 0 { "[" } else { "," }));
                    }
                    if items.is_empty() {
                        steps.push(Step::Text("["));
                    }
                }
                Value::Mapping(entries) => {
                    let mut sorted: Vec<_> = entries.iter().collect();
                    sorted.sort_by(|a, b| a.key.cmp(&b.key));
                    steps.push(Step::Text("}"));
                    for (at, entry) in sorted.into_iter().enumerate().rev() {
                        steps.push(Step::Value(&entry.value));
                        steps.push(Step::Text(":"));
                        steps.push(Step::Key(&entry.key));
                        steps.push(Step::Text(if at == 0 { "{" } else { "," }));
                    }
                    if entries.is_empty() {
                        steps.push(Step::Text("{"));
                    }
                }
            },
        }
    }
    out
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
