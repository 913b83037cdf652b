//! Dynamic variable reordering.
//!
//! Two adjacent levels are swapped in place: a node of the upper variable with a child of the lower
//! one becomes a node of the lower variable with new children; all others stay. Sifting (Rudell,
//! *Dynamic variable ordering for ordered binary decision diagrams*) moves every group of variables
//! through all positions and leaves it at the best.

use super::{Edge, FALSE, FIRST_NODE, FREE, Kernel, NONE, Node, Var};
use crate::bdd::budgeted::Stop;

/// Growth limit in percent: a group stops moving in one direction beyond this multiple of the
/// minimum size.
const MAX_GROWTH: usize = 120;
/// Node visits per live node; by then the largest groups have been sifted.
const MAX_VISITS: usize = 60;

/// State of a reordering.
struct Sifting<'k, 'b> {
    kernel: &'k mut Kernel<'b>,
    /// Reference count of each node.
    refs: Vec<u32>,
    /// The nodes of each variable, possibly including dead ones.
    nodes_of: Vec<Vec<u32>>,
    /// Number of live nodes of each variable.
    n_of: Vec<usize>,
    n_live: usize,
    n_visits: usize,
}

impl Kernel<'_> {
    /// Reorders the variables. Those of a group stay adjacent and in order; `groups` partitions all
    /// variables. Every live node must be reachable from a root.
    ///
    /// # Errors
    /// When the budget runs out; the order is then what it is.
    pub fn sift(
        &mut self,
        groups: &mut [Vec<Var>],
        roots: impl Iterator<Item = Edge>,
    ) -> Result<(), Stop> {
        self.is_sifting = true;
        let mut sifting = Sifting::new(self, roots);
        let result = sifting.run(groups);
        let kernel = sifting.kernel;
        kernel.is_sifting = false;
        let is_live: Vec<bool> = kernel.nodes.iter().map(|node| node.var != FREE).collect();
        kernel.forget(|idx| is_live[idx as usize]);
        kernel.reclaim();
        result
    }
}

impl<'k, 'b> Sifting<'k, 'b> {
    fn new(kernel: &'k mut Kernel<'b>, roots: impl Iterator<Item = Edge>) -> Sifting<'k, 'b> {
        let mut refs = vec![0u32; kernel.nodes.len()];
        let mut nodes_of = vec![Vec::new(); kernel.n_vars()];
        for (idx, node) in kernel.nodes.iter().enumerate().skip(FIRST_NODE as usize) {
            if node.var != FREE {
                refs[(node.hi >> 1) as usize] += 1;
                refs[(node.lo >> 1) as usize] += 1;
                nodes_of[node.var as usize].push(idx as u32);
            }
        }
        for root in roots {
            refs[(root >> 1) as usize] += 1;
        }
        let n_of: Vec<usize> = nodes_of.iter().map(Vec::len).collect();
        let n_live = n_of.iter().sum();
        Sifting { kernel, refs, nodes_of, n_of, n_live, n_visits: 0 }
    }

    fn run(&mut self, groups: &mut [Vec<Var>]) -> Result<(), Stop> {
        groups.sort_by_key(|group| self.kernel.level(group[0]));
        // Largest groups first.
        let size = |group: &[Var]| group.iter().map(|&var| self.n_of[var as usize]).sum::<usize>();
        let mut order: Vec<(usize, Var)> =
            groups.iter().map(|group| (size(group), group[0])).collect();
        order.sort_by_key(|&(size, var)| (std::cmp::Reverse(size), var));
        let max_visits = MAX_VISITS * self.n_live;
        for (size, first) in order {
            if size > 1 && self.n_visits < max_visits {
                let position = groups.iter().position(|group| group[0] == first).unwrap_or(0);
                self.sift_group(groups, position)?;
            }
        }
        Ok(())
    }

    /// Moves a group through all positions, and back to the best.
    fn sift_group(&mut self, groups: &mut [Vec<Var>], start: usize) -> Result<(), Stop> {
        let mut best = (self.n_live, start);
        let last = groups.len() - 1;
        let mut at = start;
        // Towards the nearer end first.
        let down_first = last - start < start;
        for is_down in [down_first, !down_first] {
            loop {
                if at == (if is_down { last } else { 0 }) {
                    break;
                }
                at = self.step(groups, at, is_down)?;
                if self.n_live < best.0 {
                    best = (self.n_live, at);
                }
                if self.n_live * 100 > best.0 * MAX_GROWTH + 10_000 {
                    break;
                }
            }
        }
        while at != best.1 {
            at = self.step(groups, at, at < best.1)?;
        }
        Ok(())
    }

