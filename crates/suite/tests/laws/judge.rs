//! Which goals tests show, by other means than the suite's own: a score goal by goal, and for claims
//! the machine that can only walk the test.

use trapline_engine::{Budget, explicit};
use trapline_goals::decide::Makeable;
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::replay::Replayer;
use trapline_model::trace::Trace;
use trapline_model::{AssignKind, ExprId, Model, PropertyKind};
use trapline_suite::never_claim::machine;
use trapline_testkit::score::reached;

/// What watches a model, and all sequences that goals are about, have come to an end after so many
/// rounds of a loop.
const N_ROUNDS: usize = 12;

/// Which goals the tests show together.
pub fn shown(set: &GoalSet, makeable: &Makeable, tests: &[Trace]) -> Vec<bool> {
    let tests: Vec<Trace> = tests.iter().map(|test| watched(set, &unrolled(test))).collect();
    let mut shown: Vec<bool> =
        reached(set, makeable, &tests).into_iter().map(|met| met == Some(true)).collect();
    let (places, claims): (Vec<usize>, Vec<(PropertyKind, ExprId)>) =
        claims(set).into_iter().unzip();
    for test in tests.iter().filter(|_| !claims.is_empty()) {
        let said =
            machine::violated(&set.model, test, &claims, &explicit::ENGINE, &Budget::unlimited());
        for (&place, violated) in places.iter().zip(said) {
            shown[place] |= violated == Ok(true);
        }
    }
    shown
}

/// The goals that are claims.
pub fn claims(set: &GoalSet) -> Vec<(usize, (PropertyKind, ExprId))> {
    let goals = set.goals.iter().enumerate();
    let claims = goals.filter_map(|(idx, goal)| match goal.kind {
        GoalKind::Trap(kind, expr) => Some((idx, (kind, expr))),
        _ => None,
    });
    claims.collect()
}

/// The same infinite word with the loop gone round a few times.
fn unrolled(test: &Trace) -> Trace {
    let mut test = test.clone();
    if let Some(start) = test.loop_start {
        let round = test.states[start..].to_vec();
        for _ in 0..N_ROUNDS {
            test.states.extend(round.iter().cloned());
        }
        test.loop_start = Some(test.states.len() - round.len());
    }
    test
}

/// The test with the values of the variables that watch the model.
fn watched(set: &GoalSet, test: &Trace) -> Trace {
    let mut test = test.clone();
    for state in &mut test.states {
        state.values.resize(set.model.vars.len(), None);
    }
    let watching = |kind: AssignKind| {
        let assigns = set.model.assigns.iter();
        assigns.filter(move |a| a.kind == kind && set.model.is_added(a.var))
    };
    for idx in 0..test.states.len() {
        let kind = if idx == 0 { AssignKind::Init } else { AssignKind::Next };
        for assign in watching(kind) {
            let here = test.states[idx].values.clone();
            let cell = match idx.checked_sub(1) {
                None => evaluate(&set.model, assign.expr, &here, &[]),
                Some(before) => {
                    evaluate(&set.model, assign.expr, &test.states[before].values, &here)
                }
            };
            if let Cell::Value(value) = cell {
                test.states[idx].values[assign.var.0 as usize] = Some(value);
            }
        }
    }
    test
}

/// Is each test a path of the model?
pub fn check_paths(model: &Model, tests: &[Trace], what: &str) {
    let replayer = Replayer::new(model);
    for test in tests {
        let replayed = replayer.replay(test);
        assert!(replayed.is_ok(), "{replayed:?} {test:?}\n{what}");
    }
}
