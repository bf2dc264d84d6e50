//! Thousands of real CRDs against the API server's own verdicts (`../shared/bench/VERDICTS.tsv`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use kopf_crd::crd;
use kopf_crd::server::admit;
use kopf_crd::server::{Endpoint, Serving};
use kopf_crd::yaml;
use serde_json::{Value, json};

/// One row of the table, without the file and the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    api: String,
    name: String,
    version: String,
    accepted: String,
    verdict: String,
    lost: String,
    errors: String,
}

/// What is written: the whole of what Kopf keeps in a status.
fn status() -> Value {
    json!({ "kopf": {
        "progress": { "create_fn": {
            "started": "2026-01-01T12:00:00.123456+00:00", "delayed": "2026-01-01T12:00:01.123456+00:00",
            "purpose": "create", "retries": 1, "success": false, "failure": false, "message": "boom",
            "subrefs": ["a/b"],
        } },
        "dummy": "2026-01-01T12:00:00.123456+00:00",
        "last-handled-configuration": "{\"spec\":{}}",
    } })
}

pub(crate) fn unpacked() -> Option<PathBuf> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/crds.tar.xz");
    if !archive.exists() {
        println!("skipped: ../shared is not here");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    if !folder.join("crds/SOURCES.tsv").exists() {
        fs::create_dir_all(&folder).expect("a folder below target");
        let unpacked = Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&folder).status();
        if !unpacked.is_ok_and(|it| it.success()) {
            println!("skipped: tar or xz is not here");
            return None;
        }
    }
    Some(folder.join("crds"))
}

