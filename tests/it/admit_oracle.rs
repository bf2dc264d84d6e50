//! CRDs without end against the API server's own code: real files, and random changes of small CRDs.
//!
//! Ignored by default: needs `KOPF_CRD_ORACLE`, the path of the built oracle (`../shared/tools/oracle`).
//! `KOPF_CRD_SEED` and `KOPF_CRD_CASES` choose the random cases, `KOPF_CRD_FILES` a directory of manifests,
//! `KOPF_CRD_SHOW` prints the CRDs that are judged otherwise.

use crate::admit::errors_in;
use crate::admit::refused;
use crate::random_crd;
use crate::random_crd::Random;
use kopf_crd::crd;
use kopf_crd::server::admit;
use kopf_crd::yaml;
use kopf_crd::yaml::Node;
use serde_json::Value as Json;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;

/// What is new about an answer: errors by type, keyword and words, without names.
fn features(answer: &Json) -> Vec<String> {
    let said = &answer["crd"];
    let mut out: Vec<String> = Vec::new();
    for list in ["errors", "stored_errors"] {
        for it in said[list].as_array().into_iter().flatten() {
            let field = it["field"].as_str().unwrap_or_default();
            let keyword = field.rsplit(['.', ']']).next().unwrap_or_default();
            let detail: String = it["detail"].as_str().unwrap_or_default().chars().take(60).collect();
            let top = field.starts_with("spec.versions");
            out.push(format!("{list} {top} {keyword} {} {detail}", it["type"]));
        }
    }
    if let Some(error) = said["decode_error"].as_str() {
        out.push(error.rsplit('.').take(2).collect());
    }
    for it in said["strict_errors"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        out.push(format!("unknown {}", it.rsplit('.').next().unwrap_or_default()));
    }
    out.extend(said["warnings"].as_array().into_iter().flatten().map(Json::to_string));
    out
}

/// Appends the cases with something new, each with its answer, to the file `KOPF_CRD_RECORD`.
fn record(cases: &[(String, Json, Node)], answers: &BTreeMap<String, Json>) {
    let Ok(path) = std::env::var("KOPF_CRD_RECORD") else { return };
    let mut seen = std::collections::BTreeSet::new();
    let mut file = std::fs::File::create(path).expect("writable");
    for (id, crd, _) in cases {
        let Some(answer) = answers.get(id).filter(|it| it["error"].is_null()) else { continue };
        let unseen = features(answer).into_iter().filter(|it| seen.insert(it.clone())).count();
        if unseen > 0 {
            writeln!(file, "{}", json!({"id": id, "crd": crd, "answer": answer["crd"]})).expect("written");
        }
    }
}

/// What the oracle answers, by case.
pub(crate) fn ask(oracle: &str, cases: impl IntoIterator<Item = Json>) -> BTreeMap<String, Json> {
    let mut lines = tempfile::NamedTempFile::new().expect("a file");
    for case in cases {
        writeln!(lines, "{case}").expect("written");
    }
    let input = std::fs::File::open(lines.path()).expect("readable");
    let output = Command::new(oracle).args(["-j", "2"]).stdin(input).stdout(Stdio::piped()).output();
    let output = output.unwrap_or_else(|error| panic!("{oracle}: {error}"));
    let lines = String::from_utf8(output.stdout).expect("text");
    let answers = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    answers.map(|it| (it["id"].as_str().expect("an id").to_owned(), it)).collect()
}

/// Everything in which the model and the oracle differ.
fn differences(node: &Node, answer: &Json) -> Vec<String> {
    let (said, read) = (&answer["crd"], crd::read(node));
    let mut wrong = Vec::new();
    let mut differ = |what: &str, ours: Json, theirs: Json| {
        if ours == theirs {
            return;
        }
        let lists =
            (ours.as_array().cloned().unwrap_or_default(), theirs.as_array().cloned().unwrap_or_default());
        let only = |left: &[Json], right: &[Json]| -> Vec<String> {
            left.iter().filter(|it| !right.contains(it)).map(Json::to_string).collect()
        };
        match (only(&lists.0, &lists.1), only(&lists.1, &lists.0)) {
            (more, less) if more.len() + less.len() > 0 => {
                wrong.push(format!("{what}: only ours {more:?}, only the server's {less:?}"));
            }
            _ => wrong.push(format!("{what}: {ours} but the server {theirs}")),
        }
    };
    let message = read.undecodable.as_ref().map(|it| it.message.clone());
    // The name of the server's own registry is not ours to know.
    let theirs = said["decode_error"].as_str().map(|it| it.split(" in scheme").next().unwrap_or(it));
    differ("decode error", json!(message.is_some()), json!(theirs.is_some()));
    // Of several mismatches the server reports the first it meets, which depends on how keys are sorted on the way.
    if let (Some(ours), Some(theirs)) = (&message, theirs) {
        let known = read.mismatches.iter().any(|it| it.message == theirs);
        differ("decode error", json!(if known { theirs } else { ours }), json!(theirs));
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
                json!(refused(&ours)),
                json!(errors_in(&said["structural_errors"][&version.name])),
            );
        }
    }
    let (mut ours, theirs) = (refused(&admission.refusals), errors_in(&said["errors"]));
    if admission.unknown.is_empty() {
        differ("refusals", json!(ours), json!(theirs));
    } else {
        ours.retain(|it| !theirs.contains(it));
        differ("refusals beside the unknown", json!(ours), json!([]));
    }
    if !theirs.is_empty() && admission.unknown.is_empty() {
        differ(
            "stored",
            json!(refused(&admit::update(&crd, &crd).refusals)),
            json!(errors_in(&said["stored_errors"])),
        );
    }
    wrong
}

