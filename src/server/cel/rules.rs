//! The rules of a schema as a tree beside it, each compiled once, when first asked for.
//!
//! Mirrors `NewValidator` of the server's `cel/validation.go`.

use crate::schema::Keywords;
use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::decl::Decl;
use crate::server::cel::decl::Fields;
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
    /// The fields of the node.
    pub(super) fields: Fields,
    /// By what the rules are typed where it is not the node's schema: below another rule, a field of every resource.
    inherent: Option<&'static Schema>,
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
        Self { root: node(schema, Fields::of_resource(schema), false) }
    }

    /// Collects the rules of any node of a schema, which is a resource only where it says so.
    pub fn of_node(schema: &Schema) -> Self {
        Self { root: node(schema, Fields::of(schema), false) }
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
            let typed = self.inherent.unwrap_or(schema);
            schema.validations.iter().map(|it| program::rule(typed, self.fields, it)).collect()
        })
    }
}

/// Collects the rules of a node; `above` is whether a node above has rules.
fn node(schema: &Schema, fields: Fields, above: bool) -> Option<Node> {
    const RULES: Keywords = Keywords::of(&["x-kubernetes-validations"]);
    if !schema.within.meets(RULES) {
        return None;
    }
    let above = above || !schema.validations.is_empty();
    let child = |it: &Schema| node(it, Fields::of(it), above).map(Box::new);
    let found = Node {
        hidden: false,
        fields,
        inherent: None,
        own_rules: !schema.validations.is_empty(),
        items: schema.item().and_then(child),
        properties: properties(schema, schema, fields, above),
        additional: schema.additional().and_then(child),
        own: OnceLock::new(),
    };
    let empty = !found.own_rules
        && found.items.is_none()
        && found.additional.is_none()
        && found.properties.is_empty();
    (!empty).then_some(found)
}

/// The properties of a node with rules. `owner` has their types: the node itself, or for `metadata` the resource.
fn properties(schema: &Schema, owner: &Schema, fields: Fields, above: bool) -> Vec<(usize, Node)> {
    let mut found = Vec::new();
    for (at, (name, property)) in schema.properties.iter().enumerate() {
        let Some(mut below) = node(property, Fields::of(property), above) else { continue };
        if fields == Fields::Resource && &**name == "metadata" {
            below.properties = properties(property, schema, Fields::Metadata, above || below.own_rules);
        }
        below.hidden = is_hidden(owner, fields, name, property);
        below.inherent = if above { decl::inherent(owner, fields, name) } else { None };
        found.push((at, below));
    }
    found
}

/// Whether the server omits a property from validation: its name can be written in CEL, but it has no type there.
fn is_hidden(owner: &Schema, fields: Fields, name: &str, property: &Schema) -> bool {
    if decl::escape(name).is_none() {
        return decl::of(property, Fields::of(property)).is_none();
    }
    match decl::of(owner, fields) {
        Some(Decl::Object { .. }) => {
            decl::property(owner, fields, name).is_none_or(|(found, below)| decl::of(found, below).is_none())
        }
        _ => true,
    }
}
