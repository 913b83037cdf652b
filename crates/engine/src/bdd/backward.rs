//! Search back from what is looked for, beside the search forward.
//!
//! If it ends before it meets a state that can be reached, nothing of what is looked for can be.
//! That may take a step where the way forward has billions. It gets a small share of the work,
//! so that it costs little where it does not help.

use crate::answer::Why;

use super::goals::Tree;
use super::manager::Bdd;
use super::search::RingSearch;

/// The search forward gets so many times as much work.
const SHARE: u64 = 8;
/// Less work than this is not worth a try.
const WORTH: u64 = 1 << 12;

/// A search back.
pub struct Backward {
    /// The states from which something that is looked for can be reached, as far as they are
    /// known.
    seen: Bdd,
    /// Those that were found last.
    frontier: Bdd,
    /// How many of the targets are open that it started from.
    n_open: usize,
    n_steps: u64,
    /// The work before both searches.
    began: u64,
    /// The work that it has taken.
    spent: u64,
    /// The work that was not enough for the next step.
    too_little: u64,
    /// Has it met a state that can be reached?
    has_met: bool,
}

impl Backward {
    /// A search that has not begun.
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

    /// Goes on as far as its share of the work allows. Returns the number of steps after which
    /// it has ended, if that shows that none of the open targets can be reached.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn proceed(&mut self, search: &RingSearch, open: &Tree) -> Result<Option<u64>, Why> {
        let (manager, budget) = (&search.system.manager, search.system.budget);
        if open.n_open != self.n_open {
            // A state from which a step has no value must not be passed over.
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
