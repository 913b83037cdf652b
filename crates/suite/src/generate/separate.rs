//! One test for each goal: a shortest trace to each of its subgoals.

use std::collections::BTreeMap;

use trapline_model::trace::Trace;

use super::{Traces, Work};
use crate::tracker::{Status, Tracker};

/// Turns known traces into tests for the subgoals that no test meets. Returns how many there are.
pub fn make(tracker: &mut Tracker<'_>, work: &mut Work<'_>) -> Traces {
    let wanted = tracker.wanted();
    let shown = match work.budget.spend(0) {
        Ok(()) => wanted.clone(),
        Err(_) => furthest(tracker, &wanted),
    };
    for subgoal in shown {
        if let Some(test) = first_segment(tracker, subgoal) {
            work.append(test);
            work.finish();
        }
    }
    let is_known = |subgoal: &usize| matches!(tracker.status[*subgoal], Status::Known { .. });
    let known: Vec<usize> = wanted.into_iter().filter(is_known).collect();
    let is_long = |subgoal: &&usize| work.perhaps_long.contains(subgoal);
    let n_perhaps_long = known.iter().filter(is_long).count();
    let traces = Traces { n_all: known.len(), n_perhaps_long };
    tracker.meet(known);
    traces
}

/// The last subgoal that each trace meets: its test meets the others on the way. This keeps the
/// number of tests to evaluate small.
fn furthest(tracker: &Tracker<'_>, subgoals: &[usize]) -> Vec<usize> {
    let mut last: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for &subgoal in subgoals {
        if let Status::Known { trace, state } = tracker.status[subgoal] {
            let known = last.entry(trace).or_insert((state, subgoal));
            *known = (*known).max((state, subgoal));
        }
    }
    last.into_values().map(|(_, subgoal)| subgoal).collect()
}

/// The trace to a subgoal, if one is known; a lasso is kept whole.
pub fn first_segment(tracker: &Tracker<'_>, subgoal: usize) -> Option<Trace> {
    let Status::Known { trace, state } = tracker.status[subgoal] else { return None };
    let trace = &tracker.found[trace];
    Some(match trace.loop_start {
        Some(_) => trace.clone(),
        None => Trace { states: trace.states[..=state].to_vec(), loop_start: None },
    })
}
