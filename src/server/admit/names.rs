//! Names of a CRD: its metadata, group, scope, names, versions that may be stored, approval of protected groups.
//!
//! Mirrors `ValidateCustomResourceDefinitionNames`, `ValidateCustomResourceDefinitionStoredVersions`,
//! `validateAPIApproval`, and apihelpers/helpers.go.

use super::Refusal;
use super::url;
use crate::crd::Crd;
use crate::server::meta;
use crate::server::names as naming;
use crate::server::place::Place;
use crate::server::problem::Problem;
use serde_json::Map;
use serde_json::Value;

const APPROVAL: &str = "api-approved.kubernetes.io";

/// Judges the metadata of a CRD that is created: cluster-scoped, with its name made of plural and group.
pub(super) fn metadata_of_new(crd: &Crd, out: &mut Vec<Refusal>) {
    let mut problems = Vec::new();
    let fields = metadata(crd);
    naming::object_meta(&fields, false, naming::subdomain_name, &naming::METADATA, &mut problems);
    report(crd, problems, out);
    let wanted = format!("{}.{}", crd.names.plural, crd.group);
    for key in ["name", "generateName"] {
        let name = fields.get(key).and_then(Value::as_str).unwrap_or_default();
        if !name.is_empty() && name != wanted {
            let field = format!("metadata.{key}");
            let words = "must be spec.names.plural+\".\"+spec.group";
            out.push(Refusal::invalid(&Place::root(&field), words, crd.place(&field)));
        }
    }
}

/// Judges the metadata of a CRD that replaces another.
pub(super) fn metadata_of_update(new: &Crd, old: &Crd, out: &mut Vec<Refusal>) {
    let (mut new_fields, mut old_fields) = (metadata(new), metadata(old));
    for fields in [&mut new_fields, &mut old_fields] {
        fields.insert("resourceVersion".to_owned(), "1".into());
    }
    let mut problems = Vec::new();
    naming::object_meta_update(&new_fields, &old_fields, &mut problems);
    report(new, problems, out);
}

/// Metadata as the server decodes it, without what the server itself sets.
fn metadata(crd: &Crd) -> Map<String, Value> {
    let mut fields = meta::decode(crd.metadata.clone(), true).unwrap_or_default().fields;
    for system in ["namespace", "generation", "uid", "creationTimestamp", "selfLink", "resourceVersion"] {
        fields.remove(system);
    }
    fields.retain(|key, _| !key.starts_with("deletion"));
    fields
}

fn report(crd: &Crd, problems: Vec<Problem>, out: &mut Vec<Refusal>) {
    out.extend(problems.into_iter().map(|it| {
        let at = crd.place(&it.error.field);
        Refusal { error: it.error, at }
    }));
}

pub(super) fn group_and_scope(crd: &Crd, out: &mut Vec<Refusal>) {
    const GROUP: &str = "spec.group";
    const SCOPE: &str = "spec.scope";
    let at = crd.place(GROUP);
    let wrong = naming::dns1123_subdomain(&crd.group);
    if crd.group.is_empty() {
        out.push(Refusal::required(&Place::root(GROUP), "", at));
    } else if !wrong.is_empty() {
        out.push(Refusal::invalid(&Place::root(GROUP), &wrong.join(","), at));
    } else if !crd.group.contains('.') {
        out.push(Refusal::invalid(&Place::root(GROUP), "should be a domain with at least one dot", at));
    }
    let at = crd.place(SCOPE);
    match crd.scope.as_str() {
        "" => out.push(Refusal::required(&Place::root(SCOPE), "", at)),
        "Cluster" | "Namespaced" => {}
        _ => out.push(Refusal::not_supported(&Place::root(SCOPE), &["Cluster", "Namespaced"], at)),
    }
}

