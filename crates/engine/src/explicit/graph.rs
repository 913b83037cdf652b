//! The graph of the reachable states.
//!
//! States that differ only in what the next step is free to choose (inputs, mostly) share their
//! predecessors: they form a **group**, and an edge leads from a state to a group, meaning to
//! every state in it. A model whose steps decide everything has groups of one state each.
//! The states of a group stand side by side. Where the model allows no state of a group, it is
//! empty, and no edge leads to it.

use std::ops::Range;

/// A state, by its number. States are numbered as breadth-first search found their groups.
pub type StateId = u32;
/// A group, by its number.
pub type GroupId = u32;

/// The graph of the reachable states.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The first state of each group, and at the end the number of states.
    pub group_start: Vec<StateId>,
    /// The group of each state; empty when every state is a group.
    pub group_of: Vec<GroupId>,
    /// The states in which a path may start.
    pub initial: Vec<StateId>,
    /// The first edge of each state, and at the end the number of edges.
    pub edge_start: Vec<usize>,
    /// Where each edge leads; those of a state are sorted and differ.
    pub edges: Vec<GroupId>,
    /// How many words of `marks` belong to an edge.
    pub mark_words: usize,
    /// For each edge, which of the properties of steps that were asked about (justice over
    /// inputs) some input on the way meets: bit `i` of the words of the edge.
    pub marks: Vec<u64>,
}

impl Graph {
    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.group_start.last().map_or(0, |&n_states| n_states as usize)
    }

    /// How many groups there are.
    pub fn n_groups(&self) -> usize {
        self.group_start.len().saturating_sub(1)
    }

    /// The states of a group.
    pub fn group(&self, group: GroupId) -> Range<StateId> {
        self.group_start[group as usize]..self.group_start[group as usize + 1]
    }

    /// The group of a state.
    pub fn group_of(&self, state: StateId) -> GroupId {
        self.group_of.get(state as usize).copied().unwrap_or(state)
    }

    /// The edges of a state, as indices.
    pub fn edges_of(&self, state: StateId) -> Range<usize> {
        self.edge_start[state as usize]..self.edge_start[state as usize + 1]
    }

    /// The groups that a state leads to.
    pub fn successors(&self, state: StateId) -> &[GroupId] {
        &self.edges[self.edges_of(state)]
    }

    /// Does some input on the edge meet the property of steps with this index?
    pub fn is_marked(&self, edge: usize, mark: usize) -> bool {
        self.marks[edge * self.mark_words + mark / 64] >> (mark % 64) & 1 == 1
    }
}

/// A way through the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The states on it.
    pub states: Vec<StateId>,
    /// For the step that leaves the state with the same index, the mark that it must show, if
    /// one is wanted.
    pub marks: Vec<Option<usize>>,
    /// The state, by its index, that follows the last one.
    pub loop_start: Option<usize>,
}
