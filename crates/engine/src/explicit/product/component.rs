//! The components of a product that contain an accepting and fair cycle.

use fixedbitset::FixedBitSet;

use super::LtlFairness;
use super::build::{NodeId, Product};
use crate::explicit::automaton::Automaton;
use crate::explicit::scc::{Components, Digraph, components};
use crate::{Budget, Why};

/// A component with an accepting and fair cycle.
pub struct Component {
    /// Its nodes.
    pub nodes: FixedBitSet,
    /// Its state node nearest to the initial states.
    pub entry: NodeId,
}

/// The remaining nodes.
struct Alive<'a> {
    product: &'a Product,
    nodes: FixedBitSet,
}

impl Digraph for Alive<'_> {
    fn n_nodes(&self) -> usize {
        self.product.n_nodes()
    }

    fn contains(&self, node: u32) -> bool {
        self.nodes.contains(node as usize)
    }

    fn successor(&self, node: u32, position: u32) -> Option<u32> {
        let edges = self.product.edges_of(node);
        let edge = edges.start + position as usize;
        (edge < edges.end).then(|| self.product.target(edge))
    }
}

/// What a component contains.
enum Judgement {
    /// A cycle through all of it is accepting and fair.
    Good,
    /// No cycle in it is.
    Hopeless,
    /// Only cycles that avoid the first sets of these compassion constraints can be.
    Without(Vec<usize>),
}

/// The nearest component with an accepting and fair cycle.
pub fn find(
    product: &Product,
    automaton: &Automaton,
    fairness: &LtlFairness,
    budget: &Budget,
) -> Result<Option<Component>, Why> {
    let mut alive = Alive { product, nodes: recurrent(product, automaton, budget)? };
    loop {
        let components = components(&alive, budget)?;
        let members = members(&components, budget)?;
        let judge = Judge { product, automaton, fairness, components: &components };
        let mut best: Option<(NodeId, &[NodeId])> = None;
        alive.nodes.clear();
        for component in members.chunk_by(|&a, &b| judge.component(a) == judge.component(b)) {
            budget.spend(component.len() as u64)?;
            match judge.judge(component) {
                Judgement::Hopeless => {}
                Judgement::Good => {
                    let entry = judge.entry(component);
                    if best.is_none_or(|(other, _)| entry < other) {
                        best = Some((entry, component));
                    }
                }
                Judgement::Without(pairs) => alive.nodes.extend(judge.others(component, &pairs)),
            }
        }
        if let Some((entry, component)) = best {
            let mut nodes = FixedBitSet::with_capacity(product.n_nodes());
            nodes.extend(component.iter().map(|&node| node as usize));
            return Ok(Some(Component { nodes, entry }));
        }
        if alive.nodes.is_clear() {
            return Ok(None);
        }
    }
}

/// The nodes that an accepting run may visit infinitely often, as far as the automaton tells.
fn recurrent(
    product: &Product,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    budget.allows(product.n_nodes() as u64 / 8)?;
    let locations = automaton.recurrent(budget)?;
    let mut nodes = FixedBitSet::with_capacity(product.n_nodes());
    for node in 0..product.n_nodes() {
        nodes.set(node, locations.contains(product.location(node as NodeId) as usize));
    }
    Ok(nodes)
}

/// The nodes on cycles, by component, each sorted.
fn members(components: &Components, budget: &Budget) -> Result<Vec<NodeId>, Why> {
    budget.allows(components.of.len() as u64 * 4 + components.len() as u64 * 4)?;
    let mut ends = vec![0u32; components.len() + 1];
    let on_cycles = || (0..components.of.len() as u32).filter(|&node| components.is_on_cycle(node));
    for node in on_cycles() {
        ends[components.of[node as usize] as usize + 1] += 1;
    }
    for component in 0..components.len() {
        ends[component + 1] += ends[component];
    }
    let mut members = vec![0; ends[components.len()] as usize];
    for node in on_cycles() {
        let end = &mut ends[components.of[node as usize] as usize];
        members[*end as usize] = node;
        *end += 1;
    }
    Ok(members)
}

struct Judge<'a> {
    product: &'a Product,
    automaton: &'a Automaton,
    fairness: &'a LtlFairness,
    components: &'a Components,
}

impl Judge<'_> {
    fn component(&self, node: NodeId) -> u32 {
        self.components.of[node as usize]
    }

    fn judge(&self, nodes: &[NodeId]) -> Judgement {
        let LtlFairness { justice, compassion } = self.fairness;
        if !self.is_accepting(nodes) || !justice.iter().all(|set| self.meets(nodes, set)) {
            return Judgement::Hopeless;
        }
        let pairs = compassion.iter().enumerate();
        let violated: Vec<usize> = pairs
            .filter(|(_, (p, q))| self.meets(nodes, p) && !self.meets(nodes, q))
            .map(|(idx, _)| idx)
            .collect();
        if violated.is_empty() { Judgement::Good } else { Judgement::Without(violated) }
    }

    /// True if every acceptance set has a move inside.
    fn is_accepting(&self, nodes: &[NodeId]) -> bool {
        let mut missing = FixedBitSet::with_capacity(self.automaton.n_acceptance_sets());
        missing.insert_range(..);
        if missing.is_clear() {
            return true;
        }
        let mut last_mark = None;
        for &node in nodes {
            for edge in self.product.edges_of(node) {
                let mark = self.product.mark(edge);
                // Consecutive moves mostly have the same mark, and need not be tested again.
                if mark == last_mark
                    || self.component(self.product.target(edge)) != self.component(node)
                {
                    continue;
                }
                last_mark = mark;
                if let Some(mark) = mark {
                    strike(&mut missing, self.automaton.accepts(mark));
                }
                if missing.is_clear() {
                    return true;
                }
            }
        }
        false
    }

    fn meets(&self, nodes: &[NodeId], set: &FixedBitSet) -> bool {
        nodes.iter().any(|&node| self.is_in(node, set))
    }

    fn is_in(&self, node: NodeId, set: &FixedBitSet) -> bool {
        self.product.state(node).is_some_and(|state| set.contains(state as usize))
    }

    /// The first node of a state; nodes are sorted.
    fn entry(&self, nodes: &[NodeId]) -> NodeId {
        let is_state = |node: &&NodeId| self.product.state(**node).is_some();
        nodes.iter().find(is_state).copied().unwrap_or(nodes[0])
    }

    /// The nodes outside the first sets of these compassion constraints.
    fn others<'n>(
        &'n self,
        nodes: &'n [NodeId],
        pairs: &'n [usize],
    ) -> impl Iterator<Item = usize> + 'n {
        let asks = |node: NodeId, pair: usize| self.is_in(node, &self.fairness.compassion[pair].0);
        let others = nodes.iter().filter(move |node| !pairs.iter().any(|&pair| asks(**node, pair)));
        others.map(|&node| node as usize)
    }
}

/// Removes what the blocks contain.
pub fn strike(missing: &mut FixedBitSet, blocks: &[usize]) {
    for (block, &found) in missing.as_mut_slice().iter_mut().zip(blocks) {
        *block &= !found;
    }
}
