//! What an operator does after a loss: stalls, loops, forgets.
//!
//! Each effect was seen with Kopf itself or follows from its source (`_core/reactor/processing.py`, `_core/actions/progression.py`,
//! `application.py`, `_core/engines/peering.py`). This module does not know why something was lost.

use serde::Serialize;
use serde_json::Value;

use crate::kopf::Contract;
use crate::kopf::Kind;
use crate::kopf::Slot;
use crate::kopf::patch;
use crate::kopf::record;
use crate::kopf::storage::Diffbase;
use crate::kopf::storage::Progress;

/// Something that an operator does after a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// A name for machines.
    pub id: &'static str,
    /// A sentence for people, in the present tense, without a full stop.
    pub text: &'static str,
}

/// What became of a patch.
#[derive(Debug, Clone, Copy)]
pub struct Loss<'a> {
    /// Whether the server refused a request (422); else it dropped something of it.
    pub rejected: bool,
    /// Whether the version has the `/status` endpoint.
    pub status_subresource: bool,
    /// The merge patch that was sent, from a [`Sample`](crate::kopf::Sample).
    pub patch: &'a Value,
    /// The object afterwards.
    pub stored: &'a Value,
}

macro_rules! effects {
    ($($name:ident $id:literal $text:literal)*) => {
        $(const $name: Effect = Effect { id: $id, text: $text };)*
        /// All effects that are known.
        pub const ALL: &[Effect] = &[$($name),*];
    };
}

// A macro, so that no effect can be missing from the list.
effects! {
    STALLS "stalls"
        "stalls after the first call: no retry, no second handler, and a deletion that needs them hangs in Terminating"
    STALLS_LATER "stalls-later"
        "stalls after calling the first handler twice as if for the first time: no retry, no second handler, and a deletion that needs them hangs in Terminating"
    STALLS_REFUSED "stalls-refused"
        "stalls after the first call, since the patch is refused (422): no retry, no second handler, and a deletion that needs them hangs in Terminating"
    STALLS_UNCOUNTED "stalls-uncounted"
        "stalls after calling the first handler twice and the second never; one alone stalls before its first retry"
    STALLS_ON_RETRY "stalls-on-retry"
        "stalls before the first retry: the stored record never matches, so each patch skips the sleep and changes nothing"
    SLEEPS "sleeps"
        "sleeps before the first retry and never wakes up: the retry never comes"
    LOOPS "loops"
        "calls two handlers of one cause again and again without end; one alone stalls before its first retry"
    LOOPS_AT_ONCE "loops-at-once"
        "calls two handlers of one cause again and again without end; one alone retries at once, without any delay"
    FAILS_AGAIN "fails-again"
        "calls a handler that failed for good again, without end if there are two; one alone stalls before its first retry"
    RETRIES_AT_ONCE "retries-at-once"
        "retries at once, without any delay, until the handler succeeds or gives up"
    RETRIES_ONCE "retries-once"
        "retries once without any delay, then stalls"
    FORGETS_MESSAGE "forgets-message"
        "works, but the stored record lacks the error of the last attempt, and each patch logs a warning"
    FORGETS_STOPPED "forgets-stopped"
        "works, but the stored record does not tell when a handler finished, and each patch logs a warning"
    FORGETS_PURPOSE "forgets-purpose"
        "works in simple cases, but does not see that one cause supersedes another, and each patch logs a warning"
    FORGETS_SUBREFS "forgets-subrefs"
        "works in simple cases, but records of sub-handlers that are gone stay for ever, and each patch logs a warning"
    NEVER_DONE "never-done"
        "calls the last handler again at every change: the patch that ends the cycle is refused (422)"
    KEEPS_RECORDS "keeps-records"
        "never takes the records away: each cycle ends in a refused request (422), and a restart takes them for unfinished"
    RECORDS_RETURN "records-return"
        "works, but a default brings records back, and each patch logs a warning"
    TOUCH_RETURNS "touch-returns"
        "works, but a default brings the timestamp back, and each patch logs a warning"
    READS_COPY "reads-copy"
        "works from the copy in annotations, with a warning and a useless request at each patch"
    LOOPS_ON_EMPTY "loops-on-empty"
        "calls the first handler again and again without end: an emptied record hides the copy behind it"
    SLOWED_DOWN "slowed-down"
        "works from the copy in annotations, slowed down: each cycle ends in a refused request (422)"
    CREATES_AGAIN "creates-again"
        "calls create handlers again at every change and update handlers never; with two handlers or a retry it does so without end"
    CREATES_AGAIN_REFUSED "creates-again-refused"
        "calls create handlers again at every change and update handlers never, with a refused request (422) each time; with two handlers or a retry it does so without end"
    LAST_AGAIN_REFUSED "last-again-refused"
        "calls the last create handler again at every change and update handlers never: the patch that ends the cycle is refused (422)"
    VALUE_LOST "value-lost"
        "the value is lost with no more than a warning in the log: whoever reads it never sees it"
    VALUE_EMPTIED "value-emptied"
        "what is in the value is lost with no more than a warning in the log: only the empty key is stored"
    VALUE_PARTLY_LOST "value-partly-lost"
        "a part of the value is lost with no more than a warning in the log"
    VALUE_REFUSED "value-refused"
        "the value is lost, and all of the status in that patch with it: the request is refused (422)"
    PROGRESS_REFUSED "progress-refused"
        "the value is lost, and the progress in the same request with it (422): with a second handler the operator stalls, and calls the first again at the next change"
    CYCLE_REFUSED "cycle-refused"
        "calls the handler again at every change and the value is lost: the last handled configuration is in the refused request (422) too"
    PEERS_UNSEEN "peers-unseen"
        "operators do not see each other: none pauses for another, and objects are handled twice"
    PEERS_UNRANKED "peers-unranked"
        "operators do not see each other's priority: none pauses for a higher one, and objects are handled twice"
    PEERS_UNDYING "peers-undying"
        "an operator that is gone counts as alive for ever, and those of lower priority stay paused"
    PEERS_LATE "peers-late"
        "an operator that is gone counts as alive for a minute, whatever lifetime it had"
    PEERING_REFUSED "peering-refused"
        "the operator ends with an error: it cannot say that it is alive (422)"
}

