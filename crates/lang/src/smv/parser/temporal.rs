//! Temporal operators, and the bounds that some of them have.

use super::expression::{Frame, Path, Position};
use super::operators::{self, level};
use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{Binary, Bounded, Op, Unary};

impl Parser<'_, '_> {
    /// `BU lo..hi` between the operands of `A [ ]` and `E [ ]`.
    pub fn bounded_until(&mut self, path: Path) -> Parsed<Position> {
        self.advance();
        let bounds = self.subrange()?;
        let op = match path {
            Path::All => Bounded::Abu,
            Path::Some => Bounded::Ebu,
        };
        self.yard.replace(Frame::UntilRight(Op::Bounded(op, bounds)));
        Ok(Position::Operand)
    }

    /// A temporal operator, perhaps with bounds, before its operand.
    pub fn temporal_prefix(&mut self, op: Unary, start: u32) -> Parsed<Position> {
        self.advance();
        match operators::with_bounds(op) {
            Some(bounded) if self.token == Token::LBracket => {
                self.advance();
                let low = self.bound()?;
                self.expect(Token::Comma, "`,` between the bounds")?;
                let high = self.bound()?;
                self.expect(Token::RBracket, "`]` after the bounds")?;
                let bounds = self.bounds(low, high);
                self.push_prefix(Op::Bounded(bounded, bounds), level::TEMPORAL, start)
            }
            _ => self.push_prefix(Op::Unary(op), level::TEMPORAL, start),
        }
    }

    /// `A [` or `E [`
    pub fn path_quantifier(&mut self, path: Path) -> Parsed<Position> {
        self.check_temporal()?;
        let start = self.span.start;
        let name = self.text();
        self.advance();
        if self.token != Token::LBracket {
            let diagnostic = self
                .expected(&format!("`[` after `{name}`"))
                .help(format!("`{name} [p U q]` is an operator of CTL; `{name}` cannot be a name"));
            return self.fail(diagnostic);
        }
        self.advance();
        self.opened(Frame::UntilLeft(path), start)
    }

    /// Temporal operators bind more loosely than relations, so they cannot be an operand of one.
    pub fn check_temporal(&mut self) -> Parsed<()> {
        if self.yard.top_level(Some(Op::Unary(Unary::Not))) <= level::TEMPORAL {
            return Ok(());
        }
        let text = self.text();
        let diagnostic = self
            .expected("an expression")
            .help(format!("put what `{text}` applies to in parentheses, as in `({text} p)`"));
        self.fail(diagnostic)
    }

    /// `lo..hi`, both integers.
    pub fn subrange(&mut self) -> Parsed<u32> {
        let low = self.bound()?;
        self.expect(Token::DotDot, "`..` between the bounds")?;
        let high = self.bound()?;
        Ok(self.bounds(low, high))
    }

    fn bounds(&mut self, low: i64, high: i64) -> u32 {
        self.program.bounds.push((low, high));
        self.program.bounds.len() as u32 - 1
    }

    fn bound(&mut self) -> Parsed<i64> {
        let is_negative = self.eat(Token::Minus);
        if !is_negative {
            self.eat(Token::Plus);
        }
        if self.token != Token::Number {
            return self.unexpected("an integer as bound");
        }
        let value = self.integer_value();
        self.advance();
        Ok(if is_negative { -value } else { value })
    }
}

/// What `A [p U q]` and `E [p U q]` are.
pub fn until(path: Path) -> Op {
    Op::Binary(match path {
        Path::All => Binary::Au,
        Path::Some => Binary::Eu,
    })
}
