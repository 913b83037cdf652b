//! From text to tokens: all at once, so that the parser can look ahead and, after an error, back.

use std::ops::Range;

use logos::Logos;
use trapline_source::{Diagnostic, Span};

use super::Parser;
use crate::sal::token::{Token, keyword};

impl Parser<'_> {
    /// Reads all tokens.
    pub fn scan(&mut self) {
        let mut bad: Option<Range<usize>> = None;
        for (token, range) in Token::lexer(self.text).spanned() {
            let token = match token {
                Ok(Token::Name) => keyword(&self.text[range.clone()]).unwrap_or(Token::Name),
                Ok(token) => token,
                Err(()) => match &mut bad {
                    Some(bad) if bad.end == range.start => {
                        bad.end = range.end;
                        continue;
                    }
                    _ => {
                        self.bad_characters(bad.replace(range));
                        continue;
                    }
                },
            };
            self.bad_characters(bad.take());
            if token == Token::OpenText {
                self.bad_characters(Some(range));
                continue;
            }
            let span = self.global(range);
            self.tokens.push((token, span));
        }
        self.bad_characters(bad);
        let end = self.tokens.last().map_or(self.base, |(_, span)| span.end);
        self.tokens.push((Token::End, Span::new(end, end)));
    }

    fn global(&self, range: Range<usize>) -> Span {
        Span::new(self.base + range.start as u32, self.base + range.end as u32)
    }

    /// Reports characters that are no token, and leaves them out.
    fn bad_characters(&mut self, range: Option<Range<usize>>) {
        let Some(range) = range else { return };
        let span = self.global(range.clone());
        let diagnostic = bad_character(&self.text[range], span);
        self.behind_bad.push(self.tokens.len());
        self.report(diagnostic);
    }
}

/// What to say about characters that are no token.
fn bad_character(text: &str, span: Span) -> Diagnostic {
    let shown: String = text.chars().take(20).collect();
    let message = match text.chars().next() {
        Some('"') => "this text is not closed on its line".to_string(),
        Some(c) if c.is_control() || c.is_whitespace() => {
            format!("unknown character U+{:04X}", c as u32)
        }
        _ if text.chars().nth(1).is_none() => format!("unknown character `{shown}`"),
        _ => format!("unknown characters `{shown}`"),
    };
    let diagnostic = Diagnostic::error("bad-character", span, message);
    match text {
        "∧" => diagnostic.help("to join two conditions write `AND`"),
        "∨" => diagnostic.help("to join two conditions write `OR`"),
        "¬" => diagnostic.help("to negate a condition write `NOT`"),
        "≠" => diagnostic.help("to ask whether two values differ write `/=`"),
        "⇒" | "→" => diagnostic.help("implication is written `=>`"),
        "’" | "′" => {
            diagnostic.help("the next value is written with a plain quote, as in `x'`")
        }
        "#" => diagnostic.help("a record is written `(# f := e #)`, its type `[# f: T #]`"),
        _ => diagnostic,
    }
}
