//! k-induction: a goal not met on the first `k` states of any path, and not met in the next state
//! of any path of `k` states without it, is unreachable (Sheeran, Singh and Stålmarck, *Checking
//! safety properties using induction and a SAT-solver*).
//!
//! The goals are proved together: each may assume that none of the others was met, as long as those
//! are inductive too.

use super::aig::Bit;
use super::circuit::Circuit;
use super::search::Knowledge;
use super::solver::{Lit, Solver, Stop};
use super::unroll::{From, Paths};

/// Induction with increasing `k`.
pub struct Induction<'b, S> {
    paths: Paths<'b, S>,
    /// For each goal, the literal that it was not met before the last state.
    unmet: Vec<Option<Lit>>,
    /// The goals that may be inductive at this length; `None` before the first query.
    left: Option<Vec<usize>>,
}

impl<'b, S: Solver<'b>> Induction<'b, S> {
    /// Paths of one state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        circuit: &Circuit<'_, 'b>,
        n_goals: usize,
        solver: S,
    ) -> Result<Induction<'b, S>, Stop> {
        let mut paths = Paths::new(circuit, From::Anywhere, solver)?;
        let is_state = paths.bit(circuit, circuit.is_state)?;
        let is_state = paths.cnf.lit(&paths.aig, is_state)?;
        paths.cnf.solver.add_clause(&[is_state]);
        Ok(Induction { paths, unmet: vec![None; n_goals], left: None })
    }

    /// The number of steps of the paths.
    pub fn n_steps(&self) -> usize {
        self.paths.n_steps()
    }

    /// Pauses once this much work is charged to the budget.
    pub fn allow(&mut self, until: u64) {
        self.paths.cnf.solver.allow(until);
    }

    /// The goals that are inductive at this length, provided that none is met in fewer steps; then
    /// unrolls one more step.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn advance(
        &mut self,
        circuit: &Circuit,
        knowledge: &Knowledge,
    ) -> Result<Vec<usize>, Stop> {
        let mut left = match self.left.take() {
            Some(left) => left.into_iter().filter(|&goal| knowledge.is_open(goal)).collect(),
            None => knowledge.unproved(),
        };
        loop {
            match self.violation(circuit, knowledge, &left) {
                Ok(None) => break,
                Ok(Some(met)) => left.retain(|goal| !met.contains(goal)),
                Err(stop) => {
                    self.left = Some(left);
                    return Err(stop);
                }
            }
        }
        if left.len() < knowledge.unproved().len() {
            self.extend(circuit, knowledge)?;
        }
        Ok(left)
    }

    /// Goals that can be met in the last state though none was met before: counterexamples to
    /// induction.
    fn violation(
        &mut self,
        circuit: &Circuit,
        knowledge: &Knowledge,
        left: &[usize],
    ) -> Result<Option<Vec<usize>>, Stop> {
        let mut bits = Vec::new();
        for &goal in left {
            bits.push(self.paths.known_bit(circuit, knowledge.goals[goal].bit)?);
        }
        let any = self.paths.aig.any(bits.iter().copied())?;
        if let Some(met) = any.as_const() {
            return Ok(met.then(|| left.to_vec()));
        }
        let any = self.paths.cnf.lit(&self.paths.aig, any)?;
        let unmet = left.iter().filter_map(|&goal| self.unmet[goal]);
        let assumptions: Vec<Lit> = [any].into_iter().chain(unmet).collect();
        loop {
            if !self.paths.cnf.solver.solve(&assumptions)? {
                return Ok(None);
            }
            // On paths of one step the two states may well be equal.
            if self.n_steps() > 1 && self.part(&self.paths.example(circuit).states)? {
                continue;
            }
            let is_met = |(_, bit): &(&usize, &Bit)| self.paths.is_true(**bit);
            let met: Vec<usize> =
                left.iter().zip(&bits).filter(is_met).map(|(goal, _)| *goal).collect();
            if met.is_empty() {
                unreachable!("a path to a goal does not meet it");
            }
            return Ok(Some(met));
        }
    }

    /// Adds a simple-path constraint for two equal states of a path. Returns false if there are
    /// none.
    fn part(&mut self, states: &[Vec<bool>]) -> Result<bool, Stop> {
        let mut has_parted = false;
        for later in 1..states.len() {
            for earlier in 0..later {
                if states[earlier] != states[later] {
                    continue;
                }
                let paths = &mut self.paths;
                let mut differ = Vec::new();
                for bit in 0..states[later].len() {
                    let (a, b) = (paths.states[earlier][bit], paths.states[later][bit]);
                    differ.push(paths.aig.xor(a, b)?);
                }
                let differ = paths.aig.any(differ)?;
                let differ = paths.cnf.lit(&paths.aig, differ)?;
                paths.cnf.solver.add_clause(&[differ]);
                has_parted = true;
            }
        }
        Ok(has_parted)
    }

    fn extend(&mut self, circuit: &Circuit, knowledge: &Knowledge) -> Result<(), Stop> {
        for goal in knowledge.unproved() {
            let bit = self.paths.bit(circuit, knowledge.goals[goal].bit)?;
            let met = self.paths.cnf.lit(&self.paths.aig, bit)?;
            let unmet = match self.unmet[goal] {
                Some(unmet) => unmet,
                None => self.paths.cnf.solver.add_var(),
            };
            self.unmet[goal] = Some(unmet);
            self.paths.cnf.solver.add_clause(&[!unmet, !met]);
        }
        self.paths.extend(circuit)?;
        Ok(())
    }
}
