//! Trap variables that latch: false at first, and true for good once they are set, as in the SAL-ATG manual
//! (Hamon, de Moura and Rushby, 2005).
//!
//! Such a variable remembers for the reader of a trace what no search has to remember. A run has a state in
//! which it is true exactly if it has a step that sets it where it was false, and the first of these steps
//! leads to the first of these states. So that step is the goal, the variable is sliced away, and
//! states that differ only in what was reached before them are one.

use rustc_hash::FxHashMap;
use trapline_model::transform::substitute::{bottom_up, with_parts};
use trapline_model::{
    AssignKind, BinaryOp, Expr, ExprId, Exprs, Model, Type, UnaryOp, Value, VarId,
};

/// The condition of the steps that set a variable, if the expression is one that latches.
pub fn setting_step(model: &mut Model, expr: ExprId) -> Option<ExprId> {
    let Expr::Var(var) = model.exprs.get(expr) else { return None };
    let (first, next) = rules(model, var)?;
    if !model.exprs.is_false(first) || model.exprs.ty(next) != Type::Bool {
        return None;
    }
    let once_set = with_value(model, next, expr, true);
    let stays = model.exprs.is_true(once_set);
    stays.then(|| with_value(model, next, expr, false))
}

/// The initial and the next value of a variable, if it has both.
fn rules(model: &Model, var: VarId) -> Option<(ExprId, ExprId)> {
    let (mut first, mut next) = (None, None);
    for assign in model.assigns.iter().filter(|assign| assign.var == var) {
        match assign.kind {
            AssignKind::Init => first = Some(assign.expr),
            AssignKind::Next => next = Some(assign.expr),
            AssignKind::Current => return None,
        }
    }
    Some((first?, next?))
}

/// An expression where this variable has this value.
fn with_value(model: &mut Model, root: ExprId, var: ExprId, value: bool) -> ExprId {
    let mut known = FxHashMap::default();
    known.insert(var, model.exprs.bool(value));
    let parts = |model: &mut Model, id: ExprId| {
        let expr = model.exprs.get(id);
        model.exprs.operands(expr).as_slice().to_vec()
    };
    bottom_up(model, &mut known, root, parts, |model, id, parts, known| {
        folded(&mut model.exprs, id, parts, known)
    });
    known[&root]
}

/// The node over what has become of its operands, its constants folded.
fn folded(
    exprs: &mut Exprs,
    id: ExprId,
    parts: &[ExprId],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let expr = exprs.get(id);
    // The branch after the last one of a `case` has no value, and so no type that fits.
    if let Expr::Ite(c, t, e) = expr
        && let Some(Value::Bool(holds)) = exprs.as_const(known[&c])
    {
        return known[if holds { &t } else { &e }];
    }
    if !parts.iter().all(|part| exprs.ty(*part) == Type::Bool) {
        return with_parts(exprs, id, parts, known);
    }
    match expr {
        Expr::Unary(UnaryOp::Not, a) => exprs.not(known[&a]),
        Expr::Binary(BinaryOp::And, a, b) => exprs.and(known[&a], known[&b]),
        Expr::Binary(BinaryOp::Or, a, b) => exprs.or(known[&a], known[&b]),
        Expr::Binary(BinaryOp::Implies, a, b) => exprs.implies(known[&a], known[&b]),
        Expr::Ite(c, t, e) => exprs.ite(known[&c], known[&t], known[&e]),
        _ => with_parts(exprs, id, parts, known),
    }
}
