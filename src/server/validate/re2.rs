//! The syntax of RE2, rewritten for the `regex` crate.
//!
//! In RE2 `\d`, `\w`, `\s` and `\b` are ASCII, `[` is an ordinary character in a class, stray braces are literal, and
//! flags may stand between a repetition operator and what it repeats. What Go 1.26 refuses is refused here, in the words
//! of its `regexp/syntax`. Its Unicode is version 15: characters of later versions are in other classes than here.

use super::pattern::Refused;
use std::fmt::Write;

/// Rewrites a pattern of RE2 into the syntax of the `regex` crate.
pub(super) fn translate(pattern: &str) -> Result<String, Refused> {
    let too_large = || Err(Refused::Unknown("so large a pattern is not modeled".to_owned()));
    if pattern.len() > MAX_LEN {
        return too_large();
    }
    let mut translator = Translator {
        whole: pattern,
        rest: pattern,
        out: String::with_capacity(2 * pattern.len()),
        groups: vec![Group { at: 0, weight: 1 }],
        deepest: 0,
        most: 1,
        start: 0,
        atom: None,
        flags: None,
        repeat: None,
        unsupported: None,
    };
    translator.run()?;
    if translator.groups.len() > 1 {
        return invalid("missing closing )", pattern);
    }
    let size = 3 * pattern.len() as u64 * u64::from(translator.most);
    if size > MAX_SIZE || translator.deepest > MAX_DEPTH {
        return too_large();
    }
    match translator.unsupported {
        Some(why) => Err(Refused::Unsupported(why.to_owned())),
        None => Ok(translator.out),
    }
}

/// The most instructions that Go compiles a pattern to. A byte becomes three at most, each time it is repeated.
const MAX_SIZE: u64 = (128 << 20) / 40;

/// Below this length no classes have as many characters as Go keeps of one pattern: one of three bytes has up to 3,000.
const MAX_LEN: usize = 30_000;

/// Go's tree of a pattern has 1,000 levels at most, and a group takes up to four.
const MAX_DEPTH: usize = 248;

/// Any shorter pattern is within the limits.
pub(super) const ALWAYS_MODELED: usize = 2 * MAX_DEPTH;

/// The most repetitions that RE2 accepts, nested ones multiplied.
const MAX_REPEAT: u32 = 1000;

struct Translator<'p> {
    whole: &'p str,
    rest: &'p str,
    out: String,
    /// The open groups, outermost first.
    groups: Vec<Group>,
    /// The most groups that were open at once, with those that are added here.
    deepest: usize,
    /// The most repetitions of anything, nested ones multiplied.
    most: u32,
    /// Where in `out` is what is being read.
    start: usize,
    /// What a repetition operator would apply to.
    atom: Option<Atom>,
    /// Where in `out` the flags are that were set since, which do not come between it and a repetition operator.
    flags: Option<usize>,
    /// Where the last repetition operator starts, if nothing came after it.
    repeat: Option<&'p str>,
    /// Why the pattern cannot be evaluated here, if so.
    unsupported: Option<&'static str>,
}

struct Group {
    /// Where it starts in `out`.
    at: usize,
    /// The most nested repetitions within.
    weight: u32,
}

struct Atom {
    /// Where it starts in `out`.
    at: usize,
    /// The nested repetitions of it.
    weight: u32,
    /// Whether its last part is a repetition operator.
    repeated: bool,
}

fn invalid<T>(what: &str, at: &str) -> Result<T, Refused> {
    Err(Refused::Invalid(format!("{what}: `{at}`")))
}

