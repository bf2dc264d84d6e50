//! Whether a text is still a template: `{{ … }}` of Helm and Jinja, `{% … %}` of Jinja.
//!
//! Looks at lines, because such a text is often no YAML at all. Braces within quotes, comments, block scalars and
//! prose are text, not templates: descriptions of real CRDs are full of them.

use crate::source::Span;

/// The places where a template stands that nobody has rendered, found one by one.
pub fn marks(text: &str) -> impl Iterator<Item = Span> {
    let bytes = text.as_bytes();
    let opens = |at: usize| matches!(bytes.get(at + 1), Some(b'{' | b'%'));
    let text = if memchr::memchr_iter(b'{', bytes).any(opens) { text } else { "" };
    let mut scanner = Scanner { block: None, prose: None, quote: None };
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let base = next;
        next += line.len();
        scanner.line(line.trim_end_matches(['\n', '\r'])).map(|at| mark(line, at, base))
    })
}

fn mark(line: &str, at: usize, base: usize) -> Span {
    let close = if line[at..].starts_with("{%") { "%}" } else { "}}" };
    let end = line[at..].find(close).map_or(line.trim_end().len(), |it| at + it + 2);
    Span::new(base + at, base + end.max(at + 2))
}

struct Scanner {
    /// The indentation of the key of the block scalar that is open.
    block: Option<usize>,
    /// The indentation of the key whose plain text may go on in the next line.
    prose: Option<usize>,
    /// The quote that is open.
    quote: Option<char>,
}

impl Scanner {
    /// Reads one line; gives the place of a template in it.
    fn line(&mut self, line: &str) -> Option<usize> {
        let indentation = line.len() - line.trim_start_matches(' ').len();
        let content = line.trim();
        if self.quote.is_some() {
            return self.tokens(line, 0);
        }
        if content.is_empty() {
            return None;
        }
        if self.block.is_some_and(|it| indentation > it) {
            return None;
        }
        self.block = None;
        let directive = content.starts_with("{{-") || content.starts_with("{%") || is_whole(content);
        if self.prose.is_some_and(|it| indentation > it) && !directive {
            return None;
        }
        self.prose = None;
        self.tokens(line, indentation)
    }

    fn tokens(&mut self, line: &str, indentation: usize) -> Option<usize> {
        let mut key_column = indentation;
        let mut value = indentation;
        let mut found = None;
        let (mut at, mut fresh) = (indentation, self.quote.is_none());
        while let Some(character) = line.get(at..).and_then(|it| it.chars().next()) {
            let rest = &line[at..];
            let blank_before = at == 0 || line.as_bytes()[at - 1].is_ascii_whitespace();
            if let Some(quote) = self.quote {
                match (quote, character) {
                    ('"', '\\') => at += 1,
                    (quote, it) if it == quote => self.quote = None,
                    _ => {}
                }
            } else if character == '#' && blank_before {
                break;
            } else if fresh && matches!(character, '"' | '\'') {
                self.quote = Some(character);
            } else if fresh && rest.starts_with("- ") {
                (key_column, value) = (at + 1, at + 2);
                if is_block_header(line[value..].trim_start()) {
                    self.block = Some(at);
                    return found;
                }
            } else if rest.starts_with("{{") || rest.starts_with("{%") {
                // Within a word it makes a name; within prose it is part of what the prose talks about.
                if found.is_none() && !line[value..at].contains(' ') {
                    found = Some(at);
                }
                let close = if rest.starts_with("{%") { "%}" } else { "}}" };
                at += rest.find(close).map_or(rest.len(), |it| it + 1);
            } else if character == ':' && matches!(line.as_bytes().get(at + 1), None | Some(b' ' | b'\t')) {
                let next = line[at + 1..].trim_start();
                value = line.len() - next.len();
                fresh = true;
                at += 1;
                if is_block_header(next) {
                    self.block = Some(key_column.max(indentation));
                    return found;
                }
                continue;
            }
            fresh = fresh && (character.is_whitespace() || matches!(character, '-' | '[' | '{' | ','));
            at += line.get(at..).and_then(|it| it.chars().next()).map_or(1, char::len_utf8);
        }
        if self.quote.is_none() && found.is_none() && value < line.trim_end().len() {
            self.prose = Some(key_column.saturating_sub(1).max(indentation));
        }
        found
    }
}

/// Whether a line is nothing but one action: `{{ include "x" . }}`.
fn is_whole(content: &str) -> bool {
    content.starts_with("{{") && content.find("}}").is_some_and(|it| it + 2 == content.len())
}

fn is_block_header(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else { return false };
    let rest = rest.trim_start_matches(['+', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    rest.trim().is_empty() || rest.trim_start().starts_with('#')
}
