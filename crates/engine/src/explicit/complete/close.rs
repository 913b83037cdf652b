//! Closes lassos of the whole model, from lassos over the cone of influence.
//!
//! When the cone has returned to the start of the loop, the other variables need not have. So the
//! loop is repeated until they all have: first for a few iterations keeping their values, then with
//! other choices, which may restore at once what would otherwise count for long, and finally for as
//! many iterations as a test may have. A chosen variable has the same options in the same states,
//! so each of these walks eventually returns.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use trapline_model::trace::{State, Trace};

use super::{Completer, Known, Preference};
use crate::answer::Why;

/// Maximum number of states of a walk, except for the last one.
const FEW: usize = 1_000;
const MANY: usize = 200_000;
/// Maximum number of values in all states of a walk.
const MAX_VALUES: usize = 10_000_000;
/// Maximum work of a walk, in operations.
const MAX_WORK: usize = 1_000_000_000;
/// Number of other choices tried.
const N_OTHERS: u64 = 8;

impl Completer<'_> {
    /// Repeats the loop from `start` until all variables have returned to their values. If they
    /// never do, the path is shown without a loop.
    pub(super) fn close(
        &self,
        states: Vec<State>,
        known: &[Known],
        start: usize,
    ) -> Result<Trace, Why> {
        let others = (0..N_OTHERS).map(|seed| (Preference::Always(seed), FEW));
        let walks =
            [(Preference::Old, FEW)].into_iter().chain(others).chain([(Preference::Old, MANY)]);
        for (preference, n_states) in walks {
            let n_states = n_states.min(self.longest()).saturating_add(known.len());
            if let Some(trace) = self.turn(&states, known, start, (preference, n_states)) {
                return Ok(trace);
            }
        }
        let mut states = states;
        self.push(&mut states, &known[known.len() - 1], &known[start], Preference::Old)?;
        Ok(Trace { states, loop_start: None })
    }

    /// Maximum number of states of a walk.
    fn longest(&self) -> usize {
        let n_values = self.model.vars.len().max(1);
        let n_operations = self.whole.step.program.ops.len().max(1);
        (MAX_VALUES / n_values).min(MAX_WORK / n_operations)
    }

    /// Repeats the loop up to this many states.
    fn turn(
        &self,
        states: &[State],
        known: &[Known],
        start: usize,
        (preference, n_states): (Preference, usize),
    ) -> Option<Trace> {
        let mut states = states.to_vec();
        let mut seen: FxHashMap<u64, usize> = FxHashMap::default();
        seen.insert(self.digest(&states[start]), start);
        while states.len() <= n_states {
            self.push(&mut states, &known[known.len() - 1], &known[start], preference).ok()?;
            let last = states.len() - 1;
            let place = *seen.entry(self.digest(&states[last])).or_insert(last);
            if place != last && self.is_same(&states[place], &states[last]) {
                states.pop();
                return Some(Trace { states, loop_start: Some(place) });
            }
            for step in known[start..].windows(2) {
                self.push(&mut states, &step[0], &step[1], preference).ok()?;
            }
        }
        None
    }

    fn digest(&self, state: &State) -> u64 {
        let mut state = state.clone();
        state.drop_inputs(self.model);
        FxBuildHasher.hash_one(&state.values)
    }

    /// True if they differ at most in the inputs of the steps that leave them.
    fn is_same(&self, a: &State, b: &State) -> bool {
        let (mut a, mut b) = (a.clone(), b.clone());
        a.drop_inputs(self.model);
        b.drop_inputs(self.model);
        a == b
    }
}
