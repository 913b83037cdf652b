//! Where the parser goes on after an error.
//!
//! All tokens are at hand, so that the parser can count the brackets that were open where it failed
//! instead of keeping track of them.

use super::Parser;
use crate::sal::token::Token;

impl Parser<'_> {
    /// Does a declaration begin here that can't be anything else?
    pub fn is_at_declaration(&self) -> bool {
        let is_kind = |token: Token| {
            token.is_claim() || matches!(token, Token::Type | Token::Module | Token::Context)
        };
        self.token() == Token::Name && self.peek(1) == Token::Colon && is_kind(self.peek(2))
    }

    /// Is the section of a module over?
    pub fn is_section_over(&self) -> bool {
        let token = self.token();
        let is_end = matches!(token, Token::EndWord | Token::End | Token::Begin);
        is_end || token.is_section() || self.is_at_declaration()
    }

    /// How many of these brackets were opened and not closed, from a token up to here.
    fn n_open(&self, from: usize, open: &[Token], close: &[Token]) -> usize {
        self.tokens[from..self.place].iter().fold(0, |n_open: usize, (token, _)| {
            if open.contains(token) {
                n_open + 1
            } else {
                n_open.saturating_sub(usize::from(close.contains(token)))
            }
        })
    }

    /// Goes behind the end of a declaration that began at a token, or to the next one.
    pub fn recover_declaration(&mut self, from: usize) {
        let blocks = [Token::Begin, Token::Datatype];
        let mut n_blocks = self.n_open(from, &blocks, &[Token::EndWord]);
        loop {
            match self.token() {
                Token::End => return,
                Token::EndWord if n_blocks == 0 && self.place > from => return,
                Token::EndWord => n_blocks = n_blocks.saturating_sub(1),
                Token::Semi if n_blocks == 0 => return self.advance(),
                token if blocks.contains(&token) => n_blocks += 1,
                Token::Name | Token::Importing if self.place > from => {
                    let is_import = self.token() == Token::Importing;
                    if is_import || self.is_at_declaration() {
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Goes to the next section of a module, or to its end.
    pub fn recover_section(&mut self) {
        while !self.is_section_over() {
            self.advance();
        }
    }

    /// Goes behind the `;` of a definition that began at a token, or to the end of its section.
    pub fn recover_definition(&mut self, from: usize) {
        // What looked like an index was a list of commands.
        let mut n_lists = match self.token() {
            Token::LongArrow => self.n_open(from, &[Token::LBracket], &[Token::RBracket]),
            _ => 0,
        };
        while !self.is_section_over() {
            match self.token() {
                Token::Semi if n_lists == 0 => return self.advance(),
                Token::LBracket if n_lists > 0 => n_lists += 1,
                Token::RBracket => n_lists = n_lists.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Goes behind the `;` of a definition in a command, which began at a token, or to the end of the
    /// command.
    pub fn recover_in_command(&mut self, from: usize) {
        self.skip_command(from, true);
    }

    /// Goes to the end of a command that began at a token.
    pub fn recover_command(&mut self, from: usize) {
        self.skip_command(from, false);
    }

    fn skip_command(&mut self, from: usize, stops_at_semi: bool) {
        let mut n_squares = self.n_open(from, &[Token::LBracket], &[Token::RBracket]);
        let mut n_parens = self.n_open(from, &[Token::LParen], &[Token::RParen]);
        while !self.is_section_over() {
            match self.token() {
                Token::Async if self.peek_back() != Token::LParen => return,
                Token::Semi if stops_at_semi => return self.advance(),
                Token::LBracket => n_squares += 1,
                Token::RBracket if n_squares == 0 => return,
                Token::RBracket => n_squares -= 1,
                Token::LParen => n_parens += 1,
                Token::RParen if stops_at_semi && n_parens == 0 => return,
                Token::RParen => n_parens = n_parens.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// The token before the current one.
    fn peek_back(&self) -> Token {
        self.place.checked_sub(1).map_or(Token::End, |before| self.tokens[before].0)
    }
}
