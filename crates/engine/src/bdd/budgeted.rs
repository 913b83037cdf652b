//! Operations on diagrams ask the budget as they go.

use crate::answer::Why;
use trapline_budget::Budget;

/// Nodes between two questions.
const INTERVAL: u32 = 1 << 12;

/// Why an operation was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The budget says so.
    Budget,
    /// It was allowed no more work for now.
    Allowance,
    /// There are too many nodes.
    Full,
}

/// Counts work.
pub struct Meter<'b> {
    budget: &'b Budget<'b>,
    n_ticks: u32,
    /// The work that may still be done for now.
    allowance: Option<u64>,
}

impl<'b> Meter<'b> {
    /// Counts for this budget.
    pub fn new(budget: &'b Budget<'b>) -> Meter<'b> {
        Meter { budget, n_ticks: 0, allowance: None }
    }

    /// One more unit of work.
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

    /// From now on operations may do no more than this.
    pub fn allow(&mut self, work: Option<u64>) {
        self.allowance = work;
    }

    /// Counts many units at once.
    pub fn spend(&self, work: u64) -> Result<(), Stop> {
        self.budget.spend(work).map_err(|_| Stop::Budget)
    }

    /// May so many bytes be allocated?
    pub fn allows(&self, n_bytes: u64) -> Result<(), Stop> {
        self.budget.allows(n_bytes).map_err(|_| Stop::Budget)
    }

    /// Why the budget stops everything.
    pub fn why(&self) -> Why {
        match self.budget.allows(0) {
            Err(exhausted) => exhausted.into(),
            Ok(()) => Why::Memory,
        }
    }
}
