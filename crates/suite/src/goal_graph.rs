//! What tests can walk through, by the needs that their steps meet.
//!
//! A need is met by any of some targets. A need that is met whenever another one is, is left out;
//! then steps that meet less than others to the same node are. What remains of a thousand goals is
//! often a hundred needs.

use rustc_hash::FxHashMap;
use trapline_engine::explicit::labelled::{Edge, LabelledGraph};

/// The graph of a model, by needs.
#[derive(Clone, Debug, Default)]
pub struct GoalGraph {
    /// The first edge of each node, and at the end the number of edges.
    pub edge_start: Vec<usize>,
    /// Steps.
    pub edges: Vec<Step>,
    /// The nodes in which a test may start.
    pub starts: Vec<Step>,
    /// Sets of needs, each in order.
    pub sets: Vec<Vec<usize>>,
    /// How many needs are left.
    pub n_needs: usize,
    /// How many there were.
    pub n_wanted: usize,
}

/// A step, or a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node that it leads to.
    pub to: u32,
    /// The needs that it meets.
    pub set: u32,
    /// The same in the map.
    pub origin: Edge,
}

impl GoalGraph {
    /// Makes it of a map and of needs, each with the targets that meet it. What nothing meets is
    /// no need. Some targets are met by starts alone.
    pub fn new(map: &LabelledGraph, needs: &[Vec<usize>], initial: &[usize]) -> GoalGraph {
        let n_targets = map.classes.iter().flatten().max().map_or(0, |most| most + 1);
        let mut of_target = vec![Vec::new(); n_targets];
        for (need, targets) in needs.iter().enumerate() {
            let met = targets.iter().filter(|target| **target < n_targets);
            met.for_each(|&target| of_target[target].push(need));
        }
        let met = |targets: &mut dyn Iterator<Item = &usize>| {
            let mut met: Vec<usize> =
                targets.flat_map(|&target| of_target[target].iter().copied()).collect();
            met.sort_unstable();
            met.dedup();
            met
        };
        let n_classes = map.classes.len();
        let mut is_start = vec![false; n_classes];
        map.starts.iter().for_each(|start| is_start[start.class as usize] = true);
        // What steps of each class meet, and then what starts do.
        let steps = map.classes.iter().map(|targets| {
            met(&mut targets.iter().filter(|target| initial.binary_search(target).is_err()))
        });
        let starts = map.classes.iter().zip(is_start).map(|(targets, is_start)| match is_start {
            true => met(&mut targets.iter()),
            false => Vec::new(),
        });
        let met: Vec<Vec<usize>> = steps.chain(starts).collect();
        let left = essential(&met, needs.len());
        let mut number = vec![None; needs.len()];
        left.iter().enumerate().for_each(|(idx, &need)| number[need] = Some(idx));
        let mut graph = GoalGraph {
            edge_start: vec![0],
            n_needs: left.len(),
            n_wanted: needs.len(),
            ..GoalGraph::default()
        };
        let mut known: FxHashMap<Vec<usize>, u32> = FxHashMap::default();
        let of_class: Vec<u32> = met
            .iter()
            .map(|needs| {
                let set: Vec<usize> = needs.iter().filter_map(|&need| number[need]).collect();
                *known.entry(set).or_insert_with_key(|set| {
                    graph.sets.push(set.clone());
                    graph.sets.len() as u32 - 1
                })
            })
            .collect();
        let start = |&origin: &Edge| Step {
            to: origin.to,
            set: of_class[n_classes + origin.class as usize],
            origin,
        };
        let step =
            |&origin: &Edge| Step { to: origin.to, set: of_class[origin.class as usize], origin };
        graph.starts = map.starts.iter().map(start).collect();
        for range in map.edge_start.windows(2) {
            let steps: Vec<Step> = map.edges[range[0]..range[1]].iter().map(step).collect();
            graph.add(&steps);
        }
        graph
    }

    /// The steps of the next node, without those that meet less than another.
    fn add(&mut self, steps: &[Step]) {
        for same in steps.chunk_by(|a, b| a.to == b.to) {
            for (idx, step) in same.iter().enumerate() {
                let set = &self.sets[step.set as usize];
                let is_less = |(other_idx, other): (usize, &Step)| match step.set == other.set {
                    true => other_idx < idx,
                    false => is_subset(set, &self.sets[other.set as usize]),
                };
                if !same.iter().enumerate().any(is_less) {
                    self.edges.push(*step);
                }
            }
        }
        self.edge_start.push(self.edges.len());
    }

    /// For each need the steps of the shortest test that meets it.
    pub fn depths(&self) -> Vec<u64> {
        let mut depths = vec![u64::MAX; self.n_needs];
        let mut is_seen = vec![false; self.n_nodes()];
        let mut ring: Vec<u32> = Vec::new();
        let mut come = |step: Step, n_steps: u64, ring: &mut Vec<u32>| {
            for &need in self.met(step) {
                depths[need] = depths[need].min(n_steps);
            }
            if !std::mem::replace(&mut is_seen[step.to as usize], true) {
                ring.push(step.to);
            }
        };
        self.starts.iter().for_each(|&start| come(start, 0, &mut ring));
        let mut n_steps = 0;
        while !ring.is_empty() {
            n_steps += 1;
            let mut next = Vec::new();
            for node in ring {
                self.steps(node).iter().for_each(|&step| come(step, n_steps, &mut next));
            }
            ring = next;
        }
        depths
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.edge_start.len() - 1
    }

    /// The steps from a node.
    pub fn steps(&self, node: u32) -> &[Step] {
        &self.edges[self.edge_start[node as usize]..self.edge_start[node as usize + 1]]
    }

    /// The needs that a step meets.
    pub fn met(&self, step: Step) -> &[usize] {
        &self.sets[step.set as usize]
    }
}

/// The needs without those that are met whenever another one is.
fn essential(met: &[Vec<usize>], n_needs: usize) -> Vec<usize> {
    let mut classes = vec![Vec::new(); n_needs];
    for (class, needs) in met.iter().enumerate() {
        needs.iter().for_each(|&need| classes[need].push(class));
    }
    let mut order: Vec<usize> = (0..n_needs).filter(|&need| !classes[need].is_empty()).collect();
    order.sort_by_key(|&need| (classes[need].len(), need));
    // For each class, the essential needs that it meets.
    let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); met.len()];
    let mut left = Vec::new();
    for need in order {
        // What is met by a part of these classes alone would be met by one that it shares.
        let mut rivals: Vec<usize> =
            classes[need].iter().flat_map(|&class| of_class[class].iter().copied()).collect();
        rivals.sort_unstable();
        rivals.dedup();
        if !rivals.iter().any(|&rival| is_subset(&classes[rival], &classes[need])) {
            classes[need].iter().for_each(|&class| of_class[class].push(need));
            left.push(need);
        }
    }
    left.sort_unstable();
    left
}

/// Are all of these, which are in order, among others?
fn is_subset(some: &[usize], of: &[usize]) -> bool {
    let mut rest = of.iter();
    some.len() <= of.len() && some.iter().all(|one| rest.any(|other| other == one))
}
