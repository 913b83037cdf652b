//! The brackets of expressions and types: how each is continued and closed.

use trapline_source::Span;

use super::expression::{Binder, Pending, Position};
use super::operators::level;
use super::{Parsed, Parser};
use crate::sal::syntax::Op;
use crate::sal::token::Token;
use crate::yard::{LOOSEST, TooDeep};

/// A bracket of any kind that is open, with the part of it that is being read. A number is the index of
/// its first operand among the finished ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// `( e`
    Paren(u32),
    /// `_( e`
    Call(u32),
    /// `_[ e`
    Index,
    /// `IF e`, `ELSIF e`
    IfCondition(u32),
    /// `THEN e`
    IfValue(u32),
    /// `ELSE e`
    IfElse(u32),
    /// `FORALL (x: T`
    Binder(Binder, u32),
    /// `LET x: T`
    LetType(u32),
    /// `LET x: T = e`
    LetValue(u32),
    /// `[[i: T`
    ArrayIndex,
    /// `[[i: T] e`
    ArrayElement,
    /// `(# f := e`
    Record(u32),
    /// `{ e`
    Set(u32),
    /// `{x: T`
    ComprehensionType,
    /// `{x: T | e`
    ComprehensionBody,
    /// `_ WITH`, between the steps
    With(u32),
    /// `_ WITH [ e`
    WithIndex(u32),
    /// `_ WITH ( e`, and the index of the first argument
    WithArguments(u32, u32),
    /// `c{ e`
    Actuals(u32),
    /// `[ e`
    Bracket,
    /// `[ l .. h`
    RangeHigh,
    /// `[ T, U`
    TupleType(u32),
    /// `[ T -> U`
    FunctionResult,
    /// `ARRAY I`
    ArrayOf,
    /// `[# f: T`
    RecordType(u32),
}

impl Frame {
    /// Is a type being read, and nothing else?
    pub fn holds_type(self) -> bool {
        matches!(
            self,
            Frame::Binder(..)
                | Frame::LetType(_)
                | Frame::ArrayIndex
                | Frame::ComprehensionType
                | Frame::TupleType(_)
                | Frame::FunctionResult
                | Frame::ArrayOf
                | Frame::RecordType(_)
        )
    }

    /// Is it a part of `IF`?
    pub fn is_if(self) -> bool {
        matches!(self, Frame::IfCondition(_) | Frame::IfValue(_) | Frame::IfElse(_))
    }
}

