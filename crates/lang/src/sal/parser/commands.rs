//! Lists of guarded commands.

use trapline_source::{Diagnostic, Span};

use super::expression::Goal;
use super::{Failed, Parsed, Parser};
use crate::sal::syntax::{Command, CommandGuard, Definition, Name, Section, VarDecl};
use crate::sal::token::Token;

const AT_LEAST_ONE: &str = "a command list needs at least one command; otherwise leave it out";

impl Parser<'_> {
    /// `[ command [] command ]`, added to those of the section.
    pub fn commands(&mut self, section: &mut Section) -> Parsed<()> {
        let start = self.span();
        let commands = section.commands.get_or_insert_default();
        let first = commands.len();
        if self.token() == Token::Async {
            let diagnostic = self.expected("`[` and a command");
            return self.fail(diagnostic.help(AT_LEAST_ONE));
        }
        self.advance();
        if self.token() == Token::RBracket {
            let diagnostic = self.expected("a command");
            return self.fail(diagnostic.help(AT_LEAST_ONE));
        }
        loop {
            let from = self.place;
            match self.command() {
                Ok(command) => {
                    commands.push(command);
                    self.expect_next_command(from, start);
                }
                Err(Failed) => self.recover_command(from),
            }
            match self.token() {
                Token::Async => self.advance(),
                Token::RBracket => break self.advance(),
                _ => return Err(Failed),
            }
        }
        self.check_else(commands, first);
        Ok(())
    }

    /// What stands behind a command that began at a token, in a list that began at `start`.
    fn expect_next_command(&mut self, from: usize, start: Span) {
        if matches!(self.token(), Token::Async | Token::RBracket) {
            return;
        }
        let diagnostic = self.expected_behind("`;`, `[]` or `]` after the command");
        let _: Parsed<()> = self.fail(diagnostic.label(start, "the list begins here"));
        self.recover_command(from);
    }

    /// `ELSE` stands last in its list, and once in all lists of a section.
    fn check_else(&mut self, commands: &[Command], first: usize) {
        let guards = commands.iter().enumerate().filter_map(|(idx, command)| match command.guard {
            CommandGuard::Else(span) => Some((idx, span)),
            CommandGuard::Condition(_) => None,
        });
        let mut earlier: Option<Span> = None;
        for (idx, span) in guards {
            let diagnostic = if let Some(earlier) = earlier.filter(|_| idx >= first) {
                let message =
                    "this is a second `ELSE`, but all command lists of a section are one choice";
                Diagnostic::error("syntax", span, message)
                    .label(earlier, "the first")
                    .help("remove one; `ELSE` applies when no other guard holds")
            } else if idx >= first && idx + 1 < commands.len() {
                Diagnostic::error("syntax", span, "only the last command can be `ELSE`")
                    .help("move it to the end of the list")
            } else {
                earlier = Some(span);
                continue;
            };
            earlier = earlier.or(Some(span));
            self.report(diagnostic);
        }
    }

    /// `label: guard --> definitions`, `([] (i: T): command)`
    fn command(&mut self) -> Parsed<Command> {
        let mut vars: Vec<VarDecl> = Vec::new();
        let mut n_parens = 0;
        while self.token() == Token::LParen && self.peek(1) == Token::Async {
            self.advance();
            self.advance();
            vars.extend(self.quantified()?);
            n_parens += 1;
        }
        let command = self.single_command(vars)?;
        for _ in 0..n_parens {
            if self.token() != Token::RParen {
                return self.unexpected_behind("`;` or the `)` of `([] (i: T): ...)`");
            }
            self.advance();
        }
        Ok(command)
    }

    fn single_command(&mut self, vars: Vec<VarDecl>) -> Parsed<Command> {
        let start = self.span().start;
        let label = self.label()?;
        let guard = self.guard(!vars.is_empty())?;
        match self.token() {
            Token::LongArrow => {}
            Token::Arrow => self.correct(self.span(), "->", "-->"),
            _ => return self.unexpected_behind("`-->` after the guard"),
        }
        self.advance();
        let mut span = self.span_from(start);
        let assignments = self.assignments();
        if let Some(last) = assignments.last() {
            let (Definition::Simple { span: last, .. } | Definition::Forall { span: last, .. }) =
                last;
            span = span.to(*last);
        }
        Ok(Command { vars, label, guard, assignments, span })
    }

    fn label(&mut self) -> Parsed<Option<Name>> {
        if self.token() != Token::Name || self.peek(1) != Token::Colon {
            return Ok(None);
        }
        let name = self.take_name();
        self.advance();
        if self.token() == Token::LParen && self.peek(1) == Token::Async {
            let diagnostic = self.expected("a guard");
            return self.fail(diagnostic.help("put the label inside: `([] (i: T): label: ...)`"));
        }
        Ok(Some(name))
    }

    fn guard(&mut self, is_multi: bool) -> Parsed<CommandGuard> {
        if matches!(self.token(), Token::Async | Token::RBracket) {
            return self.unexpected("a command");
        }
        if self.token() != Token::Else {
            return Ok(CommandGuard::Condition(self.expression(Goal::Value)?));
        }
        let span = self.span();
        if is_multi {
            let message = "`ELSE` cannot be inside `([] (i: T): ...)`";
            let diagnostic = Diagnostic::error("syntax", span, message);
            return self
                .fail(diagnostic.help("make it a command of its own, at the end of the list"));
        }
        self.advance();
        Ok(CommandGuard::Else(span))
    }

    /// The definitions behind `-->`.
    fn assignments(&mut self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        while !self.is_command_over() {
            let before = self.place;
            match self.definition() {
                Ok(definition) => {
                    definitions.push(definition);
                    if self.eat(Token::Semi) || self.is_command_over() {
                        continue;
                    }
                    self.no_next_assignment();
                    self.recover_in_command(before);
                }
                Err(Failed) => self.recover_in_command(before),
            }
            // Whatever went wrong, something was read.
            if self.place == before {
                self.advance();
            }
        }
        definitions
    }

    fn no_next_assignment(&mut self) {
        let is_over = |token: Token| matches!(token, Token::Semi | Token::Async | Token::End);
        let ahead = self.tokens[self.place..].iter().map(|(token, _)| *token);
        if !ahead.take_while(|token| !is_over(*token)).any(|token| token == Token::LongArrow) {
            return self.no_semi("definition");
        }
        let diagnostic = self.expected_behind("`;` or `[]` after the definition");
        let help = "is the `[]` before the next command missing?";
        let _: Parsed<()> = self.fail(diagnostic.help(help));
    }

    fn is_command_over(&self) -> bool {
        let is_end = matches!(self.token(), Token::Async | Token::RBracket | Token::RParen);
        is_end || self.is_section_over()
    }
}
