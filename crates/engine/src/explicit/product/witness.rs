//! A lasso through a component: a shortest way there, and a short loop through all that it must
//! visit.
//!
//! The loop goes to whatever is nearest and still missing, until nothing is, and then home. The
//! word that comes out is written as short as it can be.

use fixedbitset::FixedBitSet;

use super::LtlFairness;
use super::build::{NONE, NodeId, Product};
use super::component::{Component, strike};
use crate::explicit::automaton::Automaton;
use crate::explicit::graph::{Path, StateId};
use crate::{Budget, Why};

/// The lasso.
pub fn lasso(
    product: &Product,
    automaton: &Automaton,
    fairness: &LtlFairness,
    component: &Component,
    budget: &Budget,
) -> Result<Path, Why> {
    budget.allows(product.n_nodes() as u64 * 4)?;
    let mut walk = Walk {
        product,
        component,
        budget,
        nodes: vec![component.entry],
        found_by: vec![NONE; product.n_nodes()],
    };
    let mut missing = Missing::new(product, automaton, fairness, component);
    missing.visit(component.entry);
    while !missing.is_empty() {
        let edges = walk.go(|edge| missing.is_helped_by(edge))?;
        for edge in edges {
            missing.take(edge);
        }
    }
    if walk.nodes.len() == 1 || walk.here() != component.entry {
        walk.go(|edge| product.target(edge) == component.entry)?;
    }
    // The entry stands at both ends now.
    walk.nodes.pop();
    let mut stem: Vec<StateId> = Vec::new();
    let mut node = component.entry;
    while let Some(parent) = product.parent(node) {
        stem.extend(product.state(parent));
        node = parent;
    }
    stem.reverse();
    let round = walk.nodes.iter().filter_map(|&node| product.state(node)).collect();
    Ok(shortest(stem, round))
}

/// The shortest way to write a stem and a loop.
fn shortest(mut stem: Vec<StateId>, mut round: Vec<StateId>) -> Path {
    let n_states = round.len();
    let repeats_after = |period: &usize| {
        n_states.is_multiple_of(*period) && round.iter().zip(&round[*period..]).all(|(a, b)| a == b)
    };
    if let Some(period) = (1..n_states).find(repeats_after) {
        round.truncate(period);
    }
    let mut n_turned = 0;
    while stem.last().is_some_and(|last| *last == round[round.len() - 1 - n_turned % round.len()]) {
        stem.pop();
        n_turned += 1;
    }
    let n_turns = n_turned % round.len();
    round.rotate_right(n_turns);
    let loop_start = Some(stem.len());
    stem.append(&mut round);
    Path { marks: vec![None; stem.len()], states: stem, loop_start }
}

/// A walk inside a component.
struct Walk<'a> {
    product: &'a Product,
    component: &'a Component,
    budget: &'a Budget<'a>,
    /// The nodes so far.
    nodes: Vec<NodeId>,
    /// The node that each one was found from by the search that is going on.
    found_by: Vec<NodeId>,
}

impl Walk<'_> {
    fn here(&self) -> NodeId {
        self.nodes[self.nodes.len() - 1]
    }

    /// Goes the shortest way that ends with such an edge; all its edges.
    fn go(&mut self, is_last: impl Fn(usize) -> bool) -> Result<Vec<usize>, Why> {
        let start = self.here();
        let mut queue = vec![start];
        self.found_by[start as usize] = start;
        let mut next = 0;
        let last = 'search: loop {
            let Some(&node) = queue.get(next) else {
                unreachable!("the component has everything that is missing");
            };
            next += 1;
            self.budget.spend(1)?;
            for edge in self.product.edges_of(node) {
                let target = self.product.target(edge);
                if !self.component.nodes.contains(target as usize) {
                    continue;
                }
                if is_last(edge) {
                    break 'search (node, edge);
                }
                if self.found_by[target as usize] == NONE {
                    self.found_by[target as usize] = node;
                    queue.push(target);
                }
            }
        };
        let edges = self.walk_back(start, last);
        self.nodes.extend(edges.iter().map(|&edge| self.product.target(edge)));
        for node in queue {
            self.found_by[node as usize] = NONE;
        }
        Ok(edges)
    }

    fn walk_back(&self, start: NodeId, (mut node, last): (NodeId, usize)) -> Vec<usize> {
        let mut edges = vec![last];
        while node != start {
            let parent = self.found_by[node as usize];
            edges.extend(
                self.product.edges_of(parent).find(|&edge| self.product.target(edge) == node),
            );
            node = parent;
        }
        edges.reverse();
        edges
    }
}

/// What the loop has not met yet.
struct Missing<'a> {
    product: &'a Product,
    automaton: &'a Automaton,
    /// Acceptance sets.
    accepted: FixedBitSet,
    /// Sets of states.
    sets: Vec<&'a FixedBitSet>,
}

impl<'a> Missing<'a> {
    fn new(
        product: &'a Product,
        automaton: &'a Automaton,
        fairness: &'a LtlFairness,
        component: &Component,
    ) -> Missing<'a> {
        let mut accepted = FixedBitSet::with_capacity(automaton.n_acceptance_sets());
        accepted.insert_range(..);
        let states = || component.nodes.ones().filter_map(|node| product.state(node as NodeId));
        let meets = |set: &FixedBitSet| states().any(|state| set.contains(state as usize));
        let asked = fairness.compassion.iter().filter(|(p, _)| meets(p)).map(|(_, q)| q);
        let sets = fairness.justice.iter().chain(asked).collect();
        Missing { product, automaton, accepted, sets }
    }

    fn is_empty(&self) -> bool {
        self.accepted.is_clear() && self.sets.is_empty()
    }

    fn is_helped_by(&self, edge: usize) -> bool {
        let mark = self.product.mark(edge);
        let state = self.product.state(self.product.target(edge));
        let accepted = self.accepted.as_slice();
        mark.is_some_and(|mark| {
            accepted.iter().zip(self.automaton.accepts(mark)).any(|(a, b)| a & b != 0)
        }) || state.is_some_and(|state| self.sets.iter().any(|set| set.contains(state as usize)))
    }

    fn take(&mut self, edge: usize) {
        if let Some(mark) = self.product.mark(edge) {
            strike(&mut self.accepted, self.automaton.accepts(mark));
        }
        self.visit(self.product.target(edge));
    }

    fn visit(&mut self, node: NodeId) {
        if let Some(state) = self.product.state(node) {
            self.sets.retain(|set| !set.contains(state as usize));
        }
    }
}
