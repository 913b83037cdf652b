//! Expressions of SMV, temporal operators included.
//!
//! The parser is always in one of two states: before an operand or after one. Before an operand it
//! takes prefix operators and opening brackets; after one, infix operators, `.`, `[` and what
//! continues or closes the innermost frame. See [`crate::yard`] for the stack.

use trapline_source::{Diagnostic, Span};

use super::operators::{self, level};
use super::temporal::until;
use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{Binary, Code, Op, Unary};
use crate::yard::{LOOSEST, TooDeep};

/// A bracket of any kind that is open, with the part of it that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// `( e`
    Paren,
    /// `f( e`
    Function(Unary),
    /// `f( e`, with a second argument to come
    First(Binary),
    /// `f(_, e`
    Second(Binary),
    /// `count( e`, after this many arguments
    Count(u32),
    /// `{ e`, after this many elements
    Set(u32),
    /// `[ e`, after this many elements
    Array(u32),
    /// `_[ e`
    Index,
    /// `_[_ : e`
    LowBit,
    /// `case e`, after this many branches
    Guard(u32),
    /// `case _ : e`, after this many branches
    Value(u32),
    /// `_ ? e`
    Then,
    /// `A [ e` and `E [ e`
    UntilLeft(Path),
    /// `A [_ U e` and so on: what is written when it closes
    UntilRight(Op),
}

/// The path quantifier of CTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// `A`
    All,
    /// `E`
    Some,
}

/// Where the parser is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Before an operand.
    Operand,
    /// Behind an operand.
    Operator,
    /// Behind the expression.
    End,
}

/// The context of an expression, as far as its syntax depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Anywhere.
    Plain,
    /// The body of a `DEFINE`, which may be an array literal.
    Define,
    /// A bound of a range type, which `..` ends.
    Bound,
}

/// What `FUN` declares.
pub const UNINTERPRETED: &str = "uninterpreted functions (`FUN`) are";

const MISSING_ESAC: &str = "is the `esac` of the `case` missing?";

impl Frame {
    /// True if it contains semicolons.
    pub fn is_case(self) -> bool {
        matches!(self, Frame::Guard(_) | Frame::Value(_))
    }
}

impl Parser<'_, '_> {
    /// An expression; it ends where it cannot be continued.
    pub fn expression(&mut self, context: Context) -> Parsed<Code> {
        let start = self.here();
        self.expression_from(start, context, Position::Operand)
    }

    /// An expression whose nodes begin at `start` and of which a part may have been read.
    pub fn expression_from(
        &mut self,
        start: u32,
        context: Context,
        mut place: Position,
    ) -> Parsed<Code> {
        loop {
            place = match place {
                Position::Operand => self.operand(context)?,
                Position::Operator => self.operator(context)?,
                Position::End => return Ok(self.code_from(start)),
            };
        }
    }

    /// An expression that is the whole text.
    pub fn whole_expression(&mut self) -> Parsed<Code> {
        let code = self.expression(Context::Plain)?;
        if self.token != Token::Eof {
            let what = "an operator or the end of the expression";
            let diagnostic = self.expected_behind_expression(what);
            return self.fail(diagnostic);
        }
        Ok(code)
    }

    fn operand(&mut self, context: Context) -> Parsed<Position> {
        let start = self.span.start;
        match self.token {
            Token::Ident => {
                let id = self.intern_token();
                Ok(self.leaf(Op::Ident(id)))
            }
            Token::Number => {
                let op = self.integer();
                Ok(self.leaf(op))
            }
            Token::True => Ok(self.leaf(Op::True)),
            Token::False => Ok(self.leaf(Op::False)),
            Token::SelfRef => Ok(self.leaf(Op::SelfRef)),
            Token::WordNumber | Token::Decimal | Token::Fraction => Ok(self.long_literal()),
            Token::LParen => self.open(Frame::Paren),
            Token::LBrace => self.open(Frame::Set(0)),
            Token::Case => self.open(Frame::Guard(0)),
            Token::Not => self.prefix(Op::Unary(Unary::Not), level::PREFIX, start),
            Token::Minus => self.prefix(Op::Unary(Unary::Neg), level::PREFIX, start),
            Token::Plus => {
                self.advance();
                if self.token != Token::Number {
                    return self.unexpected("a number after `+`");
                }
                let op = self.integer();
                let place = self.leaf(op);
                self.yard.operand_start = start;
                Ok(place)
            }
            Token::LBracket => self.array_literal(context),
            _ => self.rare_operand(start),
        }
    }

