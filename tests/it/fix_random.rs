//! Random CRDs in random handwriting, mended: what holds of every mended text holds of these.
//!
//! `KOPF_CRD_SEED` and `KOPF_CRD_CASES` choose what is run; both are printed.

use std::fmt::Write;

use kopf_crd::check::Options;
use kopf_crd::rules::mend::Width;
use serde_json::{Map, Value as Json, json};

use super::door;
use super::fix::holds;
use super::random_crd::{self, Random};

/// How somebody writes YAML.
struct Hand {
    step: usize,
    /// Whether lists are indented below their key.
    lists: bool,
    /// One mapping in so many stands in braces.
    braces: usize,
    /// One line in so many has a comment.
    comments: usize,
    /// One string in so many stands in quotes.
    quotes: usize,
    /// Whether keys stand in quotes.
    keys: bool,
}

impl Hand {
    fn random(random: &mut Random) -> Self {
        Self {
            step: *random.pick(&[2, 2, 2, 4, 3]),
            lists: random.one_in(2),
            braces: *random.pick(&[2, 5, 1000]),
            comments: *random.pick(&[3, 10, 1000]),
            quotes: *random.pick(&[2, 1000]),
            keys: random.one_in(8),
        }
    }

    fn key(&self, key: &str) -> String {
        let plain =
            key.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-') && !matches!(key, "y" | "n" | "");
        let digits = key.starts_with(|it: char| it.is_ascii_digit() || it == '-');
        if plain && !digits && !self.keys { key.to_owned() } else { Json::from(key).to_string() }
    }

    fn scalar(&self, random: &mut Random, value: &Json) -> String {
        match value {
            Json::String(text) => {
                let plain = text.bytes().all(|it| it.is_ascii_alphabetic())
                    && text.len() > 3
                    && !matches!(&**text, "true" | "false" | "null");
                if plain && !random.one_in(self.quotes) { text.clone() } else { value.to_string() }
            }
            _ => value.to_string(),
        }
    }

    fn braces(&self, random: &mut Random, value: &Json) -> String {
        match value {
            Json::Object(map) => {
                let inner: Vec<String> = map
                    .iter()
                    .map(|(key, it)| format!("{}: {}", self.key(key), self.braces(random, it)))
                    .collect();
                let blank = if random.one_in(4) && !inner.is_empty() { " " } else { "" };
                format!("{{{blank}{}{blank}}}", inner.join(", "))
            }
            Json::Array(items) => {
                let inner: Vec<String> = items.iter().map(|it| self.braces(random, it)).collect();
                format!("[{}]", inner.join(", "))
            }
            scalar => self.scalar(random, scalar),
        }
    }

    fn comment(&self, random: &mut Random, indent: usize, out: &mut String) {
        if random.one_in(self.comments) {
            let shift = *random.pick(&[0, 0, 0, 2]);
            writeln!(out, "{}# said {}", " ".repeat(indent + shift), random.below(9)).unwrap();
        }
        if random.one_in(self.comments * 2) {
            out.push('\n');
        }
    }

    /// Writes the entries of a mapping; the first stands on the line that is begun if `begun`.
    fn mapping(
        &self,
        random: &mut Random,
        map: &Map<String, Json>,
        indent: usize,
        mut begun: bool,
        out: &mut String,
    ) {
        let mut entries: Vec<(&String, &Json)> = map.iter().collect();
        if random.one_in(2) {
            let by = random.below(entries.len());
            entries.rotate_left(by);
        }
        for (key, value) in entries {
            if !begun {
                self.comment(random, indent, out);
                out.push_str(&" ".repeat(indent));
            }
            begun = false;
            write!(out, "{}:", self.key(key)).unwrap();
            self.value(random, value, indent, out);
        }
    }

