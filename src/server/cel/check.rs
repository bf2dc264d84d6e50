//! Whether an expression is well typed against the schema it stands in.
//!
//! Mirrors `checker/checker.go` and `cel/validator.go` of github.com/google/cel-go. The first error ends the check:
//! one is enough for the server to refuse the rule.

use crate::server::cel::decl;
use crate::server::cel::functions::Overload;
use crate::server::cel::functions::overloads;
use crate::server::cel::regexp;
use crate::server::cel::syntax::ACCUMULATOR;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Failure;
use crate::server::cel::syntax::Fold;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::time;
use crate::server::cel::types::Mapping;
use crate::server::cel::types::Type;
use crate::server::cel::types::most_general;
use crate::server::go;

/// What the checker found.
#[derive(Debug)]
pub(super) struct Checked<'s> {
    /// The type of the whole expression.
    pub(super) ty: Type<'s>,
    /// The types of expressions, by id.
    pub(super) types: Vec<Type<'s>>,
    /// The overloads that a call may resolve to, by id.
    pub(super) overloads: Vec<Vec<&'static str>>,
    /// Whether the expression names `oldSelf`.
    pub(super) uses_old: bool,
}

/// Checks an expression with `self` and `oldSelf` of the given types. Calls of qualified functions are rewritten.
pub(super) fn check<'s>(
    expr: &mut Expr,
    ids: usize,
    this: &Type<'s>,
    old: &Type<'s>,
) -> Result<Checked<'s>, Failure> {
    let mut checker = Checker {
        types: vec![Type::Dyn; ids],
        overloads: vec![Vec::new(); ids],
        scope: vec![("self".to_owned(), this.clone()), ("oldSelf".to_owned(), old.clone())],
        mapping: Mapping::default(),
        vars: 0,
        uses_old: false,
    };
    checker.expr(expr)?;
    let types: Vec<_> = checker.types.iter().map(|it| checker.mapping.substitute(it, true)).collect();
    literals(expr, &types)?;
    Ok(Checked {
        ty: types[expr.id].clone(),
        types,
        overloads: checker.overloads,
        uses_old: checker.uses_old,
    })
}

/// Words that name types.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "timestamp",
    "type",
    "uint",
];
/// Packages of types that only the server knows.
const PACKAGES: [&str; 4] = ["google", "net", "kubernetes", "optional_type"];
/// Functions of the server that are of no use without its own values, or too young to be sure of.
const UNDECIDED: [&str; 14] = [
    "path",
    "group",
    "serviceAccount",
    "resource",
    "subresource",
    "namespace",
    "name",
    "check",
    "errored",
    "error",
    "allowed",
    "reason",
    "fieldSelector",
    "labelSelector",
];

struct Checker<'s> {
    types: Vec<Type<'s>>,
    overloads: Vec<Vec<&'static str>>,
    scope: Vec<(String, Type<'s>)>,
    mapping: Mapping<'s>,
    vars: u32,
    uses_old: bool,
}

fn refused<T>(why: String) -> Result<T, Failure> {
    Err(Failure::Refused(why))
}

fn unknown<T>(why: String) -> Result<T, Failure> {
    Err(Failure::Unknown(why))
}

