//! The LTL-like part of PSL, as LTL. On infinite paths weak and strong `next` are the same.

use trapline_model::{BinaryOp, ExprId, Type, UnaryOp, Value};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::Psl;
use super::{Item, Lowerer, Operand};

/// More repetitions than this are a mistake: each one is an operator.
const MAX_REPEAT: i64 = 10_000;

impl Lowerer<'_> {
    /// How many operands an operator takes.
    pub fn psl_arity(op: Psl) -> usize {
        match op {
            Psl::Unsupported => 0,
            Psl::Never => 1,
            Psl::Until
            | Psl::UntilInclusive
            | Psl::UntilStrongInclusive
            | Psl::Before
            | Psl::BeforeStrong
            | Psl::BeforeInclusive
            | Psl::BeforeStrongInclusive
            | Psl::NextN
            | Psl::NextEvent
            | Psl::NextEventStrong
            | Psl::Abort => 2,
            Psl::NextA | Psl::NextE | Psl::NextEventN | Psl::NextEventNStrong => 3,
            Psl::NextEventA | Psl::NextEventAStrong | Psl::NextEventE | Psl::NextEventEStrong => 4,
        }
    }

    pub fn psl(&mut self, op: Psl, items: &[Item], span: Span) -> Operand {
        if matches!(op, Psl::Unsupported | Psl::Abort) {
            self.has_unsupported_psl = true;
            return Operand::Poison;
        }
        match self.psl_formula(op, items, span) {
            Some(formula) => Operand::Expr(formula),
            None => Operand::Poison,
        }
    }

    fn psl_formula(&mut self, op: Psl, items: &[Item], span: Span) -> Option<ExprId> {
        let strong = matches!(
            op,
            Psl::UntilStrongInclusive
                | Psl::BeforeStrong
                | Psl::BeforeStrongInclusive
                | Psl::NextEventStrong
                | Psl::NextEventNStrong
                | Psl::NextEventAStrong
                | Psl::NextEventEStrong
        );
        Some(match op {
            Psl::Never => {
                let p = self.formula(items[0])?;
                let not_p = self.exprs().unary(UnaryOp::Not, p);
                self.exprs().unary(UnaryOp::G, not_p)
            }
            Psl::Until | Psl::UntilInclusive | Psl::UntilStrongInclusive => {
                let (p, q) = (self.formula(items[0])?, self.formula(items[1])?);
                let end =
                    if op == Psl::Until { q } else { self.exprs().binary(BinaryOp::And, p, q) };
                self.until(p, end, strong)
            }
            Psl::Before | Psl::BeforeStrong | Psl::BeforeInclusive | Psl::BeforeStrongInclusive => {
                let (p, q) = (self.formula(items[0])?, self.formula(items[1])?);
                let not_q = self.exprs().unary(UnaryOp::Not, q);
                let exclusive = matches!(op, Psl::Before | Psl::BeforeStrong);
                let end = if exclusive { self.exprs().binary(BinaryOp::And, p, not_q) } else { p };
                self.until(not_q, end, strong)
            }
            Psl::NextN => {
                let n = self.repeat(items[0])?;
                let p = self.formula(items[1])?;
                self.shift(p, n)
            }
            Psl::NextA | Psl::NextE => {
                let (lo, hi) = self.repeats(items[0], items[1], span)?;
                let p = self.formula(items[2])?;
                let first = self.shift(p, lo);
                let connective = if op == Psl::NextA { BinaryOp::And } else { BinaryOp::Or };
                // p & X (p & X p) shares what a list of X^k p would repeat.
                let mut all = p;
                for _ in lo..hi {
                    let later = self.shift(all, 1);
                    all = self.exprs().binary(connective, p, later);
                }
                if lo == hi { first } else { self.shift(all, lo) }
            }
            Psl::NextEvent | Psl::NextEventStrong => {
                let (b, p) = (self.formula(items[0])?, self.formula(items[1])?);
                self.next_event(b, p, strong)
            }
            Psl::NextEventN | Psl::NextEventNStrong => {
                let b = self.formula(items[0])?;
                let n = self.repeat(items[1])?;
                let p = self.formula(items[2])?;
                self.nth_event(b, n, p, strong)
            }
            Psl::NextEventA | Psl::NextEventAStrong | Psl::NextEventE | Psl::NextEventEStrong => {
                let b = self.formula(items[0])?;
                let (lo, hi) = self.repeats(items[1], items[2], span)?;
                let p = self.formula(items[3])?;
                let all = matches!(op, Psl::NextEventA | Psl::NextEventAStrong);
                let connective = if all { BinaryOp::And } else { BinaryOp::Or };
                let mut one = self.nth_event(b, lo, p, strong);
                let mut whole = one;
                for _ in lo..hi {
                    // One event more before the same.
                    let later = self.shift(one, 1);
                    one = self.next_event(b, later, strong);
                    whole = self.exprs().binary(connective, whole, one);
                }
                whole
            }
            Psl::Unsupported | Psl::Abort => return None,
        })
    }

    fn formula(&mut self, item: Item) -> Option<ExprId> {
        let end = self.model.occurrences.len();
        let formula = self.as_boolean(item, end);
        match formula.filter(|&e| matches!(self.ty(e), Type::Bool | Type::Temporal)) {
            Some(expr) => Some(expr),
            None => {
                if !matches!(item.operand, Operand::Poison) {
                    let text = format!("expected a formula, found {}", self.describe(item.operand));
                    self.report(Diagnostic::error("type-mismatch", item.span, text));
                }
                None
            }
        }
    }

    fn repeat(&mut self, item: Item) -> Option<i64> {
        let Operand::Expr(expr) = item.operand else { return None };
        match trapline_model::eval::constant(&self.model, expr) {
            Ok(Value::Int(n)) if (0..=MAX_REPEAT).contains(&n) => Some(n),
            _ => {
                let text = format!("the count must be a constant from 0 to {MAX_REPEAT}");
                self.report(Diagnostic::error("bad-bounds", item.span, text));
                None
            }
        }
    }

    fn repeats(&mut self, lo: Item, hi: Item, span: Span) -> Option<(i64, i64)> {
        let (lo, hi) = (self.repeat(lo)?, self.repeat(hi)?);
        if lo > hi {
            self.report(Diagnostic::error(
                "bad-bounds",
                span,
                format!("the bounds {lo}:{hi} are empty"),
            ));
            return None;
        }
        Some((lo, hi))
    }

    fn shift(&mut self, mut p: ExprId, n: i64) -> ExprId {
        for _ in 0..n {
            p = self.exprs().unary(UnaryOp::X, p);
        }
        p
    }

    /// `p U q`, or `(p U q) | G p`.
    fn until(&mut self, p: ExprId, q: ExprId, strong: bool) -> ExprId {
        let until = self.exprs().binary(BinaryOp::U, p, q);
        if strong {
            return until;
        }
        let always = self.exprs().unary(UnaryOp::G, p);
        self.exprs().binary(BinaryOp::Or, until, always)
    }

    /// Where `b` holds first, now included, `p` holds.
    fn next_event(&mut self, b: ExprId, p: ExprId, strong: bool) -> ExprId {
        let not_b = self.exprs().unary(UnaryOp::Not, b);
        let both = self.exprs().binary(BinaryOp::And, b, p);
        self.until(not_b, both, strong)
    }

    fn nth_event(&mut self, b: ExprId, n: i64, p: ExprId, strong: bool) -> ExprId {
        let mut formula = self.next_event(b, p, strong);
        for _ in 1..n {
            let later = self.shift(formula, 1);
            formula = self.next_event(b, later, strong);
        }
        formula
    }
}
