//! Strongly connected components, in linear time and without recursion.
//!
//! Pearce's variant of Tarjan's algorithm (*A space-efficient algorithm for finding strongly
//! connected components*, 2016): one number per node serves first as its visit order, then as its
//! component. Successors are requested by position, so that a node on the stack costs a few bytes,
//! however many successors it has.

use fixedbitset::FixedBitSet;

use super::graph::{Graph, StateId};
use crate::{Budget, Why};

/// A directed graph with nodes numbered from zero; there are fewer than `u32::MAX`.
pub trait Digraph {
    /// How many nodes there are.
    fn n_nodes(&self) -> usize;

    /// True if the node belongs to the subgraph considered.
    fn contains(&self, node: u32) -> bool;

    /// The successor at this position, from zero; `None` after the last one. Successors may
    /// repeat, and need not be contained.
    fn successor(&self, node: u32, position: u32) -> Option<u32>;
}

/// The components of a graph. They are numbered in reverse topological order: an edge never
/// leads to a component with a greater number.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// The component of each node; [`Components::NONE`] if the graph does not contain it.
    pub of: Vec<u32>,
    /// For each component, whether it contains an edge.
    pub is_cyclic: FixedBitSet,
}

impl Components {
    /// The component of a node outside the subgraph.
    pub const NONE: u32 = u32::MAX;

    /// How many there are.
    pub fn len(&self) -> usize {
        self.is_cyclic.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is the node in a component with a cycle?
    pub fn is_on_cycle(&self, node: u32) -> bool {
        let component = self.of[node as usize];
        component != Components::NONE && self.is_cyclic.contains(component as usize)
    }
}

/// The components of the subgraph.
///
/// # Errors
/// When the budget runs out; a unit of work is a node or an edge.
pub fn components(digraph: &impl Digraph, budget: &Budget) -> Result<Components, Why> {
    let n_nodes = digraph.n_nodes();
    // The number of each node, and two stacks that at worst hold a third and a fourth.
    budget.allows(n_nodes as u64 * 4)?;
    let mut search = Tarjan {
        number: vec![0; n_nodes],
        open: Vec::new(),
        frames: Vec::new(),
        next_number: 1,
        is_cyclic: FixedBitSet::new(),
    };
    for root in 0..n_nodes as u32 {
        if search.number[root as usize] == 0 && digraph.contains(root) {
            search.visit(digraph, root, budget)?;
        }
    }
    let Tarjan { mut number, is_cyclic, .. } = search;
    // Component numbers were assigned downwards from the maximum, and a node never visited still
    // has zero, which becomes `NONE`.
    number.iter_mut().for_each(|number| *number = !*number);
    Ok(Components { of: number, is_cyclic })
}

/// The subgraph of a [`Graph`] induced by a set of states.
///
/// Nodes are the states and, after them, the groups: an edge to a group of several states goes
/// through a node for the group, so that there are no more edges than in the graph. A component
/// that is a single group node is never cyclic.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The states that it contains.
    pub states: &'a FixedBitSet,
}

impl Within<'_> {
    /// The target node of an edge, given by its index.
    pub fn target(&self, edge: usize) -> u32 {
        let group = self.graph.edges[edge];
        let states = self.graph.group(group);
        if states.len() == 1 { states.start } else { self.n_states() + group }
    }

    fn n_states(&self) -> StateId {
        self.graph.n_states() as StateId
    }
}

impl Digraph for Within<'_> {
    fn n_nodes(&self) -> usize {
        let has_groups = !self.graph.group_of.is_empty();
        self.graph.n_states() + if has_groups { self.graph.n_groups() } else { 0 }
    }

    fn contains(&self, node: u32) -> bool {
        node >= self.n_states() || self.states.contains(node as usize)
    }

    fn successor(&self, node: u32, position: u32) -> Option<u32> {
        match node.checked_sub(self.n_states()) {
            None => {
                let edges = self.graph.edges_of(node);
                let edge = edges.start + position as usize;
                (edge < edges.end).then(|| self.target(edge))
            }
            Some(group) => {
                let states = self.graph.group(group);
                (position < states.len() as u32).then(|| states.start + position)
            }
        }
    }
}

/// A node on the depth-first stack.
struct Frame {
    node: u32,
    position: u32,
    is_root: bool,
    has_loop: bool,
}

struct Tarjan {
    /// Zero for unvisited nodes; for those whose component is known, the complement of its number,
    /// which exceeds all visit numbers.
    number: Vec<u32>,
    /// Finished nodes whose component is not known yet.
    open: Vec<u32>,
    frames: Vec<Frame>,
    next_number: u32,
    is_cyclic: FixedBitSet,
}

impl Tarjan {
    fn visit(&mut self, digraph: &impl Digraph, root: u32, budget: &Budget) -> Result<(), Why> {
        self.enter(root);
        while let Some(frame) = self.frames.last_mut() {
            let Some(successor) = digraph.successor(frame.node, frame.position) else {
                budget.spend(u64::from(frame.position) + 1)?;
                self.leave();
                continue;
            };
            let number = self.number[successor as usize];
            if number == 0 {
                // The position is kept: after the return from the successor it is examined again.
                if digraph.contains(successor) {
                    self.enter(successor);
                } else {
                    frame.position += 1;
                }
                continue;
            }
            frame.position += 1;
            frame.has_loop |= successor == frame.node;
            if number < self.number[frame.node as usize] {
                self.number[frame.node as usize] = number;
                frame.is_root = false;
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: u32) {
        self.number[node as usize] = self.next_number;
        self.next_number += 1;
        self.frames.push(Frame { node, position: 0, is_root: true, has_loop: false });
    }

    fn leave(&mut self) {
        let Some(Frame { node, is_root, has_loop, .. }) = self.frames.pop() else { return };
        if !is_root {
            self.open.push(node);
            return;
        }
        let number = self.number[node as usize];
        let component = self.is_cyclic.len();
        let mut is_cyclic = has_loop;
        self.next_number -= 1;
        while let Some(member) = self.open.pop_if(|open| self.number[*open as usize] >= number) {
            self.number[member as usize] = !(component as u32);
            self.next_number -= 1;
            is_cyclic = true;
        }
        self.number[node as usize] = !(component as u32);
        self.is_cyclic.grow(component + 1);
        self.is_cyclic.set(component, is_cyclic);
    }
}
