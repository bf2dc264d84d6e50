//! What the server works out of an expression before it ever runs: constants and their mistakes.
//!
//! Mirrors `interpreter/decorators.go` of github.com/google/cel-go: conversions of constants are made, constant patterns
//! compiled, and a rule in which either fails is refused.

use crate::server::cel::eval::Eval;
use crate::server::cel::regexp;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Failure;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::value;
use crate::server::cel::value::Stop;
use crate::server::cel::value::Val;

/// Conversions that are made of constants ahead.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "dyn", "duration", "int", "string", "timestamp", "type", "uint"];
/// Conversions that cannot fail, whatever their result is.
const SAFE: [&str; 3] = ["dyn", "string", "type"];

/// Refuses an expression whose constants cannot be worked out.
pub(super) fn check(expr: &Expr) -> Result<(), Failure> {
    match &expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => Ok(()),
        Kind::Select { operand, .. } => check(operand),
        Kind::Call { function, target, args } => {
            target.as_deref().into_iter().chain(args).try_for_each(check)?;
            call(expr, function, target.as_deref(), args)
        }
        Kind::List(items) => items.iter().try_for_each(|it| check(&it.0)),
        Kind::Map(entries) => entries.iter().try_for_each(|it| check(&it.0).and_then(|()| check(&it.1))),
        Kind::Fold(fold) => [&fold.range, &fold.init, &fold.condition, &fold.step, &fold.result]
            .into_iter()
            .try_for_each(check),
    }
}

fn call(expr: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> Result<(), Failure> {
    if is_constant(expr) && !SAFE.contains(&function) {
        constant(expr)?;
    }
    let mut all = target.into_iter().chain(args);
    if let ("matches" | "find" | "findAll", Some(pattern)) = (function, all.nth(1))
        && is_constant(pattern)
        && let Val::String(pattern) = constant(pattern)?
    {
        regexp::check(&pattern)?;
    }
    Ok(())
}

/// Whether the server knows the value ahead.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Literal(_) => true,
        Kind::List(items) => items.iter().all(|it| is_constant(&it.0)),
        Kind::Map(entries) => entries.iter().all(|it| is_constant(&it.0) && is_constant(&it.1)),
        Kind::Call { function, target: None, args } => {
            CONVERSIONS.contains(&function.as_str()) && args.len() == 1 && is_constant(&args[0])
        }
        _ => false,
    }
}

fn constant(expr: &Expr) -> Result<Val<'_>, Failure> {
    let nothing = || value::unknown("a constant names no variable");
    match Eval::new(nothing(), None).expr(expr) {
        Ok(value) => Ok(value),
        Err(Stop::Error(why)) => Err(Failure::Refused(why)),
        Err(Stop::Unknown(why)) => Err(Failure::Unknown(why)),
    }
}

/// Replaces what the server does not evaluate (nothing is in an empty list, whatever it is), and tells the sums of
/// different types apart, which differ for an empty list.
pub(super) fn rewrite(expr: &mut Expr, overloads: &[Vec<&'static str>]) {
    if let Kind::Call { function, .. } = &mut expr.kind
        && function == "sum"
        && let [overload] = overloads[expr.id].as_slice()
    {
        (*overload).clone_into(function);
    }
    if let Kind::Call { function, args, .. } = &expr.kind
        && function == "@in"
        && matches!(args.as_slice(), [_, Expr { kind: Kind::List(items), .. }] if items.is_empty())
    {
        expr.kind = Kind::Literal(Literal::Bool(false));
        return;
    }
    match &mut expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => rewrite(operand, overloads),
        Kind::Call { target, args, .. } => {
            target.as_deref_mut().into_iter().chain(args).for_each(|it| rewrite(it, overloads))
        }
        Kind::List(items) => items.iter_mut().for_each(|it| rewrite(&mut it.0, overloads)),
        Kind::Map(entries) => entries.iter_mut().for_each(|it| {
            rewrite(&mut it.0, overloads);
            rewrite(&mut it.1, overloads);
        }),
        Kind::Fold(fold) => {
            [&mut fold.range, &mut fold.init, &mut fold.condition, &mut fold.step, &mut fold.result]
                .into_iter()
                .for_each(|it| rewrite(it, overloads));
        }
    }
}
