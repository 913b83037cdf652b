//! Which places in the text of the model determine an output.
//!
//! Of an assignment or a definition that is the branch which a step takes: from the root down, the
//! alternative of each `case` and `?:` whose guard holds. Possible states may take different branches;
//! then each of them is a place.

use trapline_engine::possible::{Output, Outputs};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Valuation, evaluate};
use trapline_model::site::{OccId, Shape};
use trapline_model::{AssignKind, Clause, Constraint, ConstraintKind, ExprId, Model, VarId};
use trapline_source::Span;

use crate::result::{Deviation, Verdict};
use crate::tester::{Knowledge, Step};

/// A place that determines an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The output.
    pub output: Output,
    /// The branch, right-hand side or constraint.
    pub span: Span,
}

/// The places that determine what an implementation should have shown where it showed something else;
/// none if the possible steps are too many to be listed.
pub fn places(
    model: &Model,
    knowledge: &Knowledge<'_, '_, '_>,
    verdict: Verdict,
    deviation: &Deviation,
) -> Vec<Place> {
    let wrong = differing(deviation);
    if wrong.is_empty() {
        return Vec::new();
    }
    let steps = knowledge.steps(deviation.exchange, &deviation.inputs).ok().flatten();
    let steps = steps.unwrap_or_default();
    let mut places = Vec::new();
    for (output, seen) in wrong {
        // A constraint may exclude what an assignment allows.
        let excluded = (verdict == Verdict::Fail).then_some(seen);
        let is_open = |cell: &Cell| {
            excluded.is_some_and(|seen| cell.members().is_some_and(|it| it.contains(seen)))
        };
        for step in &steps {
            let spans = spans(model, output, step, is_open);
            for place in spans.into_iter().map(|span| Place { output, span }) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    places
}

/// What determines an output in a step; constraints on a variable too, where its assignment leaves it open.
pub(crate) fn spans(
    model: &Model,
    output: Output,
    step: &Step,
    is_open: impl Fn(&Cell) -> bool,
) -> Vec<Span> {
    match output {
        Output::Define(define) => {
            vec![taken(model, model.define(define).body, &step.after.values, &[])]
        }
        Output::Var(var) => of_var(model, var, step, is_open),
    }
}

/// The outputs that can't be right, with what was seen: those with a value that is never allowed. If each
/// value is allowed somewhere, those that are not as expected, or not as in the first answer that is allowed.
fn differing(deviation: &Deviation) -> Outputs {
    let Deviation { expected, observed, allowed, .. } = deviation;
    let unlike = |other: &Outputs| -> Outputs {
        let known = |output: &Output| other.iter().find(|(known, _)| known == output);
        let is_other =
            |(output, seen): &&(Output, _)| known(output).is_some_and(|it| it.1 != *seen);
        observed.iter().filter(is_other).copied().collect()
    };
    let is_never = |it: &&(Output, _)| !allowed.iter().any(|outputs| outputs.contains(it));
    let never: Outputs = observed.iter().filter(is_never).copied().collect();
    let first = allowed.first().map(&unlike).unwrap_or_default();
    let candidates =
        [if allowed.is_empty() { Outputs::new() } else { never }, unlike(expected), first];
    candidates.into_iter().find(|outputs| !outputs.is_empty()).unwrap_or_default()
}

/// What determines a variable in a step: its assignment, and the constraints on it if there is none or
/// it does not decide.
fn of_var(model: &Model, var: VarId, step: &Step, is_open: impl Fn(&Cell) -> bool) -> Vec<Span> {
    let after = step.after.values.as_slice();
    let kind = if step.before.is_some() { AssignKind::Next } else { AssignKind::Init };
    let is_meant = |known| known == kind || known == AssignKind::Current;
    let assign = model.assigns.iter().find(|assign| assign.var == var && is_meant(assign.kind));
    let Some(assign) = assign else { return constraints(model, var, step) };
    let (current, next): (&Valuation, &Valuation) = match (&step.before, assign.kind) {
        (Some(before), AssignKind::Next) => (&before.values, after),
        _ => (after, &[]),
    };
    let is_active = |when: Option<ExprId>| when.is_none_or(|it| holds(model, it, current, next));
    // Where no part is active, the variable keeps its value, and no place says so.
    let part = assign.parts.iter().find(|part| is_active(part.when));
    let mut spans: Vec<Span> =
        part.map(|part| taken(model, part.body, current, next)).into_iter().collect();
    if is_open(&evaluate(model, assign.expr, current, next)) {
        spans.extend(constraints(model, var, step));
    }
    spans
}

/// The constraints on a variable after a step.
fn constraints(model: &Model, var: VarId, step: &Step) -> Vec<Span> {
    let is_meant = |constraint: &&Constraint| {
        let reads = support(model, [constraint.body.expr]);
        constraint.body.occ.is_some()
            && match constraint.kind {
                ConstraintKind::Init => step.before.is_none() && reads.current.contains(&var),
                ConstraintKind::Trans => step.before.is_some() && reads.next.contains(&var),
                ConstraintKind::Invar => reads.current.contains(&var),
            }
    };
    model.constraints.iter().filter(is_meant).map(|constraint| constraint.body.span).collect()
}

/// The branch that is taken, or the whole where there are none.
fn taken(model: &Model, body: Clause, current: &Valuation, next: &Valuation) -> Span {
    let occurrence = |occ: OccId| model.occurrences.get(occ);
    let is_true = |occ: OccId| holds(model, occurrence(occ).expr, current, next);
    let mut span = body.span;
    let mut value = body.occ;
    while let Some(occ) = value {
        let children = model.occurrences.children(occ);
        let branch = match occurrence(occ).shape {
            Shape::Case => {
                children.chunks_exact(2).find(|it| is_true(it[0])).map(|it| (it[0], it[1]))
            }
            Shape::Ite if is_true(children[0]) => Some((children[0], children[1])),
            Shape::Ite => Some((children[2], children[2])),
            Shape::Leaf | Shape::Operator | Shape::Next => None,
        };
        if let Some((first, last)) = branch {
            span = occurrence(first).span.to(occurrence(last).span);
        }
        value = branch.map(|(_, last)| last);
    }
    span
}

fn holds(model: &Model, expr: ExprId, current: &Valuation, next: &Valuation) -> bool {
    evaluate(model, expr, current, next).as_bool() == Some(true)
}
