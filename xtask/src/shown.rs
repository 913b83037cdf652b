//! Which goals tests reach, computed naively: every goal is evaluated on its own in every state or
//! step. This shares nothing with suite generation except the evaluation of expressions and the
//! monitor variables.

use trapline_goals::builder::in_scope;
use trapline_goals::{GoalKind, GoalSet, Pair};
use trapline_model::ExprId;
use trapline_model::eval::Plan;
use trapline_model::trace::Trace;

/// Do these tests show a goal together? `None` for claims about paths. The tests have the values
/// of all variables that watch the model.
pub fn is_shown(set: &GoalSet, target: &GoalKind, tests: &[&Trace]) -> Option<bool> {
    match target {
        GoalKind::Trap(..) => None,
        GoalKind::Pair(pair) => Some(is_pair_shown(set, pair, tests)),
        target => Some(tests.iter().any(|test| shows(set, target, test))),
    }
}

/// Do tests make two evaluations that show a condition? What counts as a pair may depend on which
/// evaluations can be made; those of the tests can.
fn is_pair_shown(set: &GoalSet, pair: &Pair, tests: &[&Trace]) -> bool {
    let point = &set.points[pair.decision];
    let is_made = |idx: &usize| {
        let target = in_scope(&set.model, point.scope, point.evaluations[*idx].expr);
        tests.iter().any(|test| shows(set, &target, test))
    };
    let made: Vec<usize> = (0..point.evaluations.len()).filter(is_made).collect();
    !point.shown_by(pair.condition, pair.reading, &made).is_empty()
}

fn shows(set: &GoalSet, target: &GoalKind, test: &Trace) -> bool {
    let n_states = test.states.len();
    match target {
        GoalKind::Initial(expr) => holds_at(set, *expr, test)(0),
        GoalKind::State(expr) => (0..n_states).any(holds_at(set, *expr, test)),
        GoalKind::Step(expr) => (1..n_states).map(|idx| idx - 1).any(holds_at(set, *expr, test)),
        GoalKind::Steps(steps) => {
            let all: Vec<Vec<bool>> = steps
                .iter()
                .map(|&step| (0..n_states).map(holds_at(set, step, test)).collect())
                .collect();
            // The last step needs a state after it.
            let mut starts = 0..n_states.saturating_sub(steps.len());
            starts.any(|start| all.iter().enumerate().all(|(idx, holds)| holds[start + idx]))
        }
        GoalKind::Pair(_) | GoalKind::Trap(..) | GoalKind::Fault(_) => false,
    }
}

/// Does an expression hold in a state, or in the step from it?
fn holds_at<'t>(set: &GoalSet, expr: ExprId, test: &'t Trace) -> impl FnMut(usize) -> bool + 't {
    let plan = Plan::new(&set.model, &[expr]);
    let mut cells = Vec::new();
    move |idx| {
        let next = test.states.get(idx + 1).map_or(&[][..], |next| &next.values);
        plan.run(&test.states[idx].values, next, &mut cells);
        plan.root(0, &cells).as_bool() == Some(true)
    }
}
