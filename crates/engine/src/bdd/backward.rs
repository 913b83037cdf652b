//! Backward reachability from the open targets, interleaved with the forward search.
//!
//! If it reaches a fixpoint without meeting a reachable state, every open target is unreachable.
//! That may take one preimage where the forward search has billions of rings. It gets a small share
//! of the work, so that it costs little where it does not help.

use crate::answer::Why;

use super::goals::Tree;
use super::manager::Bdd;
use super::search::RingSearch;

/// The forward search gets this many times as much work.
const SHARE: u64 = 8;
/// With less work than this the backward search is not started.
const WORTH: u64 = 1 << 12;

/// A backward search.
pub struct Backward {
    /// States known to reach an open target.
    seen: Bdd,
    /// States added by the last preimage.
    frontier: Bdd,
    /// Number of open targets it started from.
    n_open: usize,
    n_steps: u64,
    /// Work spent before either search began.
    began: u64,
    /// Work spent by the backward search.
    spent: u64,
    /// An amount of work that did not suffice for the next preimage.
    too_little: u64,
    /// True if it has met a reachable state.
    has_met: bool,
}

impl Backward {
    /// A search that has not started.
    pub fn new(search: &RingSearch) -> Backward {
        let nothing = search.system.manager.constant(false);
        Backward {
            seen: nothing.clone(),
            frontier: nothing,
            n_open: usize::MAX,
            n_steps: 0,
            began: search.system.budget.work(),
            spent: 0,
            too_little: 0,
            has_met: true,
        }
    }

    /// Continues as far as its share of the work allows. If it reaches a fixpoint that proves all
    /// open targets unreachable, returns the number of preimages that took.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn proceed(&mut self, search: &RingSearch, open: &Tree) -> Result<Option<u64>, Why> {
        let (manager, budget) = (&search.system.manager, search.system.budget);
        if open.n_open != self.n_open {
            // States with an undefined transition must not be skipped.
            let start = match &search.system.failing {
                Some(failing) => manager.or(open.all(), failing)?,
                None => open.all().clone(),
            };
            (self.seen, self.frontier) = (start.clone(), start);
            (self.n_open, self.n_steps, self.too_little) = (open.n_open, 0, 0);
            self.has_met = false;
        }
        loop {
            let forward = budget.work() - self.began - self.spent;
            let allowed = (forward / SHARE).saturating_sub(self.spent);
            if allowed < WORTH.max(2 * self.too_little) || self.has_met {
                return Ok(None);
            }
            let before = budget.work();
            if manager.meets(&self.frontier, &search.reached)? {
                self.has_met = true;
                self.spent += budget.work() - before;
                return Ok(None);
            }
            if self.frontier.is_false() {
                return Ok(Some(self.n_steps));
            }
            let frontier = manager.attempt(allowed, || {
                let before = search.system.preimage(&self.frontier)?;
                manager.minus(&before, &self.seen)
            })?;
            match frontier {
                None => self.too_little = allowed,
                Some(frontier) => {
                    self.seen = manager.or(&self.seen, &frontier)?;
                    self.frontier = frontier;
                    self.too_little = 0;
                    self.n_steps += u64::from(!self.frontier.is_false());
                    manager.tidy()?;
                }
            }
            self.spent += budget.work() - before;
        }
    }
}
