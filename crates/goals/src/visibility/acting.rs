//! Where faults first act on tests: the kill conditions of all of them are evaluated together.

use trapline_model::Model;
use trapline_model::coverage::CoverageEvaluator;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;

use super::Fault;
use crate::goal::GoalKind;

/// Evaluates where faults that last first act. Up to there, a copy does what the model does.
pub struct Acting {
    evaluator: CoverageEvaluator,
    /// By fault, whether it acts in an initial state or not at all.
    is_initial: Vec<bool>,
}

impl Acting {
    /// Prepares faults.
    pub fn new<'f>(model: &Model, faults: impl Iterator<Item = &'f Fault>) -> Acting {
        let (mut targets, mut is_initial) = (Vec::new(), Vec::new());
        for fault in faults {
            is_initial.push(matches!(fault.when, GoalKind::Initial(_)));
            targets.push(target(&fault.when));
        }
        Acting { evaluator: CoverageEvaluator::new(model, &targets), is_initial }
    }

    /// For each fault the tests on which it acts, each with the state in which it does first.
    pub fn on(&self, tests: &[Trace], goes_on: &dyn Fn() -> bool) -> Vec<Vec<(usize, usize)>> {
        let mut met = self.evaluator.met(tests, 1, goes_on);
        for (met, is_initial) in met.iter_mut().zip(&self.is_initial) {
            met.retain(|(_, state)| !is_initial || *state == 0);
        }
        met
    }
}

/// A kill condition as a target; initial states are states like others.
pub fn target(when: &GoalKind) -> Target {
    match when {
        GoalKind::Initial(expr) | GoalKind::State(expr) => Target::State(*expr),
        GoalKind::Step(expr) => Target::Step(*expr),
        GoalKind::Steps(_) | GoalKind::Pair(_) | GoalKind::Trap(..) | GoalKind::Fault(_) => {
            unreachable!("a rule is about a state or a step")
        }
    }
}
