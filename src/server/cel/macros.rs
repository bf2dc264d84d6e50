//! The macros over lists and maps, expanded to comprehensions.
//!
//! Mirrors `parser/macro.go` of github.com/google/cel-go.

use crate::server::cel::parse::Parser;
use crate::server::cel::parse::refused;
use crate::server::cel::syntax::ACCUMULATOR;
use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Failure;
use crate::server::cel::syntax::Fold;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;

impl Parser {
    fn accumulator(&mut self) -> Expr {
        self.make(Kind::Ident(ACCUMULATOR.to_owned()))
    }

    fn literal(&mut self, literal: Literal) -> Expr {
        self.make(Kind::Literal(literal))
    }

    /// Expands a macro with its range and arguments.
    pub(super) fn fold(
        &mut self,
        macro_name: &str,
        range: Expr,
        mut args: Vec<Expr>,
    ) -> Result<Expr, Failure> {
        let body = args.split_off(1);
        let Kind::Ident(var) = args.remove(0).kind else {
            return Err(refused("argument must be a simple name"));
        };
        if var == "__result__" {
            return Err(refused("iteration variable overwrites accumulator variable"));
        }
        let mut body = body.into_iter();
        let first = body.next().ok_or_else(|| refused("a macro without a body"))?;
        let accumulator = self.accumulator();
        let (init, condition, step, result) = match macro_name {
            "all" => {
                let condition = self.call("@not_strictly_false", vec![accumulator]);
                let before = self.accumulator();
                let step = self.call("_&&_", vec![before, first]);
                (self.literal(Literal::Bool(true)), condition, step, self.accumulator())
            }
            "exists" => {
                let negated = self.call("!_", vec![accumulator]);
                let condition = self.call("@not_strictly_false", vec![negated]);
                let before = self.accumulator();
                let step = self.call("_||_", vec![before, first]);
                (self.literal(Literal::Bool(false)), condition, step, self.accumulator())
            }
            "exists_one" | "existsOne" => {
                let one = self.literal(Literal::Int(1));
                let more = self.call("_+_", vec![accumulator, one]);
                let same = self.accumulator();
                let step = self.call("_?_:_", vec![first, more, same]);
                let (count, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                let result = self.call("_==_", vec![count, one]);
                (self.literal(Literal::Int(0)), self.literal(Literal::Bool(true)), step, result)
            }
            _ => {
                // filter(x, predicate), map(x, transform) and map(x, predicate, transform).
                let (predicate, item) = match (macro_name, body.next()) {
                    ("filter", _) => (Some(first), self.make(Kind::Ident(var.clone()))),
                    (_, Some(transform)) => (Some(first), transform),
                    (_, None) => (None, first),
                };
                let step = self.appending(accumulator, predicate, item);
                let init = self.make(Kind::List(Vec::new()));
                (init, self.literal(Literal::Bool(true)), step, self.accumulator())
            }
        };
        Ok(self.make(Kind::Fold(Box::new(Fold { range, var, init, condition, step, result }))))
    }

    /// The step of a macro that makes a list: one more item, if the predicate holds.
    fn appending(&mut self, accumulator: Expr, predicate: Option<Expr>, item: Expr) -> Expr {
        let list = self.make(Kind::List(vec![(item, false)]));
        let more = self.call("_+_", vec![accumulator, list]);
        match predicate {
            None => more,
            Some(predicate) => {
                let same = self.accumulator();
                self.call("_?_:_", vec![predicate, more, same])
            }
        }
    }
}
