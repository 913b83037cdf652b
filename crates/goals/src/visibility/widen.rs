//! The values that the variables of a faulty copy may have.
//!
//! A fault may give a variable a value outside its range. The copy goes on with it, as an implementation
//! would, up to a limit beyond which it has no state.

use trapline_model::{AssignKind, ConstraintKind, Domain, Model, Role, VarId, VarKind};
use trapline_source::Span;

use crate::defined::Defined;
use crate::total;

/// A range is widened by its own size on both sides, and at least by so many values.
const LEAST: i64 = 4;

/// The values of a variable in a copy: only where assignments give all its values are there more than the
/// model has, since a choice is made among the values of the type.
pub fn widened(model: &Model, var: VarId) -> Domain {
    let declared = model.var(var);
    let Domain::Range(lo, hi) = declared.domain else { return declared.domain.clone() };
    let has = |kind: AssignKind| model.assigns.iter().any(|a| a.var == var && a.kind == kind);
    let is_assigned = has(AssignKind::Current)
        || has(AssignKind::Init) && (declared.kind == VarKind::Frozen || has(AssignKind::Next));
    if !is_assigned || declared.role == Role::Input {
        return declared.domain.clone();
    }
    let by = hi.saturating_sub(lo).saturating_add(1).max(LEAST);
    Domain::Range(lo.saturating_sub(by), hi.saturating_add(by))
}

/// A changed model as an implementation with the fault: its variables have room for what the fault does, and
/// where a rule has no value, there is no state.
pub fn faulty(mut changed: Model) -> Model {
    let domains: Vec<Domain> = changed.var_ids().map(|(var, _)| widened(&changed, var)).collect();
    for (var, domain) in changed.vars.iter_mut().zip(domains) {
        var.domain = domain;
    }
    let defined = &mut Defined::default();
    for assign in std::mem::take(&mut changed.assigns) {
        if !defined.can_fail(&changed, assign.expr) {
            changed.assigns.push(assign);
            continue;
        }
        let read = changed.var_expr(assign.var);
        let (kind, value) = match assign.kind {
            AssignKind::Init => (ConstraintKind::Init, read),
            AssignKind::Current => (ConstraintKind::Invar, read),
            AssignKind::Next => (ConstraintKind::Trans, changed.exprs.prime(read)),
        };
        let is_given = changed.exprs.is_given(value, assign.expr);
        let holds = total::holds(&mut changed, defined, is_given);
        changed.constrain(kind, holds, Span::default());
    }
    for idx in 0..changed.constraints.len() {
        let holds = changed.constraints[idx].body.expr;
        changed.constraints[idx].body.expr = total::holds(&mut changed, defined, holds);
    }
    changed
}
