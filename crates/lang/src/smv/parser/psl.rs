//! Properties of PSL: a parser of its own, since PSL has other tokens and other precedences.
//!
//! It takes over after `PSLSPEC` and hands back at the `;`. Properties beyond LTL and CTL
//! (sequences, `forall`, ...) become one unsupported node.

use logos::{Lexer, Logos};
use trapline_source::{Diagnostic, Span};

use super::messages::quoted;
use super::psl_expression::PslFrame;
use super::tokens::bad_character;
use super::{Failed, MAX_ERRORS, Parsed, Parser};
use crate::smv::lexer::{PslToken, Token};
use crate::smv::syntax::{Code, Item, Op, Psl, Spec, SpecKind};
use crate::yard::Yard;

/// Why a property was not read to its end.
pub enum Stop {
    /// An error was reported.
    Failed,
    /// It is beyond what we have.
    Unsupported,
}

impl From<Failed> for Stop {
    fn from(_: Failed) -> Stop {
        Stop::Failed
    }
}

/// The parser while it reads PSL.
pub struct PslParser<'p, 's, 'd> {
    pub outer: &'p mut Parser<'s, 'd>,
    pub stream: Stream<'s>,
    pub yard: Yard<PslFrame, Op>,
}

/// Where it is in the text.
#[derive(Clone)]
pub struct Stream<'s> {
    lexer: Lexer<'s, PslToken>,
    pub token: PslToken,
    pub span: Span,
    pub prev_end: u32,
}

impl Parser<'_, '_> {
    /// A property behind `PSLSPEC`, which is the current token.
    pub fn psl_spec(&mut self) -> Parsed<Item> {
        let mut psl = PslParser::new(self);
        psl.advance();
        let spec = psl.spec();
        match spec {
            Ok(_) => psl.hand_back(psl.stream.span.end),
            Err(Failed) => {
                psl.skip();
                psl.hand_back(psl.stream.span.start);
            }
        }
        spec
    }

    /// A property that is the whole text.
    pub fn whole_psl(&mut self) -> Parsed<Code> {
        let mut psl = PslParser::new(self);
        psl.advance();
        let code = psl.property()?;
        match psl.stream.token {
            PslToken::Eof => Ok(code),
            _ => psl.unexpected("an operator or the end of the property"),
        }
    }
}

