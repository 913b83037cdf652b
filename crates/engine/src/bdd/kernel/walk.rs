//! Traversals that create no nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Edge, FALSE, Kernel, TRUE, Var};

impl Kernel<'_> {
    /// The support of functions, topmost variable first.
    pub fn support(&self, roots: &[Edge]) -> Vec<Var> {
        let mut vars = FxHashSet::default();
        self.visit(roots, |edge| {
            vars.insert(self.var(edge));
        });
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort_unstable_by_key(|&var| self.level(var));
        vars
    }

    /// Number of nodes functions have together.
    pub fn size(&self, roots: &[Edge]) -> usize {
        let mut n_nodes = 0;
        self.visit(roots, |_| n_nodes += 1);
        n_nodes
    }

    /// True if a function has at most this many nodes.
    pub fn is_small(&self, root: Edge, n_nodes: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(edge) = stack.pop() {
            if edge > FALSE && seen.insert(edge >> 1) {
                if seen.len() > n_nodes {
                    return false;
                }
                let (hi, lo) = self.children(edge);
                stack.extend([hi, lo]);
            }
        }
        true
    }

    /// The variable order, topmost first.
    pub fn order(&self) -> &[Var] {
        &self.var_at
    }

    fn visit(&self, roots: &[Edge], mut see: impl FnMut(Edge)) {
        let mut seen = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(edge) = stack.pop() {
            if edge > FALSE && seen.insert(edge >> 1) {
                see(edge);
                let (hi, lo) = self.children(edge);
                stack.extend([hi, lo]);
            }
        }
    }

    /// A satisfying cube; variables it omits are don't-cares.
    pub fn pick(&self, mut edge: Edge) -> Vec<(Var, bool)> {
        let mut literals = Vec::new();
        while edge > FALSE {
            let (hi, lo) = self.children(edge);
            // Prefer false.
            let value = lo == FALSE;
            literals.push((self.var(edge), value));
            edge = if value { hi } else { lo };
        }
        literals
    }

    /// Number of satisfying assignments over these variables, which include the support. Saturates
    /// at the maximum of `u128`.
    pub fn count(&self, edge: Edge, vars: &[Var]) -> u128 {
        let mut levels: Vec<u32> = vars.iter().map(|&var| self.level(var)).collect();
        levels.sort_unstable();
        let rank_of = |edge: Edge| levels.partition_point(|&level| level < self.top(edge));
        // Counts over the variables from the top variable down.
        let mut known: FxHashMap<Edge, u128> = FxHashMap::default();
        let mut stack = vec![edge];
        while let Some(&edge) = stack.last() {
            if edge <= FALSE || known.contains_key(&edge) {
                stack.pop();
                continue;
            }
            let (hi, lo) = self.children(edge);
            let n_of = |child: Edge| match child {
                TRUE => Some(1),
                FALSE => Some(0),
                _ => known.get(&child).copied(),
            };
            let rank = rank_of(edge);
            match (n_of(hi), n_of(lo)) {
                (Some(of_hi), Some(of_lo)) => {
                    let of_hi = times_power(of_hi, rank_of(hi) - rank - 1);
                    let of_lo = times_power(of_lo, rank_of(lo) - rank - 1);
                    known.insert(edge, of_hi.saturating_add(of_lo));
                    stack.pop();
                }
                _ => stack.extend([hi, lo]),
            }
        }
        let n_ways = match edge {
            TRUE => 1,
            FALSE => 0,
            _ => known[&edge],
        };
        times_power(n_ways, rank_of(edge))
    }
}

fn times_power(number: u128, exponent: usize) -> u128 {
    match number {
        0 => 0,
        _ if exponent > number.leading_zeros() as usize => u128::MAX,
        _ => number << exponent,
    }
}
