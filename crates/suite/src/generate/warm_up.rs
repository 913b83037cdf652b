//! Initial random walks: cheap, and they reach deep states.
//!
//! Of a few random successors the walk takes the one that meets the most new subgoals. It restarts
//! when it has met nothing new for a while, or deadlocks.

use trapline_engine::Budget;
use trapline_engine::simulate::{Choice, Simulator};
use trapline_model::trace::Trace;

use super::{Options, Work};
use crate::journal::{Record, Walk};
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
    let mut n_left = work.options.warm_up;
    while n_left > 0 && work.budget.spend(0).is_ok() {
        let recalled = work.recall(|record| match record {
            Record::Walk(walk) => fitting(walk, tracker),
            _ => None,
        });
        let walk = match recalled {
            Some(walk) => {
                tracker.meet(walk.met.iter().copied());
                walk
            }
            None => {
                let walk = one(&simulator, n_left, tracker, work);
                let record = work.log.write(Record::Walk(walk), work.budget);
                let Record::Walk(walk) = record else { unreachable!("it is what was written") };
                walk
            }
        };
        // Not even an initial state was found.
        if walk.n_steps == 0 {
            return;
        }
        n_left = n_left.saturating_sub(walk.n_steps);
        if !walk.trace.states.is_empty() {
            work.append(walk.trace);
            work.finish();
        }
    }
}

/// A walk about subgoals that there are.
fn fitting(walk: Walk, tracker: &Tracker<'_>) -> Option<Walk> {
    walk.met.iter().all(|&subgoal| subgoal < tracker.status.len()).then_some(walk)
}

/// One walk of at most so many steps. Its seed depends on where it begins, so that it is the same
/// in a resumed run.
fn one(
    simulator: &Simulator<'_>,
    n_left: usize,
    tracker: &mut Tracker<'_>,
    work: &Work<'_>,
) -> Walk {
    let Options { warm_up, seed, .. } = *work.options;
    let mut rng = fastrand::Rng::with_seed(seed.wrapping_add((warm_up - n_left) as u64));
    let max_idle = (warm_up / IDLE_SHARE).max(10);
    let (mut walk, mut n_needed, mut n_idle) = (Walk::default(), 0, 0);
    while walk.n_steps < n_left && n_idle < max_idle && work.budget.spend(1).is_ok() {
        // A step may take as long as thousands of units of other work.
        if work.budget.spend(0).is_err() {
            break;
        }
        let trace = &mut walk.trace;
        let is_taken = step(simulator, trace, tracker, &mut rng, work.budget);
        if !is_taken && trace.states.is_empty() {
            return walk;
        }
        walk.n_steps += 1;
        if !is_taken {
            break;
        }
        let met = tracker.new_in(trace, trace.states.len().saturating_sub(2));
        n_idle = if met.is_empty() { n_idle + 1 } else { 0 };
        if !met.is_empty() {
            n_needed = trace.states.len();
            walk.met.extend(met.into_iter().map(|(subgoal, _)| subgoal));
            tracker.meet(walk.met.iter().copied());
        }
    }
    walk.trace.states.truncate(n_needed);
    if let Some(last) = walk.trace.states.last_mut() {
        last.drop_inputs(&tracker.subgoals.model);
    }
    walk
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
