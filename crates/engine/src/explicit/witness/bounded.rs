//! Witness paths for bounded operators.
//!
//! Before the lower bound a path may have to revisit a state, so that each step has a set of its
//! own; these sets were computed once when the formula was evaluated, and are recomputed here. A
//! path that would be very long, or need very many sets, is not shown.

use fixedbitset::FixedBitSet;

use super::super::ctl::{step_inside, step_towards};
use super::super::fair::FairGraph;
use super::super::graph::{Path, StateId};
use super::{lasso, last, push, take, walk};
use crate::shape::{Bounds, End};
use crate::{Budget, Why};

/// Length limit of paths for bounded operators.
const MAX_STEPS: u64 = 1 << 20;
/// Memory limit for the sets before the lower bound.
const MAX_BYTES: usize = 1 << 28;

/// Goes to a goal state in a number of steps within the bounds. Returns false if it is not shown.
pub fn reach(
    fair: &FairGraph,
    through: &FixedBitSet,
    goal: &FixedBitSet,
    Bounds { lo, hi }: Bounds,
    path: &mut Path,
    budget: &Budget,
) -> Result<bool, Why> {
    if lo > 0 {
        let near = fair.backward.closure(goal.clone(), Some(through), hi - lo, budget)?;
        let step = |set: &FixedBitSet| step_towards(fair, Some(through), set, budget);
        let Some(layers) = Layers::new(near, lo, step)? else { return Ok(false) };
        for n_left in (0..lo).rev() {
            let is_next = |state| layers.get(n_left).contains(state as usize);
            take(path, walk::step(fair.graph, last(path), is_next));
        }
    }
    super::reach(fair, through, goal, path, budget)
}

/// Stays in a set while within the bounds, unless released earlier.
pub fn stay(
    fair: &FairGraph,
    inside: &FixedBitSet,
    released: &FixedBitSet,
    Bounds { lo, hi }: Bounds,
    path: &mut Path,
    budget: &Budget,
) -> Result<End, Why> {
    budget.allows(fair.graph.n_states() as u64 * 4)?;
    // The round in which a state is removed, one more than the steps that can be taken from it;
    // zero for states that are outside or stay for ever.
    let mut round_of = vec![0; fair.graph.n_states()];
    let note = |state: StateId, round: u64| round_of[state as usize] = round as u32;
    let long = fair.backward.peel(inside.clone(), Some(released), hi - lo, note, budget)?;
    if lo > 0 {
        let step = |set: &FixedBitSet| step_inside(fair, Some(released), set, budget);
        let Some(layers) = Layers::new(long, lo, step)? else { return Ok(End::default()) };
        for n_left in (0..lo).rev() {
            if released.contains(last(path) as usize) {
                return Ok(End { is_released: true, is_inside: false });
            }
            let is_next = |state| layers.get(n_left).contains(state as usize);
            take(path, walk::step(fair.graph, last(path), is_next));
        }
    }
    let can_stay = |state: StateId, n_steps: u64| {
        let round = round_of[state as usize];
        inside.contains(state as usize) && (round == 0 || u64::from(round) > n_steps)
    };
    remain(fair, inside, released, can_stay, hi - lo, path, budget)
}

/// Stays in a set for this many steps, or for ever if there are more steps than states.
fn remain(
    fair: &FairGraph,
    inside: &FixedBitSet,
    released: &FixedBitSet,
    can_stay: impl Fn(StateId, u64) -> bool,
    n_steps: u64,
    path: &mut Path,
    budget: &Budget,
) -> Result<End, Why> {
    if n_steps >= fair.graph.n_states() as u64 {
        let endless = fair.staying(inside.clone(), budget)?;
        if endless.contains(last(path) as usize) {
            lasso::close(fair, inside, path, budget)?;
            return Ok(End::default());
        }
    }
    if n_steps > MAX_STEPS {
        return Ok(End::default());
    }
    for n_left in (0..n_steps).rev() {
        if released.contains(last(path) as usize) {
            return Ok(End { is_released: true, is_inside: true });
        }
        budget.spend(1)?;
        let Some(next) = walk::step(fair.graph, last(path), |state| can_stay(state, n_left)) else {
            unreachable!("a path of this length starts here")
        };
        push(path, next);
    }
    Ok(End { is_released: false, is_inside: true })
}

/// A sequence of sets, each computed from the previous one. It is eventually periodic, so few are
/// kept.
struct Layers {
    sets: Vec<FixedBitSet>,
    /// Where the sequence continues after its end.
    repeat_from: usize,
}

impl Layers {
    /// The first sets of the sequence; `None` if they are too many.
    fn new(
        first: FixedBitSet,
        n_sets: u64,
        mut step: impl FnMut(&FixedBitSet) -> Result<FixedBitSet, Why>,
    ) -> Result<Option<Layers>, Why> {
        let n_bytes = first.len() / 8 + 64;
        if n_sets > MAX_STEPS {
            return Ok(None);
        }
        let mut layers = Layers { sets: vec![first], repeat_from: 0 };
        while (layers.sets.len() as u64) < n_sets {
            let n_known = layers.sets.len();
            if n_known * n_bytes > MAX_BYTES {
                return Ok(None);
            }
            let next = step(&layers.sets[n_known - 1])?;
            if next == layers.sets[layers.repeat_from] {
                break;
            }
            if n_known.is_power_of_two() {
                layers.repeat_from = n_known;
            }
            layers.sets.push(next);
        }
        Ok(Some(layers))
    }

    fn get(&self, idx: u64) -> &FixedBitSet {
        let (idx, n_sets) = (idx as usize, self.sets.len());
        if idx < n_sets {
            return &self.sets[idx];
        }
        &self.sets[self.repeat_from + (idx - self.repeat_from) % (n_sets - self.repeat_from)]
    }
}
