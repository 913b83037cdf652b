//! BDD manager for the rest of the engine: the only file that uses the kernel.
//!
//! A [`Bdd`] is a reference that keeps its function alive. When the node limit is reached, dead
//! nodes are collected, the variables are reordered if the diagram has grown enough, and the
//! operation is repeated with a higher limit.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::budgeted::{Meter, Stop};
use super::kernel::{Edge, FALSE, Kernel, TRUE};
use crate::answer::Why;
use trapline_budget::Budget;

pub use super::kernel::Var;

/// Nodes before the first garbage collection.
const FIRST_MAX_NODES: usize = 1 << 18;
/// Live nodes before the first reordering.
const FIRST_SIFT: usize = 30_000;
/// Nodes before a further collection is worthwhile: it also loses cache entries.
const NEXT_COLLECTION: usize = 1 << 17;
/// Diagrams below this size are not sifted.
const WORTH_SIFTING: usize = 500;

/// Conjunctions with more conjuncts are taken in the given order.
const MAX_CHOSEN: usize = 300;

/// A Boolean function.
pub struct Bdd {
    edge: Edge,
    slot: u32,
    roots: Rc<Roots>,
}

/// Reference-counted roots.
#[derive(Default)]
struct Roots {
    edges: RefCell<Vec<Edge>>,
    free: RefCell<Vec<u32>>,
}

/// A BDD manager.
pub struct Manager<'b> {
    kernel: RefCell<Kernel<'b>>,
    roots: Rc<Roots>,
    /// Variables that stay adjacent.
    groups: RefCell<Vec<Vec<Var>>>,
    next_sift: Cell<usize>,
    /// Node count that triggers the next collection.
    next_collection: Cell<usize>,
    /// Limit on live nodes.
    max_live: Cell<usize>,
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        self.roots.hold(self.edge, &self.roots)
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.roots.edges.borrow_mut()[self.slot as usize] = TRUE;
        self.roots.free.borrow_mut().push(self.slot);
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({})", self.edge)
    }
}

impl Bdd {
    /// True if it is the constant false.
    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    /// True if it is the constant true.
    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    /// Its complement.
    pub fn negated(&self) -> Bdd {
        self.roots.hold(self.edge ^ 1, &self.roots)
    }
}

impl Roots {
    fn hold(&self, edge: Edge, roots: &Rc<Roots>) -> Bdd {
        let mut edges = self.edges.borrow_mut();
        let slot = match self.free.borrow_mut().pop() {
            Some(slot) => {
                edges[slot as usize] = edge;
                slot
            }
            None => {
                edges.push(edge);
                edges.len() as u32 - 1
            }
        };
        Bdd { edge, slot, roots: Rc::clone(roots) }
    }
}

