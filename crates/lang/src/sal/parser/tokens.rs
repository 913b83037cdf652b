//! Stepping through the tokens.

use trapline_source::Span;

use super::{Parsed, Parser};
use crate::sal::syntax::Name;
use crate::sal::token::Token;

impl<'a> Parser<'a> {
    /// The current token.
    #[inline]
    pub fn token(&self) -> Token {
        self.tokens[self.place].0
    }

    /// Where it stands.
    #[inline]
    pub fn span(&self) -> Span {
        self.tokens[self.place].1
    }

    /// The token that follows after so many others.
    pub fn peek(&self, n_tokens: usize) -> Token {
        self.tokens.get(self.place + n_tokens).map_or(Token::End, |(token, _)| *token)
    }

    /// The text of the token at an index.
    pub fn text_at(&self, place: usize) -> &'a str {
        let span = self.tokens[place].1;
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// The text of the current token.
    pub fn token_text(&self) -> &'a str {
        self.text_at(self.place)
    }

    /// Goes to the next token.
    #[inline]
    pub fn advance(&mut self) {
        self.place = (self.place + 1).min(self.tokens.len() - 1);
    }

    /// Goes on if the current token is this one.
    pub fn eat(&mut self, token: Token) -> bool {
        let is_it = self.token() == token;
        if is_it {
            self.advance();
        }
        is_it
    }

    /// Expects this token and goes on; `what` is the expectation in messages.
    pub fn expect(&mut self, token: Token, what: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { self.unexpected(what) }
    }

    /// Where the token before the current one ends.
    #[inline]
    pub fn prev_end(&self) -> u32 {
        self.place.checked_sub(1).map_or(self.base, |before| self.tokens[before].1.end)
    }

    /// The stretch from a position to the end of what was read last.
    pub fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.prev_end().max(start))
    }

    /// Does the next token follow without white space?
    pub fn is_next_adjacent(&self) -> bool {
        let next = self.tokens.get(self.place + 1);
        next.is_some_and(|(_, span)| span.start == self.span().end)
    }

    /// Takes the current token as a name.
    pub fn take_name(&mut self) -> Name {
        let name = Name { id: self.names.intern(self.token_text()), span: self.span() };
        self.advance();
        name
    }

    /// A name; `what` is the expectation in messages.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.token() {
            Token::Name => Ok(self.take_name()),
            token if token.is_word() => self.reserved_word(),
            _ => self.unexpected(what),
        }
    }
}
