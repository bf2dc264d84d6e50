//! Which findings count how much.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

/// What to make of the findings of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Keep quiet.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

/// Levels by rule, or by group: `warnings`, `notes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Levels {
    /// In the order of their statement: the last one that fits counts.
    pub stated: Vec<(String, Level)>,
}

/// The names of groups, with what is in them.
pub(super) const GROUPS: [(&str, Severity); 2] = [("warnings", Severity::Warning), ("notes", Severity::Note)];

impl Levels {
    /// Adds a level for a rule or a group.
    ///
    /// # Errors
    /// When there is no rule and no group of that name.
    pub fn state(&mut self, name: &str, level: Level) -> Result<(), String> {
        let known = crate::rules::by_name(name).is_some() || GROUPS.iter().any(|it| it.0 == name);
        if !known {
            return Err(match crate::rules::did_you_mean(name) {
                Some(close) => format!("there is no rule `{name}`: did you mean `{close}`?"),
                None => format!("there is no rule `{name}`: `cargo kopf-crd explain --list` names them"),
            });
        }
        self.stated.push((name.to_owned(), level));
        Ok(())
    }

    /// The finding as it is to be heard; none if it is not.
    ///
    /// The level of its rule first, then that of the group it is in thereby: `--deny warnings` holds for what
    /// `--warn` made a warning.
    pub(super) fn apply(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        let own = self.stated.iter().rev().find(|it| it.0 == diagnostic.rule);
        diagnostic.severity = raised(own.map(|it| it.1), diagnostic.severity)?;
        let Some((group, _)) = GROUPS.iter().find(|it| it.1 == diagnostic.severity) else {
            return Some(diagnostic);
        };
        let group = self.stated.iter().rev().find(|it| it.0 == *group);
        diagnostic.severity = raised(group.map(|it| it.1), diagnostic.severity)?;
        Some(diagnostic)
    }
}

fn raised(level: Option<Level>, severity: Severity) -> Option<Severity> {
    match level {
        None => Some(severity),
        Some(Level::Allow) => None,
        Some(Level::Warn) => Some(Severity::Warning),
        Some(Level::Deny) => Some(Severity::Error),
    }
}
