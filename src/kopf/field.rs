//! Fields as Python code names them: `'status.{name}.progress'`, a list of keys, `None`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::de::Error;
use serde::de::SeqAccess;
use serde::de::Visitor;

use crate::path::Path;

/// A field as Python code names it: text with dots, a list of keys, or nothing for the root.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Field {
    /// Split at every dot, after `{name}` is filled in. There is no way to escape a dot.
    Dotted(String),
    /// Taken as they are.
    Keys(Vec<String>),
    /// `None`: the object itself.
    Root(()),
}

impl Field {
    /// A field from text with dots.
    pub fn dotted(text: impl Into<String>) -> Self {
        Self::Dotted(text.into())
    }

    /// The keys of the field; `{name}` in a text becomes the name of the storage.
    ///
    /// # Errors
    /// When Python's `str.format` would fail, or needs more of Python than a name.
    pub fn path(&self, name: &str) -> Result<Path, String> {
        match self {
            Self::Dotted(text) => Ok(Path::new(format(text, name)?.split('.'))),
            Self::Keys(keys) => Ok(Path::new(keys)),
            Self::Root(()) => Ok(Path::default()),
        }
    }
}

impl FromStr for Field {
    type Err = String;

    /// Reads a flag's text: Python's, or with quoted keys (`status["my.operator"].progress`), which Python writes as a list.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.contains("[\"") {
            true => Path::parse(text).map(|path| Self::Keys(path.0)),
            false => Ok(Self::dotted(text)),
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyForm)
    }
}

struct AnyForm;

impl<'de> Visitor<'de> for AnyForm {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field such as \"status.{name}.progress\", or a list of its keys")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Field, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_unit<E: Error>(self) -> Result<Field, E> {
        Ok(Field::Root(()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Field, A::Error> {
        let mut keys = Vec::new();
        while let Some(key) = items.next_element()? {
            keys.push(key);
        }
        Ok(Field::Keys(keys))
    }
}

/// Python's `text.format(name=name)`, for texts without conversions, indexes and format specifications.
fn format(text: &str, name: &str) -> Result<String, String> {
    let mut res = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        res.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        if let Some(more) = after.strip_prefix(brace) {
            res.push_str(brace);
            rest = more;
        } else if let Some(more) = rest[at..].strip_prefix("{name}") {
            res.push_str(name);
            rest = more;
        } else {
            return Err(format!("`{text}` is no field: it may have `{{name}}` in it, and no other braces"));
        }
    }
    res.push_str(rest);
    Ok(res)
}
