//! How syntax errors are worded.

use trapline_source::{Diagnostic, Span};

use super::spelling::nearly;
use super::{Failed, MAX_ERRORS, Parsed, Parser};
use crate::sal::token::Token;

impl Parser<'_> {
    /// Reports an error, unless there are too many.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.n_errors >= MAX_ERRORS {
            return;
        }
        self.diagnostics.push(diagnostic);
        self.n_errors += 1;
    }

    /// Reports an error that ends the current construct. One place fails only once: what comes after
    /// that follows from it.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        let is_known = self.failed_at == Some(self.place);
        if !is_known && self.behind_bad.binary_search(&self.place).is_err() {
            self.report(diagnostic);
        }
        self.failed_at = Some(self.place);
        if self.n_errors >= MAX_ERRORS {
            self.place = self.tokens.len() - 1;
        }
        Err(Failed)
    }

    /// Fails because of an unexpected token instead of `what`.
    pub fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.expected(what);
        self.fail(diagnostic)
    }

    /// The same behind an expression or a type.
    pub fn unexpected_behind<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.expected_behind(what);
        self.fail(diagnostic)
    }

    /// "expected `what`, found ..."
    pub fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::error("syntax", self.span(), message);
        let is_comment = matches!(self.token(), Token::Minus | Token::Slash)
            && self.peek(1) == self.token()
            && self.is_next_adjacent();
        if is_comment {
            return diagnostic.help("a comment begins with `%`");
        }
        match self.spelling_hint() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// The same behind an expression, where the token may be an operator of another language.
    pub fn expected_behind(&self, what: &str) -> Diagnostic {
        let diagnostic = self.expected(what);
        let text = self.token_text();
        let help = match self.token() {
            Token::Becomes => "`:=` is only used in records and after `WITH`; write `=`",
            Token::Arrow => "implication is written `=>`",
            Token::Prime => "the quote goes right after the name, as in `a'[i]`",
            Token::Bang => "to ask whether two values differ write `/=`",
            Token::Name if text.starts_with('^') => "powers are written `exp(x, n)`",
            Token::Name if text.eq_ignore_ascii_case("and") => ALL_OR_NONE,
            Token::Name if text.eq_ignore_ascii_case("or") => ALL_OR_NONE,
            Token::Name if text.eq_ignore_ascii_case("xor") => ALL_OR_NONE,
            Token::Name if text.eq_ignore_ascii_case("div") => ALL_OR_NONE,
            Token::Name if text.eq_ignore_ascii_case("mod") => ALL_OR_NONE,
            _ => match self.text_before() {
                "~" => "to negate a condition write `NOT`",
                "@" | "&" | "$" | "^" => "this is a name in SAL, not an operator",
                before if before.eq_ignore_ascii_case("not") => ALL_OR_NONE,
                _ => return diagnostic,
            },
        };
        diagnostic.help(help)
    }

    /// The text of the token before the current one.
    fn text_before(&self) -> &str {
        self.place.checked_sub(1).map_or("", |before| self.text_at(before))
    }

    /// Is this word, or the one before it, a misspelt keyword?
    fn spelling_hint(&self) -> Option<String> {
        let is_name = |place: &usize| self.tokens[*place].0 == Token::Name;
        let is_new = self.names.find(self.token_text()).is_none();
        let here = Some(self.place).filter(|here| is_new && is_name(here));
        let here = here.and_then(|here| nearly(self.text_at(here)));
        let before = self.place.checked_sub(1).filter(is_name);
        let before = before.and_then(|before| nearly(self.text_at(before)));
        let (keyword, _) = here.or(before)?;
        Some(format!("did you mean `{keyword}`?"))
    }

    /// The current token, for messages.
    fn found(&self) -> String {
        match self.token() {
            Token::End => "the end of the text".into(),
            _ => quoted(self.token_text()),
        }
    }

    /// Fails because a keyword stands where a name is expected.
    pub fn reserved_word<T>(&mut self) -> Parsed<T> {
        let message = format!("`{}` is a reserved word; pick another name", self.token_text());
        self.fail(Diagnostic::error("reserved-word", self.span(), message))
    }

    /// Fails because something is nested too deeply.
    pub fn too_deep<T>(&mut self, what: &str, limit: usize) -> Parsed<T> {
        let message = format!("{what} nested more than {limit} deep");
        let diagnostic = Diagnostic::error("too-deep", self.span(), message);
        self.fail(diagnostic.help("move parts of it into declarations of their own"))
    }

    /// Reports that something is written otherwise; the parser goes on as if it were.
    pub fn correct(&mut self, span: Span, wrong: &str, right: &str) {
        let message = format!("use `{right}`, not `{wrong}`");
        self.report(Diagnostic::error("syntax", span, message));
    }

    /// Reports that a `;` is missing before the current token; the parser has to recover.
    pub fn no_semi(&mut self, what: &str) {
        let end = Span::new(self.prev_end(), self.prev_end());
        let mut diagnostic = self.expected_behind(&format!("`;` after the {what}"));
        diagnostic = match self.token() {
            Token::End => diagnostic.help("is an `END` before this missing?"),
            _ => diagnostic.label(end, "a `;` is missing here"),
        };
        let _: Parsed<()> = self.fail(diagnostic);
    }
}

const ALL_OR_NONE: &str = "operators are written all in upper case or all in lower case";

/// A token as it is written, cut when it is long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}
