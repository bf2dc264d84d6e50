//! Random YAML against the server's own libraries: mutated snippets, answered by us and by the oracle.
//!
//! Skipped where there is no oracle: `KOPF_CRD_ORACLE` names it, else `target/oracle`. `KOPF_CRD_SEED` and
//! `KOPF_CRD_CASES` choose what is run; both are printed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kopf_crd::yaml::client::answer;
use serde_json::{Value as Json, json};

/// A small generator of numbers (xorshift), so that a seed gives the same cases everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn oracle() -> Option<PathBuf> {
    let named = std::env::var_os("KOPF_CRD_ORACLE").map(PathBuf::from);
    let path = named.unwrap_or_else(|| root().join("target/oracle"));
    path.exists().then_some(path)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

const SNIPPETS: &[&str] = &[
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: xs.example.com\nspec:\n  group: example.com\n  versions:\n  - name: v1\n    served: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n",
    "# head\na:   # tail\n  - b: 1   # one\n    c: [x, 'y', \"z\\n\"]\n  -   d: {e: f, g: [1, 2]}\n\n  # between\n  - |-\n    text: here\n     more\n  - >+\n    folded\n    text\n\n  - last\n",
    "base: &base\n  x: 1\n  list: &l [a, b]\nother:\n  <<: *base\n  y: *l\nthird: {<<: [*base, {z: 3}], x: 2}\n",
    "description: This is a text\n  that goes on: no\nurl: http://x:80/y#z\nq: 'it''s'\nw: \"a\\tb\\u00e9 \\\n  c\"\ne: !!str 12\nr: !!int \"7\"\nt: ! 5\n",
    "? complex\n: value\n? - seq\n  - key\n: - v\nkey with spaces: v\n\"quoted\": v\n-1: v\n.5: v\n",
    "{\"a\": [1, 2.5, -3e2, true, null], \"b\": {\"c\": \"d\\u0041\\\"\"}, \"e\": []}\n",
    "{\"a\": 1}\n{\"b\": 2}\n---\nc: 3\n",
    "%YAML 1.1\n%TAG !e! tag:example.com,2000:\n---\na: !e!x y\n...\n---\nb: 2\n--- # c\nd: |\n ---\n e\n",
    "- - - a\n    - b\n  - c\n- - d\n-\n  - e\n- ? f\n- : g\n- {h: i, j, k: }\n",
    "é: ü\n日本: [語, 'に', \"ほ\"]\nemoji: 😀 # 😀\n\u{feff}b: 1\n",
    "a: 1_000\nb: 0o17\nc: 017\nd: 0x1F\ne: 1e3\nf: .inf\ng: 2001-12-14\nh: ~\ni: yes\nj: 'on'\nk: 08\nl: -0b11\nm: 1:30\nn: +.5\n",
    "a: \r\n  b: |\r\n    x\r\n\r\n    y\r\n  c: 'p\r\n    q'\r\nd:\r\n- e\r\n",
    "key: value\n\n\nlist:\n  - a\n\n  - b\n\n# end\n",
    "a: !!binary aGVs\n  bG8=\nb: !!float 3\nc: !!bool yes\nd: !!null ''\ne: !!timestamp 2001-1-1\nf: !local {x: y}\n",
];

const BITS: &[&str] = &[
    " ", "  ", "\t", "\n", "\r\n", "\n  ", "\n- ", ": ", ":", "-", "- ", "?", "? ", "[", "]", "{", "}", ",",
    "#", " #", "&a ", "*a", "*base", "!", "!!str ", "!!int ", "|", "|\n", ">", "|2-", "'", "\"", "%", "@",
    "`", "~", "<<", "<<: ", "=", ".", "...", "\n...\n", "---", "\n---\n", "\n--- ", "0", "1", "_", "e", "E",
    "x", "y", "on", "null", "0x", "0b", "+", "\\", "\\n", "\\x41", "\\/", "é", "\u{feff}", "\u{85}",
    "\u{a0}", "\u{2028}", "''", "\"\"", "{}", "[]", "{{ x }}", "a", "b: 1\n", "!<x>", "!e!",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(random: &mut Random, text: &str, snippets: &[String]) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let at = boundary(&text, random.below(text.len() + 1));
        match random.below(9) {
            0..=2 => text.insert_str(at, random.pick::<&str>(BITS)),
            3 => {
                let end = boundary(&text, (at + 1 + random.below(3)).min(text.len()));
                text.replace_range(at.min(end)..end.max(at), "");
            }
            4 => {
                let end = boundary(&text, (at + 1 + random.below(2)).min(text.len()));
                text.replace_range(at.min(end)..end.max(at), random.pick::<&str>(BITS));
            }
            5 => text.truncate(at),
            6 => lines(random, &mut text),
            7 => {
                let other = random.pick(snippets);
                let from = boundary(other, random.below(other.len() + 1));
                let to = boundary(other, (from + random.below(40)).min(other.len()));
                text.insert_str(at, &other[from.min(to)..to.max(from)]);
            }
            _ => indent(random, &mut text),
        }
    }
    text
}

