//! Expressions of PSL. As in [`super::expression`], the parser is before an operand or behind one;
//! the precedences are those of NuSMV's PSL, where `X a & b` is `X (a & b)` and `->` associates
//! to the left.

use trapline_source::Span;

use super::Parsed;
use super::expression::{Path, Position};
use super::messages::too_deep;
use super::psl::{PslParser, Stop};
use super::psl_operators::{infix, level};
use crate::smv::lexer::PslToken;
use crate::smv::syntax::{Binary, Code, NameId, Op, Psl, Unary};
use crate::yard::{LOOSEST, TooDeep};

/// A bracket of any kind that is open, with the part of it that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PslFrame {
    /// `( e`
    Paren,
    /// `f( e`
    Function(Unary),
    /// `f( e`, with a second argument to come
    First(Binary),
    /// `f(_, e`
    Second(Binary),
    /// `select( e`, after this many arguments
    Select(u8),
    /// `{ e`, after this many elements
    Set(u32),
    /// `_[ e`
    Index,
    /// `case e`, after this many branches
    Guard(u32),
    /// `case _ : e`, after this many branches
    Value(u32),
    /// `_ ? e`
    Then,
    /// `[ e`, with `U` or `W` to come
    Bracket,
    /// `next [ e`: a number of steps, or the left side of an until
    NextBracket,
    /// `A [ e` and `E [ e`
    PathLeft(Path),
    /// `[_ U e`: what is written when it closes
    UntilRight(Op),
    /// `next_event( e`
    Event(Psl),
    /// `next_event(_)[ e`
    Count(Psl),
    /// `next_a[ e`
    Low(Psl),
    /// `next_a[_ : e`
    High(Psl),
    /// `next_a[_ : _]( e`
    Body(Psl),
}

type Step = Result<Position, Stop>;

