//! Constraints that say what a variable is, as assignments.
//!
//! Many models give values by constraints: `INVAR ready = (place = idle)`, or
//! `TRANS (act = send -> next(n) = m) & (act != send -> next(n) = n)`. What is assigned is a
//! function, and engines know what to do with functions; a constraint must be met, which is a
//! search. So constraints are taken apart into equations, each under the guards that stand before
//! it, and a variable whose guards leave out no case gets an assignment. Variables, states and
//! steps stay the same.
//!
//! An equation counts only where it has a value, and one of the variable's: an assignment outside
//! of the type is an error, and a constraint is just not met.
//!
//! The SAT engine makes choices of alternatives as well ([`with_choices`]). The explicit engine
//! does without all this: it is what the others are compared with.

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

/// What a variable gets.
struct Found {
    kind: AssignKind,
    var: VarId,
    /// The equations that say it, in order: the first whose guards hold counts, the last one for
    /// what is left.
    used: Vec<Equation>,
    /// The leaves that say nothing more, by their constraint and their place in it.
    said: Vec<(usize, usize)>,
    span: Span,
}

/// The model with assignments in place of constraints; the model itself where there are none to
/// be made.
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
    let mut is_said: Vec<Vec<bool>> =
        parts.iter().map(|leaves| vec![false; leaves.len()]).collect();
    for found in found {
        for &(constraint, leaf) in &found.said {
            is_said[constraint][leaf] = true;
        }
        assign(&mut functional, found.kind, found.var, &found.used, found.span);
    }
    keep_rest(&mut functional, &parts, &is_said);
    Cow::Owned(functional)
}

/// All variables that constraints give values.
fn find(model: &mut Model, parts: &[Vec<Leaf>]) -> Vec<Found> {
    let mut circles = Circles::new(model);
    let mut all: Vec<Found> = Vec::new();
    let mut is_said = FxHashSet::default();
    for mut group in groups(model, parts) {
        let is_taken = |found: &Found| found.var == group.var && found.kind == AssignKind::Current;
        if all.iter().any(is_taken) {
            continue;
        }
        // An equation gives one of its sides a value.
        group.equations.retain(|equation| !is_said.contains(&equation.leaf));
        let guards: Vec<&[ExprId]> =
            group.equations.iter().map(|equation| equation.guards.as_slice()).collect();
        let Some(Cover { used, said }) = cover(model, &guards) else { continue };
        let used: Vec<Equation> = used.iter().map(|&idx| group.equations[idx].clone()).collect();
        let exprs = used.iter().flat_map(Equation::exprs);
        let Some(reads) = circles.allow(model, group.kind, group.var, exprs) else { continue };
        circles.assign(group.kind, group.var, reads);
        let said: Vec<_> = said.iter().map(|&idx| group.equations[idx].leaf).collect();
        is_said.extend(said.iter().copied());
        all.push(Found { kind: group.kind, var: group.var, used, said, span: group.span });
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

/// Keeps what constraints say besides.
fn keep_rest(model: &mut Model, parts: &[Vec<Leaf>], is_said: &[Vec<bool>]) {
    let constraints = std::mem::take(&mut model.constraints);
    for (constraint, (leaves, is_said)) in constraints.into_iter().zip(parts.iter().zip(is_said)) {
        if !is_said.contains(&true) {
            model.constraints.push(constraint);
            continue;
        }
        for (leaf, _) in leaves.iter().zip(is_said).filter(|(_, is_said)| !**is_said) {
            let mut expr = leaf.expr;
            if !leaf.guards.is_empty() {
                let guard = model.exprs.all(leaf.guards.iter().copied());
                expr = model.exprs.implies(guard, expr);
            }
            model.constrain(constraint.kind, expr, constraint.body.span);
        }
    }
}

/// What constraints become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Assignments, where they say what a variable is.
    Functional,
    /// The same, and choices where they have alternatives.
    WithChoices,
}

/// The model in this form; the model itself where it is so already.
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

/// Asks about the model in another form what can be reached.
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

/// Asks about the model in another form which values there are.
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

/// Asks about the model in another form whether properties hold.
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

/// Gives states the places of the inputs that a form adds.
fn widen(formed: &Model, start: &Start) -> Start {
    let mut start = start.clone();
    if let Start::States(states) = &mut start {
        states.iter_mut().for_each(|state| state.values.resize(formed.vars.len(), None));
    }
    start
}

/// Forgets the inputs that a form has added to traces, and replays these on the model itself:
/// nobody sees one that is none.
fn confirm<'t>(model: &Model, start: &Start, traces: impl IntoIterator<Item = &'t mut Trace>) {
    let (replayer, back) = (Replayer::new(model), Lift::First(model.vars.len()));
    for trace in traces.into_iter().filter(|trace| !trace.states.is_empty()) {
        let lifted = match start {
            Start::Initial => back.lift(&replayer, trace),
            Start::States(_) => back.lift_from(&replayer, trace),
        };
        if let Err(violation) = lifted {
            unreachable!(
                "a trace of another form of the model is none of the model: {violation:?}"
            );
        }
    }
}
