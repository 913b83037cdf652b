//! Enumerates the part of a state that the step leaves free.

use crate::answer::Why;
use trapline_budget::Budget;

use super::super::graph::GroupId;
use super::super::layout::Layout;
use super::super::program::Machine;
use super::super::space::{Space, grow};
use super::super::system::StateProgram;
use super::starts::key;
use super::{pack, unpack};

/// Fills new groups with their states.
pub struct Filler<'s> {
    fill: &'s StateProgram,
    layout: &'s Layout,
    machine: Machine,
    /// The end of each lane's states in `order`, which lists indices into `packed`.
    ends: Vec<usize>,
    order: Vec<u32>,
    origins: Vec<i64>,
    packed: Vec<u64>,
    states: Vec<u64>,
    /// A group with an undefined expression.
    pub failed: Option<GroupId>,
}

impl<'s> Filler<'s> {
    /// Prepares a program.
    pub fn new(fill: &'s StateProgram, layout: &'s Layout) -> Filler<'s> {
        Filler {
            fill,
            layout,
            machine: Machine::new(&fill.program),
            ends: Vec::new(),
            order: Vec::new(),
            origins: Vec::new(),
            packed: Vec::new(),
            states: Vec::new(),
            failed: None,
        }
    }

    /// Fills all groups that have no states yet.
    ///
    /// # Errors
    /// When the budget runs out, or an expression has no value.
    pub fn fill(&mut self, space: &mut Space, budget: &Budget) -> Result<(), Why> {
        loop {
            let first = space.n_filled();
            let n_lanes = self.machine.n_lanes().min(space.n_groups() - first);
            if n_lanes == 0 {
                return Ok(());
            }
            let keys = space.keys_from(first as GroupId);
            if let Some(lane) = self.complete(keys, n_lanes, budget)? {
                self.failed = Some(first as GroupId + lane);
                return Err(Why::Interrupted);
            }
            let n_words = self.layout.n_words;
            for lane in 0..n_lanes {
                self.states.clear();
                let key = &space.keys_from((first + lane) as GroupId)[..n_words];
                let start = lane.checked_sub(1).map_or(0, |before| self.ends[before]);
                for &at in &self.order[start..self.ends[lane]] {
                    let rest = &self.packed[at as usize * n_words..(at as usize + 1) * n_words];
                    self.states.extend(key.iter().zip(rest).map(|(key, rest)| key | rest));
                }
                let n_states = self.states.len() / n_words;
                space.reserve(n_states, budget)?;
                space.push_states(&self.states, n_states);
            }
        }
    }

    /// Enumerates the states of some keys: their lane, and their packed form. Returns a lane in
    /// which an expression is undefined.
    fn complete(
        &mut self,
        keys: &[u64],
        n_lanes: usize,
        budget: &Budget,
    ) -> Result<Option<u32>, Why> {
        let Filler { fill, layout, machine, origins, packed, .. } = self;
        machine.start(n_lanes);
        unpack(layout, &fill.given, keys, machine);
        origins.clear();
        packed.clear();
        let mut part = Vec::new();
        let mut failed = None;
        machine.run(&fill.program, budget, &mut |lanes| {
            if let Some(lane) = lanes.failed() {
                failed = Some(lanes.origins()[lane] as u32);
            }
            pack(layout, &fill.found, lanes, &mut part, budget)?;
            origins.extend_from_slice(lanes.origins());
            grow(packed, part.len(), budget)?;
            packed.extend_from_slice(&part);
            Ok(())
        })?;
        self.sort(n_lanes);
        Ok(failed)
    }

    /// Counting sort of the results by lane.
    fn sort(&mut self, n_lanes: usize) {
        self.ends.clear();
        self.ends.resize(n_lanes, 0);
        for &origin in &self.origins {
            self.ends[origin as usize] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.order.clear();
        self.order.resize(self.origins.len(), 0);
        for (at, &origin) in self.origins.iter().enumerate() {
            let end = &mut self.ends[origin as usize];
            self.order[*end] = at as u32;
            *end += 1;
        }
    }

    /// The initial states. They may leave less open than a step does: then each is a group of its
    /// own, without predecessors; those that are all states of their group are that group.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn start(
        &mut self,
        space: &mut Space,
        decided: &[u64],
        starts: &[u64],
        budget: &Budget,
    ) -> Result<(), Why> {
        let n_words = self.layout.n_words;
        let states: Vec<&[u64]> = starts.chunks_exact(n_words).collect();
        for group in states.chunk_by(|a, b| key(decided, a).eq(key(decided, b))) {
            let key: Vec<u64> = key(decided, group[0]).collect();
            self.complete(&key, 1, budget)?;
            let rests = self.packed.chunks_exact(n_words);
            let all = rests.map(|rest| key.iter().zip(rest).map(|(k, r)| k | r).collect());
            let mut all: Vec<Vec<u64>> = all.collect();
            all.sort_unstable();
            all.dedup();
            if all == group {
                space.insert(&key, None);
                space.push_states(&group.concat(), group.len());
            } else {
                group.iter().for_each(|state| space.push_start(&key, state));
            }
        }
        Ok(())
    }
}
