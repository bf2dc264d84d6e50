//! The slots of a contract, with samples of what Kopf sends.
//!
//! Every sample is a patch that Kopf itself would build: samples go through the same functions as the vectors.

use serde_json::Value;
use serde_json::json;

use crate::kopf::Contract;
use crate::kopf::Kind;
use crate::kopf::KopfVersion;
use crate::kopf::Sample;
use crate::kopf::Shape;
use crate::kopf::Slot;
use crate::kopf::Written;
use crate::kopf::annotations;
use crate::kopf::diffbase;
use crate::kopf::patch;
use crate::kopf::peering;
use crate::kopf::peering::Peer;
use crate::kopf::progress;
use crate::kopf::progress::Scene;
use crate::kopf::record::Record;
use crate::kopf::record::Time;
use crate::kopf::results;
use crate::kopf::storage::Diffbase;
use crate::kopf::storage::Progress;
use crate::path::Path;

/// The id that stands for those of handlers that nobody named. No schema is likely to declare it.
const ANY_HANDLER: &str = "your_handler";

const SOON: &str = "2026-01-01T12:00:00.123456";
const LATER: &str = "2026-01-01T12:01:00.123456";
const IDENTITY: &str = "user@host/20260101000000/abc";

const FITS: &str =
    "the patch of a sample is a mapping all the way, and contracts have no storage at the root";

impl Contract {
    /// The places where the operator writes, each with what it writes there.
    pub fn slots(&self) -> Vec<Slot> {
        let progress =
            self.progress.iter().enumerate().filter_map(|(at, place)| progress_slot(self, at, place));
        let touch = self.progress.iter().filter_map(|place| touch_slot(self, place));
        let diffbase = self.diffbase.iter().map(|place| diffbase_slot(self, place));
        let results = self.results.iter().map(|it| result_slot(&it.name, &it.shape));
        let fields = self.writes.iter().map(field_slot);
        let mut found: Vec<_> = progress.chain(touch).chain(diffbase).chain(results).chain(fields).collect();
        if self.other_results {
            found.push(other_results_slot());
        }
        if self.peering {
            found.push(peering_slot(self.kopf));
        }
        found
    }

    /// Patches with all slots at once, as Kopf sends them: in the first cycle of an object, and in the last.
    pub fn together(&self) -> Vec<Sample> {
        if self.peering {
            return Vec::new();
        }
        let written = self.slots().into_iter().filter(|it| matches!(it.kind, Kind::Result | Kind::Field));
        let written = written.fold(json!({}), |into, slot| merged(into, &slot.samples[0].patch));
        let [first, second] = handlers(self);
        let records = [(first.as_str(), succeeded(self.kopf)), (&second, retrying(self.kopf))];
        let stored = progress_patch(self, &self.progress, &records);
        let begin = merged(stored.clone(), &written);
        let purged = purge_patch(self, &self.progress, &stored, &[&first, &second]);
        let diffbase = self.diffbase.iter().map(|place| diffbase_patch(self, place, &small_object()));
        let end = diffbase.fold(merged(purged, &written), |into, patch| merged(into, &patch));
        vec![
            Sample { about: "the first cycle, with all that handlers write", before: None, patch: begin },
            Sample {
                about: "the last cycle, with all that handlers write",
                before: Some(stored),
                patch: end,
            },
        ]
    }
}