impl<'p> Translator<'p> {
    fn run(&mut self) -> Result<(), Refused> {
        while let Some(c) = self.rest.chars().next() {
            let repeat = self.repeat.take();
            self.start = self.out.len();
            match c {
                '\\' => self.escape()?,
                '[' => {
                    self.class()?;
                    self.push_atom(1);
                }
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.fold_atom();
                    self.literal(c);
                }
                '*' | '+' | '?' => self.repetition(1, 1, repeat)?,
                '{' => match counted(self.rest) {
                    Some((len, times)) if times > MAX_REPEAT => {
                        return invalid("invalid repeat count", &self.rest[..len]);
                    }
                    Some((len, times)) => self.repetition(len, times, repeat)?,
                    None => self.escaped(c),
                },
                '}' | ']' => self.escaped(c),
                _ => {
                    self.literal(c);
                    self.push_atom(1);
                }
            }
        }
        self.fold_atom();
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.out.push(c);
        self.rest = &self.rest[c.len_utf8()..];
    }

    fn escaped(&mut self, c: char) {
        self.out.push('\\');
        self.literal(c);
        self.push_atom(1);
    }

    fn push_atom(&mut self, weight: u32) {
        self.fold_atom();
        self.atom = Some(Atom { at: self.start, weight, repeated: false });
    }

    fn fold_atom(&mut self) {
        self.flags = None;
        if let (Some(atom), Some(group)) = (self.atom.take(), self.groups.last_mut()) {
            group.weight = group.weight.max(atom.weight);
        }
    }

    fn open(&mut self) -> Result<(), Refused> {
        let Some(header) = self.rest.strip_prefix("(?") else {
            self.enter();
            self.literal('(');
            return Ok(());
        };
        if header.starts_with("P<") || header.starts_with('<') {
            let end = header.find('>').map_or_else(|| invalid("invalid named capture", self.rest), Ok)?;
            let name = header[..end].trim_start_matches(['P', '<']);
            let word = |it: char| it.is_ascii_alphanumeric() || it == '_';
            // Go takes names that start with a digit; the crate does not, and no name matters here.
            if name.is_empty() || !name.chars().all(word) {
                return invalid("invalid named capture", &self.rest[..end + 3]);
            }
            self.enter();
            self.out.push('(');
            self.rest = &header[end + 1..];
            return Ok(());
        }
        let mut signs = 0;
        let is_end = |it: char| {
            signs += usize::from(it == '-');
            signs > 1 || !matches!(it, 'i' | 'm' | 's' | 'U' | '-')
        };
        let flags = header.find(is_end).unwrap_or(header.len());
        let end = header[flags..].chars().next();
        let well_formed = !header[..flags].ends_with('-');
        let text = &self.rest[..flags + 2 + end.map_or(0, char::len_utf8)];
        match end {
            Some(':') if well_formed => self.enter(),
            Some(')') if well_formed => self.flags = self.flags.or(Some(self.out.len())),
            _ => return invalid("invalid or unsupported Perl syntax", text),
        }
        // The crate takes no empty list of flags.
        if text != "(?)" {
            self.out.push_str(text);
        }
        self.rest = &self.rest[text.len()..];
        Ok(())
    }

    fn enter(&mut self) {
        self.fold_atom();
        self.groups.push(Group { at: self.start, weight: 1 });
        self.deepest = self.deepest.max(self.groups.len() - 1);
    }

    fn close(&mut self) -> Result<(), Refused> {
        self.fold_atom();
        let closed = self.groups.pop().filter(|_| !self.groups.is_empty());
        let closed = closed.map_or_else(|| invalid("unexpected )", self.whole), Ok)?;
        self.literal(')');
        self.start = closed.at;
        self.push_atom(closed.weight);
        Ok(())
    }

    /// `times` is what the operator multiplies nested repetitions by.
    fn repetition(&mut self, len: usize, times: u32, before: Option<&'p str>) -> Result<(), Refused> {
        let lazy = usize::from(self.rest[len..].starts_with('?'));
        let (operator, rest) = self.rest.split_at(len + lazy);
        if let Some(before) = before {
            let nested = &before[..before.len() - rest.len()];
            return invalid("invalid nested repetition operator", nested);
        }
        let Some(atom) = &mut self.atom else {
            return invalid("missing argument to repetition operator", operator);
        };
        if atom.weight.saturating_mul(times) > MAX_REPEAT {
            return invalid("invalid repeat count", operator);
        }
        // What is repeated no times counts no more.
        atom.weight = (atom.weight * times).max(1);
        self.most = self.most.max(atom.weight);
        let mut at = self.flags.unwrap_or(self.out.len());
        if self.out[at..].contains('U') {
            self.unsupported = Some("a repetition behind a flag (?U) cannot be evaluated");
        }
        // Only something between them that is nothing keeps two operators apart.
        if std::mem::replace(&mut atom.repeated, true) {
            self.out.insert(at, ')');
            self.out.insert_str(atom.at, "(?:");
            at += ")(?:".len();
            self.deepest += 1;
        }
        self.out.insert_str(at, operator);
        self.flags = self.flags.map(|_| at + operator.len());
        self.repeat = Some(self.rest);
        self.rest = rest;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Refused> {
        let Some(c) = self.rest[1..].chars().next() else {
            return invalid_escape("trailing backslash at end of expression");
        };
        let short = match c {
            'A' | 'z' => Some(format!("\\{c}")),
            'b' | 'B' => Some(format!("(?-u:\\{c})")),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Some(perl_class(c).to_owned()),
            _ => None,
        };
        if let Some(short) = short {
            self.out.push_str(&short);
            self.rest = &self.rest[2..];
        } else if c == 'Q' {
            let quoted = &self.rest[2..];
            let (text, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            self.rest = rest;
            let Some((last, c)) = text.char_indices().next_back() else { return Ok(()) };
            self.out.push_str(&regex::escape(&text[..last]));
            self.start = self.out.len();
            self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        } else if matches!(c, 'p' | 'P') {
            self.unicode_class()?;
        } else {
            let code = self.escaped_char()?;
            match char::from_u32(code) {
                Some(_) => self.code(code),
                None => self.out.push_str(NOTHING),
            }
        }
        self.push_atom(1);
        Ok(())
    }

    fn code(&mut self, code: u32) {
        write!(self.out, "\\x{{{code:x}}}").expect("memory takes any text");
    }

    /// One character behind a backslash, as RE2 reads it; half of a surrogate pair is one too, in no text.
    fn escaped_char(&mut self) -> Result<u32, Refused> {
        let mut chars = self.rest[1..].chars();
        let c = chars.next().map_or_else(|| invalid_escape("trailing backslash at end of expression"), Ok)?;
        let after = chars.as_str();
        let octal = |text: &str| text.bytes().take(2).take_while(|it| (b'0'..=b'7').contains(it)).count();
        let (code, len) = match c {
            'a' => (7, 0),
            'f' => (12, 0),
            'n' => (10, 0),
            'r' => (13, 0),
            't' => (9, 0),
            'v' => (11, 0),
            '0'..='7' if c == '0' || octal(after) > 0 => {
                let digits = octal(after);
                (u32::from_str_radix(&format!("{c}{}", &after[..digits]), 8).unwrap_or(0), digits)
            }
            'x' => match hex(after) {
                Ok(found) => found,
                Err(len) => return invalid("invalid escape sequence", &self.rest[..2 + len]),
            },
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => (c as u32, 0),
            _ => return invalid("invalid escape sequence", &self.rest[..1 + c.len_utf8()]),
        };
        self.rest = &after[len..];
        Ok(code)
    }

    /// `\pL`, `\p{Greek}`, `\P{^L}`.
    fn unicode_class(&mut self) -> Result<(), Refused> {
        let mut negated = self.rest[1..].starts_with('P');
        let after = &self.rest[2..];
        let (name, len) = match after.strip_prefix('{') {
            Some(braced) => match braced.find('}') {
                Some(end) => (&braced[..end], end + 2),
                None => return invalid("invalid character class range", self.rest),
            },
            None => match after.chars().next() {
                Some(c) => (&after[..c.len_utf8()], c.len_utf8()),
                None => return invalid("invalid character class range", self.rest),
            },
        };
        let name = name.strip_prefix('^').inspect(|_| negated = !negated).unwrap_or(name);
        let name = canonical(name);
        if !CLASSES.split_whitespace().any(|it| it == name) {
            return invalid("invalid character class range", &self.rest[..2 + len]);
        }
        match (matches!(name.as_str(), "Cs" | "Surrogate"), negated) {
            (true, true) => self.out.push_str(r"\p{any}"),
            (true, false) => self.out.push_str(NOTHING),
            (false, true) => write!(self.out, r"\P{{{name}}}").expect("memory takes any text"),
            (false, false) => write!(self.out, r"\p{{{name}}}").expect("memory takes any text"),
        }
        self.rest = &after[len..];
        Ok(())
    }

    fn class(&mut self) -> Result<(), Refused> {
        let whole = self.rest;
        self.literal('[');
        if self.rest.starts_with('^') {
            self.literal('^');
        }
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if let Some((len, name)) = posix(self.rest) {
                if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return invalid("invalid character class range", &self.rest[..len]);
                }
                self.out.push_str(&self.rest[..len]);
                self.rest = &self.rest[len..];
                continue;
            }
            let mut chars = self.rest.chars();
            match (chars.next(), chars.next()) {
                (None, _) => return invalid("missing closing ]", whole),
                (Some('\\'), Some(c @ ('d' | 'D' | 's' | 'S' | 'w' | 'W'))) => {
                    self.out.push_str(perl_class(c));
                    self.rest = &self.rest[2..];
                }
                (Some('\\'), Some('p' | 'P')) => self.unicode_class()?,
                _ => self.range(whole)?,
            }
        }
        self.literal(']');
        Ok(())
    }

    fn range(&mut self, whole: &str) -> Result<(), Refused> {
        let start = self.rest;
        let low = self.class_char(whole)?;
        let mut high = low;
        if self.rest.len() >= 2 && self.rest.starts_with('-') && !self.rest[1..].starts_with(']') {
            self.rest = &self.rest[1..];
            high = self.class_char(whole)?;
        }
        if high < low {
            return invalid("invalid character class range", &start[..start.len() - self.rest.len()]);
        }
        // The crate takes no surrogates.
        let low = if char::from_u32(low).is_some() { low } else { 0xE000 };
        let high = if char::from_u32(high).is_some() { high } else { 0xD7FF };
        if high < low {
            self.out.push_str(NOTHING);
            return Ok(());
        }
        self.code(low);
        if high != low {
            self.out.push('-');
            self.code(high);
        }
        Ok(())
    }

    fn class_char(&mut self, whole: &str) -> Result<u32, Refused> {
        match self.rest.chars().next() {
            None => invalid("missing closing ]", whole),
            Some('\\') => self.escaped_char(),
            Some(c) => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(c as u32)
            }
        }
    }
}

