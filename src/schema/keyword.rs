//! The keywords of a schema by their names, and sets of them.

use crate::source::Span;

/// A written keyword.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyword {
    /// Where the name stands.
    pub key: Span,
    /// Where its value stands.
    pub value: Span,
    /// Whether the value is null: the keyword is as good as absent.
    pub null: bool,
    /// Its place in [`KEYWORDS`].
    index: u8,
}

impl Keyword {
    /// A keyword of this name, if there is one.
    pub(super) fn new(name: &str, key: Span, value: Span, null: bool) -> Option<Self> {
        // Mostly the lengths differ already, so that looking at all is faster than a search.
        let index = KEYWORDS.iter().position(|it| *it == name)? as u8;
        Some(Self { key, value, null, index })
    }

    /// Its name, as in the text.
    pub fn name(&self) -> &'static str {
        KEYWORDS[usize::from(self.index)]
    }
}

/// A set of keywords.
///
/// The default holds them all: of a schema from no text nobody has noted what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keywords(u64);

impl Default for Keywords {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl Keywords {
    /// No keyword.
    pub(super) const NONE: Self = Self(0);

    /// An `items` that is a list, which is another thing than one that is a schema.
    pub const LIST_OF_ITEMS: Self = Self(1 << KEYWORDS.len());

    /// The keywords of these names.
    ///
    /// # Panics
    /// When a name is none of a keyword: meant for constants.
    pub const fn of(names: &[&str]) -> Self {
        let (mut set, mut at) = (0, 0);
        while at < names.len() {
            set |= 1 << place(names[at]);
            at += 1;
        }
        Self(set)
    }

    /// The keywords of either set.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets have any keyword in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl From<&Keyword> for Keywords {
    fn from(keyword: &Keyword) -> Self {
        Self(1 << keyword.index)
    }
}

/// The place of a name in [`KEYWORDS`]; a search that can run at compile time.
const fn place(name: &str) -> usize {
    let mut at = 0;
    while !equal(KEYWORDS[at].as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

const fn equal(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// Every keyword of a schema, sorted.
pub const KEYWORDS: [&str; 44] = [
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "definitions",
    "dependencies",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "id",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];
