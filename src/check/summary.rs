//! Counts over a whole run.

use crate::check::Report;
use crate::check::Skipped;
use crate::diagnostic::Safety;
use crate::diagnostic::Severity;

/// What a whole run saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Files that were read.
    pub files: usize,
    /// Documents in them.
    pub documents: usize,
    /// CRDs in scope.
    pub crds: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are notes.
    pub notes: usize,
    /// Findings that are kept quiet.
    pub silenced: usize,
    /// Findings with a fix that may be applied unseen.
    pub fixable: usize,
    /// Findings with a fix that wants to be looked at.
    pub risky: usize,
    /// CRDs that lose something of an operator's own state.
    pub lossy: usize,
    /// What was not judged, and why.
    pub skipped: Skipped,
}

impl Summary {
    /// Counts another report.
    pub fn add(&mut self, report: &Report) {
        self.files += 1;
        self.documents += report.documents;
        self.crds += report.crds.len();
        self.silenced += report.silenced;
        self.lossy += report.crds.iter().filter(|it| it.is_lossy()).count();
        self.skipped.others += report.skipped.others;
        self.skipped.out_of_scope += report.skipped.out_of_scope;
        self.skipped.fragments += report.skipped.fragments;
        self.skipped.broken += report.skipped.broken;
        for diagnostic in &report.diagnostics {
            match diagnostic.fix.as_ref().map(|it| it.safety) {
                Some(Safety::Safe) => self.fixable += 1,
                Some(Safety::Unsafe) => self.risky += 1,
                None => {}
            }
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    /// Adds the counts of another summary.
    pub fn join(&mut self, other: &Summary) {
        self.files += other.files;
        self.documents += other.documents;
        self.crds += other.crds;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
        self.silenced += other.silenced;
        self.lossy += other.lossy;
        self.fixable += other.fixable;
        self.risky += other.risky;
        self.skipped.others += other.skipped.others;
        self.skipped.out_of_scope += other.skipped.out_of_scope;
        self.skipped.fragments += other.skipped.fragments;
        self.skipped.broken += other.skipped.broken;
    }
}
