//! Variables that a constraint makes a function of others, and which missing values are kept.
//!
//! `out = (a & b)` in every state leaves no choice of `out`, so that it has no last value to keep, even if
//! nothing else speaks of it and it counts as an input. Of `a = b` the first one is taken.

use trapline_model::dependency::support;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Expr, ExprId, Model, Role, Type, VarId, VarKind,
};

use crate::read::Keeps;

/// A variable and what it always equals.
pub(super) type Function = (VarId, ExprId);

/// Which missing values are those of the state before.
pub(super) struct Keeping {
    is_kept_input: Vec<bool>,
}

impl Keeping {
    /// Functions of others are not kept.
    pub fn new(model: &Model, functions: &[Function]) -> Keeping {
        let is_kept = |(var, declared): (VarId, &trapline_model::Var)| {
            // The process selector is not an input, though it belongs to a step.
            let is_of_step = declared.kind == VarKind::Input && !model.is_selector(var);
            let is_input = declared.role == Role::Input || is_of_step;
            is_input && functions.iter().all(|(function, _)| *function != var)
        };
        Keeping { is_kept_input: model.var_ids().map(is_kept).collect() }
    }

    /// Is the variable's missing value the one of the state before?
    pub fn keeps(&self, keeps: Keeps, var: VarId) -> bool {
        keeps == Keeps::Everything || self.is_kept_input[var.0 as usize]
    }
}

/// The variables that nothing assigns and that a constraint makes functions of others.
pub(super) fn functions(model: &Model) -> Vec<Function> {
    let mut functions: Vec<(Function, Vec<VarId>)> = Vec::new();
    for (left, right) in equalities(model) {
        let found = [(left, right), (right, left)].into_iter().find_map(|(var, expr)| {
            let Expr::Var(var) = model.exprs.get(var) else { return None };
            let read = support(model, [expr]);
            let is_free = is_unassigned(model, var)
                && read.next.is_empty()
                && !matches!(model.exprs.ty(expr), Type::Set(_))
                && functions.iter().all(|((known, _), _)| *known != var)
                && !depends(&functions, &read.current, var);
            is_free.then_some(((var, expr), read.current))
        });
        functions.extend(found);
    }
    functions.into_iter().map(|(function, _)| function).collect()
}

/// The equalities that all states meet.
fn equalities(model: &Model) -> Vec<(ExprId, ExprId)> {
    let invariants = model.constraints.iter().filter(|c| c.kind == ConstraintKind::Invar);
    let conjuncts = invariants.flat_map(|c| model.exprs.chain(BinaryOp::And, c.body.expr));
    let mut equalities = Vec::new();
    for expr in conjuncts {
        match model.exprs.get(expr) {
            // Of words, `xnor` is no equality.
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff | BinaryOp::Xnor, a, b)
                if model.exprs.ty(expr) == Type::Bool =>
            {
                equalities.push((a, b));
            }
            _ => {}
        }
    }
    equalities
}

fn is_unassigned(model: &Model, var: VarId) -> bool {
    let is_meant = |kind: AssignKind| kind != AssignKind::Init;
    model.var(var).kind == VarKind::State
        && !model.assigns.iter().any(|assign| assign.var == var && is_meant(assign.kind))
}

/// Does any of these variables depend on this one?
fn depends(functions: &[(Function, Vec<VarId>)], read: &[VarId], on: VarId) -> bool {
    let mut seen: Vec<VarId> = Vec::new();
    let mut stack = read.to_vec();
    while let Some(var) = stack.pop() {
        if var == on {
            return true;
        }
        if !seen.contains(&var) {
            seen.push(var);
            let own = functions.iter().filter(|((function, _), _)| *function == var);
            stack.extend(own.flat_map(|(_, read)| read));
        }
    }
    false
}
