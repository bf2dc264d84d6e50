//! The syntax of RE2, rewritten for the `regex` crate.
//!
//! In RE2 `\d`, `\w`, `\s` and `\b` are ASCII, `[` is an ordinary character in a class, and stray braces are literal. What
//! Go refuses is refused here, in the words of its `regexp/syntax`.

use super::pattern::Refused;
use std::fmt::Write;

/// Rewrites a pattern of RE2 into the syntax of the `regex` crate.
pub(super) fn translate(pattern: &str) -> Result<String, Refused> {
    let mut translator = Translator {
        rest: pattern,
        out: String::with_capacity(2 * pattern.len()),
        groups: vec![1],
        atom: None,
        repeat: None,
    };
    translator.run()?;
    if translator.groups.len() > 1 {
        return invalid("missing closing )", pattern);
    }
    Ok(translator.out)
}

/// The most repetitions that RE2 accepts, nested ones multiplied.
const MAX_REPEAT: u32 = 1000;

struct Translator<'p> {
    rest: &'p str,
    out: String,
    /// The most nested repetitions within each open group, outermost first.
    groups: Vec<u32>,
    /// The nested repetitions of what a repetition operator would apply to.
    atom: Option<u32>,
    /// Where the last repetition operator starts, if nothing came after it.
    repeat: Option<&'p str>,
}

fn invalid<T>(what: &str, at: &str) -> Result<T, Refused> {
    Err(Refused::Invalid(format!("{what}: `{at}`")))
}

