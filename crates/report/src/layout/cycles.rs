//! Which edges to turn round so that no cycle is left.
//!
//! The greedy heuristic of Eades, Lin and Smyth (1993): peel off sinks and sources; when there
//! is neither, take the node that has the most edges out over edges in. Edges that then go
//! backwards are the ones to turn. A graph without cycles keeps all its edges as they are.

use std::collections::BTreeSet;

/// For each edge, whether to turn it round.
pub fn break_cycles(n_nodes: usize, arrows: &[(usize, usize)]) -> Vec<bool> {
    let rank = ranks(n_nodes, arrows);
    arrows.iter().map(|&(from, to)| rank[from] > rank[to]).collect()
}

fn ranks(n_nodes: usize, arrows: &[(usize, usize)]) -> Vec<usize> {
    let mut peeling = Peeling::new(n_nodes, arrows);
    let (mut first, mut last) = (0, n_nodes);
    let mut rank = vec![0; n_nodes];
    for _ in 0..n_nodes {
        if let Some(&sink) = peeling.sinks.first() {
            last -= 1;
            rank[sink] = last;
            peeling.remove(sink);
            continue;
        }
        let next = peeling.sources.first().copied();
        // The smallest of (edges in minus edges out, node) is the one to take next.
        if let Some(node) = next.or_else(|| peeling.inner.first().map(|&(_, node)| node)) {
            rank[node] = first;
            first += 1;
            peeling.remove(node);
        }
    }
    rank
}

/// The nodes that are left, each in one of the three sets.
struct Peeling {
    to: Vec<Vec<usize>>,
    from: Vec<Vec<usize>>,
    n_out: Vec<usize>,
    n_in: Vec<usize>,
    is_left: Vec<bool>,
    sinks: BTreeSet<usize>,
    sources: BTreeSet<usize>,
    inner: BTreeSet<(isize, usize)>,
}

impl Peeling {
    fn new(n_nodes: usize, arrows: &[(usize, usize)]) -> Peeling {
        let (mut to, mut from) = (vec![Vec::new(); n_nodes], vec![Vec::new(); n_nodes]);
        for &(a, b) in arrows {
            to[a].push(b);
            from[b].push(a);
        }
        let mut peeling = Peeling {
            n_out: to.iter().map(Vec::len).collect(),
            n_in: from.iter().map(Vec::len).collect(),
            to,
            from,
            is_left: vec![true; n_nodes],
            sinks: BTreeSet::new(),
            sources: BTreeSet::new(),
            inner: BTreeSet::new(),
        };
        for node in 0..n_nodes {
            peeling.enter(node);
        }
        peeling
    }

    fn enter(&mut self, node: usize) {
        if self.n_out[node] == 0 {
            self.sinks.insert(node);
        } else if self.n_in[node] == 0 {
            self.sources.insert(node);
        } else {
            self.inner.insert((self.n_in[node] as isize - self.n_out[node] as isize, node));
        }
    }

    fn leave(&mut self, node: usize) {
        self.sinks.remove(&node);
        self.sources.remove(&node);
        self.inner.remove(&(self.n_in[node] as isize - self.n_out[node] as isize, node));
    }

    fn remove(&mut self, node: usize) {
        self.leave(node);
        self.is_left[node] = false;
        for idx in 0..self.to[node].len() {
            let other = self.to[node][idx];
            if self.is_left[other] {
                self.leave(other);
                self.n_in[other] -= 1;
                self.enter(other);
            }
        }
        for idx in 0..self.from[node].len() {
            let other = self.from[node][idx];
            if self.is_left[other] {
                self.leave(other);
                self.n_out[other] -= 1;
                self.enter(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_without_cycles_is_left_alone() {
        let arrows = [(0, 1), (0, 2), (2, 1), (3, 0), (4, 5)];
        assert!(break_cycles(6, &arrows).iter().all(|is_reversed| !is_reversed));
    }

    #[test]
    fn one_edge_of_a_circle_is_turned() {
        let arrows = [(0, 1), (1, 2), (2, 3), (3, 0)];
        assert_eq!(break_cycles(4, &arrows).iter().filter(|is_reversed| **is_reversed).count(), 1);
    }
}