/// A class without characters, which may stand in another.
const NOTHING: &str = "[a&&b]";

/// The Unicode classes that Go 1.26 finds, as [`canonical`] writes them: no script that Go keeps under a name with an
/// underscore, such as `Old_Italic`, for it looks for `Olditalic`.
const CLASSES: &str = include_str!("classes.txt");

/// A name of a class with a capital and small letters alone: case, underscores, hyphens and spaces make no difference.
fn canonical(name: &str) -> String {
    let mut letters = name.chars().filter(|it| !matches!(it, '_' | '-' | ' '));
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|it| it.to_ascii_lowercase())).collect()
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

fn invalid_escape<T>(what: &str) -> Result<T, Refused> {
    invalid(what, "")
}

fn perl_class(c: char) -> &'static str {
    match c {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\x0C\r ]",
        'S' => r"[^\t\n\x0C\r ]",
        'w' => "[0-9A-Za-z_]",
        _ => "[^0-9A-Za-z_]",
    }
}

/// `[:alpha:]` at the start of a text: its length and its name.
fn posix(text: &str) -> Option<(usize, &str)> {
    let name = text.strip_prefix("[:")?;
    let end = name.find(":]")?;
    Some((end + 4, &name[..end]))
}

/// `{2}`, `{2,}` or `{2,5}` at the start of a text: its length and the most times it repeats.
fn counted(text: &str) -> Option<(usize, u32)> {
    let inner = &text[1..text.find('}')?];
    let (low, high) = inner.split_once(',').unwrap_or((inner, inner));
    let number = |it: &str| -> Option<u32> {
        // A leading zero makes the braces literal.
        let zeros = it.len() > 1 && it.starts_with('0');
        let digits = !it.is_empty() && !zeros && it.bytes().all(|it| it.is_ascii_digit());
        digits.then(|| it.parse().unwrap_or(u32::MAX))
    };
    let low = number(low)?;
    let high = if high.is_empty() { low.max(1) } else { number(high)? };
    // A range that ends before it starts is as invalid as one that is too long.
    Some((inner.len() + 2, if high < low { u32::MAX } else { high }))
}

