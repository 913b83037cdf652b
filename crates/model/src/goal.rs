//! What a test is asked to do.

use std::ops::Range;

use crate::eval::Plan;
use crate::expr::ExprId;
use crate::model::Model;
use crate::trace::Trace;

/// What a trace must do to reach a goal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Visit a state in which this holds.
    State(ExprId),
    /// Take a step in which this holds; it may read the next state and the inputs.
    Step(ExprId),
    /// Take consecutive steps, one for each of these.
    Steps(Vec<ExprId>),
}

/// Looks which targets a trace meets, from the trace alone.
pub struct Judge {
    plan: Plan,
    /// For each target, its roots in the plan.
    roots: Vec<Range<usize>>,
    /// For each target, is it about a state?
    is_state: Vec<bool>,
}

impl Judge {
    /// Prepares targets.
    pub fn new(model: &Model, targets: &[Target]) -> Judge {
        let mut exprs: Vec<ExprId> = Vec::new();
        let mut roots = Vec::new();
        for target in targets {
            let start = exprs.len();
            match target {
                Target::State(expr) | Target::Step(expr) => exprs.push(*expr),
                Target::Steps(steps) => exprs.extend(steps),
            }
            roots.push(start..exprs.len());
        }
        let is_state = targets.iter().map(|target| matches!(target, Target::State(_))).collect();
        Judge { plan: Plan::new(model, &exprs), roots, is_state }
    }

    /// For each target the first state in which the trace has met it; for steps, the state after
    /// the last one.
    pub fn met(&self, trace: &Trace) -> Vec<Option<usize>> {
        // How many of the last steps match the first ones of each target's sequences, as a list
        // of the positions that a match in progress has come to.
        let mut progress: Vec<Vec<usize>> = vec![Vec::new(); self.roots.len()];
        let mut met = vec![None; self.roots.len()];
        let mut cells = Vec::new();
        for (idx, state) in trace.states.iter().enumerate() {
            let next = trace.states.get(idx + 1).map(|next| next.values.as_slice());
            self.plan.run(&state.values, next.unwrap_or(&[]), &mut cells);
            for (target_idx, roots) in self.roots.iter().enumerate() {
                if met[target_idx].is_some() {
                    continue;
                }
                let holds =
                    |at: usize| self.plan.root(roots.start + at, &cells).as_bool() == Some(true);
                if self.is_state[target_idx] {
                    met[target_idx] = holds(0).then_some(idx);
                } else if next.is_some() {
                    let matches = &mut progress[target_idx];
                    matches.push(0);
                    matches.retain_mut(|at| {
                        let goes_on = holds(*at);
                        *at += 1;
                        goes_on
                    });
                    if matches.contains(&roots.len()) {
                        met[target_idx] = Some(idx + 1);
                    }
                }
            }
        }
        met
    }
}
