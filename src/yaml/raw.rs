//! YAML text → nodes as they are written: aliases unresolved, scalars undecoded, in one flat list.
//!
//! The one place that knows the parser crate. Places that the crate reports loosely (an empty value, the header of a
//! block scalar, the first dash of a list) are made exact here.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, StructureStyle};

use super::scalar::Tag;
use super::strict::{self, Fault};
use super::{Comment, Error, Style};
use crate::source::Span;

/// A node; the nodes of a collection follow it.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) span: Span,
    pub(super) style: Style,
    pub(super) tag: Tag,
    /// The index after the last node inside.
    pub(super) next: u32,
}

/// What a [`Raw`] node is.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    Scalar(Cow<'a, str>),
    Sequence,
    Mapping,
    /// An alias of the node with this index.
    Alias(u32),
}

/// The first document of a text.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    /// Its nodes, the root first; none for an empty document.
    pub(super) nodes: Vec<Raw<'a>>,
    /// The first byte after it, where something follows that is not read.
    pub(super) rest: Option<u32>,
}

/// How a text came to the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// As it is: a block scalar on a last line without a line break ends without one.
    AsWritten,
    /// As if its last line ended with a line break, which kubectl's reader adds.
    Terminated,
}

/// Go's limit for flow nesting and for indentation.
const GO_DEPTH: usize = 10_000;

/// Reads the first document of `text`, which starts at byte `base` of its source.
pub(super) fn read(text: &str, base: usize, ending: Ending) -> Result<Document<'_>, Error> {
    if let Some(at) = control_character(text) {
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let help = "remove the character, or write it as an escape in a double-quoted string";
        return Err(Error {
            message: "control characters are not allowed".into(),
            span: Span::new(base + at, base + end),
            help: Some(help.into()),
        });
    }
    let mut parser = Parser::new_from_str_with_options(text, options(ending, false));
    let mut reader = Reader {
        text,
        base,
        nodes: Vec::new(),
        open: Vec::new(),
        anchors: Vec::new(),
        at: 0,
        strictness: strict::Reader::new(text),
    };
    let mut rest = None;
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|it| error(&it, text, base))?;
        let span = span.byte_range().unwrap_or_default();
        match event {
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                return Err(Error {
                    message: "found incompatible YAML document".into(),
                    span: Span::new(base, base + span.end),
                    help: Some("remove the `%YAML` line: the server's parser knows version 1.1 only".into()),
                });
            }
            Event::DocumentEnd => {
                if !matches!(parser.next_event(), None | Some(Ok((Event::StreamEnd, _)))) {
                    rest = Some((base + span.end) as u32);
                }
                break;
            }
            event => reader.event(event, span).map_err(|it| fault(it, base))?,
        }
    }
    reader.strictness.gap(text.len()).map_err(|it| fault(it, base))?;
    Ok(Document { nodes: reader.nodes, rest })
}

/// The text as the parser must see it: of the line breaks of YAML 1.1 it knows not all.
///
/// Every byte keeps its place.
pub(super) fn with_plain_breaks(text: &str) -> Cow<'_, str> {
    if text.contains('\u{85}') { Cow::Owned(text.replace('\u{85}', "\r\n")) } else { Cow::Borrowed(text) }
}

/// The comments of a text, up to the first fault.
pub(super) fn comments(text: &str, base: usize, found: &mut Vec<Comment>) {
    let parser = Parser::new_from_str_with_options(text, options(Ending::AsWritten, true));
    for (event, span) in parser.map_while(Result::ok) {
        if let (Event::Comment(..), Some(range)) = (event, span.byte_range()) {
            found.push(Comment { span: Span::new(base + range.start, base + range.end) });
        }
    }
}

fn options(ending: Ending, comments: bool) -> Options {
    granit_parser::options! {
        block_scalar_eof_without_line_feed: ending == Ending::AsWritten,
        emit_comments: comments,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: GO_DEPTH,
        block_nesting_limit: 2 * GO_DEPTH,
    }
}

