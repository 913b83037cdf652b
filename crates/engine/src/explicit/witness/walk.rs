//! Forward search in the graph.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use super::super::graph::{Graph, StateId};
use crate::{Budget, Why};

/// The first successor that satisfies a predicate.
pub fn step(graph: &Graph, state: StateId, is_goal: impl Fn(StateId) -> bool) -> Option<StateId> {
    let mut successors = graph.successors(state).iter().flat_map(|&group| graph.group(group));
    successors.find(|&state| is_goal(state))
}

/// A shortest path from a state to a goal, without the first state: at least one step, even if the
/// start is a goal. It leaves only states of the allowed set, and the first one.
///
/// # Errors
/// When the budget runs out; a unit of work is a state or an edge.
pub fn shortest(
    graph: &Graph,
    from: StateId,
    is_on_way: impl Fn(StateId) -> bool,
    is_goal: impl Fn(StateId) -> bool,
    budget: &Budget,
) -> Result<Option<Vec<StateId>>, Why> {
    budget.allows(graph.n_states() as u64 * 8)?;
    // The breadth-first parent plus one; zero for unvisited states.
    let mut parent: Vec<StateId> = vec![0; graph.n_states()];
    let mut is_met = FixedBitSet::with_capacity(graph.n_groups());
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        budget.spend(graph.successors(state).len() as u64 + 1)?;
        for &group in graph.successors(state) {
            if is_met.put(group as usize) {
                continue;
            }
            for successor in graph.group(group) {
                parent[successor as usize] = state + 1;
                if is_goal(successor) {
                    return Ok(Some(back(&parent, from, successor)));
                }
                if is_on_way(successor) {
                    queue.push_back(successor);
                }
            }
        }
    }
    Ok(None)
}

fn back(parent: &[StateId], from: StateId, goal: StateId) -> Vec<StateId> {
    let mut way = vec![goal];
    let mut state = parent[goal as usize] - 1;
    while state != from {
        way.push(state);
        state = parent[state as usize] - 1;
    }
    way.reverse();
    way
}
