//! Expressions of SAL, with the types in them.
//!
//! The parser is before an operand or behind one. Before an operand it takes prefix operators and
//! opening brackets; behind one, operators and what continues or closes the innermost frame. See
//! [`crate::yard`] for the stack of operators; finished operands wait on a stack of their own.
//!
//! Where a type stands no operator is taken, so that the `=` of `x: T = e` ends it.

use trapline_source::{Diagnostic, Span};

use super::frames::Frame;
use super::operators::{self, level};
use super::{Parsed, Parser};
use crate::sal::syntax::{Access, Binary, Name, Node, NodeId, Op, Unary};
use crate::sal::token::Token;
use crate::yard::{self, MAX_DEPTH, TooDeep, Yard};

/// What is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// An expression, or a type that stands in its place.
    #[default]
    Value,
    /// A type.
    Type,
}

/// What binds names in all that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binder {
    /// `LAMBDA`
    Lambda,
    /// `FORALL`
    Forall,
    /// `EXISTS`
    Exists,
}

/// An operator that waits for its last operand. A number is the index of its first operand among the
/// finished ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// `-` or `NOT`
    Unary(Unary),
    /// An operator between two operands.
    Binary(Binary),
    /// `ARRAY I OF`
    ArrayOf,
    /// `FORALL (x: T):`
    Binder(Binder, u32),
    /// `LET x: T = e IN`
    Let(u32),
    /// `_ WITH [i] :=`
    With(u32),
}

/// Where the parser is.
pub enum Position {
    /// Before an operand.
    Operand,
    /// Behind an operand.
    Operator,
    /// Behind the expression.
    End,
}

/// An expression that is being read.
#[derive(Default)]
pub struct Work {
    goal: Goal,
    pub yard: Yard<Frame, Pending>,
    /// The operands that no operator has taken yet.
    pub values: Vec<NodeId>,
    /// The names that the open frames bind, in groups of one type; innermost last.
    pub bound: Vec<Vec<Vec<Name>>>,
    /// The steps behind each open `WITH`, innermost last.
    pub paths: Vec<Vec<Access>>,
    /// The operators that are complete; empty but for a moment.
    done: Vec<yard::Node<Pending>>,
}

