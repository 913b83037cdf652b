//! The parser: text in, a [`Program`] out, whatever the text.
//!
//! It reads one token at a time and never calls itself: expressions go through an operator stack
//! (see [`crate::yard`]), everything else is loops. After an error it skips to the next `;` or the next
//! section keyword and goes on, so that one run reports several independent errors; what was
//! skipped is never the cause of a second error.

mod directives;
mod expression;
mod hints;
mod items;
mod literals;
mod messages;
mod names;
mod operators;
mod psl;
mod psl_expression;
mod psl_operators;
mod specs;
mod temporal;
mod tokens;
mod types;

#[cfg(test)]
mod tests;

use logos::Logos;
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

pub use self::directives::{Include, no_include};
use self::expression::Frame;
use self::names::Interner;
use super::lexer::{Remarks, Token};
use super::syntax::{Code, Node, Op, Program};
use crate::yard::Yard;

/// After this many errors in one text the rest of it is not read.
const MAX_ERRORS: usize = 50;

/// An error was reported; the caller has to recover.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// What a text outside a model is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// An expression of SMV, temporal operators included.
    Smv,
    /// A property of PSL.
    Psl,
}

/// Parses a model that is one text.
pub fn parse(file: &SourceFile, diagnostics: &mut Diagnostics) -> Program {
    let mut merged = Merged::default();
    merged.add_modules(file, diagnostics);
    merged.program
}

/// What several texts say, as one tree.
#[derive(Debug, Default)]
pub struct Merged {
    /// The tree.
    pub program: Program,
    interner: Interner,
}

impl Merged {
    /// Adds the modules of a text, and gives the files that it includes.
    pub fn add_modules(
        &mut self,
        file: &SourceFile,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Include> {
        self.parse(file, diagnostics, |parser| {
            parser.advance();
            parser.modules();
            std::mem::take(&mut parser.includes)
        })
    }

    /// Adds a text that is one expression; nothing is given when it is not right.
    pub fn add_expression(
        &mut self,
        file: &SourceFile,
        grammar: Grammar,
        diagnostics: &mut Diagnostics,
    ) -> Option<Code> {
        self.parse(file, diagnostics, |parser| {
            let code = match grammar {
                Grammar::Smv => {
                    parser.advance();
                    parser.refuse_includes();
                    parser.whole_expression()
                }
                Grammar::Psl => parser.whole_psl(),
            };
            code.ok().filter(|_| parser.n_errors == 0)
        })
    }

    fn parse<T>(
        &mut self,
        file: &SourceFile,
        diagnostics: &mut Diagnostics,
        run: impl FnOnce(&mut Parser<'_, '_>) -> T,
    ) -> T {
        let mut parser = Parser::new(file, std::mem::take(self), diagnostics);
        let result = run(&mut parser);
        *self = Merged { program: parser.program, interner: parser.interner };
        result
    }
}

struct Parser<'s, 'd> {
    lexer: logos::Lexer<'s, Token>,
    /// The global position of the first byte.
    base: u32,
    /// The current token. The lexer is right after it.
    token: Token,
    /// Its span.
    span: Span,
    /// Where the token before it ends.
    prev_end: u32,
    program: Program,
    interner: Interner,
    yard: Yard<Frame, Op>,
    diagnostics: &'d mut Diagnostics,
    n_errors: usize,
    /// True between an error and the point where parsing resumes.
    skipping: bool,
    /// The start of the token right after characters that were already reported.
    behind_bad: Option<u32>,
    /// The files that the text includes.
    includes: Vec<Include>,
}

impl<'s, 'd> Parser<'s, 'd> {
    fn new(
        file: &'s SourceFile,
        merged: Merged,
        diagnostics: &'d mut Diagnostics,
    ) -> Parser<'s, 'd> {
        let start = Span::new(file.base, file.base);
        let Merged { mut program, interner } = merged;
        // A guess that spares the long vector from being copied as it grows.
        program.nodes.reserve(file.text.len() / 8);
        Parser {
            lexer: Token::lexer_with_extras(&file.text, Remarks::default()),
            base: file.base,
            token: Token::Eof,
            span: start,
            prev_end: file.base,
            program,
            interner,
            yard: Yard::default(),
            diagnostics,
            n_errors: 0,
            skipping: false,
            behind_bad: None,
            includes: Vec::new(),
        }
    }

    /// The index of the next node.
    fn here(&self) -> u32 {
        self.program.nodes.len() as u32
    }

    /// The expression that began at node `start` and ends here.
    fn code_from(&self, start: u32) -> Code {
        Code { start, end: self.here() }
    }

    fn emit(&mut self, op: Op, span: Span) {
        self.program.nodes.push(Node { op, span });
    }

    /// Reports an error, unless it is in a skipped stretch or there are too many.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.skipping || self.n_errors >= MAX_ERRORS {
            return;
        }
        self.diagnostics.push(diagnostic);
        self.n_errors += 1;
        if self.n_errors == MAX_ERRORS {
            self.lexer.bump(self.lexer.remainder().len());
            self.token = Token::Eof;
        }
    }

    /// Reports an error that ends the current construct.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        // Characters that were dropped are reason enough for something to be missing here.
        if self.behind_bad != Some(diagnostic.labels[0].span.start) {
            self.report(diagnostic);
        }
        Err(Failed)
    }

    /// Skips to behind the `;` that ends what is being parsed, or to the next section.
    fn recover(&mut self) {
        self.skipping = true;
        let mut n_cases = self.yard.frames().filter(|frame| frame.is_case()).count();
        self.yard.clear();
        loop {
            match self.token {
                Token::Eof => break,
                token if token.is_section() => break,
                Token::Semi if n_cases == 0 => {
                    self.skipping = false;
                    break self.advance();
                }
                Token::Case => n_cases += 1,
                Token::Esac => n_cases = n_cases.saturating_sub(1),
                // No expression contains `:=`, so the `esac` must have been forgotten.
                Token::Becomes => n_cases = 0,
                _ => {}
            }
            self.advance();
        }
        self.skipping = false;
    }
}
