//! Modules and their declarations, properties excepted.

use trapline_source::{Diagnostic, Span};

use super::expression::{Context, UNINTERPRETED};
use super::messages::reserved_word;
use super::{Failed, Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{AssignKind, Code, ConstraintKind, Item, Module, Name, Op};
use crate::smv::syntax::{SpecKind, Unary, VarKind};

/// The section that entries without a keyword belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// None: every declaration needs a keyword.
    Nothing,
    /// `VAR` and its kin.
    Vars(VarKind),
    /// `DEFINE` and `MDEFINE`.
    Define,
    /// `ASSIGN`
    Assign,
    /// A section that was complained about; its entries are skipped.
    Unsupported,
}

impl Parser<'_, '_> {
    /// The whole text.
    pub fn modules(&mut self) {
        let is_whole = self.token == Token::Eof && !self.includes.is_empty();
        if self.token != Token::Module && !is_whole && self.refuse_macro().is_ok() {
            let what = if self.token == Token::Eof { "a `MODULE`" } else { "`MODULE`" };
            let help = "a model is a list of modules, and begins with `MODULE main`";
            let diagnostic = self.expected(what).help(help);
            self.report(diagnostic);
            self.skip_to_module();
        }
        self.drop_pragmas();
        while self.token == Token::Module {
            self.module();
        }
    }

    fn skip_to_module(&mut self) {
        self.skipping = true;
        while !matches!(self.token, Token::Module | Token::Eof) {
            self.advance();
        }
        self.skipping = false;
    }

    fn module(&mut self) {
        self.advance();
        let mut module = Module { name: self.name_here(), params: Vec::new(), items: Vec::new() };
        if self.module_header(&mut module).is_err() {
            self.skip_header();
        }
        let mut section = Section::Nothing;
        while !matches!(self.token, Token::Module | Token::Eof) {
            self.pragmas(&mut module.items);
            if self.declaration(&mut section, &mut module.items).is_err() {
                self.recover();
            }
        }
        self.pragmas(&mut module.items);
        self.program.modules.push(module);
    }

    fn module_header(&mut self, module: &mut Module) -> Parsed<()> {
        if self.token != Token::Ident {
            return self.no_name("the name of the module");
        }
        self.advance();
        if !self.eat(Token::LParen) || self.eat(Token::RParen) {
            return Ok(());
        }
        loop {
            if self.token != Token::Ident {
                return self.no_name("the name of a parameter");
            }
            let param = self.name_here();
            module.params.push(param);
            self.advance();
            if !self.eat(Token::Comma) {
                return self.expect(Token::RParen, "`,` or `)` after the parameter");
            }
        }
    }

    /// Skips the rest of a module's first line, which no `;` ends.
    fn skip_header(&mut self) {
        self.skipping = true;
        while self.token != Token::Eof && !self.token.is_section() {
            self.advance();
        }
        self.skipping = false;
    }

    /// One declaration: a keyword that begins a section, a whole keyword item, or one entry.
    fn declaration(&mut self, section: &mut Section, items: &mut Vec<Item>) -> Parsed<()> {
        let token = self.token;
        let entries = match token {
            Token::Var => Section::Vars(VarKind::State),
            Token::Ivar => Section::Vars(VarKind::Input),
            Token::Frozenvar => Section::Vars(VarKind::Frozen),
            Token::Define | Token::Mdefine => Section::Define,
            Token::Assign => Section::Assign,
            Token::Fun => {
                *section = Section::Unsupported;
                let span = self.keyword()?;
                return self.not_supported(span, UNINTERPRETED);
            }
            _ if token.is_section() => {
                *section = Section::Nothing;
                let item = self.keyword_item(token)?;
                items.push(item);
                return Ok(());
            }
            _ => return self.entry(section, items),
        };
        *section = entries;
        self.keyword().map(drop)
    }

    /// Takes a section keyword, which must not be meant as a name.
    fn keyword(&mut self) -> Parsed<Span> {
        let (text, span) = (self.text(), self.span);
        self.advance();
        match self.token {
            Token::Colon | Token::Becomes => self.fail(reserved_word(text, span)),
            _ => Ok(span),
        }
    }

