//! Parts of values: elements, fields, components.

use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::machine::At;
use super::term::{ArrayTerm, Term, Type};

impl Lowerer<'_> {
    /// The element at an index.
    pub(super) fn indexed(&mut self, at: &At, array: &Term, index: &Term) -> Term {
        let span = self.span(&at.place, at.node);
        let Term::Array(array) = array else {
            let text = format!("{} has no elements", self.describe(array));
            self.report(Diagnostic::error("type-mismatch", span, text));
            return Term::Poison;
        };
        let index = self.coerce(index, &array.index.ty, span);
        if index.is_poison() {
            return Term::Poison;
        }
        if let Some(key) = self.key(&index) {
            // An index has no further occurrences of its own: the whole is a name.
            self.model.occurrences.truncate(at.start);
            return match array.index.positions.get(&key) {
                Some(&position) => array.elements[position].clone(),
                None => self.outside(&index, &array.index.ty, span),
            };
        }
        self.element_at(array, &index, span)
    }

    /// The element at an index that may be any. Where it is outside the array, it is the last one: the
    /// language gives no meaning to that, and a guard usually keeps it from counting.
    pub(super) fn element_at(&mut self, array: &ArrayTerm, index: &Term, span: Span) -> Term {
        let mut value: Option<Term> = None;
        for (member, element) in array.index.members.iter().zip(&array.elements).rev() {
            let Some(is_it) = self.equal(index, member) else { return Term::Poison };
            if self.model.exprs.is_false(is_it) {
                continue;
            }
            value = Some(match value {
                None => element.clone(),
                Some(rest) => self.choose(is_it, element, &rest, span),
            });
        }
        value.unwrap_or(Term::Poison)
    }

    fn outside(&mut self, index: &Term, ty: &Type, span: Span) -> Term {
        let text = format!("the index {} is not in {}", self.shown(index), self.describe_type(ty));
        self.report(Diagnostic::error("index-out-of-bounds", span, text));
        Term::Poison
    }

    pub(super) fn field(
        &mut self,
        at: &At,
        record: &Term,
        name: crate::sal::syntax::NameId,
    ) -> Term {
        let found = match record {
            Term::Record(fields) => fields.iter().find(|(own, _)| *own == name),
            _ => None,
        };
        match found {
            Some((_, term)) => term.clone(),
            None => {
                let span = self.span(&at.place, at.node);
                let text = format!("{} has no field `{}`", self.describe(record), self.text(name));
                self.report(Diagnostic::error("unknown-name", span, text));
                Term::Poison
            }
        }
    }

    pub(super) fn component(&mut self, at: &At, tuple: &Term, number: u32) -> Term {
        let found = match tuple {
            Term::Tuple(parts) => (number as usize).checked_sub(1).and_then(|idx| parts.get(idx)),
            _ => None,
        };
        match found {
            Some(term) => term.clone(),
            None => {
                let span = self.span(&at.place, at.node);
                let text = format!("{} has no component {number}", self.describe(tuple));
                let help = "the components of a tuple are counted from 1";
                self.report(Diagnostic::error("unknown-name", span, text).help(help));
                Term::Poison
            }
        }
    }
}