impl<'s> Checker<'s> {
    fn fresh(&mut self) -> Type<'s> {
        self.vars += 1;
        Type::Var(self.vars - 1)
    }

    fn expr(&mut self, expr: &mut Expr) -> Result<Type<'s>, Failure> {
        let id = expr.id;
        if let Kind::Call { function, target, args } = &mut expr.kind
            && let Some(prefix) = target.as_deref().and_then(qualified)
            && !overloads(&format!("{prefix}.{function}")).is_empty()
        {
            let function = format!("{prefix}.{function}");
            expr.kind = Kind::Call { function, target: None, args: std::mem::take(args) };
        }
        let ty = match &mut expr.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => self.ident(name)?,
            Kind::Select { operand, field, test } => {
                if let Some(root) = root_name(operand)
                    && PACKAGES.contains(&root)
                    && !self.scope.iter().any(|it| it.0 == root)
                {
                    return unknown(format!("names below `{root}` are not modeled"));
                }
                let found = self.select(operand, field, false)?;
                let found = self.mapping.substitute(&found, false);
                if *test { Type::Bool } else { found }
            }
            Kind::Call { function, target, args } => self.call(id, function, target.as_deref_mut(), args)?,
            Kind::List(items) => {
                let mut of = None;
                for (item, optional) in items {
                    let ty = self.expr(item)?;
                    let ty = if *optional { unwrapped(ty)? } else { ty };
                    of = Some(self.join(of, ty)?);
                }
                Type::list(of.unwrap_or_else(|| self.fresh()))
            }
            Kind::Map(entries) => {
                let (mut keys, mut values) = (None, None);
                for (key, value, optional) in entries {
                    let ty = self.expr(key)?;
                    keys = Some(self.join(keys, ty)?);
                    let ty = self.expr(value)?;
                    let ty = if *optional { unwrapped(ty)? } else { ty };
                    values = Some(self.join(values, ty)?);
                }
                let keys = keys.unwrap_or_else(|| self.fresh());
                Type::map(keys, values.unwrap_or_else(|| self.fresh()))
            }
            Kind::Fold(fold) => self.fold(fold)?,
        };
        self.types[id] = ty.clone();
        Ok(ty)
    }

    fn ident(&mut self, name: &str) -> Result<Type<'s>, Failure> {
        self.uses_old |= name == "oldSelf";
        if let Some((_, ty)) = self.scope.iter().rev().find(|it| it.0 == name) {
            return Ok(ty.clone());
        }
        if TYPES.contains(&name) {
            return Ok(Type::Kind);
        }
        if PACKAGES.contains(&name) {
            return unknown(format!("the name `{name}` is not modeled"));
        }
        refused(format!("undeclared reference to '{name}' (in container '')"))
    }

    fn select(&mut self, operand: &mut Expr, field: &str, optional: bool) -> Result<Type<'s>, Failure> {
        let found = self.expr(operand)?;
        let operand = self.mapping.substitute(&found, false);
        let (target, wrapped) = match &operand {
            Type::Optional(of) => ((**of).clone(), true),
            other => (other.clone(), false),
        };
        let ty = match &target {
            Type::Map(_, values) => (**values).clone(),
            Type::Object(schema, fields) => match decl::field(schema, *fields, field) {
                Some((found, decl)) => Type::of(found, decl),
                None => return refused(format!("undefined field '{field}'")),
            },
            Type::Library(name) => return refused(format!("undefined field '{field}' of '{name}'")),
            Type::Var(_) => {
                self.mapping.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            Type::Dyn => Type::Dyn,
            other => return refused(format!("type '{other}' does not support field selection")),
        };
        Ok(if wrapped || optional { Type::optional(ty) } else { ty })
    }

    fn call(
        &mut self,
        id: usize,
        function: &str,
        target: Option<&mut Expr>,
        args: &mut [Expr],
    ) -> Result<Type<'s>, Failure> {
        if function == "_?._" {
            let [operand, field] = args else { return refused("incorrect signature".to_owned()) };
            let Kind::Literal(Literal::String(name)) = &field.kind else {
                return refused("unsupported optional field selection".to_owned());
            };
            let name = name.clone();
            let found = self.select(operand, &name, true)?;
            self.types[field.id] = Type::String;
            self.overloads[id] = vec!["select_optional_field"];
            return Ok(self.mapping.substitute(&found, false));
        }
        let mut types = Vec::new();
        for arg in args {
            types.push(self.expr(arg)?);
        }
        let member = target.is_some();
        if let Some(target) = target {
            types.insert(0, self.expr(target)?);
        }
        let declared = overloads(function);
        if UNDECIDED.contains(&function) && member || function == "includes" {
            return unknown(format!("the function `{function}` is not modeled"));
        }
        if declared.is_empty() {
            return refused(format!("undeclared reference to '{function}' (in container '')"));
        }
        self.resolve(id, function, declared, &types, member)
    }

    fn resolve(
        &mut self,
        id: usize,
        function: &str,
        declared: &'static [Overload],
        types: &[Type<'s>],
        member: bool,
    ) -> Result<Type<'s>, Failure> {
        let mut res: Option<Type<'s>> = None;
        for overload in declared.iter().filter(|it| it.member == member) {
            let first = self.vars;
            self.vars += overload.vars;
            if !overload.takes(types.len()) {
                continue;
            }
            let (params, result) = overload.instance(first);
            if !self.mapping.assign_all(types, &params) {
                continue;
            }
            self.overloads[id].push(overload.id);
            let found = self.mapping.substitute(&result, false);
            res = Some(match res {
                None => found,
                Some(before) if matches!(before, Type::Dyn) || found.same(&before, false) => before,
                Some(_) => Type::Dyn,
            });
        }
        match res {
            Some(ty) => Ok(ty),
            None => {
                let types: Vec<_> =
                    types.iter().map(|it| self.mapping.substitute(it, true).to_string()).collect();
                refused(format!(
                    "found no matching overload for '{function}' applied to '({})'",
                    types.join(", ")
                ))
            }
        }
    }

    fn join(&mut self, before: Option<Type<'s>>, ty: Type<'s>) -> Result<Type<'s>, Failure> {
        match before {
            None => Ok(ty),
            Some(before) if self.mapping.assign(&before, &ty) => Ok(most_general(&before, &ty)),
            Some(before) => refused(format!("expected type '{before}' but found '{ty}'")),
        }
    }

    fn fold(&mut self, fold: &mut Fold) -> Result<Type<'s>, Failure> {
        let range = self.expr(&mut fold.range)?;
        let accumulator = self.expr(&mut fold.init)?;
        let range = self.mapping.substitute(&range, false);
        let var = match &range {
            Type::List(of) => (**of).clone(),
            Type::Map(keys, _) => (**keys).clone(),
            Type::Dyn => Type::Dyn,
            Type::Var(_) => {
                self.mapping.assign(&Type::Dyn, &range);
                Type::Dyn
            }
            other => {
                return refused(format!("expression of type '{other}' cannot be range of a comprehension"));
            }
        };
        self.scope.push((ACCUMULATOR.to_owned(), accumulator.clone()));
        self.scope.push((fold.var.clone(), var));
        let condition = self.expr(&mut fold.condition)?;
        self.expect(&Type::Bool, &condition)?;
        let step = self.expr(&mut fold.step)?;
        self.expect(&accumulator, &step)?;
        self.scope.pop();
        let result = self.expr(&mut fold.result)?;
        self.scope.pop();
        Ok(self.mapping.substitute(&result, false))
    }

    fn expect(&mut self, wanted: &Type<'s>, found: &Type<'s>) -> Result<(), Failure> {
        if self.mapping.assign(wanted, found) {
            return Ok(());
        }
        refused(format!("expected type '{wanted}' but found '{found}'"))
    }
}

