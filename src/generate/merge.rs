//! Merges versions of one kind into one CRD, in an order that does not depend on how they were found.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::generate::Exported;
use crate::generate::Generated;
use crate::verdict::version_priority;

/// What must be equal in all versions of a kind.
const SHARED: [&str; 5] =
    ["/spec/group", "/spec/scope", "/spec/names/kind", "/spec/names/plural", "/spec/names/singular"];

/// Merges exported versions, by the name of the CRD. CRDs are in the order of their names, versions in that of
/// Kubernetes: the preferred one first.
///
/// What is no part of a version (short names, annotations, conversion) is that of the storage version.
///
/// # Errors
/// When two types give different CRDs for one version, when a kind has not exactly one storage version, or when
/// versions differ in what they must share.
pub fn merge(exported: Vec<Exported>) -> Result<Vec<Generated>, Vec<String>> {
    let (mut kinds, mut errors) = (BTreeMap::<String, Vec<Exported>>::new(), Vec::new());
    for it in exported {
        match it.crd.pointer("/metadata/name").and_then(Value::as_str) {
            Some(name) => kinds.entry(name.to_owned()).or_default().push(it),
            None => errors.push(format!("{} has a CRD without a name", it.origin)),
        }
    }
    let mut merged = Vec::new();
    for (name, mut all) in kinds {
        all.sort_by(|one, two| one.origin.cmp(&two.origin));
        match kind(&name, &all) {
            Ok(it) => merged.push(it),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(merged) } else { Err(errors) }
}

/// A version with the export that gives it.
type Part<'a> = (&'a Value, &'a Exported);

fn kind(name: &str, all: &[Exported]) -> Result<Generated, String> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for it in all {
        for version in it.crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten() {
            match parts.iter().find(|(known, _)| known["name"] == version["name"]) {
                // A module that the library and a binary both declare is compiled twice.
                Some((known, other)) if *known == version && other.contract == it.contract => {}
                Some((_, other)) => {
                    let version = version["name"].as_str().unwrap_or_default();
                    return Err(format!(
                        "version `{version}` of `{name}` is given twice, and differently: by {} and by {}",
                        other.origin, it.origin
                    ));
                }
                None => parts.push((version, it)),
            }
        }
    }
    parts.sort_by_cached_key(|it| std::cmp::Reverse(version_priority(version_name(it))));
    let storage = storage(name, &parts)?;
    for part in &parts {
        if let Some(path) = SHARED.iter().find(|it| part.1.crd.pointer(it) != storage.1.crd.pointer(it)) {
            return Err(format!(
                "versions of `{name}` differ in `{}`: {} and {}",
                path[1..].replace('/', "."),
                part.1.origin,
                storage.1.origin
            ));
        }
    }
    let mut crd = storage.1.crd.clone();
    crd["spec"]["versions"] = parts.iter().map(|it| it.0.clone()).collect();
    let contracts = parts.iter().filter_map(|it| Some((version_name(it).to_owned(), it.1.contract.clone()?)));
    let origins = parts.iter().map(|it| it.1.origin.clone());
    Ok(Generated { name: name.to_owned(), crd, contracts: contracts.collect(), origins: origins.collect() })
}

fn version_name<'a>(part: &Part<'a>) -> &'a str {
    part.0["name"].as_str().unwrap_or_default()
}

fn storage<'a>(name: &str, parts: &[Part<'a>]) -> Result<Part<'a>, String> {
    let mut stored = parts.iter().filter(|it| it.0["storage"] == true);
    match (stored.next(), stored.next()) {
        (Some(it), None) => Ok(*it),
        (None, _) => {
            Err(format!("no version of `{name}` is stored: one has to be without `#[kube(storage = false)]`"))
        }
        (Some(one), Some(two)) => Err(format!(
            "two versions of `{name}` are stored, and the API server allows one: {} and {}; \
             add `#[kube(storage = false)]` to the other",
            one.1.origin, two.1.origin
        )),
    }
}
