//! Contexts and what they declare.

use trapline_source::Span;

use super::expression::Goal;
use super::spelling::nearly;
use super::{Parsed, Parser};
use crate::sal::syntax::{
    Claim, Constructor, ContextRef, Decl, DeclKind, Name, NodeId, Param, TypeDef,
};
use crate::sal::token::Token;

impl Parser<'_> {
    /// A text that is a context.
    pub fn context(&mut self) {
        if self.header().is_err() && !self.recover_header() {
            return;
        }
        if self.token() == Token::EndWord && self.peek(1) == Token::End {
            let _: Parsed<()> = self.unexpected("a declaration");
        }
        self.declarations();
    }

    /// `c{N: nat; T: TYPE}: CONTEXT = BEGIN`
    fn header(&mut self) -> Parsed<()> {
        if self.token() != Token::Name {
            let diagnostic = self.expected("the name of a context");
            return self.fail(diagnostic.help("a context is written `c: CONTEXT = BEGIN ... END`"));
        }
        self.context.name = self.take_name();
        if self.eat(Token::LBrace) {
            self.context_params()?;
        }
        self.expect(Token::Colon, "`: CONTEXT = BEGIN`")?;
        self.expect(Token::Context, "`CONTEXT`")?;
        self.expect(Token::Eq, "`=`")?;
        self.expect(Token::Begin, "`BEGIN`")
    }

    /// Goes to the first declaration behind a header that is wrong, if it can be found.
    fn recover_header(&mut self) -> bool {
        if self.token() == Token::Name && nearly(self.token_text()) == Some(("BEGIN", Token::Begin))
        {
            self.advance();
        }
        if self.is_at_declaration() {
            return true;
        }
        let is_begin = |(token, _): &(Token, Span)| *token == Token::Begin;
        let Some(begin) = self.tokens.iter().position(is_begin) else { return false };
        let is_of_module = begin >= 2 && self.tokens[begin - 2].0 == Token::Module;
        self.place = self.place.max(begin + 1);
        !is_of_module
    }

    fn context_params(&mut self) -> Parsed<()> {
        self.eat(Token::Semi);
        while !self.eat(Token::RBrace) {
            let names = self.group()?;
            let ty = match self.eat(Token::Type) {
                true => None,
                false => Some(self.type_node()?),
            };
            self.context.params.extend(names.into_iter().map(|name| Param { name, ty }));
            match self.token() {
                Token::Comma | Token::Semi => self.advance(),
                Token::RBrace => {}
                _ => return self.unexpected_behind("`;` or `}` after the parameter"),
            }
        }
        Ok(())
    }

    /// All declarations, and `END`.
    fn declarations(&mut self) {
        loop {
            match self.token() {
                Token::End => {
                    let _: Parsed<()> = self.unexpected("a declaration or `END`");
                    return;
                }
                Token::EndWord if self.peek(1) != Token::Colon => {
                    self.advance();
                    if self.token() == Token::End {
                        return;
                    }
                    let diagnostic = self.expected("the end of the text");
                    let help = "this `END` closes the context; is there an extra `END` before it?";
                    let _: Parsed<()> = self.fail(diagnostic.help(help));
                    self.eat(Token::Semi);
                    if self.token() == Token::End {
                        return;
                    }
                }
                _ => self.declaration_and_semi(),
            }
        }
    }

    fn declaration_and_semi(&mut self) {
        let from = self.place;
        match self.declaration() {
            Ok(decl) => {
                self.context.decls.push(decl);
                if self.eat(Token::Semi) {
                    return;
                }
                self.no_semi("declaration");
                if self.token() == Token::EndWord && self.peek(1) == Token::Semi {
                    // There is one `END` too many.
                    self.advance();
                    self.advance();
                } else {
                    self.recover_declaration(from);
                }
            }
            Err(_) => self.recover_declaration(from),
        }
    }

    fn declaration(&mut self) -> Parsed<Decl> {
        let start = self.span().start;
        if self.eat(Token::Importing) {
            let context = self.context_ref("the context to import")?;
            let renamed = self.import_names()?;
            let (name, kind) = (context.name, DeclKind::Import { context, renamed });
            return Ok(Decl { name, kind, span: self.span_from(start) });
        }
        if self.token().is_section() && self.peek(1) != Token::Colon {
            let diagnostic = self.expected("a declaration or `END`");
            return self.fail(diagnostic.help("is there an extra `END` before this?"));
        }
        let name = self.name("a declaration or `END`")?;
        let kind = match self.token() {
            Token::LBracket => self.module_with_params()?,
            Token::LParen => {
                self.advance();
                let params = self.var_decls()?;
                self.expect(Token::RParen, "`,` or `)`")?;
                self.expect(Token::Colon, "`:` and the type of the result")?;
                let ty = self.type_node()?;
                DeclKind::Constant { params, ty, value: self.constant_value()? }
            }
            _ => {
                if self.token() == Token::Comma {
                    let diagnostic = self.expected("`:` after the name");
                    return self.fail(diagnostic.help("declare each name on its own"));
                }
                self.expect(Token::Colon, "`:` after the name")?;
                self.declared()?
            }
        };
        Ok(Decl { name, kind, span: self.span_from(start) })
    }

    /// `[x: T]: MODULE = ...`
    fn module_with_params(&mut self) -> Parsed<DeclKind> {
        self.advance();
        let params = self.var_decls()?;
        self.expect(Token::RBracket, "`,` or `]`")?;
        self.expect(Token::Colon, "`: MODULE =`")?;
        self.expect(Token::Module, "`MODULE`")?;
        self.equals()?;
        Ok(DeclKind::Module { params, body: self.module()? })
    }

    /// What stands behind `name:`
    fn declared(&mut self) -> Parsed<DeclKind> {
        match self.token() {
            Token::Type => {
                self.advance();
                let is_defined = matches!(self.token(), Token::Eq | Token::Becomes);
                if !is_defined {
                    return Ok(DeclKind::Type(TypeDef::Uninterpreted));
                }
                self.equals()?;
                Ok(DeclKind::Type(self.type_def()?))
            }
            Token::Context => {
                self.advance();
                self.equals()?;
                Ok(DeclKind::Context(self.context_ref("a context")?))
            }
            Token::Module => {
                self.advance();
                self.equals()?;
                Ok(DeclKind::Module { params: Vec::new(), body: self.module()? })
            }
            token if token.is_claim() => self.assertion(),
            _ => {
                let ty = self.type_node()?;
                let value = self.constant_value()?;
                Ok(DeclKind::Constant { params: Vec::new(), ty, value })
            }
        }
    }

    fn constant_value(&mut self) -> Parsed<Option<NodeId>> {
        match self.token() {
            Token::Eq | Token::Becomes => {
                self.equals()?;
                Ok(Some(self.expression(Goal::Value)?))
            }
            _ => Ok(None),
        }
    }

    /// `=`, or what is written for it by mistake.
    pub fn equals(&mut self) -> Parsed<()> {
        match self.token() {
            Token::Eq => self.take_equals(),
            Token::Becomes => {
                self.correct(self.span(), ":=", "=");
                self.advance();
            }
            _ => return self.unexpected_behind("`=`"),
        }
        Ok(())
    }

    /// `THEOREM m |- e`
    fn assertion(&mut self) -> Parsed<DeclKind> {
        self.advance();
        if self.token() == Token::Eq {
            let diagnostic = self.expected("a module");
            return self.fail(diagnostic.help("write `THEOREM m |- e`, without `=`"));
        }
        let module = self.module()?;
        let claim = match self.token() {
            Token::Turnstile => {
                self.advance();
                Claim::Holds(self.expression(Goal::Value)?)
            }
            Token::Implements => {
                self.advance();
                Claim::Implements(self.module()?)
            }
            _ => return self.unexpected_behind("`|-` and what is claimed"),
        };
        Ok(DeclKind::Assertion { module, claim })
    }

    fn type_def(&mut self) -> Parsed<TypeDef> {
        let is_list = self.peek(1) == Token::Name && self.peek(2) != Token::Colon;
        match self.token() {
            Token::LBrace if is_list => Ok(TypeDef::Enumeration(self.enumeration()?)),
            Token::Datatype => Ok(TypeDef::Datatype(self.constructors()?)),
            Token::Scalarset => Ok(TypeDef::Scalarset(self.size()?)),
            Token::Ringset => Ok(TypeDef::Ringset(self.size()?)),
            _ => Ok(TypeDef::Type(self.type_node()?)),
        }
    }

    /// `{a, b}`
    fn enumeration(&mut self) -> Parsed<Vec<Name>> {
        self.advance();
        let mut names = vec![self.name("a value")?];
        while self.eat(Token::Comma) {
            names.push(self.name("a value")?);
        }
        self.expect(Token::RBrace, "`,` or `}`")?;
        Ok(names)
    }

    /// `DATATYPE pair(left: T, right: U), none END`
    fn constructors(&mut self) -> Parsed<Vec<Constructor>> {
        let mut constructors = Vec::new();
        self.advance();
        loop {
            let name = self.name("a constructor")?;
            let mut fields = Vec::new();
            if self.eat(Token::LParen) {
                fields = self.var_decls()?;
                self.expect(Token::RParen, "`,` or `)`")?;
            }
            constructors.push(Constructor { name, fields });
            if !self.eat(Token::Comma) {
                self.expect(Token::EndWord, "`,` or the `END` of the datatype")?;
                return Ok(constructors);
            }
        }
    }

    /// `SCALARSET(n)`
    fn size(&mut self) -> Parsed<NodeId> {
        self.advance();
        self.expect(Token::LParen, "`(` and a size")?;
        let size = self.expression(Goal::Value)?;
        if self.token() != Token::RParen {
            return self.unexpected_behind("`)`");
        }
        self.advance();
        Ok(size)
    }

    /// `c{3, T}`
    fn context_ref(&mut self, what: &str) -> Parsed<ContextRef> {
        let name = self.name(what)?;
        let actuals = self.actuals()?;
        Ok(ContextRef { name, actuals })
    }

    /// `{3, T}`, or nothing.
    pub fn actuals(&mut self) -> Parsed<Vec<NodeId>> {
        let mut actuals = Vec::new();
        if !self.eat(Token::LBrace) {
            return Ok(actuals);
        }
        self.eat(Token::Semi);
        loop {
            actuals.push(self.expression(Goal::Value)?);
            match self.token() {
                Token::Comma | Token::Semi => self.advance(),
                Token::RBrace => {}
                _ => return self.unexpected_behind("`,` or `}` after an actual parameter"),
            }
            if self.eat(Token::RBrace) {
                return Ok(actuals);
            }
        }
    }

    /// `WITH a TO b, c TO d`, perhaps in parentheses, or nothing.
    fn import_names(&mut self) -> Parsed<Vec<(Name, Name)>> {
        let mut renamed = Vec::new();
        if !self.eat(Token::With) {
            return Ok(renamed);
        }
        let has_paren = self.eat(Token::LParen);
        loop {
            let old = self.name("the name of what is imported")?;
            self.expect(Token::To, "`TO`")?;
            renamed.push((old, self.name("another name for it")?));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if has_paren {
            self.expect(Token::RParen, "`,` or `)`")?;
        }
        Ok(renamed)
    }
}
