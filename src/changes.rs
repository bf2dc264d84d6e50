//! Which lines differ between two texts, and how that is printed: with the mark for a last line that does not end, which
//! the crate that finds the differences leaves out.

use imara_diff::Algorithm;
use imara_diff::Diff;
use imara_diff::InternedInput;
use std::fmt::Write;
use std::ops::Range;

/// How many unchanged lines stand around a change.
const CONTEXT: usize = 3;

/// Lines that make room for others; one of the ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The difference of two texts of one file as a unified diff; empty if there is none.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&old, &new);
    let mut out = String::new();
    if !changes.is_empty() {
        out = format!("--- a/{name}\n+++ b/{name}\n");
    }
    for hunk in changes.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT) {
        let (first, last) = (&hunk[0], &hunk[hunk.len() - 1]);
        let before = first.old.start.min(first.new.start).min(CONTEXT);
        let after = (old.len() - last.old.end).min(CONTEXT);
        let gone = first.old.start - before..last.old.end + after;
        let come = first.new.start - before..last.new.end + after;
        // Writing to a string cannot fail.
        _ = writeln!(out, "@@ -{} +{} @@", place(&gone), place(&come));
        let mut at = gone.start;
        for change in hunk {
            old[at..change.old.start].iter().for_each(|it| line(&mut out, ' ', it));
            old[change.old.clone()].iter().for_each(|it| line(&mut out, '-', it));
            new[change.new.clone()].iter().for_each(|it| line(&mut out, '+', it));
            at = change.old.end;
        }
        old[at..gone.end].iter().for_each(|it| line(&mut out, ' ', it));
    }
    out
}

/// Lines as a hunk names them: the first from 1 and how many, unless it is one; of none the line before.
fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    }
}

fn line(out: &mut String, sign: char, line: &str) {
    out.push(sign);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// What differs between two lists of lines, in their order. A line that comes between equal lines stands behind them.
pub(crate) fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |it: Range<u32>| it.start as usize..it.end as usize;
    diff.hunks().map(|it| Change { old: range(it.before), new: range(it.after) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The new lines, made of the old ones and the changes.
    fn applied<'a>(old: &[&'a str], new: &[&'a str], changes: &[Change]) -> Vec<&'a str> {
        let (mut out, mut at) = (Vec::new(), 0);
        for change in changes {
            out.extend(&old[at..change.old.start]);
            out.extend(&new[change.new.clone()]);
            at = change.old.end;
        }
        out.extend(&old[at..]);
        out
    }

    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        proptest::collection::vec(prop_oneof![Just("a"), Just("b"), Just("c")], 0..9)
    }

    proptest! {
        #[test]
        fn changes_make_the_new_of_the_old(old in lines(), new in lines()) {
            let changes = changes(&old, &new);
            prop_assert_eq!(applied(&old, &new, &changes), new);
        }
    }

    #[test]
    fn hunks_are_written_as_everywhere() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12";
        let new = "0\n1\n2\n3\n4\n5\n6\n7\n8\nnine\n10\n11\n12\n";
        let shown = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,7 +7,7 @@\n 6\n 7\n 8\n-9\n+nine\n 10\n 11\n\
                     -12\n\\ No newline at end of file\n+12\n";
        assert_eq!(unified("x", old, new), shown);
        assert_eq!(unified("x", "", "1\n"), "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(unified("x", "1\n", "1\n"), "");
    }
}
