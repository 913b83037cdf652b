//! Stepping through the tokens, and what goes wrong below the grammar.

use trapline_source::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::smv::lexer::{Mistake, Token};

impl<'s> Parser<'s, '_> {
    /// Goes to the next token.
    #[inline]
    pub fn advance(&mut self) {
        self.prev_end = self.span.end;
        match self.lexer.next() {
            Some(Ok(token)) => {
                self.token = token;
                let range = self.lexer.span();
                self.span = self.global(range);
            }
            Some(Err(())) => self.bad_characters(),
            None => self.end_of_text(),
        }
        if !self.lexer.extras.mistakes.is_empty() {
            self.report_mistakes();
        }
        if !self.lexer.extras.directives.is_empty() {
            self.directives();
        }
    }

    /// The text of the current token.
    pub fn text(&self) -> &'s str {
        if self.token == Token::Eof { "" } else { self.lexer.slice() }
    }

    /// Goes on if the current token is this one.
    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// Expects this token and advances; `what` is the expectation in messages.
    pub fn expect(&mut self, token: Token, what: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { self.unexpected(what) }
    }

    /// The span of a range of bytes of this text.
    pub fn global(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.base + range.start as u32, self.base + range.end as u32)
    }

    pub fn end_of_text(&mut self) {
        self.token = Token::Eof;
        self.span = Span::new(self.prev_end, self.prev_end);
    }

    /// Reports characters that begin no token, and takes the first token behind them.
    fn bad_characters(&mut self) {
        let mut bad = self.lexer.span();
        loop {
            let next = self.lexer.next();
            let range = self.lexer.span();
            let is_adjacent = range.start == bad.end;
            match next {
                Some(Err(())) if is_adjacent => bad.end = range.end,
                Some(Err(())) => {
                    self.report_bad(bad);
                    bad = range;
                }
                Some(Ok(token)) => {
                    self.token = token;
                    self.span = self.global(range);
                    break;
                }
                None => break self.end_of_text(),
            }
        }
        self.behind_bad = Some(self.span.start);
        self.report_bad(bad);
    }

    fn report_bad(&mut self, range: std::ops::Range<usize>) {
        let text: String = self.lexer.source()[range.clone()].chars().take(20).collect();
        let span = self.global(range);
        self.report(bad_character(&text, span));
    }

    pub fn report_mistakes(&mut self) {
        for (mistake, range) in std::mem::take(&mut self.lexer.extras.mistakes) {
            let span = self.global(range);
            match mistake {
                Mistake::SlashComment => self.report(
                    Diagnostic::error("syntax", span, "a comment begins with `--`, not with `//`")
                        .help("write `--`"),
                ),
                Mistake::Unterminated => {
                    // It swallows the rest of the text, so it matters even in a skipped stretch,
                    // and it is the reason for anything that is missing after it.
                    self.skipping = false;
                    self.report(
                        Diagnostic::error(
                            "unterminated-comment",
                            span,
                            "this comment is never closed",
                        )
                        .help("close it with `--/`"),
                    );
                    self.skipping = true;
                }
            }
        }
    }
}

/// What to say about characters that begin no token.
pub fn bad_character(text: &str, span: Span) -> Diagnostic {
    let message = match text.chars().next() {
        Some('"') => "this quoted name is not closed on its line".to_string(),
        Some(c) if c.is_control() || c.is_whitespace() => {
            format!("unknown character U+{:04X}", c as u32)
        }
        _ if text.chars().nth(1).is_none() => format!("unknown character `{text}`"),
        _ => format!("unknown characters `{text}`"),
    };
    let diagnostic = Diagnostic::error("bad-character", span, message);
    match text {
        "~" | "¬" => diagnostic.help("to negate a value write `!`"),
        "%" => diagnostic.help("the remainder of a division is `mod`"),
        "`" => diagnostic.help("if these are macros of m4, run m4 first and pass its output"),
        "∧" => diagnostic.help("to join two conditions write `&`"),
        "∨" => diagnostic.help("to join two conditions write `|`"),
        _ => diagnostic,
    }
}
