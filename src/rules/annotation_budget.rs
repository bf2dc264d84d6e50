//! Specs of any size, of which Kopf keeps a copy in an annotation.

use super::Find;
use super::Rule;
use super::Subject;
use super::words;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::kopf::annotations;
use crate::kopf::storage::Diffbase;
use crate::path::Path;
use crate::schema::Schema;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "annotation-budget",
    severity: Severity::Warning,
    docs: include_str!("annotation_budget.md"),
    find: Find::Crd(find),
};

fn find(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some((version, _)) = subject.handled() else { return };
    let Some(root) = &version.schema else { return };
    let ignored = subject.contract.diffbase.iter().find_map(|it| match it {
        Diffbase::Annotation { ignored_fields, .. } => Some(ignored_fields),
        Diffbase::Field { .. } => None,
    });
    let Some(ignored) = ignored else { return };
    let mut unbounded = Vec::new();
    for (name, schema) in &root.properties {
        // The rest is what Kopf takes for the essence of an object.
        if !["apiVersion", "kind", "metadata", "status"].contains(&&**name) {
            walk(schema, &Path::new([&**name]), ignored, &mut unbounded);
        }
    }
    let Some((_, at)) = unbounded.first() else { return };
    let names: Vec<String> = unbounded.iter().map(|(path, _)| path.to_string()).collect();
    let message = format!(
        "{} may be of any size, and a copy of it goes into an annotation: {} bytes are the limit",
        words::names(&names),
        annotations::BUDGET
    );
    let mut diagnostic = RULE.found(message).at(*at, "sets no bound to entries nor to texts");
    diagnostic.version = Some(version.name.clone());
    diagnostic.slots = vec!["diffbase".to_owned()];
    let diagnostic = diagnostic
        .note("beyond the limit every patch of the object is refused (422), and its handlers stall");
    found.push(diagnostic.help(
        "bound it, leave it out (`AnnotationsDiffBaseStorage(ignored_fields=[…])`), or keep the copy in the status:
settings.persistence.diffbase_storage = kopf.StatusDiffBaseStorage()",
    ));
}

/// Collects maps and lists without bounds that hold texts without bounds.
fn walk(node: &Schema, path: &Path, ignored: &[Path], found: &mut Vec<(Path, Span)>) {
    if ignored.iter().any(|it| path.is_under(it)) {
        return;
    }
    let many = match (node.additional(), node.item()) {
        (Some(value), _) => node.max_properties.is_none().then_some(value),
        (_, Some(item)) => node.max_items.is_none().then_some(item),
        _ => None,
    };
    if many.is_some_and(holds_text) {
        found.push((path.clone(), node.key));
        return;
    }
    for (name, child) in &node.properties {
        walk(child, &path.child(&**name), ignored, found);
    }
}

/// Whether a text of any length fits in.
fn holds_text(node: &Schema) -> bool {
    let text = node.ty == "string"
        && node.max_length.is_none()
        && node.enumeration.is_empty()
        && node.format.is_empty();
    text || node.preserves()
        || node.properties.iter().any(|(_, it)| holds_text(it))
        || node.additional().is_some_and(holds_text)
        || node.item().is_some_and(holds_text)
}
