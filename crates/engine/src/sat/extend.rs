//! Repeated search from a given state to a nearby goal, in one circuit.
//!
//! The test generator asks this hundreds of times, with fewer open goals each time, so the circuit
//! of the model and the goals is built only once. First some random steps are simulated, 64 at a
//! time: while many goals are open, one of them meets some, and the one that meets most is taken.
//! Otherwise bounded model checking finds the nearest. Its unrolling starts in a constant state, so
//! that constant propagation removes most of the first steps.

use fastrand::Rng;
use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};

use crate::answer::{Start, Why};
use crate::explicit::complete::Completer;
use trapline_budget::Budget;

use super::aig::Bit;
use super::batsat::Plain;
use super::circuit::Circuit;
use super::reach::goal;
use super::search::Goal;
use super::solver::{Kind, Solver, Stop};
use super::unroll::{Example, Paths, Runner};
use super::walk::Walker;

type PathSolver<'b> = <Plain as Kind>::Solver<'b>;

/// Batches of 64 random steps.
const N_DRAWS: usize = 4;

/// Gates in a unit of work.
const GATES: u64 = 72;

/// A model and goals as a circuit.
pub struct Extender<'m, 'b> {
    circuit: Circuit<'m, 'b>,
    goals: Vec<Goal>,
    is_open: Vec<bool>,
    completer: Completer<'m>,
    rng: Rng,
    budget: &'b Budget<'b>,
}

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Maximum number of steps.
    pub depth: Option<u64>,
    /// Maximum work.
    pub work: u64,
}

