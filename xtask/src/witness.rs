//! Checks that a trace demonstrates that a property is false.
//!
//! The model must allow the trace, and an invariant must be false at its end. An LTL counterexample
//! needs a fair loop on which the formula is false. A single path demonstrates only part of the
//! violation of a CTL property, which is not checked.

use trapline_engine::obligation::is_about_steps;
use trapline_model::trace::Trace;
use trapline_model::{
    Clause, ExprId, Formula, Model, Property, PropertyKind, Value, Var, VarKind, eval, lasso,
    replay,
};

/// Checks the trace of a property that is said to be false.
///
/// # Errors
/// Why it shows nothing.
pub fn shows(model: &Model, property: &Property, trace: &Trace) -> Result<(), String> {
    replay::replay(model, trace).map_err(|violation| format!("no replay: {violation:?}"))?;
    let Formula::Holds(Clause { expr, .. }) = property.formula else {
        return Err("it has a value, not a verdict".into());
    };
    match property.kind {
        PropertyKind::Invar => ends_badly(model, expr, trace),
        PropertyKind::Ltl | PropertyKind::Psl => {
            match lasso::holds(model, expr, trace) {
                Ok(false) => {}
                Ok(true) => return Err("the formula is true on it".into()),
                // Properties of PSL may be CTL: then one path shows only a part.
                Err(lasso::Trouble::NotLtl(_)) if property.kind == PropertyKind::Psl => {
                    return Ok(());
                }
                Err(trouble) => return Err(format!("the formula has no value: {trouble:?}")),
            }
            is_fair(model, trace)
        }
        PropertyKind::Ctl | PropertyKind::Compute => Ok(()),
    }
}

/// Is the invariant false in the last state, or in the last step?
fn ends_badly(model: &Model, expr: ExprId, trace: &Trace) -> Result<(), String> {
    let is_of_steps = is_about_steps(model, expr);
    let last = trace.states.len() - 1;
    let holds = match last.checked_sub(1) {
        _ if !is_of_steps => holds_at(model, expr, trace, last),
        Some(before) => holds_at(model, expr, trace, before),
        None => return Err("there is no step in it".into()),
    };
    match holds {
        Some(false) => Ok(()),
        Some(true) => Err("the invariant is true at its end".into()),
        None => Err("the invariant has no value at its end".into()),
    }
}

/// Does the loop meet every fairness constraint?
fn is_fair(model: &Model, trace: &Trace) -> Result<(), String> {
    let has_fairness = !model.justice.is_empty() || !model.compassion.is_empty();
    let Some(start) = trace.loop_start else {
        return if has_fairness { Err("it has no loop".into()) } else { Ok(()) };
    };
    let is_met = |clause: &Clause| {
        let mut states = start..trace.states.len();
        states.any(|state| holds_at(model, clause.expr, trace, state) == Some(true))
    };
    if let Some(idx) = model.justice.iter().position(|clause| !is_met(clause)) {
        return Err(format!("its loop is not fair: justice {idx}"));
    }
    let breaks = |(often, then): &(Clause, Clause)| is_met(often) && !is_met(then);
    match model.compassion.iter().position(breaks) {
        Some(idx) => Err(format!("its loop is not fair: compassion {idx}")),
        None => Ok(()),
    }
}

fn holds_at(model: &Model, expr: ExprId, trace: &Trace, state: usize) -> Option<bool> {
    let after = trace.states.get(state + 1);
    let after = after.or_else(|| trace.loop_start.map(|start| &trace.states[start]));
    let here = &trace.states[state].values;
    // Where no step follows, at least frozen variables have a next value.
    let frozen =
        |(var, value): (&Var, &Option<Value>)| value.filter(|_| var.kind == VarKind::Frozen);
    let next = match after {
        Some(after) => after.values.clone(),
        None => model.vars.iter().zip(here).map(frozen).collect(),
    };
    eval::evaluate(model, expr, here, &next).as_bool()
}
