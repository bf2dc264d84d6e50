//! CRDs without end against the API server's own code: real files, and random changes of small CRDs.
//!
//! Ignored by default: needs `KOPF_CRD_ORACLE`, the path of the built oracle (`../shared/tools/oracle`).
//! `KOPF_CRD_SEED` and `KOPF_CRD_CASES` choose the random cases, `KOPF_CRD_FILES` a directory of manifests.

use kopf_crd::crd;
use kopf_crd::server::admit;
use kopf_crd::server::admit::Refusal;
use kopf_crd::yaml;
use kopf_crd::yaml::Node;
use serde_json::Value as Json;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;

/// What the oracle answers, by case.
fn ask(oracle: &str, cases: &[(String, Json)]) -> BTreeMap<String, Json> {
    let mut lines = tempfile::NamedTempFile::new().expect("a file");
    for (id, crd) in cases {
        writeln!(lines, "{}", json!({"id": id, "crd": crd})).expect("written");
    }
    let input = std::fs::File::open(lines.path()).expect("readable");
    let output = Command::new(oracle).args(["-j", "2"]).stdin(input).stdout(Stdio::piped()).output();
    let output = output.unwrap_or_else(|error| panic!("{oracle}: {error}"));
    let lines = String::from_utf8(output.stdout).expect("text");
    let answers = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    answers.map(|it| (it["id"].as_str().expect("an id").to_owned(), it)).collect()
}

fn keys(errors: &Json) -> Vec<String> {
    let errors = errors.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |it: &Json, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let mut out: Vec<String> =
        errors.iter().map(|it| format!("{} {}", text(it, "field"), text(it, "type"))).collect();
    out.sort();
    out
}

fn ours(refusals: &[Refusal]) -> Vec<String> {
    let mut out: Vec<String> =
        refusals.iter().map(|it| format!("{} {}", it.error.field, it.error.ty)).collect();
    out.sort();
    out
}

/// Everything in which the model and the oracle differ.
fn differences(node: &Node, answer: &Json) -> Vec<String> {
    let (said, read) = (&answer["crd"], crd::read(node));
    let mut wrong = Vec::new();
    let mut differ = |what: &str, ours: Json, theirs: Json| {
        if ours != theirs {
            wrong.push(format!("{what}: {ours} but the server {theirs}"));
        }
    };
    let message = read.undecodable.as_ref().map(|it| it.message.clone());
    let theirs = said["decode_error"].as_str();
    differ("decode error", json!(message.is_some()), json!(theirs.is_some()));
    if let (Some(ours), Some(theirs)) = (&message, theirs) {
        differ("decode error", json!(ours), json!(theirs));
    }
    let (Some(crd), None, None) = (read.crd.clone(), &message, theirs) else { return wrong };
    let mut strict = read.strict_errors();
    strict.sort();
    strict.dedup();
    strict.truncate(100);
    let mut theirs: Vec<Json> = said["strict_errors"].as_array().cloned().unwrap_or_default();
    theirs.retain(|it| !it.as_str().unwrap_or_default().starts_with("duplicate"));
    theirs.sort_by_key(Json::to_string);
    if strict.len() < 100 {
        differ("strict errors", json!(strict), json!(theirs));
    }
    let admission = admit::create(&crd);
    differ("warnings", json!(admission.warnings), said.get("warnings").cloned().unwrap_or(json!([])));
    for (index, version) in crd.versions.iter().enumerate() {
        let ours = version.schema.as_ref().map(|it| admit::structural_errors(it, index)).unwrap_or_default();
        let unique = crd.versions.iter().filter(|it| it.name == version.name).count() == 1;
        if unique {
            differ(
                "structural",
                json!(self::ours(&ours)),
                json!(keys(&said["structural_errors"][&version.name])),
            );
        }
    }
    let theirs = keys(&said["errors"]);
    if admission.unknown.is_empty() {
        differ("refusals", json!(ours(&admission.refusals)), json!(theirs));
    } else {
        let mut missing = ours(&admission.refusals);
        missing.retain(|it| !theirs.contains(it));
        differ("refusals beside the unknown", json!(missing), json!([]));
    }
    if !theirs.is_empty() && admission.unknown.is_empty() {
        differ("stored", json!(ours(&admit::stored(&crd))), json!(keys(&said["stored_errors"])));
    }
    wrong
}

fn oracle() -> Option<String> {
    let oracle = std::env::var("KOPF_CRD_ORACLE").ok();
    if oracle.is_none() {
        eprintln!("skipped: KOPF_CRD_ORACLE is not set");
    }
    oracle
}

fn compare(cases: Vec<(String, Json, Node)>) {
    let Some(oracle) = oracle() else { return };
    let lines: Vec<(String, Json)> = cases.iter().map(|it| (it.0.clone(), it.1.clone())).collect();
    let answers = ask(&oracle, &lines);
    let mut count = 0;
    for (id, crd, node) in &cases {
        let answer = &answers[id];
        if !answer["crd"]["yaml_error"].is_null() || !answer["error"].is_null() {
            continue;
        }
        let wrong = differences(node, answer);
        if !wrong.is_empty() {
            count += 1;
            if count <= 40 {
                eprintln!("{id}\n  {}", wrong.join("\n  "));
                if crd.is_object() {
                    eprintln!("  {crd}");
                }
            }
        }
    }
    assert_eq!(count, 0, "of {} CRDs the server says otherwise of {count}", cases.len());
}

#[test]
#[ignore = "needs the oracle and a directory of manifests"]
fn real_files_are_judged_as_the_server_judges_them() {
    let Ok(dir) = std::env::var("KOPF_CRD_FILES") else {
        return eprintln!("skipped: KOPF_CRD_FILES is not set");
    };
    let mut cases = Vec::new();
    documents_below(Path::new(&dir), &mut cases);
    eprintln!("{} CRDs", cases.len());
    assert!(!cases.is_empty(), "no CRD in {dir}");
    compare(cases);
}

fn documents_below(dir: &Path, cases: &mut Vec<(String, Json, Node)>) {
    let mut paths: Vec<_> =
        std::fs::read_dir(dir).expect("a directory").flatten().map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => documents_below(&path, cases),
            false => documents(&path, cases),
        }
    }
}

fn documents(file: &Path, cases: &mut Vec<(String, Json, Node)>) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    for document in yaml::parse(&text).documents {
        let id = format!("{}#{}", file.display(), document.number);
        let node = document.root;
        if crd::is_crd(&node).is_some() {
            cases.push((id, Json::from(&text[document.span.range()]), node));
        }
    }
}
