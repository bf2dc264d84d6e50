//! CEL expressions as a tree, and the tokens they are written in.
//!
//! Mirrors `parser/gen/CEL.g4` and `parser/unescape.go` of github.com/google/cel-go.

use std::sync::Arc;

/// Why a rule is not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The server refuses it, with about these words.
    Refused(String),
    /// It is valid as far as it was read, but not modeled.
    Unknown(String),
}

impl Failure {
    /// The failure, with the server's words for the step that fails before a refusal.
    pub(super) fn during(self, step: &str) -> Self {
        match self {
            Self::Refused(why) => Self::Refused(format!("{step}: {why}")),
            it @ Self::Unknown(_) => it,
        }
    }
}

/// An expression; ids count from zero in the order of creation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expr {
    pub(super) id: usize,
    pub(super) kind: Kind,
}

/// What an expression is, macros expanded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or with `test` the presence test `has(operand.field)`.
    Select {
        operand: Box<Expr>,
        field: String,
        test: bool,
    },
    /// A function or operator; operators have cel-go's names, for example `_+_`.
    Call {
        function: String,
        target: Option<Box<Expr>>,
        args: Vec<Expr>,
    },
    /// Items, and whether each is optional (`[?x]`).
    List(Vec<(Expr, bool)>),
    /// Keys with values, and whether each is optional.
    Map(Vec<(Expr, Expr, bool)>),
    /// A comprehension, from a macro.
    Fold(Box<Fold>),
}

/// A comprehension: what macros over lists and maps become. The accumulator is [`ACCUMULATOR`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fold {
    pub(super) range: Expr,
    pub(super) var: String,
    pub(super) init: Expr,
    pub(super) condition: Expr,
    pub(super) step: Expr,
    pub(super) result: Expr,
}

/// The accumulator of comprehensions; no user can write this name.
pub(super) const ACCUMULATOR: &str = "@result";

/// A scalar in the text of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// A token of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A word that is not `true`, `false`, `null` or `in`.
    Ident(String),
    /// `true`, `false`, `null`, `in`.
    Keyword(&'static str),
    /// An operator or a bracket.
    Punct(&'static str),
    /// A number without its sign, as written.
    Int(String),
    Uint(String),
    Double(String),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
    End,
}

const PUNCTUATION: [&str; 26] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":",
    "+", "*", "/", "%", "=", "`",
];

/// Splits the text of an expression into tokens, the last one [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Failure> {
    let mut res = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(['\t', ' ', '\r', '\n', '\u{c}']);
        if let Some(comment) = rest.strip_prefix("//") {
            rest = &comment[comment.find('\n').unwrap_or(comment.len())..];
            continue;
        }
        let Some(first) = rest.chars().next() else { break };
        let (token, length) = if let Some(found) = string(rest)? {
            found
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|it: char| it.is_ascii_digit()))
        {
            number(rest)
        } else if first.is_ascii_alphabetic() || first == '_' {
            word(rest)
        } else {
            let found = PUNCTUATION.iter().find(|it| rest.starts_with(**it) && !["=", "`"].contains(*it));
            let found =
                found.ok_or_else(|| Failure::Refused(format!("Syntax error: unexpected `{first}`")))?;
            (Token::Punct(found), found.len())
        };
        res.push(token);
        rest = &rest[length..];
    }
    res.push(Token::End);
    Ok(res)
}

fn word(text: &str) -> (Token, usize) {
    let end = text.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_')).unwrap_or(text.len());
    let word = &text[..end];
    let keyword = ["true", "false", "null", "in"].into_iter().find(|it| *it == word);
    (keyword.map_or_else(|| Token::Ident(word.to_owned()), Token::Keyword), end)
}

fn number(text: &str) -> (Token, usize) {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    if let Some(hex) = text.strip_prefix("0x") {
        let end = 2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if end > 2 {
            return match bytes.get(end) {
                Some(b'u' | b'U') => (Token::Uint(text[..end].to_owned()), end + 1),
                _ => (Token::Int(text[..end].to_owned()), end),
            };
        }
    }
    let mut end = digits(0);
    let mut double = false;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
        double = true;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = end + 1 + sign;
        if bytes.get(after).is_some_and(u8::is_ascii_digit) {
            end = digits(after);
            double = true;
        }
    }
    match bytes.get(end) {
        _ if double => (Token::Double(text[..end].to_owned()), end),
        Some(b'u' | b'U') => (Token::Uint(text[..end].to_owned()), end + 1),
        _ => (Token::Int(text[..end].to_owned()), end),
    }
}

