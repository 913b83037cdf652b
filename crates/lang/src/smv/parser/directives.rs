//! Lines for preprocessors and macros: `#include "file"` is read, everything else is refused.
//!
//! What a macro would expand to is not known, so that the rest of such a text is not read.

use trapline_source::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::smv::lexer::Token;

/// The macros that m4 has of its own and that a text is likely to begin with.
const M4: &[&str] = &[
    "define",
    "undefine",
    "include",
    "sinclude",
    "ifdef",
    "ifelse",
    "forloop",
    "changequote",
    "changecom",
    "divert",
    "dnl",
    "m4_define",
    "m4_include",
    "m4_ifdef",
    "m4_ifelse",
    "m4_divert",
];

/// A file that a text asks for.
#[derive(Clone, Debug)]
pub struct Include {
    /// The path as it is written.
    pub path: String,
    /// The line.
    pub span: Span,
}

impl Parser<'_, '_> {
    /// Reads the lines that stand before the current token.
    pub fn directives(&mut self) {
        for range in std::mem::take(&mut self.lexer.extras.directives) {
            let text = self.lexer.source()[range.clone()].trim_end();
            let span = self.global(range.start..range.start + text.len());
            let line = text[1..].trim_start();
            let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            match word {
                // The same as `# 12 "file.smv"`, which the lexer skips.
                "line" => {}
                "include" => self.include(line["include".len()..].trim(), span),
                _ => return self.refuse_directive(word, span),
            }
        }
    }

    fn include(&mut self, path: &str, span: Span) {
        let quoted = path.strip_prefix('"').and_then(|path| path.split_once('"'));
        let diagnostic = match quoted {
            Some((path, rest)) if !path.is_empty() && is_comment(rest) => {
                if matches!(self.token, Token::Module | Token::Eof) {
                    return self.includes.push(Include { path: path.into(), span });
                }
                let message = "`#include` reads whole modules, and only a `MODULE` can follow it";
                Diagnostic::error("bad-include", span, message)
                    .label(self.span, "this would belong to the last module of that file")
                    .help("move the line to the top of the text, or run the preprocessor first")
            }
            _ => Diagnostic::error("bad-include", span, "`#include` takes a file name in quotes")
                .help("write `#include \"file.smv\"`"),
        };
        self.report(diagnostic);
    }

    fn refuse_directive(&mut self, word: &str, span: Span) {
        let message = format!("`#{word}` is for a preprocessor, and trapline has none");
        let help = "run the preprocessor first, as in `cpp -P FILE`, and pass its output";
        self.give_up(Diagnostic::error("not-supported", span, message).help(help));
    }

    /// Refuses to include a file where there are no modules.
    pub fn refuse_includes(&mut self) {
        if let Some(Include { span, .. }) = self.includes.first() {
            self.give_up(no_include(*span, "an expression"));
        }
    }

    /// Refuses a macro of m4 where a declaration or a module stands.
    pub fn refuse_macro(&mut self) -> Parsed<()> {
        let text = self.text();
        let is_called = text == "dnl" || self.lexer.remainder().starts_with('(');
        if self.token != Token::Ident || !is_called || !M4.contains(&text) {
            return Ok(());
        }
        let message = format!("`{text}` is a macro of m4, and trapline expands none");
        let help = "run m4 first, and pass its output";
        self.give_up(Diagnostic::error("not-supported", self.span, message).help(help));
        Err(super::Failed)
    }

    /// Reports an error, and skips the rest of the text.
    fn give_up(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.lexer.bump(self.lexer.remainder().len());
        self.end_of_text();
        // What is missing now is no error of its own.
        self.skipping = true;
    }
}

/// Only the text of a model includes others.
pub fn no_include(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("bad-include", span, format!("{what} can't include a file"))
}

/// May this stand behind the name of a file?
fn is_comment(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with("--") || text.starts_with("//") || text.starts_with("/*")
}
