//! Modules of variables, definitions and commands: `BEGIN ... END`.

use trapline_source::{Diagnostic, Span};

use super::spelling::nearly;
use super::{Parsed, Parser};
use crate::sal::syntax::{Base, Class, Definition, Section};
use crate::sal::token::Token;

const SECTION: &str = "a section of the module or its `END`";

impl Parser<'_> {
    /// `BEGIN ... END`
    pub fn base(&mut self) -> Parsed<Base> {
        let begin = self.span();
        self.advance();
        let mut base = Base::default();
        loop {
            self.correct_section();
            match self.token() {
                Token::EndWord => {
                    self.advance();
                    return Ok(base);
                }
                Token::Definition => {
                    self.advance();
                    self.definitions(&mut base.definitions);
                }
                Token::Initialization => self.section(&mut base.initialization),
                Token::Transition => self.section(&mut base.transition),
                Token::Input => self.variables(Class::Input, &mut base),
                Token::Output => self.variables(Class::Output, &mut base),
                Token::Global => self.variables(Class::Global, &mut base),
                Token::Local => self.variables(Class::Local, &mut base),
                _ => {
                    let diagnostic = self.expected(SECTION).label(begin, "of this `BEGIN`");
                    let is_over = self.is_at_declaration() || self.token() == Token::End;
                    let diagnostic = match is_over {
                        true => diagnostic.help("is the `END` of this module missing?"),
                        false => self.section_hint(diagnostic),
                    };
                    let failed = self.fail(diagnostic);
                    if is_over {
                        return failed;
                    }
                    self.advance();
                    self.recover_section();
                }
            }
        }
    }

    fn section_hint(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.token() {
            Token::Semi => diagnostic.help("variable declarations do not end with `;`"),
            Token::Name if self.peek(1) == Token::Colon => {
                diagnostic.help("separate the variables of a section with `,`")
            }
            Token::Name | Token::LBracket => {
                diagnostic.help("write `DEFINITION`, `INITIALIZATION` or `TRANSITION` before it")
            }
            _ => diagnostic,
        }
    }

    /// Takes a misspelt name of a section for what it is meant to be.
    fn correct_section(&mut self) {
        let is_definition =
            matches!(self.peek(1), Token::Eq | Token::In | Token::Becomes | Token::Prime);
        // A name that was read before is meant as it is written.
        let is_name = self.token() != Token::Name || self.names.find(self.token_text()).is_some();
        if is_definition || is_name {
            return;
        }
        let nearest = nearly(self.token_text());
        let meant = nearest.filter(|(_, token)| token.is_section() || *token == Token::EndWord);
        if let Some((keyword, token)) = meant {
            let diagnostic = self.expected(SECTION);
            self.report(diagnostic.help(format!("did you mean `{keyword}`?")));
            self.tokens[self.place].0 = token;
        }
    }

    /// `INPUT x, y: T, z: U`
    fn variables(&mut self, class: Class, base: &mut Base) {
        if matches!(self.peek(1), Token::Eq | Token::Becomes | Token::Prime | Token::LBracket) {
            let _: Parsed<()> = self.reserved_word();
            self.advance();
            return self.recover_section();
        }
        self.advance();
        match self.var_decls() {
            Ok(decls) => base.vars.extend(decls.into_iter().map(|decl| (class, decl))),
            Err(_) => {
                // A keyword that stands for a name is no end of this section.
                if self.token().is_word() && matches!(self.peek(1), Token::Colon | Token::Comma) {
                    self.advance();
                }
                self.recover_section();
            }
        }
    }

    /// What stands behind `DEFINITION`.
    fn definitions(&mut self, definitions: &mut Vec<Definition>) {
        self.items(|parser| {
            if parser.token() == Token::LBracket {
                let diagnostic = parser.expected("a definition");
                let help = "command lists belong in `INITIALIZATION` or `TRANSITION`";
                return parser.fail(diagnostic.help(help));
            }
            definitions.push(parser.definition()?);
            Ok("definition")
        });
    }

    /// `INITIALIZATION` or `TRANSITION`, and what stands behind it.
    fn section(&mut self, section: &mut Section) {
        self.advance();
        self.items(|parser| match parser.token() {
            Token::LBracket | Token::Async => {
                let start = parser.span().start;
                let result = parser.commands(section);
                let span = parser.span_from(start);
                let is_first = section.span == Span::default();
                section.span = if is_first { span } else { section.span.to(span) };
                result.map(|()| "list of commands")
            }
            _ => {
                section.definitions.push(parser.definition()?);
                Ok("definition")
            }
        });
    }

    /// Items with `;` between them, up to the end of the section. Each says what it was.
    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<&'static str>) {
        if self.is_section_over() {
            let _: Parsed<()> = self.unexpected("a definition");
        }
        while !self.is_section_over() {
            self.correct_section();
            if self.is_section_over() {
                return;
            }
            let from = self.place;
            match item(self) {
                Ok(_) if self.eat(Token::Semi) => {}
                Ok(what) => {
                    self.correct_section();
                    if !self.is_section_over() {
                        self.no_semi(what);
                        self.recover_definition(from);
                    }
                }
                Err(_) => self.recover_definition(from),
            }
            // Whatever went wrong, something was read.
            if self.place == from {
                self.advance();
            }
        }
    }
}