fn progress_slot(contract: &Contract, at: usize, place: &Progress) -> Option<Slot> {
    let path = match place {
        Progress::Fields { field, writes: true, .. } => field.clone(),
        Progress::Fields { writes: false, .. } => return None,
        Progress::Annotations(_) => Path::new(["metadata", "annotations"]),
    };
    let kopf = contract.kopf;
    let places = std::slice::from_ref(place);
    let [first, second] = handlers(contract);
    let store = |about, records: &[(&str, Record)]| Sample {
        about,
        before: None,
        patch: progress_patch(contract, places, records),
    };
    let purposes =
        ["update", "resume", "delete"].map(|it| Record { purpose: Some(it.to_owned()), ..fresh(kopf) });
    let [update, resume, delete] = purposes;
    let (sub1, sub2) = (format!("{first}/sub1"), format!("{first}/sub2"));
    let parent = Record { subrefs: Some(vec![sub1.clone(), sub2.clone()]), ..retrying(kopf) };
    let retry = store("a handler is to be called again", &[(&first, retrying(kopf))]);
    let two = store("one of two handlers is done", &[(&first, succeeded(kopf)), (&second, fresh(kopf))]);
    let purged = purge_patch(contract, places, &two.patch, &[&first, &second]);
    let samples = vec![
        retry,
        two.clone(),
        store(
            "a handler has sub-handlers",
            &[(&first, parent), (&sub1, succeeded(kopf)), (&sub2, fresh(kopf))],
        ),
        store("a handler failed for good", &[(&first, failed(kopf))]),
        store(
            "handlers of all causes",
            &[("update_fn/spec.field", update), ("Class.resume", resume), ("delete_fn", delete)],
        ),
        Sample { about: "all handlers are done", before: Some(two.patch), patch: purged },
    ];
    // What is read first decides; what is behind it is a copy.
    Some(Slot {
        name: "progress".to_owned(),
        kind: Kind::Progress,
        path,
        critical: at == 0,
        guessed: false,
        samples,
    })
}

fn touch_slot(contract: &Contract, place: &Progress) -> Option<Slot> {
    let path = match place {
        Progress::Fields { touch_field, writes: true, .. } => touch_field.clone(),
        Progress::Fields { writes: false, .. } => return None,
        Progress::Annotations(it) => annotation(contract.kopf, &it.prefix, it.v1, &it.touch_key),
    };
    let touch = |body: &Value, value: Value| {
        let mut into = json!({});
        let scene = Scene { kopf: contract.kopf, body };
        progress::touch(scene, std::slice::from_ref(place), &value, &mut into).expect(FITS);
        into
    };
    let touched = touch(&json!({}), moment(contract.kopf, LATER).into());
    let cleared = touch(&touched, Value::Null);
    let samples = vec![
        Sample { about: "a delay is over", before: None, patch: touched.clone() },
        Sample { about: "the next patch takes the timestamp away", before: Some(touched), patch: cleared },
    ];
    // One timestamp that arrives is enough to wake the operator up, and annotations always arrive.
    let annotated = |it: &Progress| matches!(it, Progress::Annotations(_));
    let critical = annotated(place) || !contract.progress.iter().any(annotated);
    Some(Slot { name: "touch".to_owned(), kind: Kind::Touch, path, critical, guessed: false, samples })
}

fn diffbase_slot(contract: &Contract, place: &Diffbase) -> Slot {
    let path = match place {
        Diffbase::Field { field, .. } => field.clone(),
        Diffbase::Annotation { prefix, key, v1, .. } => annotation(contract.kopf, prefix, *v1, key),
    };
    let store =
        |about, body: &Value| Sample { about, before: None, patch: diffbase_patch(contract, place, body) };
    let samples = vec![
        store("all handlers are done", &small_object()),
        store("all handlers of a large object are done", &large_object()),
    ];
    let annotated = |it: &Diffbase| matches!(it, Diffbase::Annotation { .. });
    let critical = annotated(place) || !contract.diffbase.iter().any(annotated);
    Slot { name: "diffbase".to_owned(), kind: Kind::Diffbase, path, critical, guessed: false, samples }
}

fn result_slot(id: &str, shape: &Shape) -> Slot {
    let write = |(about, value)| sample(about, |into| results::deliver(id, &value, into));
    Slot {
        name: format!("result:{id}"),
        kind: Kind::Result,
        path: Path::new(["status", id]),
        critical: true,
        guessed: shape.is_guess(),
        samples: shape.samples().into_iter().map(write).collect(),
    }
}

fn other_results_slot() -> Slot {
    Slot { name: "result:*".to_owned(), critical: false, ..result_slot(ANY_HANDLER, &Shape::Any) }
}

fn field_slot(Written { name: path, shape }: &Written<Path>) -> Slot {
    let write = |(about, value)| sample(about, |into| patch::ensure(into, &path.0, value));
    Slot {
        name: format!("field:{path}"),
        kind: Kind::Field,
        path: path.clone(),
        critical: true,
        guessed: shape.is_guess(),
        samples: shape.samples().into_iter().map(write).collect(),
    }
}

