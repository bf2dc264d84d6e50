//! Whether the API server accepts a typed CRD and keeps what a contract writes: the judge's word, in a form for tests.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::crd;
use crate::kopf::Contract;
use crate::server::admit;
use crate::server::admit::Refusal;
use crate::verdict;
use crate::verdict::Fate;
use crate::verdict::JudgedVersion;
use crate::verdict::Verdict;
use crate::yaml::Node;

/// Why a CRD does not keep what Kopf writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// What the API server would say or do, one after the other.
    pub reasons: Vec<String>,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("\n"))
    }
}

impl std::error::Error for Lost {}

/// Asks the judge whether the API server accepts a CRD and keeps what a contract writes, in every served version.
///
/// What the model of the API server cannot evaluate (CEL rules without the feature `cel`) is no error here.
///
/// # Errors
/// When the API server would refuse the CRD, drop something that the operator needs, or refuse a write of the operator.
pub fn check_crd(crd: &CustomResourceDefinition, contract: &Contract) -> Result<(), Lost> {
    let value = serde_json::to_value(crd).expect("a CRD is plain data");
    let reasons = reasons(&Node::from_json(&value), contract);
    if reasons.is_empty() { Ok(()) } else { Err(Lost { reasons }) }
}

fn reasons(node: &Node, contract: &Contract) -> Vec<String> {
    let read = crd::read(node);
    let Some(crd) = read.crd else {
        let why = read.undecodable.map_or_else(|| "it is no CRD".to_owned(), |it| it.message);
        return vec![format!("the API server cannot decode the CRD: {why}")];
    };
    let refusals = admit::create(&crd).refusals;
    if !refusals.is_empty() {
        let refusal =
            |it: &Refusal| format!("the API server refuses the CRD: {}: {}", it.error.field, it.error.detail);
        return refusals.iter().map(refusal).collect();
    }
    let judgement = verdict::judge(&crd, contract);
    let unservable = judgement.unservable.map(|why| format!("the API server would not serve the CRD: {why}"));
    let lost = judgement.versions.iter().flat_map(|version| {
        version.verdicts.iter().filter(|it| is_loss(it)).map(|verdict| reason(version, verdict))
    });
    unservable.into_iter().chain(lost).collect()
}

/// A refusal takes the rest of the request with it, so no refusal is harmless.
fn is_loss(verdict: &Verdict) -> bool {
    verdict.fate == Fate::Rejected || (verdict.fate == Fate::Pruned && verdict.critical)
}

fn reason(version: &JudgedVersion, verdict: &Verdict) -> String {
    let Verdict { path, fate, about, why, .. } = verdict;
    let mut text = format!("`{path}` is {} in version `{}` when {about}", fate.name(), version.name);
    if !verdict.lost.is_empty() {
        text.push_str(&format!("; lost: {}", verdict.lost.join(", ")));
    }
    for error in &verdict.errors {
        text.push_str(&format!("\n  {}: {}", error.field, error.detail));
    }
    if !why.is_empty() {
        text.push_str(&format!("\n  {why}"));
    }
    if let Some(witness) = &verdict.witness {
        text.push_str(&format!("\n  Kopf sends {}\n  and finds  {}", witness.patch, witness.stored));
    }
    text
}
