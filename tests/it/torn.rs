//! Torn and mixed-up manifests: whatever comes in, a report comes out in every format, and its places lie in the text.

use crate::door;
use kopf_crd::render::{FORMATS, Format};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A sequence that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// What is put into a text that is torn.
const SCRAPS: [&str; 24] = [
    "\t",
    "\r\n",
    "é",
    "\u{feff}",
    "\0",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    "---\n",
    "...\n",
    "&a ",
    "*a ",
    "<<: ",
    "!!binary ",
    "|\n",
    "{{ .Values.x }}",
    "null",
    "x-kubernetes-preserve-unknown-fields: true\n",
    "# kopf-crd: allow(pruned-status)\n",
];

fn torn(text: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.roll(4) {
        let mut at = dice.roll(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + dice.roll(40)).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        match dice.roll(5) {
            0 => text.truncate(at),
            1 => text.replace_range(at..end.max(at), ""),
            2 => {
                let again = text[at..end.max(at)].to_owned();
                text.insert_str(at, &again);
            }
            _ => text.insert_str(at, SCRAPS[dice.roll(SCRAPS.len())]),
        }
    }
    text
}

fn texts() -> Vec<String> {
    let mut found = Vec::new();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders: Vec<_> = fs::read_dir(cases).expect("the cases").flatten().map(|it| it.path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|it| it.is_dir()) {
        let mut files: Vec<_> =
            fs::read_dir(folder).expect("a folder").flatten().map(|it| it.path()).collect();
        files.sort();
        let yaml = files.into_iter().filter(|it| it.extension().is_some_and(|it| it == "yaml"));
        found.extend(yaml.map(|it| fs::read_to_string(it).expect("a case")));
    }
    found
}

#[test]
fn every_text_has_a_report_in_every_format() {
    let seed = std::env::var("KOPF_CRD_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(20_261_201);
    println!("KOPF_CRD_SEED={seed}");
    let mut dice = Dice(seed);
    for text in texts() {
        for _ in 0..4 {
            let torn = torn(&text, &mut dice);
            let (source, report) = door::check("torn.yaml", &torn, "--result create_fn=object");
            for (_, format) in FORMATS {
                let shown = door::shown(format, &source, &report, "");
                if format == Format::Json {
                    let _: Value =
                        serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}:\n{torn}"));
                }
            }
            for diagnostic in &report.diagnostics {
                for label in &diagnostic.labels {
                    let range = label.span.range();
                    let inside = range.start <= range.end && torn.get(range).is_some();
                    assert!(inside, "{}: {:?} is not in the text:\n{torn}", diagnostic.rule, label.span);
                }
                let edits = diagnostic.fix.iter().flat_map(|it| &it.edits);
                let whole = edits.into_iter().all(|it| torn.get(it.span.range()).is_some());
                assert!(whole, "{}: an edit is not in the text:\n{torn}", diagnostic.rule);
            }
        }
    }
}
