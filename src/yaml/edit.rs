//! Edits on YAML and JSON text: add keys here, remove that key, in the style of the neighbors and nothing else.
//!
//! Every byte that is not part of an edit stays. What cannot be edited well is refused with the reason. What the keys
//! mean is not known here.

use super::hand::{Look, block, entry_end, is_flow, last_leaf, own_entries, quoted, step_of};
use super::lines::{self, Lines};
use super::{Document, Entry, Node, Style, Value};
use crate::source::Edit;
use crate::source::Span;

/// What is to be there.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// A scalar, as it is written in YAML and in JSON.
    Scalar(&'static str),
    /// A mapping; keys that are there already stay as they are.
    Mapping(Vec<(String, Addition)>),
}

/// Why a text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, to follow "left as it is: ".
    pub reason: &'static str,
    /// The place that is the reason.
    pub at: Span,
}

/// A text that is to be edited, with one of its documents.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The document to which the nodes belong.
    pub document: &'a Document,
}

/// Makes a mapping hold what is to be there. Keys that are there with a value stay; no edit means all is there.
///
/// # Errors
/// When an edit would damage the text or change another place too.
pub fn merge(
    target: Target<'_>,
    node: &Node,
    additions: &[(String, Addition)],
) -> Result<Vec<Edit>, Refusal> {
    let mut edits = Vec::new();
    target.merge(node, additions, &mut edits)?;
    Ok(edits)
}

/// Removes a key with its value from a mapping.
///
/// # Errors
/// When nothing else would be left, and as [`merge`].
pub fn remove(target: Target<'_>, node: &Node, key: &str) -> Result<Edit, Refusal> {
    let own = own_entries(node);
    let entry = target.own(node, key)?;
    let place = own.iter().position(|it| std::ptr::eq(*it, entry)).unwrap_or_default();
    let end = entry_end(entry);
    if own.len() == 1 {
        return Err(refusal("nothing else would be left in the mapping", entry.key_span));
    }
    if node.style == Style::Flow {
        return Ok(delete(match own.get(place + 1) {
            Some(next) => Span { start: entry.key_span.start, end: next.key_span.start },
            None => Span { start: entry_end(own[place - 1]), end },
        }));
    }
    let lines = Lines::new(target.text);
    target.check_block_key(&lines, entry)?;
    match (lines.is_first(entry.key_span.start), own.get(place + 1)) {
        (true, _) => {
            let start = lines.start(entry.key_span.start);
            Ok(delete(Span { start, end: lines.after(end) }))
        }
        // The first key after `- `: the next one takes its place.
        (false, Some(next)) => Ok(delete(Span { start: entry.key_span.start, end: next.key_span.start })),
        (false, None) => Err(refusal("something else stands on the line", entry.key_span)),
    }
}

/// Writes another scalar as the value of a key, in the quotes of the one that stands there.
///
/// # Errors
/// As [`merge`].
pub fn set(target: Target<'_>, node: &Node, key: &str, scalar: &str) -> Result<Edit, Refusal> {
    let value = &target.own(node, key)?.value;
    target.check(value)?;
    let span = value.span;
    let quote = target.text[span.range()].chars().next().filter(|it| matches!(it, '"' | '\''));
    let quote = quote.map_or_else(String::new, String::from);
    Ok(Edit { span, text: format!("{quote}{scalar}{quote}") })
}

/// Writes another key with a scalar in the place of an entry.
///
/// # Errors
/// As [`merge`].
pub fn replace(
    target: Target<'_>,
    node: &Node,
    key: &str,
    other: &str,
    scalar: &'static str,
) -> Result<Edit, Refusal> {
    let entry = target.own(node, key)?;
    target.check(&entry.value)?;
    let written = target.document.json || quoted(node);
    let text = lines::flow_entry(other, &Addition::Scalar(scalar), written, target.is_tight(node));
    Ok(Edit { span: entry.key_span.to(entry.value.span), text })
}