fn peering_slot(kopf: KopfVersion) -> Slot {
    let lastseen = moment(kopf, SOON);
    let joined = peering::touch(kopf, IDENTITY, Peer { priority: 100, lifetime: 60, lastseen: &lastseen });
    let samples = vec![
        Sample { about: "an operator is alive", before: None, patch: joined.clone() },
        Sample { about: "an operator leaves", before: Some(joined), patch: peering::leave(IDENTITY) },
    ];
    let path = Path::new(["status", IDENTITY]);
    Slot { name: "peering".to_owned(), kind: Kind::Peering, path, critical: true, guessed: false, samples }
}

/// The ids of two handlers: those that were named, if any were.
fn handlers(contract: &Contract) -> [String; 2] {
    let mut named = contract.results.iter().map(|it| it.name.clone());
    let first = named.next().unwrap_or_else(|| "create_fn".to_owned());
    let second = named.next().unwrap_or_else(|| format!("other_{first}"));
    [first, second]
}

fn annotation(kopf: KopfVersion, prefix: &str, v1: bool, name: &str) -> Path {
    let keys = annotations::keys(kopf, prefix, v1, name, &Value::Null);
    Path::new(progress::annotation(&keys[0]))
}

fn sample(about: &'static str, write: impl FnOnce(&mut Value) -> Result<(), String>) -> Sample {
    let mut patch = json!({});
    write(&mut patch).expect(FITS);
    Sample { about, before: None, patch }
}

fn progress_patch(contract: &Contract, places: &[Progress], records: &[(&str, Record)]) -> Value {
    let scene = Scene { kopf: contract.kopf, body: &json!({}) };
    let mut into = json!({});
    for (id, record) in records {
        progress::store(scene, places, id, &record.to_patch(contract.kopf), &mut into).expect(FITS);
    }
    into
}

fn purge_patch(contract: &Contract, places: &[Progress], body: &Value, ids: &[&str]) -> Value {
    let mut into = json!({});
    for id in ids {
        progress::purge(Scene { kopf: contract.kopf, body }, places, id, &mut into).expect(FITS);
    }
    into
}

fn diffbase_patch(contract: &Contract, place: &Diffbase, body: &Value) -> Value {
    let places = std::slice::from_ref(place);
    let scene = Scene { kopf: contract.kopf, body };
    let essence = diffbase::build(scene, places, &[], &contract.progress);
    let mut into = json!({});
    diffbase::store(scene, places, &essence, &mut into).expect(FITS);
    into
}

/// A patch with the fields of another added.
fn merged(into: Value, other: &Value) -> Value {
    match (into, other) {
        (Value::Object(mut into), Value::Object(other)) => {
            for (key, value) in other {
                let present = into.remove(key).unwrap_or(Value::Null);
                into.insert(key.clone(), merged(present, value));
            }
            Value::Object(into)
        }
        (_, other) => other.clone(),
    }
}

fn moment(kopf: KopfVersion, moment: &str) -> String {
    format!("{moment}{}", if kopf >= KopfVersion::OFFSETS { "+00:00" } else { "" })
}

fn fresh(kopf: KopfVersion) -> Record {
    Record {
        started: Some(Time(moment(kopf, SOON))),
        purpose: Some("create".to_owned()),
        retries: Some(0),
        success: Some(false),
        failure: Some(false),
        ..Record::default()
    }
}

fn retrying(kopf: KopfVersion) -> Record {
    let message = Some("Not ready yet.".to_owned());
    Record { delayed: Some(Time(moment(kopf, LATER))), retries: Some(1), message, ..fresh(kopf) }
}

fn succeeded(kopf: KopfVersion) -> Record {
    Record { stopped: Some(Time(moment(kopf, LATER))), retries: Some(1), success: Some(true), ..fresh(kopf) }
}

fn failed(kopf: KopfVersion) -> Record {
    // The text of any exception: several lines, any letters, any length.
    let message = Some(format!("Error \"quoted\" — ünïcode:{}", "\n  in a long text".repeat(64)));
    Record {
        stopped: Some(Time(moment(kopf, LATER))),
        retries: Some(3),
        failure: Some(true),
        message,
        ..fresh(kopf)
    }
}

fn small_object() -> Value {
    json!({ "metadata": { "labels": { "app": "example" } }, "spec": { "field": "value" } })
}

fn large_object() -> Value {
    let items: Vec<_> = (0..200).map(|it| format!("a line of configuration, number {it}")).collect();
    json!({ "spec": { "items": items } })
}
