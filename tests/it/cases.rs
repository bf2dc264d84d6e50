//! Every case: what is said of it, read as prose in the snapshot beside it; and the outcome that was agreed on.
//!
//! A case states how it is judged in comments, `# kopf-crd-test: FLAGS`, one a judgement; without, by the defaults.

use crate::door;
use kopf_crd::check::Report;
use kopf_crd::diagnostic::Severity;
use kopf_crd::render::Format;
use kopf_crd::verdict::Fate;
use kopf_crd::verdict::Verdict;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// All cases, by folder and name.
fn cases() -> Vec<PathBuf> {
    let entries = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).expect("a folder").map(|it| it.expect("an entry").path()).collect()
    };
    let folders = entries(&folder()).into_iter().filter(|it| it.is_dir());
    let mut found: Vec<PathBuf> = folders
        .flat_map(|it| entries(&it))
        .filter(|it| it.extension().is_some_and(|it| it == "yaml"))
        .collect();
    found.sort();
    found
}

fn flags(text: &str) -> Vec<&str> {
    let stated: Vec<&str> = text.lines().filter_map(|it| it.strip_prefix("# kopf-crd-test: ")).collect();
    if stated.is_empty() { vec![""] } else { stated }
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn what_is_said_of_every_case() {
    for path in cases() {
        let text = fs::read_to_string(&path).expect("a readable case");
        let mut shown = String::new();
        for flags in flags(&text) {
            let (source, report) = door::check(&name(&path), &text, flags);
            shown += &door::plain(&door::shown(Format::Text, &source, &report, flags));
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().expect("a folder"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        settings.bind(|| insta::assert_snapshot!(stem, shown));
    }
}

/// A judgement of a case.
struct Judged {
    report: Report,
}

impl Judged {
    fn rules(&self) -> Vec<&'static str> {
        door::rules(&self.report)
    }

    /// The verdicts on a path, in a version if one is named, else in the handled one.
    fn verdicts(&self, version: Option<&str>, path: &str) -> Vec<&Verdict> {
        let versions = self.report.crds.iter().flat_map(|it| &it.judgement.versions);
        versions
            .filter(|it| version.map_or(it.handled, |name| it.name == name))
            .flat_map(|it| &it.verdicts)
            .filter(|it| it.path.to_string() == path)
            .collect()
    }
}

#[test]
fn every_case_has_the_outcome_that_was_agreed_on() {
    let expected = fs::read_to_string(folder().join("EXPECT.tsv")).expect("the expectations");
    let cases = cases();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in expected.lines().skip(1) {
        let [file, severity, paths, _] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let path = cases.iter().find(|it| name(it) == file).unwrap_or_else(|| panic!("{file} is there"));
        let text = fs::read_to_string(path).expect("a readable case");
        let judged: Vec<Judged> = flags(&text)
            .into_iter()
            .map(|flags| Judged { report: door::check(file, &text, flags).1 })
            .collect();
        let gravest = judged.iter().filter_map(|it| it.report.gravest()).max().map_or("ok", Severity::name);
        if gravest != severity {
            let rules: Vec<_> = judged.iter().map(Judged::rules).collect();
            wrong.push(format!("{file}: {gravest} instead of {severity}: {rules:?}"));
        }
        for token in tokens(paths) {
            seen += 1;
            if let Err(why) = fits(&judged, token) {
                wrong.push(format!("{file}: {token}: {why}"));
            }
        }
    }
    assert!(seen > 90, "only {seen} outcomes were looked at");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The words of an outcome; spaces in parentheses do not part them.
fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found.retain(|it| it.contains('='));
    found
}

/// Outcomes that are a rule's to say.
const BY_RULE: [(&str, &[&str]); 13] = [
    ("crd=rejected", &["refused-crd"]),
    ("crd=undecodable", &["undecodable-crd"]),
    ("crd=v1beta1", &["removed-api"]),
    ("crd-field=unknown", &["misplaced-extension", "misplaced-subresources"]),
    ("schema-keyword=unknown", &["misspelt-extension"]),
    ("file=template", &["unrendered-template"]),
    ("file=unrendered-marker", &["unrendered-template"]),
    ("file=incomplete-crd", &["incomplete-crd"]),
    ("file=duplicate-key", &["duplicate-key"]),
    ("status-subresource=absent", &["no-status-subresource"]),
    ("annotation-size=unbounded", &["annotation-budget"]),
    ("column=", &["unwritten-column"]),
    ("builtin=", &["built-in-resource"]),
];

fn fits(judged: &[Judged], token: &str) -> Result<(), String> {
    if let Some((_, rules)) = BY_RULE.iter().find(|it| token.starts_with(it.0)) {
        let said = judged.iter().any(|it| it.rules().iter().any(|rule| rules.contains(rule)));
        return said.then_some(()).ok_or_else(|| format!("{rules:?} does not speak"));
    }
    let (left, right) = token.split_once('=').expect("an outcome");
    let (version, left) = match left.split_once(':') {
        Some((version, rest)) => (Some(version), rest),
        None => (None, left),
    };
    let (path, qualified) = match left.split_once('(') {
        Some((path, _)) => (path, true),
        None => (left.trim_end_matches("[].*"), false),
    };
    let path = path.replace("['", "[\"").replace("']", "\"]");
    let (word, detail) = right.split_once('(').map_or((right, ""), |it| (it.0, it.1.trim_end_matches(')')));
    let fate = match word {
        "kept" => Fate::Kept,
        "pruned" | "partial" => Fate::Pruned,
        "422" => Fate::Rejected,
        // A merge patch with a null removes the key, which is what the handler wants: nothing is lost.
        "removed" => Fate::Kept,
        // There is no schema to judge: the rule says it.
        "dropped" => return Ok(()),
        _ => return Err(format!("`{word}` is no outcome")),
    };
    let found: Vec<&Verdict> = judged.iter().flat_map(|it| it.verdicts(version, &path)).collect();
    let fates: Vec<Fate> = found.iter().map(|it| it.fate).collect();
    let good = match qualified {
        true => fates.contains(&fate),
        false => !fates.is_empty() && fates.iter().all(|it| *it == fate),
    };
    if !good {
        return Err(format!("{fates:?}"));
    }
    if word == "partial" {
        let lost: Vec<&String> = found.iter().flat_map(|it| &it.lost).collect();
        let all =
            detail.trim_end_matches(" lost").split(',').all(|name| lost.iter().any(|it| it.ends_with(name)));
        return all.then_some(()).ok_or_else(|| format!("lost are {lost:?}"));
    }
    if let Some(storage) = detail.strip_prefix("storage ") {
        let via = found.iter().all(|it| it.via.as_deref() == Some(storage));
        return via.then_some(()).ok_or_else(|| "not by the storage version".to_owned());
    }
    Ok(())
}
