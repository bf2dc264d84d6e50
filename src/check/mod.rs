//! Text → [`Report`]: which CRDs there are, what is said about them, and what of it the user wants to hear.
//!
//! The one door to the judge for texts. It cannot fail: what is wrong with a text is a finding.

mod allow;
mod levels;
mod scope;
mod summary;

use crate::crd;
use crate::crd::Api;
use crate::crd::Crd;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::kopf::Contract;
use crate::kopf::ContractConfig;
use crate::kopf::peering;
use crate::rules;
use crate::rules::mend::Width;
use crate::server::Unknown;
use crate::server::admit;
use crate::server::admit::Admission;
use crate::server::admit::Refusal;
use crate::source::Source;
use crate::source::Span;
use crate::verdict::Fate;
use crate::verdict::Judge;
use crate::verdict::Judgement;
use crate::yaml;
use crate::yaml::Document;
use crate::yaml::Node;
use std::collections::BTreeMap;

pub use levels::Level;
pub use levels::Levels;
pub use scope::Scope;
pub use summary::Summary;

/// The kind of the documents that are judged.
const KIND: &str = "CustomResourceDefinition";

/// Lists of lists of lists are nobody's intention.
const MAX_LISTS: usize = 8;

/// What to judge, and by which measure.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What the operator writes.
    pub contracts: Contracts,
    /// Which CRDs are of interest.
    pub scope: Scope,
    /// Which findings count how much.
    pub levels: Levels,
    /// The minor version of Kubernetes 1 that will serve the CRDs.
    pub kubernetes: Kubernetes,
    /// How wide the fixes that are offered open a status.
    pub width: Width,
    /// Whether the user named this very text and expects a CRD in it: then also broken texts and built-in resources
    /// that have nothing to do with CRDs are said.
    pub named: bool,
}

/// A version of Kubernetes, by the minor number: 22 for 1.22.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kubernetes(pub u32);

impl Default for Kubernetes {
    /// The version that the server model mirrors.
    fn default() -> Self {
        Self(37)
    }
}

/// Contracts, with those of single CRDs by their names.
#[derive(Debug, Clone, Default)]
pub struct Contracts {
    general: Judge,
    own: BTreeMap<String, Judge>,
}

impl Contracts {
    /// The contracts of a configuration.
    ///
    /// # Errors
    /// When statements of it make no sense together; the message names the key.
    pub fn new(config: &ContractConfig) -> Result<Self, String> {
        let general = Judge::new(config.for_crd("").contract()?);
        let mut own = BTreeMap::new();
        for name in config.crd.keys() {
            let contract =
                config.for_crd(name).contract().map_err(|error| format!("crd `{name}`: {error}"))?;
            own.insert(name.clone(), Judge::new(contract));
        }
        Ok(Self { general, own })
    }

    /// What holds for CRDs that are not named.
    pub fn general(&self) -> &Contract {
        self.general.contract()
    }

    /// What holds for the CRD of a name.
    pub fn named(&self, name: &str) -> &Contract {
        self.judge(name).contract()
    }

    fn judge(&self, name: &str) -> &Judge {
        self.own.get(name).unwrap_or(&self.general)
    }

    /// What holds for a CRD. Peering objects have a contract of their own.
    pub fn of(&self, crd: &Crd) -> Contract {
        let said = self.named(&crd.name);
        match peering::is_peering(&crd.group, &crd.names.plural) {
            true => Contract::of_peering(said.kopf),
            false => said.clone(),
        }
    }
}

/// What was found in a text.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many documents there are, broken ones included, empty ones not.
    pub documents: usize,
    /// The CRDs in scope, in the order of the text.
    pub crds: Vec<Checked>,
    /// What was not judged, and why.
    pub skipped: Skipped,
    /// How many findings an inline comment or a level keeps quiet.
    pub silenced: usize,
    /// The findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Counts of what was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Documents that are something else.
    pub others: usize,
    /// CRDs that are out of scope.
    pub out_of_scope: usize,
    /// Fragments of CRDs: patches.
    pub fragments: usize,
    /// Documents that are templates or not YAML.
    pub broken: usize,
}

/// A CRD with all that is known about it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The document that holds it, from 1.
    pub document: usize,
    /// The CRD.
    pub crd: Crd,
    /// Whether the server would take it.
    pub accepted: bool,
    /// Why it would not.
    pub refusals: Vec<Refusal>,
    /// Why that is not certain, if so.
    pub unknown: Vec<Unknown>,
    /// What the operator is taken to write.
    pub contract: Contract,
    /// What becomes of it.
    pub judgement: Judgement,
}

impl Checked {
    /// Whether something that the operator must find again is lost in the version that it handles.
    pub fn is_lossy(&self) -> bool {
        let handled = self.judgement.versions.iter().filter(|it| it.handled);
        handled.flat_map(|it| &it.verdicts).any(|it| it.critical && it.fate >= Fate::Pruned)
    }
}

