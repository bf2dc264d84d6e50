//! Sends what the contract says through the server model, and reads what is left.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::Value;
use serde_json::json;

use super::Fate;
use super::JudgedVersion;
use super::Judgement;
use super::Verdict;
use super::Witness;
use super::blame;
use super::blame::Blame;
use super::compare;
use super::handled;
use crate::crd::Crd;
use crate::crd::Version;
use crate::kopf::Contract;
use crate::kopf::Sample;
use crate::kopf::Slot;
use crate::kopf::effects;
use crate::kopf::patch::Request as Part;
use crate::kopf::peering;
use crate::path::Path;
use crate::server;
use crate::server::Answer;
use crate::server::Endpoint;
use crate::server::FieldError;
use crate::server::Repeated;
use crate::server::Request;
use crate::server::Serving;
use crate::server::Stored;

/// A contract, ready to be held against many CRDs.
#[derive(Debug, Clone)]
pub struct Judge {
    contract: Contract,
    slots: Vec<Slot>,
    together: Vec<Sample>,
}

impl Default for Judge {
    fn default() -> Self {
        Self::new(Contract::default())
    }
}

impl Judge {
    /// Works out once what the contract writes.
    pub fn new(contract: Contract) -> Self {
        let (slots, together) = (contract.slots(), contract.together());
        Self { contract, slots, together }
    }

    /// The contract.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Says what becomes of everything that the contract writes into the objects of a CRD.
    ///
    /// Each slot is written alone into an object without a status, then all of them together, then they are purged, in
    /// every served version. Peering objects are judged by what operators write into those, whatever the contract says.
    pub fn judge(&self, crd: &Crd) -> Judgement {
        if peering::is_peering(&crd.group, &crd.names.plural) && !self.contract.peering {
            return Judge::new(Contract::of_peering(self.contract.kopf)).judge(crd);
        }
        let serving = match Serving::new(crd) {
            Ok(serving) => serving,
            Err(reason) => return Judgement { versions: Vec::new(), unservable: Some(reason) },
        };
        let handled = handled::version(crd, self.contract.api_version.as_deref());
        let served = crd.versions.iter().filter(|it| it.served);
        let versions = served.map(|version| {
            let court = Court::new(crd, &self.contract, &serving, version);
            let mut refused = Vec::new();
            let mut verdicts: Vec<_> =
                self.slots.iter().map(|slot| court.alone(slot, &mut refused)).collect();
            court.together(&self.slots, &self.together, &refused, &mut verdicts);
            JudgedVersion {
                name: version.name.clone(),
                storage: version.storage,
                handled: handled.is_some_and(|it| it.name == version.name),
                status_subresource: version.status_subresource,
                verdicts,
            }
        });
        let versions = versions.collect();
        Judgement { versions, unservable: None }
    }
}

/// Judges one CRD; see [`Judge::judge`].
pub fn judge(crd: &Crd, contract: &Contract) -> Judgement {
    Judge::new(contract.clone()).judge(crd)
}

/// What all runs in one version have in common.
struct Court<'a> {
    crd: &'a Crd,
    contract: &'a Contract,
    serving: &'a Serving<'a>,
    version: &'a Version,
    /// An object that the operator has not touched yet.
    untouched: Object,
    /// What first patches have in common: to the main endpoint, to `/status`.
    doors: [Door; 2],
}

/// What the first patches to an endpoint have in common.
#[derive(Default)]
struct Door {
    /// What is wrong with an untouched object before anything is written; asked only where something is wrong.
    known: OnceCell<Vec<FieldError>>,
    strict: Repeated,
    /// Where what is known is tolerated.
    tolerant: Repeated,
}

/// An object in etcd and as it is read back.
#[derive(Clone, Default)]
struct Object {
    etcd: Value,
    read: Value,
}

/// One sample, sent and read back.
#[derive(Clone)]
struct Run<'s> {
    sample: &'s Sample,
    requests: Vec<Part<'s>>,
    /// The object as it was read before.
    read: Cow<'s, Value>,
    /// The object as it is read back.
    got: Value,
    lost: Vec<String>,
    lost_in_storage: Vec<String>,
    errors: Vec<FieldError>,
    unknown: Vec<String>,
}

