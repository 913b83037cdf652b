//! The two kernels, as far as the workloads need them.
//!
//! The variables are `2 * bit` for a bit of the state and `2 * bit + 1` for the same bit in the
//! next state, in this order from the top.

use std::time::Duration;

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager,
    ManagerRef, Subst,
};

use crate::bdd::budgeted::Meter;
use crate::bdd::kernel::{Edge, Kernel, TRUE, Var};
use crate::budget::{Budget, Limits};

/// A kernel.
pub trait Rival {
    /// A function.
    type F: Clone + PartialEq;
    /// The function that is always true.
    fn truth(&self) -> Self::F;
    /// A variable.
    fn literal(&self, var: u32) -> Self::F;
    /// The negation.
    fn not(&self, f: &Self::F) -> Self::F;
    /// Both.
    fn and(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    /// Exactly one.
    fn xor(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    /// Both, for some value of the variables of a cube.
    fn and_exists(&mut self, f: &Self::F, g: &Self::F, cube: &Self::F) -> Self::F;
    /// A function of the next state as one of the state.
    fn shift(&mut self, f: &Self::F) -> Self::F;
    /// How many nodes it has, without the constants.
    fn size(&self, f: &Self::F) -> usize;
    /// Looks for a better order; no other functions are needed from now on.
    fn sift(&mut self, live: &[Self::F]);
    /// Only these and the variables are needed from now on.
    fn tidy(&mut self, live: &[&Self::F]);
    /// Both, unless it takes longer than this.
    fn try_and(&mut self, f: &Self::F, g: &Self::F, time: Duration) -> Option<Self::F>;

    /// At least one.
    fn or(&mut self, f: &Self::F, g: &Self::F) -> Self::F {
        let neither = self.and(&self.not(f), &self.not(g));
        self.not(&neither)
    }
}

/// Ours. It frees nodes when there are twice as many as were needed, as the engine does.
pub struct Ours {
    kernel: Kernel<'static>,
    literals: Vec<Edge>,
    first_look: usize,
    next_look: usize,
}

impl Ours {
    /// So many variables, and so many nodes before it first looks which of them are needed.
    pub fn new(n_vars: u32, first_look: usize) -> Ours {
        let mut kernel = Kernel::new(meter(Limits::default()), usize::MAX);
        let vars: Vec<Var> = (0..n_vars).map(|_| kernel.add_var()).collect();
        kernel.partner = vars.iter().map(|var| var ^ 1).collect();
        let literals = vars.iter().map(|&var| kernel.literal(var).expect("no limits")).collect();
        Ours { kernel, literals, first_look, next_look: first_look }
    }
}

fn meter(limits: Limits) -> Meter<'static> {
    Meter::new(Box::leak(Box::new(Budget::new(limits))))
}

impl Rival for Ours {
    type F = Edge;

    fn truth(&self) -> Edge {
        TRUE
    }

    fn literal(&self, var: u32) -> Edge {
        self.literals[var as usize]
    }

    fn not(&self, f: &Edge) -> Edge {
        f ^ 1
    }

    fn and(&mut self, f: &Edge, g: &Edge) -> Edge {
        self.kernel.and(*f, *g).expect("no limits")
    }

    fn xor(&mut self, f: &Edge, g: &Edge) -> Edge {
        self.kernel.xor(*f, *g).expect("no limits")
    }

    fn and_exists(&mut self, f: &Edge, g: &Edge, cube: &Edge) -> Edge {
        self.kernel.and_exists(*f, *g, *cube).expect("no limits")
    }

    fn shift(&mut self, f: &Edge) -> Edge {
        self.kernel.shift(*f).expect("no limits")
    }

    fn size(&self, f: &Edge) -> usize {
        self.kernel.size(&[*f])
    }

    fn sift(&mut self, live: &[Edge]) {
        let mut groups: Vec<Vec<Var>> = self.kernel.order().iter().map(|&var| vec![var]).collect();
        self.kernel.collect(live.iter().copied());
        self.kernel.sift(&mut groups, live.iter().copied()).expect("no limits");
    }

    fn tidy(&mut self, live: &[&Edge]) {
        if self.kernel.n_nodes() > self.next_look {
            self.kernel.collect(live.iter().copied().chain(&self.literals).copied());
            self.next_look = self.first_look.max(self.kernel.n_nodes() * 2);
        }
    }

    fn try_and(&mut self, f: &Edge, g: &Edge, time: Duration) -> Option<Edge> {
        self.kernel.meter = meter(Limits { time: Some(time), ..Limits::default() });
        self.kernel.and(*f, *g).ok()
    }
}

/// The library. It frees nodes by itself, when the room that it was given is nearly used up.
pub struct Library {
    manager: BCDDManagerRef,
    literals: Vec<BCDDFunction>,
    next_to_now: Subst<BCDDFunction>,
}

/// The room is fixed when it is made.
pub const MAX_NODES: usize = 1 << 24;
/// As many entries as our cache may have.
const MAX_CACHE: usize = 1 << 23;

impl Library {
    /// So many variables.
    pub fn new(n_vars: u32, n_threads: u32) -> Library {
        let manager = new_manager(MAX_NODES, MAX_CACHE, n_threads);
        manager.with_manager_exclusive(|manager| manager.add_vars(n_vars));
        let literals: Vec<BCDDFunction> = manager.with_manager_shared(|manager| {
            (0..n_vars).map(|var| BCDDFunction::var(manager, var).expect("room")).collect()
        });
        let (next, now) =
            (1..n_vars).step_by(2).map(|var| (var, literals[var as usize - 1].clone())).unzip();
        Library { manager, literals, next_to_now: Subst::new(next, now) }
    }
}

impl Rival for Library {
    type F = BCDDFunction;

    fn truth(&self) -> BCDDFunction {
        self.manager.with_manager_shared(|manager| BCDDFunction::t(manager))
    }

    fn literal(&self, var: u32) -> BCDDFunction {
        self.literals[var as usize].clone()
    }

    fn not(&self, f: &BCDDFunction) -> BCDDFunction {
        f.not().expect("room")
    }

    fn and(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> BCDDFunction {
        f.and(g).expect("room")
    }

    fn xor(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> BCDDFunction {
        f.xor(g).expect("room")
    }

    fn and_exists(&mut self, f: &Self::F, g: &Self::F, cube: &Self::F) -> BCDDFunction {
        f.apply_exists(BooleanOperator::And, g, cube).expect("room")
    }

    fn shift(&mut self, f: &BCDDFunction) -> BCDDFunction {
        f.substitute(&self.next_to_now).expect("room")
    }

    fn size(&self, f: &BCDDFunction) -> usize {
        f.node_count() - 1
    }

    fn sift(&mut self, _: &[BCDDFunction]) {
        self.literals.clear();
        self.next_to_now = Subst::new(Vec::new(), Vec::new());
        self.manager.with_manager_exclusive(|manager| {
            manager.gc();
            manager.reorder(crate::sift::sift);
        });
    }

    fn tidy(&mut self, _: &[&BCDDFunction]) {}

    /// It can't be told about time: it ends with its result, or when the room is used up.
    fn try_and(&mut self, f: &Self::F, g: &Self::F, _: Duration) -> Option<BCDDFunction> {
        f.and(g).ok()
    }
}