/// Removes items from a list that holds others too.
///
/// # Errors
/// As [`remove`].
pub fn remove_items(target: Target<'_>, list: &Node, gone: &[usize]) -> Result<Vec<Edit>, Refusal> {
    target.check(list)?;
    let items = list.items();
    let Some(last) = (0..items.len()).rfind(|it| !gone.contains(it)) else {
        return Err(refusal("nothing else would be left in the list", list.span));
    };
    let lines = Lines::new(target.text);
    let span = |place: usize| match items[place].span {
        item if list.style != Style::Flow => {
            Span { start: lines.start(item.start), end: lines.after(item.end) }
        }
        item if place < last => Span { start: item.start, end: items[place + 1].span.start },
        // Behind the last that stays, the comma before it goes.
        item => Span { start: items[place - 1].span.end, end: item.end },
    };
    Ok((0..items.len()).filter(|it| gone.contains(it)).map(|it| delete(span(it))).collect())
}

/// Removes a key with its value by their places: the one of two equal keys that is no part of the tree.
///
/// # Errors
/// As [`remove`].
pub fn remove_dropped(target: Target<'_>, key: Span, value: Span) -> Result<Edit, Refusal> {
    let lines = Lines::new(target.text);
    let end = value.end.max(key.end);
    let inside =
        |it: &&Span| it.start <= end && key.start <= it.end && !(it.start < key.start && end < it.end);
    if let Some(span) = target.document.aliased.iter().find(inside) {
        return Err(refusal("an alias takes it to another place, which would change too", *span));
    }
    let rest = lines.rest(end).trim();
    if !lines.is_first(key.start) || !(rest.is_empty() || rest.starts_with('#')) || value.start < key.start {
        return Err(refusal("the key does not start its line in a plain way", key));
    }
    Ok(delete(Span { start: lines.start(key.start), end: lines.after(end) }))
}

/// Writes an entry once more, at the end of another mapping and under another name.
///
/// # Errors
/// When the entry or the mapping is not in block style, and as [`merge`].
pub fn copy(target: Target<'_>, entry: &Entry, onto: &Node, name: &str) -> Result<Edit, Refusal> {
    target.check(onto)?;
    target.check(&entry.value)?;
    let lines = Lines::new(target.text);
    let own = own_entries(onto);
    let Some(first) = own.first().filter(|_| onto.style != Style::Flow) else {
        return Err(refusal("it is no block mapping", onto.span));
    };
    target.check_block_key(&lines, first)?;
    target.check_block_key(&lines, entry)?;
    let (from, to) = (lines.column(entry.key_span.start), lines.column(first.key_span.start));
    let written = lines.between(entry.key_span.start, entry_end(entry));
    let rest = &target.text[entry.key_span.end as usize..lines.after(entry.key_span.end) as usize];
    let head = format!("{}{name}{}", " ".repeat(to), rest.trim_end());
    let pad = " ".repeat(to);
    let tail = written.skip(1).map(|line| match line.split_at_checked(from) {
        _ if line.trim().is_empty() => String::new(),
        Some((before, inner)) if before.trim().is_empty() => format!("{pad}{inner}"),
        _ => format!("{pad}{}", line.trim_start()),
    });
    let text: Vec<String> = std::iter::once(head).chain(tail).collect();
    target.append(&lines, onto, to, &text)
}

/// Writes another name for a key; only adds characters where that is enough.
pub fn rename(target: Target<'_>, key: Span, old: &str, new: &str) -> Edit {
    let common = |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len());
    let front = common(&mut old.chars().zip(new.chars()));
    let back = common(&mut old.chars().rev().zip(new.chars().rev())).min(shorter.saturating_sub(front));
    let written = &target.text[key.range()];
    let quote = u32::from(written.starts_with(['"', '\'']));
    if !old.is_ascii() || !new.is_ascii() || !written.contains(old) {
        return Edit { span: key, text: lines::key(new, quote == 1) };
    }
    let start = key.start + quote + front as u32;
    let end = key.start + quote + (old.len() - back) as u32;
    Edit { span: Span { start, end }, text: new[front..new.len() - back].to_owned() }
}

fn insert(at: u32, text: String) -> Edit {
    Edit { span: Span { start: at, end: at }, text }
}

fn delete(span: Span) -> Edit {
    Edit { span, text: String::new() }
}

fn refusal(reason: &'static str, at: Span) -> Refusal {
    Refusal { reason, at }
}

