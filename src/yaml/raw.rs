//! YAML text → nodes as they are written: aliases unresolved, scalars undecoded, in one flat list.
//!
//! The one place that knows the parser crate. Places that the crate reports loosely (an empty value, the header of a
//! block scalar, the first dash of a list) are made exact here.

use std::borrow::Cow;

use granit_parser::{Event, Options, Parser, ScalarStyle, StructureStyle};

use super::scalar::Tag;
use super::strict::{self, Fault};
use super::{Comment, Error, MAX_VALUES, Style, faults};
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
    faults::control_character(text, base)?;
    let mut parser = Parser::new_from_str_with_options(text, options(ending, false));
    let mut reader = Reader {
        text,
        base,
        // Real manifests have a node every 40 bytes.
        nodes: Vec::with_capacity(text.len() / 36),
        open: Vec::new(),
        anchors: Vec::new(),
        at: 0,
        strictness: strict::Reader::new(text),
    };
    let mut rest = None;
    while let Some(event) = parser.next_event() {
        let (event, span) = match event {
            Ok(event) => event,
            // Go reads no further than the first document, which ends where its root does.
            Err(fault) if reader.is_complete() => {
                rest = Some((base + fault.marker().byte_offset().unwrap_or(text.len())) as u32);
                break;
            }
            Err(fault) => return Err(faults::parser(&fault, text, base)),
        };
        let span = span.byte_range().unwrap_or_default();
        match event {
            Event::DocumentStart(explicit, version) => {
                let directives = if explicit { &text[..span.start] } else { "" };
                faults::directive(directives, version.map(|it| (it.major, it.minor)), base)?;
            }
            Event::DocumentEnd => {
                reader.strictness.gap(span.start).map_err(|it| faults::strict(it, base))?;
                if !matches!(parser.next_event(), None | Some(Ok((Event::StreamEnd, _)))) {
                    rest = Some((base + span.end) as u32);
                }
                break;
            }
            event if reader.nodes.len() < MAX_VALUES => {
                reader.event(event, span).map_err(|it| faults::strict(it, base))?;
            }
            _ => return Err(faults::too_many(Span::new(base + span.start, base + span.end))),
        }
    }
    if reader.nodes.is_empty() {
        if let Some(at) = text.lines().position(|it| it == "...") {
            let at = base + text.split_inclusive('\n').take(at).map(str::len).sum::<usize>();
            let (message, span) = ("did not find expected node content".into(), Span::new(at, at + 3));
            return Err(Error { message, span, help: Some("remove the `...`: it ends no document".into()) });
        }
        reader.strictness.gap(text.len()).map_err(|it| faults::strict(it, base))?;
    }
    Ok(Document { nodes: reader.nodes, rest })
}

/// The text as the parser must see it: of the line breaks of YAML 1.1 it knows not all.
///
/// Every byte keeps its place.
pub(super) fn with_plain_breaks(text: &str) -> Cow<'_, str> {
    const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];
    let contains =
        |it: char| memchr::memmem::find(text.as_bytes(), it.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
    if text.is_ascii() || !contains('\u{85}') && !SEPARATORS.into_iter().any(contains) {
        return Cow::Borrowed(text);
    }
    let mut text = text.replace('\u{85}', "\r\n");
    // Within quotes a separator is kept as it is.
    let document = read(&text, 0, Ending::Terminated).unwrap_or_default();
    let kept = document.nodes.iter().filter(|it| it.style == Style::Quoted);
    let kept: Vec<Span> = kept.map(|it| it.span).collect();
    let places: Vec<usize> = text.match_indices(SEPARATORS).map(|it| it.0).collect();
    for at in places {
        if !kept.iter().any(|it| it.range().contains(&at)) {
            text.replace_range(at..at + 3, " \r\n");
        }
    }
    Cow::Owned(text)
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
        bom_inside_document_as_content: true,
        block_scalar_eof_without_line_feed: ending == Ending::AsWritten,
        emit_comments: comments,
        emit_anchor_events: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: GO_DEPTH,
        block_nesting_limit: 2 * GO_DEPTH,
    }
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
    block: bool,
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
                let text = if self.is_flow_key() { self.flow_key(text, style, &span)? } else { text };
                self.scalar(text, style, tag, span)?;
                self.anchor(anchor);
                self.end();
            }
            Event::Alias(anchor) => {
                self.begin();
                let target = self.anchors.iter().rev().find(|it| it.0 == anchor).map_or(0, |it| it.1);
                self.strictness.token(span.clone())?;
                strict::name(&self.text[span.clone()], span.start)?;
                self.push(Kind::Alias(target), Style::Plain, Tag::None, span);
                self.end();
            }
            Event::SequenceStart(style, anchor, _) => self.collection(Kind::Sequence, style, anchor, span)?,
            Event::MappingStart(style, anchor, _) => self.collection(Kind::Mapping, style, anchor, span)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
            Event::Anchor(..) => strict::name(&self.text[span.clone()], span.start)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether the root is a collection that has been read to its end.
    fn is_complete(&self) -> bool {
        let root = self.nodes.first().map(|it| &it.kind);
        self.open.is_empty() && matches!(root, Some(Kind::Sequence | Kind::Mapping))
    }

    /// Notes that a node begins, and what indicators stand before it.
    fn begin(&mut self) {
        let Some(open) = self.open.last().filter(|it| it.block && !it.mapping) else { return };
        let node = open.node as usize;
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

    /// Whether the next node is a key between braces.
    fn is_flow_key(&self) -> bool {
        self.open.last().is_some_and(|it| it.mapping && !it.expects_value && !it.block)
    }

    /// A key between braces, as Go scans it: on one line with its colon, which a bracket right behind makes part of it.
    fn flow_key(
        &self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        span: &std::ops::Range<usize>,
    ) -> Result<Cow<'a, str>, Fault> {
        let bytes = self.text.as_bytes();
        let blanks = bytes[span.end..].iter().take_while(|it| it.is_ascii_whitespace()).count();
        let colon = span.end + blanks;
        if bytes.get(colon) != Some(&b':') || self.text[self.at..span.start].contains('?') {
            return Ok(text);
        }
        if self.text[span.start..colon].contains('\n') {
            let help = "put the key and its colon on one line";
            return Err(Fault { message: "did not find expected ',' or '}'", at: span.start, help });
        }
        let bracket_follows = matches!(bytes.get(colon + 1), Some(b',' | b']' | b'}' | b'[' | b'{'));
        if style == ScalarStyle::Plain && blanks == 0 && bracket_follows {
            return Ok(Cow::Owned(text.into_owned() + ":"));
        }
        Ok(text)
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
        self.open.push(Open { node, block, mapping, expects_value: false, end: self.at });
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
