//! What Kopf writes, against what Kopf 1.45.2 wrote: `tests/vectors/kopf`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kopf_crd::kopf::Field;
use kopf_crd::kopf::KopfVersion;
use kopf_crd::kopf::annotations;
use kopf_crd::kopf::diffbase;
use kopf_crd::kopf::diffbase::Essence;
use kopf_crd::kopf::peering;
use kopf_crd::kopf::progress;
use kopf_crd::kopf::progress::Scene;
use kopf_crd::kopf::record::Record;
use kopf_crd::kopf::results;
use kopf_crd::kopf::storage;
use kopf_crd::kopf::storage::DiffbaseStorage;
use kopf_crd::kopf::storage::Progress;
use kopf_crd::kopf::storage::ProgressStorage;
use serde_json::Value;
use serde_json::json;

/// What a line says that came out.
#[derive(Debug, PartialEq)]
struct Outcome {
    patch: Value,
    applied: Value,
    error: Value,
    warnings: Value,
    invalid_annotation_keys: Vec<String>,
}

#[test]
fn every_patch_of_the_vectors_is_built_key_by_key() {
    let seen = compare("vectors.jsonl", true);
    let counted = [
        ("diffbase.init", 1),
        ("diffbase.store", 28),
        ("finalizer.block", 1),
        ("handler-id", 16),
        ("peering.leave", 1),
        ("peering.touch", 1),
        ("progress.init", 1),
        ("progress.purge", 78),
        ("progress.store", 725),
        ("progress.store+purge", 26),
        ("progress.touch", 69),
        ("results", 81),
    ];
    assert_eq!(seen, counted.map(|(op, lines)| (op.to_owned(), lines)).into());
}

#[test]
fn older_versions_write_what_they_wrote() {
    let seen = compare("older.jsonl", false);
    assert!(seen["progress.store"] > 100 && seen["diffbase.store"] > 50, "{seen:?}");
}

#[test]
fn random_storages_write_what_kopf_writes() {
    let seen = compare("random.jsonl", false);
    assert!(seen.values().sum::<usize>() > 400, "{seen:?}");
}

/// Compares every line, and counts them by their operations. Only `judged` files know which keys the API server refuses.
fn compare(file: &str, judged: bool) -> BTreeMap<String, usize> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/kopf").join(file);
    let text = std::fs::read_to_string(path).expect("the vectors are in the repository");
    let mut seen = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let row: Value = serde_json::from_str(line).expect("each line is a JSON object");
        let op = row["op"].as_str().expect("each line has an operation");
        *seen.entry(op.to_owned()).or_insert(0) += 1;
        if op != "handler-id" {
            let about = format!("line {}: {op} of {} in {}", at + 1, row["storage"], row["kopf_version"]);
            let (mut built, expected) = (built(op, &row), expected(&row));
            if !judged {
                built.invalid_annotation_keys.clear();
            }
            assert_eq!(built, expected, "{about}");
        }
    }
    seen
}

fn expected(row: &Value) -> Outcome {
    let invalid = row["invalid_annotation_keys"].as_array().into_iter().flatten();
    let mut invalid: Vec<_> = invalid.map(|it| it.as_str().expect("keys are text").to_owned()).collect();
    invalid.sort();
    Outcome {
        patch: row["patch"].clone(),
        applied: row["applied"].clone(),
        error: row["error"].clone(),
        warnings: row["warnings"].clone(),
        invalid_annotation_keys: invalid,
    }
}

fn built(op: &str, row: &Value) -> Outcome {
    let mut warnings = Value::Null;
    let (patch, error) = match run(op, row, &mut warnings) {
        Ok(patch) => (patch, Value::Null),
        Err(error) => (Value::Null, error.into()),
    };
    // Lines without an object, and JSON patches, say nothing of what comes out.
    let applied = match (&patch, &row["body"]) {
        (Value::Object(_), body @ Value::Object(_)) => merged(body.clone(), &patch),
        _ => Value::Null,
    };
    let invalid = annotations::invalid_keys(&patch).into_iter().map(str::to_owned).collect();
    Outcome { patch, applied, error, warnings, invalid_annotation_keys: invalid }
}

