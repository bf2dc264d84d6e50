//! Text → every document in it.

use super::json::{Found, Numbers};
use super::raw::{self, Ending, Kind};
use super::split::{self, Chunk};
use super::{Comment, Document, Error, MAX_DEPTH, Stream, decode};
use crate::source::Span;

/// Reads every document, JSON or YAML.
pub(super) fn read(text: &str) -> Stream {
    let mut stream = Stream::default();
    let mut number = 0;
    if !split::might_be_json(text) {
        chunks(text, 0, &mut number, &mut stream);
        return stream;
    }
    let found = split::values(text, MAX_DEPTH, Numbers::Evaluated);
    for value in found.values {
        json(value, &mut number, &mut stream);
    }
    match (found.error, found.yaml_from) {
        (None, _) => {}
        (Some(error), Some(from)) => {
            let (before, documents) = (stream.errors.len(), stream.documents.len());
            chunks(text, from, &mut number, &mut stream);
            // Read as YAML it may be sound; where it is broken both ways, JSON's words are those that clients say.
            let first = stream.documents.get(documents).map(|it| it.span.start);
            if let Some(broken) = stream.errors.get_mut(before)
                && first.is_none_or(|it| broken.span.start < it)
            {
                broken.message = format!("{}; as JSON: {}", broken.message, error.message);
            }
        }
        (Some(error), None) => {
            let at = (error.span.start as usize).saturating_sub(1);
            stream.errors.push(error);
            number += 1;
            if let Some(next) = text.get(at..).and_then(|it| it.find("\n---")) {
                chunks(text, at + next + 1, &mut number, &mut stream);
            }
        }
    }
    stream
}

/// The comments of every document.
pub(super) fn comments(text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    for chunk in split::chunks(text, 0) {
        raw::comments(&text[chunk.range.clone()], chunk.range.start, &mut found);
    }
    found
}

fn json(value: Found, number: &mut usize, stream: &mut Stream) {
    let root = value.root.into_node();
    if root.is_null() {
        return;
    }
    *number += 1;
    let duplicates = value.duplicates;
    let span = root.span;
    stream.documents.push(Document {
        number: *number,
        span,
        root,
        duplicates,
        aliased: Vec::new(),
        json: true,
    });
}

fn chunks(text: &str, from: usize, number: &mut usize, stream: &mut Stream) {
    for chunk in split::chunks(text, from) {
        let Chunk { range, fault } = chunk;
        match document(&text[range.clone()], range.start, &mut stream.dropped) {
            Ok(None) => {}
            Ok(Some(document)) => {
                *number += 1;
                stream.documents.push(Document { number: *number, ..document });
            }
            Err(mut error) => {
                *number += 1;
                error.span = within_characters(text, error.span);
                if is_template(text, &error) {
                    error.help = Some("it is a template: render it first, or put `{{ … }}` in quotes".into());
                }
                stream.errors.push(error);
            }
        }
        if let Some(fault) = fault {
            *number += 1;
            stream.errors.push(Error {
                message: format!("invalid Yaml document separator: {}", &text[fault.clone()]),
                span: Span::new(fault.start, fault.end),
                help: Some(
                    "put what follows `---` on a line of its own: kubectl splits documents by lines".into(),
                ),
            });
        }
    }
}

fn document(text: &str, base: usize, dropped: &mut Vec<Span>) -> Result<Option<Document>, Error> {
    let text = &*raw::with_plain_breaks(text);
    let raw = raw::read(text, base, Ending::Terminated)?;
    if let Some(rest) = raw.rest {
        dropped.push(Span::new(rest as usize, base + text.len()));
    }
    if raw.nodes.is_empty() {
        return Ok(None);
    }
    let decoded = decode::decode(&raw.nodes, MAX_DEPTH)?;
    let root = decoded.root.into_node();
    if root.is_null() {
        return Ok(None);
    }
    let mut aliased: Vec<Span> = raw.nodes.iter().filter_map(|it| target(it, &raw.nodes)).collect();
    aliased.sort();
    aliased.dedup();
    let (span, duplicates) = (root.span, decoded.duplicates);
    Ok(Some(Document { number: 0, span, root, duplicates, aliased, json: false }))
}

/// A span that starts and ends between characters: the parser may have seen other line breaks of the same length.
fn within_characters(text: &str, span: Span) -> Span {
    let (mut start, mut end) = (span.start as usize, span.end as usize);
    while start > 0 && !text.is_char_boundary(start) {
        start -= 1;
    }
    while end < text.len() && !text.is_char_boundary(end) {
        end += 1;
    }
    Span::new(start, end)
}

/// Whether a template stands on the line of an error.
fn is_template(text: &str, error: &Error) -> bool {
    let at = (error.span.start as usize).min(text.len());
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |it| it + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    line.contains("{{") || line.contains("{%")
}

fn target(node: &raw::Raw<'_>, nodes: &[raw::Raw<'_>]) -> Option<Span> {
    match node.kind {
        Kind::Alias(target) => nodes.get(target as usize).map(|it| it.span),
        _ => None,
    }
}
