//! Fair paths: infinite ones that meet every justice constraint again and again, and the second
//! part of every compassion constraint whose first part they meet again and again.
//!
//! The states of fair loops are what is left when all states are taken out again and again that
//! have no successor, can't get to a justice constraint, or need the second part of a compassion
//! constraint and can't get to it (Kesten, Pnueli and Raviv, *Algorithmic verification of linear
//! temporal logic specifications*).

use crate::answer::Why;

use super::manager::{Bdd, Manager};
use super::system::System;

/// What a fair path meets again and again.
#[derive(Clone, Debug)]
pub enum Justice {
    /// One of these states.
    States(Bdd),
    /// One of these steps.
    Steps(Bdd),
}

/// What makes a path fair.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// All of these.
    pub justice: Vec<Justice>,
    /// For each pair: the second, if the first.
    pub compassion: Vec<(Bdd, Bdd)>,
}

/// The reachable states, and which of them count.
pub struct FairGraph<'s, 'm, 'b> {
    /// The system.
    pub system: &'s System<'m, 'b>,
    /// All reachable states.
    pub all: Bdd,
    /// What makes a path fair.
    pub fairness: Fairness,
    /// The states in which a fair path starts.
    pub states: Bdd,
    /// The parts of the steps from reachable states.
    steps: Vec<Bdd>,
}

impl<'s, 'm, 'b> FairGraph<'s, 'm, 'b> {
    /// Finds the states that count.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        system: &'s System<'m, 'b>,
        all: Bdd,
        fairness: Fairness,
    ) -> Result<FairGraph<'s, 'm, 'b>, Why> {
        let states = all.clone();
        let steps = system.relation.within(&system.manager, &all)?;
        let mut graph = FairGraph { system, all, fairness, states, steps };
        if graph.has_constraints() || system.can_end {
            graph.states = graph.staying(&graph.all)?;
        }
        Ok(graph)
    }

    fn has_constraints(&self) -> bool {
        !self.fairness.justice.is_empty() || !self.fairness.compassion.is_empty()
    }

    fn manager(&self) -> &'s Manager<'b> {
        &self.system.manager
    }

    /// The states of all that are not in the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn others(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.manager().minus(&self.all, set)
    }

    /// The states before a step into the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn before(&self, set: &Bdd) -> Result<Bdd, Why> {
        let before = self.system.relation.preimage_within(self.manager(), set, &self.steps)?;
        self.manager().tidy()?;
        self.manager().and(&before, &self.all)
    }

    /// The states from which a path of at most so many steps leads into the set, all its other
    /// states in `through`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn closure(&self, set: &Bdd, through: &Bdd, max_steps: u64) -> Result<Bdd, Why> {
        let mut closure = set.clone();
        let mut frontier = set.clone();
        for _ in 0..max_steps {
            // Nothing is new, or there is nothing else.
            if frontier.is_false() || closure == *through {
                break;
            }
            let before = self.manager().and(&self.before(&frontier)?, through)?;
            frontier = self.manager().minus(&before, &closure)?;
            closure = self.manager().or(&closure, &frontier)?;
        }
        Ok(closure)
    }

    /// The states of the set from which a path of so many steps stays in the set, or until it is
    /// in a state that is kept.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn peel(&self, set: &Bdd, kept: Option<&Bdd>, max_rounds: u64) -> Result<Bdd, Why> {
        let mut inside = set.clone();
        for _ in 0..max_rounds {
            let mut next = self.before(&inside)?;
            if let Some(kept) = kept {
                next = self.manager().or(&next, kept)?;
            }
            next = self.manager().and(&inside, &next)?;
            if next == inside {
                break;
            }
            inside = next;
        }
        Ok(inside)
    }

    /// The states of the set in which a fair path starts that stays in the set: fair `EG`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn staying(&self, set: &Bdd) -> Result<Bdd, Why> {
        let set = self.manager().and(set, &self.states)?;
        let recurrent = self.recurrent(&set)?;
        if self.fairness.compassion.is_empty() {
            return Ok(recurrent);
        }
        self.closure(&recurrent, &set, u64::MAX)
    }

    /// The states of the set from which fair loops in the set can be gone to; with compassion,
    /// perhaps not all of them.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn recurrent(&self, set: &Bdd) -> Result<Bdd, Why> {
        let manager = self.manager();
        let mut inside = set.clone();
        loop {
            let old = inside.clone();
            for justice in &self.fairness.justice {
                let met = match justice {
                    Justice::States(states) => manager.and(&inside, states)?,
                    Justice::Steps(steps) => self.taking(steps, &inside)?,
                };
                inside = self.closure(&met, &inside, u64::MAX)?;
            }
            for (p, q) in &self.fairness.compassion {
                let met = manager.and(&inside, q)?;
                let met = self.closure(&met, &inside, u64::MAX)?;
                inside = manager.or(&manager.minus(&inside, p)?, &met)?;
            }
            inside = self.peel(&inside, None, u64::MAX)?;
            if inside == old {
                return Ok(inside);
            }
        }
    }

    /// The states of the set from which one of these steps leads into the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn taking(&self, steps: &Bdd, set: &Bdd) -> Result<Bdd, Why> {
        let steps = self.manager().and(steps, &self.manager().shift(set)?)?;
        let before = self.system.relation.before(self.manager(), &steps)?;
        self.manager().and(&before, set)
    }
}
