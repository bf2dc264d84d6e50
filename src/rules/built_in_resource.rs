//! Built-in resources, whose schema nobody can open.

use super::Find;
use super::Rule;
use super::Text;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity;
use crate::yaml::Node;

pub(super) const RULE: Rule = Rule {
    name: "built-in-resource",
    severity: Severity::Error,
    docs: include_str!("built_in_resource.md"),
    find: Find::Text(find),
};

/// Groups of Kubernetes itself that have no dot in their names.
const GROUPS: [&str; 5] = ["apps", "autoscaling", "batch", "extensions", "policy"];

const HELP: &str = "keep the state in annotations, and let handlers return nothing:
settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()
settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage()";

fn find(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    // Among other manifests a Service is nothing to speak of.
    if !text.named || text.has_crd || !text.stream.errors.is_empty() {
        return;
    }
    for document in &text.stream.documents {
        let Some(kind) = built_in(&document.root) else { continue };
        let message =
            format!("`{kind}` is built into Kubernetes: the server drops what Kopf writes into its status");
        let at = document.root.get("kind").map_or(document.span, |it| it.span);
        found.push(RULE.found(message).at(at, "its schema cannot be opened").help(HELP));
    }
}

/// The kind of a built-in object.
fn built_in(node: &Node) -> Option<&str> {
    let kind = node.get("kind")?.as_str()?;
    let api = node.get("apiVersion")?.as_str()?;
    let known = match api.split_once('/') {
        None => api == "v1",
        Some((group, _)) => GROUPS.contains(&group) || group.ends_with(".k8s.io"),
    };
    let list = kind == "List" || kind == "CustomResourceDefinitionList";
    (known && !list).then_some(kind)
}