fn literal_type<'s>(literal: &Literal) -> Type<'s> {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

fn unwrapped(ty: Type<'_>) -> Result<Type<'_>, Failure> {
    match ty {
        Type::Optional(of) => Ok((*of).clone()),
        Type::Dyn => Ok(Type::Dyn),
        other => refused(format!("expected an optional but found '{other}'")),
    }
}

/// The dotted name that an expression could be.
fn qualified(expr: &Expr) -> Option<String> {
    match &expr.kind {
        Kind::Ident(name) => Some(name.clone()),
        Kind::Select { operand, field, test: false } => Some(format!("{}.{field}", qualified(operand)?)),
        _ => None,
    }
}

fn root_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        Kind::Ident(name) => Some(name),
        Kind::Select { operand, test: false, .. } => root_name(operand),
        _ => None,
    }
}

/// What the server checks after the types: literal arguments that cannot work, and literals of mixed types.
fn literals(expr: &Expr, types: &[Type<'_>]) -> Result<(), Failure> {
    let mixed = |one: &Expr, two: &Expr| !types[one.id].same(&types[two.id], true);
    match &expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => Ok(()),
        Kind::Select { operand, .. } => literals(operand, types),
        Kind::Call { function, target, args } => {
            if let Some(Kind::Literal(literal)) = args.first().map(|it| &it.kind) {
                literal_argument(function, literal)?;
            }
            target.as_deref().into_iter().chain(args).try_for_each(|it| literals(it, types))
        }
        Kind::List(items) => {
            if items.iter().any(|it| it.1) {
                return unknown("optional items are not modeled".to_owned());
            }
            if items.iter().any(|it| mixed(&items[0].0, &it.0)) {
                return refused("a list literal of mixed types".to_owned());
            }
            items.iter().try_for_each(|it| literals(&it.0, types))
        }
        Kind::Map(entries) => {
            if entries.iter().any(|it| it.2) {
                return unknown("optional entries are not modeled".to_owned());
            }
            if entries.iter().any(|it| mixed(&entries[0].0, &it.0) || mixed(&entries[0].1, &it.1)) {
                return refused("a map literal of mixed types".to_owned());
            }
            entries.iter().try_for_each(|it| literals(&it.0, types).and_then(|()| literals(&it.1, types)))
        }
        Kind::Fold(fold) => [&fold.range, &fold.init, &fold.condition, &fold.step, &fold.result]
            .into_iter()
            .try_for_each(|it| literals(it, types)),
    }
}

/// Refuses `duration('x')`, `timestamp('x')` and `matches('[')`. The server looks at the first argument whatever the
/// style of the call, so of `matches('text', pattern)` it is the text that must be a pattern.
fn literal_argument(function: &str, literal: &Literal) -> Result<(), Failure> {
    let Literal::String(text) = literal else {
        return match function {
            // The types fit, so these are numbers: any of a duration fails to convert only at run time.
            "timestamp" => unknown("a numeric timestamp is not modeled".to_owned()),
            _ => Ok(()),
        };
    };
    let fits = match function {
        "duration" => go::duration(text).is_some(),
        "timestamp" => return unknown_unless(time::timestamp(text).is_some(), "timestamp"),
        "matches" => match regexp::check(text) {
            Ok(()) => true,
            Err(Failure::Refused(_)) => false,
            Err(it) => return Err(it),
        },
        _ => true,
    };
    if fits { Ok(()) } else { refused(format!("invalid {function} argument")) }
}

fn unknown_unless(fits: bool, function: &str) -> Result<(), Failure> {
    if fits { Ok(()) } else { unknown(format!("an unusual {function} literal is not modeled")) }
}
