//! What there is to say about a manifest: one file a rule, with its page beside it.
//!
//! Rules know neither each other nor how findings are filtered or shown. No rule re-derives a verdict.

mod annotation_budget;
mod built_in_resource;
mod closed_peering;
mod drifting_default;
mod duplicate_key;
mod fragile_record;
mod incomplete_crd;
mod invalid_annotation_key;
mod legacy_preserve;
mod misplaced_extension;
mod misplaced_subresources;
mod misspelt_extension;
mod no_status_subresource;
mod pruned_result;
mod pruned_status;
mod refused_crd;
mod rejected_status;
mod removed_api;
mod required_in_status;
mod smart_before_1_44;
mod storage_version_drops;
mod tightened_status;
mod undecodable_crd;
mod unknown_fate;
mod unparsable_yaml;
mod unrendered_template;
mod unwritten_column;
mod version_drops_status;
mod wide_preserve;
mod stanza;
mod words;
pub mod mend;

pub(crate) use incomplete_crd::is_fragment;

use crate::crd::Api;
use crate::crd::Crd;
use crate::crd::Read;
use crate::crd::Version;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::kopf::Contract;
use crate::schema::Level;
use crate::schema::UnknownField;
use crate::server::admit::Admission;
use crate::source::Source;
use crate::source::Span;
use crate::verdict::JudgedVersion;
use crate::verdict::Judgement;
use crate::verdict::Verdict;
use crate::yaml::Document;
use crate::yaml::Node;
use crate::yaml::Stream;

/// One thing that may be wrong.
#[derive(Debug)]
pub struct Rule {
    /// Its name; reads after "allow".
    pub name: &'static str,
    /// How much a finding matters, unless the rule says otherwise for one.
    pub severity: Severity,
    /// Its page, Markdown: what it finds, why state is lost, `bad`, `good`, the fix.
    pub docs: &'static str,
    find: Find,
}

/// What a rule looks at.
#[derive(Debug)]
enum Find {
    /// A whole text: what is broken in it.
    Text(fn(&Text<'_>, &mut Vec<Diagnostic>)),
    /// One document that claims to be a CRD, judged or not.
    Document(fn(&Part<'_>, &mut Vec<Diagnostic>)),
    /// A CRD that can be read.
    Crd(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
}

/// A text as it was parsed.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    pub(crate) source: &'a Source,
    pub(crate) stream: &'a Stream,
    /// Whether the user named this very text, and expects a CRD in it.
    pub(crate) named: bool,
    /// Whether any document is a CRD or claims to be one.
    pub(crate) has_crd: bool,
}

/// A document, or an item of a list.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) document: &'a Document,
    pub(crate) node: &'a Node,
}

/// A CRD with everything that is known about it.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) crd: &'a Crd,
    pub(crate) read: &'a Read,
    pub(crate) admission: &'a Admission,
    pub(crate) contract: &'a Contract,
    /// Empty when the server would not serve the CRD.
    pub(crate) judgement: &'a Judgement,
    /// The minor version of Kubernetes 1 that will serve it.
    pub(crate) kubernetes: u32,
}

impl Subject<'_> {
    /// The version that the operator handles, with its verdicts.
    fn handled(&self) -> Option<(&Version, &JudgedVersion)> {
        let judged = self.judgement.versions.iter().find(|it| it.handled)?;
        let version = self.crd.version(&judged.name)?;
        // Without a schema the CRD is refused, which says it all.
        (version.schema.is_some() || self.crd.api == Api::V1beta1).then_some((version, judged))
    }

    /// Whether the server would take the CRD.
    pub(crate) fn accepted(&self) -> bool {
        self.read.undecodable.is_none() && self.admission.refusals.is_empty()
    }

    /// Where the CRD is named, for findings that have no better place.
    fn name_at(&self) -> Span {
        if self.crd.name_at.is_empty() { self.crd.at } else { self.crd.name_at }
    }

    /// Where a version is named.
    fn version_at(&self, version: &Version) -> Span {
        let index = self.crd.versions.iter().position(|it| std::ptr::eq(it, version));
        let paths = [index.map(|it| format!("spec.versions[{it}].name")), Some("spec.version".to_owned())];
        let written = |path: &String| self.crd.places.iter().any(|it| it.path == *path);
        let path = paths.into_iter().flatten().find(written);
        path.map_or_else(|| self.name_at(), |it| self.crd.place(&it))
    }
}

/// All rules: those that look at texts, then by weight.
pub const ALL: &[&Rule] = &[
    &unparsable_yaml::RULE,
    &unrendered_template::RULE,
    &duplicate_key::RULE,
    &built_in_resource::RULE,
    &incomplete_crd::RULE,
    &undecodable_crd::RULE,
    &refused_crd::RULE,
    &removed_api::RULE,
    &misplaced_extension::RULE,
    &misspelt_extension::RULE,
    &misplaced_subresources::RULE,
    &pruned_status::RULE,
    &rejected_status::RULE,
    &storage_version_drops::RULE,
    &closed_peering::RULE,
    &pruned_result::RULE,
    &version_drops_status::RULE,
    &unknown_fate::RULE,
    &required_in_status::RULE,
    &fragile_record::RULE,
    &annotation_budget::RULE,
    &invalid_annotation_key::RULE,
    &smart_before_1_44::RULE,
    &legacy_preserve::RULE,
    &no_status_subresource::RULE,
    &drifting_default::RULE,
    &unwritten_column::RULE,
    &wide_preserve::RULE,
    &tightened_status::RULE,
];

/// The rule of a name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|it| it.name == name)
}