/// What follows `\x`: the code point and how long it is, or else how much of it was read when it went wrong.
fn hex(text: &str) -> Result<(u32, usize), usize> {
    let braced = text.starts_with('{');
    let mut code = 0;
    for (at, c) in text.char_indices().skip(usize::from(braced)) {
        let end = at + c.len_utf8();
        match c.to_digit(16) {
            None if braced && c == '}' && at > 1 => return Ok((code, end)),
            // Two digits are read before either is looked at.
            None if !braced && at == 0 => return Err(text.chars().take(2).map(char::len_utf8).sum()),
            None => return Err(end),
            Some(digit) => code = code * 16 + digit,
        }
        match braced {
            true if code > char::MAX as u32 => return Err(end),
            false if at > 0 => return Ok((code, end)),
            _ => {}
        }
    }
    Err(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::validate::pattern::check;
    use crate::server::validate::pattern::compile;

    #[test]
    fn what_go_refuses_is_refused() {
        let refused = [
            "(",
            ")",
            "a)",
            "[",
            "[a",
            "*",
            "a**",
            "a*+",
            "a{2}{3}",
            "a{1001}",
            "a{2,1}",
            "(a{50}){50}",
            "(a{600}){0,}{2}",
            "(?:(a{600}){0,}){2}",
            "\\",
            "\\1",
            "\\8",
            "\\u0041",
            "\\e",
            "\\Z",
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?x)a",
            "(?P<1-2>a)",
            "[z-a]",
            "[a-\\d]",
            "[[:foo:]]",
            "[[:^^alpha:]]",
            "\\pX",
            "\\p{Nope}",
            "\\x{110000}",
            "|*",
            "(*)",
            "(?i-)a",
            "\\h",
            "a{,2}{2}{3}",
            "[a--]",
            "\\B(",
            "\\p{Alphabetic}",
            "\\p{Old_Italic}",
            "(?i)*",
            "a|(?i)*",
        ];
        for pattern in refused {
            assert!(matches!(check(pattern), Err(Refused::Invalid(_))), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_evaluated_is_known_to_be_valid() {
        for pattern in ["a(?U)*", "a(?U)*("] {
            assert_eq!(
                matches!(check(pattern), Err(Refused::Invalid(_))),
                pattern.ends_with('('),
                "{pattern}"
            );
        }
    }

    #[test]
    fn whether_go_refuses_what_is_large_is_not_known() {
        let nested = |depth| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        let stacked = format!("a{}", "(?i)*".repeat(5000));
        for pattern in [nested(400), "a{1000}".repeat(4000), stacked] {
            assert!(matches!(check(&pattern), Err(Refused::Unknown(_))), "{pattern}");
            assert!(matches!(check(&format!("{pattern}(")), Err(Refused::Invalid(_))), "{pattern}");
        }
        assert!(matches!(check(&"(".repeat(1 << 20)), Err(Refused::Unknown(_))));
        for pattern in [nested(248), "a{1000}".repeat(100), "a".repeat(20_000)] {
            assert_eq!(check(&pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn what_go_accepts_means_the_same() {
        let cases = [
            ("^[^()<>@,;:\\\\\"/[\\]?={} \\t]+$", "text", "a/b"),
            ("^a{$", "a{", "a"),
            ("^a{,2}$", "a{,2}", "aa"),
            ("^a{01}$", "a{01}", "a"),
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
            ("^(?:(b{600}){0}a){2}$", "aa", "a"),
            ("^a(?i)*$", "aa", "b"),
            ("^a{2}(?)?$", "", "a"),
            (r"^(ab)+\Q\E?$", "", "a"),
            (r"^\Qab\E+\Q\E?$", "a", "aab"),
            (r"^\x{d800}?a$", "a", "b"),
            (r"^[\x{d7ff}-\x{e000}]$", "\u{e000}", "a"),
            (r"^[^\x{d800}-\x{dfff}]$", "a", ""),
            (r"^\P{Cs}$", "a", ""),
            (r"^\p{dash punctuation}$", "-", "a"),
            ("^(?<x>a)$", "a", "b"),
            ("^[]a]$", "]", "b"),
        ];
        for (pattern, yes, no) in cases {
            let regex = compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
            assert!(regex.is_match(yes) && !regex.is_match(no), "{pattern} {regex}");
        }
    }
}
