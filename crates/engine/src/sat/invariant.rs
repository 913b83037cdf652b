//! Independent confirmation of inductive invariants.

use crate::answer::Why;
use trapline_budget::Budget;

use super::circuit::Circuit;
use super::cnf::Cnf;
use super::ic3::{Cube, members};
use super::search::Knowledge;
use super::solver::{Lit, Solver, Stop};

/// A growing invariant, with a solver of its own.
pub struct Invariant<S> {
    cnf: Cnf<S>,
    first: Vec<Lit>,
    now: Vec<Lit>,
    next: Vec<Lit>,
    starts: Lit,
    steps: Lit,
    /// Number of confirmed cubes.
    n_cubes: usize,
}

impl<'b, S: Solver<'b>> Invariant<S> {
    /// The trivial invariant.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Invariant<S>, Why> {
        let mut cnf = Cnf::new(S::new(budget));
        let mut lits = |bits: &mut dyn Iterator<Item = super::aig::Bit>| -> Result<Vec<Lit>, Why> {
            bits.map(|bit| cnf.lit(&circuit.aig, bit)).collect()
        };
        let first = lits(&mut circuit.latches.iter().map(|latch| latch.first))?;
        let now = lits(&mut circuit.latches.iter().map(|latch| latch.now))?;
        let next = lits(&mut circuit.latches.iter().map(|latch| latch.next))?;
        let starts = cnf.lit(&circuit.aig, circuit.starts)?;
        let steps = cnf.lit(&circuit.aig, circuit.steps)?;
        let is_state = cnf.lit(&circuit.aig, circuit.is_state)?;
        cnf.solver.add_clause(&[is_state]);
        Ok(Invariant { cnf, first, now, next, starts, steps, n_cubes: 0 })
    }

    /// Confirms with a solver that shares nothing with IC3 that these cubes (the first of which it
    /// knows) are unreachable and that their complement excludes the goals: no initial state is in
    /// a cube, and no step leads from outside into one.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn holds(
        &mut self,
        circuit: &Circuit,
        cubes: &[Cube],
        knowledge: &Knowledge,
        goals: &[usize],
    ) -> Result<bool, Stop> {
        let news = &cubes[self.n_cubes..];
        // Initiation is checked without the other clauses.
        for cube in news {
            if self.meets(self.starts, &self.first.clone(), cube)? {
                return Ok(false);
            }
        }
        for cube in news {
            let clause: Vec<Lit> = members(&self.now, cube).map(|lit| !lit).collect();
            self.cnf.solver.add_clause(&clause);
        }
        for cube in news {
            if self.meets(self.steps, &self.next.clone(), cube)? {
                return Ok(false);
            }
        }
        self.n_cubes = cubes.len();
        for &goal in goals {
            let met = self.cnf.lit(&circuit.aig, knowledge.goals[goal].bit)?;
            if self.cnf.solver.solve(&[met])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn meets(&mut self, given: Lit, lits: &[Lit], cube: &[u32]) -> Result<bool, Stop> {
        let assumptions: Vec<Lit> = [given].into_iter().chain(members(lits, cube)).collect();
        self.cnf.solver.solve(&assumptions)
    }
}