/// What the operator does then; nothing when nothing of the slot is lost.
pub fn of(contract: &Contract, slot: &Slot, loss: &Loss<'_>) -> Option<Effect> {
    let keys = &slot.path.0;
    let sent = patch::resolve(loss.patch, keys);
    let stored = patch::resolve(loss.stored, keys);
    match slot.kind {
        Kind::Progress => progress(contract, slot, loss, sent, stored),
        Kind::Touch => touch(slot, loss, left(sent?, stored)),
        Kind::Diffbase => diffbase(contract, slot, loss, left(sent?, stored)),
        Kind::Result | Kind::Field => value(contract, slot, loss, sent?, stored),
        Kind::Peering => peer(loss, sent?, stored),
    }
}

/// What is left of something that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    /// All of it.
    Whole,
    /// A part.
    Part,
    /// An empty mapping.
    Empty,
    /// Nothing.
    Nothing,
    /// What was to be taken away, filled in again by a default.
    Returned,
}

fn progress(
    contract: &Contract,
    slot: &Slot,
    loss: &Loss<'_>,
    sent: Option<&Value>,
    stored: Option<&Value>,
) -> Option<Effect> {
    let copy = annotates_progress(contract);
    let records: Vec<_> = sent.and_then(Value::as_object).into_iter().flatten().collect();
    let ends = !records.is_empty() && records.iter().all(|(_, record)| record.is_null());
    if loss.rejected {
        return Some(match copy && is_alone(slot, loss) {
            true => SLOWED_DOWN,
            false if ends && spares_diffbase(contract, slot, loss) => KEEPS_RECORDS,
            false if ends => NEVER_DONE,
            false => STALLS_REFUSED,
        });
    }
    let left = |(id, record): &(&String, &Value)| left(record, stored.and_then(|it| it.get(id.as_str())));
    let worst = records.iter().map(left).max()?;
    if worst == Left::Whole {
        return None;
    }
    if !slot.critical {
        return Some(READS_COPY);
    }
    match worst {
        Left::Returned => Some(RECORDS_RETURN),
        Left::Empty if copy => Some(LOOPS_ON_EMPTY),
        Left::Nothing if copy => Some(READS_COPY),
        Left::Part => {
            let lost = |key: &&str| records.iter().any(|(id, record)| misses(record, stored, id, key));
            let lost: Vec<_> = record::KEYS.into_iter().filter(|key| lost(key)).collect();
            Some(record_fields(&lost))
        }
        // Whatever the first patch leaves behind is a change, and the event of it is one more call.
        _ if slot.path.0.first().is_some_and(|key| loss.stored.get(key).is_some()) => Some(STALLS_LATER),
        _ => Some(STALLS),
    }
}

/// What a record without these fields does; the rest of it is stored.
fn record_fields(lost: &[&str]) -> Effect {
    let misses = |key| lost.contains(&key);
    match () {
        () if misses("delayed") && misses("retries") => RETRIES_ONCE,
        () if misses("success") && misses("retries") => STALLS_UNCOUNTED,
        () if misses("success") && misses("delayed") => LOOPS_AT_ONCE,
        () if misses("success") => LOOPS,
        () if misses("delayed") => RETRIES_AT_ONCE,
        () if misses("failure") && !misses("retries") && !misses("started") => FAILS_AGAIN,
        () if ["started", "retries", "success", "failure"].into_iter().any(misses) => STALLS_ON_RETRY,
        () if misses("purpose") => FORGETS_PURPOSE,
        () if misses("subrefs") => FORGETS_SUBREFS,
        () if misses("message") => FORGETS_MESSAGE,
        () => FORGETS_STOPPED,
    }
}

