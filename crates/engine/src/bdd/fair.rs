//! Fair paths: infinite paths that satisfy every justice constraint infinitely often, and the
//! second condition of every compassion constraint whose first they satisfy infinitely often.
//!
//! The states of fair cycles are the fixpoint of removing states that have no successor, cannot
//! reach a justice constraint, or satisfy the first condition of a compassion constraint but cannot
//! reach the second (Kesten, Pnueli and Raviv, *Algorithmic verification of linear temporal logic
//! specifications*).

use crate::answer::Why;

use super::manager::{Bdd, Manager};
use super::system::System;

/// What a fair path visits infinitely often.
#[derive(Clone, Debug)]
pub enum Justice {
    /// One of these states.
    States(Bdd),
    /// One of these steps.
    Steps(Bdd),
}

/// The fairness constraints.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// Justice constraints.
    pub justice: Vec<Justice>,
    /// Compassion constraints: infinitely often the first implies infinitely often the second.
    pub compassion: Vec<(Bdd, Bdd)>,
}

/// The reachable states, and those of them with a fair path.
pub struct FairGraph<'s, 'm, 'b> {
    /// The system.
    pub system: &'s System<'m, 'b>,
    /// All reachable states.
    pub all: Bdd,
    /// The fairness constraints.
    pub fairness: Fairness,
    /// The states from which a fair path starts.
    pub states: Bdd,
    /// The conjuncts of the transition relation, restricted to reachable states.
    steps: Vec<Bdd>,
}

impl<'s, 'm, 'b> FairGraph<'s, 'm, 'b> {
    /// Computes the fair states.
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

    /// The complement of a set within the reachable states.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn others(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.manager().minus(&self.all, set)
    }

    /// The preimage of the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn before(&self, set: &Bdd) -> Result<Bdd, Why> {
        let before = self.system.relation.preimage_within(self.manager(), set, &self.steps)?;
        self.manager().tidy()?;
        self.manager().and(&before, &self.all)
    }

    /// The states with a path of at most `max_steps` steps into the set, all its other states in
    /// `through`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn closure(&self, set: &Bdd, through: &Bdd, max_steps: u64) -> Result<Bdd, Why> {
        let mut closure = set.clone();
        let mut frontier = set.clone();
        for _ in 0..max_steps {
            // A fixpoint, or all of `through` is included.
            if frontier.is_false() || closure == *through {
                break;
            }
            let before = self.manager().and(&self.before(&frontier)?, through)?;
            frontier = self.manager().minus(&before, &closure)?;
            closure = self.manager().or(&closure, &frontier)?;
        }
        Ok(closure)
    }

    /// The states of the set from which a path stays in it for `max_rounds` steps, or until it
    /// visits a state of `kept`.
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

    /// The states of the set with a fair path that stays in the set: fair `EG`.
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

    /// A superset of the states of the set that reach a fair cycle within the set; exact without
    /// compassion.
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

    /// The states of the set from which one of these steps leads back into the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn taking(&self, steps: &Bdd, set: &Bdd) -> Result<Bdd, Why> {
        let steps = self.manager().and(steps, &self.manager().shift(set)?)?;
        let before = self.system.relation.before(self.manager(), &steps)?;
        self.manager().and(&before, set)
    }
}
