//! `pattern`: regular expressions as Go reads them (RE2), in words of the `regex` crate.
//!
//! Mirrors Go's regexp/syntax/parse.go with the flags of `regexp.Compile`. The two dialects differ where they seem alike:
//! Go's `\d`, `\w`, `\s` and `\b` are ASCII, `[` in a class and `{` out of a repetition are literal, `\Q…\E` quotes,
//! `\<` is a character, repetitions do not follow one another and end at 1000. Not modeled: the size of programs.

use regex::Regex;
use regex::RegexBuilder;
use std::fmt::Write;

/// Go's limits: the largest repeat count, and how deep groups nest.
const MAX_REPEAT: u32 = 1000;
const MAX_DEPTH: usize = 1000;

/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 32 << 20;

/// What Go's compiler says against a pattern, or nothing.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    translate(pattern).map(|_| ())
}

/// Compiles a pattern. The error says why it cannot be evaluated: Go may accept it all the same.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate(pattern)?;
    let mut builder = RegexBuilder::new(&translated);
    builder.size_limit(SIZE_LIMIT).nest_limit(2 * MAX_DEPTH as u32).build().map_err(|it| it.to_string())
}

fn translate(pattern: &str) -> Result<String, String> {
    let mut parser = Parser { pattern, rest: pattern, out: String::new(), groups: Vec::new(), names: Vec::new() };
    parser.alternation().map_err(|(code, text)| format!("error parsing regexp: {code}: `{text}`"))?;
    Ok(parser.out)
}

/// Go's words for an error, with the part of the pattern it is about.
type Failure<'p> = (&'static str, &'p str);

const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_RANGE: &str = "invalid character class range";
const BAD_PERL: &str = "invalid or unsupported Perl syntax";
const BAD_REPEAT: &str = "invalid repeat count";
const BAD_NAME: &str = "invalid named capture";

struct Parser<'p> {
    pattern: &'p str,
    rest: &'p str,
    out: String,
    /// The open groups.
    groups: Vec<Sequence>,
    names: Vec<&'p str>,
}

/// What stands before the place that is read, in the innermost open group.
#[derive(Debug, Clone, Copy, Default)]
struct Sequence {
    last: Last,
    /// How often the last atom repeats what is in it, nested repetitions multiplied; and the most of all atoms.
    atom: u32,
    most: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    /// Nothing to repeat.
    #[default]
    Nothing,
    Atom,
    /// A repetition, by its length in the pattern.
    Repeat(usize),
}