impl<'p> Translator<'p> {
    fn run(&mut self) -> Result<(), Refused> {
        while let Some(c) = self.rest.chars().next() {
            let repeat = self.repeat.take();
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
        self.atom = Some(weight);
    }

    fn fold_atom(&mut self) {
        if let (Some(weight), Some(group)) = (self.atom.take(), self.groups.last_mut()) {
            *group = (*group).max(weight);
        }
    }

    fn open(&mut self) -> Result<(), Refused> {
        self.fold_atom();
        let Some(header) = self.rest.strip_prefix("(?") else {
            self.literal('(');
            self.groups.push(1);
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
            self.out.push('(');
            self.groups.push(1);
            self.rest = &header[end + 1..];
            return Ok(());
        }
        let flags =
            header.find(|it: char| !matches!(it, 'i' | 'm' | 's' | 'U' | '-')).unwrap_or(header.len());
        let end = header[flags..].chars().next();
        let well_formed = !header[..flags].ends_with('-') && header[..flags].matches('-').count() < 2;
        match end {
            Some(':') if well_formed => self.groups.push(1),
            Some(')') if flags == 0 => {
                self.rest = &header[1..];
                return Ok(());
            }
            Some(')') if well_formed => {}
            _ => {
                let len = flags + 2 + end.map_or(0, char::len_utf8);
                return invalid("invalid or unsupported Perl syntax", &self.rest[..len]);
            }
        }
        self.out.push_str(&self.rest[..flags + 3]);
        self.rest = &self.rest[flags + 3..];
        Ok(())
    }

    fn close(&mut self) -> Result<(), Refused> {
        self.fold_atom();
        let weight = self.groups.pop().unwrap_or(1);
        if self.groups.is_empty() {
            return invalid("unexpected )", self.rest);
        }
        self.literal(')');
        self.atom = Some(weight);
        Ok(())
    }

    /// `times` is what the operator multiplies nested repetitions by.
    fn repetition(&mut self, len: usize, times: u32, before: Option<&'p str>) -> Result<(), Refused> {
        let operator = &self.rest[..len];
        let Some(weight) = self.atom else {
            return invalid("missing argument to repetition operator", operator);
        };
        let lazy = usize::from(self.rest[len..].starts_with('?'));
        if let Some(before) = before {
            let end = before.len() - self.rest.len() + len + lazy;
            return invalid("invalid nested repetition operator", &before[..end]);
        }
        if weight.saturating_mul(times) > MAX_REPEAT {
            return invalid("invalid repeat count", operator);
        }
        self.atom = Some(weight * times.max(1));
        self.repeat = Some(self.rest);
        self.out.push_str(&self.rest[..len + lazy]);
        self.rest = &self.rest[len + lazy..];
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Refused> {
        let Some(c) = self.rest[1..].chars().next() else {
            return invalid_escape("trailing backslash at end of expression");
        };
        let short = match c {
            'A' | 'z' => Some(format!("\\{c}")),
            'b' => Some(r"(?-u:\b)".to_owned()),
            'B' => return Err(Refused::Unsupported(r"a pattern with \B cannot be evaluated".to_owned())),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Some(perl_class(c).to_owned()),
            _ => None,
        };
        if let Some(short) = short {
            self.out.push_str(&short);
            self.rest = &self.rest[2..];
        } else if c == 'Q' {
            let quoted = &self.rest[2..];
            let (text, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            self.out.push_str(&regex::escape(text));
            self.rest = rest;
            if text.is_empty() {
                return Ok(());
            }
        } else if matches!(c, 'p' | 'P') {
            self.unicode_class()?;
        } else {
            let c = self.escaped_char()?;
            self.out.push_str(&format!("\\x{{{:x}}}", c as u32));
        }
        self.push_atom(1);
        Ok(())
    }

    /// One character behind a backslash, as RE2 reads it.
    fn escaped_char(&mut self) -> Result<char, Refused> {
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
            '0' => {
                (u32::from_str_radix(&format!("0{}", &after[..octal(after)]), 8).unwrap_or(0), octal(after))
            }
            '1'..='7' if octal(after) > 0 => {
                let digits = octal(after);
                (u32::from_str_radix(&format!("{c}{}", &after[..digits]), 8).unwrap_or(0), digits)
            }
            'x' => hex(after).map_or_else(|| invalid("invalid escape sequence", &self.rest[..2]), Ok)?,
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => (c as u32, 0),
            _ => return invalid("invalid escape sequence", &self.rest[..1 + c.len_utf8()]),
        };
        let end = 1 + c.len_utf8() + len;
        let text = &self.rest[..end];
        self.rest = &self.rest[end..];
        char::from_u32(code).map_or_else(|| invalid("invalid escape sequence", text), Ok)
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
        let class = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        if name.contains(['=', ':', '!']) || regex_syntax::parse(&class).is_err() {
            return invalid("invalid character class range", &self.rest[..2 + len]);
        }
        self.out.push_str(&class);
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
                if !POSIX.contains(&name.trim_start_matches('^')) {
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
        write!(self.out, "\\x{{{:x}}}", low as u32).expect("memory takes any text");
        if high != low {
            write!(self.out, "-\\x{{{:x}}}", high as u32).expect("memory takes any text");
        }
        Ok(())
    }

    fn class_char(&mut self, whole: &str) -> Result<char, Refused> {
        match self.rest.chars().next() {
            None => invalid("missing closing ]", whole),
            Some('\\') => self.escaped_char(),
            Some(c) => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(c)
            }
        }
    }
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
    let high = if high.is_empty() { low } else { number(high)? };
    // A range that ends before it starts is as invalid as one that is too long.
    Some((inner.len() + 2, if high < low { u32::MAX } else { high }))
}

/// What follows `\x`: the code point, and how long it is.
fn hex(text: &str) -> Option<(u32, usize)> {
    let (digits, len) = match text.strip_prefix('{') {
        Some(braced) => {
            let end = braced.find('}')?;
            (&braced[..end], end + 2)
        }
        None => (text.get(..2)?, 2),
    };
    let all_hex = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit());
    all_hex.then(|| u32::from_str_radix(digits, 16).ok().map(|it| (it, len)))?
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
            "\\pX",
            "\\p{Nope}",
            "\\x{110000}",
            "|*",
            "(*)",
            "(?i-)a",
            "\\h",
            "a{,2}{2}{3}",
            "[a--]",
        ];
        for pattern in refused {
            assert!(matches!(check(pattern), Err(Refused::Invalid(_))), "{pattern}");
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
            ("^(?<x>a)$", "a", "b"),
            ("^[]a]$", "]", "b"),
        ];
        for (pattern, yes, no) in cases {
            let regex = compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
            assert!(regex.is_match(yes) && !regex.is_match(no), "{pattern} {regex}");
        }
    }
}