impl Target<'_> {
    fn merge(
        self,
        node: &Node,
        additions: &[(String, Addition)],
        edits: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let mut missing = Vec::new();
        for (key, addition) in additions {
            match (node.entry(key), addition) {
                (None, _) => missing.push((key.as_str(), addition)),
                (Some(entry), _) if entry.value.is_null() => self.fill(node, entry, addition, edits)?,
                (Some(entry), Addition::Mapping(inner)) => match entry.value.value {
                    Value::Mapping(_) => self.merge(&entry.value, inner, edits)?,
                    _ => return Err(refusal("a mapping is expected here", entry.value.span)),
                },
                (Some(_), Addition::Scalar(_)) => {}
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.check(node)?;
        match node.style {
            Style::Flow => self.insert_flow(node, &missing, edits),
            _ => self.insert_block(node, &missing, edits),
        }
    }

    /// The entry of a key, if it is written right here.
    fn own<'n>(self, node: &'n Node, key: &str) -> Result<&'n Entry, Refusal> {
        self.check(node)?;
        let entry = own_entries(node).into_iter().find(|it| &*it.key == key);
        entry.ok_or_else(|| refusal("the key comes from a merge key", node.span))
    }

    /// Refuses what is written at one place and read at several.
    fn check(self, node: &Node) -> Result<(), Refusal> {
        if node.shared {
            return Err(refusal("it comes through an alias or a merge key from another place", node.span));
        }
        let around = |it: &&Span| it.start <= node.span.start && node.span.end <= it.end;
        match self.document.aliased.iter().find(around) {
            Some(span) => Err(refusal("an alias takes it to another place, which would change too", *span)),
            None => Ok(()),
        }
    }

    fn check_block_key(self, lines: &Lines<'_>, entry: &Entry) -> Result<(), Refusal> {
        let before = lines.before(entry.key_span.start);
        if before.contains(['\t', '?', '{', '[', '&', '!', ':']) {
            return Err(refusal("the key does not start its line in a plain way", entry.key_span));
        }
        Ok(())
    }

    /// Gives a key without a value its value.
    fn fill(
        self,
        node: &Node,
        entry: &Entry,
        addition: &Addition,
        edits: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        self.check(node)?;
        let span = entry.value.span;
        if !span.is_empty() {
            return Err(refusal("the value is written as null", span));
        }
        let colon = self.text[..span.start as usize].ends_with(':');
        if entry.value.shared || node.style == Style::Flow || !colon {
            return Err(refusal("the value is not written in a plain way", entry.key_span));
        }
        let inner = match addition {
            Addition::Scalar(text) => {
                edits.push(insert(span.start, format!(" {text}")));
                return Ok(());
            }
            Addition::Mapping(inner) => inner,
        };
        let lines = Lines::new(self.text);
        self.check_block_key(&lines, entry)?;
        let indent = lines.column(entry.key_span.start) + self.step(&lines, node);
        let look = Look { flow: false, quoted: quoted(node), step: self.step(&lines, node) };
        let text: Vec<String> = inner.iter().flat_map(|(key, it)| block(key, it, indent, &look)).collect();
        edits.push(lines.insert_after(span.start, &text));
        Ok(())
    }

    fn insert_block(
        self,
        node: &Node,
        missing: &[(&str, &Addition)],
        edits: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let own = own_entries(node);
        let Some(first) = own.first() else {
            return Err(refusal("all its keys come through merge keys", node.span));
        };
        let lines = Lines::new(self.text);
        self.check_block_key(&lines, first)?;
        let indent = lines.column(first.key_span.start);
        let step = self.step(&lines, node);
        let look = Look { flow: is_flow(&own), quoted: quoted(node), step };
        let merges = own.len() < node.entries().len();
        let sorted = !merges && own.len() > 1 && own.windows(2).all(|it| it[0].key < it[1].key);
        for (key, addition) in missing {
            let text = block(key, addition, indent, &look);
            let before = own.iter().filter(|it| !sorted || &*it.key < *key).count();
            let neighbor = match own.get(before.wrapping_sub(1)) {
                Some(neighbor) if before < own.len() => neighbor,
                Some(_) => {
                    edits.push(self.append(&lines, node, indent, &text)?);
                    continue;
                }
                None if lines.is_first(first.key_span.start) => {
                    edits.push(lines.insert_above(first.key_span.start, &text));
                    continue;
                }
                None => first,
            };
            if neighbor.value.shared {
                return Err(refusal("an alias stands beside it", neighbor.key_span));
            }
            edits.push(self.insert_behind(&lines, entry_end(neighbor), &neighbor.value, indent, &text)?);
        }
        Ok(())
    }

    /// Adds lines after the last entry of a block mapping.
    fn append(self, lines: &Lines<'_>, node: &Node, indent: usize, text: &[String]) -> Result<Edit, Refusal> {
        self.insert_behind(lines, node.span.end, node, indent, text)
    }

    /// Adds lines behind the line of a byte, and behind the comments that belong to what ends there.
    fn insert_behind(
        self,
        lines: &Lines<'_>,
        end: u32,
        node: &Node,
        indent: usize,
        text: &[String],
    ) -> Result<Edit, Refusal> {
        let rest = lines.rest(end).trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(refusal("something else stands on the line", Span { start: end, end }));
        }
        let last = last_leaf(node);
        let block_scalar = last.style == Style::BlockScalar;
        if block_scalar && lines.line(last.span.start).contains('+') {
            return Ok(lines.insert_after(lines.skip_blank(end), text));
        }
        Ok(lines.insert_after(lines.skip_comments(end, indent), text))
    }

    fn insert_flow(
        self,
        node: &Node,
        missing: &[(&str, &Addition)],
        edits: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let inside = &self.text[node.span.range()];
        let own = own_entries(node);
        let several_lines = inside.contains('\n') || self.document.json && own.is_empty() && self.is_pretty();
        if several_lines && !self.document.json {
            return Err(refusal("it is a flow mapping over several lines", node.span));
        }
        let lines = Lines::new(self.text);
        let step = self.step(&lines, node);
        let look = Look { flow: true, quoted: self.document.json || quoted(node), step };
        if several_lines {
            edits.push(self.insert_pretty(&lines, node, &own, missing, &look));
            return Ok(());
        }
        let tight = self.is_tight(node);
        let parts: Vec<String> =
            missing.iter().map(|(key, it)| lines::flow_entry(key, it, look.quoted, tight)).collect();
        let comma = if tight { "," } else { ", " };
        let text = parts.join(comma);
        edits.push(match own.last() {
            Some(last) if last.value.shared => {
                return Err(refusal("an alias stands beside it", last.key_span));
            }
            Some(last) => insert(entry_end(last), format!("{comma}{text}")),
            None => insert(node.span.start + 1, text),
        });
        Ok(())
    }

    /// Adds entries to a JSON object that has a line for each.
    fn insert_pretty(
        self,
        lines: &Lines<'_>,
        node: &Node,
        own: &[&Entry],
        missing: &[(&str, &Addition)],
        look: &Look,
    ) -> Edit {
        let outer = lines.indentation(node.span.start);
        let indent = own.last().map_or(outer + look.step, |it| lines.indentation(it.key_span.start));
        let unit = if indent > outer { indent - outer } else { look.step };
        let pads = if lines.line(node.span.start).starts_with('\t') { "\t" } else { " " };
        let newline = lines.newline();
        let parts: Vec<String> = missing
            .iter()
            .map(|(key, it)| lines::pretty_entry(key, it, indent, unit, pads, newline))
            .collect();
        let separator = format!(",{newline}{}", pads.repeat(indent));
        let text = parts.join(&separator);
        match own.last() {
            Some(last) => insert(entry_end(last), format!("{separator}{text}")),
            None => {
                let (open, close) = (pads.repeat(indent), pads.repeat(outer));
                insert(node.span.start + 1, format!("{newline}{open}{text}{newline}{close}"))
            }
        }
    }

    /// Whether no blanks stand between keys and values, as in compact JSON.
    fn is_tight(self, node: &Node) -> bool {
        let inside = &self.text[node.span.range()];
        self.document.json
            && !inside.contains(": ")
            && !inside.contains(", ")
            && !own_entries(node).is_empty()
    }

    /// Whether a JSON document has a line for each entry.
    fn is_pretty(self) -> bool {
        self.text[self.document.root.span.range()].contains('\n')
    }

    /// How many columns a nested mapping is indented by: by the nearest example.
    fn step(self, lines: &Lines<'_>, node: &Node) -> usize {
        step_of(lines, node).or_else(|| step_of(lines, &self.document.root)).unwrap_or(2)
    }
}
