//! Properties, those of PSL excepted.

use trapline_source::Span;

use super::expression::Context;
use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{Code, Item, Spec, SpecKind};

impl Parser<'_, '_> {
    /// What follows `SPEC`, `CTLSPEC`, `LTLSPEC` or `INVARSPEC`.
    pub fn spec(&mut self, kind: SpecKind) -> Parsed<Item> {
        let name = self.spec_name()?;
        let start = self.span.start;
        let body = self.expression(Context::Plain)?;
        self.end_of_spec(Spec { kind, name, body, second: None, context: None, span: at(start) })
    }

    /// What follows `COMPUTE`.
    pub fn compute(&mut self) -> Parsed<Item> {
        let name = self.spec_name()?;
        let start = self.span.start;
        let kind = match self.token {
            Token::MinDistance => SpecKind::Min,
            Token::MaxDistance => SpecKind::Max,
            _ => return self.unexpected("`MIN` or `MAX`"),
        };
        self.advance();
        self.expect(Token::LBracket, "`[` and two formulas")?;
        let body = self.expression(Context::Plain)?;
        self.expect(Token::Comma, "`,` between the two formulas")?;
        let second = Some(self.expression(Context::Plain)?);
        self.expect(Token::RBracket, "`]` after the two formulas")?;
        self.end_of_spec(Spec { kind, name, body, second, context: None, span: at(start) })
    }

    /// `NAME n :=`, if it is there.
    fn spec_name(&mut self) -> Parsed<Option<Code>> {
        if !self.eat(Token::Name) {
            return Ok(None);
        }
        let name = self.variable()?;
        self.expect(Token::Becomes, "`:=` after the name of the property")?;
        Ok(Some(name))
    }

    /// `IN instance`, if it is there, and the `;`.
    fn end_of_spec(&mut self, mut spec: Spec) -> Parsed<Item> {
        if self.eat(Token::InContext) {
            spec.context = Some(self.variable()?);
        }
        spec.span.end = self.prev_end;
        self.optional_semi("property")?;
        Ok(Item::Spec(spec))
    }
}

fn at(start: u32) -> Span {
    Span::new(start, start)
}
