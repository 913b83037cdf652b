//! Loops of the whole model, from loops of the part that was searched.
//!
//! Where that part is back at its start, the other variables need not be. So the loop is taken
//! again until all of them are: at first for a few turns with what they have, then with other
//! choices, which may bring back at once what would else count for long, and in the end for as many
//! turns as a test may have. A variable that is chosen has the same options in the same states, so
//! each of these walks comes back some time.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use trapline_model::trace::{State, Trace};

use super::{Completer, Known, Taste};
use crate::answer::Why;

/// The states of a walk that others follow, and of the last one.
const FEW: usize = 1_000;
const MANY: usize = 200_000;
/// What all states of a walk may hold together.
const MAX_VALUES: usize = 10_000_000;
/// What computing a walk may take, in operations.
const MAX_WORK: usize = 1_000_000_000;
/// How many other choices are tried.
const N_OTHERS: u64 = 8;

impl Completer<'_> {
    /// Takes the loop that starts at `start` until all variables have come back to where they
    /// were. Where they do not, the path is shown without a loop.
    pub(super) fn close(
        &self,
        states: Vec<State>,
        known: &[Known],
        start: usize,
    ) -> Result<Trace, Why> {
        let others = (0..N_OTHERS).map(|seed| (Taste::Always(seed), FEW));
        let walks = [(Taste::Old, FEW)].into_iter().chain(others).chain([(Taste::Old, MANY)]);
        for (taste, n_states) in walks {
            let n_states = n_states.min(self.longest()).saturating_add(known.len());
            if let Some(trace) = self.turn(&states, known, start, (taste, n_states)) {
                return Ok(trace);
            }
        }
        let mut states = states;
        self.push(&mut states, &known[known.len() - 1], &known[start], Taste::Old)?;
        Ok(Trace { states, loop_start: None })
    }

    /// How many states a walk may have.
    fn longest(&self) -> usize {
        let n_values = self.model.vars.len().max(1);
        let n_operations = self.whole.step.program.ops.len().max(1);
        (MAX_VALUES / n_values).min(MAX_WORK / n_operations)
    }

    /// Takes the loop again and again, up to so many states.
    fn turn(
        &self,
        states: &[State],
        known: &[Known],
        start: usize,
        (taste, n_states): (Taste, usize),
    ) -> Option<Trace> {
        let mut states = states.to_vec();
        let mut seen: FxHashMap<u64, usize> = FxHashMap::default();
        seen.insert(self.digest(&states[start]), start);
        while states.len() <= n_states {
            self.push(&mut states, &known[known.len() - 1], &known[start], taste).ok()?;
            let last = states.len() - 1;
            let place = *seen.entry(self.digest(&states[last])).or_insert(last);
            if place != last && self.is_same(&states[place], &states[last]) {
                states.pop();
                return Some(Trace { states, loop_start: Some(place) });
            }
            for step in known[start..].windows(2) {
                self.push(&mut states, &step[0], &step[1], taste).ok()?;
            }
        }
        None
    }

    fn digest(&self, state: &State) -> u64 {
        let mut state = state.clone();
        state.drop_inputs(self.model);
        FxBuildHasher.hash_one(&state.values)
    }

    /// Are these the same but for the inputs of the steps that leave them?
    fn is_same(&self, a: &State, b: &State) -> bool {
        let (mut a, mut b) = (a.clone(), b.clone());
        a.drop_inputs(self.model);
        b.drop_inputs(self.model);
        a == b
    }
}