fn run(op: &str, row: &Value, warnings: &mut Value) -> Result<Value, String> {
    let (class, args, record) = (row["storage"].as_str().unwrap_or(""), &row["args"], &row["record"]);
    let kopf: KopfVersion = row["kopf_version"].as_str().expect("each line has a version").parse()?;
    let scene = Scene { kopf, body: &row["body"] };
    let id = row["handler_id"].as_str().unwrap_or("");
    let note = row["note"].as_str().unwrap_or("");
    let mut patch = json!({});
    match op.split_once('.').unwrap_or((op, "")) {
        ("progress", what) => {
            let places = ProgressStorage::from_python(class, args)?.places(kopf)?;
            match what {
                "store" => progress::store(scene, &places, id, record, &mut patch)?,
                "touch" => progress::touch(scene, &places, record, &mut patch)?,
                "purge" => progress::purge(scene, &places, id, &mut patch)?,
                "store+purge" => {
                    progress::store(scene, &places, id, record, &mut patch)?;
                    progress::purge(scene, &places, id, &mut patch)?;
                }
                "init" => {
                    let long = places.iter().filter_map(|place| match place {
                        Progress::Annotations(it) => storage::prefix_warning(&it.prefix),
                        Progress::Fields { .. } => None,
                    });
                    *warnings = long.collect();
                    return Ok(Value::Null);
                }
                other => panic!("an operation without a test: {other}"),
            }
        }
        ("diffbase", what) => {
            let places = DiffbaseStorage::from_python(class, args)?.places(kopf)?;
            assert_eq!(what, "store", "the other operation fails before");
            // The vectors were made in an operator with Kopf's default progress storage.
            let progress = ProgressStorage::from_python("SmartProgressStorage", &json!({}))?.places(kopf)?;
            let essence = diffbase::build(scene, &places, &extra_fields(note), &progress);
            assert_eq!(Essence::from(record), sorted(&essence), "the essence");
            diffbase::store(scene, &places, &essence, &mut patch)?;
        }
        ("results", _) => {
            if let Some((key, value)) =
                note.split_once("patch.status['").and_then(|(_, it)| it.split_once("']="))
            {
                patch = json!({ "status": { key: value.trim_matches('\'') } });
            }
            if !note.starts_with("failed outcome") {
                results::deliver(id, record, &mut patch)?;
            }
        }
        ("finalizer", "block") => return Ok(results::block(kopf, results::FINALIZER, scene.body)),
        ("peering", "touch") => {
            let peer = peering::Peer {
                priority: record["priority"].as_i64().expect("a number"),
                lifetime: record["lifetime"].as_i64().expect("a number"),
                lastseen: record["lastseen"].as_str().expect("a timestamp"),
            };
            return Ok(peering::touch(kopf, id, peer));
        }
        ("peering", "leave") => return Ok(peering::leave(id)),
        other => panic!("an operation without a test: {other:?}"),
    }
    Ok(patch)
}

/// `extra_fields=['status.phase']` as paths.
fn extra_fields(note: &str) -> Vec<kopf_crd::path::Path> {
    let list = note.strip_prefix("extra_fields=").unwrap_or("None");
    let names = list.split('\'').skip(1).step_by(2);
    names.map(|it| Field::dotted(it).path("").expect("no braces")).collect()
}

/// The essence with its keys in the order in which the test reads the vector.
fn sorted(essence: &Essence) -> Essence {
    Essence::from(&serde_json::to_value(essence).expect("an essence is JSON"))
}

/// RFC 7386.
fn merged(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut fields = match target {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    for (key, value) in patch {
        let present = fields.remove(key).unwrap_or(Value::Null);
        if !value.is_null() {
            fields.insert(key.clone(), merged(present, value));
        }
    }
    Value::Object(fields)
}

#[test]
fn records_are_read_with_and_without_offsets_and_keep_what_is_unknown() {
    let stored =
        json!({"started": "2020-01-01T00:00:00.000000", "retries": 2, "success": null, "later": {"a": 1}});
    let record: Record = serde_json::from_value(stored).expect("a record");
    assert_eq!(
        record.started.as_ref().map(ToString::to_string).as_deref(),
        Some("2020-01-01T00:00:00.000000")
    );
    assert_eq!((record.retries, record.success, &record.rest["later"]), (Some(2), None, &json!({"a": 1})));
    let back = serde_json::to_value(record).expect("a record is JSON");
    assert_eq!(back, json!({"started": "2020-01-01T00:00:00.000000", "retries": 2, "later": {"a": 1}}));
}
