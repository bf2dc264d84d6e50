//! Typed schemas with an open root.

use super::Find;
use super::Rule;
use super::Subject;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "wide-preserve",
    severity: Severity::Note,
    docs: include_str!("wide_preserve.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for version in &subject.crd.versions {
        let Some(root) = &version.schema else { continue };
        // A root that declares nothing is open on purpose.
        let typed =
            root.properties.iter().any(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&&**name));
        let Some(keyword) = root.keyword("x-kubernetes-preserve-unknown-fields") else { continue };
        if !root.preserves() || !typed || root.property("status").is_none() {
            continue;
        }
        let message =
            format!("the root of version `{}` is open, though its status is declared", version.name);
        let diagnostic =
            RULE.found(message).at(keyword.key, "keeps every undeclared key beside `spec` and `status`");
        let diagnostic =
            diagnostic.note("it does not reach into the declared `status`, which goes by its own rules");
        found.push(diagnostic.help("remove it here, and open what must be open in the status"));
        return;
    }
}
