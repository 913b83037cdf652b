//! A lasso through a component: a shortest stem, and a short cycle that meets all constraints.
//!
//! From its start, the cycle goes to the nearest constraint not yet met, until all are, and then
//! back. The node where the component is entered is not always the best start, so later ones are
//! tried too, as long as they may give a shorter lasso and the effort stays within bounds. The
//! resulting lasso is reduced to its shortest form.

use fixedbitset::FixedBitSet;

use super::LtlFairness;
use super::build::{NONE, NodeId, Product};
use super::component::{Component, strike};
use crate::explicit::automaton::Automaton;
use crate::explicit::graph::{Path, StateId};
use crate::{Budget, Why};

/// Maximum number of nodes visited in search of a shorter cycle.
const EFFORT: usize = 1 << 20;

/// The lasso.
pub fn lasso(
    product: &Product,
    automaton: &Automaton,
    fairness: &LtlFairness,
    component: &Component,
    budget: &Budget,
) -> Result<Path, Why> {
    budget.allows(product.n_nodes() as u64 * 4)?;
    let found_by = vec![NONE; product.n_nodes()];
    let mut walk = Walk { product, component, budget, found_by, queue: Vec::new(), n_visited: 0 };
    let missing = Missing::new(product, automaton, fairness, component);
    let Some(mut best) = walk.round(component.entry, &missing, usize::MAX)? else {
        unreachable!("the component has everything that is missing");
    };
    let mut best_length = stem(product, component.entry).len() + best.len();
    walk.n_visited = 0;
    for start in component.nodes.ones().map(|node| node as NodeId) {
        let to_start = stem(product, start).len();
        // Nodes are numbered breadth first: the stems only get longer.
        if to_start >= best_length || walk.n_visited > EFFORT {
            break;
        }
        walk.n_visited += to_start + 1;
        let limit = best_length - to_start - 1;
        if product.state(start).is_some()
            && let Some(round) = walk.round(start, &missing, limit)?
        {
            best_length = to_start + round.len();
            best = round;
        }
    }
    let states = |nodes: &[NodeId]| nodes.iter().filter_map(|&node| product.state(node)).collect();
    Ok(shortest(states(&stem(product, best[0])), states(&best)))
}

/// The nodes on a shortest path to a node, without it.
fn stem(product: &Product, node: NodeId) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> =
        std::iter::successors(product.parent(node), |&node| product.parent(node)).collect();
    nodes.reverse();
    nodes
}

/// The shortest representation of a stem and a cycle.
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
    /// The breadth-first parents in the current search.
    found_by: Vec<NodeId>,
    /// The breadth-first queue.
    queue: Vec<NodeId>,
    n_visited: usize,
}

impl Walk<'_> {
    /// The nodes of a cycle from this node that meets all constraints, if one of at most
    /// `max_steps` steps is found.
    fn round(
        &mut self,
        start: NodeId,
        missing: &Missing,
        limit: usize,
    ) -> Result<Option<Vec<NodeId>>, Why> {
        let mut missing = missing.clone();
        missing.visit(start);
        let mut nodes = vec![start];
        let mut here = start;
        while !missing.is_empty() || nodes.len() == 1 || here != start {
            let is_home = |edge: usize| self.product.target(edge) == start;
            let is_last = |edge: usize| match missing.is_empty() {
                true => is_home(edge),
                false => missing.is_helped_by(edge),
            };
            let n_steps = nodes.len() - 1;
            let Some((last_node, last)) = self.search(here, is_last, limit - n_steps)? else {
                return Ok(None);
            };
            for edge in self.walk_back(here, (last_node, last)) {
                missing.take(edge);
                nodes.push(self.product.target(edge));
            }
            here = self.product.target(last);
        }
        // The start appears at both ends.
        nodes.pop();
        Ok(Some(nodes))
    }

    /// The end of a shortest path that ends with such an edge, within this many steps.
    fn search(
        &mut self,
        start: NodeId,
        is_last: impl Fn(usize) -> bool,
        limit: usize,
    ) -> Result<Option<(NodeId, usize)>, Why> {
        for node in self.queue.drain(..) {
            self.found_by[node as usize] = NONE;
        }
        self.queue.push(start);
        self.found_by[start as usize] = start;
        let (mut next, mut n_steps, mut level_end) = (0, 0, 0);
        while let Some(&node) = self.queue.get(next) {
            if next == level_end {
                n_steps += 1;
                level_end = self.queue.len();
                if n_steps > limit {
                    return Ok(None);
                }
            }
            next += 1;
            self.n_visited += 1;
            self.budget.spend(1)?;
            for edge in self.product.edges_of(node) {
                let target = self.product.target(edge);
                if !self.component.nodes.contains(target as usize) {
                    continue;
                }
                if is_last(edge) {
                    return Ok(Some((node, edge)));
                }
                if self.found_by[target as usize] == NONE {
                    self.found_by[target as usize] = node;
                    self.queue.push(target);
                }
            }
        }
        unreachable!("the component has everything that is missing");
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

/// The constraints that the cycle has not met yet.
#[derive(Clone)]
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