impl<'b> Manager<'b> {
    /// A manager without variables.
    pub fn new(budget: &'b Budget<'b>) -> Manager<'b> {
        Manager {
            kernel: RefCell::new(Kernel::new(Meter::new(budget), FIRST_MAX_NODES)),
            roots: Rc::default(),
            groups: RefCell::default(),
            next_sift: Cell::new(FIRST_SIFT),
            next_collection: Cell::new(FIRST_SIFT),
            max_live: Cell::new(usize::MAX),
        }
    }

    /// Adds a group of variables below all others, which stay adjacent. Two in a group are
    /// partners: the current-state and next-state copies of a bit.
    pub fn add_group(&self, n_vars: usize) -> Vec<Var> {
        let mut kernel = self.kernel.borrow_mut();
        let vars: Vec<Var> = (0..n_vars).map(|_| kernel.add_var()).collect();
        if let &[a, b] = vars.as_slice() {
            kernel.partner[a as usize] = b;
            kernel.partner[b as usize] = a;
        }
        self.groups.borrow_mut().push(vars.clone());
        vars
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bdd {
        self.hold(if value { TRUE } else { FALSE })
    }

    /// A variable.
    ///
    /// # Errors
    /// As for all operations, when the budget runs out.
    pub fn literal(&self, var: Var) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.literal(var))
    }

    /// Conjunction.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and(a.edge, b.edge))
    }

    /// Set difference.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and(a.edge, b.edge ^ 1))
    }

    /// Disjunction.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.or(a.edge, b.edge))
    }

    /// Exclusive or.
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.xor(a.edge, b.edge))
    }

    /// If-then-else.
    pub fn mux(&self, c: &Bdd, t: &Bdd, e: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| {
            let then = kernel.and(c.edge, t.edge)?;
            let other = kernel.and(c.edge ^ 1, e.edge)?;
            kernel.or(then, other)
        })
    }

    /// Conjunction of all of them. Intermediate results may be large in most orders, so the
    /// conjunct that adds the fewest new variables is taken next.
    pub fn all(&self, mut parts: Vec<Bdd>) -> Result<Bdd, Why> {
        parts.sort_by_cached_key(|part| self.size(part));
        let mut all = self.constant(true);
        if parts.len() > MAX_CHOSEN {
            return parts.iter().try_fold(all, |all, part| self.and(&all, part));
        }
        let mut known: FxHashSet<Var> = FxHashSet::default();
        let mut left: Vec<(Vec<Var>, Bdd)> =
            parts.into_iter().map(|part| (self.support(&part), part)).collect();
        let n_new = |known: &FxHashSet<Var>, (support, _): &(Vec<Var>, Bdd)| {
            support.iter().filter(|var| !known.contains(var)).count()
        };
        while let Some(next) = (0..left.len()).min_by_key(|&idx| n_new(&known, &left[idx])) {
            let (support, part) = left.remove(next);
            all = self.and(&all, &part)?;
            known.extend(support);
        }
        Ok(all)
    }

    /// Existential quantification over the variables of the cube.
    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.exists(f.edge, cube.edge))
    }

    /// The relational product: conjunction with existential quantification.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and_exists(f.edge, g.edge, cube.edge))
    }

    /// Renames every variable to its partner.
    pub fn shift(&self, f: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.shift(f.edge))
    }

    /// A small function that agrees with `f` where `care` holds.
    pub fn restrict(&self, f: &Bdd, care: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.restrict(f.edge, care.edge))
    }

    /// The cofactor of the function with respect to a cube.
    pub fn cofactor(&self, f: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.cofactor(f.edge, cube.edge))
    }

    /// The conjunction of these variables.
    pub fn cube(&self, vars: &[Var]) -> Result<Bdd, Why> {
        let literals: Vec<(Var, bool)> = vars.iter().map(|&var| (var, true)).collect();
        self.literals(&literals)
    }

    /// The conjunction of these literals.
    pub fn literals(&self, literals: &[(Var, bool)]) -> Result<Bdd, Why> {
        self.run(|kernel| {
            let mut sorted = literals.to_vec();
            sorted.sort_by_key(|&(var, _)| std::cmp::Reverse(kernel.level(var)));
            let mut all = TRUE;
            for (var, value) in sorted {
                let literal = kernel.literal(var)? ^ u32::from(!value);
                all = kernel.and(literal, all)?;
            }
            Ok(all)
        })
    }

    /// True if the intersection is not empty.
    pub fn meets(&self, a: &Bdd, b: &Bdd) -> Result<bool, Why> {
        Ok(!self.and(a, b)?.is_false())
    }

    /// True if the first implies the second.
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<bool, Why> {
        Ok(self.minus(a, b)?.is_false())
    }

    /// The support, topmost variable first.
    pub fn support(&self, f: &Bdd) -> Vec<Var> {
        self.kernel.borrow().support(&[f.edge])
    }

    /// Number of nodes.
    pub fn size(&self, f: &Bdd) -> usize {
        self.kernel.borrow().size(&[f.edge])
    }

    /// True if it has at most this many nodes.
    pub fn is_small(&self, f: &Bdd, n_nodes: usize) -> bool {
        self.kernel.borrow().is_small(f.edge, n_nodes)
    }

    /// A satisfying cube; variables it omits are don't-cares.
    pub fn pick(&self, f: &Bdd) -> Vec<(Var, bool)> {
        self.kernel.borrow().pick(f.edge)
    }

    /// Number of satisfying assignments over these variables.
    pub fn count(&self, f: &Bdd, vars: &[Var]) -> u128 {
        self.kernel.borrow().count(f.edge, vars)
    }

    /// Number of nodes they have together.
    pub fn shared_size(&self, functions: &[Bdd]) -> usize {
        let edges: Vec<Edge> = functions.iter().map(|f| f.edge).collect();
        self.kernel.borrow().size(&edges)
    }

    /// Limits the number of live nodes: beyond it operations fail as if memory had run out.
    pub fn limit_nodes(&self, n_nodes: usize) {
        self.max_live.set(n_nodes);
    }

    /// Runs an operation, unless it takes more work than this.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn attempt(
        &self,
        work: u64,
        op: impl FnOnce() -> Result<Bdd, Why>,
    ) -> Result<Option<Bdd>, Why> {
        self.kernel.borrow_mut().meter.allow(Some(work));
        let result = op();
        let mut kernel = self.kernel.borrow_mut();
        kernel.meter.allow(None);
        match result {
            Ok(set) => Ok(Some(set)),
            // The allowance ran out, unless the budget itself did.
            Err(Why::Work) => kernel.meter.allows(0).map(|()| None).map_err(|_| kernel.meter.why()),
            Err(why) => Err(why),
        }
    }

    /// Reorders the variables if the diagram is large enough.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn improve(&self) -> Result<(), Why> {
        let mut kernel = self.kernel.borrow_mut();
        kernel.collect(self.roots.edges.borrow().iter().copied());
        if kernel.n_nodes() > WORTH_SIFTING { self.sift(&mut kernel) } else { Ok(()) }
    }

    /// Number of nodes, live or dead.
    pub fn n_nodes(&self) -> usize {
        self.kernel.borrow().n_nodes()
    }

    /// The variable order, topmost first.
    pub fn order(&self) -> Vec<Var> {
        self.kernel.borrow().order().to_vec()
    }

    /// Collects garbage and reorders the variables, if due.
    pub fn tidy(&self) -> Result<(), Why> {
        let mut kernel = self.kernel.borrow_mut();
        if kernel.n_nodes() < self.next_collection.get() {
            return Ok(());
        }
        kernel.collect(self.roots.edges.borrow().iter().copied());
        self.sift_if_large(&mut kernel)?;
        self.next_collection
            .set((kernel.n_nodes() * 4).max(NEXT_COLLECTION).max(self.next_sift.get()));
        Ok(())
    }

    fn hold(&self, edge: Edge) -> Bdd {
        self.roots.hold(edge, &self.roots)
    }

    /// Runs an operation under an increasing node limit.
    fn run(&self, op: impl Fn(&mut Kernel<'b>) -> Result<Edge, Stop>) -> Result<Bdd, Why> {
        let mut kernel = self.kernel.borrow_mut();
        loop {
            match op(&mut kernel) {
                Ok(edge) => return Ok(self.hold(edge)),
                Err(Stop::Budget) => return Err(kernel.meter.why()),
                Err(Stop::Allowance) => return Err(Why::Work),
                Err(Stop::Full) => self.make_room(&mut kernel)?,
            }
        }
    }

    fn make_room(&self, kernel: &mut Kernel<'b>) -> Result<(), Why> {
        kernel.collect(self.roots.edges.borrow().iter().copied());
        if kernel.max_nodes >= self.max_live.get() {
            return Err(Why::Memory);
        }
        self.sift_if_large(kernel)?;
        kernel.max_nodes *= 2;
        Ok(())
    }

    fn sift_if_large(&self, kernel: &mut Kernel<'b>) -> Result<(), Why> {
        if kernel.n_nodes() < self.next_sift.get() { Ok(()) } else { self.sift(kernel) }
    }

    fn sift(&self, kernel: &mut Kernel<'b>) -> Result<(), Why> {
        let n_before = kernel.n_nodes();
        let roots = self.roots.edges.borrow();
        let result = kernel.sift(&mut self.groups.borrow_mut(), roots.iter().copied());
        // After a fruitless reordering the next one is postponed.
        let n_after = kernel.n_nodes();
        let factor = if n_after * 5 > n_before * 4 { 4 } else { 2 };
        self.next_sift.set((n_after * factor).max(FIRST_SIFT));
        result.map_err(|_| kernel.meter.why())
    }
}
