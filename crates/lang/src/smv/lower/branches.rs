//! `case` and `?:`.

use trapline_model::{Expr, ExprId, Failure, FailureKind, Shape, Type};
use trapline_source::{Diagnostic, Span};

use super::{Item, Lowerer, Operand};

impl Lowerer<'_> {
    pub fn ite(&mut self, span: Span) {
        let (other, then, cond) = (self.pop(), self.pop(), self.pop());
        let operand = match self.condition(cond, then.occ_start) {
            Some(cond) => self.join(cond, then, other, span),
            None => Operand::Poison,
        };
        self.push(operand, cond.occ_start, span, Shape::Ite);
    }

    pub fn case(&mut self, n_branches: usize, span: Span) {
        let items = self.pop_many(2 * n_branches);
        let start = items[0].occ_start;
        let end = self.model.occurrences.len();
        let ends: Vec<usize> = items.iter().skip(1).map(|i| i.occ_start).chain([end]).collect();
        let failure = Failure { kind: FailureKind::NotExhaustive, span };
        let fail = self.exprs().fail(failure);
        let mut operand = Operand::Expr(fail);
        let mut rest_span = span;
        for branch_idx in (0..n_branches).rev() {
            let (guard, value) = (items[2 * branch_idx], items[2 * branch_idx + 1]);
            let Some(cond) = self.condition(guard, ends[2 * branch_idx]) else {
                operand = Operand::Poison;
                continue;
            };
            let occ_start = ends[2 * branch_idx + 1];
            let rest = Item { operand, span: rest_span, occ_start };
            operand = self.join(cond, value, rest, span);
            rest_span = value.span;
        }
        self.push(operand, start, span, Shape::Case);
    }

    fn condition(&mut self, item: Item, occ_end: usize) -> Option<ExprId> {
        if matches!(item.operand, Operand::Poison) {
            return None;
        }
        let boolean = self.as_boolean(item, occ_end).filter(|&e| self.ty(e) == Type::Bool);
        if boolean.is_none() {
            let text =
                format!("a condition must be Boolean, but this is {}", self.describe(item.operand));
            self.report(Diagnostic::error("type-mismatch", item.span, text));
        }
        boolean
    }

    /// `cond ? then : other`, for values and for whole arrays.
    fn join(&mut self, cond: ExprId, then: Item, other: Item, span: Span) -> Operand {
        match (then.operand, other.operand) {
            (Operand::Poison, _) | (_, Operand::Poison) => return Operand::Poison,
            (Operand::Expr(t), Operand::Expr(e)) => {
                if let Ok(expr) = self.exprs().try_add(Expr::Ite(cond, t, e)) {
                    return Operand::Expr(expr);
                }
                if let Some(expr) = self.join_old(cond, then, other) {
                    return Operand::Expr(expr);
                }
            }
            // The last branch of a `case`: where it does not apply either, every element fails.
            (Operand::Array(t), Operand::Expr(fail)) if self.ty(fail) == Type::Never => {
                let dims = self.arrays.dims(t).to_vec();
                let elements = self
                    .arrays
                    .elements(t)
                    .to_vec()
                    .into_iter()
                    .map(|element| self.exprs().add(Expr::Ite(cond, element, fail)));
                let elements = elements.collect();
                return Operand::Array(self.arrays.add(dims, elements));
            }
            (Operand::Array(t), Operand::Array(e)) => {
                let joined = self.zip_arrays(t, e, |lowerer, t, e| {
                    lowerer.exprs().try_add(Expr::Ite(cond, t, e)).ok()
                });
                if let Some((dims, elements)) = joined {
                    return Operand::Array(self.arrays.add(dims, elements));
                }
            }
            _ => {}
        }
        let text = format!(
            "the branches have different types: {} and {}",
            self.describe(then.operand),
            self.describe(other.operand)
        );
        let (this, that) = (self.describe(then.operand), self.describe(other.operand));
        self.report(
            Diagnostic::error("type-mismatch", span, text)
                .label(then.span, this)
                .label(other.span, that),
        );
        Operand::Poison
    }

    fn join_old(&mut self, cond: ExprId, then: Item, other: Item) -> Option<ExprId> {
        let end = self.model.occurrences.len();
        let has_temporal = [then, other]
            .iter()
            .any(|item| matches!(item.operand, Operand::Expr(e) if self.ty(e) == Type::Temporal));
        if has_temporal {
            return None;
        }
        let t = self.as_boolean(then, other.occ_start.min(end))?;
        let e = self.as_boolean(other, end)?;
        self.exprs().try_add(Expr::Ite(cond, t, e)).ok()
    }
}
