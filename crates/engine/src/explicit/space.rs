//! The packed states that a search has found.
//!
//! The key of a group is the part of its states that a step decides (see [`super::system`]); its
//! states are contiguous. Where a step decides everything, a group is a state and nothing is stored
//! twice.

use crate::answer::Why;
use trapline_budget::Budget;

use super::graph::{GroupId, StateId};
use super::table::Table;

/// No parent: the group contains initial states.
const NONE: StateId = StateId::MAX;

/// The states that a search has found.
pub struct Space {
    n_words: usize,
    /// The packed keys.
    keys: Vec<u64>,
    /// The packed states, unless they coincide with the keys.
    states: Vec<u64>,
    is_grouped: bool,
    /// The first state of each group, and the number of states.
    group_start: Vec<StateId>,
    group_of: Vec<GroupId>,
    /// The parent state of each group in the breadth-first tree.
    parents: Vec<StateId>,
    table: Table,
}

impl Space {
    /// An empty space, for states of this many words.
    pub fn new(n_words: usize, is_grouped: bool) -> Space {
        Space {
            n_words,
            keys: Vec::new(),
            states: Vec::new(),
            is_grouped,
            group_start: vec![0],
            group_of: Vec::new(),
            parents: Vec::new(),
            table: Table::new(n_words),
        }
    }

    /// Number of states; one stored both as initial state and in its group counts twice.
    pub fn n_states(&self) -> usize {
        self.group_start[self.group_start.len() - 1] as usize
    }

    /// How many groups there are.
    pub fn n_groups(&self) -> usize {
        self.parents.len()
    }

    /// Number of groups that have been filled.
    pub fn n_filled(&self) -> usize {
        self.group_start.len() - 1
    }

    /// Words of a packed state.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// The packed states from one number on.
    pub fn states_from(&self, first: StateId) -> &[u64] {
        let all = if self.is_grouped { &self.states } else { &self.keys };
        &all[first as usize * self.n_words..]
    }

    /// A packed state.
    pub fn state(&self, state: StateId) -> &[u64] {
        &self.states_from(state)[..self.n_words]
    }

    /// The packed groups from one number on.
    pub fn keys_from(&self, first: GroupId) -> &[u64] {
        &self.keys[first as usize * self.n_words..]
    }

    /// True if a group has no states.
    pub fn is_empty_group(&self, group: GroupId) -> bool {
        self.states_of(group).is_empty()
    }

    /// The parent of the group of a state; `None` for an initial state.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        self.parent_of(self.group_of(state))
    }

    /// The parent of a group; `None` for an initial group.
    pub fn parent_of(&self, group: GroupId) -> Option<StateId> {
        Some(self.parents[group as usize]).filter(|&parent| parent != NONE)
    }

    /// The group of a state.
    pub fn group_of(&self, state: StateId) -> GroupId {
        self.group_of.get(state as usize).copied().unwrap_or(state)
    }

    /// The first state of a group.
    pub fn first_of(&self, group: GroupId) -> StateId {
        self.group_start[group as usize]
    }

    /// The states of a group; none if the search was cut before filling it.
    pub fn states_of(&self, group: GroupId) -> std::ops::Range<StateId> {
        let end = self.group_start.get(group as usize + 1).copied().unwrap_or(0);
        self.group_start.get(group as usize).copied().unwrap_or(0)..end
    }

    /// The group with this key.
    pub fn find(&self, key: &[u64]) -> Option<GroupId> {
        self.table.find(key, &self.keys)
    }

    /// Inserts a key. A new group has no states yet, unless a group is a state.
    pub fn insert(&mut self, key: &[u64], parent: Option<StateId>) -> GroupId {
        self.table.fetch(key, &self.keys);
        self.insert_fetched(0, key, parent)
    }

    /// Inserts these keys, each with its parent state.
    pub fn insert_all(
        &mut self,
        asked: &[u64],
        parents: impl Iterator<Item = StateId>,
        mut on_group: impl FnMut(StateId, GroupId),
    ) {
        self.table.fetch(asked, &self.keys);
        for (position, (key, parent)) in asked.chunks_exact(self.n_words).zip(parents).enumerate() {
            on_group(parent, self.insert_fetched(position, key, Some(parent)));
        }
    }

    fn insert_fetched(&mut self, position: usize, key: &[u64], parent: Option<StateId>) -> GroupId {
        let new = self.parents.len() as GroupId;
        let (group, is_new) = self.table.insert(position, key, &self.keys, new);
        if is_new {
            self.push_group(key, parent);
        }
        group
    }

    /// Adds a group without predecessors, and its only state.
    pub fn push_start(&mut self, key: &[u64], state: &[u64]) {
        self.push_group(key, None);
        self.push_states(state, 1);
    }

    fn push_group(&mut self, key: &[u64], parent: Option<StateId>) {
        self.keys.extend_from_slice(key);
        self.parents.push(parent.unwrap_or(NONE));
        if !self.is_grouped {
            self.group_start.push(self.parents.len() as StateId);
        }
    }

    /// Fills the next unfilled group.
    pub fn push_states(&mut self, states: &[u64], n_states: usize) {
        let group = self.group_start.len() as GroupId - 1;
        self.states.extend_from_slice(states);
        self.group_of.extend(std::iter::repeat_n(group, n_states));
        self.group_start.push(self.group_of.len() as StateId);
    }

    /// Reserves space for more groups and states. Asks the budget before large allocations.
    ///
    /// # Errors
    /// When the budget has no room for more.
    pub fn reserve(&mut self, n_more: usize, budget: &Budget) -> Result<(), Why> {
        if self.n_states() + n_more >= NONE as usize || self.n_groups() + n_more >= NONE as usize {
            return Err(Why::Unsupported("more than four thousand million states".into()));
        }
        let n_words = self.n_words;
        self.table.reserve(n_more, &self.keys, budget)?;
        grow(&mut self.keys, n_more * n_words, budget)?;
        grow(&mut self.parents, n_more, budget)?;
        grow(&mut self.group_start, n_more, budget)?;
        if self.is_grouped {
            grow(&mut self.states, n_more * n_words, budget)?;
            grow(&mut self.group_of, n_more, budget)?;
        }
        Ok(())
    }

    /// The states on a shortest path to a state.
    pub fn path_to(&self, state: StateId) -> Vec<StateId> {
        let mut path = vec![state];
        while let Some(parent) = self.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The arrays of the graph: the first state of each group, and the group of each state.
    pub fn groups(&self) -> (Vec<StateId>, Vec<GroupId>) {
        (self.group_start.clone(), self.group_of.clone())
    }
}

/// Reserves space, growing by half, so that large vectors do not double.
///
/// # Errors
/// When the budget has no room for it.
pub fn grow<T>(items: &mut Vec<T>, n_more: usize, budget: &Budget) -> Result<(), Why> {
    if items.capacity() - items.len() < n_more {
        let n_new = n_more.max(items.len() / 2);
        // Old and new storage coexist while items are copied.
        budget.allows(((items.len() + n_new) * size_of::<T>()) as u64)?;
        items.reserve_exact(n_new);
    }
    Ok(())
}
