//! Values that handlers write, as far as somebody said which: a type, an example, or nothing.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde::Serializer;
use serde_json::Value;
use serde_json::json;

/// What is known of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Nothing.
    Any,
    /// Its type.
    Type(Type),
    /// An example.
    Example(Value),
}

/// The types of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Keys with values.
    Mapping,
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List,
}

/// Each type with the words for it; the first one is ours.
const TYPES: &[(Type, &[&str])] = &[
    (Type::Mapping, &["mapping", "object", "dict"]),
    (Type::String, &["string", "str"]),
    (Type::Integer, &["integer", "int"]),
    (Type::Number, &["number", "float"]),
    (Type::Boolean, &["boolean", "bool"]),
    (Type::List, &["list", "array"]),
];

/// Something that handlers write, by its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written<Name> {
    /// The id of a handler, or the path of a field.
    pub name: Name,
    /// What is known of the value.
    pub shape: Shape,
}

impl Shape {
    /// Values that stand for all that may be written, each with what it is.
    pub fn samples(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Example(value) => vec![("the value that was named", value.clone())],
            Self::Type(ty) => ty.samples(),
            Self::Any => TYPES.iter().flat_map(|(ty, _)| ty.samples()).collect(),
        }
    }

    /// Whether the samples are guesses, of which any may be what is really written.
    pub fn is_guess(&self) -> bool {
        matches!(self, Self::Any)
    }
}

impl Type {
    fn samples(self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Mapping => vec![("a mapping", json!({ "your_key": "value" }))],
            Self::String => vec![("a text", json!("value"))],
            Self::Integer => vec![("a whole number", json!(1))],
            Self::Number => vec![("a number", json!(1.5))],
            Self::Boolean => vec![("a truth value", json!(true))],
            Self::List => vec![
                ("a list of texts", json!(["value"])),
                ("a list of mappings", json!([{ "your_key": "value" }])),
            ],
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    /// Reads `string`, `list`, …, `any`, or an example in JSON.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "any" {
            return Ok(Self::Any);
        }
        if let Some((ty, _)) = TYPES.iter().find(|(_, words)| words.contains(&text)) {
            return Ok(Self::Type(*ty));
        }
        serde_json::from_str(text).map(Self::Example).map_err(|error| {
            let words: Vec<_> = TYPES.iter().map(|(_, words)| words[0]).collect();
            format!("`{text}` is neither a type ({}, any) nor JSON: {error}", words.join(", "))
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Type(ty) => {
                let words = TYPES.iter().find(|(it, _)| it == ty).map(|(_, words)| words[0]);
                f.write_str(words.expect("the table has every type"))
            }
            Self::Example(value) => write!(f, "{value}"),
        }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => serializer.serialize_str("any"),
            Self::Type(_) => serializer.collect_map([("type", self.to_string())]),
            Self::Example(value) => serializer.collect_map([("example", value)]),
        }
    }
}
