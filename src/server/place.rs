//! The path of a field in the server's words, built without a copy while walking down.
//!
//! Mirrors apimachinery/pkg/util/validation/field/path.go.

use std::fmt;

/// A path: its parent and one more step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Child(&'a str),
    Key(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    /// A path from its text.
    pub(super) const fn root(text: &'a str) -> Self {
        Self { parent: None, step: Step::Child(text) }
    }

    /// A field: `.name`.
    pub(super) fn child(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Child(name) }
    }

    /// A key of a map: `[key]`.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// An item of a list: `[0]`.
    pub(super) fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Child(name) => {
                f.write_str(if self.parent.is_some() { "." } else { "" })?;
                f.write_str(name)
            }
            Step::Key(key) => {
                f.write_str("[")?;
                f.write_str(key)?;
                f.write_str("]")
            }
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