/// Judges every CRD of a text.
pub fn check(source: &Source, options: &Options) -> Report {
    let stream = yaml::parse(&source.text);
    let mut report = Report { documents: stream.documents.len() + stream.errors.len(), ..Report::default() };
    let mut found = Vec::new();
    let mut has_crd = false;
    for document in &stream.documents {
        let mut parts = Vec::new();
        crds(&document.root, 0, &mut parts);
        report.skipped.others += usize::from(parts.is_empty());
        has_crd |= !parts.is_empty();
        for node in parts {
            part(source, document, node, options, &mut report, &mut found);
        }
    }
    report.skipped.broken = stream.errors.len();
    // A broken text that has nothing to do with CRDs is of interest only to who named it.
    if options.named || has_crd || source.text.contains(KIND) {
        let text = rules::Text { source, stream: &stream, named: options.named, has_crd };
        found.extend(rules::text(&text));
    }
    report.finish(source, &options.levels, found);
    report
}

/// The report on something that is no text at all.
///
/// `source` holds what can be shown of it, and `at` the place of the trouble in that.
pub fn not_text(source: &Source, at: Span, why: &str, options: &Options) -> Report {
    let mut report = Report { documents: 1, ..Report::default() };
    report.skipped.broken = 1;
    report.finish(source, &options.levels, vec![rules::not_text(at, why)]);
    report
}

/// Collects the CRDs of a document, also out of lists.
pub(crate) fn crds<'a>(node: &'a Node, depth: usize, found: &mut Vec<&'a Node>) {
    let text = |key| node.get(key).and_then(Node::as_str);
    let kind = text("kind");
    if kind == Some(KIND) {
        // Other groups may have a kind of this name.
        let ours = text("apiVersion").is_none_or(|it| it.starts_with("apiextensions.k8s.io/"));
        found.extend(ours.then_some(node));
        return;
    }
    let typed = kind == Some("CustomResourceDefinitionList");
    if !typed && kind != Some("List") || depth > MAX_LISTS {
        return;
    }
    for item in node.get("items").map_or(&[][..], Node::items) {
        match item.get("kind") {
            None if typed && item.get("spec").is_some() => found.push(item),
            _ => crds(item, depth + 1, found),
        }
    }
}

fn part(
    source: &Source,
    document: &Document,
    node: &Node,
    options: &Options,
    report: &mut Report,
    found: &mut Vec<Diagnostic>,
) {
    let read = crd::read(node);
    let Some(crd) = &read.crd else { return };
    if !options.scope.wants(&source.name, crd) {
        report.skipped.out_of_scope += 1;
        return;
    }
    let mut said = rules::part(&rules::Part { document, node });
    if rules::is_fragment(node) && read.undecodable.is_none() {
        report.skipped.fragments += 1;
        found.extend(named(said, &crd.name));
        return;
    }
    let admission = match crd.api {
        _ if read.undecodable.is_some() => Admission::default(),
        Api::V1 => admit::create(crd),
        // Not created any longer: it may stand in an old cluster, and is judged as one that does.
        Api::V1beta1 => admit::update(crd, crd),
    };
    let contract = options.contracts.of(crd);
    // What cannot be decoded in `metadata` says nothing about the schemas.
    let readable = read.undecodable.as_ref().is_none_or(|it| it.path.starts_with("metadata"));
    let judgement =
        if readable { options.contracts.judge(&crd.name).judge(crd) } else { Judgement::default() };
    let subject = rules::Subject {
        crd,
        read: &read,
        admission: &admission,
        contract: &contract,
        judgement: &judgement,
        kubernetes: options.kubernetes.0,
    };
    said.extend(rules::crd(&subject));
    let manuscript = rules::mend::Manuscript { source, document, node, width: options.width };
    rules::mend::mend(manuscript, &subject, &mut said);
    found.extend(named(said, &crd.name));
    let accepted = subject.accepted();
    let Admission { refusals, unknown, .. } = admission;
    let Some(crd) = read.crd else { return };
    let document = document.number;
    report.crds.push(Checked { document, crd, accepted, refusals, unknown, contract, judgement });
}

/// The findings with the name of the CRD that they are about.
fn named(mut found: Vec<Diagnostic>, name: &str) -> Vec<Diagnostic> {
    for diagnostic in &mut found {
        diagnostic.crd = Some(name.to_owned()).filter(|it| !it.is_empty());
    }
    found
}

impl Report {
    /// Takes up the findings that are to be heard, in the order of the text.
    fn finish(&mut self, source: &Source, levels: &Levels, found: Vec<Diagnostic>) {
        let allows = allow::read(source);
        let before = found.len();
        let heard = found.into_iter().filter(|it| !allow::covers(&allows, it));
        self.diagnostics = heard.filter_map(|it| levels.apply(it)).collect();
        self.diagnostics.sort_by_key(|it| it.span().start);
        self.silenced = before - self.diagnostics.len();
    }

    /// The gravest of its findings.
    pub fn gravest(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|it| it.severity).max()
    }
}
