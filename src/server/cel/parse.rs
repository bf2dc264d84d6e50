//! Text to expression, macros expanded.
//!
//! Mirrors `parser/parser.go` and `parser/macro.go` of github.com/google/cel-go, with the optional syntax that the
//! API server switches on. Nesting deeper than [`DEPTH`] is not modeled: the server's own limit counts grammar rules.

use crate::server::cel::syntax::Expr;
use crate::server::cel::syntax::Failure;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::syntax::Token;
use crate::server::cel::syntax::tokens;

/// How deep an expression may nest.
const DEPTH: usize = 60;

/// Parses an expression; the number of ids that it uses comes with it.
pub(super) fn parse(text: &str) -> Result<(Expr, usize), Failure> {
    if text.chars().count() > 100_000 {
        return Err(refused("expression code point size exceeds limit"));
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, ids: 0, depth: 0 };
    let res = parser.expr()?;
    match parser.peek() {
        Token::End => Ok((res, parser.ids)),
        it => Err(unexpected(it)),
    }
}

/// The tokens of an expression, and how far they are read.
pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    ids: usize,
    depth: usize,
}

/// A refusal.
pub(super) fn refused(why: impl Into<String>) -> Failure {
    Failure::Refused(why.into())
}

fn unexpected(token: &Token) -> Failure {
    refused(format!("Syntax error: unexpected {token:?}"))
}

