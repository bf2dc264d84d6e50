//! Paths into an object: `status.kopf.progress`, `status["resize/spec.size"]`.

use std::fmt;

/// A path of keys from the root of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Path(pub Vec<String>);

impl Path {
    /// A path of these keys.
    pub fn new<S: Into<String>>(keys: impl IntoIterator<Item = S>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// Reads `status.kopf["a/b.c"].d`. Errors say what is wrong and at which byte.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut keys = Vec::new();
        let mut rest = text;
        let at = |rest: &str| text.len() - rest.len();
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix('[') {
                let end = json_string_end(quoted)
                    .ok_or_else(|| format!("expected a quoted key after `[` at byte {}", at(quoted)))?;
                let key = serde_json::from_str(&quoted[..end])
                    .map_err(|error| format!("bad key at byte {}: {error}", at(quoted)))?;
                keys.push(key);
                rest = quoted[end..]
                    .strip_prefix(']')
                    .ok_or_else(|| format!("expected `]` at byte {}", at(&quoted[end..])))?;
                if let Some(more) = rest.strip_prefix('.') {
                    if more.is_empty() || more.starts_with('[') {
                        return Err(format!("expected a key at byte {}", at(more)));
                    }
                    rest = more;
                }
                continue;
            }
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("expected a key at byte {}", at(rest)));
            }
            keys.push(rest[..end].to_owned());
            rest = &rest[end..];
            if let Some(more) = rest.strip_prefix('.') {
                if more.is_empty() {
                    return Err(format!("expected a key at byte {}", text.len()));
                }
                rest = more;
            }
        }
        if keys.is_empty() { Err("an empty path".to_owned()) } else { Ok(Self(keys)) }
    }

    /// The path one key deeper.
    pub fn child(&self, key: impl Into<String>) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.into());
        Self(keys)
    }

    /// Whether `self` is `other` or lies below it.
    pub fn is_under(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The JSON pointer of the path (RFC 6901).
    pub fn pointer(&self) -> String {
        self.0.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

/// The length of the JSON string that `text` starts with.
fn json_string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    if !text.starts_with('"') {
        return None;
    }
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.0.iter().enumerate() {
            if key.is_empty() || key.contains(|it: char| !(it.is_alphanumeric() || it == '_' || it == '-')) {
                write!(f, "[{}]", serde_json::Value::from(key.as_str()))?;
            } else {
                write!(f, "{}{key}", if at == 0 { "" } else { "." })?;
            }
        }
        Ok(())
    }
}

impl serde::Serialize for Path {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
