//! Functions of bits, for the rest of the engine: the only file that knows the kernel.
//!
//! A [`Bdd`] keeps its function alive. When there are too many nodes, those that nothing keeps
//! are freed, the order of the variables is improved if growth asks for it, and the operation is
//! done again with more room.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::budgeted::{Meter, Stop};
use super::kernel::{Edge, FALSE, Kernel, TRUE};
use crate::answer::Why;
use trapline_budget::Budget;

pub use super::kernel::Var;

/// Nodes before the first clean-up.
const FIRST_ROOM: usize = 1 << 18;
/// Nodes in use before the first search for a better order.
const FIRST_SIFT: usize = 30_000;
/// Nodes before it is worth while to look again which are needed: what is freed is forgotten.
const NEXT_LOOK: usize = 1 << 17;
/// Fewer nodes are few enough.
const WORTH_SIFTING: usize = 500;

/// With more members than this, the order of a conjunction is not looked for.
const MAX_CHOSEN: usize = 300;

/// A function of bits.
pub struct Bdd {
    edge: Edge,
    slot: u32,
    roots: Rc<Roots>,
}

/// The functions that are kept.
#[derive(Default)]
struct Roots {
    edges: RefCell<Vec<Edge>>,
    free: RefCell<Vec<u32>>,
}

/// Makes functions.
pub struct Manager<'b> {
    kernel: RefCell<Kernel<'b>>,
    roots: Rc<Roots>,
    /// Variables that stay together.
    groups: RefCell<Vec<Vec<Var>>>,
    next_sift: Cell<usize>,
    /// So many nodes make it worth while to look which are needed.
    next_look: Cell<usize>,
    /// More nodes than this may not be needed at once.
    room: Cell<usize>,
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
    /// Is it never true?
    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    /// Is it always true?
    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    /// Its negation.
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
    /// No variables yet.
    pub fn new(budget: &'b Budget<'b>) -> Manager<'b> {
        Manager {
            kernel: RefCell::new(Kernel::new(Meter::new(budget), FIRST_ROOM)),
            roots: Rc::default(),
            groups: RefCell::default(),
            next_sift: Cell::new(FIRST_SIFT),
            next_look: Cell::new(FIRST_SIFT),
            room: Cell::new(usize::MAX),
        }
    }

    /// New variables below all others, which stay neighbours. Two of them are partners: what one
    /// is in a state, the other is in the next.
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

    /// Both.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and(a.edge, b.edge))
    }

    /// The first without the second.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and(a.edge, b.edge ^ 1))
    }

    /// At least one.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.or(a.edge, b.edge))
    }

    /// Exactly one.
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.xor(a.edge, b.edge))
    }

    /// The second where the first holds, elsewhere the third.
    pub fn mux(&self, c: &Bdd, t: &Bdd, e: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| {
            let then = kernel.and(c.edge, t.edge)?;
            let other = kernel.and(c.edge ^ 1, e.edge)?;
            kernel.or(then, other)
        })
    }

    /// All of them. The result may be small where those of most orders are not, so each time that
    /// one is taken that brings the fewest new variables.
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

    /// Some value of the variables of the cube makes it true.
    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.exists(f.edge, cube.edge))
    }

    /// Some value of the variables of the cube makes both true.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.and_exists(f.edge, g.edge, cube.edge))
    }

    /// The same of the partners of its variables.
    pub fn shift(&self, f: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.shift(f.edge))
    }

    /// Something small that is the same where `care` holds.
    pub fn restrict(&self, f: &Bdd, care: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.restrict(f.edge, care.edge))
    }

    /// The function where the literals of a cube hold, without their variables.
    pub fn given(&self, f: &Bdd, cube: &Bdd) -> Result<Bdd, Why> {
        self.run(|kernel| kernel.given(f.edge, cube.edge))
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

    /// Can both be true?
    pub fn meets(&self, a: &Bdd, b: &Bdd) -> Result<bool, Why> {
        Ok(!self.and(a, b)?.is_false())
    }

    /// Is the second true wherever the first is?
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<bool, Why> {
        Ok(self.minus(a, b)?.is_false())
    }

    /// The variables that it depends on, the topmost first.
    pub fn support(&self, f: &Bdd) -> Vec<Var> {
        self.kernel.borrow().support(&[f.edge])
    }

    /// How many nodes it has.
    pub fn size(&self, f: &Bdd) -> usize {
        self.kernel.borrow().size(&[f.edge])
    }

    /// Has it at most so many nodes?
    pub fn is_small(&self, f: &Bdd, n_nodes: usize) -> bool {
        self.kernel.borrow().is_small(f.edge, n_nodes)
    }

    /// The literals of one way to make it true; what they leave out does not matter.
    pub fn pick(&self, f: &Bdd) -> Vec<(Var, bool)> {
        self.kernel.borrow().pick(f.edge)
    }

    /// For how many values of these variables it is true.
    pub fn count(&self, f: &Bdd, vars: &[Var]) -> u128 {
        self.kernel.borrow().count(f.edge, vars)
    }

    /// How many nodes they have together.
    pub fn shared_size(&self, functions: &[Bdd]) -> usize {
        let edges: Vec<Edge> = functions.iter().map(|f| f.edge).collect();
        self.kernel.borrow().size(&edges)
    }

    /// From now on no more nodes than this may be needed at once: then operations fail as if the
    /// memory had run out.
    pub fn set_room(&self, n_nodes: usize) {
        self.room.set(n_nodes);
    }

    /// Does something, unless it takes more work than this.
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
            // Is it the budget itself?
            Err(Why::Work) => kernel.meter.allows(0).map(|()| None).map_err(|_| kernel.meter.why()),
            Err(why) => Err(why),
        }
    }

    /// Looks for a better order, if that can pay at all.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn improve(&self) -> Result<(), Why> {
        let mut kernel = self.kernel.borrow_mut();
        kernel.collect(self.roots.edges.borrow().iter().copied());
        if kernel.n_nodes() > WORTH_SIFTING { self.sift(&mut kernel) } else { Ok(()) }
    }

    /// How many nodes there are, whether in use or not.
    pub fn n_nodes(&self) -> usize {
        self.kernel.borrow().n_nodes()
    }

    /// The variables, the topmost first.
    pub fn order(&self) -> Vec<Var> {
        self.kernel.borrow().order().to_vec()
    }

    /// Frees what is not needed, and improves the order, if there is reason to.
    pub fn tidy(&self) -> Result<(), Why> {
        let mut kernel = self.kernel.borrow_mut();
        if kernel.n_nodes() < self.next_look.get() {
            return Ok(());
        }
        kernel.collect(self.roots.edges.borrow().iter().copied());
        self.sift_if_large(&mut kernel)?;
        self.next_look.set((kernel.n_nodes() * 4).max(NEXT_LOOK).max(self.next_sift.get()));
        Ok(())
    }

    fn hold(&self, edge: Edge) -> Bdd {
        self.roots.hold(edge, &self.roots)
    }

    /// Runs an operation, with more and more room.
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
        if kernel.max_nodes >= self.room.get() {
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
        // Where it did not help, it is not tried again soon.
        let n_after = kernel.n_nodes();
        let factor = if n_after * 5 > n_before * 4 { 4 } else { 2 };
        self.next_sift.set((n_after * factor).max(FIRST_SIFT));
        result.map_err(|_| kernel.meter.why())
    }
}
