//! Names with their types or values, as expressions bind them: `FORALL (x, y: T)`, `LET x: T = e`,
//! `(# f := e #)`, `{x: T | e}`.

use super::expression::{Binder, Goal, Pending, Position};
use super::frames::Frame;
use super::operators::level;
use super::{Parsed, Parser};
use crate::sal::syntax::{Name, VarDecl};
use crate::sal::token::Token;

impl Parser<'_> {
    /// `x, y:`
    pub fn group(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Token::Comma) {
            names.push(self.name("a name")?);
        }
        self.expect(Token::Colon, "`,` and a name, or `:` and a type")?;
        Ok(names)
    }

    /// `x, y: T, z: U`
    pub fn var_decls(&mut self) -> Parsed<Vec<VarDecl>> {
        let mut decls = Vec::new();
        loop {
            let names = self.group()?;
            let ty = self.expression(Goal::Type)?;
            decls.push(VarDecl { names, ty });
            if !self.eat(Token::Comma) {
                return Ok(decls);
            }
        }
    }

    /// `(x, y: T, z: U):`, behind a quantifier that is no part of an expression.
    pub fn quantified(&mut self) -> Parsed<Vec<VarDecl>> {
        self.expect(Token::LParen, "`(` and typed names, as in `(x: T)`")?;
        let vars = self.var_decls()?;
        self.expect(Token::RParen, "`,` or `)`")?;
        self.expect(Token::Colon, "`:`")?;
        Ok(vars)
    }

    /// `LAMBDA (x: T`
    pub fn binder(&mut self, binder: Binder) -> Parsed<Position> {
        let start = self.span().start;
        self.advance();
        self.expect(Token::LParen, "`(` and typed names, as in `(x: T)`")?;
        self.open_groups(Frame::Binder(binder, self.n_values()), start)
    }

    /// The first names of a frame that has types for groups of names.
    pub fn open_groups(&mut self, frame: Frame, start: u32) -> Parsed<Position> {
        let names = self.group()?;
        self.work.bound.push(vec![names]);
        self.opened(frame, start)
    }

    /// `,` and the next group of names.
    pub fn next_bound(&mut self) -> Parsed<Position> {
        self.advance();
        let names = self.group()?;
        if let Some(groups) = self.work.bound.last_mut() {
            groups.push(names);
        }
        Ok(Position::Operand)
    }

    /// `):`, behind which the body goes on as far as it can.
    pub fn binder_body(&mut self, binder: Binder, base: u32, start: u32) -> Parsed<Position> {
        self.advance();
        self.expect(Token::Colon, "`:` and what is said of these names")?;
        self.work.yard.close();
        self.push_prefix(Pending::Binder(binder, base), level::BINDER, start)
    }

    /// `LET x:`
    pub fn let_in(&mut self) -> Parsed<Position> {
        let start = self.span().start;
        self.advance();
        let base = self.n_values();
        self.work.bound.push(vec![Vec::new()]);
        self.opened(Frame::LetType(base), start)?;
        self.let_name(Frame::LetType(base))
    }

    /// `x:`, a name that `LET` binds.
    pub fn let_name(&mut self, frame: Frame) -> Parsed<Position> {
        self.work.yard.replace(frame);
        let name = self.name("a name")?;
        if self.token() == Token::Eq {
            let diagnostic = self.expected("`:` and a type");
            return self.fail(diagnostic.help("write `LET x: T = e IN ...`"));
        }
        self.expect(Token::Colon, "`:` and a type")?;
        self.push_name(name);
        Ok(Position::Operand)
    }

    /// `(# f :=`
    pub fn record(&mut self) -> Parsed<Position> {
        let start = self.span().start;
        self.work.bound.push(vec![Vec::new()]);
        self.opened(Frame::Record(self.n_values()), start)?;
        self.next_field()
    }

    /// `, f :=`, or the same behind `(#`.
    pub fn next_field(&mut self) -> Parsed<Position> {
        self.advance();
        let name = self.name("the name of a field")?;
        if matches!(self.token(), Token::Eq | Token::Colon) {
            let diagnostic = self.expected("`:=`");
            return self.fail(diagnostic.help("a record is written `(# f := e, g := h #)`"));
        }
        self.expect(Token::Becomes, "`:=`")?;
        self.push_name(name);
        Ok(Position::Operand)
    }

    fn push_name(&mut self, name: Name) {
        if let Some(names) = self.work.bound.last_mut().and_then(|groups| groups.last_mut()) {
            names.push(name);
        }
    }

    /// `{x: T` or `{ e`
    pub fn set(&mut self) -> Parsed<Position> {
        if self.peek(1) == Token::Name && self.peek(2) == Token::Colon {
            return self.comprehension();
        }
        if self.peek(1) == Token::RBrace {
            self.advance();
            let diagnostic = self.expected("an expression");
            return self.fail(diagnostic.help("an empty set is written `{x: T | FALSE}`"));
        }
        self.open(Frame::Set(self.n_values()))
    }

    /// `{x: T`
    pub fn comprehension(&mut self) -> Parsed<Position> {
        let start = self.span().start;
        self.advance();
        self.open_groups(Frame::ComprehensionType, start)
    }
}