pub(super) fn names(crd: &Crd, out: &mut Vec<Refusal>) {
    let names = &crd.names;
    let lower = |it: &str| it.to_lowercase();
    let single = [
        ("plural", &names.plural, names.plural.clone(), ""),
        ("singular", &names.singular, names.singular.clone(), ""),
        ("kind", &names.kind, lower(&names.kind), "may have mixed case, but should otherwise match: "),
        (
            "listKind",
            &names.list_kind,
            lower(&names.list_kind),
            "may have mixed case, but should otherwise match: ",
        ),
    ];
    for (name, written, compared, prefix) in single {
        let field = format!("spec.names.{name}");
        let wrong = naming::dns1035_label(&compared);
        if written.is_empty() {
            out.push(Refusal::required(&Place::root(&field), "", crd.place(&field)));
        } else if !wrong.is_empty() {
            let words = format!("{prefix}{}", wrong.join(","));
            out.push(Refusal::invalid(&Place::root(&field), &words, crd.place(&field)));
        }
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let field = "spec.names.listKind";
        let words = "kind and listKind may not be the same";
        out.push(Refusal::invalid(&Place::root(field), words, crd.place(field)));
    }
    for (list, entries) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        for (index, name) in entries.iter().enumerate() {
            let wrong = naming::dns1035_label(name);
            let field = format!("spec.names.{list}[{index}]");
            if !wrong.is_empty() {
                out.push(Refusal::invalid(&Place::root(&field), &wrong.join(","), crd.place(&field)));
            }
        }
    }
}

/// `stored` are the versions in which objects may be stored.
pub(super) fn stored_versions(crd: &Crd, stored: &[String], out: &mut Vec<Refusal>) {
    const FIELD: &str = "status.storedVersions";
    let (place, at) = (Place::root(FIELD), crd.place("spec.versions"));
    if stored.is_empty() {
        return out.push(Refusal::invalid(&place, "must have at least one stored version", at));
    }
    // A name that comes twice is found once: the server strikes it off its list.
    let mut found: Vec<&str> = Vec::new();
    for version in &crd.versions {
        let known = stored.contains(&version.name) && !found.contains(&version.name.as_str());
        if version.storage && !known {
            let words = format!("must have the storage version {}", version.name);
            out.push(Refusal::invalid(&place, &words, at));
        }
        if known {
            found.push(&version.name);
        }
    }
    for (index, version) in stored.iter().enumerate().filter(|it| !found.contains(&it.1.as_str())) {
        let words = format!(
            "missing from spec.versions; {version} was previously a storage version, and must remain in spec.versions \
             until a storage migration ensures no data remains persisted in {version} and removes {version} from \
             status.storedVersions"
        );
        out.push(Refusal::invalid(&place.index(index), &words, at));
    }
}

/// Whether a group of the Kubernetes community is approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

pub(super) fn approval(crd: &Crd, old: Option<&Crd>, out: &mut Vec<Refusal>) {
    let protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|it| crd.group == *it || crd.group.ends_with(&format!(".{it}")));
    let state = approval_of(crd);
    if !protected || old.map(approval_of) == Some(state) {
        return;
    }
    let annotations = Place::root("metadata.annotations");
    let (place, at) = (annotations.key(APPROVAL), crd.place("spec.group"));
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    match state {
        Approval::Missing => {
            let words = format!("protected groups must have approval annotation \"{APPROVAL}\", {see}");
            out.push(Refusal::required(&place, &words, at));
        }
        Approval::Invalid => {
            let words = format!(
                "protected groups must have approval annotation \"{APPROVAL}\" with either a URL or a reason starting \
                 with \"unapproved\", {see}"
            );
            out.push(Refusal::invalid(&place, &words, at));
        }
        Approval::Approved | Approval::Bypassed => {}
    }
}

fn approval_of(crd: &Crd) -> Approval {
    let annotation = crd.annotations.iter().find(|it| it.0 == APPROVAL).map_or("", |it| it.1.as_str());
    match annotation {
        "" => Approval::Missing,
        it if it.starts_with("unapproved") => Approval::Bypassed,
        it if url::is_absolute(it) => Approval::Approved,
        _ => Approval::Invalid,
    }
}
