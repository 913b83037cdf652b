//! The tokens of SMV, and those of PSL, which reads the same letters differently.
//!
//! The parser pulls one token at a time; white space and comments never reach it. What a comment
//! has to say (a pragma, or that it is not a proper comment) is kept in [`Remarks`].

mod psl;
mod token;

use std::ops::Range;

use logos::{Lexer, Logos};

pub use psl::PslToken;
pub use token::Token;

/// What was found in comments since the parser last asked.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Comments that begin with `@`, without their dashes.
    pub pragmas: Vec<Range<usize>>,
    /// What follows `@req` at the start of a comment line.
    pub requirements: Vec<Range<usize>>,
    /// Lines for a preprocessor, such as `#include "a.smv"`.
    pub directives: Vec<Range<usize>>,
    /// Comments that are not right.
    pub mistakes: Vec<(Mistake, Range<usize>)>,
}

/// What is wrong with a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// `// text`
    SlashComment,
    /// `/-- text` up to the end of the file.
    Unterminated,
}

/// Skips `-- text` up to the end of the line.
fn line_comment<'s, T: Logos<'s, Source = str, Extras = Remarks>>(lexer: &mut Lexer<'s, T>) {
    let start = lexer.span().end;
    let length = skip_line(lexer);
    let text = &lexer.source()[start..start + length];
    if text.trim_start().starts_with('@') {
        lexer.extras.pragmas.push(start..start + length);
    }
    note_requirements(lexer, start..start + length);
}

/// Skips a line for a preprocessor, with those that a `\\` at its end adds.
fn directive<'s, T: Logos<'s, Source = str, Extras = Remarks>>(lexer: &mut Lexer<'s, T>) {
    let start = lexer.span().start;
    loop {
        skip_line(lexer);
        let is_continued = lexer.slice().trim_end_matches('\r').ends_with('\\');
        if !is_continued || lexer.remainder().is_empty() {
            break;
        }
        lexer.bump(1);
    }
    lexer.extras.directives.push(start..lexer.span().end);
}

/// Skips `// text`, which NuSMV does not know.
fn slash_comment<'s, T: Logos<'s, Source = str, Extras = Remarks>>(lexer: &mut Lexer<'s, T>) {
    let span = lexer.span();
    skip_line(lexer);
    lexer.extras.mistakes.push((Mistake::SlashComment, span));
}

/// Skips `/-- text --/`.
fn block_comment<'s, T: Logos<'s, Source = str, Extras = Remarks>>(lexer: &mut Lexer<'s, T>) {
    let span = lexer.span();
    match lexer.remainder().find("--/") {
        Some(length) => {
            lexer.bump(length + 3);
            note_requirements(lexer, span.end..span.end + length);
        }
        None => {
            lexer.bump(lexer.remainder().len());
            lexer.extras.mistakes.push((Mistake::Unterminated, span));
        }
    }
}

fn skip_line<'s, T: Logos<'s, Source = str>>(lexer: &mut Lexer<'s, T>) -> usize {
    let rest = lexer.remainder();
    let length = rest.bytes().position(|b| b == b'\n').unwrap_or(rest.len());
    lexer.bump(length);
    length
}

/// Keeps the lines of a comment that speak of requirements.
fn note_requirements<'s, T>(lexer: &mut Lexer<'s, T>, comment: Range<usize>)
where
    T: Logos<'s, Source = str, Extras = Remarks>,
{
    let mut start = comment.start;
    for line in lexer.source()[comment].split_inclusive('\n') {
        let end = start + line.len();
        // Comments are often framed: `--- @req`, ` * @req`.
        let text = line.trim_start_matches([' ', '\t', '-', '*']);
        let rest = text.strip_prefix("@req");
        let ends = |rest: &&str| rest.chars().next().is_none_or(|c| c == ':' || c.is_whitespace());
        if let Some(rest) = rest.filter(ends) {
            lexer.extras.requirements.push(end - rest.len()..end);
        }
        start = end;
    }
}
