//! Keys of annotations: how Kopf makes them from handler ids, and which of them the API server refuses.
//!
//! Mirrors Kopf's `_cogs/configs/conventions.py`, and `ValidateAnnotations` in apimachinery's `pkg/api/validation/objectmeta.go`.

use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::blake2b;
use crate::kopf::patch;

/// The most bytes that all annotations of an object may have together, keys and values.
pub const BUDGET: usize = 256 * 1024;

/// The most letters of the name in a key, behind the slash.
const NAME: usize = 63;
/// The most letters of the prefix in a key, before the slash.
const DOMAIN: usize = 253;

/// The keys under which something of this name is stored in an object: usually one, two for long prefixes.
pub fn keys(kopf: KopfVersion, prefix: &str, v1: bool, name: &str, body: &Value) -> Vec<String> {
    let name = if kopf >= KopfVersion::PREFIXES && is_copied_down(body) {
        format!("{name}-ofDRS")
    } else {
        name.to_owned()
    };
    if kopf < KopfVersion::SUBREFS {
        return vec![key_v1(kopf, prefix, &name)];
    }
    let mut found = vec![key_v2(kopf, prefix, &name)];
    if v1 {
        found.push(key_v1(kopf, prefix, &name));
    }
    found.dedup();
    found
}

/// Adds the mark by which other operators know the prefix as one of Kopf's.
pub(crate) fn mark(kopf: KopfVersion, prefix: &str, body: &Value, into: &mut Value) -> Result<(), String> {
    if kopf < KopfVersion::SUBREFS || prefix.is_empty() || prefix.starts_with("kopf.") {
        return Ok(());
    }
    let path = ["metadata", "annotations", &format!("{prefix}/kopf-managed")];
    if patch::resolve(body, &path).is_some() || patch::resolve(into, &path).is_some() {
        return Ok(());
    }
    patch::ensure(into, &path, "yes".into())
}

/// The keys in `metadata.annotations` of an object or a patch that the API server answers with 422.
pub fn invalid_keys(object: &Value) -> Vec<&str> {
    let annotations = patch::resolve(object, &["metadata", "annotations"]).and_then(Value::as_object);
    annotations.into_iter().flatten().map(|(key, _)| key.as_str()).filter(|key| !is_valid_key(key)).collect()
}

/// Whether the API server takes the key: an optional DNS name with a slash, then a name of at most 63 letters. Case does not matter.
pub fn is_valid_key(key: &str) -> bool {
    let key: String = key.chars().filter_map(|it| it.to_lowercase().next()).collect();
    match key.split_once('/') {
        None => is_valid_name(&key),
        Some((prefix, name)) => is_domain(prefix) && is_valid_name(name),
    }
}

/// The bytes that count against the [`BUDGET`].
pub fn size(object: &Value) -> usize {
    let annotations = patch::resolve(object, &["metadata", "annotations"]).and_then(Value::as_object);
    annotations.into_iter().flatten().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum()
}

/// Deployments copy their annotations down to their replica sets, and would overwrite what is stored there.
fn is_copied_down(body: &Value) -> bool {
    let owners = patch::resolve(body, &["metadata", "ownerReferences"]).and_then(Value::as_array);
    body["kind"] == "ReplicaSet" && owners.into_iter().flatten().any(|owner| owner["kind"] == "Deployment")
}

/// The key of before 0.28, still written for the sake of downgrades: 63 letters with the prefix.
fn key_v1(kopf: KopfVersion, prefix: &str, name: &str) -> String {
    let safe = safe(kopf, name);
    let prefix = with_slash(prefix);
    let room = NAME as isize - prefix.chars().count() as isize;
    let tail = if safe.chars().count() as isize <= room { String::new() } else { tail(&safe) };
    let cut = cut(&safe, room - tail.len() as isize);
    format!("{prefix}{cut}{tail}")
}

/// The key since 0.28: 63 letters behind the prefix.
fn key_v2(kopf: KopfVersion, prefix: &str, name: &str) -> String {
    let tail = if name.chars().count() > NAME { tail(name) } else { String::new() };
    let safe = safe(kopf, name);
    let cut = cut(&safe, NAME as isize - tail.len() as isize);
    format!("{}{cut}{tail}", with_slash(prefix))
}

fn with_slash(prefix: &str) -> String {
    if prefix.is_empty() { String::new() } else { format!("{prefix}/") }
}

fn safe(kopf: KopfVersion, name: &str) -> String {
    let safe = name.replace('/', ".");
    if kopf < KopfVersion::ANGLES { safe } else { safe.replace(['<', '>'], "_") }
}

/// The first letters, or for a negative number all but the last, as Python's slices have it.
fn cut(text: &str, letters: isize) -> &str {
    let letters = match usize::try_from(letters) {
        Ok(letters) => letters,
        Err(_) => text.chars().count().saturating_sub(letters.unsigned_abs()),
    };
    text.char_indices().nth(letters).map_or(text, |(end, _)| &text[..end])
}

/// What stands for the letters that were cut off: a digest in base64, with `-` and `.` for the last two of its letters.
fn tail(name: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";
    let digest = u32::from_be_bytes(blake2b::digest4(name.as_bytes()));
    // 32 bits are six letters, the last of them with four bits of padding.
    let bits = u64::from(digest) << 4;
    let letters = (0..6).rev().map(|at| char::from(LETTERS[(bits >> (6 * at)) as usize & 63]));
    let tail: String = std::iter::once('-').chain(letters).collect();
    tail.trim_end_matches(['-', '.']).to_owned()
}

fn is_valid_name(name: &str) -> bool {
    let inner = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let edge = |it: char| it.is_ascii_alphanumeric();
    name.len() <= NAME && name.starts_with(edge) && name.ends_with(edge) && name.chars().all(inner)
}

/// `IsDNS1123Subdomain`.
fn is_domain(name: &str) -> bool {
    let edge = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    let label =
        |it: &str| it.starts_with(edge) && it.ends_with(edge) && it.chars().all(|it| edge(it) || it == '-');
    name.len() <= DOMAIN && name.split('.').all(label)
}
