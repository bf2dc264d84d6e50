//! The rules of a schema as a tree beside it, each compiled once, when first asked for.
//!
//! Mirrors `NewValidator` of the server's `cel/validation.go`.

use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::decl::Decl;
use crate::server::cel::program;
use crate::server::cel::program::Rule;
use std::sync::OnceLock;

/// The compiled rules of one schema; nothing at all for a schema without rules.
#[derive(Debug, Default)]
pub struct Rules {
    pub(super) root: Option<Node>,
}

/// The rules of a node of the schema and of the nodes below it.
#[derive(Debug)]
pub(super) struct Node {
    /// Whether the server passes over the node when it validates, because it has no type in CEL.
    pub(super) hidden: bool,
    /// Whether `apiVersion`, `kind` and `metadata` are declared here whatever the schema says.
    pub(super) resource: bool,
    /// Whether the node itself has rules.
    own_rules: bool,
    pub(super) items: Option<Box<Node>>,
    /// Properties by their place in the schema.
    pub(super) properties: Vec<(usize, Node)>,
    pub(super) additional: Option<Box<Node>>,
    own: OnceLock<Vec<Rule>>,
}

impl Rules {
    /// Collects the rules of the root schema of a version. Costs one walk; rules are compiled when they are needed.
    pub fn of(schema: &Schema) -> Self {
        Self { root: node(schema, true, false) }
    }

    /// Collects the rules of any node of a schema, which is a resource only where it says so.
    pub fn of_node(schema: &Schema) -> Self {
        Self { root: node(schema, schema.embedded, false) }
    }

    /// Whether any rule can run on an object: those that stand only where the server does not look never do.
    pub fn can_run(&self) -> bool {
        self.root.as_ref().is_some_and(Node::can_run)
    }

    /// Whether the schema has no rule at all.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }
}

impl Node {
    fn can_run(&self) -> bool {
        let children = self.items.iter().chain(&self.additional).map(|it| &**it);
        let properties = self.properties.iter().map(|(_, it)| it);
        !self.hidden && (self.own_rules || children.chain(properties).any(Node::can_run))
    }

    /// The compiled rules of the node itself, in the order of the text.
    pub(super) fn rules(&self, schema: &Schema) -> &[Rule] {
        self.own.get_or_init(|| {
            schema.validations.iter().map(|it| program::rule(schema, self.resource, it)).collect()
        })
    }
}

fn node(schema: &Schema, resource: bool, hidden: bool) -> Option<Node> {
    let items = schema.item().and_then(|it| node(it, it.embedded, false)).map(Box::new);
    let additional = schema.additional().and_then(|it| node(it, it.embedded, false)).map(Box::new);
    let mut properties = Vec::new();
    for (at, (name, property)) in schema.properties.iter().enumerate() {
        if let Some(mut below) = node(property, property.embedded, false) {
            below.hidden = is_hidden(schema, resource, name, property);
            properties.push((at, below));
        }
    }
    let empty =
        schema.validations.is_empty() && items.is_none() && additional.is_none() && properties.is_empty();
    let own_rules = !schema.validations.is_empty();
    (!empty).then(|| Node {
        hidden,
        resource,
        own_rules,
        items,
        properties,
        additional,
        own: OnceLock::new(),
    })
}

/// Whether the server omits a property from validation: its name can be written in CEL, but it has no type there.
fn is_hidden(parent: &Schema, resource: bool, name: &str, property: &Schema) -> bool {
    let typed = decl::of(property, property.embedded).is_some();
    if decl::escape(name).is_none() {
        return !typed;
    }
    match decl::of(parent, resource) {
        Some(Decl::Object { .. }) => !typed,
        _ => true,
    }
}
