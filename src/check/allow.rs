//! Comments that keep findings quiet: `# kopf-crd: allow(rule, other-rule) reason`.
//!
//! On the line of the finding, or alone above it.

use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::yaml;

const MARK: &str = "kopf-crd:";

/// Rules that are allowed in some bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allow {
    rules: Vec<String>,
    start: u32,
    end: u32,
}

/// The comments of a text that allow something.
pub(super) fn read(source: &Source) -> Vec<Allow> {
    if memchr::memmem::find(source.text.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let comments = yaml::comments(&source.text);
    comments
        .iter()
        .filter_map(|it| allow(&source.text, it.span.start as usize, it.span.end as usize))
        .collect()
}

fn allow(text: &str, start: usize, end: usize) -> Option<Allow> {
    let comment = text.get(start..end)?.trim_start_matches('#').trim_start();
    let rest = comment.strip_prefix(MARK)?.trim_start().strip_prefix("allow(")?;
    let rules = rest.split_once(')')?.0.split(',').map(|it| it.trim().to_owned()).collect();
    let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let mut line_end = next_line(text, end);
    // Alone in its line, it speaks of the next line that is no comment.
    if text[line_start..start].trim().is_empty() {
        while text[line_end..].trim_start_matches([' ', '\t']).starts_with('#') {
            line_end = next_line(text, line_end);
        }
        line_end = next_line(text, line_end);
    }
    Some(Allow { rules, start: line_start as u32, end: line_end as u32 })
}

/// The byte after the line break that ends the line of `at`.
fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |it| at + it + 1)
}

/// Whether a comment keeps a finding quiet.
pub(super) fn covers(allows: &[Allow], diagnostic: &Diagnostic) -> bool {
    let at = diagnostic.span().start;
    allows
        .iter()
        .any(|it| it.start <= at && at < it.end && it.rules.iter().any(|rule| rule == diagnostic.rule))
}
