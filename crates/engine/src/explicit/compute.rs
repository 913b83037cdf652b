//! The shortest and longest distance from one set of states to another.
//!
//! Both follow NuSMV, including its corner cases. Only states with a fair path count, intermediate
//! ones included; the path itself need not extend to a fair one.

use fixedbitset::FixedBitSet;

use super::fair::FairGraph;
use super::graph::StateId;
use crate::{Budget, Distance, Why};

/// The least number of steps from a state of `start` to one of `end`.
///
/// # Errors
/// When the budget runs out.
pub fn min(
    fair: &FairGraph,
    start: &FixedBitSet,
    end: &FixedBitSet,
    budget: &Budget,
) -> Result<Distance, Why> {
    let graph = fair.graph;
    budget.allows(graph.n_states() as u64 * 4)?;
    let mut seen = start & &fair.states;
    let mut is_met = FixedBitSet::with_capacity(graph.n_groups());
    let mut frontier: Vec<StateId> = seen.ones().map(|state| state as StateId).collect();
    let mut n_steps = 0;
    while !frontier.is_empty() {
        if frontier.iter().any(|&state| end.contains(state as usize)) {
            return Ok(Distance::Steps(n_steps));
        }
        let mut next = Vec::new();
        for state in frontier {
            let successors = graph.successors(state);
            budget.spend(successors.len() as u64 + 1)?;
            for &group in successors.iter().filter(|&&group| !is_met.put(group as usize)) {
                let counts = |&state: &StateId| fair.states.contains(state as usize);
                let is_new = |state: &StateId| !seen.put(*state as usize);
                next.extend(graph.group(group).filter(counts).filter(is_new));
            }
        }
        frontier = next;
        n_steps += 1;
    }
    Ok(Distance::Infinite)
}

/// The greatest number of steps that a path from `start` can take before it meets `end` or has to.
///
/// # Errors
/// When the budget runs out.
pub fn max(
    fair: &FairGraph,
    start: &FixedBitSet,
    end: &FixedBitSet,
    budget: &Budget,
) -> Result<Distance, Why> {
    // Without fair states NuSMV uses all states here, and none in the other computation.
    let is_empty = |set: &FixedBitSet| match fair.states.is_clear() {
        true => set.is_clear(),
        false => set.is_disjoint(&fair.states),
    };
    if is_empty(start) || is_empty(end) {
        return Ok(Distance::Undefined);
    }
    let mut outside = fair.states.clone();
    outside.difference_with(end);
    let mut longest = 0;
    // A state is removed in the round equal to the length of its longest path to the end.
    let note = |state: StateId, round: u64| {
        if start.contains(state as usize) {
            longest = round;
        }
    };
    let endless = fair.backward.peel(outside, None, u64::MAX, note, budget)?;
    let is_endless = !start.is_disjoint(&endless);
    Ok(if is_endless { Distance::Infinite } else { Distance::Steps(longest) })
}
