//! Searches for a fair path that an automaton accepts.
//!
//! The product of the graph and the automaton is explored once, breadth first. A lasso is accepted
//! and fair if its cycle lies in a strongly connected component in which every acceptance set has a
//! move and every justice set a state, and in which compassion holds. Where compassion fails, the
//! states that satisfy its first condition are removed and the rest is decomposed again (Emerson
//! and Lei, *Modalities for model checking*; the version for Streett conditions is in Kesten,
//! Pnueli, Raviv and Shahar, *Model checking with strong fairness*). We do this for all components
//! at once, so that there are no more rounds than compassion constraints, and keep no acceptance
//! bits beyond the moves: the automaton stays generalised.

mod build;
mod component;
#[cfg(test)]
mod tests;
mod witness;

use fixedbitset::FixedBitSet;

use self::build::Product;
use super::automaton::Automaton;
use super::graph::{Graph, Path, StateId};
use crate::{Budget, Why};

/// Where the atoms of an automaton hold.
pub struct Atoms<'a> {
    /// For each atom the states in which it holds; `None` for atoms that read the next state.
    pub states: Vec<Option<FixedBitSet>>,
    /// Inserts, for the step from the first state to the second one, the indices of those atoms
    /// that read the next state and hold.
    pub step: &'a dyn Fn(StateId, StateId, &mut FixedBitSet) -> Result<(), Why>,
}

/// What happens infinitely often on a fair path.
#[derive(Clone, Debug, Default)]
pub struct LtlFairness {
    /// Some state of each of these sets.
    pub justice: Vec<FixedBitSet>,
    /// Infinitely often the first implies infinitely often the second.
    pub compassion: Vec<(FixedBitSet, FixedBitSet)>,
}

/// A fair path from an initial state that the automaton accepts: a lasso with a short stem.
///
/// # Errors
/// When the budget runs out, an atom has no value in a step, or the automaton can't be made.
pub fn find(
    graph: &Graph,
    atoms: &Atoms,
    automaton: &mut Automaton,
    fairness: &LtlFairness,
    budget: &Budget,
) -> Result<Option<Path>, Why> {
    let product = Product::build(graph, atoms, automaton, budget)?;
    let Some(component) = component::find(&product, automaton, fairness, budget)? else {
        return Ok(None);
    };
    let path = witness::lasso(&product, automaton, fairness, &component, budget)?;
    debug_assert!(is_fair_path(graph, fairness, &path), "{path:?}");
    Ok(Some(path))
}

fn is_fair_path(graph: &Graph, fairness: &LtlFairness, path: &Path) -> bool {
    let states = &path.states;
    let Some((&first, start)) = states.first().zip(path.loop_start) else { return false };
    let after = states[1..].iter().chain(&states[start..=start]);
    let has_edge =
        |(&from, &to): (&StateId, &StateId)| graph.successors(from).contains(&graph.group_of(to));
    let meets =
        |set: &FixedBitSet| states[start..].iter().any(|&state| set.contains(state as usize));
    graph.initial.contains(&first)
        && states.iter().zip(after).all(has_edge)
        && fairness.justice.iter().all(meets)
        && fairness.compassion.iter().all(|(p, q)| !meets(p) || meets(q))
}