/// The first character that libyaml's reader refuses anywhere, even in a comment (`readerc.go`).
fn control_character(text: &str) -> Option<usize> {
    let suspicious =
        |it: u8| it < 0x20 && !matches!(it, b'\t' | b'\n' | b'\r') || it == 0x7F || it == 0xC2 || it == 0xEF;
    let mut from = 0;
    while let Some(found) = text.as_bytes()[from..].iter().position(|it| suspicious(*it)) {
        let at = from + found;
        let Some(character) = text[at..].chars().next() else { return Some(at) };
        match character {
            '\u{85}' | '\u{A0}'.. if !matches!(character, '\u{FFFE}' | '\u{FFFF}') => {
                from = at + character.len_utf8();
            }
            _ => return Some(at),
        }
    }
    None
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    nodes: Vec<Raw<'a>>,
    /// The collections that are open, outermost first.
    open: Vec<Open>,
    /// The node of each anchor, by the parser's number for it.
    anchors: Vec<(usize, u32)>,
    /// The byte after the last thing read.
    at: usize,
    strictness: strict::Reader<'a>,
}

struct Open {
    node: u32,
    block_sequence: bool,
    mapping: bool,
    /// Keys and values of a mapping alternate.
    expects_value: bool,
    /// The end of the last node inside.
    end: usize,
}