impl Parser<'_> {
    /// An expression or a type; it ends where it can't go on.
    pub fn expression(&mut self, goal: Goal) -> Parsed<NodeId> {
        let outer = std::mem::replace(&mut self.work, Work { goal, ..Work::default() });
        let result = self.whole_expression();
        let inner = std::mem::replace(&mut self.work, outer);
        result.map(|()| inner.values[inner.values.len() - 1])
    }

    /// A type.
    pub fn type_node(&mut self) -> Parsed<NodeId> {
        self.expression(Goal::Type)
    }

    fn whole_expression(&mut self) -> Parsed<()> {
        let mut position = Position::Operand;
        loop {
            position = match position {
                Position::Operand => self.operand()?,
                Position::Operator => self.operator()?,
                Position::End => return Ok(()),
            };
        }
    }

    /// Does a type stand here, or did one stand just before?
    pub fn is_in_type(&self) -> bool {
        let yard = &self.work.yard;
        match yard.is_at_frame() {
            true => match yard.innermost() {
                Some((frame, _)) => frame.holds_type(),
                None => self.work.goal == Goal::Type,
            },
            false => yard.top_level(None) == level::ARRAY,
        }
    }

    fn operand(&mut self) -> Parsed<Position> {
        if self.is_in_type() {
            return self.type_operand();
        }
        match self.token() {
            Token::Name => self.name_operand(),
            Token::Number | Token::BasedNumber => self.number(),
            Token::Text => Ok(self.leaf(Op::Text)),
            Token::Underscore => self.unbounded(),
            Token::Not => self.prefix(Unary::Not, level::NOT),
            Token::Minus => self.prefix(Unary::Neg, level::SIGN),
            Token::LParen => {
                let base = self.n_values();
                self.open(Frame::Paren(base))
            }
            Token::OpenRecord => self.record(),
            Token::LBrace => self.set(),
            Token::Lambda => self.binder(Binder::Lambda),
            Token::Forall => self.binder(Binder::Forall),
            Token::Exists => self.binder(Binder::Exists),
            Token::Let => self.let_in(),
            Token::If => {
                let base = self.n_values();
                self.open(Frame::IfCondition(base))
            }
            Token::InitPred | Token::TransPred => self.module_operand(),
            Token::LBracket | Token::OpenRecordType | Token::Array | Token::StateType => {
                self.type_operand()
            }
            Token::Bang => {
                self.correct(self.span(), "!", "NOT");
                self.prefix(Unary::Not, level::NOT)
            }
            _ => self.no_operand(),
        }
    }

    fn no_operand(&mut self) -> Parsed<Position> {
        let diagnostic = self.expected("an expression");
        let help = match self.token() {
            Token::Begin => "a module is declared as in `m: MODULE = BEGIN ... END`",
            Token::Datatype | Token::Scalarset | Token::Ringset => {
                "this needs a declaration of its own: `T: TYPE = ...`"
            }
            Token::Eq | Token::Lt | Token::Gt => {
                "operators of two characters are `/=`, `<=`, `>=` and `=>`"
            }
            Token::Else if self.work.yard.innermost().is_none() => {
                "`ELSE` must be the whole guard, as in `ELSE --> x' = 0`"
            }
            Token::Plus => "there is no unary `+`",
            _ => return self.fail(diagnostic),
        };
        self.fail(diagnostic.help(help))
    }

    fn operator(&mut self) -> Parsed<Position> {
        if self.is_in_type() {
            self.reduce(level::ARRAY);
            return self.delimiter();
        }
        match self.token() {
            Token::LBracket => self.open_behind(Frame::Index),
            Token::LParen => {
                let base = self.n_values() - 1;
                self.open_behind(Frame::Call(base))
            }
            Token::Dot => self.member(),
            Token::With => self.with(),
            token => match operators::infix(token).or_else(|| self.foreign_operator()) {
                Some((op, level)) => Ok(self.infix(op, level)),
                None => self.delimiter(),
            },
        }
    }

    fn infix(&mut self, op: Binary, level: u8) -> Position {
        // An operator of the same level that stays on the stack associates to the right.
        self.reduce(if op == Binary::Implies { level + 1 } else { level });
        self.work.yard.push_infix(Pending::Binary(op), level);
        if op == Binary::Eq {
            self.take_equals();
        } else {
            self.advance();
        }
        Position::Operand
    }

    /// Takes `=`, and what was meant as one.
    pub fn take_equals(&mut self) {
        let first = self.span();
        let is_double = self.peek(1) == Token::Eq && self.is_next_adjacent();
        self.advance();
        if is_double {
            self.correct(first.to(self.span()), "==", "=");
            self.advance();
        }
    }

    /// The operator that is meant by one of another language, if that is here. The parser stays before
    /// its last token.
    fn foreign_operator(&mut self) -> Option<(Binary, u8)> {
        let (right, token, n_tokens) = match (self.token(), self.token_text()) {
            (Token::Name, "&" | "&&") => ("AND", Token::And, 1),
            (Token::Bar | Token::Sync, _) => ("OR", Token::Or, 1),
            (Token::Bang, _) if self.peek(1) == Token::Eq && self.is_next_adjacent() => {
                ("/=", Token::Ne, 2)
            }
            _ => return None,
        };
        let start = self.span();
        if n_tokens == 2 {
            self.advance();
        }
        let span = start.to(self.span());
        let wrong = &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize];
        self.correct(span, wrong, right);
        operators::infix(token)
    }

    fn number(&mut self) -> Parsed<Position> {
        let start = self.span();
        let is_decimal = self.token() == Token::Number
            && self.peek(1) == Token::Dot
            && self.peek(2) == Token::Number;
        let text = self.token_text();
        let op = if is_decimal {
            let fraction = self.text_at(self.place + 2);
            self.place += 2;
            decimal(text, fraction)
        } else {
            integer(text).map(Op::Int)
        };
        let span = start.to(self.span());
        let op = op.unwrap_or_else(|message| {
            self.report(Diagnostic::error("bad-number", span, message));
            Op::Int(0)
        });
        self.advance();
        Ok(self.complete_leaf(op, span))
    }

    /// `_`
    fn unbounded(&mut self) -> Parsed<Position> {
        let frame = self.work.yard.innermost().map(|(frame, _)| frame);
        let is_bound = matches!(frame, Some(Frame::Bracket | Frame::RangeHigh));
        if is_bound && self.work.yard.is_at_frame() {
            return Ok(self.leaf(Op::Unbounded));
        }
        let diagnostic = self.expected("an expression");
        self.fail(diagnostic.help("`_` can only be a bound of a range, as in `[0 .. _]`"))
    }

    fn prefix(&mut self, op: Unary, level: u8) -> Parsed<Position> {
        let start = self.span().start;
        self.advance();
        self.push_prefix(Pending::Unary(op), level, start)
    }

    /// Pushes a prefix operator that begins at `start`.
    pub fn push_prefix(&mut self, op: Pending, level: u8, start: u32) -> Parsed<Position> {
        match self.work.yard.push_prefix(op, level, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.expression_too_deep(),
        }
    }

    /// Fails because the expression is nested too deeply.
    pub fn expression_too_deep<T>(&mut self) -> Parsed<T> {
        self.too_deep("expression is", MAX_DEPTH)
    }

    /// How many operands wait.
    pub fn n_values(&self) -> u32 {
        self.work.values.len() as u32
    }

    /// Takes the current token as an operand.
    pub fn leaf(&mut self, op: Op) -> Position {
        let span = self.span();
        self.advance();
        self.complete_leaf(op, span)
    }

    /// Makes an operand of what was read.
    pub fn complete_leaf(&mut self, op: Op, span: Span) -> Position {
        self.work.yard.operand_start = span.start;
        self.build(op, span, self.n_values());
        Position::Operator
    }

    /// Makes a node whose operands are the finished ones from the index `base` on.
    pub fn build(&mut self, op: Op, span: Span, base: u32) {
        let start = self.context.operands.len() as u32;
        self.context.operands.extend(self.work.values.drain(base as usize..));
        let operands = start..self.context.operands.len() as u32;
        self.work.values.push(NodeId(self.context.nodes.len() as u32));
        self.context.nodes.push(Node { op, span, operands });
    }

    /// Completes the operators on top that bind at least as tightly as `level`.
    #[inline]
    pub fn reduce(&mut self, level: u8) {
        let end = self.prev_end();
        let mut done = std::mem::take(&mut self.work.done);
        self.work.yard.reduce(level, &mut done, end);
        for yard::Node { op, span } in done.drain(..) {
            self.complete(op, span);
        }
        self.work.done = done;
    }

    fn complete(&mut self, op: Pending, span: Span) {
        let last = self.n_values();
        let (op, base) = match op {
            Pending::Unary(op) => (Op::Unary(op), last - 1),
            Pending::Binary(op) => (Op::Binary(op), last - 2),
            Pending::ArrayOf => (Op::ArrayType, last - 2),
            Pending::Binder(binder, base) => {
                let names = self.work.bound.pop().unwrap_or_default();
                let op = match binder {
                    Binder::Lambda => Op::Lambda(names),
                    Binder::Forall => Op::Forall(names),
                    Binder::Exists => Op::Exists(names),
                };
                (op, base)
            }
            Pending::Let(base) => (Op::Let(self.pop_names()), base),
            Pending::With(base) => (Op::With(self.work.paths.pop().unwrap_or_default()), base),
        };
        self.build(op, span, base);
    }

    /// The names of the innermost frame, when they are no groups.
    pub fn pop_names(&mut self) -> Vec<Name> {
        self.work.bound.pop().and_then(|mut groups| groups.pop()).unwrap_or_default()
    }
}

const TOO_BIG: &str = "the number does not fit 64 bits";

/// The value of a numeral, or what is wrong with it.
fn integer(text: &str) -> Result<i64, &'static str> {
    let (digits, radix) = match text.get(1..2) {
        Some("x" | "X") => (&text[2..], 16),
        Some("b" | "B") => (&text[2..], 2),
        _ => (text, 10),
    };
    match digits.chars().all(|digit| digit.is_digit(radix)) {
        true => i64::from_str_radix(digits, radix).map_err(|_| TOO_BIG),
        false if radix == 16 => Err("a hexadecimal number has the digits 0 to 9 and a to f"),
        false => Err("a binary number has the digits 0 and 1"),
    }
}

/// A decimal number as a fraction, or what is wrong with it.
fn decimal(whole: &str, fraction: &str) -> Result<Op, &'static str> {
    let numerator = format!("{whole}{fraction}").parse().map_err(|_| TOO_BIG)?;
    let n_digits = u32::try_from(fraction.len()).map_err(|_| TOO_BIG)?;
    let denominator = 10_i64.checked_pow(n_digits).ok_or(TOO_BIG)?;
    Ok(Op::Decimal(numerator, denominator))
}