    /// Functions and temporal operators.
    fn rare_operand(&mut self, start: u32) -> Parsed<Position> {
        if let Some(op) = operators::function(self.token) {
            self.call(Frame::Function(op))
        } else if let Some(op) = operators::function2(self.token) {
            self.call(Frame::First(op))
        } else if let Some(op) = operators::temporal(self.token) {
            self.check_temporal()?;
            self.temporal_prefix(op, start)
        } else if let Some(op) = operators::bounded(self.token) {
            self.check_temporal()?;
            self.advance();
            let bounds = self.subrange()?;
            self.push_prefix(Op::Bounded(op, bounds), level::TEMPORAL, start)
        } else {
            match self.token {
                Token::Count => self.call(Frame::Count(0)),
                Token::A => self.path_quantifier(Path::All),
                Token::E => self.path_quantifier(Path::Some),
                Token::Unsupported => {
                    let what = format!("word arrays and so `{}` are", self.text());
                    self.not_supported(self.span, &what)
                }
                Token::U | Token::S | Token::V | Token::T | Token::Bu => {
                    let text = self.text();
                    let help = format!("`{text}` is a temporal operator and cannot be a name");
                    let diagnostic = self.expected("an expression").help(help);
                    self.fail(diagnostic)
                }
                Token::SmallInit if self.is_behind_branch() => self.no_expression(),
                Token::SmallInit
                | Token::Boolean
                | Token::Array
                | Token::Word
                | Token::Process
                | Token::MinDistance
                | Token::MaxDistance
                | Token::Command => self.no_name("an expression"),
                _ => self.no_expression(),
            }
        }
    }

    /// Is the parser where the next branch of a `case` begins, or its `esac` stands?
    fn is_behind_branch(&self) -> bool {
        self.yard.is_at_frame() && matches!(self.yard.innermost(), Some((Frame::Guard(1..), _)))
    }

    fn no_expression(&mut self) -> Parsed<Position> {
        let mut diagnostic = self.expected("an expression");
        if self.is_behind_branch()
            && let Some((_, start)) = self.yard.innermost()
        {
            let case = Span::new(start, start + "case".len() as u32);
            diagnostic = self.expected("a condition or `esac`").label(case, "of this `case`");
            let is_over = matches!(self.token, Token::Eof | Token::SmallInit);
            if is_over || self.token.is_section() {
                diagnostic = diagnostic.help(MISSING_ESAC);
            }
        } else if self.token == Token::Esac
            && let Some((Frame::Guard(0), _)) = self.yard.innermost()
        {
            diagnostic = diagnostic.help("a `case` needs a branch, as in `TRUE : 0;`");
        } else if self.token == Token::Gt && self.prev_end == self.span.start {
            diagnostic = diagnostic.help("to ask whether two values differ write `!=`");
        } else if self.token == Token::Eq {
            diagnostic = diagnostic.help("operators of two characters are `!=`, `<=` and `>=`");
        }
        self.fail(diagnostic)
    }

    fn operator(&mut self, context: Context) -> Parsed<Position> {
        match self.token {
            Token::Dot => self.member(),
            Token::LBracket => {
                let start = self.yard.operand_start;
                self.advance();
                self.opened(Frame::Index, start)
            }
            Token::LParen => self.application(),
            Token::Question => {
                self.reduce(level::ITE + 1);
                let start = self.yard.operand_start;
                self.advance();
                self.opened(Frame::Then, start)
            }
            Token::DotDot if context == Context::Bound && self.yard.innermost().is_none() => {
                self.delimiter()
            }
            Token::U if matches!(self.yard.innermost(), Some((Frame::UntilLeft(_), _))) => {
                self.delimiter()
            }
            token => match operators::infix(token) {
                Some((op, level)) => Ok(self.infix(op, level)),
                None => self.delimiter(),
            },
        }
    }

    fn infix(&mut self, op: Binary, level: u8) -> Position {
        if matches!(self.token, Token::CEq | Token::CAnd | Token::COr) {
            self.report_c_operator();
        }
        // Leaving operators of the same level on the stack makes them associate to the right.
        let reduce = if op == Binary::Implies { level + 1 } else { level };
        self.reduce(reduce);
        self.yard.push_infix(Op::Binary(op), level);
        self.advance();
        Position::Operand
    }

