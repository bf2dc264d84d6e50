//! Lines and columns of many bytes of one text, without counting from the start each time.

use crate::source::Position;
use crate::source::Source;
use crate::source::Span;

/// How many bytes lie between two known counts of characters.
const BLOCK: usize = 4096;

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    /// The byte at which each line starts.
    starts: Vec<u32>,
    /// How many characters begin before each block: a text of one long line is counted once.
    counted: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Reads through a text once.
    pub(super) fn new(source: &'a Source) -> Self {
        let bytes = source.text.as_bytes();
        let mut starts = vec![0];
        starts.extend((0u32..).zip(bytes).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        let mut counted = vec![0];
        for block in bytes.chunks(BLOCK) {
            counted.push(counted.last().copied().unwrap_or(0) + characters(block));
        }
        Self { text: &source.text, starts, counted }
    }

    /// The line and column of a byte; a byte past the end is the end.
    pub(super) fn position(&self, byte: u32) -> Position {
        let byte = byte.min(self.text.len() as u32);
        let line = self.starts.partition_point(|it| *it <= byte);
        let start = self.starts[line - 1];
        // A byte order mark at the start of the text is no column.
        let mark = u32::from(start == 0 && byte > 0 && self.text.starts_with('\u{feff}'));
        let column = self.characters_before(byte) - self.characters_before(start) - mark + 1;
        Position { line, column: column as usize }
    }

    /// The bytes of the lines from that of `first` to that of `last`, and the number of the first of them.
    pub(super) fn window(&self, first: u32, last: u32) -> (Span, usize) {
        let (first, last) = (self.position(first).line, self.position(last).line);
        let end = self.starts.get(last).copied().unwrap_or(self.text.len() as u32);
        (Span { start: self.starts[first - 1], end }, first)
    }

    /// The byte at which the line of `byte` ends, its line break not counted.
    pub(super) fn line_end(&self, byte: u32) -> u32 {
        let line = self.starts.partition_point(|it| *it <= byte);
        match self.starts.get(line) {
            Some(next) => {
                let end = *next as usize - 1;
                let cr = usize::from(end > 0 && self.text.as_bytes()[end - 1] == b'\r');
                ((end - cr) as u32).max(byte.min(*next - 1))
            }
            None => self.text.len() as u32,
        }
    }

    fn characters_before(&self, byte: u32) -> u32 {
        let block = byte as usize / BLOCK;
        self.counted[block] + characters(&self.text.as_bytes()[block * BLOCK..byte as usize])
    }
}

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|it| (**it & 0xC0) != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_that_the_source_counts() {
        let long = format!("{}\n{}é{}\r\nend", "a: é\n".repeat(700), "x".repeat(5000), "y".repeat(5000));
        for text in ["", "a", "\u{feff}a: b\nc", "é\r\nü: {}\r\n\n", &long] {
            let source = Source::new("x", text);
            let lines = Lines::new(&source);
            for byte in (0..=text.len() + 2).filter(|it| *it < 60 || it % 97 == 0) {
                assert_eq!(
                    lines.position(byte as u32),
                    source.position(byte as u32),
                    "byte {byte} of {text:.20}"
                );
            }
        }
    }

    #[test]
    fn a_line_ends_before_its_break() {
        let source = Source::new("x", "ab\r\ncd\n\nef");
        let lines = Lines::new(&source);
        let ends: Vec<u32> = [0, 1, 4, 7, 8, 10].map(|it| lines.line_end(it)).to_vec();
        assert_eq!(ends, [2, 2, 6, 7, 10, 10]);
        assert_eq!(lines.window(1, 5), (Span::new(0, 7), 1));
        assert_eq!(lines.window(8, 9), (Span::new(8, 10), 4));
    }
}
