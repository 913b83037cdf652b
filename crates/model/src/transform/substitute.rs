//! Substitution in expressions.
//!
//! All passes that make expressions from expressions are one loop: [`bottom_up`] visits what a node
//! is made of before the node, each node once, however deep and however often shared.

use rustc_hash::FxHashMap;

use crate::expr::{Expr, ExprId, Exprs, VarId};
use crate::model::Model;

/// Computes an attribute of an expression bottom-up. Memoised results are reused, and their
/// operands are not visited.
pub fn bottom_up<C, T>(
    context: &mut C,
    known: &mut FxHashMap<ExprId, T>,
    root: ExprId,
    mut parts: impl FnMut(&mut C, ExprId) -> Vec<ExprId>,
    mut of: impl FnMut(&mut C, ExprId, &[ExprId], &FxHashMap<ExprId, T>) -> T,
) {
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        if known.contains_key(&id) {
            stack.pop();
            continue;
        }
        let own = parts(context, id);
        let height = stack.len();
        stack.extend(own.iter().filter(|part| !known.contains_key(part)));
        if stack.len() == height {
            stack.pop();
            let made = of(context, id, &own, known);
            known.insert(id, made);
        }
    }
}

/// What is put for what, and what has come of it so far.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    known: FxHashMap<ExprId, ExprId>,
    defines: Defines,
}

/// What becomes of definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defines {
    /// They are leaves and stay.
    #[default]
    Stay,
    /// They are expanded.
    WrittenOut,
}

impl Substitution {
    /// Nothing is put for anything yet.
    pub fn new(defines: Defines) -> Substitution {
        Substitution { known: FxHashMap::default(), defines }
    }

    /// Substitutes one expression for another, wherever it occurs.
    pub fn put(&mut self, old: ExprId, new: ExprId) {
        self.known.insert(old, new);
    }

    /// Puts an expression for a variable, and for its next value what the expression is then.
    pub fn put_var(&mut self, model: &mut Model, var: VarId, new: ExprId) {
        let read = model.var_expr(var);
        self.put(read, new);
        let [next, new] = [read, new].map(|expr| model.exprs.prime(expr));
        self.put(next, new);
    }

    /// Applies the substitution.
    pub fn apply(&mut self, model: &mut Model, root: ExprId) -> ExprId {
        let defines = self.defines;
        let parts = |model: &mut Model, id: ExprId| match model.exprs.get(id) {
            Expr::Define(define) if defines == Defines::WrittenOut => {
                vec![model.define(define).body.expr]
            }
            Expr::NextDefine(define) if defines == Defines::WrittenOut => {
                let body = model.define(define).body.expr;
                vec![model.exprs.prime(body)]
            }
            expr => model.exprs.operands(expr).as_slice().to_vec(),
        };
        bottom_up(model, &mut self.known, root, parts, |model, id, parts, known| {
            match model.exprs.get(id) {
                Expr::Define(_) | Expr::NextDefine(_) => {
                    parts.first().map_or(id, |body| known[body])
                }
                _ => with_parts(&mut model.exprs, id, parts, known),
            }
        });
        self.known[&root]
    }
}

/// The node over what has become of its operands.
pub fn with_parts(
    exprs: &mut Exprs,
    id: ExprId,
    operands: &[ExprId],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    if operands.iter().all(|operand| known[operand] == *operand) {
        return id;
    }
    let mapped = exprs.map_operands(exprs.get(id), |operand| known[&operand]);
    exprs.add(mapped)
}
