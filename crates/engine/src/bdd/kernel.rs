//! Binary decision diagrams: the node store and the unique table.
//!
//! An edge is a node index, doubled, plus 1 if it is complemented. The edge to the `hi` child is
//! never complemented, so equal functions have equal edges. A node stores its variable, not its
//! level: when two adjacent levels are swapped (see [`sift`]) most nodes stay as they are, and
//! every edge keeps its function.
//!
//! Nothing is freed inside an operation. Between operations [`Kernel::collect`] frees the nodes
//! that no root reaches.

mod apply;
mod sift;
#[cfg(test)]
mod tests;
mod walk;

use super::budgeted::{Meter, Stop};

/// A function: an edge to a node, possibly complemented.
pub type Edge = u32;
/// A variable. Its level may change.
pub type Var = u32;

/// The function that is always true.
pub const TRUE: Edge = 0;
/// The function that is never true.
pub const FALSE: Edge = 1;

/// Null index.
const NONE: u32 = u32::MAX;
/// The variable of the terminal node.
const NO_VAR: Var = u32::MAX;
/// The variable of a free node.
const FREE: Var = u32::MAX - 1;
/// Lower node indices are never used, so that small numbers can name operations in the cache.
const FIRST_NODE: u32 = 8;

#[derive(Clone, Copy, Debug)]
struct Node {
    hi: Edge,
    lo: Edge,
    var: Var,
    /// The next node in the same bucket, or the next free one.
    next: u32,
}

/// An entry of the computed table: operation (or third operand) on two edges, and the result.
#[derive(Clone, Copy, Debug)]
struct Entry {
    a: Edge,
    b: Edge,
    c: u32,
    result: Edge,
}

const EMPTY: Entry = Entry { a: NONE, b: NONE, c: NONE, result: 0 };

/// The node store.
pub struct Kernel<'b> {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    free: u32,
    n_free: usize,
    cache: Vec<Entry>,
    level_of: Vec<u32>,
    var_at: Vec<Var>,
    /// The variable of the other state copy (current or next).
    pub partner: Vec<Var>,
    /// Node limit at which an operation stops.
    pub max_nodes: usize,
    /// While set, no operation may stop and buckets are not resized.
    is_sifting: bool,
    /// Counts work.
    pub meter: Meter<'b>,
}

impl<'b> Kernel<'b> {
    /// A kernel without variables.
    pub fn new(meter: Meter<'b>, max_nodes: usize) -> Kernel<'b> {
        let none = Node { hi: TRUE, lo: TRUE, var: NO_VAR, next: NONE };
        Kernel {
            nodes: vec![none; FIRST_NODE as usize],
            buckets: vec![NONE; 1 << 10],
            free: NONE,
            n_free: 0,
            cache: vec![EMPTY; 1 << 12],
            level_of: Vec::new(),
            var_at: Vec::new(),
            partner: Vec::new(),
            max_nodes,
            is_sifting: false,
            meter,
        }
    }

    /// A new variable, below all others.
    pub fn add_var(&mut self) -> Var {
        let var = self.var_at.len() as Var;
        self.level_of.push(var);
        self.var_at.push(var);
        self.partner.push(var);
        var
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.var_at.len()
    }

    /// Number of nodes in use.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len() - FIRST_NODE as usize - self.n_free
    }

    /// The level of a variable.
    pub fn level(&self, var: Var) -> u32 {
        self.level_of[var as usize]
    }

    /// The variable of a non-terminal edge.
    pub fn var(&self, edge: Edge) -> Var {
        self.nodes[(edge >> 1) as usize].var
    }

    /// Its positive and negative cofactors by its top variable.
    pub fn children(&self, edge: Edge) -> (Edge, Edge) {
        let Node { hi, lo, .. } = self.nodes[(edge >> 1) as usize];
        (hi ^ (edge & 1), lo ^ (edge & 1))
    }

    /// The level of the top variable; terminals are below all levels.
    fn top(&self, edge: Edge) -> u32 {
        match self.nodes[(edge >> 1) as usize].var {
            NO_VAR => u32::MAX,
            var => self.level_of[var as usize],
        }
    }

    /// The cofactors with respect to the variable at a level at or above the top variable.
    fn split(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        if self.top(edge) == level { self.children(edge) } else { (edge, edge) }
    }

    /// The function of a variable.
    pub fn literal(&mut self, var: Var) -> Result<Edge, Stop> {
        self.make(var, TRUE, FALSE)
    }

    /// The node that is `hi` where the variable is true and `lo` elsewhere.
    fn make(&mut self, var: Var, hi: Edge, lo: Edge) -> Result<Edge, Stop> {
        if hi == lo {
            return Ok(hi);
        }
        let sign = hi & 1;
        let (hi, lo) = (hi ^ sign, lo ^ sign);
        let bucket = self.bucket(var, hi, lo);
        let mut found = self.buckets[bucket];
        while found != NONE {
            let node = &self.nodes[found as usize];
            if node.hi == hi && node.lo == lo && node.var == var {
                return Ok(found << 1 | sign);
            }
            found = node.next;
        }
        let idx = self.insert(Node { hi, lo, var, next: NONE }, bucket)?;
        Ok(idx << 1 | sign)
    }