    fn value(&self, random: &mut Random, value: &Json, indent: usize, out: &mut String) {
        let tail = if random.one_in(self.comments) { " # so" } else { "" };
        match value {
            Json::Object(map) if !map.is_empty() && !random.one_in(self.braces) => {
                writeln!(out, "{tail}").unwrap();
                self.mapping(random, map, indent + self.step, false, out);
            }
            Json::Array(items) if !items.is_empty() && !random.one_in(self.braces) => {
                writeln!(out, "{tail}").unwrap();
                let indent = indent + if self.lists { self.step } else { 0 };
                for item in items {
                    write!(out, "{}- ", " ".repeat(indent)).unwrap();
                    match item {
                        Json::Object(map) if !map.is_empty() => {
                            self.mapping(random, map, indent + 2, true, out)
                        }
                        _ => writeln!(out, "{}", self.braces(random, item)).unwrap(),
                    }
                }
            }
            Json::String(text) if text.contains(' ') && random.one_in(3) => {
                let header = *random.pick(&["|", "|-", ">", "|+"]);
                writeln!(out, " {header}").unwrap();
                writeln!(out, "{}{text}", " ".repeat(indent + self.step)).unwrap();
                let gap: &str = ["", "", "\n"][random.below(3)];
                out.push_str(gap);
            }
            _ => writeln!(out, " {}{tail}", self.braces(random, value)).unwrap(),
        }
    }
}

/// A status that somebody may have written.
fn status(random: &mut Random) -> Json {
    let inner = match random.below(6) {
        0 => {
            json!({"type": "object", "properties": {"kopf": {"type": "object"}, "phase": {"type": "string", "description": "the phase of it"}}})
        }
        1 => json!({"type": "object"}),
        2 => {
            json!({"type": "object", "properties": {"kopf": {"type": "object", "properties": {"progress": {"type": "object", "additionalProperties": {"type": "object", "properties": {"retries": {"type": "integer"}}}}}}}})
        }
        3 => json!({"type": "object", "x-kubernetes-preserve-unknown-field": true}),
        4 => json!({"type": "object", "additionalProperties": {"type": "object"}}),
        _ => random_crd::schema(random, 3),
    };
    if random.one_in(8) { Json::Null } else { inner }
}

fn text(random: &mut Random) -> String {
    let mut crd = random_crd::crd(random);
    for pointer in ["/spec/versions/0/schema", "/spec/versions/1/schema", "/spec/validation"] {
        let pointer = format!("{pointer}/openAPIV3Schema/properties");
        if let Some(Json::Object(properties)) = crd.pointer_mut(&pointer)
            && random.one_in(2)
        {
            properties.insert("status".into(), status(random));
        }
    }
    if random.one_in(10) {
        crd = json!({"apiVersion": "v1", "kind": "List", "items": [crd, random_crd::crd(random)]});
    }
    if random.one_in(8) {
        return if random.one_in(2) { crd.to_string() } else { serde_json::to_string_pretty(&crd).unwrap() };
    }
    let hand = Hand::random(random);
    let mut out = String::from(*random.pick(&["", "---\n", "# head\n", "\u{feff}"]));
    let Json::Object(map) = &crd else { return crd.to_string() };
    hand.mapping(random, map, 0, false, &mut out);
    if random.one_in(6) {
        out.push_str("---\n");
        let Json::Object(map) = random_crd::crd(random) else { return out };
        hand.mapping(random, &map, 0, false, &mut out);
    }
    if random.one_in(5) {
        out.truncate(out.trim_end().len());
    }
    if random.one_in(5) { out.replace('\n', "\r\n") } else { out }
}

/// What operators write, as flags.
const CONTRACTS: [&str; 5] = [
    "--results none",
    "",
    "--result create_fn=object --result count=integer --result resize/spec.size=string",
    "--writes status.phase=string --writes status.a=object --writes status.list=array --writes spec.a=object",
    "--storage annotations --results unknown",
];

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

#[test]
fn random_crds_stay_whole() {
    let (seed, count) = (setting("KOPF_CRD_SEED", 1), setting("KOPF_CRD_CASES", 100));
    println!("KOPF_CRD_SEED={seed} KOPF_CRD_CASES={count}");
    let mut random = Random::new(seed);
    let mut mended = 0;
    for case in 0..count {
        let text = text(&mut random);
        let width = if random.one_in(4) { Width::Open } else { Width::Narrow };
        let flags = CONTRACTS[case as usize % CONTRACTS.len()];
        let name = format!("seed {seed}, case {case}, {width:?} {flags}:\n{text}\n");
        mended += u64::from(holds(&name, &text, &Options { width, ..door::options(flags) }));
    }
    println!("{mended} of {count} were mended");
    assert!(mended * 5 > count, "{mended} of {count}");
}
