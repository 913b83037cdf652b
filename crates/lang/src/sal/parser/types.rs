//! Types of SAL, where they begin. How they go on is in [`super::frames`].

use super::expression::Position;
use super::frames::Frame;
use super::{Parsed, Parser};
use crate::sal::token::Token;

impl Parser<'_> {
    /// What a type begins with, also where an expression may stand as well.
    pub fn type_operand(&mut self) -> Parsed<Position> {
        match self.token() {
            Token::Name => self.name_operand(),
            Token::LBracket => self.bracket(),
            Token::OpenRecordType => {
                let (start, base) = (self.span().start, self.n_values());
                self.advance();
                self.open_groups(Frame::RecordType(base), start)
            }
            Token::LBrace => self.subtype(),
            Token::Array => self.open(Frame::ArrayOf),
            Token::StateType => self.module_operand(),
            Token::Async => {
                let diagnostic = self.expected("a type");
                self.fail(diagnostic.help("an array type is written `ARRAY I OF T`"))
            }
            Token::Number | Token::BasedNumber | Token::Minus => {
                let diagnostic = self.expected("a type");
                self.fail(diagnostic.help("a range is written `[0 .. 3]`"))
            }
            Token::Datatype | Token::Scalarset | Token::Ringset => {
                let diagnostic = self.expected("a type");
                self.fail(diagnostic.help("this needs a declaration of its own: `T: TYPE = ...`"))
            }
            Token::Type => self.unexpected("a type"),
            token if token.is_word() => self.reserved_word(),
            _ => self.unexpected("a type"),
        }
    }

    /// `[ e`, or `[[i: T` where an expression may stand.
    fn bracket(&mut self) -> Parsed<Position> {
        let is_array = self.peek(1) == Token::LBracket
            && self.peek(2) == Token::Name
            && self.peek(3) == Token::Colon;
        if !is_array || self.is_in_type() {
            return self.open(Frame::Bracket);
        }
        let start = self.span().start;
        self.advance();
        self.advance();
        self.open_groups(Frame::ArrayIndex, start)
    }

    /// `{x: T | e}`
    fn subtype(&mut self) -> Parsed<Position> {
        if self.peek(1) == Token::Name && self.peek(2) == Token::Colon {
            return self.comprehension();
        }
        self.advance();
        let diagnostic = self.expected("`x: T | e`");
        self.fail(
            diagnostic.help("an enumeration needs a declaration of its own: `T: TYPE = {a, b}`"),
        )
    }
}