impl<'a> Court<'a> {
    fn new(crd: &'a Crd, contract: &'a Contract, serving: &'a Serving<'a>, version: &'a Version) -> Self {
        let etcd = empty_object(crd, serving.storage_version());
        let read = serving.get(in_etcd(&etcd), &version.name).object.unwrap_or_default();
        Self { crd, contract, serving, version, untouched: Object { etcd, read }, doors: Default::default() }
    }

    /// The verdict on a slot that is written alone; every error of its samples goes to `refused`.
    fn alone(&self, slot: &Slot, refused: &mut Vec<FieldError>) -> Verdict {
        let mut verdicts = Vec::new();
        for sample in &slot.samples {
            let run = self.run(sample);
            // Where nothing of the slot gets in, no other sample leaves anything else behind.
            let shut = !run.lost.is_empty() && at(&run.got, &slot.path).is_none();
            refused.extend(run.errors.iter().cloned());
            let verdict = self.verdict(slot, run);
            let settled = match verdict.fate {
                Fate::Pruned => slot.guessed || shut,
                Fate::Rejected => !slot.guessed,
                _ => false,
            };
            verdicts.push(verdict);
            if settled {
                break;
            }
        }
        if slot.guessed { guessed(slot, verdicts) } else { worst(verdicts) }
    }

    /// What fares worse in company than alone, such as a status that may hold only so many keys.
    /// What is `refused` of a slot alone says nothing about the others.
    fn together(&self, slots: &[Slot], samples: &[Sample], refused: &[FieldError], verdicts: &mut [Verdict]) {
        if verdicts.iter().all(|it| it.fate >= Fate::Pruned) {
            return;
        }
        for sample in samples {
            let mut run = self.run(sample);
            run.errors.retain(|error| !refused.iter().any(|it| it.field == error.field && it.ty == error.ty));
            if run.errors.is_empty() {
                continue;
            }
            for (slot, verdict) in slots.iter().zip(verdicts.iter_mut()) {
                if verdict.fate < Fate::Pruned && at(&run.sample.patch, &slot.path).is_some() {
                    *verdict = self.verdict(slot, run.clone());
                }
            }
        }
    }

    fn run<'s>(&'s self, sample: &'s Sample) -> Run<'s> {
        let mut run = Run {
            sample,
            requests: Vec::new(),
            read: Cow::Borrowed(&self.untouched.read),
            got: Value::Null,
            lost: Vec::new(),
            lost_in_storage: Vec::new(),
            errors: Vec::new(),
            unknown: Vec::new(),
        };
        let mut object = Cow::Borrowed(&self.untouched);
        if let Some(before) = &sample.before {
            self.send(&self.requests(before), &mut object, &mut run);
            // What is lost then is said of the sample that sends it.
            (run.lost, run.lost_in_storage, run.errors) = Default::default();
            run.read = Cow::Owned(object.read.clone());
        }
        let requests = self.requests(&sample.patch);
        self.send(&requests, &mut object, &mut run);
        run.requests = requests;
        run.got = object.into_owned().read;
        run
    }

