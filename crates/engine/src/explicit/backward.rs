//! Backward searches in the reachability graph.
//!
//! Three operations, each linear in the size of the graph: one preimage ([`Backward::step`]),
//! backward closure ([`Backward::closure`]), and the states that can stay in a set
//! ([`Backward::peel`]). A group is processed once, so that an edge to a large group costs no more
//! than one to a small group.

use fixedbitset::FixedBitSet;

use super::graph::{Graph, GroupId, StateId};
use crate::{Budget, Why};

/// The search scans all states, rather than the predecessors of the frontier, when the frontier is
/// larger than this fraction of them.
const WIDE: usize = 8;

/// A graph with predecessor lists.
#[derive(Clone, Debug)]
pub struct Backward<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The first predecessor of each group, and at the end their number.
    start: Vec<usize>,
    /// The predecessors, sorted for each group.
    states: Vec<StateId>,
}

impl<'a> Backward<'a> {
    /// Computes the predecessor lists.
    ///
    /// # Errors
    /// When the budget runs out; a unit of work is a state, a group or an edge, here and below.
    pub fn new(graph: &'a Graph, budget: &Budget) -> Result<Backward<'a>, Why> {
        let n_edges = graph.edges.len();
        budget.allows(graph.n_groups() as u64 * 8 + n_edges as u64 * 4)?;
        budget.spend(graph.n_groups() as u64 + n_edges as u64)?;
        // Counting sort: counted one position ahead, so that filling in moves each start into
        // place.
        let mut start = vec![0; graph.n_groups() + 2];
        for &group in &graph.edges {
            start[group as usize + 2] += 1;
        }
        for group in 2..start.len() {
            start[group] += start[group - 1];
        }
        let mut states = vec![0; n_edges];
        for state in 0..graph.n_states() as StateId {
            budget.spend(1)?;
            for &group in graph.successors(state) {
                let place = &mut start[group as usize + 1];
                states[*place] = state;
                *place += 1;
            }
        }
        start.pop();
        Ok(Backward { graph, start, states })
    }

    /// The states with an edge to a group.
    pub fn predecessors(&self, group: GroupId) -> &[StateId] {
        &self.states[self.start[group as usize]..self.start[group as usize + 1]]
    }

    /// The states with a successor in the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn step(&self, set: &FixedBitSet, budget: &Budget) -> Result<FixedBitSet, Why> {
        let mut before = self.none();
        let mut last = None;
        for state in set.ones() {
            let group = self.graph.group_of(state as StateId);
            // The states of a group are contiguous.
            if last.replace(group) == Some(group) {
                continue;
            }
            let predecessors = self.predecessors(group);
            budget.spend(predecessors.len() as u64 + 1)?;
            predecessors.iter().for_each(|&state| before.insert(state as usize));
        }
        Ok(before)
    }