    fn keyword_item(&mut self, token: Token) -> Parsed<Item> {
        if token == Token::Pslspec {
            return self.psl_spec();
        }
        self.keyword()?;
        match token {
            Token::Init => self.constraint(ConstraintKind::Init),
            Token::Invar => self.constraint(ConstraintKind::Invar),
            Token::Trans => self.constraint(ConstraintKind::Trans),
            Token::Fairness | Token::Justice => self.constraint(ConstraintKind::Justice),
            Token::Compassion => self.compassion(),
            Token::Spec | Token::Ctlspec => self.spec(SpecKind::Ctl),
            Token::Ltlspec => self.spec(SpecKind::Ltl),
            Token::Invarspec => self.spec(SpecKind::Invar),
            Token::Compute => self.compute(),
            Token::Constants => self.constants(),
            Token::Isa => self.isa(),
            _ => self.unexpected("a section"),
        }
    }

    fn constraint(&mut self, kind: ConstraintKind) -> Parsed<Item> {
        let body = self.expression(Context::Plain)?;
        self.optional_semi("constraint")?;
        Ok(Item::Constraint { kind, body })
    }

    fn compassion(&mut self) -> Parsed<Item> {
        self.expect(Token::LParen, "`(` after `COMPASSION`")?;
        let p = self.expression(Context::Plain)?;
        self.expect(Token::Comma, "`,` between the two conditions")?;
        let q = self.expression(Context::Plain)?;
        self.expect(Token::RParen, "`)` after the two conditions")?;
        self.optional_semi("constraint")?;
        Ok(Item::Compassion { p, q })
    }

    /// A `;` that may be missing before the next section.
    pub fn optional_semi(&mut self, what: &str) -> Parsed<()> {
        if self.eat(Token::Semi) || self.token == Token::Eof || self.token.is_section() {
            return Ok(());
        }
        if self.token == Token::Ident && matches!(self.text(), "PRED" | "MIRROR") {
            return Ok(());
        }
        self.expect_semi(what)
    }

    fn constants(&mut self) -> Parsed<Item> {
        let mut names = Vec::new();
        if self.token != Token::Semi {
            names.push(self.constant_name()?);
        }
        while self.eat(Token::Comma) {
            names.push(self.constant_name()?);
        }
        self.expect(Token::Semi, "`,` or `;` after the constants")?;
        Ok(Item::Constants(names))
    }

    fn isa(&mut self) -> Parsed<Item> {
        if self.token != Token::Ident {
            return self.no_name("the name of a module after `ISA`");
        }
        let name = self.name_here();
        self.advance();
        // NuSMV does not accept a `;` here, but it is often written.
        self.eat(Token::Semi);
        Ok(Item::Isa(name))
    }

    /// One entry of a section.
    fn entry(&mut self, section: &mut Section, items: &mut Vec<Item>) -> Parsed<()> {
        if self.token == Token::Ident && matches!(self.text(), "PRED" | "MIRROR") {
            return self.abstraction(*section, items);
        }
        self.refuse_macro()?;
        if let Some(kind) = assigned(self.token) {
            return self.init_or_next(kind, section, items);
        }
        match *section {
            Section::Nothing => self.unexpected("a section such as `VAR` or `ASSIGN`"),
            Section::Unsupported => Err(Failed),
            Section::Assign => {
                let start = self.span.start;
                let target = self.variable()?;
                self.assignment(AssignKind::Current, target, start, items)
            }
            Section::Vars(_) | Section::Define => {
                let name = self.declared_name()?;
                self.named_entry(*section, name, items)
            }
        }
    }

    /// What follows the name in `VAR` and `DEFINE`.
    fn named_entry(&mut self, section: Section, name: Code, items: &mut Vec<Item>) -> Parsed<()> {
        if let Section::Vars(kind) = section {
            if self.token == Token::Becomes {
                let diagnostic =
                    Diagnostic::error("syntax", self.span, "expected `:` and a type, found `:=`");
                return self.fail(diagnostic.help("definitions follow `DEFINE`"));
            }
            self.expect(Token::Colon, "`:` and a type")?;
            let ty = self.type_expr()?;
            items.push(Item::Var { kind, name, ty });
            return self.expect_semi("type");
        }
        self.becomes()?;
        let body = self.expression(Context::Define)?;
        items.push(Item::Define { name, body });
        self.expect_semi("definition")
    }

