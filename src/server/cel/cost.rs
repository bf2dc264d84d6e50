//! What the server reckons that an expression costs at worst, in CEL's cost units.
//!
//! Mirrors `checker/cost.go` of github.com/google/cel-go and the size estimator of the server's `cel/compilation.go`;
//! what the functions of libraries cost is in `call_cost`. Every number matters: a rule is refused above a limit.

use crate::schema::Schema;
use crate::server::cel::call_cost;
use crate::server::cel::check::Checked;
use crate::server::cel::decl;
use crate::server::cel::decl::Decl;
use crate::server::cel::decl::Fields;
use crate::server::cel::syntax::ACCUMULATOR;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Fold;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::types::Type;
use std::cell::RefCell;
use std::rc::Rc;

/// A least and a greatest value, of a size or of a cost. All arithmetic stops at the largest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Range {
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    pub(super) fn of(value: u64) -> Self {
        Self { min: value, max: value }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Multiplies by a factor, rounding up.
    pub(super) fn scaled(self, factor: f64) -> Self {
        // A cast from a float stops at the bounds, as the server's own guard does.
        let scale = |it: u64| (it as f64 * factor).ceil() as u64;
        Self { min: scale(self.min), max: scale(self.max) }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// The way from a variable to a value: field names, `@items`, `@keys`, `@values`. Appending shares room as a slice of
/// Go does, and with it the server's own slips when two ways grow from one.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    room: Rc<RefCell<Vec<String>>>,
    len: usize,
    cap: usize,
}

impl Way {
    fn root(name: &str) -> Self {
        Self { room: Rc::new(RefCell::new(vec![name.to_owned()])), len: 1, cap: 1 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn append(&self, name: &str) -> Self {
        let mut res = self.clone();
        if self.len == self.cap {
            res.room = Rc::new(RefCell::new(self.room.borrow()[..self.len].to_vec()));
            res.cap = (self.cap * 2).max(1);
        }
        let mut room = res.room.borrow_mut();
        if room.len() > self.len {
            name.clone_into(&mut room[self.len]);
        } else {
            room.push(name.to_owned());
        }
        drop(room);
        res.len += 1;
        res
    }

    /// A copy with a room of its own.
    pub(super) fn copied(&self, name: &str) -> Self {
        let mut room = self.room.borrow()[..self.len].to_vec();
        room.push(name.to_owned());
        Self { len: room.len(), cap: room.len(), room: Rc::new(RefCell::new(room)) }
    }

    fn first_is(&self, name: &str) -> bool {
        self.len > 0 && self.room.borrow()[0] == name
    }
}

/// Sizes of the keys and values of a list or map made by the expression.
#[derive(Debug, Clone, Copy)]
struct Entry {
    list: bool,
    key: Range,
    value: Range,
}

/// An argument of a call, as the estimates see it.
pub(super) struct Arg<'e, 's> {
    pub(super) way: Way,
    pub(super) ty: Type<'s>,
    pub(super) expr: &'e Expr,
    pub(super) size: Option<Range>,
}

struct Local {
    name: String,
    way: Way,
    size: Option<Range>,
    entry: Option<Entry>,
}

/// Estimates the cost of a checked expression on a node of the schema; nothing where an estimate is not modeled.
pub(super) fn estimate(expr: &Expr, checked: &Checked<'_>, schema: &Schema, fields: Fields) -> Option<Range> {
    let decl = decl::of(schema, fields)?;
    let count = checked.types.len();
    let mut coster = Coster {
        checked,
        root: Sizes { root: (schema, decl) },
        ways: vec![Way::default(); count],
        locals: Vec::new(),
        sizes: vec![None; count],
        entries: vec![None; count],
        modeled: true,
    };
    let res = coster.cost(expr);
    coster.modeled.then_some(res)
}

/// Sizes by the schema.
#[derive(Clone, Copy)]
pub(super) struct Sizes<'s> {
    root: (&'s Schema, Decl<'s>),
}

impl Sizes<'_> {
    /// The size of the value at the end of a way, if the schema says.
    pub(super) fn estimate(&self, way: &Way) -> Option<Range> {
        if way.is_empty() {
            return None;
        }
        let (mut schema, mut decl) = self.root;
        let room = way.room.borrow();
        for (at, name) in room[..way.len].iter().enumerate().skip(1) {
            let below = match (name.as_str(), decl) {
                ("@items" | "@values", Decl::List { items }) => items,
                ("@items" | "@values", Decl::Map { values }) => values,
                // A key is a string of no declared size, which counts as none.
                ("@keys", Decl::Map { .. }) => return (at + 1 == way.len).then_some(Range::of(0)),
                (_, Decl::Object { fields, .. }) => {
                    (schema, decl) = decl::escaped_field(schema, fields, name)?;
                    continue;
                }
                _ => return None,
            };
            (schema, decl) = (below, decl::of(below, Fields::of(below))?);
        }
        Some(Range { min: 0, max: decl::max_elements(schema, decl) })
    }
}

struct Coster<'c, 's> {
    checked: &'c Checked<'s>,
    root: Sizes<'s>,
    ways: Vec<Way>,
    locals: Vec<Local>,
    sizes: Vec<Option<Range>>,
    entries: Vec<Option<Entry>>,
    modeled: bool,
}

/// The cost of naming a variable or a field.
const NAMING: Range = Range { min: 1, max: 1 };
/// What reading a string once costs per character.
pub(super) const STRING: f64 = 0.1;
/// What a regular expression costs per character.
pub(super) const REGEX: f64 = 0.25;

impl<'s> Coster<'_, 's> {
    fn cost(&mut self, expr: &Expr) -> Range {
        match &expr.kind {
            Kind::Literal(_) => Range::of(0),
            Kind::Ident(name) => {
                self.ways[expr.id] = self.local(name).map_or_else(|| Way::root(name), |it| it.way.clone());
                NAMING
            }
            Kind::Select { operand, field, test } => {
                let mut sum = self.cost(operand);
                if *test {
                    return sum;
                }
                if matches!(self.ty(operand), Type::Map(..) | Type::Object(..) | Type::Library(_)) {
                    sum = sum.plus(NAMING);
                }
                self.ways[expr.id] = self.way(operand).append(field);
                sum
            }
            Kind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args),
            Kind::List(items) => {
                let (mut sum, mut size) = (Range::of(10), Range { min: u64::MAX, max: 0 });
                for (item, _) in items {
                    sum = sum.plus(self.cost(item));
                    size = size.union(self.size_or_unknown(item));
                }
                size.min = if items.is_empty() { 0 } else { size.min };
                self.entries[expr.id] = Some(Entry { list: true, key: Range::of(1), value: size });
                sum
            }
            Kind::Map(entries) => {
                let mut sum = Range::of(30);
                let none = Range { min: if entries.is_empty() { 0 } else { u64::MAX }, max: 0 };
                let (mut key_size, mut value_size) = (none, none);
                for (key, value, _) in entries {
                    sum = sum.plus(self.cost(key)).plus(self.cost(value));
                    key_size = key_size.union(self.size_or_unknown(key));
                    value_size = value_size.union(self.size_or_unknown(value));
                }
                self.entries[expr.id] = Some(Entry { list: false, key: key_size, value: value_size });
                sum
            }
            Kind::Fold(fold) => self.fold(expr, fold),
        }
    }

    fn fold(&mut self, expr: &Expr, fold: &Fold) -> Range {
        let mut sum = self.cost(&fold.range);
        sum = sum.plus(self.cost(&fold.init));
        let accumulator = Local {
            name: ACCUMULATOR.to_owned(),
            way: self.way(&fold.init),
            entry: self.entry(&fold.init),
            size: self.size(&fold.init),
        };
        self.locals.push(accumulator);
        let entry = self.entry(&fold.range);
        let list = entry.map_or_else(|| matches!(self.ty(&fold.range), Type::List(_)), |it| it.list);
        let (size, step) =
            if list { (entry.map(|it| it.value), "@items") } else { (entry.map(|it| it.key), "@keys") };
        let way = self.way(&fold.range).append(step);
        self.locals.push(Local { name: fold.var.clone(), way, size, entry: None });
        let condition = self.cost(&fold.condition);
        let step = self.cost(&fold.step);
        self.locals.pop();
        sum = sum.plus(self.cost(&fold.result));
        self.locals.pop();
        let count = self.size_or_unknown(&fold.range);
        sum = sum.plus(count.times(step.plus(condition)));
        match &fold.init.kind {
            Kind::Literal(_) => self.sizes[expr.id] = self.size(&fold.init).or(self.sizes[expr.id]),
            Kind::List(_) | Kind::Map(_) => {
                self.sizes[expr.id] = Some(count);
                self.entries[expr.id] = self.entry(&fold.step).or(self.entries[expr.id]);
            }
            _ => {}
        }
        sum
    }

    fn call(&mut self, expr: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> Range {
        if function == "dyn" {
            let cost = self.cost(&args[0]);
            let (size, entry) = (self.size(&args[0]), self.entry(&args[0]));
            self.sizes[expr.id] = size.or(self.sizes[expr.id]);
            self.entries[expr.id] = entry.or(self.entries[expr.id]);
            return Range::of(1).plus(cost);
        }
        let (mut nodes, mut costs) = (Vec::new(), Vec::new());
        for arg in args {
            costs.push(self.cost(arg));
            nodes.push(self.node(arg));
        }
        let checked = self.checked;
        let overloads = &checked.overloads[expr.id];
        if overloads.is_empty() {
            return Range::of(0);
        }
        let mut sum = Range::of(0);
        let target = target.map(|it| {
            sum = self.cost(it);
            self.node(it)
        });
        let mut cost = Range { min: u64::MAX, max: 0 };
        let mut size: Option<Range> = None;
        for overload in overloads {
            let (found, found_size) =
                self.function(expr, function, overload, target.as_ref(), &nodes, &costs);
            cost = cost.union(found);
            if let Some(found) = found_size {
                size = Some(size.map_or(found, |it| it.union(found)));
            }
            if let ("index_list" | "index_map", Some(operand)) = (*overload, args.first()) {
                size = self.entry(operand).map(|it| it.value);
                let step = if *overload == "index_list" { "@items" } else { "@values" };
                self.ways[expr.id] = self.way(operand).append(step);
            }
            size = size.or_else(|| self.size(expr));
        }
        self.sizes[expr.id] = size.or(self.sizes[expr.id]);
        sum.plus(cost)
    }

    /// The cost of one overload of a call with its arguments, and the size of what it makes.
    fn function(
        &mut self,
        expr: &Expr,
        function: &str,
        overload: &'static str,
        target: Option<&Arg<'_, 's>>,
        args: &[Arg<'_, 's>],
        costs: &[Range],
    ) -> (Range, Option<Range>) {
        let sum = costs.iter().fold(Range::of(0), |sum, it| sum.plus(*it));
        if call_cost::is_unmodeled(overload) {
            self.modeled = false;
        }
        if let Some((cost, size)) = call_cost::library(self.root, function, overload, target, args) {
            return (cost.plus(sum), size);
        }
        match overload {
            "logical_and" | "logical_or" => {
                (Range { min: costs[0].min, max: costs[0].plus(costs[1]).max }, None)
            }
            "conditional" => {
                let size = size_or_unknown(&args[1]).union(size_or_unknown(&args[2]));
                let entry = union(self.entry(args[1].expr), self.entry(args[2].expr));
                self.entries[expr.id] = entry.or(self.entries[expr.id]);
                (costs[0].plus(costs[1].union(costs[2])), Some(size))
            }
            "add_string" | "add_bytes" | "add_list" => {
                let size = size_or_unknown(&args[0]).plus(size_or_unknown(&args[1]));
                let entry = union(self.entry(args[0].expr), self.entry(args[1].expr));
                self.entries[expr.id] = entry.or(self.entries[expr.id]);
                let cost = if overload == "add_list" { Range::of(1) } else { size.scaled(STRING) };
                (cost.plus(sum), Some(size))
            }
            _ => {
                let (cost, size) = call_cost::standard(overload, target, args);
                (cost.plus(sum), size)
            }
        }
    }

    fn node<'e>(&mut self, expr: &'e Expr) -> Arg<'e, 's> {
        let way = self.way(expr);
        // Only ways from the root variables count.
        let way = if way.first_is(ACCUMULATOR) { Way::default() } else { way };
        Arg { way, ty: self.ty(expr).clone(), expr, size: self.size(expr) }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|it| it.name == name)
    }

    fn ty(&self, expr: &Expr) -> &Type<'s> {
        &self.checked.types[expr.id]
    }

    fn way(&self, expr: &Expr) -> Way {
        match &expr.kind {
            Kind::Ident(name) => {
                self.local(name).map_or_else(|| self.ways[expr.id].clone(), |it| it.way.clone())
            }
            _ => self.ways[expr.id].clone(),
        }
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Range {
        self.size(expr).unwrap_or(Range::UNKNOWN)
    }

    fn size(&mut self, expr: &Expr) -> Option<Range> {
        if let Some(size) = self.sizes[expr.id].or_else(|| literal_size(expr)) {
            return Some(size);
        }
        if let Some(size) = self.root.estimate(&self.way(expr)) {
            self.sizes[expr.id] = Some(size);
            return Some(size);
        }
        if self.ty(expr).is_scalar() {
            return Some(Range::of(1));
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn entry(&self, expr: &Expr) -> Option<Entry> {
        if let Some(entry) = self.entries[expr.id] {
            return Some(entry);
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name)?.entry,
            _ => None,
        }
    }
}

/// The size of an argument as far as the expression itself tells.
pub(super) fn size_or_unknown(arg: &Arg<'_, '_>) -> Range {
    arg.size.unwrap_or(Range::UNKNOWN)
}

fn union(one: Option<Entry>, two: Option<Entry>) -> Option<Entry> {
    let (one, two) = (one?, two?);
    Some(Entry { list: one.list, key: one.key.union(two.key), value: one.value.union(two.value) })
}

fn literal_size(expr: &Expr) -> Option<Range> {
    let size = match &expr.kind {
        Kind::Literal(Literal::String(text)) => text.chars().count(),
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        Kind::Literal(_) => 1,
        Kind::List(items) => items.len(),
        Kind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(Range::of(size as u64))
}
