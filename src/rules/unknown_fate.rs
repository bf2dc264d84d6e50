//! Slots whose fate nobody can tell.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::crd::Api;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;
use crate::verdict::Verdict;

pub(super) const RULE: Rule = Rule {
    name: "unknown-fate",
    severity: Severity::Warning,
    docs: include_str!("unknown_fate.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(undecided(subject));
    if let Some(why) = &subject.judgement.unservable {
        // A CRD that is refused anyway needs no second word.
        if subject.accepted() {
            let diagnostic = RULE.found(format!("whether the status is kept cannot be told: {why}"));
            found.push(diagnostic.at(subject.name_at(), ""));
        }
        return;
    }
    found.extend(unhandled(subject));
    for judged in subject.judgement.versions.iter().filter(|it| it.handled) {
        let unknown: Vec<&Verdict> = judged.verdicts.iter().filter(|it| it.fate == Fate::Unknown).collect();
        let Some(first) = unknown.first() else { continue };
        let said: Vec<String> = super::slots(&unknown).into_iter().map(|it| words::slot(&it)).collect();
        let verb = if said.len() == 1 { "survives" } else { "survive" };
        let message =
            format!("whether {} {verb} in version `{}` cannot be told", words::list(&said), judged.name);
        let version = subject.crd.version(&judged.name);
        let at = match version {
            _ if !first.blame.is_empty() => first.blame,
            Some(it) => subject.version_at(it),
            None => subject.name_at(),
        };
        let mut diagnostic = RULE.found(message).at(at, first.why.clone());
        diagnostic.version = Some(judged.name.clone());
        diagnostic.slots = super::slots(&unknown);
        let mut reasons: Vec<&String> = unknown.iter().flat_map(|it| &it.unknown).collect();
        reasons.sort();
        reasons.dedup();
        for reason in reasons.into_iter().take(3) {
            diagnostic = diagnostic.note(reason.clone());
        }
        found.push(
            diagnostic.help("try it on a cluster, or judge the versions one by one with `--api-version`"),
        );
    }
}

/// Says that the CRD itself may be refused.
fn undecided(subject: &Subject<'_>) -> Option<Diagnostic> {
    let reasons = &subject.admission.unknown;
    if reasons.is_empty() || !subject.accepted() {
        return None;
    }
    let found = RULE.found("whether the server accepts this CRD cannot be told").at(subject.name_at(), "");
    let found = reasons.iter().take(3).fold(found, |it, reason| it.note(reason.0.clone()));
    // No cluster that is asked today takes the old API.
    let askable = subject.crd.api == Api::V1;
    Some(if askable { found.help("ask a cluster: `kubectl create --dry-run=server -f FILE`") } else { found })
}

/// Says that the version in question is not there to be judged.
fn unhandled(subject: &Subject<'_>) -> Option<Diagnostic> {
    let served: Vec<&str> = subject.judgement.versions.iter().map(|it| it.name.as_str()).collect();
    let handled = subject.judgement.versions.iter().find(|it| it.handled);
    let Some(handled) = handled.filter(|_| !served.is_empty()) else {
        let silent = !subject.accepted() || !served.is_empty();
        let message = "no version of this CRD is served: nothing is judged";
        return (!silent).then(|| RULE.found(message).at(subject.name_at(), ""));
    };
    let named = subject.contract.api_version.as_deref().filter(|it| *it != handled.name)?;
    let message = format!("version `{named}`, which handlers name, is not served by this CRD");
    let at =
        subject.crd.version(&handled.name).map_or_else(|| subject.name_at(), |it| subject.version_at(it));
    let found = RULE.found(message).at(at, format!("`{}` is judged instead", handled.name));
    Some(found.help(format!("name one of {}", words::names(&served))))
}
