//! Bounded model checking: all open goals in one query per depth.

use crate::answer::Why;
use crate::cluster::is_total;

use super::circuit::Circuit;
use super::cnf::Cnf;
use super::search::{Knowledge, Status};
use super::solver::{Solver, Stop};
use super::unroll::{Example, From, Paths};

/// Goals per disjunction gate; few of them are closed at different times.
const BLOCK: usize = 64;

/// How a bounded search ended.
#[derive(Clone, Debug)]
pub enum End {
    /// No path is longer.
    NoPath,
    /// A rule is undefined at the end of this path.
    Failure(Example),
}

/// A bounded search.
pub struct Bounded<'b, S> {
    paths: Paths<'b, S>,
    can_end: bool,
}

impl<'b, S: Solver<'b>> Bounded<'b, S> {
    /// A search at depth 0.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit<'_, 'b>, solver: S) -> Result<Bounded<'b, S>, Why> {
        let paths = Paths::new(circuit, From::First, solver)?;
        Ok(Bounded { paths, can_end: !is_total(circuit.model) })
    }

    /// All shorter paths have been searched.
    pub fn depth(&self) -> usize {
        self.paths.n_steps()
    }

    /// Pauses once this much work is charged to the budget.
    pub fn allow(&mut self, until: u64) {
        self.paths.cnf.solver.allow(until);
    }

    /// Unrolls one more step and searches for the open goals.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn deepen(
        &mut self,
        circuit: &Circuit,
        knowledge: &mut Knowledge,
    ) -> Result<Option<End>, Stop> {
        let end = self.search_depth(circuit, knowledge)?;
        if end.is_some() {
            return Ok(end);
        }
        let fails = self.paths.bit(circuit, circuit.step_fails)?;
        if self.paths.ask(&[fails])? {
            return Ok(Some(End::Failure(self.paths.example(circuit))));
        }
        self.paths.extend(circuit)?;
        Ok(None)
    }

    /// Searches for the open goals at the current depth.
    ///
    /// # Errors
    /// As for [`Bounded::deepen`].
    pub fn search_depth(
        &mut self,
        circuit: &Circuit,
        knowledge: &mut Knowledge,
    ) -> Result<Option<End>, Stop> {
        // Without deadlocks, every path can be extended.
        let may_be_over = self.can_end || self.depth() == 0;
        if self.paths.is_over || may_be_over && !self.paths.ask(&[])? {
            return Ok(Some(End::NoPath));
        }
        self.take_walks(knowledge);
        while self.find(circuit, knowledge)? {}
        Ok(None)
    }

    /// Goals that a walk met at the current depth are on shortest paths: all shorter ones were
    /// searched.
    fn take_walks(&self, knowledge: &mut Knowledge) {
        for goal in 0..knowledge.goals.len() {
            let is_near =
                knowledge.met[goal].as_ref().is_some_and(|met| met.n_steps <= self.depth());
            if is_near && knowledge.is_wanted(goal) {
                knowledge.take(goal);
            }
        }
    }

    /// Finds a path to at least one open goal.
    fn find(&mut self, circuit: &Circuit, knowledge: &mut Knowledge) -> Result<bool, Stop> {
        let mut blocks = Vec::new();
        let goals: Vec<usize> = (0..knowledge.goals.len()).collect();
        for block in goals.chunks(BLOCK) {
            let mut bits = Vec::new();
            for &goal in block.iter().filter(|goal| knowledge.is_wanted(**goal)) {
                bits.push(self.paths.known_bit(circuit, knowledge.goals[goal].bit)?);
            }
            blocks.push(self.paths.aig.any(bits)?);
        }
        let any = self.paths.aig.any(blocks)?;
        if !self.paths.ask(&[any])? {
            return Ok(false);
        }
        let mut has_hit = false;
        for goal in goals {
            if knowledge.is_wanted(goal) {
                let bit = self.paths.bit(circuit, knowledge.goals[goal].bit)?;
                if self.paths.is_true(bit) {
                    knowledge.status[goal] = Status::Hit(knowledge.examples.len());
                    has_hit = true;
                }
            }
        }
        if !has_hit {
            unreachable!("a path to a goal does not meet it");
        }
        knowledge.examples.push(self.paths.found());
        Ok(true)
    }

    /// True if a rule about the initial states is undefined.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn start_fails(&mut self, circuit: &Circuit) -> Result<bool, Why> {
        if let Some(fails) = circuit.start_fails.as_const() {
            return Ok(fails);
        }
        // Where a rule is undefined there is no initial state: a separate query.
        let mut cnf = Cnf::new(S::new(self.paths.cnf.solver.budget()));
        let fails = cnf.lit(&circuit.aig, circuit.start_fails)?;
        cnf.solver.solve(&[fails]).map_err(Stop::why)
    }
}
