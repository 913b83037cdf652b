//! Functional form: constraints that define a variable become assignments.
//!
//! Many models define values by constraints: `ready = (place = idle)` in every state, or `(act = send
//! -> next(n) = m) & (act != send -> next(n) = n)`. An assignment is a function, which engines can
//! compute; a constraint must be solved, which is a search. So constraints are decomposed into
//! guarded equations, and a variable whose guards are exhaustive gets an assignment. Variables,
//! states and steps stay the same.
//!
//! An equation counts only where it is defined and its value is in the variable's domain: an
//! assignment outside the type is an error, whereas a constraint is just not satisfied.
//!
//! The SAT engine turns alternatives into choice variables as well ([`with_choices`]). The explicit
//! engine does without all this: it is the reference for the others.

mod choice;
mod circles;
mod cover;
mod equations;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use trapline_model::replay::Replayer;
use trapline_model::trace::Trace;
use trapline_model::transform::Lift;
use trapline_model::{AssignKind, Constraint, Expr, ExprId, Model, VarId};
use trapline_source::Span;

use crate::answer::{Checked, Finding, Outcome, Projected, Reached, Start, Verdict, Why};

pub use choice::with_choices;
use circles::Circles;
use cover::{Cover, cover};
pub(crate) use equations::is_within;
use equations::{Equation, Leaf, Open, groups, leaves, says_something};

/// The definition found for a variable.
struct Definition {
    kind: AssignKind,
    var: VarId,
    /// Its equations, in order: the first whose guards hold counts, the last one is the default.
    used: Vec<Equation>,
    /// The leaves that are subsumed by it, by constraint and index.
    subsumed: Vec<(usize, usize)>,
    span: Span,
}

/// The model with assignments in place of defining constraints; the model itself if there are none.
pub fn functional_form(model: &Model) -> Cow<'_, Model> {
    let open = Open::new(model);
    let says = |constraint: &Constraint| {
        says_something(model, &open, constraint.kind, constraint.body.expr)
    };
    if !model.constraints.iter().any(says) {
        return Cow::Borrowed(model);
    }
    let mut functional = model.clone();
    let constraints = functional.constraints.clone();
    let parts: Vec<Vec<Leaf>> = constraints
        .iter()
        .map(|constraint| leaves(&mut functional, constraint.body.expr))
        .collect();
    let found = find(&mut functional, &parts);
    if found.is_empty() {
        return Cow::Borrowed(model);
    }
    let mut is_subsumed: Vec<Vec<bool>> =
        parts.iter().map(|leaves| vec![false; leaves.len()]).collect();
    for found in found {
        for &(constraint, leaf) in &found.subsumed {
            is_subsumed[constraint][leaf] = true;
        }
        assign(&mut functional, found.kind, found.var, &found.used, found.span);
    }
    keep_residual(&mut functional, &parts, &is_subsumed);
    Cow::Owned(functional)
}

/// All variables that constraints define.
fn find(model: &mut Model, parts: &[Vec<Leaf>]) -> Vec<Definition> {
    let mut circles = Circles::new(model);
    let mut all: Vec<Definition> = Vec::new();
    let mut is_subsumed = FxHashSet::default();
    for mut group in groups(model, parts) {
        let is_taken =
            |found: &Definition| found.var == group.var && found.kind == AssignKind::Current;
        if all.iter().any(is_taken) {
            continue;
        }
        // An equation defines only one of its sides.
        group.equations.retain(|equation| !is_subsumed.contains(&equation.leaf));
        let guards: Vec<&[ExprId]> =
            group.equations.iter().map(|equation| equation.guards.as_slice()).collect();
        let Some(Cover { used, disjoint }) = cover(model, &guards) else { continue };
        let used: Vec<Equation> = used.iter().map(|&idx| group.equations[idx].clone()).collect();
        let exprs = used.iter().flat_map(Equation::exprs);
        let Some(reads) = circles.allow(model, group.kind, group.var, exprs) else { continue };
        circles.assign(group.kind, group.var, reads);
        let subsumed: Vec<_> = disjoint.iter().map(|&idx| group.equations[idx].leaf).collect();
        is_subsumed.extend(subsumed.iter().copied());
        all.push(Definition { kind: group.kind, var: group.var, used, subsumed, span: group.span });
    }
    all
}

/// Assigns a variable the value of the first equation whose guards hold.
fn assign(model: &mut Model, kind: AssignKind, var: VarId, equations: &[Equation], span: Span) {
    let expr = chain(model, equations);
    model.assign(kind, var, expr, span);
}