    fn insert(&mut self, node: Node, bucket: usize) -> Result<u32, Stop> {
        let idx = if self.free != NONE {
            let idx = self.free;
            self.free = self.nodes[idx as usize].next;
            self.n_free -= 1;
            idx
        } else {
            if !self.is_sifting {
                self.may_grow()?;
            }
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.nodes[idx as usize] = Node { next: self.buckets[bucket], ..node };
        self.buckets[bucket] = idx;
        if (self.nodes.len() - self.n_free) * 2 > self.buckets.len() && !self.is_sifting {
            self.widen();
        }
        Ok(idx)
    }

    #[inline(always)]
    fn may_grow(&self) -> Result<(), Stop> {
        if self.nodes.len() >= self.max_nodes {
            return Err(Stop::Full);
        }
        if self.nodes.len() == self.nodes.capacity() {
            // Growing copies the nodes; buckets and cache grow with them.
            self.meter.allows(self.nodes.len() as u64 * size_of::<Node>() as u64 * 4)?;
        }
        Ok(())
    }

    fn bucket(&self, var: Var, hi: Edge, lo: Edge) -> usize {
        let pair = u64::from(hi) << 32 | u64::from(lo);
        let mixed = (pair ^ u64::from(var) << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.buckets.len() - 1)
    }

    /// Doubles the buckets, at most half of which are used, and the cache with them.
    fn widen(&mut self) {
        let n_buckets = self.buckets.len() * 2;
        self.rehash(n_buckets);
        let n_entries = MAX_CACHE.min(n_buckets / 2);
        if self.cache.len() < n_entries {
            let old = std::mem::replace(&mut self.cache, vec![EMPTY; n_entries]);
            for entry in old {
                let slot = self.slot(entry.a, entry.b, entry.c);
                self.cache[slot] = entry;
            }
        }
    }

    /// Redistributes all nodes over this many buckets.
    fn rehash(&mut self, n_buckets: usize) {
        self.buckets.clear();
        self.buckets.resize(n_buckets, NONE);
        for idx in FIRST_NODE..self.nodes.len() as u32 {
            let Node { hi, lo, var, .. } = self.nodes[idx as usize];
            if var != FREE {
                let bucket = self.bucket(var, hi, lo);
                self.nodes[idx as usize].next = self.buckets[bucket];
                self.buckets[bucket] = idx;
            }
        }
    }

    /// Frees every node that no root reaches.
    pub fn collect(&mut self, roots: impl Iterator<Item = Edge>) {
        let mut is_live = vec![0u64; self.nodes.len().div_ceil(64)];
        let mut stack: Vec<u32> = roots.map(|edge| edge >> 1).collect();
        while let Some(idx) = stack.pop() {
            let (word, bit) = (idx as usize / 64, 1u64 << (idx % 64));
            if idx < FIRST_NODE || is_live[word] & bit != 0 {
                continue;
            }
            is_live[word] |= bit;
            let Node { hi, lo, .. } = self.nodes[idx as usize];
            stack.extend([hi >> 1, lo >> 1]);
        }
        let lives =
            |idx: u32| idx < FIRST_NODE || is_live[idx as usize / 64] & 1u64 << (idx % 64) != 0;
        for idx in FIRST_NODE..self.nodes.len() as u32 {
            if !lives(idx) {
                self.nodes[idx as usize].var = FREE;
            }
        }
        self.forget(lives);
        self.reclaim();
    }

    /// Drops cache entries about freed nodes.
    fn forget(&mut self, lives: impl Fn(u32) -> bool) {
        let n_nodes = self.nodes.len() as u32;
        let lives = |edge: Edge| edge >> 1 < n_nodes && lives(edge >> 1);
        for entry in &mut self.cache {
            let Entry { a, b, c, result } = *entry;
            if a != NONE && !(lives(a) && lives(b) && lives(c) && lives(result)) {
                *entry = EMPTY;
            }
        }
    }

    /// Rebuilds the free list and the buckets.
    fn reclaim(&mut self) {
        self.free = NONE;
        self.n_free = 0;
        // Trailing free nodes are released; low indices are reused first.
        while self.nodes.last().is_some_and(|node| node.var == FREE) {
            self.nodes.pop();
        }
        for idx in (FIRST_NODE..self.nodes.len() as u32).rev() {
            let node = &mut self.nodes[idx as usize];
            if node.var == FREE {
                node.next = self.free;
                self.free = idx;
                self.n_free += 1;
            }
        }
        self.rehash(self.buckets.len().max((self.n_nodes() * 2).next_power_of_two()));
    }
}

/// Maximum number of cache entries.
const MAX_CACHE: usize = 1 << 23;
