//! BDD operations that poll the budget as they run.

use crate::answer::Why;
use trapline_budget::Budget;

/// Nodes created between two polls of the budget.
const INTERVAL: u32 = 1 << 12;

/// Why an operation was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The budget is exhausted.
    Budget,
    /// The current allowance is used up.
    Allowance,
    /// The node limit was reached.
    Full,
}

/// Counts the work of operations.
pub struct Meter<'b> {
    budget: &'b Budget<'b>,
    n_ticks: u32,
    /// Work left in the current allowance.
    allowance: Option<u64>,
}

impl<'b> Meter<'b> {
    /// A meter that charges this budget.
    pub fn new(budget: &'b Budget<'b>) -> Meter<'b> {
        Meter { budget, n_ticks: 0, allowance: None }
    }

    /// Charges one unit of work.
    #[inline(always)]
    pub fn tick(&mut self) -> Result<(), Stop> {
        self.n_ticks += 1;
        if self.n_ticks < INTERVAL { Ok(()) } else { self.ask() }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Stop> {
        self.n_ticks = 0;
        if let Some(left) = &mut self.allowance {
            *left = left.checked_sub(INTERVAL.into()).ok_or(Stop::Allowance)?;
        }
        self.budget.spend(INTERVAL.into()).map_err(|_| Stop::Budget)
    }

    /// Sets the allowance for subsequent operations.
    pub fn allow(&mut self, work: Option<u64>) {
        self.allowance = work;
    }

    /// Charges many units at once.
    pub fn spend(&self, work: u64) -> Result<(), Stop> {
        self.budget.spend(work).map_err(|_| Stop::Budget)
    }

    /// Checks that this many bytes may be allocated.
    pub fn allows(&self, n_bytes: u64) -> Result<(), Stop> {
        self.budget.allows(n_bytes).map_err(|_| Stop::Budget)
    }

    /// Why the budget stops all work.
    pub fn why(&self) -> Why {
        match self.budget.allows(0) {
            Err(exhausted) => exhausted.into(),
            Ok(()) => Why::Memory,
        }
    }
}
