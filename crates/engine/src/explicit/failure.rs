//! An expression that is undefined in a reachable state: which one, with a trace to it.

use trapline_budget::Budget;
use trapline_model::eval::{Cell, Plan};
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ConstraintKind, ExprId, Failure, FailureKind, Formula, Model};
use trapline_source::Span;

use crate::answer::{Start, Why};

use super::explore::{End, Exploration};
use super::tracer::Tracer;

/// Describes the failure at the end of a search.
pub fn describe(exploration: &Exploration, end: &End, start: &Start, budget: &Budget) -> Why {
    let model = exploration.system.model;
    let (trace, kinds) = match end {
        End::Failure(state) => {
            let tracer = Tracer::new(exploration.system, &exploration.space, start, budget);
            match tracer.and_then(|tracer| tracer.trace_to(*state)) {
                Ok(trace) => (trace, (AssignKind::Next, ConstraintKind::Trans)),
                Err(why) => return why,
            }
        }
        _ => (Trace::default(), (AssignKind::Init, ConstraintKind::Init)),
    };
    in_rules(model, trace, kinds)
}

/// Reports that a rule of these kinds is undefined at the end of a trace.
pub fn in_rules(model: &Model, trace: Trace, kinds: (AssignKind, ConstraintKind)) -> Why {
    let (failure, span) = find(model, trace.states.last(), kinds);
    Why::Failure { failure, span, trace }
}

/// Reports that a property is undefined at the end of a trace.
pub fn of(model: &Model, formula: Formula, trace: Trace) -> Why {
    let Formula::Holds(clause) = formula else { unreachable!("an invariant has one operand") };
    at(model, clause.expr, clause.span, trace)
}

/// Reports that an expression of the item at `span` is undefined at the end of a trace.
pub fn at(model: &Model, expr: ExprId, span: Span, trace: Trace) -> Why {
    let plan = Plan::new(model, &[expr]);
    let mut cells = Vec::new();
    let empty = State { values: Vec::new() };
    let mut states = trace.states.iter().rev();
    let last = states.next().unwrap_or(&empty);
    plan.run(&last.values, &[], &mut cells);
    // An expression about a step is undefined in the last one.
    if plan.root(0, &cells) == &Cell::Unknown {
        plan.run(&states.next().unwrap_or(&empty).values, &last.values, &mut cells);
    }
    let failure = match plan.root(0, &cells) {
        Cell::Fail(failure) if failure.span != Span::default() => *failure,
        Cell::Fail(failure) => Failure { span, ..*failure },
        _ => Failure { kind: FailureKind::Overflow, span },
    };
    Why::Failure { failure, span, trace }
}

/// The first assignment or constraint that is undefined, as far as the state alone determines.
fn find(
    model: &Model,
    state: Option<&State>,
    (assigns, constraints): (AssignKind, ConstraintKind),
) -> (Failure, Span) {
    let of_kind =
        model.assigns.iter().filter(|a| a.kind == assigns || a.kind == AssignKind::Current);
    let assigned = of_kind.map(|a| (a.expr, a.parts[0].body.span));
    let of_kind = model.constraints.iter().filter(|c| c.kind == constraints);
    let required = of_kind.map(|c| (c.body.expr, c.body.span));
    let rules: Vec<(ExprId, Span)> = assigned.chain(required).collect();
    let exprs: Vec<ExprId> = rules.iter().map(|(expr, _)| *expr).collect();
    let plan = Plan::new(model, &exprs);
    let mut cells = Vec::new();
    let unknown = State::unknown(model);
    plan.run(&state.unwrap_or(&unknown).values, &unknown.values, &mut cells);
    for (idx, (_, span)) in rules.iter().enumerate() {
        if let Cell::Fail(failure) = plan.root(idx, &cells) {
            let failure = if failure.span == Span::default() {
                Failure { span: *span, ..*failure }
            } else {
                *failure
            };
            return (failure, *span);
        }
    }
    // It depends on the choices of the step, or a value lies outside its type.
    let span = rules.first().map_or(Span::default(), |(_, span)| *span);
    (Failure { kind: FailureKind::OutOfRange, span }, span)
}
