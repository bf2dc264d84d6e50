//! Where one document ends and the next begins: the reader of `k8s.io/apimachinery/pkg/util/yaml` (`decoder.go`).
//!
//! Splits by lines alone: a `---` at the start of a line splits even a block scalar. Knows no YAML beyond that.

use std::ops::Range;

use super::json::{self, Found, Numbers};
use super::{Error, MAX_DEPTH};

/// The bytes of one document.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) range: Range<usize>,
    /// The text after `---` on the line that ends the chunk, which must be blank or a comment.
    pub(super) fault: Option<Range<usize>>,
}

/// Splits a text from a byte on.
pub(super) fn chunks(text: &str, from: usize) -> Vec<Chunk> {
    let mut found = Vec::new();
    let mut start = from;
    // After a broken separator everything belongs to a document that no client reads.
    let mut skipping = false;
    let first = text[from..].starts_with("---").then_some(from);
    let further = memchr::memmem::find_iter(&text.as_bytes()[from..], "\n---").map(|it| from + it + 1);
    for at in first.into_iter().chain(further) {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |it| at + it + 1);
        let rest = &text[at + 3..end];
        let detail = rest.trim();
        let broken = !detail.is_empty() && !detail.starts_with('#');
        let fault = broken.then(|| {
            let column = at + 3 + (rest.len() - rest.trim_start().len());
            column..column + detail.len()
        });
        if !skipping && (start < at || broken) {
            found.push(Chunk { range: start..at, fault });
        }
        // A separator that closes no document is the first line of the next one, for the parser to skip.
        (start, skipping) = (if start < at { end } else { at }, broken);
    }
    if !skipping && start < text.len() {
        found.push(Chunk { range: start..text.len(), fault: None });
    }
    found
}

/// Whether kubectl's reader tries the text as JSON first: whether it starts with a brace.
pub(super) fn might_be_json(text: &str) -> bool {
    const PEEKED: usize = 4096;
    let trimmed = text.trim_start();
    trimmed.starts_with('{') && text.len() - trimmed.len() < PEEKED
}

/// The JSON values that a text starts with.
pub(super) struct Values {
    pub(super) values: Vec<Found>,
    /// Why the text after them is no JSON; `None` at its end.
    pub(super) error: Option<Error>,
    /// Where YAML goes on, where kubectl's reader turns to YAML.
    pub(super) yaml_from: Option<usize>,
}

/// Reads JSON values up to the first fault.
pub(super) fn values(text: &str, depth: usize, numbers: Numbers) -> Values {
    let (mut values, mut at): (Vec<Found>, usize) = (Vec::new(), 0);
    let error = loop {
        if json::skip_blanks(text.as_bytes(), at) >= text.len() {
            break None;
        }
        match json::value(text, at, depth, numbers) {
            Ok(found) => {
                at = found.end;
                values.push(found);
            }
            Err(error) => break Some(error),
        }
    };
    let too_deep = error.as_ref().is_some_and(|it| depth == MAX_DEPTH && it.message.ends_with("max depth"));
    // After two values the text is JSON for good.
    let yaml_from =
        if error.is_some() && values.len() < 2 && !too_deep { yaml_start(text, at) } else { None };
    Values { values, error, yaml_from }
}

/// Skips blanks, up to and with one line break, as the reader does. It looks four bytes ahead, and so gives up near
/// the end of the text.
fn yaml_start(text: &str, mut at: usize) -> Option<usize> {
    loop {
        if text.len() - at < 4 {
            return None;
        }
        let character = text[at..].chars().next()?;
        if !character.is_whitespace() {
            return Some(at);
        }
        at += character.len_utf8();
        if character == '\n' {
            return Some(at);
        }
    }
}