impl PslParser<'_, '_, '_> {
    /// An expression whose nodes begin at `node_start`.
    pub fn expression(&mut self, node_start: u32) -> Result<Code, Stop> {
        let mut place = Position::Operand;
        loop {
            place = match place {
                Position::Operand => self.operand()?,
                Position::Operator => self.operator()?,
                Position::End => return Ok(self.outer.code_from(node_start)),
            };
        }
    }

    fn operand(&mut self) -> Step {
        match self.stream.token {
            PslToken::Ident => {
                let id = self.intern_token();
                Ok(self.leaf(Op::Ident(id)))
            }
            PslToken::Number => {
                let op = self.integer();
                Ok(self.leaf(op))
            }
            PslToken::WordNumber => {
                let op = self.outer.word(self.text(), self.stream.span);
                Ok(self.leaf(op))
            }
            PslToken::Decimal => {
                let op = self.outer.real(self.text(), self.stream.span);
                Ok(self.leaf(op))
            }
            PslToken::True => Ok(self.leaf(Op::True)),
            PslToken::False => Ok(self.leaf(Op::False)),
            PslToken::LParen => self.open(PslFrame::Paren),
            PslToken::LBrace => self.open(PslFrame::Set(0)),
            PslToken::LBracket => self.open(PslFrame::Bracket),
            PslToken::Case => self.open(PslFrame::Guard(0)),
            PslToken::Plus => {
                self.advance();
                Ok(Position::Operand)
            }
            PslToken::Minus => self.prefix(Unary::Neg, level::PREFIX),
            PslToken::Not => self.prefix(Unary::Not, level::PREFIX),
            PslToken::Function(op) => self.call(PslFrame::Function(op)),
            PslToken::Function2(op) => self.call(PslFrame::First(op)),
            PslToken::Select => self.call(PslFrame::Select(0)),
            PslToken::Sequence => Err(Stop::Unsupported),
            _ => self.temporal_operand(),
        }
    }

    fn temporal_operand(&mut self) -> Step {
        // `!` and `-` take a primary expression only.
        if self.yard.top_level(None) == level::PREFIX {
            return Ok(self.unexpected("an operand in parentheses")?);
        }
        match self.stream.token {
            PslToken::Always => self.prefix(Unary::G, level::ALWAYS),
            PslToken::Never => self.prefix_op(Op::Psl(Psl::Never), level::ALWAYS),
            PslToken::Eventually => self.prefix(Unary::F, level::NEXT),
            PslToken::F => self.prefix(Unary::F, level::X),
            PslToken::Branching(op) => self.prefix(op, level::X),
            PslToken::Next => self.next(level::NEXT),
            PslToken::X => self.next(level::X),
            PslToken::A => self.bracketed(PslToken::LBracket, PslFrame::PathLeft(Path::All)),
            PslToken::E => self.bracketed(PslToken::LBracket, PslFrame::PathLeft(Path::Some)),
            PslToken::NextRange(op) => self.bracketed(PslToken::LBracket, PslFrame::Low(op)),
            PslToken::NextEvent(op) | PslToken::NextEventRange(op) => {
                self.bracketed(PslToken::LParen, PslFrame::Event(op))
            }
            _ => Ok(self.unexpected("a property")?),
        }
    }

    fn operator(&mut self) -> Step {
        match self.stream.token {
            PslToken::Sequence => Err(Stop::Unsupported),
            // `{a}(p)` and `{a}!` are sequences.
            PslToken::LParen | PslToken::Not if self.is_behind_set() => Err(Stop::Unsupported),
            PslToken::Dot if self.is_behind_name() => {
                let start = self.yard.operand_start;
                let op = self.member_op()?;
                self.outer.emit(op, Span::new(start, self.stream.prev_end));
                Ok(Position::Operator)
            }
            PslToken::LBracket if self.is_behind_name() => {
                let start = self.yard.operand_start;
                self.advance();
                self.opened(PslFrame::Index, start)
            }
            PslToken::Question => {
                self.reduce(level::ITE + 1);
                let start = self.yard.operand_start;
                self.advance();
                self.opened(PslFrame::Then, start)
            }
            token => match infix(token) {
                Some((op, level)) => {
                    self.reduce(level);
                    self.yard.push_infix(op, level);
                    self.advance();
                    Ok(Position::Operand)
                }
                None => self.delimiter(),
            },
        }
    }

    /// What continues or closes the innermost frame, or ends the property.
    fn delimiter(&mut self) -> Step {
        self.reduce(LOOSEST);
        let Some((frame, start)) = self.yard.innermost() else {
            return Ok(Position::End);
        };
        match (frame, self.stream.token) {
            (PslFrame::Paren, PslToken::RParen) => {
                self.yard.close();
                self.advance();
                Ok(Position::Operator)
            }
            (PslFrame::Function(op), PslToken::RParen) => Ok(self.close(Op::Unary(op), start)),
            (PslFrame::First(op), PslToken::Comma) => Ok(self.go_on(PslFrame::Second(op))),
            (PslFrame::Second(op), PslToken::RParen) => Ok(self.close(Op::Binary(op), start)),
            (PslFrame::Select(n @ 0..2), PslToken::Comma) => {
                Ok(self.go_on(PslFrame::Select(n + 1)))
            }
            (PslFrame::Select(2), PslToken::RParen) => Ok(self.close(Op::BitSelect, start)),
            (PslFrame::Set(n), PslToken::Comma) => Ok(self.go_on(PslFrame::Set(n + 1))),
            (PslFrame::Set(n), PslToken::RBrace) => Ok(self.close(Op::Set(n + 1), start)),
            (PslFrame::Set(_), PslToken::Semi | PslToken::Colon) => Err(Stop::Unsupported),
            (PslFrame::Index, PslToken::RBracket) => Ok(self.close(Op::Index, start)),
            (PslFrame::Guard(n), PslToken::Colon) => Ok(self.go_on(PslFrame::Value(n))),
            (PslFrame::Value(n), PslToken::Semi) => Ok(self.branch(n + 1, start)),
            (PslFrame::Then, PslToken::Colon) => {
                self.yard.close();
                self.yard.push_infix(Op::Ite, level::ITE);
                self.advance();
                Ok(Position::Operand)
            }
            _ => self.temporal_delimiter(frame, start),
        }
    }

    fn temporal_delimiter(&mut self, frame: PslFrame, start: u32) -> Step {
        match (frame, self.stream.token) {
            (PslFrame::Bracket | PslFrame::NextBracket, PslToken::U) => {
                Ok(self.go_on(PslFrame::UntilRight(Op::Binary(Binary::U))))
            }
            (PslFrame::Bracket | PslFrame::NextBracket, PslToken::W) => {
                Ok(self.go_on(PslFrame::UntilRight(Op::Psl(Psl::Until))))
            }
            (PslFrame::NextBracket, PslToken::RBracket) => self.counted_next(),
            (PslFrame::PathLeft(Path::All), PslToken::U) => {
                Ok(self.go_on(PslFrame::UntilRight(Op::Binary(Binary::Au))))
            }
            (PslFrame::PathLeft(Path::Some), PslToken::U) => {
                Ok(self.go_on(PslFrame::UntilRight(Op::Binary(Binary::Eu))))
            }
            (PslFrame::UntilRight(op), PslToken::RBracket) => Ok(self.close(op, start)),
            (PslFrame::Event(op), PslToken::RParen) => self.behind_event(op),
            (PslFrame::Count(op), PslToken::RBracket) => self.body(op),
            (PslFrame::Low(op), PslToken::Colon) => Ok(self.go_on(PslFrame::High(op))),
            (PslFrame::High(op), PslToken::RBracket) => self.body(op),
            (PslFrame::Body(op), PslToken::RParen) => Ok(self.close(Op::Psl(op), start)),
            _ => Ok(self.unexpected(closing(frame))?),
        }
    }

    /// Completes a branch of a `case`. Returns true for the last one.
    fn branch(&mut self, n_branches: u32, start: u32) -> Position {
        self.advance();
        if self.stream.token == PslToken::Esac {
            return self.close(Op::Case(n_branches), start);
        }
        self.yard.replace(PslFrame::Guard(n_branches));
        Position::Operand
    }

    /// `next` is an operator, but `next[3]` takes its operand in parentheses, and whether `[`
    /// begins the one or an operand `[p U q]` of the other shows only later.
    fn next(&mut self, level: u8) -> Step {
        let place = self.prefix(Unary::X, level)?;
        match self.stream.token {
            PslToken::LBracket => self.open(PslFrame::NextBracket),
            _ => Ok(place),
        }
    }

    fn counted_next(&mut self) -> Step {
        self.yard.close();
        let start = self.yard.pop_prefix().unwrap_or(self.yard.operand_start);
        self.advance();
        self.expect(PslToken::LParen, "`(` and the property")?;
        self.opened(PslFrame::Body(Psl::NextN), start)
    }

    /// Behind `next_event(b)` and its kin.
    fn behind_event(&mut self, op: Psl) -> Step {
        self.advance();
        let counted = match op {
            Psl::NextEvent => Psl::NextEventN,
            Psl::NextEventStrong => Psl::NextEventNStrong,
            _ => {
                self.expect(PslToken::LBracket, "`[` and a range")?;
                self.yard.replace(PslFrame::Low(op));
                return Ok(Position::Operand);
            }
        };
        if self.eat(PslToken::LBracket) {
            self.yard.replace(PslFrame::Count(counted));
        } else {
            self.expect(PslToken::LParen, "`(` and the property")?;
            self.yard.replace(PslFrame::Body(op));
        }
        Ok(Position::Operand)
    }

    fn body(&mut self, op: Psl) -> Step {
        self.advance();
        self.expect(PslToken::LParen, "`(` and the property")?;
        self.yard.replace(PslFrame::Body(op));
        Ok(Position::Operand)
    }

    fn go_on(&mut self, frame: PslFrame) -> Position {
        self.yard.replace(frame);
        self.advance();
        Position::Operand
    }

    /// Closes the innermost frame with the current token and writes its operator.
    fn close(&mut self, op: Op, start: u32) -> Position {
        self.yard.close();
        self.outer.emit(op, Span::new(start, self.stream.span.end));
        self.advance();
        Position::Operator
    }

    fn leaf(&mut self, op: Op) -> Position {
        self.yard.operand_start = self.stream.span.start;
        self.outer.emit(op, self.stream.span);
        self.advance();
        Position::Operator
    }

    fn reduce(&mut self, level: u8) {
        self.yard.reduce(level, &mut self.outer.program.nodes, self.stream.prev_end);
    }

    fn prefix(&mut self, op: Unary, level: u8) -> Step {
        self.prefix_op(Op::Unary(op), level)
    }

    fn prefix_op(&mut self, op: Op, level: u8) -> Step {
        let start = self.stream.span.start;
        self.advance();
        match self.yard.push_prefix(op, level, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.too_deep(),
        }
    }

    /// Opens a frame with the current token.
    fn open(&mut self, frame: PslFrame) -> Step {
        let start = self.stream.span.start;
        self.advance();
        self.opened(frame, start)
    }

    fn opened(&mut self, frame: PslFrame, start: u32) -> Step {
        match self.yard.open(frame, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.too_deep(),
        }
    }

    fn call(&mut self, frame: PslFrame) -> Step {
        self.bracketed(PslToken::LParen, frame)
    }

    /// Opens a frame with the current token and the bracket behind it.
    fn bracketed(&mut self, bracket: PslToken, frame: PslFrame) -> Step {
        let start = self.stream.span.start;
        let text = self.text();
        self.advance();
        if !self.eat(bracket) {
            let bracket = if bracket == PslToken::LParen { "(" } else { "[" };
            return Ok(self.unexpected(&format!("`{bracket}` after `{text}`"))?);
        }
        self.opened(frame, start)
    }

    fn too_deep(&mut self) -> Step {
        let diagnostic = too_deep(self.stream.span);
        Ok(self.outer.fail(diagnostic)?)
    }

    fn is_behind_set(&self) -> bool {
        matches!(self.outer.program.nodes.last(), Some(node) if matches!(node.op, Op::Set(_)))
    }

    fn is_behind_name(&self) -> bool {
        let is_name = |op| matches!(op, Op::Ident(_) | Op::Dot(_) | Op::DotNumber(_) | Op::Index);
        self.outer.program.nodes.last().is_some_and(|node| is_name(node.op))
    }

    /// The number of the current token's text.
    pub fn intern_token(&mut self) -> NameId {
        let text = self.text();
        self.outer.interner.intern(&mut self.outer.program.names, text)
    }

    /// The operand for the integer that is the current token.
    pub fn integer(&mut self) -> Op {
        let value = self.outer.integer_from(self.text(), self.stream.span);
        self.outer.integer_op(value)
    }

    /// Reads `.name` or `.3`.
    pub fn member_op(&mut self) -> Parsed<Op> {
        self.advance();
        let op = match self.stream.token {
            PslToken::Ident => Op::Dot(self.intern_token()),
            PslToken::Number => {
                let value = self.outer.integer_from(self.text(), self.stream.span);
                Op::DotNumber(i32::try_from(value).unwrap_or(i32::MAX))
            }
            _ => return self.unexpected("a name after `.`"),
        };
        self.advance();
        Ok(op)
    }
}

/// What closes or continues a frame, for messages.
fn closing(frame: PslFrame) -> &'static str {
    match frame {
        PslFrame::Paren | PslFrame::Function(_) | PslFrame::Second(_) => "`)`",
        PslFrame::First(_) => "`,` and a second argument",
        PslFrame::Select(2) | PslFrame::Event(_) | PslFrame::Body(_) => "`)`",
        PslFrame::Select(_) => "`,` and the next argument",
        PslFrame::Set(_) => "`,` or `}`",
        PslFrame::Index | PslFrame::UntilRight(_) => "`]`",
        PslFrame::Count(_) | PslFrame::High(_) => "`]`",
        PslFrame::Guard(_) => "`:` after the condition",
        PslFrame::Value(_) => "`;` after the value",
        PslFrame::Then | PslFrame::Low(_) => "`:`",
        PslFrame::Bracket => "`U` or `W`",
        PslFrame::NextBracket => "`]`, `U` or `W`",
        PslFrame::PathLeft(_) => "`U`",
    }
}
