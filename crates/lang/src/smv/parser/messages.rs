//! How syntax errors are worded.

use trapline_source::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::yard::MAX_DEPTH;

impl Parser<'_, '_> {
    /// Fails because of an unexpected token instead of `what`.
    pub fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.expected(what);
        self.fail(diagnostic)
    }

    /// "expected `what`, found ..."
    pub fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        Diagnostic::error("syntax", self.span, message)
    }

    /// The same behind an expression, where `:=` may be meant as `=`.
    pub fn expected_behind_expression(&self, what: &str) -> Diagnostic {
        let diagnostic = self.expected(what);
        let help = match (self.text_before(), self.text()) {
            (_, ":=") => "to compare two values write `=`",
            ("not", _) => "to negate a value write `!`",
            (_, "and") => "to join two conditions write `&`",
            (_, "or") => "to join two conditions write `|`",
            ("0", word) if word.starts_with(['x', 'X']) && self.span.start == self.prev_end => {
                "integers are decimal; a hexadecimal word is written as in `0uh8_1F`"
            }
            _ => return diagnostic,
        };
        diagnostic.help(help)
    }

    /// The word or number that ends before the current token.
    fn text_before(&self) -> &str {
        let end = (self.prev_end - self.base) as usize;
        let text = &self.lexer.source()[..end];
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_$#-".contains(c);
        &text[text.trim_end_matches(is_word).len()..]
    }

    /// Expects a `;` and advances; `what` is what it ends.
    pub fn expect_semi(&mut self, what: &str) -> Parsed<()> {
        if self.eat(Token::Semi) {
            return Ok(());
        }
        let end = Span::new(self.prev_end, self.prev_end);
        let mut diagnostic = self.expected_behind_expression(&format!("`;` after the {what}"));
        if self.token != Token::Eof {
            diagnostic = diagnostic.label(end, "a `;` is missing here");
        }
        self.fail(diagnostic)
    }

    /// The current token, for messages.
    fn found(&self) -> String {
        if self.token == Token::Eof {
            return "the end of the text".into();
        }
        quoted(self.text())
    }

    /// Is the current token a word that cannot be a name?
    pub fn is_reserved_word(&self) -> bool {
        let is_word = self.text().starts_with(|c: char| c.is_ascii_alphabetic());
        is_word && !matches!(self.token, Token::Ident | Token::Fraction)
    }

    /// Fails because a name is expected here.
    pub fn no_name<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = match self.is_reserved_word() {
            true => reserved_word(self.text(), self.span),
            false => self.expected(what),
        };
        self.fail(diagnostic)
    }

    /// Fails because of something that NuSMV or its kin have and we have not.
    pub fn not_supported<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        self.fail(Diagnostic::error("not-supported", span, format!("{what} not supported")))
    }

    /// Fails because an expression is nested too deeply.
    pub fn too_deep<T>(&mut self) -> Parsed<T> {
        let diagnostic = too_deep(self.span);
        self.fail(diagnostic)
    }
}

/// A keyword is no name.
pub fn reserved_word(text: &str, span: Span) -> Diagnostic {
    let message = format!("`{text}` is a reserved word; pick another name");
    Diagnostic::error("reserved-word", span, message)
}

/// A token as it is written, cut when it is long.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// An expression is nested too deeply.
pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("expression is nested more than {MAX_DEPTH} deep");
    Diagnostic::error("too-deep", span, message).help("name parts of it with DEFINE")
}
