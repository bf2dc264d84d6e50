//! Mail addresses as Go's `net/mail.ParseAddress` reads them: `Name <user@host>` as well as `user@host`.

use super::uri;
use crate::yaml::base64;
use std::net::IpAddr;

/// Whether the text is one address.
pub(super) fn is_address(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    let addresses = parser.address(true);
    addresses == Some(1) && parser.skip_comments() && parser.rest.is_empty()
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    /// Reads an address or a group of addresses; how many there are.
    fn address(&mut self, groups: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        if self.spec() {
            self.skip_space();
            if self.rest.starts_with('(') {
                return self.name_comment().then_some(1);
            }
            return Some(1);
        }
        if !self.rest.starts_with('<') && !self.phrase() {
            return None;
        }
        self.skip_space();
        if groups && self.take(':') {
            return self.group();
        }
        (self.take('<') && self.spec() && self.take('>')).then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.take(';') {
            return self.skip_comments().then_some(0);
        }
        let mut count = 0;
        loop {
            self.skip_space();
            count += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.take(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// `user@host`; reads nothing unless it is one.
    fn spec(&mut self) -> bool {
        let start = self.rest;
        let found = self.try_spec();
        if !found {
            self.rest = start;
        }
        found
    }

    fn try_spec(&mut self) -> bool {
        self.skip_space();
        let local = if self.rest.starts_with('"') {
            self.quoted().is_some_and(|it| !it.is_empty())
        } else {
            self.atom(false).is_some()
        };
        if !local || !self.take('@') {
            return false;
        }
        self.skip_space();
        if self.rest.starts_with('[') { self.literal() } else { self.atom(false).is_some() }
    }

    /// At least one word.
    fn phrase(&mut self) -> bool {
        // Encoded words are gathered until another word follows; before that Go takes no comment.
        let (mut words, mut gathered) = (0, false);
        loop {
            if words > 0 && !self.skip_comments() {
                return false;
            }
            self.skip_space();
            if self.rest.is_empty() {
                return true;
            }
            let word = if self.rest.starts_with('"') {
                self.quoted().map(|_| Word::Plain)
            } else {
                self.atom(true).map(word)
            };
            match word {
                None | Some(Word::Unreadable) => return words > 0 || gathered,
                Some(Word::Plain) => words += 1,
                Some(Word::Encoded { empty }) => gathered |= !empty,
            }
        }
    }

    fn quoted(&mut self) -> Option<&'t str> {
        let text = self.rest;
        let mut escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                _ if escaped && !is_visible(c) && !matches!(c, ' ' | '\t') => return None,
                _ if escaped => escaped = false,
                '"' => {
                    self.rest = &text[at + 1..];
                    return Some(&text[1..at]);
                }
                '\\' => escaped = true,
                _ if !is_visible(c) && !matches!(c, ' ' | '\t') => return None,
                _ => {}
            }
        }
        None
    }

    /// A run of atom characters and dots; `lenient` allows dots anywhere.
    fn atom(&mut self, lenient: bool) -> Option<&'t str> {
        let end = self.rest.find(|it| !is_atom(it)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        if atom.is_empty() {
            return None;
        }
        self.rest = rest;
        let dots = atom.starts_with('.') || atom.ends_with('.') || atom.contains("..");
        (lenient || !dots).then_some(atom)
    }

    fn literal(&mut self) -> bool {
        let Some((literal, rest)) = self.rest[1..].split_once(']') else { return false };
        self.rest = rest;
        literal.parse::<IpAddr>().is_ok()
    }

    fn name_comment(&mut self) -> bool {
        let comment = if self.take('(') { self.comment() } else { None };
        comment.is_some_and(|it| it.split([' ', '\t']).all(|it| word(it) != Word::Unreadable))
    }

    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.take('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// The text of a comment whose parenthesis is already read.
    fn comment(&mut self) -> Option<String> {
        let (mut depth, mut text) = (1, String::new());
        let mut chars = self.rest.chars();
        loop {
            let mut c = chars.next()?;
            match c {
                '\\' => c = chars.next().unwrap_or(c),
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = chars.as_str();
                return Some(text);
            }
            text.push(c);
        }
    }

    fn take(&mut self, c: char) -> bool {
        self.rest.strip_prefix(c).map(|rest| self.rest = rest).is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }
}

/// What Go makes of a word by RFC 2047.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    /// It stands for itself.
    Plain,
    /// It is decoded.
    Encoded { empty: bool },
    /// It is encoded in a charset that Go does not know.
    Unreadable,
}

/// `=?charset?q?text?=` is an encoded word, if its text can be decoded.
fn word(text: &str) -> Word {
    let inner = text.strip_prefix("=?").and_then(|it| it.strip_suffix("?="));
    let parts: Vec<&str> = inner.unwrap_or_default().split('?').collect();
    let &[charset, encoding, text] = parts.as_slice() else { return Word::Plain };
    let is_text = match encoding {
        "q" | "Q" => is_quoted_printable(text),
        "b" | "B" => base64::decode(text).is_some(),
        _ => false,
    };
    if charset.is_empty() || !is_text {
        return Word::Plain;
    }
    match ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|it| charset.eq_ignore_ascii_case(it)) {
        true => Word::Encoded { empty: text.is_empty() },
        false => Word::Unreadable,
    }
}

fn is_quoted_printable(text: &str) -> bool {
    text.bytes().all(|it| matches!(it, b' '..=b'~' | b'\t' | b'\n' | b'\r')) && uri::is_escaped(text, '=')
}

fn is_atom(c: char) -> bool {
    !matches!(c, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"') && is_visible(c)
}

fn is_visible(c: char) -> bool {
    ('!'..='~').contains(&c) || !c.is_ascii()
}