    fn report_c_operator(&mut self) {
        let text = self.text();
        let message = format!("use `{}`, not `{text}`", &text[..1]);
        self.report(Diagnostic::error("syntax", self.span, message));
    }

    /// What continues or closes the innermost frame, or ends the expression.
    fn delimiter(&mut self) -> Parsed<Position> {
        self.reduce(LOOSEST);
        let Some((frame, start)) = self.yard.innermost() else {
            return Ok(Position::End);
        };
        match (frame, self.token) {
            (Frame::Paren, Token::RParen) => {
                self.yard.close();
                self.advance();
                Ok(Position::Operator)
            }
            (Frame::Function(op), Token::RParen) => Ok(self.close(Op::Unary(op), start)),
            (Frame::First(op), Token::Comma) => Ok(self.go_on(Frame::Second(op))),
            (Frame::Second(op), Token::RParen) => Ok(self.close(Op::Binary(op), start)),
            (Frame::Count(n), Token::Comma) => Ok(self.go_on(Frame::Count(n + 1))),
            (Frame::Count(n), Token::RParen) => Ok(self.close(Op::Count(n + 1), start)),
            (Frame::Set(n), Token::Comma) => Ok(self.go_on(Frame::Set(n + 1))),
            (Frame::Set(n), Token::RBrace) => Ok(self.close(Op::Set(n + 1), start)),
            (Frame::Array(n), Token::Comma) => Ok(self.go_on(Frame::Array(n + 1))),
            (Frame::Array(n), Token::RBracket) => Ok(self.close(Op::ArrayLiteral(n + 1), start)),
            (Frame::Index, Token::Colon) => Ok(self.go_on(Frame::LowBit)),
            (Frame::Index, Token::RBracket) => Ok(self.close(Op::Index, start)),
            (Frame::LowBit, Token::RBracket) => Ok(self.close(Op::BitSelect, start)),
            (Frame::Guard(n), Token::Colon) => Ok(self.go_on(Frame::Value(n))),
            (Frame::Value(n), Token::Semi) => Ok(self.branch(n + 1, start)),
            (Frame::Then, Token::Colon) => {
                self.yard.close();
                self.yard.push_infix(Op::Ite, level::ITE);
                self.advance();
                Ok(Position::Operand)
            }
            (Frame::UntilLeft(path), Token::U) => Ok(self.go_on(Frame::UntilRight(until(path)))),
            (Frame::UntilLeft(path), Token::Bu) => self.bounded_until(path),
            (Frame::UntilRight(op), Token::RBracket) => Ok(self.close(op, start)),
            (frame, _) => self.not_closed(frame, start),
        }
    }

    /// Completes a branch of a `case`. Returns true for the last one.
    fn branch(&mut self, n_branches: u32, start: u32) -> Position {
        self.advance();
        if self.token == Token::Esac {
            return self.close(Op::Case(n_branches), start);
        }
        self.yard.replace(Frame::Guard(n_branches));
        Position::Operand
    }

    fn go_on(&mut self, frame: Frame) -> Position {
        self.yard.replace(frame);
        self.advance();
        Position::Operand
    }

    /// Closes the innermost frame with the current token and writes its operator.
    fn close(&mut self, op: Op, start: u32) -> Position {
        self.yard.close();
        self.emit(op, Span::new(start, self.span.end));
        self.advance();
        Position::Operator
    }

    fn leaf(&mut self, op: Op) -> Position {
        self.yard.operand_start = self.span.start;
        self.emit(op, self.span);
        self.advance();
        Position::Operator
    }

    fn long_literal(&mut self) -> Position {
        let text = self.lexer.slice();
        let op = match self.token {
            Token::WordNumber => self.word(text, self.span),
            _ => self.real(text, self.span),
        };
        self.leaf(op)
    }

    #[inline]
    fn reduce(&mut self, level: u8) {
        self.yard.reduce(level, &mut self.program.nodes, self.prev_end);
    }

    /// Opens a frame with the current token.
    fn open(&mut self, frame: Frame) -> Parsed<Position> {
        let start = self.span.start;
        self.advance();
        self.opened(frame, start)
    }

    /// Opens a frame that begins at `start`.
    pub fn opened(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        match self.yard.open(frame, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.too_deep(),
        }
    }

