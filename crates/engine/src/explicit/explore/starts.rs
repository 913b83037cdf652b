//! The initial states, sorted and distinct.
//!
//! There may be tens of millions of them, so they are kept in a few flat sorted runs: new states
//! are sorted in chunks, and runs of similar size are merged.

use std::cmp::Ordering;

use crate::answer::Why;
use trapline_budget::Budget;

/// Cost of adding a state.
const START: u64 = 8;

/// States sorted at once, and merged between two polls of the budget.
const CHUNK: usize = 1 << 12;

/// The initial states, ordered by the part that a step would decide.
pub struct Starts<'s> {
    /// Mask of the decided bits.
    decided: &'s [u64],
    /// Sorted runs of distinct states, longest first.
    runs: Vec<Vec<u64>>,
    /// States not yet sorted.
    fresh: Vec<u64>,
}

impl<'s> Starts<'s> {
    /// None yet; a mask selects the bits that a step decides.
    pub fn new(decided: &'s [u64]) -> Starts<'s> {
        Starts { decided, runs: Vec::new(), fresh: Vec::new() }
    }

    /// Adds a state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add(&mut self, state: &[u64], budget: &Budget) -> Result<(), Why> {
        budget.spend(START)?;
        self.fresh.extend_from_slice(state);
        if self.fresh.len() < CHUNK * self.decided.len() {
            return Ok(());
        }
        self.sort_fresh();
        while let [.., longer, last] = self.runs.as_slice()
            && longer.len() <= 2 * last.len()
        {
            self.merge_last(budget)?;
        }
        Ok(())
    }

    /// All distinct states, ordered by the part that a step decides.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn sorted(mut self, budget: &Budget) -> Result<Vec<u64>, Why> {
        self.sort_fresh();
        while self.runs.len() > 1 {
            self.merge_last(budget)?;
        }
        Ok(self.runs.pop().unwrap_or_default())
    }

    fn sort_fresh(&mut self) {
        let n_words = self.decided.len();
        let mut order: Vec<&[u64]> = self.fresh.chunks_exact(n_words).collect();
        order.sort_unstable_by(|a, b| compare(self.decided, a, b));
        order.dedup();
        let run = order.concat();
        self.fresh.clear();
        self.runs.push(run);
    }

    /// Merges the last two runs.
    fn merge_last(&mut self, budget: &Budget) -> Result<(), Why> {
        let (Some(b), Some(a)) = (self.runs.pop(), self.runs.pop()) else { return Ok(()) };
        let n_words = self.decided.len();
        budget.allows((a.len() + b.len()) as u64 * 8)?;
        let mut run = Vec::with_capacity(a.len() + b.len());
        let (mut a, mut b) =
            (a.chunks_exact(n_words).peekable(), b.chunks_exact(n_words).peekable());
        let mut n_merged = 0;
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some(a), Some(b)) => compare(self.decided, a, b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let of_a = if order.is_le() { a.next() } else { None };
            let of_b = if order.is_ge() { b.next() } else { None };
            run.extend(of_a.or(of_b).into_iter().flatten());
            n_merged += 1;
            if n_merged % CHUNK == 0 {
                budget.has_patience()?;
            }
        }
        self.runs.push(run);
        Ok(())
    }
}

/// The part of a state that a step decides.
pub fn key<'a>(decided: &'a [u64], state: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    state.iter().zip(decided).map(|(word, mask)| word & mask)
}

fn compare(decided: &[u64], a: &[u64], b: &[u64]) -> Ordering {
    key(decided, a).cmp(key(decided, b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn states_are_sorted_by_what_a_step_decides_each_once() {
        let mut rng = fastrand::Rng::with_seed(1);
        let decided = [0b1100, 0b0011];
        for n_states in [0, 1, 100, CHUNK, 5 * CHUNK + 17] {
            let mut starts = Starts::new(&decided);
            let mut groups: BTreeMap<Vec<u64>, BTreeSet<Vec<u64>>> = BTreeMap::new();
            for _ in 0..n_states {
                let state = vec![rng.u64(0..16), rng.u64(0..1 << 9)];
                let key = key(&decided, &state).collect();
                starts.add(&state, &Budget::unlimited()).unwrap();
                groups.entry(key).or_default().insert(state);
            }
            let expected: Vec<u64> = groups.into_values().flatten().flatten().collect();
            assert_eq!(starts.sorted(&Budget::unlimited()), Ok(expected), "{n_states}");
        }
    }

    #[test]
    fn whoever_loses_patience_waits_for_no_merge() {
        let decided = [u64::MAX];
        let mut starts = Starts::new(&decided);
        for number in 0..7 * CHUNK as u64 {
            starts.add(&[number], &Budget::unlimited()).unwrap();
        }
        let budget = Budget::unlimited().with_interrupt(&|| true);
        assert_eq!(starts.sorted(&budget), Err(Why::Interrupted));
    }
}