    /// Swaps a group with its neighbour.
    fn step(&mut self, groups: &mut [Vec<Var>], at: usize, is_down: bool) -> Result<usize, Stop> {
        let (upper, lower) = if is_down { (at, at + 1) } else { (at - 1, at) };
        let (n_upper, n_lower) = (groups[upper].len(), groups[lower].len());
        let first = self.kernel.level(groups[upper][0]) as usize;
        // An interrupted swap would tear a group apart, so the budget is polled first.
        let n_nodes_of = |group: &[Var]| -> usize {
            group.iter().map(|&var| self.nodes_of[var as usize].len()).sum()
        };
        let n_nodes = (n_lower * n_nodes_of(&groups[upper])) as u64;
        self.kernel.meter.spend(1 + n_nodes / 2)?;
        self.kernel.meter.allows(n_nodes * 2 * size_of::<Node>() as u64)?;
        // Every variable of the lower group passes every variable of the upper group.
        for moved in 0..n_lower {
            for passed in 0..n_upper {
                self.swap(first + n_upper + moved - passed - 1)?;
            }
        }
        groups.swap(upper, lower);
        Ok(if is_down { at + 1 } else { at - 1 })
    }

    /// Swaps a level with the one below.
    fn swap(&mut self, level: usize) -> Result<(), Stop> {
        let (x, y) = (self.kernel.var_at[level], self.kernel.var_at[level + 1]);
        self.n_visits += self.nodes_of[x as usize].len();
        let upper = std::mem::take(&mut self.nodes_of[x as usize]);
        self.kernel.var_at.swap(level, level + 1);
        self.kernel.level_of.swap(x as usize, y as usize);
        let mut stay = Vec::with_capacity(upper.len());
        let mut change = Vec::new();
        let is_lower = |kernel: &Kernel, edge: Edge| kernel.nodes[(edge >> 1) as usize].var == y;
        for idx in upper {
            let Node { hi, lo, var, .. } = self.kernel.nodes[idx as usize];
            if var != x {
                continue;
            }
            if is_lower(self.kernel, hi) || is_lower(self.kernel, lo) {
                change.push(idx);
            } else {
                stay.push(idx);
            }
        }
        self.nodes_of[x as usize] = stay;
        // All leave the table before any new node is made, so that lookups find only valid nodes.
        for &idx in &change {
            self.unlink(idx);
        }
        for idx in change {
            self.relabel(idx, x, y)?;
        }
        Ok(())
    }

    /// Turns a node of `x` into a node of `y`.
    fn relabel(&mut self, idx: u32, x: Var, y: Var) -> Result<(), Stop> {
        let Node { hi, lo, .. } = self.kernel.nodes[idx as usize];
        let split = |kernel: &Kernel, edge: Edge| {
            let is_lower = kernel.nodes[(edge >> 1) as usize].var == y;
            if is_lower { kernel.children(edge) } else { (edge, edge) }
        };
        let ((f11, f10), (f01, f00)) = (split(self.kernel, hi), split(self.kernel, lo));
        let new_hi = self.make(x, f11, f01)?;
        let new_lo = self.make(x, f10, f00)?;
        let bucket = self.kernel.bucket(y, new_hi, new_lo);
        let next = self.kernel.buckets[bucket];
        self.kernel.nodes[idx as usize] = Node { hi: new_hi, lo: new_lo, var: y, next };
        self.kernel.buckets[bucket] = idx;
        self.n_of[x as usize] -= 1;
        self.n_of[y as usize] += 1;
        self.nodes_of[y as usize].push(idx);
        self.release(hi);
        self.release(lo);
        Ok(())
    }

    /// Finds or makes a node of `x`, and adds a reference.
    fn make(&mut self, x: Var, hi: Edge, lo: Edge) -> Result<Edge, Stop> {
        let edge = self.kernel.make(x, hi, lo)?;
        self.refs.resize(self.kernel.nodes.len(), 0);
        let idx = edge >> 1;
        // A node without references is new.
        if edge > FALSE && hi != lo && self.refs[idx as usize] == 0 {
            let Node { hi, lo, .. } = self.kernel.nodes[idx as usize];
            self.refs[(hi >> 1) as usize] += 1;
            self.refs[(lo >> 1) as usize] += 1;
            self.nodes_of[x as usize].push(idx);
            self.n_of[x as usize] += 1;
            self.n_live += 1;
        }
        self.refs[idx as usize] += 1;
        Ok(edge)
    }

    /// Removes a reference; a node without references is dead, but its index is not reused yet.
    fn release(&mut self, edge: Edge) {
        let mut stack = vec![edge];
        while let Some(edge) = stack.pop() {
            let idx = edge >> 1;
            if idx < FIRST_NODE {
                continue;
            }
            self.refs[idx as usize] -= 1;
            if self.refs[idx as usize] == 0 {
                let Node { hi, lo, var, .. } = self.kernel.nodes[idx as usize];
                self.unlink(idx);
                self.kernel.nodes[idx as usize].var = FREE;
                self.n_of[var as usize] -= 1;
                self.n_live -= 1;
                stack.extend([hi, lo]);
            }
        }
    }

    /// Removes a node from the unique table.
    fn unlink(&mut self, idx: u32) {
        let Node { hi, lo, var, next } = self.kernel.nodes[idx as usize];
        let bucket = self.kernel.bucket(var, hi, lo);
        let mut at = self.kernel.buckets[bucket];
        if at == idx {
            self.kernel.buckets[bucket] = next;
            return;
        }
        while at != NONE {
            let after = self.kernel.nodes[at as usize].next;
            if after == idx {
                self.kernel.nodes[at as usize].next = next;
                return;
            }
            at = after;
        }
    }
}
