//! The reachability graph reduced to the requirements of goals.
//!
//! A requirement is met by any of some targets. Dominated requirements (met whenever another one
//! is) are dropped, and then edges dominated by parallel ones. Of a thousand goals often a hundred
//! requirements remain.

use rustc_hash::FxHashMap;
use trapline_engine::explicit::labelled::{Edge, LabelledGraph};

/// The reduced graph.
#[derive(Clone, Debug, Default)]
pub struct GoalGraph {
    /// The first edge of each node, and at the end the number of edges.
    pub edge_start: Vec<usize>,
    /// The edges.
    pub edges: Vec<Step>,
    /// The initial nodes.
    pub starts: Vec<Step>,
    /// Edge labels: sorted sets of requirements.
    pub sets: Vec<Vec<usize>>,
    /// Number of remaining requirements.
    pub n_needs: usize,
    /// Number of requirements before reduction.
    pub n_wanted: usize,
}

/// A step, or a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The target node.
    pub to: u32,
    /// Its label.
    pub set: u32,
    /// The corresponding edge of the labelled graph.
    pub origin: Edge,
}

impl GoalGraph {
    /// Reduces a labelled graph to requirements, each given by the targets that meet it.
    /// Unreachable ones are dropped. Targets in `initial` are met by initial nodes only.
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
        // What steps of each class meet, then what initial nodes meet.
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

    /// Adds the undominated edges of the next node.
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

    /// The distance of each requirement.
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

    /// The edges of a node.
    pub fn steps(&self, node: u32) -> &[Step] {
        &self.edges[self.edge_start[node as usize]..self.edge_start[node as usize + 1]]
    }

    /// The requirements that an edge meets.
    pub fn met(&self, step: Step) -> &[usize] {
        &self.sets[step.set as usize]
    }
}

/// The requirements not dominated by another one.
fn essential(met: &[Vec<usize>], n_needs: usize) -> Vec<usize> {
    let mut classes = vec![Vec::new(); n_needs];
    for (class, needs) in met.iter().enumerate() {
        needs.iter().for_each(|&need| classes[need].push(class));
    }
    let mut order: Vec<usize> = (0..n_needs).filter(|&need| !classes[need].is_empty()).collect();
    order.sort_by_key(|&need| (classes[need].len(), need));
    // For each class, the essential requirements that it meets.
    let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); met.len()];
    let mut left = Vec::new();
    for need in order {
        // A requirement met by a subset of these classes would share one of them.
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

/// Subset test on sorted slices.
fn is_subset(some: &[usize], of: &[usize]) -> bool {
    let mut rest = of.iter();
    some.len() <= of.len() && some.iter().all(|one| rest.any(|other| other == one))
}