pub(crate) fn oracle() -> Option<String> {
    let oracle = std::env::var("KOPF_CRD_ORACLE").ok();
    if oracle.is_none() {
        eprintln!("skipped: KOPF_CRD_ORACLE is not set");
    }
    oracle
}

/// Whether the CRDs that are judged otherwise are printed.
fn shown() -> bool {
    std::env::var("KOPF_CRD_SHOW").is_ok()
}

fn compare(cases: Vec<(String, Json, Node)>) {
    let Some(oracle) = oracle() else { return };
    let answers = ask(&oracle, cases.iter().map(|(id, crd, _)| json!({"id": id, "crd": crd})));
    record(&cases, &answers);
    let mut count = 0;
    let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, crd, node) in &cases {
        let answer = &answers[id];
        if !answer["crd"]["yaml_error"].is_null() || !answer["error"].is_null() {
            continue;
        }
        let said = &answer["crd"];
        let fate = match (said["decode_error"].is_null(), said["errors"] == json!([])) {
            (false, _) => "undecodable",
            (_, true) => "accepted",
            _ => "refused",
        };
        *fates.entry(fate).or_default() += 1;
        let wrong = differences(node, answer);
        if !wrong.is_empty() {
            count += 1;
            if count <= 40 {
                eprintln!("{id}\n  {}", wrong.join("\n  "));
                if shown() {
                    eprintln!("  {crd}");
                }
            }
        }
    }
    eprintln!("{fates:?}");
    assert_eq!(count, 0, "of {} CRDs the server says otherwise of {count}", cases.len());
}

pub(crate) fn seed_and_count() -> (u64, u64) {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |it| it.parse().unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let (seed, count) = (number("KOPF_CRD_SEED", 1), number("KOPF_CRD_CASES", 2000));
    eprintln!("seed {seed}, {count} cases");
    (seed, count)
}

fn random(seed: u64, index: u64) -> Random {
    Random::new(seed.wrapping_mul(1_000_003).wrapping_add(index))
}

#[test]
#[ignore = "needs the oracle"]
fn random_updates_are_judged_as_the_server_judges_them() {
    let Some(oracle) = oracle() else { return };
    let (seed, count) = seed_and_count();
    let pairs: Vec<(Json, Json)> = (0..count).map(|it| random_crd::pair(&mut random(seed, it))).collect();
    let case = |(id, (old, new)): (usize, &(Json, Json))| json!({"id": id.to_string(), "crd": old, "steps": [{"op": "set-crd", "crd": new}]});
    let answers = ask(&oracle, pairs.iter().enumerate().map(case));
    let (mut wrong, mut judged, mut refusals) = (Vec::new(), 0, 0);
    for (index, (old, new)) in pairs.iter().enumerate() {
        let answer = &answers[&index.to_string()];
        let step = &answer["steps"][0];
        let read = |it: &Json| crd::read(&yaml::json::parse(&it.to_string()).expect("JSON").0);
        let (old_read, new_read) = (read(old), read(new));
        let (Some(old_crd), Some(new_crd), Some(code)) = (old_read.crd, new_read.crd, step["code"].as_u64())
        else {
            continue;
        };
        let admission = admit::update(&new_crd, &old_crd);
        if code == 400 || !admission.unknown.is_empty() {
            continue;
        }
        judged += 1;
        refusals += usize::from(code == 422);
        let (mut ours, mut theirs) = (refused(&admission.refusals), errors_in(&step["causes"]));
        // The oracle gives the new CRD the annotations of the old one.
        ours.retain(|it| !it.starts_with("metadata.annotations"));
        theirs.retain(|it| !it.starts_with("metadata.annotations"));
        if ours != theirs {
            wrong.push(format!("{index}: {ours:?} but the server {theirs:?}"));
            if shown() {
                wrong.push(format!("  {old}\n  {new}"));
            }
        }
    }
    eprintln!("{judged} judged, {refusals} refused");
    assert!(judged > pairs.len() / 10, "only {judged} updates of {} are judged", pairs.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs the oracle"]
fn random_crds_are_judged_as_the_server_judges_them() {
    let (seed, count) = seed_and_count();
    let case = |index: u64| {
        let crd = random_crd::crd(&mut random(seed, index));
        let node = yaml::json::parse(&crd.to_string()).expect("JSON").0;
        (format!("{seed}/{index}"), crd, node)
    };
    compare((0..count).map(case).collect());
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
