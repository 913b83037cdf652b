//! Fair paths: infinite paths that satisfy every justice constraint infinitely often.
//!
//! Without constraints, the states with an infinite path are found by removing deadlocks until a
//! fixpoint. Otherwise a fair path ends in a strongly connected component that meets all
//! constraints, and every path into such a component extends to a fair one.

use fixedbitset::FixedBitSet;

use super::backward::Backward;
use super::graph::{Graph, StateId};
use super::scc::{self, Components, Within};
use crate::{Budget, Why};

/// What a fair path visits infinitely often.
#[derive(Clone, Debug)]
pub enum Justice {
    /// One of these states.
    States(FixedBitSet),
    /// A step with this mark of the graph.
    Edges(usize),
}

/// The fairness constraints.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// Justice constraints.
    pub justice: Vec<Justice>,
}

/// A graph, and its states with a fair path.
#[derive(Clone, Debug)]
pub struct FairGraph<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Its predecessor lists.
    pub backward: Backward<'a>,
    /// The fairness constraints.
    pub fairness: Fairness,
    /// The states from which a fair path starts.
    pub states: FixedBitSet,
}

impl<'a> FairGraph<'a> {
    /// Computes the fair states.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        graph: &'a Graph,
        fairness: Fairness,
        budget: &Budget,
    ) -> Result<FairGraph<'a>, Why> {
        let backward = Backward::new(graph, budget)?;
        let states = backward.all();
        let mut fair = FairGraph { graph, backward, fairness, states };
        fair.states = fair.staying(fair.states.clone(), budget)?;
        Ok(fair)
    }

    /// The states of the set with a fair path that stays in the set: fair `EG`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn staying(&self, mut set: FixedBitSet, budget: &Budget) -> Result<FixedBitSet, Why> {
        set.intersect_with(&self.states);
        if self.fairness.justice.is_empty() {
            return self.backward.peel(set, None, u64::MAX, |_, _| {}, budget);
        }
        let (components, is_fair) = self.components(&set, budget)?;
        let mut recurrent = self.backward.none();
        for state in set.ones() {
            recurrent.set(state, is_fair.contains(components.of[state] as usize));
        }
        self.backward.closure(recurrent, Some(&set), u64::MAX, budget)
    }

    /// The components of the graph within a set of states, and which of them contain a fair cycle.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn components(
        &self,
        set: &FixedBitSet,
        budget: &Budget,
    ) -> Result<(Components, FixedBitSet), Why> {
        let within = Within { graph: self.graph, states: set };
        let components = scc::components(&within, budget)?;
        let mut is_fair = components.is_cyclic.clone();
        for justice in &self.fairness.justice {
            let mut is_met = FixedBitSet::with_capacity(components.len());
            for state in set.ones() {
                budget.spend(1)?;
                if shows(&within, &components, justice, state as StateId).is_some() {
                    is_met.insert(components.of[state] as usize);
                }
            }
            is_fair.intersect_with(&is_met);
        }
        Ok((components, is_fair))
    }
}

/// How a state meets a constraint without leaving its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// By the state itself.
    Here,
    /// By leaving on this edge.
    Leaving(usize),
}

/// How the state meets the constraint, if it does.
pub fn shows(
    within: &Within,
    components: &Components,
    justice: &Justice,
    state: StateId,
) -> Option<Shown> {
    match justice {
        Justice::States(states) => states.contains(state as usize).then_some(Shown::Here),
        Justice::Edges(mark) => {
            let component = components.of[state as usize];
            let is_inside = |edge: usize| components.of[within.target(edge) as usize] == component;
            let mut edges = within.graph.edges_of(state);
            edges
                .find(|&edge| within.graph.is_marked(edge, *mark) && is_inside(edge))
                .map(Shown::Leaving)
        }
    }
}