/// Reads a string or bytes literal at the start of the text, if one stands there.
fn string(text: &str) -> Result<Option<(Token, usize)>, Failure> {
    let bytes = text.starts_with(['b', 'B']);
    let after = &text[usize::from(bytes)..];
    let raw = after.starts_with(['r', 'R']);
    let quoted = &after[usize::from(raw)..];
    let Some(quote) = quoted.chars().next().filter(|it| matches!(it, '"' | '\'')) else { return Ok(None) };
    let triple = quote.to_string().repeat(3);
    // The longest literal wins, so three quotes open a triple-quoted string if it is ever closed.
    let long = quoted
        .strip_prefix(triple.as_str())
        .and_then(|it| literal_end(it, &triple, raw, true).map(|end| (it, end, 3)));
    let one = &triple[..1];
    let found = long.or_else(|| literal_end(&quoted[1..], one, raw, false).map(|end| (&quoted[1..], end, 1)));
    let (body, end, quotes) =
        found.ok_or_else(|| Failure::Refused("Syntax error: unterminated string".to_owned()))?;
    let length = text.len() - body.len() + end + quotes;
    let body = body[..end].replace("\r\n", "\n").replace('\r', "\n");
    let value = if raw {
        body.into_bytes()
    } else {
        unescape(&body, bytes).map_err(|it| Failure::Refused(it.to_owned()))?
    };
    let token = if bytes {
        Token::Bytes(value.into())
    } else {
        let text = String::from_utf8(value)
            .map_err(|_| Failure::Unknown("a string that is not Unicode".to_owned()))?;
        Token::String(text.into())
    };
    Ok(Some((token, length)))
}

/// Where the closing quotes stand.
fn literal_end(body: &str, quotes: &str, raw: bool, lines: bool) -> Option<usize> {
    let mut at = 0;
    while at < body.len() {
        if body[at..].starts_with(quotes) {
            return Some(at);
        }
        let first = body[at..].chars().next()?;
        if !lines && matches!(first, '\n' | '\r') {
            return None;
        }
        at += first.len_utf8();
        if first == '\\' && !raw {
            at += body[at..].chars().next()?.len_utf8();
        }
    }
    None
}

fn unescape(body: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let mut res = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        if first != '\\' {
            res.extend_from_slice(&rest.as_bytes()[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let kind = rest.chars().nth(1).ok_or("unable to unescape string, found '\\' as last character")?;
        rest = &rest[1 + kind.len_utf8()..];
        let plain = match kind {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\\' | '\'' | '"' | '`' | '?' => kind as u8,
            'x' | 'X' | 'u' | 'U' | '0'..='3' => {
                rest = code(kind, rest, bytes, &mut res)?;
                continue;
            }
            _ => return Err("unable to unescape string"),
        };
        res.push(plain);
    }
    Ok(res)
}

/// Reads the digits of a numeric escape and appends what they stand for.
fn code<'t>(kind: char, rest: &'t str, bytes: bool, found: &mut Vec<u8>) -> Result<&'t str, &'static str> {
    let (length, radix) = match kind {
        'x' | 'X' => (2, 16),
        'u' => (4, 16),
        'U' => (8, 16),
        _ => (2, 8),
    };
    if bytes && matches!(kind, 'u' | 'U') {
        return Err("unable to unescape string");
    }
    let digits = rest.get(..length).filter(|it| it.chars().all(|it| it.is_digit(radix)));
    let digits = digits.ok_or("unable to unescape string")?;
    let first = if radix == 8 { kind.to_digit(8).unwrap_or(0) * 64 } else { 0 };
    let value = first + u32::from_str_radix(digits, radix).map_err(|_| "unable to unescape string")?;
    if bytes {
        found.push(value as u8);
    } else {
        let value = char::from_u32(value).ok_or("invalid unicode code point")?;
        found.extend_from_slice(value.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(&rest[length..])
}
