//! The types of expressions, and when one may stand for another.
//!
//! Mirrors `checker/types.go` of github.com/google/cel-go.

use crate::schema::Schema;
use crate::server::cel::decl;
use crate::server::cel::decl::Decl;
use crate::server::cel::decl::Fields;
use std::fmt;
use std::rc::Rc;

/// A type. Objects are told apart by the node of the schema that declares them.
#[derive(Debug, Clone)]
pub(super) enum Type<'s> {
    /// Anything: checked when the rule runs.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    List(Rc<Type<'s>>),
    Map(Rc<Type<'s>>, Rc<Type<'s>>),
    Object(&'s Schema, Fields),
    Optional(Rc<Type<'s>>),
    /// A type of the server's own libraries, for example `kubernetes.URL`.
    Library(&'static str),
    /// The type of a type.
    Kind,
    /// A type to be found.
    Var(u32),
}

/// As cel-go writes types in its messages.
impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dyn | Type::Var(_) => f.write_str("dyn"),
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Duration => f.write_str("google.protobuf.Duration"),
            Type::Timestamp => f.write_str("google.protobuf.Timestamp"),
            Type::List(of) => write!(f, "list({of})"),
            Type::Map(keys, values) => write!(f, "map({keys}, {values})"),
            Type::Object(..) => f.write_str("object"),
            Type::Optional(of) => write!(f, "optional_type({of})"),
            Type::Library(name) => f.write_str(name),
            Type::Kind => f.write_str("type"),
        }
    }
}

impl<'s> Type<'s> {
    pub(super) fn list(of: Type<'s>) -> Self {
        Self::List(Rc::new(of))
    }

    pub(super) fn map(keys: Type<'s>, values: Type<'s>) -> Self {
        Self::Map(Rc::new(keys), Rc::new(values))
    }

    pub(super) fn optional(of: Type<'s>) -> Self {
        Self::Optional(Rc::new(of))
    }

    /// The type of values of a node of the schema.
    pub(super) fn of(schema: &'s Schema, decl: Decl<'s>) -> Self {
        let inner =
            |it: &'s Schema| decl::of(it, Fields::of(it)).map_or(Self::Dyn, |found| Self::of(it, found));
        match decl {
            Decl::Dyn => Self::Dyn,
            Decl::Bool => Self::Bool,
            Decl::Int => Self::Int,
            Decl::Double => Self::Double,
            Decl::String => Self::String,
            Decl::Bytes => Self::Bytes,
            Decl::Duration => Self::Duration,
            Decl::Timestamp => Self::Timestamp,
            Decl::List { items } => Self::list(inner(items)),
            Decl::Map { values } => Self::map(Self::String, inner(values)),
            Decl::Object { fields, .. } => Self::Object(schema, fields),
        }
    }

    /// Whether both are the same type; variables match each other when `loose`.
    pub(super) fn same(&self, other: &Self, loose: bool) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(two)) | (Self::Optional(one), Self::Optional(two)) => {
                one.same(two, loose)
            }
            (Self::Map(k1, v1), Self::Map(k2, v2)) => k1.same(k2, loose) && v1.same(v2, loose),
            (Self::Object(one, a), Self::Object(two, b)) => std::ptr::eq(*one, *two) && a == b,
            (Self::Library(one), Self::Library(two)) => one == two,
            (Self::Var(one), Self::Var(two)) => loose || one == two,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Whether a value of the type may be null for the checker.
    fn nullable(&self) -> bool {
        use Type::{Duration, Dyn, Library, Null, Object, Optional, Timestamp};
        matches!(self, Optional(_) | Library(_) | Object(..) | Duration | Timestamp | Dyn | Null)
    }

    /// Whether the type is of a known, constant size.
    pub(super) fn is_scalar(&self) -> bool {
        match self {
            Self::Bool | Self::Double | Self::Duration | Self::Int | Self::Timestamp | Self::Uint => true,
            Self::Optional(of) => of.is_scalar(),
            _ => false,
        }
    }
}

/// What the variables stand for.
#[derive(Debug, Default)]
pub(super) struct Mapping<'s> {
    bound: Vec<Option<Type<'s>>>,
    /// What was overwritten, to take a failed attempt back.
    log: Vec<(u32, Option<Type<'s>>)>,
}

