//! Which layer each node goes to.
//!
//! Longest paths from the sinks up, but a layer that is full sends a node to the next one above:
//! a hundred inputs make some rows, not one endless row. Afterwards a node with more edges from
//! above than to below moves up to the nodes that it belongs to.

use std::collections::VecDeque;

use super::{GAP, Node, Pin};

/// The layer of each node, the topmost being 0. Each edge leads to a greater one.
pub fn assign(nodes: &[Node], downward: &[(usize, usize)]) -> Vec<usize> {
    let mut below = vec![Vec::new(); nodes.len()];
    let mut above = vec![Vec::new(); nodes.len()];
    for &(from, to) in downward {
        below[from].push(to);
        above[to].push(from);
    }
    let mut shelf = Shelf { nodes, most: widest(nodes), used: Vec::new() };
    let lowest = usize::from(nodes.iter().any(|node| node.pin == Pin::Bottom));
    let order = from_the_sinks(&below, &above);
    let mut height = vec![0; nodes.len()];
    for &node in order.iter().filter(|node| nodes[**node].pin == Pin::Free) {
        let at_least = below[node].iter().map(|&to| height[to] + 1).max().unwrap_or(0).max(lowest);
        let level = (at_least..).find(|&level| shelf.has_room(level, node)).unwrap_or(at_least);
        shelf.put(level, node);
        height[node] = level;
    }
    for &node in order.iter().rev().filter(|node| nodes[**node].pin == Pin::Free) {
        raise(node, &below, &above, &mut height, &mut shelf);
    }
    number(nodes, &height)
}

/// How wide a layer may be: such that the whole is somewhat wider than high.
fn widest(nodes: &[Node]) -> f64 {
    let area: f64 =
        nodes.iter().map(|node| (node.size.width + GAP) * (node.size.height + 2.0 * GAP)).sum();
    (area * 2.5).sqrt().max(900.0)
}

/// Every node after those that it leads to.
fn from_the_sinks(below: &[Vec<usize>], above: &[Vec<usize>]) -> Vec<usize> {
    let mut n_open: Vec<usize> = below.iter().map(Vec::len).collect();
    let mut ready: VecDeque<usize> = (0..below.len()).filter(|&node| n_open[node] == 0).collect();
    let mut order = Vec::with_capacity(below.len());
    while let Some(node) = ready.pop_front() {
        order.push(node);
        for &other in &above[node] {
            n_open[other] -= 1;
            if n_open[other] == 0 {
                ready.push_back(other);
            }
        }
    }
    order
}

fn raise(
    node: usize,
    below: &[Vec<usize>],
    above: &[Vec<usize>],
    height: &mut [usize],
    shelf: &mut Shelf<'_>,
) {
    let is_reader_pinned = |from: &usize| shelf.nodes[*from].pin != Pin::Free;
    if above[node].len() <= below[node].len() || above[node].iter().all(is_reader_pinned) {
        return;
    }
    let readers = above[node].iter().filter(|from| !is_reader_pinned(from));
    let Some(ceiling) = readers.map(|&from| height[from]).min() else { return };
    let better = (height[node] + 1..ceiling).rev().find(|&level| shelf.has_room(level, node));
    if let Some(level) = better {
        shelf.take(height[node], node);
        shelf.put(level, node);
        height[node] = level;
    }
}

/// Turns heights into layers, without gaps, and puts the pinned nodes first and last.
fn number(nodes: &[Node], height: &[usize]) -> Vec<usize> {
    let free = |(_, node): &(usize, &Node)| node.pin == Pin::Free;
    let mut levels: Vec<usize> =
        nodes.iter().enumerate().filter(free).map(|(idx, _)| height[idx]).collect();
    levels.sort_unstable_by(|a, b| b.cmp(a));
    levels.dedup();
    let first = usize::from(nodes.iter().any(|node| node.pin == Pin::Top));
    let layer = |idx: usize| first + levels.partition_point(|&level| level > height[idx]);
    let last = first + levels.len();
    let pinned = |(idx, node): (usize, &Node)| match node.pin {
        Pin::Top => 0,
        Pin::Bottom => last,
        Pin::Free => layer(idx),
    };
    nodes.iter().enumerate().map(pinned).collect()
}

/// How much of each layer is used.
struct Shelf<'a> {
    nodes: &'a [Node],
    most: f64,
    used: Vec<f64>,
}

impl Shelf<'_> {
    /// An empty layer has room for anything.
    fn has_room(&self, level: usize, node: usize) -> bool {
        let used = self.used.get(level).copied().unwrap_or(0.0);
        used <= 0.0 || used + self.nodes[node].size.width + GAP <= self.most
    }

    fn put(&mut self, level: usize, node: usize) {
        if self.used.len() <= level {
            self.used.resize(level + 1, 0.0);
        }
        self.used[level] += self.nodes[node].size.width + GAP;
    }

    fn take(&mut self, level: usize, node: usize) {
        self.used[level] -= self.nodes[node].size.width + GAP;
    }
}
