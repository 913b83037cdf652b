//! The edges that a search finds.

use crate::answer::Why;
use trapline_budget::Budget;

use super::super::graph::{GroupId, StateId};
use super::super::program::Lanes;
use super::super::space::grow;
use crate::code::Reg;

/// The edges of the expanded states.
#[derive(Default)]
pub struct Edges {
    /// The first edge of each state, and at the end the number of edges.
    pub start: Vec<usize>,
    /// Where each edge leads.
    pub targets: Vec<GroupId>,
    /// Number of mark words per edge.
    pub mark_words: usize,
    /// The marks of all edges.
    pub marks: Vec<u64>,
}

/// Edges of some states, in the order found.
#[derive(Default)]
pub struct Batch {
    pairs: Vec<(u32, GroupId, u32)>,
    marks: Vec<u64>,
    /// For each state, whether it has an edge.
    pub has_successor: Vec<bool>,
}

impl Batch {
    /// Clears the batch for this many states.
    pub fn clear(&mut self, n_lanes: usize) {
        self.pairs.clear();
        self.marks.clear();
        self.has_successor.clear();
        self.has_successor.resize(n_lanes, false);
    }

    /// Adds steps of states from `first` on.
    pub fn push(
        &mut self,
        steps: &[Option<(StateId, GroupId)>],
        first: StateId,
        lanes: Lanes<'_>,
        marks: &[Reg],
    ) {
        let mark_words = marks.len().div_ceil(64);
        for (lane, step) in steps.iter().enumerate() {
            let Some((state, group)) = step else { continue };
            let mark_idx = self.marks.len() as u32;
            self.marks.resize(self.marks.len() + mark_words, 0);
            for (idx, &mark) in marks.iter().enumerate() {
                let bit = u64::from(lanes.column(mark)[lane] != 0);
                self.marks[mark_idx as usize + idx / 64] |= bit << (idx % 64);
            }
            self.pairs.push((state - first, *group, mark_idx));
        }
    }
}

impl Edges {
    /// Adds the edges of the next states.
    ///
    /// # Errors
    /// When the budget has no room for them.
    pub fn append(
        &mut self,
        batch: &mut Batch,
        n_lanes: usize,
        budget: &Budget,
    ) -> Result<(), Why> {
        batch.pairs.sort_unstable();
        grow(&mut self.targets, batch.pairs.len(), budget)?;
        grow(&mut self.marks, batch.marks.len(), budget)?;
        grow(&mut self.start, n_lanes, budget)?;
        let mut pairs = batch.pairs.iter().peekable();
        for lane in 0..n_lanes as u32 {
            let mut last = None;
            while let Some(&(_, group, mark_idx)) = pairs.next_if(|(other, ..)| *other == lane) {
                if last.replace(group) != Some(group) {
                    self.targets.push(group);
                    self.marks.resize(self.marks.len() + self.mark_words, 0);
                }
                // An edge has the union of the marks of the steps it represents.
                let end = self.marks.len();
                let from = &batch.marks[mark_idx as usize..mark_idx as usize + self.mark_words];
                for (mark, more) in self.marks[end - self.mark_words..].iter_mut().zip(from) {
                    *mark |= more;
                }
            }
            self.start.push(self.targets.len());
        }
        Ok(())
    }
}
