//! A finding, as rules word it and renderers show it.
//!
//! This module knows no rule and no format.

use crate::source::Edit;
use crate::source::Span;

/// Something to say about a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The rule that says it.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong and what will happen: lowercase, names in backticks, no full stop.
    pub message: String,
    /// The places it speaks of, the primary one first. Without any it speaks of the whole text.
    pub labels: Vec<Label>,
    /// What proves or explains it: the patch that is sent, what is stored, what the operator then does.
    pub notes: Vec<String>,
    /// What to do; further lines are YAML to copy.
    pub help: Option<String>,
    /// `metadata.name` of the CRD.
    pub crd: Option<String>,
    /// The version of the CRD.
    pub version: Option<String>,
    /// The names of the slots that are concerned: `progress`, `result:create_fn`.
    pub slots: Vec<String>,
    /// Edits that mend it.
    pub fix: Option<Fix>,
}

/// How much a finding matters. The order is that of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// State may be lost, or something does not work for others.
    Warning,
    /// State is lost, or the server refuses.
    Error,
}

impl Severity {
    /// The word for people and machines.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in the text with what there is to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty.
    pub text: String,
    /// Whether this is the place to look at first; the others give context.
    pub primary: bool,
}

/// Edits that mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Whether it may be applied unseen.
    pub safety: Safety,
    /// The edits; all or none.
    pub edits: Vec<Edit>,
}

/// Whether a fix may be applied unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// It only lets the server keep more.
    Safe,
    /// It changes what the server accepts, or guesses what was meant.
    Unsafe,
}

impl Safety {
    /// The word for people and machines.
    pub const fn name(self) -> &'static str {
        match self {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
        }
    }
}

impl Diagnostic {
    /// A finding of a rule that names no place yet.
    pub fn new(rule: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            crd: None,
            version: None,
            slots: Vec::new(),
            fix: None,
        }
    }

    /// The same finding at a place. The first place is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        let primary = self.labels.is_empty();
        self.labels.push(Label { span, text: text.into(), primary });
        self
    }

    /// The same finding with a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The same finding with advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Where the finding is: its primary place, or the start of the text.
    pub fn span(&self) -> Span {
        self.labels.first().map_or_else(Span::default, |it| it.span)
    }
}
