//! Regular expressions as Go's `regexp` (RE2) reads them, on the `regex` crate.
//!
//! The engines agree on matching; the syntaxes differ, so that patterns are rewritten (`re2`).

use super::re2::ALWAYS_MODELED;
use super::re2::translate;
use regex::Regex;
use regex::RegexBuilder;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Go refuses it too; the text is Go's, without `error parsing regexp: `.
    Invalid(String),
    /// It is valid for Go, and cannot be evaluated here.
    Unsupported(String),
    /// Whether it is valid for Go is not known.
    Unknown(String),
}

/// Compiles a pattern of RE2.
pub fn compile(pattern: &str) -> Result<Regex, Refused> {
    let translated = translate(pattern)?;
    RegexBuilder::new(&translated)
        .size_limit(64 << 20)
        .build()
        .map_err(|error| Refused::Unsupported(format!("pattern {pattern:?} cannot be evaluated: {error}")))
}

/// Whether Go compiles a pattern; nothing is compiled for that, so that a pattern without end costs nothing.
pub fn check(pattern: &str) -> Result<(), Refused> {
    translate(pattern).map(|_| ())
}

/// Whether [`check`] knows what Go does.
pub fn is_modeled(pattern: &str) -> bool {
    pattern.len() <= ALWAYS_MODELED || !matches!(check(pattern), Err(Refused::Unknown(_)))
}

/// Compiled patterns, each compiled when it is first needed.
#[derive(Debug, Default)]
pub struct Patterns(Mutex<HashMap<String, Result<Regex, Refused>>>);

impl Patterns {
    /// Whether a pattern occurs in a text.
    pub fn is_match(&self, pattern: &str, text: &str) -> Result<bool, Refused> {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !compiled.contains_key(pattern) {
            compiled.insert(pattern.to_owned(), compile(pattern));
        }
        match &compiled[pattern] {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(refused) => Err(refused.clone()),
        }
    }
}
