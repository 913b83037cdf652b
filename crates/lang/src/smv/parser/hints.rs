//! What is in a model and does not change its meaning: pragmas in comments, and hints for
//! abstraction.

use trapline_source::Diagnostic;

use super::expression::Context;
use super::items::Section;
use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{Item, PragmaName, PragmaRole, PragmaTiming};

impl Parser<'_, '_> {
    /// `PRED expr`, `PRED <name> := expr`, `MIRROR variable`: hints for abstraction, which some
    /// relatives of NuSMV take and which do not change what the model means.
    pub fn abstraction(&mut self, section: Section, items: &mut Vec<Item>) -> Parsed<()> {
        let word = self.name_here();
        let text = self.text();
        let node_start = self.here();
        self.advance();
        if matches!(self.token, Token::Colon | Token::Becomes | Token::Eq) {
            return self.entry_named(section, word, items);
        }
        let message = format!("`{text}` is ignored");
        self.diagnostics.push(Diagnostic::warning("ignored", word.span, message));
        if self.eat(Token::Lt) {
            self.variable()?;
            self.expect(Token::Gt, "`>` after the name")?;
            self.expect(Token::Becomes, "`:=`")?;
        }
        self.expression(Context::Plain)?;
        self.program.nodes.truncate(node_start as usize);
        self.optional_semi("predicate")
    }

    /// Turns the pragmas read since the last call into items.
    pub fn pragmas(&mut self, items: &mut Vec<Item>) {
        if self.lexer.extras.pragmas.is_empty() {
            return;
        }
        for range in std::mem::take(&mut self.lexer.extras.pragmas) {
            let text = &self.lexer.source()[range.clone()];
            let place = |word: &str| {
                let start = range.start + (word.as_ptr() as usize - text.as_ptr() as usize);
                self.global(start..start + word.len())
            };
            let mut words = text.split([' ', '\t', '\r', ',']).filter(|word| !word.is_empty());
            let role = match words.next() {
                Some("@input") => PragmaRole::Input,
                Some("@output") => PragmaRole::Output,
                Some("@internal") => PragmaRole::Internal,
                _ => continue,
            };
            let mut names: Vec<PragmaName> = Vec::new();
            for word in words {
                let timing = match word {
                    "(step)" => PragmaTiming::Step,
                    "(state)" => PragmaTiming::State,
                    _ => {
                        let (name, span) = (word.to_string(), place(word));
                        names.push(PragmaName { name, span, timing: None });
                        continue;
                    }
                };
                // It is about the names before it that have none of their own.
                let open = names.iter_mut().rev().take_while(|name| name.timing.is_none());
                open.for_each(|name| name.timing = Some(timing));
            }
            items.push(Item::Pragma { role, names });
        }
    }

    /// A pragma before the first module has nothing to speak about.
    pub fn drop_pragmas(&mut self) {
        let mut items = Vec::new();
        self.pragmas(&mut items);
        for item in items {
            if let Item::Pragma { names, .. } = item
                && let Some(PragmaName { span, .. }) = names.first()
            {
                let message = "a pragma before the first `MODULE` is ignored";
                self.diagnostics.push(Diagnostic::warning("ignored", *span, message));
            }
        }
    }
}