impl<'p> Parser<'p> {
    fn alternation(&mut self) -> Result<(), Failure<'p>> {
        let mut here = Sequence::default();
        while let Some(first) = self.rest.chars().next() {
            let at = self.rest;
            match first {
                '(' if self.rest.starts_with("(?") => self.perl_group(&mut here)?,
                '(' => {
                    self.take("(");
                    self.open(&mut here)?;
                }
                ')' => {
                    self.take(")");
                    here = self.close(here)?;
                }
                '|' => {
                    self.take("|");
                    here = Sequence { most: here.most, ..Sequence::default() };
                }
                '*' | '+' | '?' => {
                    self.take(&at[..1]);
                    self.repeat(at, (0, None), &mut here)?;
                }
                '{' => self.braces(&mut here)?,
                '[' => {
                    self.class()?;
                    here.atom();
                }
                '\\' => self.escape(&mut here)?,
                '.' | '^' | '$' => {
                    self.take(&at[..1]);
                    here.atom();
                }
                _ => {
                    self.rest = &at[first.len_utf8()..];
                    self.literal(first);
                    here.atom();
                }
            }
        }
        if self.groups.is_empty() { Ok(()) } else { Err(("missing closing )", self.pattern)) }
    }

    /// Takes a text over as it stands.
    fn take(&mut self, text: &str) {
        self.rest = &self.rest[text.len()..];
        self.out.push_str(text);
    }

    fn literal(&mut self, character: char) {
        if character.is_alphanumeric() {
            self.out.push(character);
        } else {
            // Writing to a string cannot fail.
            _ = write!(self.out, "\\x{{{:x}}}", character as u32);
        }
    }

    fn open(&mut self, here: &mut Sequence) -> Result<(), Failure<'p>> {
        if self.groups.len() >= MAX_DEPTH {
            return Err(("expression nests too deeply", self.pattern));
        }
        self.groups.push(std::mem::take(here));
        Ok(())
    }

    fn close(&mut self, inner: Sequence) -> Result<Sequence, Failure<'p>> {
        let mut outer = self.groups.pop().ok_or(("unexpected )", self.pattern))?;
        outer.atom();
        outer.grow(inner.most);
        Ok(outer)
    }

    /// `(?P<name>`, `(?<name>`, `(?flags)` or `(?flags:`.
    fn perl_group(&mut self, here: &mut Sequence) -> Result<(), Failure<'p>> {
        let at = self.rest;
        if let Some(named) = at.strip_prefix("(?P<").or_else(|| at.strip_prefix("(?<")) {
            let end = named.find('>').ok_or((BAD_NAME, at))?;
            let name = &named[..end];
            let whole = &at[..at.len() - named.len() + end + 1];
            let word = |it: char| it.is_ascii_alphanumeric() || it == '_';
            if name.is_empty() || !name.chars().all(word) {
                return Err((BAD_NAME, whole));
            }
            if self.names.contains(&name) {
                return Err(("duplicate capture group name", name));
            }
            self.names.push(name);
            self.rest = &at[whole.len()..];
            self.out.push('(');
            return self.open(here);
        }
        let flags = &at[2..];
        let end = flags.find([':', ')']).ok_or(("missing closing )", at))?;
        let whole = &at[..end + 3];
        let flags_only = &flags[..end];
        let (on, off) = flags_only.split_once('-').map_or((flags_only, None), |(on, off)| (on, Some(off)));
        let known = |it: &str| it.chars().all(|it| "imsU".contains(it));
        if !known(on) || off.is_some_and(|it| it.is_empty() || !known(it)) {
            return Err((BAD_PERL, whole));
        }
        self.rest = &at[whole.len()..];
        if flags[end..].starts_with(')') {
            // Flags without an effect are an error for the crate.
            self.out.push_str(if whole == "(?)" { "" } else { whole });
            here.last = if here.last == Last::Nothing { Last::Nothing } else { Last::Atom };
            return Ok(());
        }
        self.out.push_str(whole);
        self.open(here)
    }

    fn braces(&mut self, here: &mut Sequence) -> Result<(), Failure<'p>> {
        let at = self.rest;
        let Some((min, max, length)) = repetition(at) else {
            self.rest = &at[1..];
            self.literal('{');
            here.atom();
            return Ok(());
        };
        let broken = min > MAX_REPEAT || max.is_some_and(|it| it > MAX_REPEAT || it < min);
        if broken {
            return Err((BAD_REPEAT, &at[..length]));
        }
        self.take(&at[..length]);
        self.repeat(at, (min, max), here)
    }

    /// `at` starts with the repetition that has been taken.
    fn repeat(&mut self, at: &'p str, count: (u32, Option<u32>), here: &mut Sequence) -> Result<(), Failure<'p>> {
        if self.rest.starts_with('?') {
            self.take("?");
        }
        let length = at.len() - self.rest.len();
        match here.last {
            Last::Nothing => return Err(("missing argument to repetition operator", &at[..length])),
            Last::Repeat(before) => {
                let start = self.pattern.len() - at.len() - before;
                let stacked = &self.pattern[start..self.pattern.len() - self.rest.len()];
                return Err(("invalid nested repetition operator", stacked));
            }
            Last::Atom => here.last = Last::Repeat(length),
        }
        let times = count.1.unwrap_or(count.0);
        if at.starts_with('{') {
            let nested = if times == 0 { 0 } else { times.saturating_mul(here.atom.max(1)) };
            if times >= 2 && nested > MAX_REPEAT {
                return Err((BAD_REPEAT, &at[..length]));
            }
            here.grow(nested);
        }
        Ok(())
    }

    fn class(&mut self) -> Result<(), Failure<'p>> {
        let start = self.rest;
        self.take("[");
        if self.rest.starts_with('^') {
            self.take("^");
        }
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if self.posix_class()? || self.class_escape()? {
                continue;
            }
            let range = self.rest;
            let low = self.class_character(start)?;
            self.literal_in_class(low);
            let mut after = self.rest.chars();
            if (after.next(), after.next().is_some_and(|it| it != ']')) == (Some('-'), true) {
                self.rest = &self.rest[1..];
                let high = self.class_character(start)?;
                if high < low {
                    return Err((BAD_RANGE, &range[..range.len() - self.rest.len()]));
                }
                self.out.push('-');
                self.literal_in_class(high);
            }
        }
        self.take("]");
        Ok(())
    }

    fn literal_in_class(&mut self, character: char) {
        _ = write!(self.out, "\\x{{{:x}}}", character as u32);
    }

    /// `[:alpha:]`.
    fn posix_class(&mut self) -> Result<bool, Failure<'p>> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
            "upper", "word", "xdigit",
        ];
        let Some(inner) = self.rest.strip_prefix("[:") else { return Ok(false) };
        let Some(end) = inner.find(":]") else { return Ok(false) };
        let whole = &self.rest[..end + 4];
        let name = &inner[..end];
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err((BAD_RANGE, whole));
        }
        self.take(whole);
        Ok(true)
    }

    /// `\d` and its like, `\pL`.
    fn class_escape(&mut self) -> Result<bool, Failure<'p>> {
        let Some(name) = self.rest.strip_prefix('\\').and_then(|it| it.chars().next()) else { return Ok(false) };
        if matches!(name, 'p' | 'P') {
            return self.unicode_class().map(|()| true);
        }
        let class = match name {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            's' => "[\\t\\n\\f\\r ]",
            'S' => "[^\\t\\n\\f\\r ]",
            _ => return Ok(false),
        };
        self.rest = &self.rest[2..];
        self.out.push_str(class);
        Ok(true)
    }

    fn unicode_class(&mut self) -> Result<(), Failure<'p>> {
        let after = &self.rest[2..];
        let length = match after.chars().next() {
            None => return Err((BAD_RANGE, self.rest)),
            Some('{') => after.find('}').ok_or((BAD_RANGE, self.rest))? + 1,
            Some(other) => other.len_utf8(),
        };
        let whole = &self.rest[..2 + length];
        let name = after[..length].trim_start_matches('{').trim_end_matches('}');
        let (negated, name) = name.strip_prefix('^').map_or((false, name), |it| (true, it));
        let upper = (whole.as_bytes()[1] == b'P') != negated;
        let class = format!("\\{}{{{name}}}", if upper { 'P' } else { 'p' });
        if name.contains(['=', ':', '!']) || Regex::new(&class).is_err() {
            return Err((BAD_RANGE, whole));
        }
        self.rest = &self.rest[whole.len()..];
        self.out.push_str(&class);
        Ok(())
    }

    fn class_character(&mut self, class: &'p str) -> Result<char, Failure<'p>> {
        match self.rest.chars().next() {
            None => Err(("missing closing ]", class)),
            Some('\\') => self.escaped_character(),
            Some(other) => {
                self.rest = &self.rest[other.len_utf8()..];
                Ok(other)
            }
        }
    }

    /// An escape out of a class.
    fn escape(&mut self, here: &mut Sequence) -> Result<(), Failure<'p>> {
        let at = self.rest;
        match at.as_bytes().get(1) {
            Some(b'A' | b'z') => self.take(&at[..2]),
            Some(boundary @ (b'b' | b'B')) => {
                self.rest = &at[2..];
                _ = write!(self.out, "(?-u:\\{})", char::from(*boundary));
            }
            Some(b'C') => return Err((BAD_ESCAPE, &at[..2])),
            Some(b'Q') => {
                let (quoted, rest) = at[2..].split_once("\\E").unwrap_or((&at[2..], ""));
                self.rest = rest;
                for character in quoted.chars() {
                    self.literal(character);
                    here.atom();
                }
                return Ok(());
            }
            _ if self.class_escape()? => {}
            _ => {
                let character = self.escaped_character()?;
                self.literal(character);
            }
        }
        here.atom();
        Ok(())
    }

    /// An escape that stands for one character.
    fn escaped_character(&mut self) -> Result<char, Failure<'p>> {
        let at = self.rest;
        let Some(name) = at[1..].chars().next() else { return Err(("trailing backslash at end of expression", "")) };
        let after = &at[1 + name.len_utf8()..];
        let octal = |text: &str, most: usize| text.bytes().take(most).take_while(|it| (b'0'..=b'7').contains(it)).count();
        let (value, length) = match name {
            '1'..='7' if octal(after, 1) == 0 => return Err((BAD_ESCAPE, &at[..2])),
            '0'..='7' => {
                let digits = 1 + octal(after, 2);
                (u32::from_str_radix(&at[1..1 + digits], 8).ok(), 1 + digits)
            }
            'x' => {
                let braces = after.strip_prefix('{').and_then(|it| it.find('}').map(|end| &it[..end]));
                let (digits, length) = match braces {
                    Some(digits) => (digits, digits.len() + 4),
                    None => (after.get(..2).unwrap_or_default(), 4),
                };
                let hex = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit());
                (hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten(), length)
            }
            'a' => (Some(7), 2),
            'f' => (Some(12), 2),
            'n' => (Some(10), 2),
            'r' => (Some(13), 2),
            't' => (Some(9), 2),
            'v' => (Some(11), 2),
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => (Some(other as u32), 2),
            other => return Err((BAD_ESCAPE, &at[..1 + other.len_utf8()])),
        };
        let end = length.min(at.len());
        let character = value.and_then(char::from_u32);
        let shown = (0..=end).rev().find(|it| at.is_char_boundary(*it)).unwrap_or(0);
        let character = character.ok_or((BAD_ESCAPE, &at[..shown]))?;
        self.rest = &at[end..];
        Ok(character)
    }
}