impl<'s> Mapping<'s> {
    /// Whether `from` may stand where `to` is asked for; what that says of variables is kept if so.
    pub(super) fn assign(&mut self, from: &Type<'s>, to: &Type<'s>) -> bool {
        self.assign_all(std::slice::from_ref(from), std::slice::from_ref(to))
    }

    /// [`assign`](Self::assign) for a list of types.
    pub(super) fn assign_all(&mut self, from: &[Type<'s>], to: &[Type<'s>]) -> bool {
        self.log.clear();
        let fits =
            from.len() == to.len() && from.iter().zip(to).all(|(one, two)| self.is_assignable(one, two));
        if !fits {
            while let Some((var, before)) = self.log.pop() {
                self.bound[var as usize] = before;
            }
        }
        fits
    }

    fn find(&self, var: u32) -> Option<&Type<'s>> {
        self.bound.get(var as usize)?.as_ref()
    }

    fn set(&mut self, var: u32, ty: Type<'s>) {
        if self.bound.len() <= var as usize {
            self.bound.resize(var as usize + 1, None);
        }
        let before = self.bound[var as usize].replace(ty);
        self.log.push((var, before));
    }

    /// Replaces bound variables; unbound ones become `dyn` if `close`.
    pub(super) fn substitute(&self, ty: &Type<'s>, close: bool) -> Type<'s> {
        match ty {
            Type::Var(var) => match self.find(*var) {
                Some(bound) => self.substitute(bound, close),
                None if close => Type::Dyn,
                None => ty.clone(),
            },
            Type::List(of) => Type::list(self.substitute(of, close)),
            Type::Optional(of) => Type::optional(self.substitute(of, close)),
            Type::Map(keys, values) => {
                Type::map(self.substitute(keys, close), self.substitute(values, close))
            }
            other => other.clone(),
        }
    }

    fn is_assignable(&mut self, one: &Type<'s>, two: &Type<'s>) -> bool {
        if let Type::Var(var) = two {
            let (valid, bound) = self.bind(one, *var);
            if valid || bound {
                return valid;
            }
        }
        if let Type::Var(var) = one {
            return self.bind(two, *var).0;
        }
        match (one, two) {
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::Null, other) | (other, Type::Null) => other.nullable(),
            (Type::Kind, Type::Kind) => true,
            (Type::List(one), Type::List(two)) | (Type::Optional(one), Type::Optional(two)) => {
                self.is_assignable(one, two)
            }
            (Type::Map(k1, v1), Type::Map(k2, v2)) => {
                self.is_assignable(k1, k2) && self.is_assignable(v1, v2)
            }
            _ => one.same(two, false),
        }
    }

    /// Tries to let a variable stand for `ty`: whether it may, and whether it stood for something before.
    fn bind(&mut self, ty: &Type<'s>, var: u32) -> (bool, bool) {
        if matches!(ty, Type::Var(it) if *it == var) {
            return (true, true);
        }
        if let Some(bound) = self.find(var).cloned() {
            if ty.same(&bound, false) {
                return (true, true);
            }
            if self.is_assignable(ty, &bound) {
                let general = most_general(ty, &bound);
                if !self.occurs(var, &general) {
                    self.set(var, general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.occurs(var, ty) {
            return (false, false);
        }
        self.set(var, ty.clone());
        (true, false)
    }

    fn occurs(&self, var: u32, within: &Type<'s>) -> bool {
        match within {
            Type::Var(it) if *it == var => true,
            Type::Var(it) => self.find(*it).is_some_and(|bound| self.occurs(var, bound)),
            Type::List(of) | Type::Optional(of) => self.occurs(var, of),
            Type::Map(keys, values) => self.occurs(var, keys) || self.occurs(var, values),
            _ => false,
        }
    }
}

/// The more general of two types that fit each other.
pub(super) fn most_general<'s>(one: &Type<'s>, two: &Type<'s>) -> Type<'s> {
    if less_specific(one, two) { one.clone() } else { two.clone() }
}

fn less_specific(one: &Type<'_>, two: &Type<'_>) -> bool {
    match (one, two) {
        (Type::Dyn | Type::Var(_), _) => true,
        (_, Type::Dyn | Type::Var(_)) => false,
        (Type::List(one), Type::List(two)) | (Type::Optional(one), Type::Optional(two)) => {
            less_specific(one, two)
        }
        (Type::Map(k1, v1), Type::Map(k2, v2)) => less_specific(k1, k2) && less_specific(v1, v2),
        _ => one.same(two, false),
    }
}
