//! `fieldPath` of a rule: `.spec.size`, `.labels['a.b']`.
//!
//! Mirrors `ValidFieldPath` of the server's `cel/validation.go`.

use crate::schema::Additional;
use crate::schema::Schema;

/// Reads a path below a node of the schema: as the server writes it, or what is wrong with it.
pub(super) fn read(schema: &Schema, path: &str) -> Result<String, String> {
    let mut tokens = tokens(path).into_iter();
    let mut node = Some(schema);
    let mut res = String::new();
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => tokens.next().ok_or("unexpected end of JSON path")?.to_owned(),
            "[" => quoted(tokens.next().ok_or("unexpected end of JSON path")?)?,
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        let here = node.ok_or("does not refer to a valid field")?;
        if here.properties.is_empty() {
            node = match &here.additional_properties {
                Some(Additional::Schema(values)) => Some(values),
                Some(Additional::Allowed(_)) => None,
                None => return Err("does not refer to a valid field".to_owned()),
            };
            res.push_str(&format!("[{name}]"));
        } else {
            node = Some(here.property(&name).ok_or("does not refer to a valid field")?);
            if !res.is_empty() {
                res.push('.');
            }
            res.push_str(&name);
        }
        if token == "[" {
            match tokens.next() {
                Some("]") => {}
                Some(other) => return Err(format!("expected ] but got {other}")),
                None => return Err("unexpected end of JSON path".to_owned()),
            }
        }
    }
    Ok(res)
}

/// Splits at `.`, `[` and `]`, which are tokens themselves, and keeps what is in single quotes together.
fn tokens(path: &str) -> Vec<&str> {
    let mut res = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let end = if rest.starts_with('\'') {
            let bytes = rest.as_bytes();
            (1..bytes.len()).find(|at| bytes[*at] == b'\'' && bytes[at - 1] != b'\\').map(|it| it + 1)
        } else {
            rest.find(['.', '[', ']']).map(|it| it.max(1))
        };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        res.push(token);
        rest = after;
    }
    res
}

fn quoted(token: &str) -> Result<String, String> {
    let inner = token.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')).filter(|_| token.len() > 1);
    let inner = inner.ok_or_else(|| format!("expected single quoted string but got {token}"))?;
    let mut res = String::new();
    let mut chars = inner.chars();
    while let Some(it) = chars.next() {
        if it != '\\' {
            res.push(it);
            continue;
        }
        res.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some('\'') => '\'',
            Some('\\') => '\\',
            _ => return Err("invalid string literal".to_owned()),
        });
    }
    Ok(res)
}