    /// The set and all states with a path of at most `max_steps` steps into it, each step leaving a
    /// state of `through`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn closure(
        &self,
        mut set: FixedBitSet,
        through: Option<&FixedBitSet>,
        max_steps: u64,
        budget: &Budget,
    ) -> Result<FixedBitSet, Why> {
        budget.allows(self.graph.n_states() as u64 * 4)?;
        let mut is_met = FixedBitSet::with_capacity(self.graph.n_groups());
        let mut frontier: Vec<StateId> = set.ones().map(|state| state as StateId).collect();
        let mut next = Vec::new();
        let mut n_steps = 0;
        while !frontier.is_empty() && n_steps < max_steps {
            let is_on_way = |state: StateId| through.is_none_or(|set| set.contains(state as usize));
            let meet = |state: StateId| {
                if is_on_way(state) && !set.put(state as usize) {
                    next.push(state);
                }
            };
            if frontier.len() * WIDE < self.graph.n_states() {
                self.meet_narrow(&frontier, &mut is_met, meet, budget)?;
            } else {
                self.meet_wide(&frontier, &mut is_met, meet, budget)?;
            }
            std::mem::swap(&mut frontier, &mut next);
            next.clear();
            n_steps += 1;
        }
        Ok(set)
    }

    /// Processes the predecessors of the frontier.
    fn meet_narrow(
        &self,
        frontier: &[StateId],
        is_met: &mut FixedBitSet,
        mut meet: impl FnMut(StateId),
        budget: &Budget,
    ) -> Result<(), Why> {
        for &state in frontier {
            let group = self.graph.group_of(state);
            if !is_met.put(group as usize) {
                let predecessors = self.predecessors(group);
                budget.spend(predecessors.len() as u64 + 1)?;
                predecessors.iter().for_each(|&state| meet(state));
            }
        }
        Ok(())
    }

    /// Processes all predecessors of visited groups in state order. That is more work for a small
    /// frontier and less for a large one, since memory is read sequentially (Beamer, Asanović and
    /// Patterson, *Direction-optimizing breadth-first search*, 2012).
    fn meet_wide(
        &self,
        frontier: &[StateId],
        is_met: &mut FixedBitSet,
        mut meet: impl FnMut(StateId),
        budget: &Budget,
    ) -> Result<(), Why> {
        frontier.iter().for_each(|&state| is_met.insert(self.graph.group_of(state) as usize));
        for state in 0..self.graph.n_states() as StateId {
            let successors = self.graph.successors(state);
            budget.spend(successors.len() as u64 + 1)?;
            if successors.iter().any(|&group| is_met.contains(group as usize)) {
                meet(state);
            }
        }
        Ok(())
    }

    /// What remains of the set after `max_rounds` rounds. A round removes every state that had no
    /// successor in the set when the round began, except those in `kept`; `on_removed` is called
    /// with each state and its round, counted from one.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn peel(
        &self,
        mut set: FixedBitSet,
        kept: Option<&FixedBitSet>,
        max_rounds: u64,
        mut on_removed: impl FnMut(StateId, u64),
        budget: &Budget,
    ) -> Result<FixedBitSet, Why> {
        let is_kept = |state: StateId| kept.is_some_and(|kept| kept.contains(state as usize));
        let (mut n_members, mut n_ways) = self.counts(&set, budget)?;
        let mut frontier: Vec<StateId> = set.ones().map(|state| state as StateId).collect();
        frontier.retain(|&state| n_ways[state as usize] == 0 && !is_kept(state));
        let mut next = Vec::new();
        let mut round = 1;
        while !frontier.is_empty() && round <= max_rounds {
            for state in frontier.drain(..) {
                set.remove(state as usize);
                on_removed(state, round);
                let group = self.graph.group_of(state);
                n_members[group as usize] -= 1;
                if n_members[group as usize] > 0 {
                    continue;
                }
                let predecessors = self.predecessors(group);
                budget.spend(predecessors.len() as u64 + 1)?;
                for &state in predecessors.iter().filter(|&&state| set.contains(state as usize)) {
                    n_ways[state as usize] -= 1;
                    if n_ways[state as usize] == 0 && !is_kept(state) {
                        next.push(state);
                    }
                }
            }
            std::mem::swap(&mut frontier, &mut next);
            round += 1;
        }
        Ok(set)
    }

    /// For each group the number of its states in the set; for each state in the set the number of
    /// its successor groups that intersect the set.
    fn counts(&self, set: &FixedBitSet, budget: &Budget) -> Result<(Vec<u32>, Vec<u32>), Why> {
        budget.allows((self.graph.n_groups() as u64 + self.graph.n_states() as u64 * 2) * 4)?;
        let mut n_members = vec![0; self.graph.n_groups()];
        for state in set.ones() {
            n_members[self.graph.group_of(state as StateId) as usize] += 1;
        }
        let mut n_ways = vec![0; self.graph.n_states()];
        for state in set.ones() {
            let successors = self.graph.successors(state as StateId);
            budget.spend(successors.len() as u64 + 1)?;
            let n_inside = successors.iter().filter(|&&group| n_members[group as usize] > 0);
            n_ways[state] = n_inside.count() as u32;
        }
        Ok((n_members, n_ways))
    }

    /// The empty set of states.
    pub fn none(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.graph.n_states())
    }

    /// The set of all states.
    pub fn all(&self) -> FixedBitSet {
        let mut all = self.none();
        all.insert_range(..);
        all
    }
}
