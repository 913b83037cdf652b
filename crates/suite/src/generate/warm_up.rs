//! Initial random walks: cheap, and they reach deep states.
//!
//! Of a few random successors the walk takes the one that meets the most new subgoals. It restarts
//! when it has met nothing new for a while, or deadlocks.

use trapline_engine::Budget;
use trapline_engine::simulate::{Choice, Simulator};
use trapline_model::trace::Trace;

use super::Work;
use crate::tracker::Tracker;

/// Number of successors sampled.
const N_CHOICES: usize = 4;

/// A walk ends after this fraction of all steps without anything new.
const IDLE_SHARE: usize = 10;

/// Work limit for finding a successor.
const MAX_WORK: u64 = 1_000_000;

/// Walks the requested number of steps; each walk that meets something becomes a test.
pub fn walk(tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let model = tracker.subgoals.model.clone();
    let simulator = Simulator::new(&model);
    let mut rng = fastrand::Rng::with_seed(work.options.seed);
    let mut n_left = work.options.warm_up;
    let max_idle = (n_left / IDLE_SHARE).max(10);
    while n_left > 0 && work.budget.spend(0).is_ok() {
        let (mut trace, mut n_needed, mut n_idle) = (Trace::default(), 0, 0);
        while n_left > 0 && n_idle < max_idle && work.budget.spend(1).is_ok() {
            // A step may take as long as thousands of units of other work.
            if work.budget.spend(0).is_err() {
                break;
            }
            n_left -= 1;
            if !step(&simulator, &mut trace, tracker, &mut rng, work.budget) {
                break;
            }
            let met = tracker.new_in(&trace, trace.states.len().saturating_sub(2));
            n_idle = if met.is_empty() { n_idle + 1 } else { 0 };
            if !met.is_empty() {
                n_needed = trace.states.len();
                tracker.meet(met.into_iter().map(|(subgoal, _)| subgoal));
            }
        }
        if trace.states.is_empty() {
            return;
        }
        trace.states.truncate(n_needed);
        if let Some(last) = trace.states.last_mut() {
            last.drop_inputs(&model);
            work.append(trace);
            work.finish();
        }
    }
}

/// Takes one step. Returns false at a deadlock.
fn step(
    simulator: &Simulator<'_>,
    trace: &mut Trace,
    tracker: &Tracker<'_>,
    rng: &mut fastrand::Rng,
    budget: &Budget<'_>,
) -> bool {
    let mut best: Option<(usize, Trace)> = None;
    for _ in 0..N_CHOICES {
        let part = budget.part(Some(MAX_WORK));
        let found = match trace.states.last() {
            None => simulator.initial(&[], rng, &part),
            Some(state) => simulator.step(state, &[], rng, &part),
        };
        let Ok(Some(choice)) = found else { break };
        let ahead = taken(trace, choice, tracker.n_steps());
        let gain = tracker.new_in(&ahead, 0).len();
        if best.as_ref().is_none_or(|(most, _)| gain > *most) {
            best = Some((gain, ahead));
        }
    }
    let Some((_, mut ahead)) = best else { return false };
    let n_kept = trace.states.len().saturating_sub(ahead.states.len() - 1);
    trace.states.truncate(n_kept);
    trace.states.append(&mut ahead.states);
    true
}

/// The end of the trace extended by the chosen state.
fn taken(trace: &Trace, choice: Choice, n_steps: usize) -> Trace {
    let mut states = trace.states[trace.states.len().saturating_sub(n_steps)..].to_vec();
    if let (Some(last), Some(from)) = (states.last_mut(), choice.from) {
        *last = from;
    }
    states.push(choice.state);
    Trace { states, loop_start: None }
}