    /// A patch as Kopf sends it: the body first, then the status where that is an endpoint of its own.
    fn requests<'s>(&self, patch: &'s Value) -> Vec<Part<'s>> {
        self.contract.requests(patch, self.version.status_subresource)
    }

    fn send(&self, requests: &[Part<'_>], object: &mut Cow<'_, Object>, run: &mut Run<'_>) {
        for part in requests {
            let endpoint = if part.status { Endpoint::Status } else { Endpoint::Main };
            let again = matches!(object, Cow::Borrowed(_));
            let answer = self.request(endpoint, object, again, &part.patch, run);
            run.lost.extend(answer.lost.into_iter().map(|it| it.path));
            run.lost_in_storage.extend(answer.lost_in_storage.into_iter().map(|it| it.path));
            run.errors.extend(answer.errors.into_iter().map(|it| it.error));
            run.unknown.extend(answer.unknown.into_iter().map(|it| it.0));
            if let (Some(etcd), Some(read)) = (answer.etcd, answer.object) {
                *object = Cow::Owned(Object { etcd, read });
            }
        }
    }

    /// Sends a patch; what is wrong with an untouched object is not held against it.
    ///
    /// `again`: the object is the untouched one, to which other samples are written too.
    fn request(
        &self,
        endpoint: Endpoint,
        object: &Object,
        again: bool,
        patch: &Value,
        run: &mut Run<'_>,
    ) -> Answer {
        let (door, stored) = (self.door(endpoint), in_etcd(&object.etcd));
        let send = |repeated: &Repeated, tolerated: &[FieldError]| {
            let request = Request { version: &self.version.name, endpoint, tolerated, ..Request::default() };
            match again {
                true => self.serving.merge_patch_again(repeated, stored, &request, patch),
                false => self.serving.merge_patch(stored, &request, patch),
            }
        };
        let answer = send(&door.strict, &[]);
        if answer.errors.is_empty() {
            return answer;
        }
        let known = self.known(endpoint);
        if known.iter().any(|it| it.detail.starts_with("some validation rules were not checked")) {
            run.unknown.push("rules are not evaluated on an object without a spec".to_owned());
        }
        if known.is_empty() { answer } else { send(&door.tolerant, known) }
    }

    fn door(&self, endpoint: Endpoint) -> &Door {
        &self.doors[usize::from(endpoint == Endpoint::Status)]
    }

    /// What is wrong with an untouched object: without a spec it may be invalid, and that is not the operator's doing.
    fn known(&self, endpoint: Endpoint) -> &[FieldError] {
        let door = self.door(endpoint);
        door.known.get_or_init(|| {
            let request = Request { version: &self.version.name, endpoint, ..Request::default() };
            let errors_after = |patch: Value| {
                let stored = in_etcd(&self.untouched.etcd);
                let answer = self.serving.merge_patch_again(&door.strict, stored, &request, &patch);
                answer.errors.into_iter().map(|it| it.error)
            };
            // A write into the spec makes it appear here, and what else it must hold with it.
            let required = errors_after(json!({ "spec": {} })).filter(|it| it.ty == "FieldValueRequired");
            errors_after(json!({})).chain(required).collect()
        })
    }

    fn verdict(&self, slot: &Slot, run: Run<'_>) -> Verdict {
        let want = run.wanted(&slot.path.0[0]);
        let want = at(&want, &slot.path).filter(|it| !is_emptied_metadata(&slot.path, it));
        let missing = compare::missing(want, at(&run.got, &slot.path));
        let fate = match () {
            () if !run.errors.is_empty() => Fate::Rejected,
            () if missing.is_some() => Fate::Pruned,
            () if !run.unknown.is_empty() => Fate::Unknown,
            () => Fate::Kept,
        };
        let mut verdict = Verdict {
            slot: slot.name.clone(),
            path: slot.path.clone(),
            critical: slot.critical,
            fate,
            lost: Vec::new(),
            errors: Vec::new(),
            via: None,
            blame: Default::default(),
            why: String::new(),
            about: run.sample.about,
            witness: None,
            effect: None,
            unknown: run.unknown.clone(),
        };
        verdict.unknown.dedup();
        if fate < Fate::Pruned {
            return verdict;
        }
        let place: Vec<String> = slot.path.0.iter().cloned().chain(missing.unwrap_or_default()).collect();
        let Blame { at, why } = self.blame(fate, &run, &place, &mut verdict);
        (verdict.blame, verdict.why) = (at, why);
        let loss = effects::Loss {
            rejected: fate == Fate::Rejected,
            status_subresource: self.version.status_subresource,
            patch: &run.sample.patch,
            stored: &run.got,
        };
        verdict.effect = effects::of(self.contract, slot, &loss);
        verdict.errors = run.errors;
        verdict.witness = Some(Witness {
            stored: same_parts(&run.sample.patch, &run.got),
            patch: run.sample.patch.clone(),
        });
        verdict
    }

    /// Whom to blame; fills in what is lost and in which version.
    fn blame(&self, fate: Fate, run: &Run<'_>, place: &[String], verdict: &mut Verdict) -> Blame {
        let in_storage = run.lost.is_empty() && !run.lost_in_storage.is_empty();
        verdict.lost = if in_storage { run.lost_in_storage.clone() } else { run.lost.clone() };
        if let (Fate::Rejected, Some(error)) = (fate, run.errors.first()) {
            return blame::rejected(self.version.schema.as_ref(), error);
        }
        if verdict.lost.is_empty() {
            verdict.lost.push(Path(place.to_vec()).to_string());
        }
        let storage = self.crd.storage_version().filter(|it| in_storage && it.name != self.version.name);
        verdict.via = storage.map(|it| it.name.clone());
        blame::pruned(storage.unwrap_or(self.version).schema.as_ref(), place)
    }
}

