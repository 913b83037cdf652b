//! Roles: which variables the tester sets, and which the implementation shows; and when an input is
//! sent.

use crate::dependency::support;
use crate::expr::{Reads, VarId};
use crate::model::{AssignKind, ConstraintKind, Define, Model, Role, Timing, VarKind};
use crate::name;

/// Guesses the roles from the model. An input belongs to a step, or is a variable that nothing but the
/// environment determines: its next and current value are unassigned, or assigned a constant
/// set, and no constraint ties its next value to a variable that is no input. Definitions that are
/// constant or about a step are internal: an implementation has nothing to show of them.
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
    for idx in 0..model.defines.len() {
        let define = &model.defines[idx];
        let is_constant = model.exprs.info(define.body.expr).reads == Reads::NOTHING;
        let is_hidden = is_constant || is_about_step(model, define);
        model.defines[idx].role = if is_hidden { Role::Internal } else { Role::Output };
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

/// Is a definition about a step, so that a state alone gives it no value?
pub fn is_about_step(model: &Model, define: &Define) -> bool {
    model.exprs.info(define.body.expr).reads.any(Reads::STEP.and(Reads::NEXT_INPUT))
}

/// Makes every output internal: whoever names outputs names all of them.
pub fn forget_outputs(model: &mut Model) {
    let vars = model.vars.iter_mut().map(|var| &mut var.role);
    let roles = vars.chain(model.defines.iter_mut().map(|define| &mut define.role));
    roles.filter(|role| **role == Role::Output).for_each(|role| *role = Role::Internal);
}

/// When each variable is sent that is an input. What the user does not say is guessed: an input goes with
/// the step if it belongs to steps, or if it decides next states and nothing else that can be seen. Then
/// `step(cmd)` shows what `cmd` did, however the model is written.
pub fn timings(model: &Model) -> Vec<Timing> {
    let shown = shown_with(model);
    let steps = model.assigns.iter().filter(|assign| assign.kind == AssignKind::Next);
    let trans = model.constraints.iter().filter(|it| it.kind == ConstraintKind::Trans);
    let steps = steps.map(|assign| assign.expr).chain(trans.map(|it| it.body.expr));
    let read = support(model, steps);
    let is_in = |list: &[VarId], var: VarId| list.binary_search(&var).is_ok();
    let timing = |(var, declared): (VarId, &crate::Var)| match declared.kind {
        VarKind::Input => Timing::Step,
        VarKind::Frozen => Timing::State,
        VarKind::State if declared.role != Role::Input => Timing::State,
        VarKind::State => declared.timing.unwrap_or_else(|| {
            let decides = is_in(&read.current, var) && !is_in(&read.next, var);
            if decides && !shown[var.0 as usize] { Timing::Step } else { Timing::State }
        }),
    };
    model.var_ids().map(timing).collect()
}

/// The variables that outputs of the same state depend on, and the outputs.
fn shown_with(model: &Model) -> Vec<bool> {
    let mut is_shown: Vec<bool> = model.vars.iter().map(|var| var.role == Role::Output).collect();
    let defines = model.defines.iter();
    let defines = defines.filter(|it| it.role == Role::Output && !is_about_step(model, it));
    for var in support(model, defines.map(|define| define.body.expr)).current {
        is_shown[var.0 as usize] = true;
    }
    // An assignment shows what it reads where its variable is shown, a constraint shows all or nothing.
    let assigns = model.assigns.iter().filter(|assign| assign.kind != AssignKind::Next);
    let assigns = assigns.map(|assign| (vec![assign.var], support(model, [assign.expr]).current));
    let steps = model.assigns.iter().filter(|assign| assign.kind == AssignKind::Next);
    let steps = steps.map(|assign| (vec![assign.var], support(model, [assign.expr]).next));
    let constraints = model.constraints.iter().map(|it| {
        let read = support(model, [it.body.expr]);
        if it.kind == ConstraintKind::Trans { read.next } else { read.current }
    });
    let mut ties: Vec<(Vec<VarId>, Vec<VarId>)> =
        assigns.chain(steps).chain(constraints.map(|vars| (vars.clone(), vars))).collect();
    loop {
        let n_ties = ties.len();
        ties.retain(|(heads, reads)| {
            let is_used = heads.iter().any(|var| is_shown[var.0 as usize]);
            if is_used {
                reads.iter().for_each(|var| is_shown[var.0 as usize] = true);
            }
            !is_used
        });
        if ties.len() == n_ties {
            return is_shown;
        }
    }
}

/// Says when the variables of this name are sent, as [`set`] says who sets them. Returns whether it can
/// be said of all of them: what belongs to a step goes with it, and what never changes with the first
/// state.
pub fn set_timing(model: &mut Model, name: &str, timing: Timing) -> bool {
    let mut is_right = true;
    for var in model.vars.iter_mut().filter(|var| name::is_within(&var.name, name)) {
        is_right &= match var.kind {
            VarKind::State => true,
            VarKind::Input => timing == Timing::Step,
            VarKind::Frozen => timing == Timing::State,
        };
        var.timing = Some(timing);
    }
    is_right
}

/// Gives a role to the variable, array or define with this name, or to all members of the
/// instance with this name. Returns whether there is any.
pub fn set(model: &mut Model, name: &str, role: Role) -> bool {
    let mut found = false;
    for var in model.vars.iter_mut().filter(|var| name::is_within(&var.name, name)) {
        var.role = role;
        found = true;
    }
    for define in model.defines.iter_mut().filter(|define| name::is_within(&define.name, name)) {
        define.role = role;
        found = true;
    }
    found
}
