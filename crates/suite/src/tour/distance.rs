//! Distances from nodes to requirements and to nodes.

use std::ops::Range;

use trapline_engine::{Budget, Why};

use crate::goal_graph::GoalGraph;

/// Unreachable, or very far.
pub const NEVER: u16 = u16::MAX;

/// Maximum number of stored distances.
const MAX_DISTANCES: usize = 1 << 25;

/// Nodes visited per unit of work.
const UNIT: u64 = 8;

/// Distances from nodes to needs.
pub struct Distances {
    n_needs: usize,
    /// For each node and requirement, the fewest steps the last of which meets it.
    steps: Vec<u16>,
    /// The predecessor lists: offsets, and the end.
    first: Vec<usize>,
    before: Vec<u32>,
}

impl Distances {
    /// Computes them by backward breadth-first search from the steps that meet each requirement.
    ///
    /// # Errors
    /// When there are too many, or the budget runs out.
    pub fn new(graph: &GoalGraph, budget: &Budget<'_>) -> Result<Distances, Why> {
        let (n_nodes, n_needs) = (graph.n_nodes(), graph.n_needs);
        if n_nodes.saturating_mul(n_needs) > MAX_DISTANCES {
            return Err(Why::Memory);
        }
        budget.allows((n_nodes * n_needs * 2) as u64)?;
        let (first, before) = reversed(graph);
        let mut distances =
            Distances { n_needs, steps: vec![NEVER; n_nodes * n_needs], first, before };
        let mut meeting = vec![Vec::new(); n_needs];
        for node in 0..n_nodes as u32 {
            for step in graph.steps(node) {
                graph.met(*step).iter().for_each(|&need| meeting[need].push(node));
            }
        }
        for (need, nodes) in meeting.into_iter().enumerate() {
            let steps = distances.rings(nodes, 1..NEVER, budget)?;
            for (node, distance) in steps.into_iter().enumerate() {
                distances.steps[node * n_needs + need] = distance;
            }
        }
        Ok(distances)
    }

    /// From a node to each requirement.
    pub fn from(&self, node: u32) -> &[u16] {
        &self.steps[node as usize * self.n_needs..(node as usize + 1) * self.n_needs]
    }

    /// From each node to one node, up to a maximum distance.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn to(&self, node: u32, most: usize, budget: &Budget<'_>) -> Result<Vec<u16>, Why> {
        self.rings(vec![node], 0..u16::try_from(most).unwrap_or(NEVER), budget)
    }

    /// Backward breadth-first search from a set at the initial distance of the range, up to its
    /// end.
    fn rings(
        &self,
        mut ring: Vec<u32>,
        range: Range<u16>,
        budget: &Budget<'_>,
    ) -> Result<Vec<u16>, Why> {
        let mut steps = vec![NEVER; self.first.len() - 1];
        let mut distance = range.start;
        while !ring.is_empty() && distance < range.end {
            let mut further = Vec::new();
            for node in ring {
                let place = &mut steps[node as usize];
                if *place == NEVER {
                    *place = distance;
                    let before = self.first[node as usize]..self.first[node as usize + 1];
                    further.extend_from_slice(&self.before[before]);
                }
            }
            further.retain(|&node| steps[node as usize] == NEVER);
            budget.spend(further.len() as u64 / UNIT + 1)?;
            ring = further;
            distance += 1;
        }
        Ok(steps)
    }
}

/// The predecessors of each node.
fn reversed(graph: &GoalGraph) -> (Vec<usize>, Vec<u32>) {
    let n_nodes = graph.n_nodes();
    let mut first = vec![0; n_nodes + 1];
    graph.edges.iter().for_each(|step| first[step.to as usize + 1] += 1);
    for node in 0..n_nodes {
        first[node + 1] += first[node];
    }
    let mut place = first.clone();
    let mut before = vec![0; graph.edges.len()];
    for node in 0..n_nodes as u32 {
        for step in graph.steps(node) {
            before[place[step.to as usize]] = node;
            place[step.to as usize] += 1;
        }
    }
    (first, before)
}
