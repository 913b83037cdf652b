//! Modules that are made of others.

use trapline_source::Span;

use super::expression::Goal;
use super::{Parsed, Parser};
use crate::sal::syntax::{
    Class, ContextRef, Lhs, Module, ModuleId, ModuleKind, Name, NodeId, VarDecl,
};
use crate::sal::token::Token;

impl Parser<'_> {
    /// A module: `[]` binds more loosely than `||`. What begins with a keyword goes on as far as it can.
    pub fn module(&mut self) -> Parsed<ModuleId> {
        self.nested(|parser| {
            let start = parser.span().start;
            let mut left = parser.synchronous()?;
            while parser.eat(Token::Async) {
                let right = parser.synchronous()?;
                left = parser.push_module(ModuleKind::Async(left, right), start);
            }
            Ok(left)
        })
    }

    /// `m || n`
    fn synchronous(&mut self) -> Parsed<ModuleId> {
        let start = self.span().start;
        let mut left = self.module_operand_of_chain()?;
        while self.eat(Token::Sync) {
            let right = self.module_operand_of_chain()?;
            left = self.push_module(ModuleKind::Sync(left, right), start);
        }
        Ok(left)
    }

    fn push_module(&mut self, kind: ModuleKind, start: u32) -> ModuleId {
        let span = self.span_from(start);
        self.context.modules.push(Module { kind, span });
        ModuleId(self.context.modules.len() as u32 - 1)
    }

    fn module_operand_of_chain(&mut self) -> Parsed<ModuleId> {
        let start = self.span().start;
        let kind = match self.token() {
            Token::LParen if matches!(self.peek(1), Token::Sync | Token::Async) => self.multi()?,
            Token::LParen => return self.module_in_parentheses(),
            Token::Begin => ModuleKind::Base(self.base()?),
            Token::Name => self.instance()?,
            Token::Local => {
                let names = self.names_and_in()?;
                ModuleKind::Hide(names, self.module()?)
            }
            Token::Output => {
                let names = self.names_and_in()?;
                ModuleKind::Export(names, self.module()?)
            }
            Token::Rename => {
                let pairs = self.renamed()?;
                ModuleKind::Rename(pairs, self.module()?)
            }
            Token::With => {
                let vars = self.with_vars()?;
                ModuleKind::With(vars, self.module()?)
            }
            Token::Observe => {
                self.advance();
                let observed = self.module()?;
                if self.token() != Token::With {
                    return self.unexpected_behind("`WITH` and the module that observes");
                }
                self.advance();
                ModuleKind::Observe(observed, self.module()?)
            }
            _ => return self.unexpected("a module"),
        };
        Ok(self.push_module(kind, start))
    }

    fn module_in_parentheses(&mut self) -> Parsed<ModuleId> {
        let start = self.span().start;
        self.advance();
        let module = self.module()?;
        if self.token() != Token::RParen {
            let opened = Span::new(start, start + 1);
            let diagnostic = self.expected_behind("`||`, `[]` or `)`");
            return self.fail(diagnostic.label(opened, "opened here"));
        }
        self.advance();
        Ok(module)
    }

    /// `(|| (i: T): m)`, `([] (i: T): m)`
    fn multi(&mut self) -> Parsed<ModuleKind> {
        self.advance();
        let is_sync = self.token() == Token::Sync;
        self.advance();
        self.expect(Token::LParen, "`(` and an index with its type")?;
        let index = self.name("an index")?;
        if self.token() == Token::Comma {
            let diagnostic = self.expected("`:`");
            let help = "only one index is allowed; nest them: `(|| (i: T): (|| (j: U): m))`";
            return self.fail(diagnostic.help(help));
        }
        self.expect(Token::Colon, "`:` and the type of the index")?;
        let ty = self.type_node()?;
        self.expect(Token::RParen, "`)`")?;
        self.expect(Token::Colon, "`:` and a module")?;
        let body = self.module()?;
        if self.token() != Token::RParen {
            return self.unexpected_behind("`||`, `[]` or `)`");
        }
        self.advance();
        Ok(match is_sync {
            true => ModuleKind::MultiSync { index, ty, body },
            false => ModuleKind::MultiAsync { index, ty, body },
        })
    }

    /// `m`, `m[e]`, `c{3}!m[e]`
    fn instance(&mut self) -> Parsed<ModuleKind> {
        let mut name = self.take_name();
        let mut context = None;
        if matches!(self.token(), Token::LBrace | Token::Bang) {
            let actuals = self.actuals()?;
            context = Some(ContextRef { name, actuals });
            name = self.member_of_context()?;
        }
        let mut actuals = Vec::new();
        if self.eat(Token::LBracket) {
            actuals = self.expressions()?;
            if self.token() != Token::RBracket {
                return self.unexpected_behind("`,` or `]`");
            }
            self.advance();
        }
        Ok(ModuleKind::Instance { context, name, actuals })
    }

    fn expressions(&mut self) -> Parsed<Vec<NodeId>> {
        let mut nodes = vec![self.expression(Goal::Value)?];
        while self.eat(Token::Comma) {
            nodes.push(self.expression(Goal::Value)?);
        }
        Ok(nodes)
    }

    /// `LOCAL x, y IN`
    fn names_and_in(&mut self) -> Parsed<Vec<Name>> {
        self.advance();
        let mut names = vec![self.name("a variable")?];
        while self.eat(Token::Comma) {
            names.push(self.name("a variable")?);
        }
        if self.token() == Token::Colon {
            let diagnostic = self.expected("`IN` and a module");
            return self.fail(diagnostic.help("variables are declared within `BEGIN ... END`"));
        }
        self.expect(Token::In, "`,` or `IN`")?;
        Ok(names)
    }

    /// `RENAME x TO y, z TO a[1] IN`
    fn renamed(&mut self) -> Parsed<Vec<(Lhs, Lhs)>> {
        self.advance();
        let mut pairs = Vec::new();
        loop {
            let old = self.lhs()?;
            self.expect(Token::To, "`TO`")?;
            pairs.push((old, self.lhs()?));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::In, "`,` or `IN`")?;
        Ok(pairs)
    }

    /// `WITH INPUT x: T; OUTPUT y: U`
    fn with_vars(&mut self) -> Parsed<Vec<(Class, VarDecl)>> {
        self.advance();
        let mut vars = Vec::new();
        loop {
            let class = match self.token() {
                Token::Input => Class::Input,
                Token::Output => Class::Output,
                Token::Global => Class::Global,
                _ => return self.unexpected("`INPUT`, `OUTPUT` or `GLOBAL`"),
            };
            self.advance();
            vars.extend(self.var_decls()?.into_iter().map(|decl| (class, decl)));
            let has_semi = self.eat(Token::Semi);
            if !self.is_at_with_vars() {
                return Ok(vars);
            }
            if !has_semi {
                let diagnostic = self.expected("`;` or a module");
                self.report(diagnostic.help("separate the kinds of variables with `;`"));
            }
        }
    }

    /// Are variables declared here? `OUTPUT x IN m` is a module.
    fn is_at_with_vars(&self) -> bool {
        match self.token() {
            Token::Input | Token::Global => true,
            Token::Output => {
                let is_name = |idx: &usize| matches!(self.peek(*idx), Token::Name | Token::Comma);
                (1..).find(|idx| !is_name(idx)).is_some_and(|idx| self.peek(idx) == Token::Colon)
            }
            _ => false,
        }
    }

    /// Is the text `(@ m c)`?
    pub fn is_at_pair(&self) -> bool {
        self.token() == Token::LParen
            && self.tokens.get(self.place + 1).is_some_and(|_| self.text_at(self.place + 1) == "@")
    }

    /// `(@ m c)`, the module `c!m` as the XML form of SAL writes it.
    pub fn pair(&mut self) -> Parsed<ModuleId> {
        let start = self.span().start;
        self.advance();
        self.advance();
        let name = self.name("the name of a module")?;
        let context = self.name("the name of its context")?;
        self.expect(Token::RParen, "`)`")?;
        let context = Some(ContextRef { name: context, actuals: Vec::new() });
        let kind = ModuleKind::Instance { context, name, actuals: Vec::new() };
        Ok(self.push_module(kind, start))
    }
}