impl<'p, 's, 'd> PslParser<'p, 's, 'd> {
    fn new(outer: &'p mut Parser<'s, 'd>) -> PslParser<'p, 's, 'd> {
        let lexer = outer.lexer.clone().morph();
        let (span, prev_end) = (outer.span, outer.prev_end);
        let stream = Stream { lexer, token: PslToken::Eof, span, prev_end };
        PslParser { outer, stream, yard: Yard::default() }
    }

    /// `NAME n := property IN instance ;`
    fn spec(&mut self) -> Parsed<Item> {
        let name = if self.eat(PslToken::Name) {
            let name = self.path()?;
            self.expect(PslToken::Becomes, "`:=` after the name of the property")?;
            Some(name)
        } else {
            None
        };
        let start = self.stream.span.start;
        let body = self.property()?;
        let context = if self.eat(PslToken::InContext) { Some(self.path()?) } else { None };
        let span = Span::new(start, self.stream.prev_end);
        if self.stream.token != PslToken::Semi {
            return self.unexpected("`;` after the property");
        }
        Ok(Item::Spec(Spec { kind: SpecKind::Psl, name, body, second: None, context, span }))
    }

    /// A property, or one node that represents an unsupported one.
    fn property(&mut self) -> Parsed<Code> {
        let before = self.stream.clone();
        let node_start = self.outer.here();
        match self.expression(node_start) {
            Ok(code) => Ok(code),
            Err(Stop::Failed) => Err(Failed),
            Err(Stop::Unsupported) => {
                self.outer.program.nodes.truncate(node_start as usize);
                self.stream = before;
                let start = self.stream.span.start;
                self.skip();
                let span = Span::new(start, self.stream.prev_end);
                self.outer.emit(Op::Psl(Psl::Unsupported), span);
                Ok(self.outer.code_from(node_start))
            }
        }
    }

    /// `a.b[3]`
    fn path(&mut self) -> Parsed<Code> {
        let node_start = self.outer.here();
        let start = self.stream.span.start;
        if self.stream.token != PslToken::Ident {
            return self.unexpected("a name");
        }
        let id = self.intern_token();
        self.outer.emit(Op::Ident(id), self.stream.span);
        self.advance();
        loop {
            let op = match self.stream.token {
                PslToken::Dot => self.member_op()?,
                PslToken::LBracket => self.number_in_brackets()?,
                _ => return Ok(self.outer.code_from(node_start)),
            };
            self.outer.emit(op, Span::new(start, self.stream.prev_end));
        }
    }

    fn number_in_brackets(&mut self) -> Parsed<Op> {
        self.advance();
        if self.stream.token != PslToken::Number {
            return self.unexpected("an integer");
        }
        let op = self.integer();
        self.outer.emit(op, self.stream.span);
        self.advance();
        self.expect(PslToken::RBracket, "`]` after the index")?;
        Ok(Op::Index)
    }

    /// Skips to the `;` that ends the property, or to the next section.
    fn skip(&mut self) {
        let was_skipping = std::mem::replace(&mut self.outer.skipping, true);
        let mut depth = 0_usize;
        loop {
            match self.stream.token {
                PslToken::Eof | PslToken::Section => break,
                PslToken::Semi if depth == 0 => break,
                // Sequences and cases contain semicolons.
                PslToken::LBrace | PslToken::Case => depth += 1,
                PslToken::RBrace | PslToken::Esac => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
        self.outer.skipping = was_skipping;
    }

    /// Lets the SMV parser resume at a position.
    fn hand_back(&mut self, position: u32) {
        let source = self.stream.lexer.source();
        let remarks = std::mem::take(&mut self.stream.lexer.extras);
        self.outer.lexer = Token::lexer_with_extras(source, remarks);
        let is_over = self.outer.n_errors >= MAX_ERRORS;
        let length = if is_over { source.len() } else { (position - self.outer.base) as usize };
        self.outer.lexer.bump(length);
        self.outer.span = self.stream.span;
        self.outer.span.end = position;
        self.outer.advance();
    }

    /// Goes to the next token.
    pub fn advance(&mut self) {
        self.stream.prev_end = self.stream.span.end;
        let mut is_behind_bad = false;
        loop {
            let next = self.stream.lexer.next();
            let span = self.outer.global(self.stream.lexer.span());
            match next {
                Some(Ok(token)) => {
                    self.stream.token = token;
                    self.stream.span = span;
                    break;
                }
                Some(Err(())) => {
                    is_behind_bad = true;
                    let diagnostic = bad_character(self.stream.lexer.slice(), span);
                    self.outer.report(diagnostic);
                }
                None => {
                    self.stream.token = PslToken::Eof;
                    self.stream.span = Span::new(self.stream.prev_end, self.stream.prev_end);
                    break;
                }
            }
        }
        if is_behind_bad {
            self.outer.behind_bad = Some(self.stream.span.start);
        }
        if !self.stream.lexer.extras.mistakes.is_empty() {
            self.outer.lexer.extras.mistakes.append(&mut self.stream.lexer.extras.mistakes);
            self.outer.report_mistakes();
        }
    }

    /// The text of the current token.
    pub fn text(&self) -> &'s str {
        if self.stream.token == PslToken::Eof { "" } else { self.stream.lexer.slice() }
    }

    /// Goes on if the current token is this one.
    pub fn eat(&mut self, token: PslToken) -> bool {
        let found = self.stream.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// Goes on if the current token is this one, and fails if not.
    pub fn expect(&mut self, token: PslToken, what: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { self.unexpected(what) }
    }

    /// Fails because of an unexpected token instead of `what`.
    pub fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match self.stream.token {
            PslToken::Eof => "the end of the text".to_string(),
            _ => quoted(self.text()),
        };
        let message = format!("expected {what}, found {found}");
        self.outer.fail(Diagnostic::error("syntax", self.stream.span, message))
    }
}