impl Parser<'_> {
    /// Opens a frame with the current token.
    pub fn open(&mut self, frame: Frame) -> Parsed<Position> {
        let start = self.span().start;
        self.advance();
        self.opened(frame, start)
    }

    /// Opens a frame with the current token, which stands behind an operand of it.
    pub fn open_behind(&mut self, frame: Frame) -> Parsed<Position> {
        let start = self.work.yard.operand_start;
        self.advance();
        self.opened(frame, start)
    }

    /// Opens a frame that begins at `start`.
    pub fn opened(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        match self.work.yard.open(frame, start) {
            Ok(()) => Ok(Position::Operand),
            Err(TooDeep) => self.expression_too_deep(),
        }
    }

    /// What continues or closes the innermost frame, or ends the expression.
    pub fn delimiter(&mut self) -> Parsed<Position> {
        self.reduce(LOOSEST);
        let Some((frame, start)) = self.work.yard.innermost() else {
            return Ok(Position::End);
        };
        let last = self.n_values();
        match (frame, self.token()) {
            (Frame::Paren(_) | Frame::Call(_) | Frame::Set(_), Token::Comma) => {
                Ok(self.go_on(frame))
            }
            (Frame::Paren(base), Token::RParen) if last == base + 1 => {
                self.work.yard.close();
                self.advance();
                Ok(Position::Operator)
            }
            (Frame::Paren(base), Token::RParen) => Ok(self.close(Op::Tuple, start, base)),
            (Frame::Call(base), Token::RParen) => Ok(self.close(Op::Apply, start, base)),
            (Frame::Index, Token::RBracket) => Ok(self.close(Op::Index, start, last - 2)),
            (Frame::Set(base), Token::RBrace) => Ok(self.close(Op::Set, start, base)),
            (Frame::IfCondition(base), Token::Then) => Ok(self.go_on(Frame::IfValue(base))),
            (Frame::IfValue(base), Token::Elsif) => Ok(self.go_on(Frame::IfCondition(base))),
            (Frame::IfValue(base), Token::Else) => Ok(self.go_on(Frame::IfElse(base))),
            (Frame::IfElse(base), Token::Endif) => Ok(self.close(Op::If, start, base)),
            (Frame::ArrayElement, Token::RBracket) => match self.pop_names().pop() {
                Some(name) => Ok(self.close(Op::Array(name), start, last - 2)),
                None => unreachable!("an array literal has an index"),
            },
            (Frame::ComprehensionBody, Token::RBrace) => match self.pop_names().pop() {
                Some(name) => Ok(self.close(Op::Comprehension(name), start, last - 2)),
                None => unreachable!("a set of what meets a condition binds a name"),
            },
            _ => self.list_delimiter(frame, start),
        }
    }

    /// The same for what goes on with names, and for types.
    fn list_delimiter(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        let last = self.n_values();
        match (frame, self.token()) {
            (Frame::Binder(..), Token::Comma) => self.next_bound(),
            (Frame::Binder(binder, base), Token::RParen) => self.binder_body(binder, base, start),
            (Frame::LetType(base), Token::Eq) => {
                self.take_equals();
                self.work.yard.replace(Frame::LetValue(base));
                Ok(Position::Operand)
            }
            (Frame::LetType(_), Token::Becomes) => self.unexpected_behind("`=` and the value"),
            (Frame::LetValue(base), Token::Comma) => {
                self.advance();
                self.let_name(Frame::LetType(base))
            }
            (Frame::LetValue(base), Token::In) => {
                self.work.yard.close();
                self.advance();
                self.push_prefix(Pending::Let(base), level::BINDER, start)
            }
            (Frame::Record(_), Token::Comma) => self.next_field(),
            (Frame::Record(base), Token::CloseRecord) => {
                let names = self.pop_names();
                Ok(self.close(Op::Record(names), start, base))
            }
            (Frame::ArrayIndex, Token::RBracket) => Ok(self.go_on(Frame::ArrayElement)),
            (Frame::ComprehensionType, Token::Bar) => Ok(self.go_on(Frame::ComprehensionBody)),
            (Frame::WithIndex(base), Token::RBracket) => self.next_step(base),
            (Frame::WithArguments(_, _), Token::Comma) => Ok(self.go_on(frame)),
            (Frame::WithArguments(base, first), Token::RParen) => {
                self.with_arguments(base, last - first)
            }
            (Frame::Actuals(base), _) => self.next_actual(base, start),
            _ => self.type_delimiter(frame, start),
        }
    }

    /// The same for types.
    fn type_delimiter(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        let last = self.n_values();
        match (frame, self.token()) {
            (Frame::Bracket, Token::DotDot) => Ok(self.go_on(Frame::RangeHigh)),
            (Frame::Bracket, Token::Comma) => Ok(self.go_on(Frame::TupleType(last - 1))),
            (Frame::Bracket, Token::Arrow) => Ok(self.go_on(Frame::FunctionResult)),
            (Frame::RangeHigh, Token::RBracket) => Ok(self.close(Op::RangeType, start, last - 2)),
            (Frame::TupleType(_), Token::Comma) => Ok(self.go_on(frame)),
            (Frame::TupleType(base), Token::RBracket) => Ok(self.close(Op::TupleType, start, base)),
            (Frame::FunctionResult, Token::RBracket) => {
                Ok(self.close(Op::FunctionType, start, last - 2))
            }
            (Frame::ArrayOf, Token::Of) => {
                self.work.yard.close();
                self.advance();
                self.push_prefix(Pending::ArrayOf, level::ARRAY, start)
            }
            (Frame::RecordType(_), Token::Comma) => self.next_bound(),
            (Frame::RecordType(base), Token::CloseRecordType) => {
                let names = self.work.bound.pop().unwrap_or_default();
                Ok(self.close(Op::RecordType(names), start, base))
            }
            _ => self.not_closed(frame, start),
        }
    }

    fn go_on(&mut self, frame: Frame) -> Position {
        self.work.yard.replace(frame);
        self.advance();
        Position::Operand
    }

    /// Closes the innermost frame with the current token and makes a node of it.
    pub fn close(&mut self, op: Op, start: u32, base: u32) -> Position {
        self.work.yard.close();
        self.advance();
        self.build(op, self.span_from(start), base);
        Position::Operator
    }

    fn not_closed(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        let what = match frame {
            Frame::Paren(_) | Frame::Call(_) | Frame::Binder(..) | Frame::WithArguments(..) => {
                "`,` or `)`"
            }
            Frame::Index | Frame::WithIndex(_) | Frame::ArrayIndex => "`]`",
            Frame::ArrayElement | Frame::RangeHigh | Frame::FunctionResult => "`]`",
            Frame::IfCondition(_) => "`THEN`",
            Frame::IfValue(_) => "`ELSIF` or `ELSE`",
            Frame::IfElse(_) => "`ENDIF`",
            Frame::LetType(_) => "`=` and a value",
            Frame::LetValue(_) => "`,` or `IN`",
            Frame::Record(_) => "`,` or `#)`",
            Frame::Set(_) | Frame::Actuals(_) => "`,` or `}`",
            Frame::ComprehensionType => "`|` and a condition",
            Frame::ComprehensionBody => "`}`",
            Frame::With(_) => "`:=`",
            Frame::Bracket => "`..`, `,` or `->`",
            Frame::TupleType(_) => "`,` or `]`",
            Frame::ArrayOf => "`OF`",
            Frame::RecordType(_) => "`,` or `#]`",
        };
        let mut diagnostic = self.expected_behind(what);
        if let Some(help) = self.closing_hint(frame) {
            diagnostic = diagnostic.help(help);
        }
        let (length, note) = match frame {
            frame if frame.is_if() => ("IF".len() as u32, "in this `IF`"),
            _ => (1, "opened here"),
        };
        self.fail(diagnostic.label(Span::new(start, start + length), note))
    }

    fn closing_hint(&self, frame: Frame) -> Option<&'static str> {
        let is_over = matches!(self.token(), Token::Semi | Token::EndWord | Token::End)
            || matches!(self.token(), Token::Async | Token::LongArrow)
            || self.token().is_section();
        Some(match (frame, self.token()) {
            (Frame::IfValue(_), Token::Endif) => "every `IF` needs an `ELSE`",
            (Frame::IfElse(_), Token::Elsif) => "`ELSIF` must come before `ELSE`",
            (Frame::IfValue(_), _) if is_over => "is `ELSE ... ENDIF` missing?",
            (Frame::IfElse(_), _) if is_over => "is the `ENDIF` of this `IF` missing?",
            (Frame::Index, Token::LongArrow) => "is a `;` missing before the list of commands?",
            (Frame::Bracket, Token::RBracket) => {
                "an array is written `[[i: T] e]`, a range type `[l .. h]`"
            }
            (Frame::TupleType(_), Token::Arrow) => {
                "a function of several arguments takes a tuple: `[[T, U] -> V]`"
            }
            (Frame::With(_), Token::Eq) => "after `WITH` the new value follows `:=`",
            _ => return None,
        })
    }
}
