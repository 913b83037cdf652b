//! Roles: which variables the tester sets, and which the implementation shows.

use crate::dependency::support;
use crate::expr::Reads;
use crate::model::{AssignKind, ConstraintKind, Model, Role, VarKind};
use crate::name;

/// Guesses the roles from the model. An input belongs to a step, or is a variable that nothing but the
/// environment determines: its next and current value are unassigned, or assigned a constant
/// set, and no constraint ties its next value to a variable that is no input.
///
/// Returns whether the model gives no clue, being all constraints without assignments; then no
/// variable is guessed to be an input.
pub fn guess(model: &mut Model) -> bool {
    let has_trans = model.constraints.iter().any(|c| c.kind == ConstraintKind::Trans);
    let is_pure_trans = has_trans && model.assigns.iter().all(|a| a.kind == AssignKind::Init);
    let mut is_input: Vec<bool> = model.vars.iter().map(|v| v.kind == VarKind::Input).collect();
    // The tester does not control selectors.
    for selector in &model.selectors {
        is_input[selector.var.0 as usize] = false;
    }
    if !is_pure_trans {
        for (idx, var) in model.vars.iter().enumerate() {
            is_input[idx] |= var.kind == VarKind::State;
        }
        for assign in model.assigns.iter().filter(|a| a.kind != AssignKind::Init) {
            let is_constant = model.exprs.info(assign.expr).reads == Reads::NOTHING;
            let is_set = matches!(model.exprs.ty(assign.expr), crate::Type::Set(_));
            is_input[assign.var.0 as usize] &= is_constant && is_set;
        }
        untie(model, &mut is_input);
    }
    for (var, &is_input) in model.vars.iter_mut().zip(&is_input) {
        var.role = if is_input { Role::Input } else { Role::Output };
    }
    for selector in &model.selectors {
        model.vars[selector.var.0 as usize].role = Role::Internal;
    }
    is_pure_trans && is_input.iter().all(|input| !input)
}

/// Takes back what constraints tie to other variables, until nothing changes.
fn untie(model: &Model, is_input: &mut [bool]) {
    let ties: Vec<_> = model
        .constraints
        .iter()
        .filter(|c| c.kind == ConstraintKind::Trans)
        .map(|c| support(model, [c.body.expr]))
        .map(|tie| (tie.all(), tie.next))
        .collect();
    loop {
        let mut has_changed = false;
        for (all, next) in &ties {
            let has_other = all.iter().any(|var| !is_input[var.0 as usize]);
            for var in next.iter().filter(|_| has_other) {
                let is_state = model.var(*var).kind == VarKind::State;
                has_changed |= is_state && std::mem::take(&mut is_input[var.0 as usize]);
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// Gives a role to the variable, array or define with this name, or to all members of the
/// instance with this name. Returns whether there is any.
pub fn set(model: &mut Model, name: &str, role: Role) -> bool {
    let mut found = false;
    let is_meant = |full: &str| name::is_within(full, name);
    for var in model.vars.iter_mut().filter(|var| is_meant(&var.name)) {
        var.role = role;
        found = true;
    }
    for define in model.defines.iter_mut().filter(|define| is_meant(&define.name)) {
        define.role = role;
        found = true;
    }
    found
}