fn touch(slot: &Slot, loss: &Loss<'_>, left: Left) -> Option<Effect> {
    match (loss.rejected, left) {
        (true, _) if !slot.critical && is_alone(slot, loss) => Some(SLOWED_DOWN),
        (true, _) => Some(SLEEPS),
        (false, Left::Whole) => None,
        (false, Left::Returned) => Some(TOUCH_RETURNS),
        (false, _) => Some(if slot.critical { SLEEPS } else { READS_COPY }),
    }
}

fn diffbase(contract: &Contract, slot: &Slot, loss: &Loss<'_>, left: Left) -> Option<Effect> {
    match (loss.rejected, left) {
        (true, _) if !slot.critical && is_alone(slot, loss) => Some(SLOWED_DOWN),
        // Records in annotations are gone by then, and their going is a change.
        (true, _) if is_alone(slot, loss) && annotates_progress(contract) => Some(CREATES_AGAIN_REFUSED),
        (true, _) => Some(LAST_AGAIN_REFUSED),
        (false, Left::Whole) => None,
        (false, _) => Some(if slot.critical { CREATES_AGAIN } else { READS_COPY }),
    }
}

fn value(
    contract: &Contract,
    slot: &Slot,
    loss: &Loss<'_>,
    sent: &Value,
    stored: Option<&Value>,
) -> Option<Effect> {
    if loss.rejected {
        return Some(match spares_diffbase(contract, slot, loss) {
            true if annotates_progress(contract) => VALUE_REFUSED,
            true => PROGRESS_REFUSED,
            false => CYCLE_REFUSED,
        });
    }
    match left(sent, stored) {
        Left::Whole | Left::Returned => None,
        Left::Part => Some(VALUE_PARTLY_LOST),
        Left::Empty => Some(VALUE_EMPTIED),
        Left::Nothing => Some(VALUE_LOST),
    }
}

fn peer(loss: &Loss<'_>, sent: &Value, stored: Option<&Value>) -> Option<Effect> {
    if loss.rejected {
        return Some(PEERING_REFUSED);
    }
    let lost = |key| left(&sent[key], stored.and_then(|it| it.get(key))) != Left::Whole;
    match left(sent, stored) {
        Left::Whole | Left::Returned => None,
        Left::Nothing => Some(PEERS_UNSEEN),
        _ if lost("priority") => Some(PEERS_UNRANKED),
        _ if lost("lastseen") => Some(PEERS_UNDYING),
        _ if lost("lifetime") => Some(PEERS_LATE),
        // Before Kopf 1.29 there is more in it, which nobody reads.
        _ => None,
    }
}

/// Whether the slot is in a request for the status alone: the body, with the annotations in it, was stored before.
fn is_alone(slot: &Slot, loss: &Loss<'_>) -> bool {
    loss.status_subresource && slot.path.0.first().is_some_and(|it| it == "status")
}

/// Whether the last handled configuration is stored though the request with the slot is refused.
fn spares_diffbase(contract: &Contract, slot: &Slot, loss: &Loss<'_>) -> bool {
    is_alone(slot, loss) && contract.diffbase.iter().any(|it| matches!(it, Diffbase::Annotation { .. }))
}

fn annotates_progress(contract: &Contract) -> bool {
    contract.progress.iter().any(|it| matches!(it, Progress::Annotations(_)))
}

fn misses(record: &Value, stored: Option<&Value>, id: &str, key: &str) -> bool {
    let sent = record.get(key).filter(|it| !it.is_null());
    sent.is_some() && sent != stored.and_then(|it| it.get(id)?.get(key))
}

/// What is left of a sent value; of mappings, `null` members were never to be stored.
fn left(sent: &Value, stored: Option<&Value>) -> Left {
    match (sent, stored) {
        (Value::Null, None | Some(Value::Null)) => Left::Whole,
        (Value::Null, Some(_)) => Left::Returned,
        (Value::Object(sent), Some(Value::Object(stored))) => {
            let members = sent.iter().filter(|(_, value)| !value.is_null());
            let worst = members.map(|(key, value)| left(value, stored.get(key))).max();
            match worst.unwrap_or(Left::Whole) {
                Left::Whole => Left::Whole,
                _ if stored.is_empty() => Left::Empty,
                _ => Left::Part,
            }
        }
        (Value::Array(sent), Some(Value::Array(stored))) if sent.len() == stored.len() => {
            let worst = sent.iter().zip(stored).map(|(sent, stored)| left(sent, Some(stored))).max();
            if worst.unwrap_or(Left::Whole) == Left::Whole { Left::Whole } else { Left::Part }
        }
        (_, None) => Left::Nothing,
        (sent, Some(stored)) if sent == stored => Left::Whole,
        _ => Left::Part,
    }
}
