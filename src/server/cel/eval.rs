//! What an expression comes to.
//!
//! Mirrors `interpreter` of github.com/google/cel-go: errors are values that `&&`, `||` and the macros made of them can
//! absorb. What is not modeled is absorbed the same way and never becomes an answer.

use crate::server::cel::equality::equal;
use crate::server::cel::library;
use crate::server::cel::strings;
use crate::server::cel::syntax::ACCUMULATOR;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Fold;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::value::Result;
use crate::server::cel::value::Stop;
use crate::server::cel::value::Val;
use crate::server::cel::value::error;
use crate::server::cel::value::no_such_overload;
use crate::server::cel::value::unknown;
use regex::Regex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// The most that one evaluation may cost.
const LIMIT: u64 = 1_000_000;

/// An evaluation: the variables, and an upper bound of what it cost so far in the server's units.
pub(super) struct Eval<'v> {
    scope: Vec<(&'v str, Result<Val<'v>>)>,
    /// Compiled patterns: a macro asks for the same one with every item.
    patterns: HashMap<String, Regex>,
    pub(super) spent: u64,
}

impl<'v> Eval<'v> {
    /// Starts with `self` and, where the rule has one, `oldSelf`.
    pub(super) fn new(this: Result<Val<'v>>, old: Option<Result<Val<'v>>>) -> Self {
        let mut scope = vec![("self", this)];
        scope.extend(old.map(|it| ("oldSelf", it)));
        Self { scope, patterns: HashMap::new(), spent: 0 }
    }

    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &'v Expr) -> Result<Val<'v>> {
        self.spend(match &expr.kind {
            Kind::Literal(_) | Kind::Fold(_) => 0,
            Kind::List(_) => 10,
            Kind::Map(_) => 30,
            _ => 1,
        })?;
        match &expr.kind {
            Kind::Literal(literal) => Ok(constant(literal)),
            Kind::Ident(name) => self.ident(name),
            Kind::Select { operand, field, test: false } => {
                let operand = self.expr(operand)?;
                select(operand, field)
            }
            Kind::Select { operand, field, test: true } => Ok(match self.presence(operand, field)? {
                Val::Optional(found) => Val::Bool(found.is_some()),
                found => found,
            }),
            Kind::Call { function, target, args } => self.call(function, target.as_deref(), args),
            Kind::List(items) => {
                let items = items.iter().map(|it| self.expr(&it.0)).collect::<Result<Vec<_>>>()?;
                Ok(Val::List(Rc::new(items)))
            }
            Kind::Map(entries) => {
                let mut res: Vec<(Val<'v>, Val<'v>)> = Vec::new();
                for (key, value, _) in entries {
                    let (key, value) = (self.expr(key)?, self.expr(value)?);
                    for (before, _) in &res {
                        if equal(before, &key)? {
                            return error("Failed with repeated key");
                        }
                    }
                    res.push((key, value));
                }
                Ok(Val::Map(Rc::new(res)))
            }
            Kind::Fold(fold) => self.fold(fold),
        }
    }