/// The name that a misspelt one resembles.
pub fn did_you_mean(name: &str) -> Option<&'static str> {
    let close = ALL.iter().map(|it| (strsim::jaro_winkler(name, it.name), it.name));
    close.filter(|it| it.0 > 0.85).max_by(|a, b| a.0.total_cmp(&b.0)).map(|it| it.1)
}

impl Rule {
    /// A finding of this rule.
    fn found(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.name, self.severity, message)
    }

    /// The first paragraph of the page.
    pub fn summary(&self) -> &'static str {
        self.docs.split("\n\n").nth(1).unwrap_or_default()
    }
}

/// Verdicts with one node to blame together, in their order.
fn by_blame<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Vec<Vec<&'a Verdict>> {
    let mut groups: Vec<Vec<&Verdict>> = Vec::new();
    for verdict in verdicts {
        match groups.iter_mut().find(|it| it[0].blame == verdict.blame && it[0].fate == verdict.fate) {
            Some(group) => group.push(verdict),
            None => groups.push(vec![verdict]),
        }
    }
    groups
}

/// The lost paths of several verdicts, each once. Ids of handlers that nobody named are left out beside others.
fn lost_paths(verdicts: &[&Verdict]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let only_unnamed = verdicts.iter().all(|it| it.slot == "result:*");
    let named = verdicts.iter().filter(|it| only_unnamed || it.slot != "result:*");
    for path in named.flat_map(|it| &it.lost) {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    paths
}

/// The slots of several verdicts, each once.
fn slots(verdicts: &[&Verdict]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for verdict in verdicts {
        if !names.contains(&verdict.slot) {
            names.push(verdict.slot.clone());
        }
    }
    names
}

/// What becomes of an unknown field.
fn dropped(field: &UnknownField) -> &'static str {
    match field.silent {
        true => "dropped, and no client says so",
        false => "dropped, or refused by a strict client such as `kubectl`",
    }
}

/// What a field stands in, for people.
fn level(level: Level) -> &'static str {
    match level {
        Level::Document => "a CRD",
        Level::Metadata => "`metadata`",
        Level::Spec => "`spec`",
        Level::Names => "`names`",
        Level::Version => "a version",
        Level::Validation => "what holds `openAPIV3Schema`",
        Level::Schema => "a schema",
        Level::Properties => "`properties`",
        Level::Rule => "a validation rule",
        Level::Subresources => "`subresources`",
        Level::Status => "`subresources.status`",
        Level::Scale => "`subresources.scale`",
        Level::Column => "a column",
        Level::SelectableField => "a selectable field",
        Level::Conversion => "`conversion`",
        Level::Other => "this place",
    }
}

/// Runs the rules that look at whole texts.
pub(crate) fn text(text: &Text<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in ALL {
        if let Find::Text(find) = rule.find {
            find(text, &mut found);
        }
    }
    found
}

/// The finding about something that is no text at all.
pub(crate) fn not_text(at: Span, why: &str) -> Diagnostic {
    unparsable_yaml::RULE.found(format!("{why}: it is not judged")).at(at, "")
}

/// Runs the rules that look at one document.
pub(crate) fn part(part: &Part<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in ALL {
        if let Find::Document(find) = rule.find {
            find(part, &mut found);
        }
    }
    found
}

/// Runs the rules that look at a CRD.
pub(crate) fn crd(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in ALL {
        if let Find::Crd(find) = rule.find {
            find(subject, &mut found);
        }
    }
    found
}
