//! The values that the variables of a faulty copy may have.
//!
//! A fault may give a variable a value outside its range. The copy goes on with it, as an implementation
//! would, up to a limit beyond which it has no state.

use rustc_hash::FxHashSet;
use trapline_model::{
    Assign, AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, Role, Type, Value,
    VarId, VarKind,
};
use trapline_source::Span;

use crate::defined::Defined;
use crate::total;

/// A range is widened by its own size on both sides, and at least by so many values.
const LEAST: i64 = 4;

/// The values of a variable in a copy: only where assignments give its values are there more than the
/// model has, since a choice is made among the values of the type. Where only its initial value, or only that
/// after a step, is chosen, that is still one of the model's.
pub fn widened(model: &Model, var: VarId) -> Domain {
    let declared = model.var(var);
    let Domain::Range(lo, hi) = declared.domain else { return declared.domain.clone() };
    let has = |kind: AssignKind| has_assign(model, var, kind);
    let is_assigned = has(AssignKind::Current)
        || match declared.kind {
            VarKind::State => has(AssignKind::Init) || has(AssignKind::Next),
            VarKind::Frozen => has(AssignKind::Init),
            VarKind::Input => false,
        };
    if !is_assigned || declared.role == Role::Input {
        return declared.domain.clone();
    }
    let by = hi.saturating_sub(lo).saturating_add(1).max(LEAST);
    Domain::Range(lo.saturating_sub(by), hi.saturating_add(by))
}

fn has_assign(model: &Model, var: VarId, kind: AssignKind) -> bool {
    model.assigns.iter().any(|assign| assign.var == var && assign.kind == kind)
}

/// A changed model as an implementation with the fault: its variables have room for what the fault does, and
/// where a rule has no value, or one beyond that room, there is no state.
pub fn faulty(mut changed: Model) -> Model {
    let domains: Vec<Domain> = changed.var_ids().map(|(var, _)| widened(&changed, var)).collect();
    for (idx, domain) in domains.into_iter().enumerate() {
        let var = VarId(idx as u32);
        let own = std::mem::replace(&mut changed.vars[idx].domain, domain);
        let has = |kind: AssignKind| has_assign(&changed, var, kind);
        let is_given = |kind: AssignKind| has(kind) || has(AssignKind::Current);
        let is_first_chosen = !is_given(AssignKind::Init);
        let is_next_chosen =
            !is_given(AssignKind::Next) && changed.vars[idx].kind == VarKind::State;
        if own == changed.vars[idx].domain {
            continue;
        }
        let read = changed.var_expr(var);
        if is_first_chosen {
            let is_own = is_inside(&mut changed, read, &own);
            changed.constrain(ConstraintKind::Init, is_own, Span::default());
        }
        if is_next_chosen {
            let next = changed.exprs.prime(read);
            let is_own = is_inside(&mut changed, next, &own);
            changed.constrain(ConstraintKind::Trans, is_own, Span::default());
        }
    }
    let defined = &mut Defined::default();
    for assign in std::mem::take(&mut changed.assigns) {
        let can_escape = can_escape(&changed, &assign);
        let is_set = matches!(changed.exprs.ty(assign.expr), Type::Set(_));
        if defined.can_fail(&changed, assign.expr) || can_escape && is_set {
            require(&mut changed, &assign, defined);
        } else if can_escape {
            confine(&mut changed, assign);
        } else {
            changed.assigns.push(assign);
        }
    }
    for idx in 0..changed.constraints.len() {
        let holds = changed.constraints[idx].body.expr;
        changed.constraints[idx].body.expr = total::holds(&mut changed, defined, holds);
    }
    changed
}

/// What an assignment of a kind gives, and the constraint that says so.
fn given(model: &mut Model, assign: &Assign) -> (ConstraintKind, ExprId) {
    let read = model.var_expr(assign.var);
    match assign.kind {
        AssignKind::Init => (ConstraintKind::Init, read),
        AssignKind::Current => (ConstraintKind::Invar, read),
        AssignKind::Next => (ConstraintKind::Trans, model.exprs.prime(read)),
    }
}

/// An assignment as a constraint: where it gives no value, there is none.
fn require(changed: &mut Model, assign: &Assign, defined: &mut Defined) {
    let (kind, value) = given(changed, assign);
    let is_given = changed.exprs.is_given(value, assign.expr);
    let holds = total::holds(changed, defined, is_given);
    changed.constrain(kind, holds, Span::default());
}

/// An assignment that is allowed only where its value lies in the type.
fn confine(changed: &mut Model, mut assign: Assign) {
    let (kind, _) = given(changed, &assign);
    let domain = changed.var(assign.var).domain.clone();
    let is_inside = is_inside(changed, assign.expr, &domain);
    let other = changed.exprs.value(domain.value(0));
    assign.expr = changed.exprs.add(Expr::Ite(is_inside, assign.expr, other));
    changed.assigns.push(assign);
    changed.constrain(kind, is_inside, Span::default());
}

/// That a number lies in a range.
fn is_inside(model: &mut Model, expr: ExprId, domain: &Domain) -> ExprId {
    let Domain::Range(lo, hi) = *domain else { return model.exprs.bool(true) };
    let exprs = &mut model.exprs;
    let [lo, hi] = [lo, hi].map(|end| exprs.value(Value::Int(end)));
    let is_above = exprs.binary(BinaryOp::Ge, expr, lo);
    let is_below = exprs.binary(BinaryOp::Le, expr, hi);
    exprs.and(is_above, is_below)
}

/// May an assignment give a number outside the type of its variable?
fn can_escape(model: &Model, assign: &Assign) -> bool {
    let domain = &model.var(assign.var).domain;
    let Domain::Range(lo, hi) = *domain else { return false };
    let mut stack = vec![assign.expr];
    let mut seen = FxHashSet::default();
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match model.exprs.get(expr) {
            Expr::Const(constant) if domain.contains(model.exprs.constant(constant)) => {}
            Expr::Ite(_, then, other) => stack.extend([then, other]),
            Expr::Binary(BinaryOp::Union, a, b) => stack.extend([a, b]),
            Expr::Define(define) => stack.push(model.define(define).body.expr),
            Expr::Var(var) | Expr::Next(var) => match model.var(var).domain {
                Domain::Range(least, most) if lo <= least && most <= hi => {}
                _ => return true,
            },
            _ => return true,
        }
    }
    false
}