/// Words that cannot be variables.
pub(super) const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn take(&mut self) -> Token {
        let res = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        res
    }

    fn eat(&mut self, punct: &'static str) -> bool {
        let found = *self.peek() == Token::Punct(punct);
        if found {
            self.take();
        }
        found
    }

    fn expect(&mut self, punct: &'static str) -> Result<(), Failure> {
        if self.eat(punct) { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    /// An expression with the next id.
    pub(super) fn make(&mut self, kind: Kind) -> Expr {
        self.ids += 1;
        Expr { id: self.ids - 1, kind }
    }

    /// A call of a function or operator.
    pub(super) fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.make(Kind::Call { function: function.to_owned(), target: None, args })
    }

    /// `conditionalOr ('?' conditionalOr ':' expr)?`
    fn expr(&mut self) -> Result<Expr, Failure> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Failure::Unknown("the expression nests too deeply".to_owned()));
        }
        let condition = self.logical("||", "_||_")?;
        let res = if self.eat("?") {
            let yes = self.logical("||", "_||_")?;
            self.expect(":")?;
            let no = self.expr()?;
            self.call("_?_:_", vec![condition, yes, no])
        } else {
            condition
        };
        self.depth -= 1;
        Ok(res)
    }

    fn logical(&mut self, punct: &'static str, operator: &str) -> Result<Expr, Failure> {
        let next = |it: &mut Self| if punct == "||" { it.logical("&&", "_&&_") } else { it.relation() };
        let mut terms = vec![next(self)?];
        while self.eat(punct) {
            terms.push(next(self)?);
        }
        Ok(self.balanced(operator, terms))
    }

    /// The parser of the server balances long chains of a logical operator.
    fn balanced(&mut self, operator: &str, mut terms: Vec<Expr>) -> Expr {
        if terms.len() == 1 {
            return terms.remove(0);
        }
        let right = terms.split_off(terms.len().div_ceil(2));
        let left = self.balanced(operator, terms);
        let right = self.balanced(operator, right);
        self.call(operator, vec![left, right])
    }

    fn relation(&mut self) -> Result<Expr, Failure> {
        let mut res = self.calc(0)?;
        let mut count = 0;
        loop {
            let operator = match self.peek() {
                Token::Punct("<") => "_<_",
                Token::Punct("<=") => "_<=_",
                Token::Punct(">=") => "_>=_",
                Token::Punct(">") => "_>_",
                Token::Punct("==") => "_==_",
                Token::Punct("!=") => "_!=_",
                Token::Keyword("in") => "@in",
                _ => return Ok(res),
            };
            self.take();
            count += 1;
            let right = self.calc(0)?;
            res = self.chained(operator, res, right, count)?;
        }
    }

    /// Sums (`level` 0) of products (`level` 1).
    fn calc(&mut self, level: usize) -> Result<Expr, Failure> {
        let next = |it: &mut Self| if level == 0 { it.calc(1) } else { it.unary() };
        let mut res = next(self)?;
        let mut count = 0;
        loop {
            let operator = match (level, self.peek()) {
                (0, Token::Punct("+")) => "_+_",
                (0, Token::Punct("-")) => "_-_",
                (1, Token::Punct("*")) => "_*_",
                (1, Token::Punct("/")) => "_/_",
                (1, Token::Punct("%")) => "_%_",
                _ => return Ok(res),
            };
            self.take();
            count += 1;
            let right = next(self)?;
            res = self.chained(operator, res, right, count)?;
        }
    }

    fn chained(&mut self, operator: &str, left: Expr, right: Expr, count: usize) -> Result<Expr, Failure> {
        if count > DEPTH {
            return Err(Failure::Unknown("the expression chains too many operators".to_owned()));
        }
        Ok(self.call(operator, vec![left, right]))
    }

    fn unary(&mut self) -> Result<Expr, Failure> {
        for (punct, operator) in [("!", "!_"), ("-", "-_")] {
            let mut count = 0;
            // The last minus before a number belongs to the number.
            while *self.peek() == Token::Punct(punct) && !(punct == "-" && self.before_number()) {
                self.take();
                count += 1;
            }
            if count > 0 {
                let member = self.member()?;
                return Ok(if count % 2 == 1 { self.call(operator, vec![member]) } else { member });
            }
        }
        self.member()
    }

    fn before_number(&self) -> bool {
        matches!(self.tokens.get(self.at + 1), Some(Token::Int(_) | Token::Double(_)))
    }

    fn member(&mut self) -> Result<Expr, Failure> {
        let mut res = self.primary()?;
        let mut count = 0;
        loop {
            count += 1;
            if count > DEPTH {
                return Err(Failure::Unknown("the expression chains too many fields".to_owned()));
            }
            if self.eat(".") {
                res = self.select(res)?;
            } else if self.eat("[") {
                let operator = if self.eat("?") { "_[?_]" } else { "_[_]" };
                let index = self.expr()?;
                self.expect("]")?;
                res = self.call(operator, vec![res, index]);
            } else {
                return Ok(res);
            }
        }
    }

    fn select(&mut self, operand: Expr) -> Result<Expr, Failure> {
        let optional = self.eat("?");
        let Token::Ident(field) = self.take() else { return Err(unexpected(self.peek())) };
        if optional {
            let field = self.make(Kind::Literal(Literal::String(field.into())));
            return Ok(self.call("_?._", vec![operand, field]));
        }
        if self.eat("(") {
            let args = self.arguments()?;
            return self.member_call(field, operand, args);
        }
        Ok(self.make(Kind::Select { operand: Box::new(operand), field, test: false }))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Failure> {
        let mut res = Vec::new();
        if self.eat(")") {
            return Ok(res);
        }
        loop {
            res.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(res)
    }

    fn primary(&mut self) -> Result<Expr, Failure> {
        let dot = self.eat(".");
        let token = self.take();
        if let Token::Ident(name) = token {
            if *self.peek() == Token::Punct("{") || self.message_follows() {
                return Err(Failure::Unknown("message literals are not modeled".to_owned()));
            }
            if RESERVED.contains(&name.as_str()) {
                return Err(refused(format!("reserved identifier: {name}")));
            }
            if dot {
                return Err(Failure::Unknown("names with a leading dot are not modeled".to_owned()));
            }
            if self.eat("(") {
                let args = self.arguments()?;
                return self.global_call(name, args);
            }
            return Ok(self.make(Kind::Ident(name)));
        }
        if dot {
            return Err(unexpected(&token));
        }
        let literal = match token {
            Token::Punct("(") => {
                let res = self.expr()?;
                self.expect(")")?;
                return Ok(res);
            }
            Token::Punct("[") => return self.list(),
            Token::Punct("{") => return self.map(),
            Token::Punct("-") => {
                let number = self.take();
                number_literal(&number, "-")?
            }
            Token::Keyword("true") => Literal::Bool(true),
            Token::Keyword("false") => Literal::Bool(false),
            Token::Keyword("null") => Literal::Null,
            Token::String(text) => Literal::String(text),
            Token::Bytes(bytes) => Literal::Bytes(bytes),
            other => number_literal(&other, "")?,
        };
        Ok(self.make(Kind::Literal(literal)))
    }

    /// Whether `.a.b{` follows: a message literal of a qualified type.
    fn message_follows(&self) -> bool {
        let mut at = self.at;
        while let (Some(Token::Punct(".")), Some(Token::Ident(_))) =
            (self.tokens.get(at), self.tokens.get(at + 1))
        {
            at += 2;
        }
        at > self.at && self.tokens.get(at) == Some(&Token::Punct("{"))
    }

    fn list(&mut self) -> Result<Expr, Failure> {
        let mut items = Vec::new();
        while !self.eat("]") {
            if items.is_empty() && self.eat(",") {
                self.expect("]")?;
                break;
            }
            let optional = self.eat("?");
            items.push((self.expr()?, optional));
            if !self.eat(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(self.make(Kind::List(items)))
    }

    fn map(&mut self) -> Result<Expr, Failure> {
        let mut entries = Vec::new();
        while !self.eat("}") {
            if entries.is_empty() && self.eat(",") {
                self.expect("}")?;
                break;
            }
            let optional = self.eat("?");
            let key = self.expr()?;
            self.expect(":")?;
            entries.push((key, self.expr()?, optional));
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(self.make(Kind::Map(entries)))
    }

    fn global_call(&mut self, function: String, mut args: Vec<Expr>) -> Result<Expr, Failure> {
        if function != "has" || args.len() != 1 {
            return Ok(self.make(Kind::Call { function, target: None, args }));
        }
        match args.remove(0).kind {
            Kind::Select { operand, field, .. } => Ok(self.make(Kind::Select { operand, field, test: true })),
            _ => Err(refused("invalid argument to has() macro")),
        }
    }

    fn member_call(&mut self, function: String, target: Expr, args: Vec<Expr>) -> Result<Expr, Failure> {
        match (function.as_str(), args.len()) {
            ("all" | "exists" | "exists_one" | "existsOne" | "filter" | "map", 2) | ("map", 3) => {
                self.fold(&function, target, args)
            }
            ("all" | "exists" | "exists_one" | "existsOne", 3)
            | ("transformList" | "transformMap" | "transformMapEntry", 3 | 4)
            | ("sortBy" | "optMap" | "optFlatMap", 2) => Err(Failure::Unknown(format!(
                "the macro `{function}` with {} arguments is not modeled",
                args.len()
            ))),
            _ => Ok(self.make(Kind::Call { function, target: Some(Box::new(target)), args })),
        }
    }
}

fn number_literal(token: &Token, sign: &str) -> Result<Literal, Failure> {
    let radix = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => (16, hex.to_owned()),
        None => (10, text.to_owned()),
    };
    let bad = |what: &str| refused(format!("invalid {what} literal"));
    match token {
        Token::Int(text) => {
            let (radix, digits) = radix(text);
            i64::from_str_radix(&format!("{sign}{digits}"), radix).map(Literal::Int).map_err(|_| bad("int"))
        }
        Token::Uint(text) if sign.is_empty() => {
            let (radix, digits) = radix(text);
            u64::from_str_radix(&digits, radix).map(Literal::Uint).map_err(|_| bad("uint"))
        }
        Token::Double(text) => match format!("{sign}{text}").parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Literal::Double(number)),
            _ => Err(bad("double")),
        },
        other => Err(unexpected(other)),
    }
}
