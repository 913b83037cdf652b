//! Credits each trace with all targets that it meets.

use trapline_model::Model;
use trapline_model::goal::{Judge, Target};
use trapline_model::trace::Trace;

use crate::answer::{Reached, Verdict, Why};
use trapline_budget::Budget;

/// The distance of a target.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// The number of steps to it.
    pub n_steps: usize,
    /// True if it is minimal.
    pub is_shortest: bool,
}

impl Depth {
    /// A minimal distance.
    pub fn shortest(n_steps: usize) -> Depth {
        Depth { n_steps, is_shortest: true }
    }
}

/// Only the targets within the depth limit.
pub fn within(budget: &Budget, depths: &[Option<Depth>]) -> Vec<Option<Depth>> {
    let is_near = |depth: &Depth| budget.reaches(depth.n_steps as u64).is_ok();
    depths.iter().map(|depth| depth.filter(is_near)).collect()
}

/// Targets hit beyond the depth limit are neither reached nor unreachable.
pub fn mark_beyond(verdicts: &mut [Verdict], depths: &[Option<Depth>], within: &[Option<Depth>]) {
    for (verdict, (depth, near)) in verdicts.iter_mut().zip(depths.iter().zip(within)) {
        if depth.is_some() && near.is_none() {
            *verdict = Verdict::Unknown(Why::Depth);
        }
    }
}

/// Gives every target that was hit its verdict, and all others `open`; `make` builds a trace to a
/// target. The longest traces are built first, and a trace is credited with every target that it
/// meets, unless a shorter one is known to be shortest.
pub fn credit(
    model: &Model,
    targets: &[Target],
    depths: &[Option<Depth>],
    open: &Verdict,
    mut make: impl FnMut(usize) -> Result<Trace, Why>,
) -> Reached {
    let mut verdicts: Vec<Option<Verdict>> = vec![None; targets.len()];
    let mut traces = Vec::new();
    let mut order: Vec<usize> = (0..targets.len()).filter(|&idx| depths[idx].is_some()).collect();
    order.sort_by_key(|&idx| std::cmp::Reverse(depths[idx].map(|depth| depth.n_steps)));
    // The targets being evaluated; the evaluator is rebuilt when most are done.
    let mut asked = order.clone();
    let mut judge = judge_of(model, targets, &asked);
    for &idx in &order {
        if verdicts[idx].is_some() {
            continue;
        }
        let trace = match make(idx) {
            Ok(trace) => trace,
            Err(why) => {
                verdicts[idx] = Some(Verdict::Unknown(why));
                continue;
            }
        };
        for (&other, met) in asked.iter().zip(judge.met(&trace)) {
            let is_early = |state: &usize| {
                depths[other].is_some_and(|depth| !depth.is_shortest || *state <= depth.n_steps)
            };
            match met.filter(is_early) {
                Some(state) if verdicts[other].is_none() => {
                    verdicts[other] = Some(Verdict::Reached { trace: traces.len(), state });
                }
                _ => {}
            }
        }
        if verdicts[idx].is_none() {
            unreachable!("the evaluator does not see that a trace meets its target")
        }
        traces.push(trace);
        let is_left = |&idx: &usize| verdicts[idx].is_none();
        if asked.iter().filter(|idx| is_left(idx)).count() * 4 < asked.len() * 3 {
            asked.retain(is_left);
            judge = judge_of(model, targets, &asked);
        }
    }
    let verdicts = verdicts.into_iter().map(|v| v.unwrap_or_else(|| open.clone())).collect();
    Reached { traces, verdicts, ..Reached::default() }
}

fn judge_of(model: &Model, targets: &[Target], asked: &[usize]) -> Judge {
    let asked: Vec<Target> = asked.iter().map(|&idx| targets[idx].clone()).collect();
    Judge::new(model, &asked)
}
