//! `WITH`: a value that differs from another one in one place.

use std::rc::Rc;

use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::machine::At;
use super::term::{ArrayTerm, Term};
use crate::sal::syntax::Access;

/// One step on the way to a place, its index evaluated.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// An element.
    Index(Term),
    /// A field.
    Field(crate::sal::syntax::NameId),
    /// A component, counted from 1.
    Component(u32),
}

impl Lowerer<'_> {
    /// `a WITH [i].f := v`
    pub(super) fn with(&mut self, at: &At, path: &[Access], operands: Vec<Term>) -> Term {
        let span = self.span(&at.place, at.node);
        let mut operands = operands.into_iter();
        let base = operands.next().unwrap_or(Term::Poison);
        let value = operands.next_back().unwrap_or(Term::Poison);
        let steps = steps(path, operands);
        self.updated(&base, &steps, &value, span)
    }

    /// The term with another value at the end of a path; the path is as long as types are deep.
    fn updated(&mut self, base: &Term, path: &[Step], value: &Term, span: Span) -> Term {
        let Some((step, rest)) = path.split_first() else {
            let ty = self.type_of(base);
            return self.coerce(value, &ty, span);
        };
        match (step, base) {
            (Step::Index(index), Term::Array(array)) => {
                self.with_element(array, index, (rest, value), span)
            }
            (Step::Field(name), Term::Record(fields))
                if fields.iter().any(|(own, _)| own == name) =>
            {
                let mut changed = Vec::new();
                for (own, term) in fields.iter() {
                    let term = match own == name {
                        true => self.updated(term, rest, value, span),
                        false => term.clone(),
                    };
                    if term.is_poison() {
                        return Term::Poison;
                    }
                    changed.push((*own, term));
                }
                Term::Record(changed.into())
            }
            (Step::Component(number), Term::Tuple(parts))
                if (1..=parts.len()).contains(&(*number as usize)) =>
            {
                let mut changed = parts.to_vec();
                let idx = *number as usize - 1;
                changed[idx] = self.updated(&parts[idx], rest, value, span);
                match changed[idx].is_poison() {
                    true => Term::Poison,
                    false => Term::Tuple(changed.into()),
                }
            }
            _ => self.no_such_part(base, span),
        }
    }

    fn with_element(
        &mut self,
        array: &ArrayTerm,
        index: &Term,
        (rest, value): (&[Step], &Term),
        span: Span,
    ) -> Term {
        let index = self.coerce(index, &array.index.ty, span);
        if index.is_poison() {
            return Term::Poison;
        }
        let mut elements = array.elements.clone();
        if let Some(key) = self.key(&index) {
            let Some(&position) = array.index.positions.get(&key) else {
                let text = format!(
                    "the index {} is not in {}",
                    self.shown(&index),
                    self.describe_type(&array.index.ty)
                );
                self.report(Diagnostic::error("index-out-of-bounds", span, text));
                return Term::Poison;
            };
            elements[position] = self.updated(&elements[position], rest, value, span);
        } else {
            for (member, element) in array.index.members.iter().zip(&mut elements) {
                let Some(is_it) = self.equal(&index, member) else { return Term::Poison };
                if !self.model.exprs.is_false(is_it) {
                    let changed = self.updated(element, rest, value, span);
                    *element = self.choose(is_it, &changed, element, span);
                }
            }
        }
        if elements.iter().any(Term::is_poison) {
            return Term::Poison;
        }
        Term::Array(Rc::new(ArrayTerm { index: Rc::clone(&array.index), elements }))
    }

    /// Reports a way into a value that has no such part.
    pub(super) fn no_such_part(&mut self, base: &Term, span: Span) -> Term {
        if !base.is_poison() {
            let text = format!("there is no such part in {}", self.describe(base));
            self.report(Diagnostic::error("type-mismatch", span, text));
        }
        Term::Poison
    }
}

/// The steps of a path, whose indices mean this. Several arguments are one index, a tuple.
pub(super) fn steps(path: &[Access], indices: impl IntoIterator<Item = Term>) -> Vec<Step> {
    let mut indices = indices.into_iter();
    let mut next = || indices.next().unwrap_or(Term::Poison);
    let step = |access: &Access| match access {
        Access::Index => Step::Index(next()),
        Access::Field(name) => Step::Field(*name),
        Access::Component(number) => Step::Component(*number),
        Access::Apply(1) => Step::Index(next()),
        Access::Apply(n_args) => Step::Index(Term::Tuple((0..*n_args).map(|_| next()).collect())),
    };
    path.iter().map(step).collect()
}
