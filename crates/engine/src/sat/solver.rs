//! The interface of SAT solvers. A new solver is a file with an implementation.

use crate::answer::Why;
use trapline_budget::Budget;

/// A literal: a variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// A variable.
    #[inline]
    pub fn new(var: u32) -> Lit {
        Lit(var << 1)
    }

    /// The variable.
    #[inline]
    pub fn var(self) -> u32 {
        self.0 >> 1
    }

    /// True if it is negative.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// A dense index of literals.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal with this index.
    #[inline]
    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Negated if requested.
    #[inline]
    pub fn negated_if(self, is_negated: bool) -> Lit {
        Lit(self.0 ^ u32::from(is_negated))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Why there is no answer yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The current allowance is used up.
    Pause,
    /// A budget ran out.
    Budget(Why),
}

impl Stop {
    /// The reason, where no allowance was set.
    pub fn why(self) -> Why {
        match self {
            Stop::Budget(why) => why,
            Stop::Pause => unreachable!("nobody set an end to the work"),
        }
    }
}

impl<W: Into<Why>> From<W> for Stop {
    fn from(why: W) -> Stop {
        Stop::Budget(why.into())
    }
}

/// A kind of solver, for any budget.
pub trait Kind {
    /// The solver.
    type Solver<'b>: Solver<'b>;
}

/// An incremental solver.
pub trait Solver<'b>: Sized {
    /// No clauses yet.
    fn new(budget: &'b Budget<'b>) -> Self;

    /// The budget.
    fn budget(&self) -> &'b Budget<'b>;

    /// A new variable.
    fn add_var(&mut self) -> Lit;

    /// Marks a variable as defined by clauses over others. A solver may use the hint.
    fn mark_gate(&mut self, _var: Lit) {}

    /// At least one of these is true.
    fn add_clause(&mut self, clause: &[Lit]);

    /// From now on queries pause once this much work is charged to the budget.
    fn allow(&mut self, until: u64);

    /// Solves the clauses under assumptions.
    ///
    /// # Errors
    /// When it takes more work than is allowed; it may be asked again.
    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop>;

    /// After SAT: the value of a literal.
    fn value(&self, lit: Lit) -> bool;

    /// After UNSAT: true if this assumption is in the core.
    fn is_in_core(&self, assumption: Lit) -> bool;
}
