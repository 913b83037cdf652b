//! Definitions and assignments, and what stands on their left.

use super::expression::Goal;
use super::{Parsed, Parser};
use crate::sal::syntax::{Access, Definition, Lhs};
use crate::sal::token::Token;

impl Parser<'_> {
    /// `lhs = e`, `lhs IN e`, `(FORALL (i: T): definitions)`
    pub fn definition(&mut self) -> Parsed<Definition> {
        match self.token() {
            Token::LParen if self.peek(1) == Token::Forall => {
                return self.nested(Self::forall_definition);
            }
            Token::Forall => {
                let diagnostic = self.expected("a definition");
                return self.fail(diagnostic.help("write `(FORALL (i: T): ...)`, in parentheses"));
            }
            _ => {}
        }
        let start = self.span().start;
        let lhs = self.lhs()?;
        let is_in = match self.token() {
            Token::Eq | Token::Becomes => {
                self.equals()?;
                false
            }
            Token::In => {
                self.advance();
                true
            }
            _ => return self.unexpected_behind("`=` or `IN`"),
        };
        let value = self.expression(Goal::Value)?;
        Ok(Definition::Simple { lhs, is_in, value, span: self.span_from(start) })
    }

    fn forall_definition(&mut self) -> Parsed<Definition> {
        let start = self.span().start;
        self.advance();
        self.advance();
        let vars = self.quantified()?;
        let mut body = Vec::new();
        loop {
            body.push(self.definition()?);
            if !self.eat(Token::Semi) || self.token() == Token::RParen {
                break;
            }
        }
        if self.token() != Token::RParen {
            return self.unexpected_behind("`;` or `)` after the definition");
        }
        self.advance();
        Ok(Definition::Forall { vars, body, span: self.span_from(start) })
    }

    /// `x`, `x'[i].f`
    pub fn lhs(&mut self) -> Parsed<Lhs> {
        let name = self.name("a variable")?;
        let is_primed = self.eat(Token::Prime);
        let (mut path, mut indices) = (Vec::new(), Vec::new());
        loop {
            match self.token() {
                Token::LBracket => {
                    self.advance();
                    indices.push(self.expression(Goal::Value)?);
                    if self.token() != Token::RBracket {
                        return self.index_not_closed();
                    }
                    self.advance();
                    path.push(Access::Index);
                }
                Token::Dot => path.push(self.step()?),
                _ => break,
            }
        }
        let span = self.span_from(name.span.start);
        Ok(Lhs { name, is_primed, path, indices, span })
    }

    fn index_not_closed<T>(&mut self) -> Parsed<T> {
        let diagnostic = self.expected_behind("`]`");
        let help = match self.token() {
            Token::Comma => "an array of arrays is indexed as in `a[i][j]`",
            _ => return self.fail(diagnostic),
        };
        self.fail(diagnostic.help(help))
    }
}