    /// `init(x) := e` or `next(x) := e`
    fn init_or_next(
        &mut self,
        kind: AssignKind,
        section: &mut Section,
        items: &mut Vec<Item>,
    ) -> Parsed<()> {
        let (text, span) = (self.text(), self.span);
        self.advance();
        if self.token != Token::LParen {
            return self.fail(reserved_word(text, span));
        }
        if *section != Section::Assign {
            // What follows is likely to be more assignments, so one complaint is enough.
            let message = format!("expected a declaration, found `{text}`");
            let misplaced = Diagnostic::error("syntax", span, message);
            self.report(misplaced.help("assignments follow `ASSIGN`"));
            *section = Section::Assign;
        }
        self.advance();
        let target = self.variable()?;
        self.expect(Token::RParen, "`)` after the variable")?;
        self.assignment(kind, target, span.start, items)
    }

    /// What follows the left side of an assignment, which began at `start`.
    fn assignment(
        &mut self,
        kind: AssignKind,
        target: Code,
        start: u32,
        items: &mut Vec<Item>,
    ) -> Parsed<()> {
        let span = Span::new(start, self.prev_end);
        self.becomes()?;
        let value = self.expression(Context::Plain)?;
        items.push(Item::Assign { kind, target, value, span });
        self.expect_semi("assignment")
    }

    /// `:=`, or `=` with an error.
    fn becomes(&mut self) -> Parsed<()> {
        if self.token != Token::Eq {
            return self.expect(Token::Becomes, "`:=`");
        }
        let diagnostic = self.expected("`:=`").help("write `:=` to say what a name stands for");
        self.report(diagnostic);
        self.advance();
        Ok(())
    }

    /// A name that is being declared: `a.b[3]`.
    fn declared_name(&mut self) -> Parsed<Code> {
        if self.token != Token::Ident {
            return self.no_name("a name");
        }
        let code = self.variable()?;
        let nodes = self.program.code(code);
        let is_integer = |idx: usize| match nodes[idx - 1].op {
            Op::Unary(Unary::Neg) => matches!(nodes[idx - 2].op, Op::Int(_)),
            op => matches!(op, Op::Int(_)),
        };
        if (1..nodes.len()).all(|idx| nodes[idx].op != Op::Index || is_integer(idx)) {
            return Ok(code);
        }
        let span = self.program.span(code);
        let message = "the index in a declared name must be an integer";
        self.fail(Diagnostic::error("syntax", span, message))
    }

    /// An assigned variable, possibly a member: `self.a[i].b`.
    pub fn variable(&mut self) -> Parsed<Code> {
        let node_start = self.here();
        let start = self.span.start;
        let op = match self.token {
            Token::Ident => Op::Ident(self.intern_token()),
            Token::SelfRef => Op::SelfRef,
            _ => return self.no_name("the name of a variable"),
        };
        self.emit(op, self.span);
        self.advance();
        loop {
            let op = match self.token {
                Token::Dot => self.member_op()?,
                Token::LBracket => {
                    self.advance();
                    self.expression(Context::Plain)?;
                    self.expect(Token::RBracket, "`]` after the index")?;
                    Op::Index
                }
                _ => return Ok(self.code_from(node_start)),
            };
            self.emit(op, Span::new(start, self.prev_end));
        }
    }

    /// An entry whose name is the plain word that was just read.
    pub fn entry_named(
        &mut self,
        section: Section,
        word: Name,
        items: &mut Vec<Item>,
    ) -> Parsed<()> {
        let node_start = self.here();
        self.emit(Op::Ident(word.id), word.span);
        let name = self.code_from(node_start);
        match section {
            Section::Nothing => self.unexpected("a section such as `VAR` or `ASSIGN`"),
            Section::Vars(_) | Section::Define => self.named_entry(section, name, items),
            Section::Unsupported => Err(Failed),
            Section::Assign => self.assignment(AssignKind::Current, name, word.span.start, items),
        }
    }
}

/// The kind of assignment that a token begins.
fn assigned(token: Token) -> Option<AssignKind> {
    match token {
        Token::SmallInit => Some(AssignKind::Init),
        Token::Next => Some(AssignKind::Next),
        _ => None,
    }
}