impl Sequence {
    fn atom(&mut self) {
        (self.last, self.atom) = (Last::Atom, 0);
    }

    fn grow(&mut self, nested: u32) {
        self.atom = self.atom.max(nested);
        self.most = self.most.max(self.atom);
    }
}

/// `{2}`, `{2,}` or `{2,3}`: the counts, and the length in bytes. Anything else is literal.
fn repetition(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let end = text.find('}')?;
    let (min, max) = match text[1..end].split_once(',') {
        None => (&text[1..end], Some(&text[1..end])),
        Some((min, "")) => (min, None),
        Some((min, max)) => (min, Some(max)),
    };
    // A number with a leading zero is no number here; one too large is.
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
        let zeros = digits.len() > 1 && digits.starts_with('0');
        (plain && !zeros).then(|| digits.parse().unwrap_or(u32::MAX))
    };
    let max = match max {
        Some(max) => Some(number(max)?),
        None => None,
    };
    Some((number(min)?, max, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_refuses_is_refused() {
        let refused = [
            "(", ")", "a)", "[", "[a", "*", "a**", "a*+", "a{2}{3}", "a{1001}", "a{2,1}", "(a{50}){50}", "\\", "\\1", "\\8",
            "\\u0041", "\\e", "\\Z", "(?=a)", "(?!a)", "(?<=a)", "(?x)a", "(?P<a>b)(?P<a>c)", "(?P<1-2>a)", "[z-a]",
            "[a-\\d]", "[[:foo:]]", "\\pX", "\\p{Nope}", "\\x{110000}", "|*", "(*)", "(?i-)a", "\\h", "a{,2}{2}{3}",
        ];
        for pattern in refused {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn what_go_accepts_means_the_same() {
        let cases = [
            ("^[^()<>@,;:\\\\\"/[\\]?={} \\t]+$", "text", "a/b"),
            ("^a{$", "a{", "a"),
            ("^a{,2}$", "a{,2}", "aa"),
            ("^\\d+$", "12", "٣"),
            ("^\\Q*.\\E+$", "*...", "a"),
            ("^\\<a\\>$", "<a>", "a"),
            ("^[a-b-c]+$", "a-c", "d"),
            ("^[\\w.-]+$", "a.b-c", "é"),
            ("^\\101$", "A", "101"),
            ("^[[:alpha:]]$", "a", "1"),
            ("^(?i)a$", "A", "b"),
            ("^(?:a{0,10}){0,100}$", "a", "b"),
            ("^a|b$", "b", "c"),
            ("^(?<x>a)$", "a", "b"),
            ("^[]a]$", "]", "b"),
        ];
        for (pattern, yes, no) in cases {
            let regex = compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert!(regex.is_match(yes) && !regex.is_match(no), "{pattern} {regex}");
        }
        assert!(check("^[a--]$").is_err());
    }
}
