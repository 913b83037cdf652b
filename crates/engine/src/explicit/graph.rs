//! The reachability graph.
//!
//! States that differ only in what the next step is free to choose (mostly inputs) share their
//! predecessors: they form a **group**, and an edge leads from a state to a group, meaning to every
//! state in it. If steps decide everything, each group is a single state. The states of a group are
//! contiguous. A group with no state that the model allows is empty, and no edge leads to it.

use std::ops::Range;

/// A state number, in the order in which breadth-first search found the groups.
pub type StateId = u32;
/// A group number.
pub type GroupId = u32;

/// The reachability graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The first state of each group, and at the end the number of states.
    pub group_start: Vec<StateId>,
    /// The group of each state; empty when every group is a single state.
    pub group_of: Vec<GroupId>,
    /// The initial states.
    pub initial: Vec<StateId>,
    /// The first edge of each state, and at the end the number of edges.
    pub edge_start: Vec<usize>,
    /// The target of each edge; those of a state are sorted and distinct.
    pub edges: Vec<GroupId>,
    /// Number of `marks` words per edge.
    pub mark_words: usize,
    /// For each edge the step predicates (justice constraints over inputs) that some input on it
    /// satisfies: bit `i` of the edge's words.
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

    /// The successor groups of a state.
    pub fn successors(&self, state: StateId) -> &[GroupId] {
        &self.edges[self.edges_of(state)]
    }

    /// True if some input on the edge satisfies the step predicate with this index.
    pub fn is_marked(&self, edge: usize, mark: usize) -> bool {
        self.marks[edge * self.mark_words + mark / 64] >> (mark % 64) & 1 == 1
    }
}

/// A path in the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Its states.
    pub states: Vec<StateId>,
    /// For the step that leaves the state with the same index, the mark it must show, if any.
    pub marks: Vec<Option<usize>>,
    /// The index of the state that follows the last one.
    pub loop_start: Option<usize>,
}