impl<'a> Reader<'a> {
    fn event(&mut self, event: Event<'a>, span: std::ops::Range<usize>) -> Result<(), Fault> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.begin();
                let tag = tag.map_or(Tag::None, |it| Tag::of(&format!("{}{}", it.handle(), it.suffix())));
                self.scalar(text, style, tag, span)?;
                self.anchor(anchor);
                self.end();
            }
            Event::Alias(anchor) => {
                self.begin();
                let target = self.anchors.iter().rev().find(|it| it.0 == anchor).map_or(0, |it| it.1);
                self.strictness.token(span.clone())?;
                self.push(Kind::Alias(target), Style::Plain, Tag::None, span);
                self.end();
            }
            Event::SequenceStart(style, anchor, _) => self.collection(Kind::Sequence, style, anchor, span)?,
            Event::MappingStart(style, anchor, _) => self.collection(Kind::Mapping, style, anchor, span)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
            _ => {}
        }
        Ok(())
    }

    /// Notes that a node begins, and what indicators stand before it.
    fn begin(&mut self) {
        let Some(open) = self.open.last() else { return };
        let (node, block_sequence) = (open.node as usize, open.block_sequence);
        if !block_sequence {
            return;
        }
        let Some(dash) = self.find(b'-') else { return };
        if self.nodes.len() == node + 1 {
            self.nodes[node].span = Span::new(self.base + dash, self.base + dash);
        }
        self.at = dash + 1;
    }

    fn end(&mut self) {
        let at = self.at;
        if let Some(open) = self.open.last_mut() {
            open.expects_value = open.mapping && !open.expects_value;
            open.end = at;
        }
    }

    fn push(&mut self, kind: Kind<'a>, style: Style, tag: Tag, span: std::ops::Range<usize>) {
        self.at = self.at.max(span.end);
        let next = self.nodes.len() as u32 + 1;
        let span = Span::new(self.base + span.start, self.base + span.end);
        self.nodes.push(Raw { kind, span, style, tag, next });
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        tag: Tag,
        span: std::ops::Range<usize>,
    ) -> Result<(), Fault> {
        match style {
            ScalarStyle::Plain if span.is_empty() => {
                let at = self.empty_value(span.start);
                self.push(Kind::Scalar(Cow::Borrowed("")), Style::Plain, tag, at..at);
            }
            ScalarStyle::Plain => {
                let indent = self.strictness.needs_indent().then(|| self.indent());
                self.strictness.plain(span.clone(), indent)?;
                self.push(Kind::Scalar(text), Style::Plain, tag, span);
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                self.strictness.quoted(span.clone(), style == ScalarStyle::DoubleQuoted)?;
                self.push(Kind::Scalar(text), Style::Quoted, tag, span);
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let indicator = if style == ScalarStyle::Literal { b'|' } else { b'>' };
                let start = self.find(indicator).unwrap_or(span.start);
                let end = self.text[..span.end.max(start)].trim_end().len().max(start + 1);
                self.strictness.token(start..span.end.max(start))?;
                self.push(Kind::Scalar(text), Style::BlockScalar, tag, start..end);
            }
        }
        Ok(())
    }

    /// The place of a value that is not written. The parser has that of `key:` before the colon.
    fn empty_value(&self, reported: usize) -> usize {
        let bytes = self.text.as_bytes();
        let value = self.open.last().is_some_and(|it| it.expects_value);
        let next = self.at + bytes[self.at..].iter().take_while(|it| it.is_ascii_whitespace()).count();
        let at = if value && bytes.get(next) == Some(&b':') { next + 1 } else { self.at };
        let between = self.text.get(at..reported).unwrap_or_default();
        // An anchor or a tag may stand for the value.
        if between.contains(['&', '!']) && !between.contains('#') { reported } else { at }
    }

    /// The column of the innermost block collection.
    fn indent(&self) -> Option<usize> {
        let open = self.open.iter().rev().find(|it| self.nodes[it.node as usize].style == Style::Block)?;
        let start = self.nodes[open.node as usize].span.start as usize - self.base;
        Some(start - self.text.as_bytes()[..start].iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1))
    }

    fn anchor(&mut self, anchor: usize) {
        if anchor != 0 {
            self.anchors.push((anchor, self.nodes.len() as u32 - 1));
        }
    }

    fn collection(
        &mut self,
        kind: Kind<'a>,
        style: StructureStyle,
        anchor: usize,
        span: std::ops::Range<usize>,
    ) -> Result<(), Fault> {
        self.begin();
        let block = style == StructureStyle::Block;
        let mapping = matches!(kind, Kind::Mapping);
        let node = self.nodes.len() as u32;
        if !block {
            self.strictness.open_flow(span.clone())?;
        }
        // Of a block collection the parser gives the place of its first token or the one after, an empty range.
        let at = self.at;
        self.push(kind, if block { Style::Block } else { Style::Flow }, Tag::None, span);
        if block {
            self.at = at;
        }
        self.anchor(anchor);
        let block_sequence = block && !mapping;
        self.open.push(Open { node, block_sequence, mapping, expects_value: false, end: self.at });
        Ok(())
    }

    fn close(&mut self, span: std::ops::Range<usize>) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[open.node as usize];
        if node.style == Style::Flow {
            self.at = self.at.max(span.end);
            node.span.end = (self.base + span.end) as u32;
            self.strictness.close_flow(span)?;
        } else {
            node.span.end = ((self.base + open.end) as u32).max(node.span.start);
        }
        node.next = next;
        self.end();
        Ok(())
    }

    /// The next place of an indicator. Between two nodes stand only blanks, comments, indicators and properties.
    fn find(&self, indicator: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            let byte = *bytes.get(at)?;
            let blank_before = at == 0 || bytes[at - 1].is_ascii_whitespace();
            match byte {
                it if it == indicator => return Some(at),
                b'#' if blank_before => {
                    at += bytes[at..].iter().take_while(|it| !matches!(it, b'\n' | b'\r')).count()
                }
                b'&' | b'!' => at += bytes[at..].iter().take_while(|it| !it.is_ascii_whitespace()).count(),
                _ => at += 1,
            }
        }
    }
}

fn fault(fault: Fault, base: usize) -> Error {
    let span = Span::new(base + fault.at, base + fault.at + 1);
    Error { message: fault.message.into(), span, help: Some(fault.help.into()) }
}

fn error(error: &ScanError, text: &str, base: usize) -> Error {
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
