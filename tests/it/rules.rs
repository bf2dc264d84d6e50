//! Rules: their pages tell the truth, their comments and levels are heard.

use crate::door;
use kopf_crd::diagnostic::Safety;
use kopf_crd::diagnostic::Severity;
use kopf_crd::rules;
use std::fs;
use std::path::Path;

/// An example of a page: `bad` or `good`, its flags, its text.
fn examples(page: &str) -> Vec<(bool, String, String)> {
    let mut found = Vec::new();
    for part in page.split("```yaml ").skip(1) {
        let (info, rest) = part.split_once('\n').expect("an info line");
        let (text, _) = rest.split_once("```").expect("a closed example");
        let (word, flags) = info.split_once(' ').unwrap_or((info, ""));
        assert!(["bad", "good"].contains(&word), "`{info}` says neither bad nor good");
        found.push((word == "bad", flags.to_owned(), text.to_owned()));
    }
    found
}

#[test]
fn pages_tell_the_truth() {
    let mut wrong = Vec::new();
    for rule in rules::ALL {
        let examples = examples(rule.docs);
        assert!(
            examples.iter().any(|it| it.0) && examples.iter().any(|it| !it.0),
            "{}: bad and good",
            rule.name
        );
        for (bad, flags, text) in examples {
            let (_, report) = door::check("page.yaml", &door::whole_crd(&text), &flags);
            let said = door::rules(&report);
            if bad && !said.contains(&rule.name) {
                wrong.push(format!("{}: its bad example gives {said:?}", rule.name));
            }
            if bad {
                let own = report.diagnostics.iter().find(|it| it.rule == rule.name);
                let safety = own.and_then(|it| it.fix.as_ref()).map(|it| it.safety);
                let promised = match safety {
                    Some(Safety::Safe) => "`cargo kopf-crd fix` ",
                    Some(Safety::Unsafe) => "`cargo kopf-crd fix --unsafe` ",
                    None => "",
                };
                let promises = rule.docs.contains("`cargo kopf-crd fix");
                if !rule.docs.contains(promised) || promises != safety.is_some() {
                    wrong.push(format!("{}: its finding is mended: {safety:?}", rule.name));
                }
            }
            let grave = report.diagnostics.iter().filter(|it| it.severity == Severity::Error);
            let grave: Vec<_> = grave.map(|it| it.message.clone()).collect();
            if !bad && (said.contains(&rule.name) || !grave.is_empty()) {
                wrong.push(format!("{}: its good example gives {said:?} {grave:?}", rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The file of a rule has its name; in Rust `-` and `.` are `_`.
fn stem(rule: &str) -> String {
    rule.replace(['-', '.'], "_")
}

#[test]
fn a_rule_is_named_as_its_file_its_page_and_its_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = rules::ALL.iter().map(|it| stem(it.name)).collect();
    for rule in rules::ALL {
        let stem = stem(rule.name);
        let code =
            fs::read_to_string(root.join(format!("src/rules/{stem}.rs"))).expect("a file of the rule's name");
        assert!(code.contains(&format!("name: \"{}\"", rule.name)), "{stem}.rs states the name");
        assert!(rule.docs.starts_with(&format!("# {}\n", rule.name)), "{stem}.md starts with the name");
        let cases = root.join("tests/cases").join(rule.name);
        assert!(cases.is_dir(), "{} has cases", rule.name);
        assert!(!rule.summary().is_empty(), "{} has a summary", rule.name);
    }
    let mut files: Vec<String> = fs::read_dir(root.join("src/rules"))
        .expect("the rules")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .map(|it| it.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    files.sort();
    assert_eq!(names, files, "every page has a rule");
}

#[test]
fn the_readme_lists_every_rule() {
    let row = |it: &&rules::Rule| {
        let level = format!("{:?}", it.severity).to_lowercase();
        format!("| [`{}`](src/rules/{}.md) | {level} | {} |", it.name, stem(it.name), it.summary())
    };
    let table: Vec<String> = rules::ALL.iter().map(row).collect();
    let readme = include_str!("../../README.md");
    let listed: Vec<&str> = readme.lines().filter(|it| it.contains("](src/rules/")).collect();
    assert_eq!(listed, table);
}

const CLOSED: &str = "status:
  type: object
  properties:
    phase:
      type: string
";

#[test]
fn comments_allow_a_rule_on_their_line_or_the_next() {
    let status = |first: &str| CLOSED.replace("status:", first);
    let cases = [
        (status("status:"), 1),
        (status("status: # kopf-crd: allow(pruned-status) kept in annotations"), 0),
        (status("# kopf-crd: allow(pruned-status) kept in annotations\nstatus:"), 0),
        (status("# kopf-crd: allow(other, pruned-status)\n# another comment\nstatus:"), 0),
        (status("# kopf-crd: allow(pruned-result) another rule\nstatus:"), 1),
        (status("# kopf-crd: allow(pruned-status) too far away\nspec: {type: object}\nstatus:"), 1),
    ];
    for (text, expected) in cases {
        let (_, report) = door::check("x.yaml", &door::whole_crd(&text), "--results none");
        assert_eq!(report.diagnostics.len(), expected, "{text}{:?}", door::rules(&report));
        assert_eq!(report.silenced, 1 - expected, "{text}");
    }
}

#[test]
fn levels_of_rules_and_groups() {
    let open_kopf = "status: {type: object, properties: {kopf: {type: object, x-kubernetes-preserve-unknown-fields: true}}}";
    let cases = [
        (CLOSED, "", Some(Severity::Error)),
        (CLOSED, "--allow pruned-status", None),
        (CLOSED, "--warn pruned-status", Some(Severity::Warning)),
        (CLOSED, "--warn pruned-status --deny warnings", Some(Severity::Error)),
        (CLOSED, "--allow pruned-status --deny pruned-status", Some(Severity::Error)),
        (open_kopf, "", Some(Severity::Warning)),
        (open_kopf, "--deny warnings", Some(Severity::Error)),
        (open_kopf, "--deny warnings --allow pruned-result", None),
        (open_kopf, "--allow warnings", None),
    ];
    for (text, flags, expected) in cases {
        let (_, report) = door::check("x.yaml", &door::whole_crd(text), flags);
        assert_eq!(report.gravest(), expected, "{flags} on {text}");
    }
}

#[test]
fn scope_counts_what_it_leaves_out() {
    let text = door::whole_crd(CLOSED);
    for (flags, judged) in [
        ("--only widgets.example.com", 1),
        ("--only example.com", 1),
        ("--only Widget", 1),
        ("--only crds/x.yaml", 1),
        ("--only crds/", 1),
        ("--only other.example.com", 0),
        ("--skip *.example.com", 0),
        ("--only widgets --skip example.com", 0),
    ] {
        let (_, report) = door::check("crds/x.yaml", &text, flags);
        assert_eq!((report.crds.len(), report.skipped.out_of_scope), (judged, 1 - judged), "{flags}");
        assert_eq!(report.diagnostics.is_empty(), judged == 0, "{flags}");
    }
}
