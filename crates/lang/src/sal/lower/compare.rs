//! Equality of values of any type, and the choice between two of them.

use std::rc::Rc;

use trapline_model::{BinaryOp, Expr, ExprId, Type as ExprType};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::machine::At;
use super::term::{ArrayTerm, DataTerm, Kind, SetTerm, Term};
use crate::sal::syntax::Binary;

impl Lowerer<'_> {
    pub(super) fn equation(&mut self, at: &At, op: Binary, left: &Term, right: &Term) -> Term {
        let span = self.span(&at.place, at.node);
        if let (Some(l), Some(r)) = (left.as_scalar(), right.as_scalar())
            && is_comparable(l.kind, r.kind)
            && [l, r].iter().all(|it| self.model.exprs.ty(it.expr) != ExprType::Temporal)
        {
            let model_op = if op == Binary::Eq { BinaryOp::Eq } else { BinaryOp::Ne };
            return Term::boolean(self.folded(Expr::Binary(model_op, l.expr, r.expr), at));
        }
        match self.equal(left, right) {
            Some(equal) => {
                let expr = match op {
                    Binary::Eq => equal,
                    _ => self.model.exprs.not(equal),
                };
                Term::boolean(expr)
            }
            None => {
                let (l, r) = (self.describe(left), self.describe(right));
                let text = format!("{l} and {r} can't be compared");
                self.report(Diagnostic::error("type-mismatch", span, text));
                Term::Poison
            }
        }
    }

    /// That two terms are equal; `None` if they are not of one type.
    pub(super) fn equal(&mut self, left: &Term, right: &Term) -> Option<ExprId> {
        match (left, right) {
            (Term::Scalar(l), Term::Scalar(r)) if is_comparable(l.kind, r.kind) => {
                let exprs = &mut self.model.exprs;
                if let (Some(l), Some(r)) = (exprs.as_const(l.expr), exprs.as_const(r.expr)) {
                    return Some(exprs.bool(l == r));
                }
                match l.kind {
                    Kind::Bool => Some(exprs.iff(l.expr, r.expr)),
                    _ => exprs.try_add(Expr::Binary(BinaryOp::Eq, l.expr, r.expr)).ok(),
                }
            }
            (Term::Data(l), Term::Data(r)) if l.data == r.data => {
                let (tags, fields) = ((l.tag, r.tag), (left.parts(), right.parts()));
                let tag = self.scalars_equal(tags.0, tags.1);
                let all = self.all_equal(fields.0, fields.1)?;
                Some(self.model.exprs.and(tag, all))
            }
            (Term::Array(l), Term::Array(r)) if l.elements.len() != r.elements.len() => None,
            (Term::Tuple(_), Term::Tuple(_)) | (Term::Array(_), Term::Array(_)) => {
                self.all_equal(left.parts(), right.parts())
            }
            (Term::Record(l), Term::Record(r)) => {
                let is_same = l.len() == r.len() && l.iter().zip(r.iter()).all(|(a, b)| a.0 == b.0);
                if is_same { self.all_equal(left.parts(), right.parts()) } else { None }
            }
            _ => None,
        }
    }

    fn scalars_equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        match (exprs.as_const(left), exprs.as_const(right)) {
            (Some(l), Some(r)) => exprs.bool(l == r),
            _ => exprs.eq(left, right),
        }
    }

    fn all_equal(&mut self, left: Vec<&Term>, right: Vec<&Term>) -> Option<ExprId> {
        if left.len() != right.len() {
            return None;
        }
        let mut all = self.model.exprs.bool(true);
        for (l, r) in left.into_iter().zip(right) {
            let equal = self.equal(l, r)?;
            all = self.model.exprs.and(all, equal);
        }
        Some(all)
    }

    /// That a value is in a set; `None` if it is not of the type of its members.
    pub(super) fn is_member(&mut self, value: &Term, set: &SetTerm) -> Option<ExprId> {
        let mut any = self.model.exprs.bool(false);
        for (condition, member) in &set.members {
            let equal = self.equal(value, member)?;
            let is_it = self.model.exprs.and(*condition, equal);
            any = self.model.exprs.or(any, is_it);
        }
        Some(any)
    }

    /// `condition ? then : otherwise`
    pub(super) fn choose(
        &mut self,
        condition: ExprId,
        then: &Term,
        otherwise: &Term,
        span: Span,
    ) -> Term {
        if then.is_poison() || otherwise.is_poison() {
            return Term::Poison;
        }
        match self.chosen(condition, then, otherwise) {
            Some(term) => term,
            None => {
                let (l, r) = (self.describe(then), self.describe(otherwise));
                let text = match self.model.exprs.ty(condition) {
                    ExprType::Temporal => format!("a temporal formula can't choose {l}"),
                    _ => format!("the branches have different types: {l} and {r}"),
                };
                self.report(Diagnostic::error("type-mismatch", span, text));
                Term::Poison
            }
        }
    }

    fn chosen(&mut self, condition: ExprId, then: &Term, otherwise: &Term) -> Option<Term> {
        match (then, otherwise) {
            (Term::Scalar(l), Term::Scalar(r)) if is_comparable(l.kind, r.kind) => {
                let kind = if l.kind == r.kind { l.kind } else { Kind::Number };
                if l.expr == r.expr {
                    return Some(Term::scalar(l.expr, kind));
                }
                let exprs = &mut self.model.exprs;
                let is_formula =
                    [l.expr, r.expr].iter().any(|&expr| exprs.ty(expr) == ExprType::Temporal);
                let expr = if is_formula {
                    let (yes, no) = (exprs.implies(condition, l.expr), exprs.or(condition, r.expr));
                    exprs.and(yes, no)
                } else {
                    exprs.try_add(Expr::Ite(condition, l.expr, r.expr)).ok()?
                };
                Some(Term::scalar(expr, kind))
            }
            (Term::Tuple(l), Term::Tuple(r)) if l.len() == r.len() => {
                let parts = l.iter().zip(r.iter());
                let parts: Option<Vec<Term>> =
                    parts.map(|(l, r)| self.chosen(condition, l, r)).collect();
                parts.map(|parts| Term::Tuple(parts.into()))
            }
            (Term::Record(l), Term::Record(r)) if l.len() == r.len() => {
                let fields = l.iter().zip(r.iter()).map(|((name, l), (other, r))| {
                    let term = (name == other).then(|| self.chosen(condition, l, r))??;
                    Some((*name, term))
                });
                fields.collect::<Option<Vec<_>>>().map(|fields| Term::Record(fields.into()))
            }
            (Term::Array(l), Term::Array(r)) if l.elements.len() == r.elements.len() => {
                let elements = l.elements.iter().zip(&r.elements);
                let elements: Option<Vec<Term>> =
                    elements.map(|(l, r)| self.chosen(condition, l, r)).collect();
                let index = Rc::clone(&l.index);
                elements.map(|elements| Term::Array(Rc::new(ArrayTerm { index, elements })))
            }
            (Term::Data(l), Term::Data(r)) if l.data == r.data => {
                let tag = match l.tag == r.tag {
                    true => l.tag,
                    false => self.model.exprs.add(Expr::Ite(condition, l.tag, r.tag)),
                };
                let mut fields = Vec::new();
                for (l, r) in l.fields.iter().zip(&r.fields) {
                    let own = l.iter().zip(r).map(|(l, r)| self.chosen(condition, l, r));
                    fields.push(own.collect::<Option<Vec<_>>>()?);
                }
                Some(Term::Data(Rc::new(DataTerm { data: l.data, tag, fields })))
            }
            (Term::Set(l), Term::Set(r)) => Some(self.chosen_set(condition, l, r)),
            _ => None,
        }
    }

    fn chosen_set(&mut self, condition: ExprId, left: &SetTerm, right: &SetTerm) -> Term {
        let exprs = &mut self.model.exprs;
        let expr = left.expr.zip(right.expr);
        let expr = expr.and_then(|(l, r)| exprs.try_add(Expr::Ite(condition, l, r)).ok());
        let other = exprs.not(condition);
        let mut members = Vec::new();
        for (set, when) in [(left, condition), (right, other)] {
            for (is, member) in &set.members {
                members.push((exprs.and(when, *is), member.clone()));
            }
        }
        Term::Set(Rc::new(SetTerm { expr, members }))
    }
}

/// May values of these kinds be compared?
fn is_comparable(left: Kind, right: Kind) -> bool {
    let is_number = |kind| matches!(kind, Kind::Number | Kind::Ring(_));
    left == right || (is_number(left) && is_number(right))
}