/// The value of the first equation whose guards hold.
fn chain(model: &mut Model, equations: &[Equation]) -> ExprId {
    let mut equations = equations.iter().rev();
    let Some(last) = equations.next() else { unreachable!("a variable without a value") };
    let mut whole = last.value;
    for equation in equations {
        let guard = model.exprs.all(equation.guards.iter().copied());
        whole = model.exprs.add(Expr::Ite(guard, equation.value, whole));
    }
    whole
}

/// Keeps the residual constraints.
fn keep_residual(model: &mut Model, parts: &[Vec<Leaf>], is_subsumed: &[Vec<bool>]) {
    let constraints = std::mem::take(&mut model.constraints);
    let taken_apart = parts.iter().zip(is_subsumed);
    for (constraint, (leaves, is_subsumed)) in constraints.into_iter().zip(taken_apart) {
        if !is_subsumed.contains(&true) {
            model.constraints.push(constraint);
            continue;
        }
        for (leaf, _) in leaves.iter().zip(is_subsumed).filter(|(_, is_subsumed)| !**is_subsumed) {
            let mut expr = leaf.expr;
            if !leaf.guards.is_empty() {
                let guard = model.exprs.all(leaf.guards.iter().copied());
                expr = model.exprs.implies(guard, expr);
            }
            model.constrain(constraint.kind, expr, constraint.body.span);
        }
    }
}

/// The target form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Assignments where constraints define a variable.
    Functional,
    /// The same, and choice variables for alternatives.
    WithChoices,
}

/// The model in this form; the model itself if nothing changes.
pub fn formed(model: &Model, form: Form) -> Cow<'_, Model> {
    let functional = functional_form(model);
    if form == Form::Functional {
        return functional;
    }
    match functional {
        Cow::Borrowed(model) => with_choices(model),
        Cow::Owned(functional) => Cow::Owned(with_choices(&functional).into_owned()),
    }
}

/// Answers a reachability question on the transformed model.
pub fn reach(
    model: &Model,
    start: &Start,
    form: Form,
    ask: impl FnOnce(&Model, &Start) -> Reached,
) -> Reached {
    let Cow::Owned(formed) = formed(model, form) else { return ask(model, start) };
    let mut reached = ask(&formed, &widen(&formed, start));
    let failures = reached.verdicts.iter_mut().filter_map(|verdict| match verdict {
        Verdict::Unknown(Why::Failure { trace, .. }) => Some(trace),
        _ => None,
    });
    confirm(model, start, reached.traces.iter_mut().chain(failures));
    reached
}

/// Answers a projection on the transformed model.
pub fn project(
    model: &Model,
    start: &Start,
    form: Form,
    ask: impl FnOnce(&Model, &Start) -> Projected,
) -> Projected {
    let Cow::Owned(formed) = formed(model, form) else { return ask(model, start) };
    let mut projected = ask(&formed, &widen(&formed, start));
    let failure = projected.incomplete.iter_mut().filter_map(|why| match why {
        Why::Failure { trace, .. } => Some(trace),
        _ => None,
    });
    let traces = projected.values.iter_mut().map(|projection| &mut projection.trace);
    confirm(model, start, traces.chain(failure));
    projected
}

/// Checks properties on the transformed model.
pub fn check(model: &Model, form: Form, ask: impl FnOnce(&Model) -> Checked) -> Checked {
    let Cow::Owned(formed) = formed(model, form) else { return ask(model) };
    let mut checked = ask(&formed);
    let outcomes = checked.outcomes.iter_mut().filter_map(|outcome| match outcome {
        Outcome::False(trace) | Outcome::Unknown(Why::Failure { trace, .. }) => Some(trace),
        _ => None,
    });
    let findings = checked.findings.iter_mut().filter_map(|finding| match finding {
        Finding::DeadEnd { trace, .. } | Finding::UnfairInitialState { trace } => Some(trace),
        _ => None,
    });
    confirm(model, &Start::Initial, outcomes.chain(findings));
    checked
}

/// Extends states by the added inputs.
fn widen(formed: &Model, start: &Start) -> Start {
    let mut start = start.clone();
    if let Start::States(states) = &mut start {
        states.iter_mut().for_each(|state| state.values.resize(formed.vars.len(), None));
    }
    start
}

/// Drops the added inputs from traces and replays these on the original model: a trace that it
/// rejects is never shown.
fn confirm<'t>(model: &Model, start: &Start, traces: impl IntoIterator<Item = &'t mut Trace>) {
    let (replayer, back) = (Replayer::new(model), Lift::First(model.vars.len()));
    for trace in traces.into_iter().filter(|trace| !trace.states.is_empty()) {
        let lifted = match start {
            Start::Initial => back.lift(&replayer, trace),
            Start::States(_) => back.lift_from(&replayer, trace),
        };
        if let Err(violation) = lifted {
            unreachable!(
                "a trace of the transformed model is not a trace of the original: {violation:?}"
            );
        }
    }
}
