//! The outline of a text: where its modules, sections, entries and branches begin and end.
//!
//! Requirement comments refer to these, and the syntax tree has no spans for most of them. So this
//! scans the tokens once more, for keywords, `case`, `esac` and `;` only.

use std::ops::Range;

use logos::Logos;

use super::lexer::{Remarks, Token};

/// The outline of a text. Positions are byte offsets.
#[derive(Debug, Default)]
pub struct Outline {
    /// The parts in the order in which they begin, outer ones first.
    pub parts: Vec<Range<usize>>,
    /// The tokens.
    pub tokens: Vec<Range<usize>>,
    /// What follows each `@req`, with the number of tokens before it.
    pub requirements: Vec<(Range<usize>, usize)>,
}

/// What is open, from the outside in. A part is an index into [`Outline::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Module(usize),
    /// A section, or a declaration that has a keyword to itself.
    Section(usize),
    /// One declaration, definition or assignment of a section.
    Entry(usize),
    Case(usize),
    Branch(usize),
}

/// Reads the outline.
pub fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut open: Vec<Open> = Vec::new();
    let mut lexer = Token::lexer_with_extras(text, Remarks::default());
    while let Some(token) = lexer.next() {
        outline.take_requirements(&mut lexer.extras);
        // What is no token is part of whatever is open.
        outline.take(token.unwrap_or(Token::Eof), lexer.span(), &mut open);
        outline.tokens.push(lexer.span());
    }
    outline.take_requirements(&mut lexer.extras);
    outline.close(&mut open, |_| true);
    outline
}

impl Outline {
    fn take_requirements(&mut self, remarks: &mut Remarks) {
        let n_tokens = self.tokens.len();
        let found = std::mem::take(&mut remarks.requirements);
        self.requirements.extend(found.into_iter().map(|range| (range, n_tokens)));
    }

    /// Opens and closes parts at a token.
    fn take(&mut self, token: Token, span: Range<usize>, open: &mut Vec<Open>) {
        if token.is_section() {
            let is_module = token == Token::Module;
            self.close(open, |part| is_module || !matches!(part, Open::Module(_)));
            let part = self.begin(&span);
            open.push(if is_module { Open::Module(part) } else { Open::Section(part) });
            return;
        }
        let is_case = |part: &Open| matches!(part, Open::Case(_));
        if token == Token::Esac && open.iter().rev().any(is_case) {
            self.close(open, |part| !is_case(&part));
            if let Some(Open::Case(part)) = open.pop() {
                self.parts[part].end = span.end;
            }
            return;
        }
        // Behind a section's keyword, behind `case`, or behind a `;`, something begins.
        match open.last() {
            Some(Open::Section(_)) => {
                let part = self.begin(&span);
                open.push(Open::Entry(part));
            }
            Some(Open::Case(_)) => {
                let part = self.begin(&span);
                open.push(Open::Branch(part));
            }
            _ => {}
        }
        match (token, open.last().copied()) {
            (Token::Case, _) => {
                let part = self.begin(&span);
                open.push(Open::Case(part));
            }
            (Token::Semi, Some(Open::Entry(part) | Open::Branch(part))) => {
                self.parts[part].end = span.end;
                open.pop();
            }
            _ => {}
        }
    }

    fn begin(&mut self, token: &Range<usize>) -> usize {
        self.parts.push(token.clone());
        self.parts.len() - 1
    }

    /// Closes inner parts while they are meant, at the last token.
    fn close(&mut self, open: &mut Vec<Open>, is_meant: impl Fn(Open) -> bool) {
        let end = self.tokens.last().map_or(0, |token| token.end);
        while let Some(last) = open.pop_if(|last| is_meant(*last)) {
            let (Open::Module(part)
            | Open::Section(part)
            | Open::Entry(part)
            | Open::Case(part)
            | Open::Branch(part)) = last;
            self.parts[part].end = end;
        }
    }
}