    /// Takes the current token as a prefix operator.
    fn prefix(&mut self, op: Op, level: u8, start: u32) -> Parsed<Position> {
        self.advance();
        self.push_prefix(op, level, start)
    }

    /// Pushes a prefix operator that begins at `start`.
    pub fn push_prefix(&mut self, op: Op, level: u8, start: u32) -> Parsed<Position> {
        match self.yard.push_prefix(op, level, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.too_deep(),
        }
    }

    /// Opens the arguments of a function.
    fn call(&mut self, frame: Frame) -> Parsed<Position> {
        let start = self.span.start;
        let name = self.text();
        self.advance();
        if self.token != Token::LParen {
            let diagnostic = self
                .expected(&format!("`(` after `{name}`"))
                .help(format!("`{name}` is a function and cannot be a name"));
            return self.fail(diagnostic);
        }
        self.advance();
        self.opened(frame, start)
    }

    fn array_literal(&mut self, context: Context) -> Parsed<Position> {
        let is_inside = matches!(self.yard.innermost(), None | Some((Frame::Array(_), _)));
        if context == Context::Define && is_inside && self.yard.is_at_frame() {
            return self.open(Frame::Array(0));
        }
        let diagnostic = self
            .expected("an expression")
            .help("an array `[a, b]` can only be the whole body of a definition");
        self.fail(diagnostic)
    }

    /// `.name` or `.3` behind an operand.
    fn member(&mut self) -> Parsed<Position> {
        let root = self.program.nodes.last().map(|node| node.op);
        if !matches!(
            root,
            Some(Op::Ident(_) | Op::SelfRef | Op::Dot(_) | Op::DotNumber(_) | Op::Index)
        ) {
            return self.unexpected("an operator");
        }
        let start = self.yard.operand_start;
        let op = self.member_op()?;
        self.emit(op, Span::new(start, self.prev_end));
        Ok(Position::Operator)
    }

    /// Reads `.name` or `.3`.
    pub fn member_op(&mut self) -> Parsed<Op> {
        self.advance();
        let op = match self.token {
            Token::Ident => Op::Dot(self.intern_token()),
            Token::Number => {
                let value = self.integer_value();
                Op::DotNumber(i32::try_from(value).unwrap_or(i32::MAX))
            }
            _ => return self.no_name("a name after `.`"),
        };
        self.advance();
        Ok(op)
    }

    /// `(` behind an operand: the only function that is not a keyword is `floor`.
    fn application(&mut self) -> Parsed<Position> {
        let Some(node) = self.program.nodes.last().copied() else {
            return self.delimiter();
        };
        match node.op {
            Op::Ident(id) if self.program.name(id) == "floor" => {
                self.program.nodes.pop();
                self.advance();
                self.opened(Frame::Function(Unary::Floor), node.span.start)
            }
            Op::Ident(_) | Op::Dot(_) if node.span.end == self.prev_end => {
                let span = Span::new(self.yard.operand_start, node.span.end);
                self.not_supported(span, UNINTERPRETED)
            }
            _ => self.delimiter(),
        }
    }

    fn not_closed(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        let (what, opened) = match frame {
            Frame::Paren | Frame::Function(_) | Frame::Second(_) => ("`)`", "opened here"),
            Frame::First(_) => ("`,` and a second argument", "this function takes two arguments"),
            Frame::Count(_) => ("`,` or `)`", "opened here"),
            Frame::Set(_) => ("`,` or `}`", "opened here"),
            Frame::Array(_) => ("`,` or `]`", "opened here"),
            Frame::Index | Frame::LowBit | Frame::UntilRight(_) => ("`]`", "opened here"),
            Frame::Guard(_) => ("`:` after the condition", "in this `case`"),
            Frame::Value(_) => ("`;` after the value", "in this `case`"),
            Frame::Then => ("`:`", "this condition needs a value for each outcome"),
            Frame::UntilLeft(_) => ("`U` or `BU`", "in this formula"),
        };
        let mut diagnostic = self
            .expected_behind_expression(what)
            .label(Span::new(start, start + 1), opened.to_string());
        let may_miss_esac =
            self.token == Token::Becomes || self.token == Token::Eof || self.token.is_section();
        if frame.is_case() && may_miss_esac {
            diagnostic = diagnostic.help(MISSING_ESAC);
        }
        self.fail(diagnostic)
    }
}
