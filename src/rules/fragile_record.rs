//! Progress records without room for fields of a later Kopf.

use super::Find;
use super::Rule;
use super::Subject;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::verdict::Fate;

pub(super) const RULE: Rule = Rule {
    name: "fragile-record",
    severity: Severity::Warning,
    docs: include_str!("fragile_record.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, judged)) = subject.handled() else { return };
    let Some(root) = &version.schema else { return };
    for verdict in judged.verdicts.iter().filter(|it| it.slot == "progress" && it.fate == Fate::Kept) {
        let holder = verdict.path.0.iter().try_fold(root, |node, key| node.property(key));
        let Some(record) = holder.and_then(|it| it.additional()) else { continue };
        if record.preserves() || record.properties.is_empty() {
            continue;
        }
        let message = format!("the records in `{}` have no room for fields of a later Kopf", verdict.path);
        let at = record.keyword("properties").map_or(record.at, |it| it.key);
        let mut diagnostic = RULE.found(message).at(at, "declares today's fields only");
        diagnostic.version = Some(version.name.clone());
        diagnostic.slots = vec![verdict.slot.clone()];
        let diagnostic = diagnostic
            .note("Kopf added `subrefs` in 0.28 and `purpose` in 1.29; a dropped field can stall retries");
        found.push(diagnostic.help(format!("add beside them:\n{}", super::stanza::PRESERVE)));
    }
}