fn lines(random: &mut Random, text: &mut String) {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    if all.is_empty() {
        return;
    }
    let (from, to) = (random.below(all.len()), random.below(all.len()));
    let line = all[from];
    if random.below(2) == 0 {
        all.remove(from);
    }
    all.insert(to.min(all.len()), line);
    *text = all.concat();
}

fn indent(random: &mut Random, text: &mut String) {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|it| it.0 + 1))
        .filter(|it| *it < text.len())
        .collect();
    if starts.is_empty() {
        return;
    }
    let at = *random.pick(&starts);
    if random.below(2) == 0 {
        text.insert_str(at, random.pick::<&str>(&[" ", "  ", "\t"]));
    } else if text[at..].starts_with(' ') {
        text.remove(at);
    }
}

/// Pieces of the real files that are at hand.
fn real_snippets(random: &mut Random) -> Vec<String> {
    let mut found: Vec<String> = SNIPPETS.iter().map(|it| (*it).to_owned()).collect();
    let cases = std::fs::read_to_string(root().join("tests/vectors/yaml/cases.jsonl"))
        .expect("the vectors are there");
    for line in cases.lines().filter(|it| it.len() < 2000) {
        let case: Json = serde_json::from_str(line).expect("a JSON line");
        found.push(case["yaml"].as_str().expect("a text").to_owned());
    }
    for dir in ["../shared/corpus", "../shared/cases"] {
        let Ok(entries) = std::fs::read_dir(root().join(dir)) else { continue };
        let mut paths: Vec<PathBuf> =
            entries.flatten().map(|it| it.path()).filter(|it| it.is_file()).collect();
        paths.sort();
        for path in paths {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for _ in 0..4 {
                let from = random.below(lines.len());
                let lines = &lines[from..(from + 2 + random.below(25)).min(lines.len())];
                found.push(outdented(lines));
            }
        }
    }
    found
}

/// Lines without the indentation of the first.
fn outdented(lines: &[&str]) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let indentation = lines.first().map_or(0, |it| blanks(it));
    lines.iter().map(|it| &it[blanks(it).min(indentation)..]).collect()
}

fn ask(oracle: &Path, cases: &[String]) -> Vec<Json> {
    let mut child = Command::new(oracle)
        .arg("-yaml")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines: Vec<String> =
        cases.iter().map(|it| json!({"id": "x", "yaml": it}).to_string() + "\n").collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.concat().as_bytes()));
    let output = child.wait_with_output().expect("the oracle answers");
    writer.join().expect("the writer ends").expect("the oracle reads");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|it| serde_json::from_str(it).unwrap_or(Json::Null)).collect()
}

/// Compares two numbers or trees of them; Go and Rust may print one float in two ways.
fn parsed(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| Json::String(format!("unparsed:{text}")))
}

fn differences(text: &str, theirs: &Json) -> Vec<String> {
    let ours = answer(text);
    let docs: Vec<Json> = ours.docs.iter().map(|it| parsed(it)).collect();
    let ours = json!({
        "json": ours.json.as_deref().map(parsed),
        "error": ours.error.is_some(),
        "strict_error": ours.strict_error.is_some(),
        "docs": docs,
        "docs_error": ours.docs_error.is_some(),
        "docs_skipped": ours.docs_skipped,
    });
    let text_of = |field: &str| theirs.get(field).is_some_and(Json::is_string);
    let theirs_comparable = json!({
        "json": theirs.get("json"),
        "error": text_of("error"),
        "strict_error": text_of("strict_error"),
        "docs": theirs.get("docs").cloned().unwrap_or(json!([])),
        "docs_error": text_of("docs_error"),
        "docs_skipped": theirs.get("docs_skipped").cloned().unwrap_or(json!(0)),
    });
    let fields = ["json", "error", "strict_error", "docs", "docs_error", "docs_skipped"];
    fields.iter().filter(|it| ours[**it] != theirs_comparable[**it]).map(|it| (*it).to_owned()).collect()
}

#[test]
fn random_texts_are_answered_as_by_the_servers_libraries() {
    let Some(oracle) = oracle() else {
        println!("skipped: no oracle (set KOPF_CRD_ORACLE)");
        return;
    };
    let (seed, count) = (setting("KOPF_CRD_SEED", 1), setting("KOPF_CRD_CASES", 2000) as usize);
    println!("KOPF_CRD_SEED={seed} KOPF_CRD_CASES={count}");
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let snippets = real_snippets(&mut random);
    let cases: Vec<String> = (0..count)
        .map(|_| {
            let snippet = random.pick(&snippets).clone();
            mutate(&mut random, &snippet, &snippets)
        })
        .collect();
    let answers = ask(&oracle, &cases);
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for (text, theirs) in cases.iter().zip(&answers) {
        let fields = differences(text, theirs);
        if !fields.is_empty() {
            let error = answer(text).error;
            wrong.push(format!("{fields:?}\n  text {text:?}\n  theirs {theirs}\n  our error {error:?}"));
        }
    }
    if let Some(path) = std::env::var_os("KOPF_CRD_DIFFERENCES") {
        std::fs::write(path, wrong.join("\n")).expect("a writable file");
    }
    // Go takes one of two keys that collide in JSON by chance, and the parser crate differs on texts that are no
    // mapping at all, on odd tags, and on the line separator U+2028.
    assert!(
        wrong.len() * 100 <= count,
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
