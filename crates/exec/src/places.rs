//! Which places in the text of the model determine an output.
//!
//! Of an assignment or a definition that is the branch which a step takes: from the root down, the
//! alternative of each `case` and `?:` whose guard holds. Possible states may take different branches;
//! then each of them is a place.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use trapline_engine::possible::{Output, Outputs};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan, Valuation};
use trapline_model::site::{OccId, Shape};
use trapline_model::{
    Assign, AssignKind, AssignPart, Clause, Constraint, ConstraintKind, ExprId, Model, Value, VarId,
};
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

/// So many outputs are looked at.
const MAX_OUTPUTS: usize = 16;

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
    let Some(steps) = steps.filter(|steps| !steps.is_empty()) else { return Vec::new() };
    let evaluator = Evaluator::new(model);
    let mut places = Vec::new();
    for &(output, seen) in wrong.iter().take(MAX_OUTPUTS) {
        // What an assignment allows may be excluded by a constraint.
        let excluded = (verdict == Verdict::Fail).then_some(seen);
        let spans = evaluator.of_output(output, excluded, &steps);
        places.extend(spans.into_iter().map(|span| Place { output, span }));
    }
    places
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

/// Evaluates parts of a model in many steps.
pub(crate) struct Evaluator<'m> {
    model: &'m Model,
    /// What was evaluated before.
    plans: RefCell<FxHashMap<ExprId, Plan>>,
}

/// A step as what evaluation takes: the values before, and those after.
type Values<'s> = (&'s Valuation, &'s Valuation);

impl<'m> Evaluator<'m> {
    /// Evaluates expressions of a model.
    pub(crate) fn new(model: &'m Model) -> Evaluator<'m> {
        Evaluator { model, plans: RefCell::default() }
    }

    /// The first place that determines an output in a step.
    pub(crate) fn place(&self, output: Output, step: &Step) -> Option<Span> {
        self.of_output(output, None, std::slice::from_ref(step)).first().copied()
    }

    /// What determines an output in these steps, each place once: the branches that are taken, and the
    /// constraints if no assignment decides.
    fn of_output(&self, output: Output, excluded: Option<Value>, steps: &[Step]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut is_open = false;
        for step in steps {
            let span = match output {
                Output::Define(define) => {
                    Some(self.taken(self.model.define(define).body, (&step.after.values, &[])))
                }
                Output::Var(var) => match self.assigned(var, step) {
                    None => {
                        is_open = true;
                        None
                    }
                    Some((assign, values)) => {
                        let allows = |seen| self.contains(assign.expr, values, seen);
                        is_open |= excluded.is_some_and(allows);
                        let is_active =
                            |it: &&AssignPart| it.when.is_none_or(|it| self.holds(it, values));
                        // Where no part is active, the variable keeps its value, and no place says so.
                        let part = assign.parts.iter().find(is_active);
                        part.map(|part| self.taken(part.body, values))
                    }
                },
            };
            spans.extend(span.filter(|span| !spans.contains(span)));
        }
        if let Output::Var(var) = output
            && is_open
        {
            spans.extend(constraints(self.model, var, steps[0].before.is_some()));
        }
        spans
    }

    /// The assignment of a variable after a step, and what it is evaluated with.
    fn assigned<'s>(&self, var: VarId, step: &'s Step) -> Option<(&Assign, Values<'s>)> {
        let kind = if step.before.is_some() { AssignKind::Next } else { AssignKind::Init };
        let is_meant = |known| known == kind || known == AssignKind::Current;
        let mut assigns = self.model.assigns.iter();
        let assign = assigns.find(|assign| assign.var == var && is_meant(assign.kind))?;
        let after = step.after.values.as_slice();
        Some(match (&step.before, assign.kind) {
            (Some(before), AssignKind::Next) => (assign, (&before.values, after)),
            _ => (assign, (after, &[])),
        })
    }

    /// The branch that is taken, or the whole where there are none.
    fn taken(&self, body: Clause, values: Values<'_>) -> Span {
        let occurrence = |occ: OccId| self.model.occurrences.get(occ);
        let is_true = |occ: OccId| self.holds(occurrence(occ).expr, values);
        let mut span = body.span;
        let mut value = body.occ;
        while let Some(occ) = value {
            let children = self.model.occurrences.children(occ);
            let branch = match occurrence(occ).shape {
                Shape::Case => {
                    children.chunks_exact(2).find(|it| is_true(it[0])).map(|it| (it[0], it[1]))
                }
                Shape::Ite if is_true(children[0]) => Some((children[0], children[1])),
                Shape::Ite => Some((children[2], children[2])),
                _ => None,
            };
            if let Some((first, last)) = branch {
                span = occurrence(first).span.to(occurrence(last).span);
            }
            value = branch.map(|(_, last)| last);
        }
        span
    }

    fn holds(&self, expr: ExprId, values: Values<'_>) -> bool {
        self.evaluate(expr, values, |cell| cell.as_bool() == Some(true))
    }

    fn contains(&self, expr: ExprId, values: Values<'_>, value: Value) -> bool {
        self.evaluate(expr, values, |cell| cell.members().is_some_and(|it| it.contains(value)))
    }

    fn evaluate(&self, expr: ExprId, (now, next): Values<'_>, is: impl Fn(&Cell) -> bool) -> bool {
        let mut plans = self.plans.borrow_mut();
        let plan = plans.entry(expr).or_insert_with(|| Plan::new(self.model, &[expr]));
        let mut cells = Vec::new();
        plan.run(now, next, &mut cells);
        is(plan.root(0, &cells))
    }
}

/// The constraints on a variable in the first state, or after a step.
fn constraints(model: &Model, var: VarId, is_step: bool) -> Vec<Span> {
    let is_meant = |constraint: &&Constraint| {
        let reads = support(model, [constraint.body.expr]);
        constraint.body.occ.is_some()
            && match constraint.kind {
                ConstraintKind::Init => !is_step && reads.current.contains(&var),
                ConstraintKind::Trans => is_step && reads.next.contains(&var),
                ConstraintKind::Invar => reads.current.contains(&var),
            }
    };
    model.constraints.iter().filter(is_meant).map(|constraint| constraint.body.span).collect()
}
