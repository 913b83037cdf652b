//! What the engine asks of a SAT solver. Another one is a file with an implementation.

use crate::answer::Why;
use trapline_budget::Budget;

/// A variable of a solver, or its negation.
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

    /// Is it the negation?
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// A number for each variable and each negation.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal of a number.
    #[inline]
    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// The same, negated if asked for.
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
    /// It takes more work than was allowed for now.
    Pause,
    /// Something ran out.
    Budget(Why),
}

impl Stop {
    /// Why there is no answer, where nobody set an end to the work.
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

/// A set of clauses that may grow, and questions about it.
pub trait Solver<'b>: Sized {
    /// No clauses yet.
    fn new(budget: &'b Budget<'b>) -> Self;

    /// The budget.
    fn budget(&self) -> &'b Budget<'b>;

    /// A new variable.
    fn add_var(&mut self) -> Lit;

    /// Clauses determine this variable by others. A solver may make use of it.
    fn mark_gate(&mut self, _var: Lit) {}

    /// At least one of these is true.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Pauses questions from now on when so much work is counted in the budget.
    fn allow(&mut self, until: u64);

    /// Can all clauses and these assumptions be true together?
    ///
    /// # Errors
    /// When it takes more work than is allowed; it may be asked again.
    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop>;

    /// After a yes: is it true in the example?
    fn value(&self, lit: Lit) -> bool;

    /// After a no: did this assumption take part in the conflict?
    fn is_in_core(&self, assumption: Lit) -> bool;
}