    /// Whether the evaluation may have cost more than the server allows.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent > LIMIT
    }

    /// Counts a cost; beyond the limit the server gives up, and so does this.
    fn spend(&mut self, cost: u64) -> Result<()> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > LIMIT { unknown("the rule may cost more than the server allows") } else { Ok(()) }
    }

    fn ident(&self, name: &str) -> Result<Val<'v>> {
        if let Some((_, value)) = self.scope.iter().rev().find(|it| it.0 == name) {
            return value.clone();
        }
        match name {
            "bool" => Ok(Val::Type("bool")),
            "bytes" => Ok(Val::Type("bytes")),
            "double" => Ok(Val::Type("double")),
            "int" => Ok(Val::Type("int")),
            "list" => Ok(Val::Type("list")),
            "map" => Ok(Val::Type("map")),
            "null_type" => Ok(Val::Type("null_type")),
            "string" => Ok(Val::Type("string")),
            "type" => Ok(Val::Type("type")),
            "uint" => Ok(Val::Type("uint")),
            _ => unknown(format!("the value of `{name}` is not modeled")),
        }
    }

    fn call(&mut self, function: &str, target: Option<&'v Expr>, args: &'v [Expr]) -> Result<Val<'v>> {
        match (function, args) {
            ("_&&_", [one, two]) => self.logical(one, two, false),
            ("_||_", [one, two]) => self.logical(one, two, true),
            ("_?_:_", [condition, yes, no]) => match self.expr(condition)? {
                Val::Bool(true) => self.branch(yes),
                Val::Bool(false) => self.branch(no),
                _ => no_such_overload(),
            },
            ("@not_strictly_false", [arg]) => match self.expr(arg) {
                Ok(Val::Bool(it)) => Ok(Val::Bool(it)),
                _ => Ok(Val::Bool(true)),
            },
            ("_+_", [one, two]) if matches!(&one.kind, Kind::Ident(name) if name == ACCUMULATOR) => {
                self.accumulate(two)
            }
            ("_?._", [operand, field]) => {
                let Kind::Literal(Literal::String(field)) = &field.kind else { return no_such_overload() };
                let operand = self.expr(operand)?;
                Ok(Val::Optional(present(&operand, field)?.map(Rc::new)))
            }
            ("_==_" | "_!=_", [one, two]) => {
                let (one, two) = (self.expr(one)?, self.expr(two)?);
                self.spend(one.weight() + two.weight())?;
                Ok(Val::Bool(equal(&one, &two)? == (function == "_==_")))
            }
            _ => {
                let mut values = Vec::with_capacity(args.len() + 1);
                for arg in target.into_iter().chain(args) {
                    values.push(self.expr(arg)?);
                }
                self.spend(library::cost(function, &values))?;
                match (function, values.as_slice()) {
                    ("matches", [Val::String(text), Val::String(pattern)]) => self.matches(text, pattern),
                    _ => library::call(function, &values),
                }
            }
        }
    }

    /// A branch of `?:`. cel-go takes a presence test there for the attribute that it tests (`planCallConditional`).
    fn branch(&mut self, expr: &'v Expr) -> Result<Val<'v>> {
        let Kind::Select { operand, field, test: true } = &expr.kind else { return self.expr(expr) };
        self.spend(1)?;
        self.presence(operand, field)
    }

    /// What a presence test finds: whether the field is there, and of an optional, an optional (`applyQualifiers`).
    fn presence(&mut self, operand: &'v Expr, field: &str) -> Result<Val<'v>> {
        let operand = self.expr(operand)?;
        let found = present(&operand, field)?;
        Ok(match operand {
            Val::Optional(_) => Val::Optional(found.map(Rc::new)),
            _ => Val::Bool(found.is_some()),
        })
    }

    fn matches(&mut self, text: &str, pattern: &str) -> Result<Val<'v>> {
        if let Some(regex) = self.patterns.get(pattern) {
            return Ok(Val::Bool(regex.is_match(text)));
        }
        let regex = strings::regex(pattern)?;
        let found = regex.is_match(text);
        self.patterns.insert(pattern.to_owned(), regex);
        Ok(Val::Bool(found))
    }

    /// `&&` (decided by false) and `||` (decided by true), in either order.
    fn logical(&mut self, one: &'v Expr, two: &'v Expr, decisive: bool) -> Result<Val<'v>> {
        let one = self.expr(one);
        if matches!(one, Ok(Val::Bool(it)) if it == decisive) {
            return one;
        }
        let two = self.expr(two);
        match (one, two) {
            (_, Ok(Val::Bool(it))) if it == decisive => Ok(Val::Bool(decisive)),
            (Err(Stop::Unknown(why)), _) | (_, Err(Stop::Unknown(why))) => unknown(why),
            (Err(it), _) | (Ok(Val::Bool(_)), Err(it)) => Err(it),
            (Ok(Val::Bool(_)), Ok(Val::Bool(_))) => Ok(Val::Bool(!decisive)),
            _ => no_such_overload(),
        }
    }

    /// `@result + x`: a list grows in place.
    fn accumulate(&mut self, item: &'v Expr) -> Result<Val<'v>> {
        let item = self.expr(item)?;
        self.spend(1)?;
        let slot = self.scope.iter_mut().rev().find(|it| it.0 == ACCUMULATOR);
        let Some((_, slot)) = slot else { return no_such_overload() };
        match (std::mem::replace(slot, Ok(Val::Null))?, item) {
            (Val::List(mut items), Val::List(more)) => {
                Rc::make_mut(&mut items).extend(more.iter().cloned());
                Ok(Val::List(items))
            }
            (before, item) => library::call("_+_", &[before, item]),
        }
    }

    fn fold(&mut self, fold: &'v Fold) -> Result<Val<'v>> {
        let range = self.expr(&fold.range)?;
        let items = match range.items() {
            Some(items) => items,
            None => match range.keys() {
                Some(keys) => keys.into_iter().map(Ok).collect(),
                None => return no_such_overload(),
            },
        };
        let init = self.expr(&fold.init);
        self.scope.push((ACCUMULATOR, init));
        for item in items {
            self.scope.push((&fold.var, item));
            let goes_on = self.expr(&fold.condition);
            let step = match goes_on {
                Ok(Val::Bool(true)) => Some(self.expr(&fold.step)),
                Ok(_) => None,
                Err(stop) => Some(Err(stop)),
            };
            self.scope.pop();
            match (step, self.scope.last_mut()) {
                (Some(value), Some(accumulator)) => accumulator.1 = value,
                _ => break,
            }
        }
        let res = self.expr(&fold.result);
        self.scope.pop();
        res
    }
}

fn constant<'v>(literal: &'v Literal) -> Val<'v> {
    match literal {
        Literal::Null => Val::Null,
        Literal::Bool(it) => Val::Bool(*it),
        Literal::Int(it) => Val::Int(*it),
        Literal::Uint(it) => Val::Uint(*it),
        Literal::Double(it) => Val::Double(*it),
        Literal::String(it) => Val::String(Cow::Borrowed(it)),
        Literal::Bytes(it) => Val::Bytes(it.as_ref().into()),
    }
}

/// `operand.field`; of an optional, an optional.
fn select<'v>(operand: Val<'v>, field: &str) -> Result<Val<'v>> {
    if matches!(operand, Val::Optional(_)) {
        return Ok(Val::Optional(present(&operand, field)?.map(Rc::new)));
    }
    match present(&operand, field)? {
        Some(value) => Ok(value),
        None => error(format!("no such key: {field}")),
    }
}

/// The value of a field, if the operand has it; a value without fields has none.
pub(super) fn present<'v>(operand: &Val<'v>, field: &str) -> Result<Option<Val<'v>>> {
    match operand {
        Val::Optional(None) => Ok(None),
        Val::Optional(Some(value)) => present(value, field),
        Val::Object(..) | Val::Map(_) => operand.find(&Val::String(Cow::Owned(field.to_owned()))),
        Val::Preserved(_) | Val::Items(..) | Val::List(_) => unknown("fields of such values are not modeled"),
        _ => Ok(None),
    }
}
