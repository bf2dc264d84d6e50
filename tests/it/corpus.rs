//! Real CRDs of real Kopf operators: none crashes the judge, and its verdicts are those of the API server's own code.

use crate::door;
use kopf_crd::check::Report;
use kopf_crd::diagnostic::Severity;
use kopf_crd::verdict::Verdict;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let there = dir.join("INDEX.tsv").exists();
    if !there {
        println!("skipped: ../shared is not here");
    }
    there.then_some(dir)
}

/// The fate of a slot in the version that the row names.
fn fate(report: &Report, crd: &str, version: &str, path: &str) -> Option<&'static str> {
    let crd = report.crds.iter().find(|it| it.crd.name == crd)?;
    let version = crd.judgement.versions.iter().find(|it| it.name == version)?;
    let slot = |it: &&Verdict| it.path.to_string() == path || it.slot == "peering";
    version.verdicts.iter().find(slot).map(|it| it.fate.name())
}

#[test]
fn verdicts_on_real_crds_are_those_of_the_server() {
    let Some(dir) = corpus() else { return };
    let index = fs::read_to_string(dir.join("INDEX.tsv")).expect("the index");
    let mut lines = index.lines();
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let column = |name: &str| head.iter().position(|it| *it == name).expect("a column");
    let (file, crd, version, answer) =
        (column("file"), column("crd"), column("version"), column("api_server_code_v0.37.2"));
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let (mut compared, mut wrong) = (0, Vec::new());
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let text = texts
            .entry(row[file])
            .or_insert_with(|| fs::read_to_string(dir.join(row[file])).expect("a file"));
        for (key, flags, path) in [
            ("progress", "--results none", "status.kopf.progress"),
            ("dict", "--result create_fn=object", "status.create_fn"),
            ("scalar", "--result create_fn=string", "status.create_fn"),
        ] {
            let (_, report) = door::check(row[file], text, flags);
            compared += 1;
            let answer = row[answer].trim_matches('"');
            let Some(said) = answer.split(';').find_map(|it| it.strip_prefix(key)?.strip_prefix('=')) else {
                // What the server does not take, or nobody can read, is an error here.
                if report.gravest() != Some(Severity::Error) {
                    wrong.push(format!("{}: no error, where the server says {answer}", row[file]));
                }
                continue;
            };
            let said = said.split([' ', '[']).next().unwrap_or_default();
            let said = if said == "422" { "rejected" } else { said };
            let refused = answer.contains("INVALID:") && report.crds.iter().any(|it| !it.accepted);
            let got = fate(&report, row[crd], row[version], path);
            // What CEL rules decide may be beyond the model, which says so.
            let open = got == Some("unknown") && text.contains("x-kubernetes-validations");
            if got != Some(said) && !refused && !open {
                wrong.push(format!("{} {} {} {key}: {got:?}, not {said}", row[file], row[crd], row[version]));
            }
        }
    }
    assert!(compared > 200, "only {compared} verdicts were compared");
    assert!(wrong.is_empty(), "{} of {compared} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
