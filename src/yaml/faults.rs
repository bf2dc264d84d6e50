//! What is wrong with a text, in Go's words, and what to do about it.

use granit_parser::{ErrorKind, ScanError};

use super::strict::Fault;
use super::{Error, MAX_VALUES};
use crate::source::Span;

/// Refuses a document beyond all measure.
pub(super) fn too_many(at: Span) -> Error {
    let help = "no manifest needs as many: look for a generator that ran wild";
    Error {
        message: format!("the document holds more than {MAX_VALUES} values"),
        span: at,
        help: Some(help.into()),
    }
}

/// Refuses characters that libyaml's reader takes nowhere.
pub(super) fn control_character(text: &str, base: usize) -> Result<(), Error> {
    let Some(at) = first_control_character(text) else { return Ok(()) };
    let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
    let help = "remove the character, or write it as an escape in a double-quoted string";
    Err(Error {
        message: "control characters are not allowed".into(),
        span: Span::new(base + at, base + end),
        help: Some(help.into()),
    })
}

/// The first character that libyaml's reader refuses anywhere, even in a comment (`readerc.go`).
fn first_control_character(text: &str) -> Option<usize> {
    const BLOCK: usize = 64;
    let suspicious = |it: u8| {
        (it < 0x20) & (it != b'\t') & (it != b'\n') & (it != b'\r')
            | (it == 0x7F)
            | (it == 0xC2)
            | (it == 0xEF)
    };
    let bytes = text.as_bytes();
    // Without branches a block is looked at in a few instructions.
    let blocks = bytes.chunks(BLOCK).enumerate();
    let doubtful = blocks.filter(|(_, block)| block.iter().fold(false, |any, it| any | suspicious(*it)));
    for (index, block) in doubtful {
        for (offset, _) in block.iter().enumerate().filter(|(_, it)| suspicious(**it)) {
            let at = index * BLOCK + offset;
            match text[at..].chars().next() {
                Some('\u{85}' | '\u{A0}'..='\u{FFFD}') => {}
                _ => return Some(at),
            }
        }
    }
    None
}

/// Go knows two directives, and one version of YAML.
pub(super) fn directive(text: &str, version: Option<(u32, u32)>, base: usize) -> Result<(), Error> {
    let mut at = base;
    for line in text.split_inclusive('\n') {
        let known = line.starts_with("%YAML") || line.starts_with("%TAG");
        let message = match known {
            true if line.starts_with("%YAML") && version != Some((1, 1)) => {
                "found incompatible YAML document"
            }
            false if line.starts_with('%') => "found unknown directive name",
            _ => "",
        };
        if !message.is_empty() {
            let span = Span::new(at, at + line.trim_end().len());
            let help = "remove the line: the server's parser knows YAML 1.1 and its directives only";
            return Err(Error { message: message.into(), span, help: Some(help.into()) });
        }
        at += line.len();
    }
    Ok(())
}

/// What the scanner's own rules find.
pub(super) fn strict(fault: Fault, base: usize) -> Error {
    let span = Span::new(base + fault.at, base + fault.at + 1);
    Error { message: fault.message.into(), span, help: Some(fault.help.into()) }
}

/// What the parser finds.
pub(super) fn parser(error: &ScanError, text: &str, base: usize) -> Error {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let (message, help) = words(error.kind());
    let message = message.map_or_else(|| error.info(), str::to_owned);
    let tab = tab_indentation(text, at);
    let (at, help) = match tab {
        Some(tab) if help.is_none() || is_tab(error.kind()) => {
            (tab, Some("indent with spaces: YAML forbids tabs there"))
        }
        _ => (at, help),
    };
    let width = text.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8);
    Error { message, span: Span::new(base + at, base + at + width), help: help.map(str::to_owned) }
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation)
}

/// The tab in the indentation of the line of a byte.
fn tab_indentation(text: &str, at: usize) -> Option<usize> {
    let start = text.as_bytes()[..at].iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let line = &text[start..];
    let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
    line[..indentation].find('\t').map(|it| start + it)
}

/// Go's words for the commonest faults, and what to do about them.
fn words(kind: &ErrorKind) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation => (
            Some("found a tab character that violates indentation"),
            Some("indent with spaces: YAML forbids tabs there"),
        ),
        ErrorKind::MappingValueNotAllowed => (
            Some("mapping values are not allowed in this context"),
            Some("put text that holds `: ` in quotes, or start the mapping on a line of its own"),
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            Some("could not find expected ':'"),
            Some("a key ends with `: `; text over several lines needs quotes or a block scalar (`|`)"),
        ),
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => (
            Some("found character that cannot start any token"),
            Some("put the text in quotes: it starts with a character that YAML reserves"),
        ),
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => {
            (Some("did not find expected key"), Some("line the key up with the other keys of its mapping"))
        }
        ErrorKind::UnknownAnchor => (
            Some("unknown anchor referenced"),
            Some("an anchor (`&name`) must stand before its alias, in the same document"),
        ),
        _ => (None, None),
    }
}
