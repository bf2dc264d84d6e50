//! One rule, compiled: its expressions, what they may cost, and the field it blames.
//!
//! Mirrors `compileRule` of the server's `cel/compilation.go`.

use crate::schema::Schema;
use crate::schema::ValidationRule;
use crate::server::cel::check;
use crate::server::cel::check::Checked;
use crate::server::cel::cost;
use crate::server::cel::decl;
use crate::server::cel::decl::Decl;
use crate::server::cel::decl::Fields;
use crate::server::cel::field_path;
use crate::server::cel::parse;
use crate::server::cel::plan;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Failure;
use crate::server::cel::types::Type;

/// A rule of a node.
#[derive(Debug)]
pub(super) struct Rule {
    /// The expression, if the server takes it; nothing for an empty one.
    pub(super) program: Option<Result<Program, Failure>>,
    /// The expression of the message, if there is one and the rule itself is taken.
    pub(super) message: Option<Result<Program, Failure>>,
    /// Whether the rule names `oldSelf`.
    pub(super) uses_old: bool,
    /// How often the rule may run on one object by the size of requests alone.
    pub(super) cardinality: u64,
    /// `fieldPath` as the server writes it; empty for none.
    pub(super) field_path: String,
}

/// An expression that the server takes.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) expr: Expr,
    /// What it may cost at worst, if that is known.
    pub(super) max_cost: Option<u64>,
}

/// Compiles a rule on a node of the schema.
pub(super) fn rule(schema: &Schema, fields: Fields, rule: &ValidationRule) -> Rule {
    let mut res = Rule {
        program: None,
        message: None,
        uses_old: false,
        cardinality: (decl::MAX_REQUEST / (decl::min_size(schema, fields) + 1)) as u64,
        field_path: String::new(),
    };
    if rule.rule.trim().is_empty() {
        return res;
    }
    let optional_old = rule.optional_old_self == Some(true);
    let (program, uses_old) = compile(schema, fields, &rule.rule, optional_old, &RULE);
    if program.is_ok() {
        if !rule.message_expression.is_empty() {
            res.message = Some(compile(schema, fields, &rule.message_expression, optional_old, &MESSAGE).0);
        }
        res.field_path = field_path::read(schema, &rule.field_path).unwrap_or_default();
    }
    res.program = Some(program);
    res.uses_old = uses_old;
    res
}

/// What an expression must be, and the server's words for one that is not.
struct Demand {
    fits: fn(&Type) -> bool,
    other_type: &'static str,
    not_compiled: &'static str,
    not_planned: &'static str,
}

const RULE: Demand = Demand {
    fits: |it| matches!(it, Type::Bool),
    other_type: "cel expression must evaluate to a bool",
    not_compiled: "compilation failed",
    not_planned: "program instantiation failed",
};

const MESSAGE: Demand = Demand {
    fits: |it| matches!(it, Type::String),
    other_type: "messageExpression must evaluate to a string",
    not_compiled: "messageExpression compilation failed",
    not_planned: "messageExpression instantiation failed",
};

/// Compiles an expression, and says whether it names `oldSelf`.
fn compile(
    schema: &Schema,
    fields: Fields,
    text: &str,
    optional_old: bool,
    demand: &Demand,
) -> (Result<Program, Failure>, bool) {
    let Some(decl) = decl::of(schema, fields) else {
        let why = "failed to convert to declType for CEL validation rules";
        return (Err(Failure::Refused(why.to_owned())), false);
    };
    let (mut expr, checked) = match check(schema, decl, text, optional_old) {
        Ok(found) => found,
        Err(failure) => return (Err(failure.during(demand.not_compiled)), false),
    };
    if !(demand.fits)(&checked.ty) {
        return (Err(Failure::Refused(demand.other_type.to_owned())), false);
    }
    if let Err(failure) = plan::check(&expr) {
        return (Err(failure.during(demand.not_planned)), checked.uses_old);
    }
    let max_cost = cost::estimate(&expr, &checked, schema, fields).map(|it| it.max);
    plan::rewrite(&mut expr, &checked.overloads);
    (Ok(Program { expr, max_cost }), checked.uses_old)
}

fn check<'s>(
    schema: &'s Schema,
    decl: Decl<'s>,
    text: &str,
    optional_old: bool,
) -> Result<(Expr, Checked<'s>), Failure> {
    let (mut expr, ids) = parse::parse(text)?;
    let this = Type::of(schema, decl);
    let old = if optional_old { Type::optional(this.clone()) } else { this.clone() };
    let checked = check::check(&mut expr, ids, &this, &old)?;
    Ok((expr, checked))
}
