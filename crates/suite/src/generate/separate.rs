//! One test per goal: a shortest trace to each of its subgoals.

use std::collections::BTreeMap;

use trapline_model::trace::Trace;

use super::Work;
use crate::tracker::{Status, Tracker};

/// Turns known traces into tests for the subgoals that no test meets.
pub fn make(tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let wanted = tracker.wanted();
    let shown = match work.budget.spend(0) {
        Ok(()) => wanted.clone(),
        Err(_) => furthest(tracker, &wanted),
    };
    for part in shown {
        if let Some(test) = first_segment(tracker, part) {
            work.append(test);
            work.finish();
        }
    }
    let is_known = |part: &usize| matches!(tracker.status[*part], Status::Known { .. });
    let known: Vec<usize> = wanted.into_iter().filter(is_known).collect();
    tracker.meet(known);
}

/// The last subgoal that each trace meets: its test meets the others on the way. This keeps the
/// number of tests to evaluate small.
fn furthest(tracker: &Tracker<'_>, parts: &[usize]) -> Vec<usize> {
    let mut last: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for &part in parts {
        if let Status::Known { trace, state } = tracker.status[part] {
            let known = last.entry(trace).or_insert((state, part));
            *known = (*known).max((state, part));
        }
    }
    last.into_values().map(|(_, part)| part).collect()
}

/// The trace to a subgoal, if one is known; a lasso is kept whole.
pub fn first_segment(tracker: &Tracker<'_>, part: usize) -> Option<Trace> {
    let Status::Known { trace, state } = tracker.status[part] else { return None };
    let trace = &tracker.found[trace];
    Some(match trace.loop_start {
        Some(_) => trace.clone(),
        None => Trace { states: trace.states[..=state].to_vec(), loop_start: None },
    })
}
