//! The report for machines: `kopf-crd/report/v1`.
//!
//! The shape is a contract with scripts. It has its own structs, so that no change inside changes it by accident.

use crate::check::Checked;
use crate::check::Report;
use crate::check::Summary;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::kopf::Contract;
use crate::render::Run;
use crate::render::place::Lines;
use crate::server::FieldError;
use crate::source::Source;
use crate::source::Span;
use crate::verdict::Verdict;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    tool: Tool,
    contract: &'a Contract,
    summary: Totals,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Totals {
    files: usize,
    documents: usize,
    crds: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    silenced: usize,
    skipped: Skipped,
}

#[derive(Serialize)]
struct Skipped {
    others: usize,
    out_of_scope: usize,
    fragments: usize,
    broken: usize,
}

#[derive(Serialize)]
struct CrdOut<'a> {
    file: &'a str,
    document: usize,
    line: usize,
    name: &'a str,
    group: &'a str,
    kind: &'a str,
    api_version: &'static str,
    accepted: bool,
    refusals: Vec<RefusalOut<'a>>,
    /// Why `accepted` is not certain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<&'a str>,
    versions: Vec<VersionOut<'a>>,
}

#[derive(Serialize)]
struct RefusalOut<'a> {
    #[serde(flatten)]
    error: &'a FieldError,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Serialize)]
struct VersionOut<'a> {
    name: &'a str,
    served: bool,
    storage: bool,
    handled: bool,
    status_subresource: bool,
    slots: Vec<SlotOut<'a>>,
}

#[derive(Serialize)]
struct SlotOut<'a> {
    slot: &'a str,
    path: String,
    fate: &'static str,
    lost: &'a [String],
    errors: &'a [FieldError],
    via: Option<&'a str>,
    at: Option<Place>,
    witness: Option<WitnessOut<'a>>,
    effect: Option<&'a str>,
    unknown: &'a [String],
}

#[derive(Serialize)]
struct WitnessOut<'a> {
    patch: &'a Value,
    stored: &'a Value,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct DiagnosticOut<'a> {
    rule: &'a str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    notes: &'a [String],
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    crd: Option<&'a str>,
    version: Option<&'a str>,
    slot: Option<&'a str>,
    slots: &'a [String],
    fix: Option<FixOut<'a>>,
}

#[derive(Serialize)]
struct FixOut<'a> {
    safety: &'static str,
    edits: Vec<EditOut<'a>>,
}

#[derive(Serialize)]
struct EditOut<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

/// The CRDs of a text, one a line.
pub(super) fn crds(source: &Source, lines: &Lines<'_>, report: &Report) -> String {
    join(report.crds.iter().map(|it| line(&crd(source, lines, it))))
}

/// The findings of a text, one a line.
pub(super) fn diagnostics(source: &Source, lines: &Lines<'_>, report: &Report) -> String {
    join(report.diagnostics.iter().map(|it| line(&diagnostic(source, lines, it))))
}

/// The whole object.
pub(super) fn whole(crds: &[&str], diagnostics: &[&str], run: &Run<'_>) -> String {
    let head = Head {
        schema: "kopf-crd/report/v1",
        tool: Tool { name: "kopf-crd", version: env!("CARGO_PKG_VERSION") },
        contract: run.contract,
        summary: totals(&run.summary),
    };
    let head = line(&head);
    let filled = |parts: &[&str]| join(parts.iter().filter(|it| !it.is_empty()).map(|it| (*it).to_owned()));
    format!(
        "{},\n\"crds\":[{}],\n\"diagnostics\":[{}]}}\n",
        head.strip_suffix('}').unwrap_or(&head),
        filled(crds),
        filled(diagnostics)
    )
}

fn totals(summary: &Summary) -> Totals {
    let skipped = summary.skipped;
    Totals {
        files: summary.files,
        documents: summary.documents,
        crds: summary.crds,
        errors: summary.errors,
        warnings: summary.warnings,
        notes: summary.notes,
        silenced: summary.silenced,
        skipped: Skipped {
            others: skipped.others,
            out_of_scope: skipped.out_of_scope,
            fragments: skipped.fragments,
            broken: skipped.broken,
        },
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",\n")
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("only maps with text keys are written")
}

fn crd<'a>(source: &'a Source, lines: &Lines<'_>, it: &'a Checked) -> CrdOut<'a> {
    let versions = it.crd.versions.iter().map(|version| {
        let judged = it.judgement.versions.iter().find(|judged| judged.name == version.name);
        VersionOut {
            name: &version.name,
            served: version.served,
            storage: version.storage,
            handled: judged.is_some_and(|it| it.handled),
            status_subresource: version.status_subresource,
            slots: judged.map_or_else(Vec::new, |it| it.verdicts.iter().map(|it| slot(lines, it)).collect()),
        }
    });
    CrdOut {
        file: &source.name,
        document: it.document,
        line: lines.position(it.crd.at.start).line,
        name: &it.crd.name,
        group: &it.crd.group,
        kind: &it.crd.names.kind,
        api_version: match it.crd.api {
            Api::V1 => "apiextensions.k8s.io/v1",
            Api::V1beta1 => "apiextensions.k8s.io/v1beta1",
        },
        accepted: it.accepted,
        refusals: it.refusals.iter().map(|it| refusal(lines, &it.error, it.at)).collect(),
        unknown: it.unknown.iter().map(|it| it.0.as_str()).collect(),
        versions: versions.collect(),
    }
}

fn refusal<'a>(lines: &Lines<'_>, error: &'a FieldError, at: Span) -> RefusalOut<'a> {
    let at = place(lines, at);
    RefusalOut { error, line: at.as_ref().map(|it| it.line), column: at.as_ref().map(|it| it.column) }
}

fn slot<'a>(lines: &Lines<'_>, it: &'a Verdict) -> SlotOut<'a> {
    SlotOut {
        slot: &it.slot,
        path: it.path.to_string(),
        fate: it.fate.name(),
        lost: &it.lost,
        errors: &it.errors,
        via: it.via.as_deref(),
        at: place(lines, it.blame),
        witness: it.witness.as_ref().map(|it| WitnessOut { patch: &it.patch, stored: &it.stored }),
        effect: it.effect.map(|it| it.text),
        unknown: &it.unknown,
    }
}

/// A place; none for what no text says.
fn place(lines: &Lines<'_>, span: Span) -> Option<Place> {
    let at = lines.position(span.start);
    (!span.is_empty()).then_some(Place { line: at.line, column: at.column })
}

fn diagnostic<'a>(source: &'a Source, lines: &Lines<'_>, it: &'a Diagnostic) -> DiagnosticOut<'a> {
    let (start, end) = (lines.position(it.span().start), lines.position(it.span().end));
    DiagnosticOut {
        rule: it.rule,
        severity: it.severity.name(),
        message: &it.message,
        help: it.help.as_deref(),
        notes: &it.notes,
        file: &source.name,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        crd: it.crd.as_deref(),
        version: it.version.as_deref(),
        slot: it.slots.first().map(String::as_str),
        slots: &it.slots,
        fix: it.fix.as_ref().map(|fix| FixOut {
            safety: fix.safety.name(),
            edits: fix
                .edits
                .iter()
                .map(|it| EditOut { start: it.span.start, end: it.span.end, text: &it.text })
                .collect(),
        }),
    }
}