impl<'m, 'b> Extender<'m, 'b> {
    /// All goals are open.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn new(
        model: &'m Model,
        targets: &[Target],
        budget: &'b Budget<'b>,
    ) -> Result<Extender<'m, 'b>, Why> {
        let exprs = targets.iter().flat_map(|target| match target {
            Target::State(expr) | Target::Step(expr) => std::slice::from_ref(expr),
            Target::Steps(exprs) => exprs,
        });
        let mut circuit = Circuit::new(model, exprs.copied(), &Start::Initial, budget)?;
        let goals: Result<Vec<Goal>, Why> =
            targets.iter().map(|target| goal(&mut circuit, target)).collect();
        Ok(Extender {
            completer: Completer::new(model, budget)?,
            is_open: vec![true; targets.len()],
            goals: goals?,
            circuit,
            rng: Rng::with_seed(0),
            budget,
        })
    }

    /// Removes a target.
    pub fn close(&mut self, target: usize) {
        self.is_open[target] = false;
    }

    /// A path from a state to an open goal, if one was found, and all open targets that it meets.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn extend(
        &mut self,
        from: &State,
        reach: Reach,
    ) -> Result<Option<(Trace, Vec<usize>)>, Why> {
        if reach.depth == Some(0) {
            return Ok(None);
        }
        let state = self.circuit.state_bits(from);
        let example = match self.random(&state)? {
            Some(example) => Some(example),
            None => match self.search(&state, reach) {
                Ok(example) => example,
                Err(Stop::Pause) => None,
                Err(Stop::Budget(why)) => return Err(why),
            },
        };
        let Some(example) = example else { return Ok(None) };
        let met = self.met(&example);
        let known = example.known(&self.circuit, false);
        let trace = self.completer.trace(Some(from), &known, None)?;
        Ok(Some((trace, met)))
    }

    /// The open targets that a path meets.
    fn met(&self, example: &Example) -> Vec<usize> {
        let mut runner = Runner::new(&self.circuit);
        let mut is_met = vec![false; self.goals.len()];
        let last = example.states.len() - 1;
        for (idx, (state, step)) in example.states.iter().zip(&example.steps).enumerate() {
            runner.evaluate(state, step);
            for (goal, is_met) in self.goals.iter().zip(&mut is_met) {
                *is_met |= (idx < last || !goal.is_step) && runner.is_true(goal.bit);
            }
        }
        (0..self.goals.len()).filter(|&goal| is_met[goal] && self.is_open[goal]).collect()
    }

    /// The random step that meets the most goals.
    fn random(&mut self, state: &[bool]) -> Result<Option<Example>, Why> {
        let mut best: Option<(u32, Example)> = None;
        let open: Vec<Goal> = self.open().copied().collect();
        for _ in 0..N_DRAWS {
            self.budget.spend(2 * self.circuit.aig.n_gates() as u64 / GATES + 1)?;
            let mut walker = Walker::new(&self.circuit, self.rng.fork());
            (0..64).for_each(|lane| walker.put(lane, state));
            walker.draw();
            let step = walker.inputs.clone();
            let mut gains = [0; 64];
            count(&walker, open.iter().filter(|goal| goal.is_step), &mut gains);
            if !walker.step() {
                continue;
            }
            walker.evaluate();
            count(&walker, open.iter().filter(|goal| !goal.is_step), &mut gains);
            let alive = |lane: &usize| walker.alive >> lane & 1 == 1;
            let Some(lane) = (0..64).filter(alive).max_by_key(|&lane| gains[lane]) else {
                continue;
            };
            let most = best.as_ref().map_or(0, |(most, _)| *most);
            if gains[lane] > most {
                let bit = |lanes: &u64| lanes >> lane & 1 == 1;
                let next: Vec<bool> = walker.state.iter().map(bit).collect();
                let step: Vec<bool> = step.iter().map(bit).collect();
                let steps = vec![step.clone(), step];
                best = Some((gains[lane], Example { states: vec![state.to_vec(), next], steps }));
            }
        }
        Ok(best.map(|(_, example)| example))
    }

    fn open(&self) -> impl Iterator<Item = &Goal> {
        self.goals.iter().zip(&self.is_open).filter(|(_, is_open)| **is_open).map(|(goal, _)| goal)
    }

    /// A shortest path to an open goal.
    fn search(&mut self, state: &[bool], reach: Reach) -> Result<Option<Example>, Stop> {
        let mut paths = Paths::at(&self.circuit, state, PathSolver::new(self.budget))?;
        paths.cnf.solver.allow(self.budget.work().saturating_add(reach.work));
        loop {
            let n_steps = paths.n_steps();
            let may_step = reach.depth.is_none_or(|depth| (n_steps as u64) < depth);
            let counts = |goal: &&Goal| if goal.is_step { may_step } else { n_steps > 0 };
            let mut bits: Vec<(Bit, bool)> = Vec::new();
            for goal in self.open().filter(counts) {
                bits.push((paths.known_bit(&self.circuit, goal.bit)?, goal.is_step));
            }
            let any = paths.aig.any(bits.iter().map(|(bit, _)| *bit))?;
            if paths.ask(&[any])? {
                let is_met = |(bit, is_step): &(Bit, bool)| !is_step && paths.is_true(*bit);
                let is_here = bits.iter().any(is_met);
                return Ok(Some(self.whole(paths.example(&self.circuit), is_here)));
            }
            if !may_step || paths.is_over {
                return Ok(None);
            }
            paths.extend(&self.circuit)?;
            if paths.is_over || !paths.ask(&[])? {
                return Ok(None);
            }
        }
    }

    /// The path, including the state after the last step if the goal needs it.
    fn whole(&self, mut example: Example, is_here: bool) -> Example {
        if let (false, Some(state), Some(step)) =
            (is_here, example.states.last(), example.steps.last().cloned())
        {
            example.states.push(Runner::new(&self.circuit).next(state, &step));
            example.steps.push(step);
        }
        example
    }
}

/// Adds to each of 64 walks the number of goals it meets.
fn count<'g>(walker: &Walker, goals: impl Iterator<Item = &'g Goal>, gains: &mut [u32; 64]) {
    for goal in goals {
        let mut lanes = walker.of(goal.bit) & walker.alive;
        while lanes != 0 {
            gains[lanes.trailing_zeros() as usize] += 1;
            lanes &= lanes - 1;
        }
    }
}
