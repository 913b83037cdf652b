//! The parser of SAL: text in, a [`Context`] out, whatever the text.
//!
//! Expressions and types go through an operator stack (see [`crate::yard`]); a declaration is loops.
//! Only modules and definitions within each other call themselves, up to [`MAX_NESTING`]. After an error
//! the parser goes on with the next definition, command, section or declaration, so that one run
//! reports several independent errors.

mod base;
mod brackets;
mod commands;
mod declarations;
mod definitions;
mod expression;
mod frames;
mod lists;
mod messages;
mod modules;
mod operators;
mod recovery;
mod scan;
mod spelling;
mod tokens;
mod types;

#[cfg(test)]
mod tests;

use trapline_source::{Diagnostics, SourceFile, Span};

use self::expression::{Goal, Work};
use super::syntax::{Context, ModuleId, Name, Names, NodeId};
use super::token::Token;

/// After this many errors in one text the rest of it is not read.
const MAX_ERRORS: usize = 50;

/// How deep modules, and definitions, may be nested.
const MAX_NESTING: usize = 100;

/// An error was reported; the caller has to recover.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads a context. Of a text with errors the context holds what was understood; there is none if not
/// even its name was.
pub fn parse(
    file: &SourceFile,
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) -> Option<Context> {
    let nobody = Name { id: names.intern(""), span: Span::new(file.base, file.base) };
    let mut context = Context {
        name: nobody,
        params: Vec::new(),
        decls: Vec::new(),
        nodes: Vec::new(),
        operands: Vec::new(),
        modules: Vec::new(),
        span: file.span(),
    };
    // A guess that spares the long vectors from being copied as they grow.
    context.nodes.reserve(file.text.len() / 8);
    context.operands.reserve(file.text.len() / 8);
    Parser::new(file, &mut context, names, diagnostics).context();
    (context.name != nobody).then_some(context)
}

/// Reads a text that is one expression, into a context.
pub fn expression(
    file: &SourceFile,
    context: &mut Context,
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) -> Option<NodeId> {
    let mut parser = Parser::new(file, context, names, diagnostics);
    let node = parser.expression(Goal::Value).ok()?;
    parser.end("an operator or the end of the expression").ok()?;
    (parser.n_errors == 0).then_some(node)
}

/// Reads a text that is one module, into a context.
pub fn module(
    file: &SourceFile,
    context: &mut Context,
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) -> Option<ModuleId> {
    let mut parser = Parser::new(file, context, names, diagnostics);
    let module = match parser.is_at_pair() {
        true => parser.pair(),
        false => parser.module(),
    };
    let module = module.ok()?;
    parser.end("`||`, `[]` or the end of the module").ok()?;
    (parser.n_errors == 0).then_some(module)
}

struct Parser<'a> {
    text: &'a str,
    /// The global position of the first byte.
    base: u32,
    /// The tokens, with the end last.
    tokens: Vec<(Token, Span)>,
    /// The index of the current token.
    place: usize,
    context: &'a mut Context,
    names: &'a mut Names,
    diagnostics: &'a mut Diagnostics,
    /// The expression that is being read.
    work: Work,
    /// How many modules and definitions are open around what is being read.
    nesting: usize,
    n_errors: usize,
    /// The tokens behind what is no token, in order: if one of these is wrong, that may be why.
    behind_bad: Vec<usize>,
    /// Where the parser failed last.
    failed_at: Option<usize>,
}

impl<'a> Parser<'a> {
    fn new(
        file: &'a SourceFile,
        context: &'a mut Context,
        names: &'a mut Names,
        diagnostics: &'a mut Diagnostics,
    ) -> Parser<'a> {
        let mut parser = Parser {
            text: &file.text,
            base: file.base,
            tokens: Vec::with_capacity(file.text.len() / 4 + 1),
            place: 0,
            context,
            names,
            diagnostics,
            work: Work::default(),
            nesting: 0,
            n_errors: 0,
            behind_bad: Vec::new(),
            failed_at: None,
        };
        parser.scan();
        parser
    }

    /// Nothing may follow.
    fn end(&mut self, what: &str) -> Parsed<()> {
        match self.token() {
            Token::End => Ok(()),
            _ => self.unexpected_behind(what),
        }
    }

    /// Runs something that is one level deeper.
    fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return self.too_deep("modules and definitions are", MAX_NESTING);
        }
        self.nesting += 1;
        let result = run(self);
        self.nesting -= 1;
        result
    }
}
