//! Formulas rewritten so that nothing beyond the end of a test counts against them.
//!
//! `cr` of Ammann, Black and Ding, 2.1.1: a formula `f` becomes `cr(f, True)`, and what stands
//! behind a temporal operator becomes true where `Sustain` is false (false, under a negation). We
//! differ where the paper leaves gaps:
//!
//! - Both operands of `U` are rewritten, `V` as the dual of `U`, bounded operators like those
//!   without bounds. `A [p BU a..b q]` may have to wait beyond the end of the test before it may
//!   ask for `q`, so that there `p` is guarded too.
//! - What looks back from a state of the test stays inside the test: its operands need no guard.
//! - The paper leaves atoms as they are. One that has no value in some state of the test can't stay.

use rustc_hash::FxHashMap;
use trapline_engine::shape::Literal;
use trapline_model::{BinaryOp, BoundedOp, Expr, ExprId, Exprs, Type, UnaryOp};

/// What stands for an atom: if it is to be true, and if it is to be false.
pub type Atoms = FxHashMap<ExprId, [ExprId; 2]>;

/// `CR(f)`: the formula, true where `Sustain` is false; without it the test has no end. Atoms stay
/// if nothing stands for them.
pub fn rewrite(
    exprs: &mut Exprs,
    formula: ExprId,
    sustain: Option<ExprId>,
    atoms: &Atoms,
) -> ExprId {
    let mut rewriter = Rewriter { exprs, sustain, known: FxHashMap::default() };
    for part in rewriter.exprs.temporal_parts(formula) {
        for literal in [Literal::yes(part), Literal::no(part)] {
            let idx = usize::from(!literal.is_true);
            let rewritten = match atoms.get(&part) {
                Some(atoms) => atoms[idx],
                None if rewriter.exprs.ty(part) != Type::Temporal => part,
                None => rewriter.part(literal),
            };
            rewriter.known.insert(literal, rewritten);
        }
    }
    let rewritten = rewriter.known[&Literal::yes(formula)];
    match sustain {
        Some(sustain) if !looks_ahead(exprs.get(formula)) => {
            exprs.binary(BinaryOp::Implies, sustain, rewritten)
        }
        _ => rewritten,
    }
}

struct Rewriter<'e> {
    exprs: &'e mut Exprs,
    sustain: Option<ExprId>,
    known: FxHashMap<Literal, ExprId>,
}

impl Rewriter<'_> {
    /// `cr(f, v)`
    fn part(&mut self, whole: Literal) -> ExprId {
        let alike = |p: ExprId| Literal { formula: p, is_true: whole.is_true };
        let opposite = |p: ExprId| Literal { formula: p, is_true: !whole.is_true };
        let cr = |known: &FxHashMap<Literal, ExprId>, p: Literal| known[&p];
        match self.exprs.get(whole.formula) {
            Expr::Unary(UnaryOp::Not, p) => {
                let p = cr(&self.known, opposite(p));
                self.exprs.unary(UnaryOp::Not, p)
            }
            Expr::Binary(BinaryOp::Implies, p, q) => {
                let (p, q) = (cr(&self.known, opposite(p)), cr(&self.known, alike(q)));
                self.exprs.binary(BinaryOp::Implies, p, q)
            }
            Expr::Binary(BinaryOp::Iff | BinaryOp::Xnor, p, q) => self.equivalence(p, q, whole),
            Expr::Binary(BinaryOp::Xor, p, q) => {
                let equal = self.equivalence(p, q, opposite(whole.formula));
                self.exprs.unary(UnaryOp::Not, equal)
            }
            expr => {
                let operands = self.exprs.operands(expr).as_slice().to_vec();
                let n_plain = n_unguarded(expr, operands.len());
                let mut mapped = Vec::new();
                for (idx, &operand) in operands.iter().enumerate() {
                    let operand = self.known[&alike(operand)];
                    mapped.push(match idx < n_plain {
                        true => operand,
                        false => self.guard(alike(operand)),
                    });
                }
                let mut mapped = mapped.into_iter();
                let made = self.exprs.map_operands(expr, |old| mapped.next().unwrap_or(old));
                self.exprs.add(made)
            }
        }
    }

    /// `cr(f <-> g, v)`: each implies the other.
    fn equivalence(&mut self, p: ExprId, q: ExprId, whole: Literal) -> ExprId {
        let mut implies = |p: ExprId, q: ExprId| {
            let p = self.known[&Literal { formula: p, is_true: !whole.is_true }];
            let q = self.known[&Literal { formula: q, is_true: whole.is_true }];
            self.exprs.binary(BinaryOp::Implies, p, q)
        };
        let (there, back) = (implies(p, q), implies(q, p));
        self.exprs.binary(BinaryOp::And, there, back)
    }

    /// `Sustain -> f`, or `Sustain & f` if it is to be false.
    fn guard(&mut self, rewritten: Literal) -> ExprId {
        let Some(sustain) = self.sustain else { return rewritten.formula };
        let op = if rewritten.is_true { BinaryOp::Implies } else { BinaryOp::And };
        self.exprs.binary(op, sustain, rewritten.formula)
    }
}

/// How many of the first operands are only asked for in states of the test.
fn n_unguarded(expr: Expr, n_operands: usize) -> usize {
    match expr {
        Expr::BoundedUntil(..) => 0,
        Expr::Unary(..) | Expr::Bounded(..) if looks_ahead(expr) => 0,
        Expr::Binary(..) if looks_ahead(expr) => 1,
        _ => n_operands,
    }
}

/// Is it an operator about the states from here on?
fn looks_ahead(expr: Expr) -> bool {
    use UnaryOp as Op;
    match expr {
        Expr::Unary(op, _) => op.is_temporal() && !matches!(op, Op::Y | Op::Z | Op::H | Op::O),
        Expr::Binary(op, ..) => op.is_temporal() && !matches!(op, BinaryOp::S | BinaryOp::T),
        Expr::Bounded(op, ..) => !matches!(op, BoundedOp::H | BoundedOp::O),
        Expr::BoundedUntil(..) => true,
        _ => false,
    }
}