#[test]
fn real_crds_fare_as_on_the_api_server() {
    let Some(folder) = unpacked() else { return };
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/VERDICTS.tsv");
    let table = fs::read_to_string(table).expect("the table is beside the archive");
    let mut files: BTreeMap<&str, BTreeMap<usize, Vec<Row>>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, doc, rest @ ..] = &cells[..] else { panic!("a short row: {line}") };
        let cell = |at: usize| rest.get(at).copied().unwrap_or_default().to_owned();
        let row = Row {
            api: cell(0),
            name: cell(1),
            version: cell(2),
            accepted: cell(3),
            verdict: cell(4),
            lost: cell(5),
            errors: cell(6),
        };
        files.entry(file).or_default().entry(doc.parse().expect("a number")).or_default().push(row);
    }
    let (rows, unknown, wrong) = (Mutex::new(0), Mutex::new(0), Mutex::new(Vec::new()));
    let queue = Mutex::new(files.iter());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (folder, queue, rows, unknown, wrong) = (&folder, &queue, &rows, &unknown, &wrong);
            scope.spawn(move || {
                loop {
                    let Some((file, documents)) = queue.lock().expect("no panic").next() else { break };
                    let bytes = fs::read(folder.join(file)).expect("the file is in the archive");
                    let judged = judge(&String::from_utf8_lossy(&bytes));
                    for (document, want) in documents {
                        *rows.lock().expect("no panic") += want.len();
                        let got = judged.get(document).cloned().unwrap_or_default();
                        for (want, got) in pairs(want, &got) {
                            match got {
                                Some((_, uncertain)) if want.is_none() && *uncertain => {}
                                Some((_, true)) => *unknown.lock().expect("no panic") += 1,
                                got if want == got.map(|it| &it.0) => {}
                                got => wrong.lock().expect("no panic").push(format!(
                                    "{file} document {document}\n  server {want:?}\n  ours   {:?}",
                                    got.map(|it| &it.0)
                                )),
                            }
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    let (rows, unknown) = (rows.into_inner().expect("no panic"), unknown.into_inner().expect("no panic"));
    println!("{rows} rows, {unknown} unknown, {} wrong", wrong.len());
    assert!(rows > 3_000, "the table has {rows} rows");
    assert!(
        wrong.is_empty(),
        "{} of {rows} rows differ, for example:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

type Judged = (Row, bool);

/// Rows of one document by version; what only one side has is paired with nothing.
fn pairs<'a>(want: &'a [Row], got: &'a [Judged]) -> Vec<(Option<&'a Row>, Option<&'a Judged>)> {
    let mut pairs: Vec<_> =
        want.iter().map(|row| (Some(row), got.iter().find(|(it, _)| it.version == row.version))).collect();
    let extra = got.iter().filter(|(it, _)| !want.iter().any(|row| row.version == it.version));
    pairs.extend(extra.map(|it| (None, Some(it))));
    pairs
}

/// The rows of a text, by the number of the document.
fn judge(text: &str) -> BTreeMap<usize, Vec<Judged>> {
    let stream = yaml::parse(text);
    let errors = stream.errors.iter().map(|it| (it.span.start, None));
    let documents = stream.documents.iter().map(|it| (it.span.start, Some(&it.root)));
    let mut places: Vec<_> = documents.chain(errors).collect();
    places.sort_by_key(|(start, _)| *start);
    let mut found = BTreeMap::new();
    for (at, (_, root)) in places.into_iter().enumerate() {
        match root {
            Some(root) if crd::is_crd(root).is_some() => drop(found.insert(at + 1, rows(root))),
            Some(_) => {}
            None => {
                let row = Row { accepted: "no".to_owned(), verdict: "yaml-error".to_owned(), ..empty() };
                found.insert(at + 1, vec![(row, false)]);
            }
        }
    }
    found
}

fn empty() -> Row {
    let [api, name, version, accepted, verdict, lost, errors] = Default::default();
    Row { api, name, version, accepted, verdict, lost, errors }
}

fn rows(node: &yaml::Node) -> Vec<Judged> {
    let text = |node: Option<&yaml::Node>| node.and_then(yaml::Node::as_str).unwrap_or_default().to_owned();
    let (api, name) =
        (text(node.get("apiVersion")), text(node.get("metadata").and_then(|it| it.get("name"))));
    let read = crd::read(node);
    let of = |version: &str, accepted: bool, verdict: &str| Row {
        api: api.clone(),
        name: name.clone(),
        version: version.to_owned(),
        accepted: if accepted { "yes" } else { "no" }.to_owned(),
        verdict: verdict.to_owned(),
        ..empty()
    };
    let Some(crd) = read.crd.filter(|_| read.undecodable.is_none()) else {
        return vec![(of("", false, "undecodable"), false)];
    };
    let admission = admit::create(&crd);
    // The table asks what validation says, also of v1beta1, which is served no longer.
    let accepted = admission.refusals.is_empty();
    let uncertain = accepted && !admission.unknown.is_empty();
    if crd.versions.is_empty() {
        return vec![(of("", accepted, "no-version"), uncertain)];
    }
    let mut found = Vec::new();
    let serving = Serving::new(&crd);
    for version in &crd.versions {
        let Some(serving) = serving.as_ref().ok().filter(|_| version.served || version.storage) else {
            found.push((of(&version.name, accepted, "not-servable"), uncertain));
            continue;
        };
        let object = json!({
            "apiVersion": format!("{}/{}", crd.group, version.name), "kind": crd.names.kind,
            "metadata": { "name": "obj" }, "status": status(),
        });
        let trace = serving.trace(&version.name, Endpoint::Status, &object, None);
        let mut errors: Vec<String> =
            trace.errors.iter().map(|it| format!("{}:{}", it.error.field, it.error.ty)).collect();
        errors.sort();
        errors.dedup();
        let verdict = match () {
            () if !errors.is_empty() => "rejected",
            () if !trace.lost.is_empty() => "pruned",
            () => "kept",
        };
        let lost: Vec<&str> = trace.lost.iter().map(|it| it.path.as_str()).collect();
        let row =
            Row { lost: lost.join(","), errors: errors.join(";"), ..of(&version.name, accepted, verdict) };
        found.push((row, uncertain || !trace.unknown.is_empty()));
    }
    found
}