impl Run<'_> {
    /// A field of the object as the operator expects it, in an object of its own.
    fn wanted(&self, field: &str) -> Value {
        let only = |it: &Value| {
            Value::Object(it.get(field).map(|value| (field.to_owned(), value.clone())).into_iter().collect())
        };
        let merge = |into, part: &Part<'_>| server::merge(into, &only(&part.patch)).unwrap_or_default();
        self.requests.iter().fold(only(&self.read), merge)
    }
}

/// The verdict that does most harm: the gravest fate, then the most that is lost, then the first.
fn worst(verdicts: Vec<Verdict>) -> Verdict {
    let mut verdicts = verdicts.into_iter();
    let first = verdicts.next().expect("a slot has samples");
    verdicts.fold(
        first,
        |worst, it| if (it.fate, it.lost.len()) > (worst.fate, worst.lost.len()) { it } else { worst },
    )
}

/// The verdict on a value whose type nobody said: a loss of any type is a loss, and a refusal of all of them is one.
fn guessed(slot: &Slot, verdicts: Vec<Verdict>) -> Verdict {
    if let Some(pruned) = verdicts.iter().find(|it| it.fate == Fate::Pruned) {
        return pruned.clone();
    }
    let kept: Vec<&str> = verdicts.iter().filter(|it| it.fate == Fate::Kept).map(|it| it.about).collect();
    let some_kept = !kept.is_empty();
    let reason = format!("`{}` keeps {} and refuses anything else", slot.path, kept.join(", "));
    let verdict = worst(verdicts);
    if verdict.fate != Fate::Rejected || !some_kept {
        return verdict;
    }
    let (errors, witness, effect) = Default::default();
    Verdict { fate: Fate::Unknown, unknown: vec![reason], errors, witness, effect, ..verdict }
}

/// An object as it is stored before the operator has touched it.
fn empty_object(crd: &Crd, storage_version: &str) -> Value {
    let mut object = json!({
        "apiVersion": format!("{}/{storage_version}", crd.group),
        "kind": crd.names.kind,
        "metadata": {
            "name": "example",
            "uid": server::UID,
            "creationTimestamp": server::CREATED,
            "generation": 1,
        },
    });
    if crd.scope == "Namespaced" {
        object["metadata"]["namespace"] = "default".into();
    }
    object
}

fn in_etcd(object: &Value) -> Stored<'_> {
    Stored { object, revision: 1 }
}

fn at<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.0.iter().try_fold(value, |it, key| it.get(key))
}

/// Annotations without any are the same as none: the server does not keep the empty mapping.
fn is_emptied_metadata(path: &Path, value: &Value) -> bool {
    path.0[0] == "metadata" && value.as_object().is_some_and(|it| it.is_empty())
}

/// The top-level fields that the patch speaks of, as they are stored.
fn same_parts(patch: &Value, stored: &Value) -> Value {
    let parts = patch.as_object().into_iter().flatten().filter_map(|(key, _)| {
        let value = stored.get(key)?;
        // Of metadata only what was written is of interest.
        let value = if key == "metadata" { same_parts(&patch[key], value) } else { value.clone() };
        Some((key.clone(), value))
    });
    Value::Object(parts.collect())
}
