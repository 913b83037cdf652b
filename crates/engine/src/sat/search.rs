//! Goals of a circuit: which can be reached, and which can't.
//!
//! Bounded search finds the goals that can be reached, on shortest paths. Induction and IC3 look
//! for a proof that the others can't. They take turns, each with about as much work.

use crate::answer::{Proof, Why};
use crate::budget::{Budget, Progress};

use super::aig::{Bit, FALSE};
use super::bounded::{Bounded, End};
use super::circuit::Circuit;
use super::ic3::{self, Cube, Ic3};
use super::induction::Induction;
use super::invariant;
use super::solver::{Solver, Stop};
use super::unroll::{Example, Found};
use super::walk::{Met, walk};

/// The work of the first turn of each.
const FIRST_TURN: u64 = 20_000;

/// Something that may be met in a state or a step.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Is it met?
    pub bit: Bit,
    /// Does it take a step to meet it?
    pub is_step: bool,
}

/// What is known of a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Nothing.
    Open,
    /// It can be reached: the index of a shortest path among the examples.
    Hit(usize),
    /// It can't.
    Proved(Proof),
}

/// What is known of the goals.
#[derive(Default)]
pub struct Board {
    /// The goals.
    pub goals: Vec<Goal>,
    /// What is known of each.
    pub status: Vec<Status>,
    /// Can it be reached, though no shortest path is known? Then no proof is looked for.
    is_reachable: Vec<bool>,
    /// Where a random walk has met it.
    pub met: Vec<Option<Met>>,
    /// Has a rule of the first states no value?
    pub start_fails: bool,
    /// The goal that stands for a step with a rule that has no value, if there may be one.
    pub guard: Option<usize>,
    /// The paths that were found.
    pub examples: Vec<Found>,
    /// The invariants that prove something.
    pub invariants: Vec<Invariant>,
    /// So many steps were searched.
    pub depth: usize,
}

/// An inductive invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// What it proves.
    pub goals: Vec<usize>,
    /// The states that it excludes; beside those that meet one of the goals, if there are none.
    pub cubes: Vec<Cube>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing is open.
    Decided,
    /// A rule has no value at the end of this path, or in the first states.
    Failure(Option<Example>),
    /// Something ran out.
    Cut(Why),
}

impl Board {
    /// Nothing is known of these goals.
    pub fn new(circuit: &Circuit, mut goals: Vec<Goal>) -> Board {
        let guard = (circuit.step_fails != FALSE).then_some(goals.len());
        goals.extend(guard.map(|_| Goal { bit: circuit.step_fails, is_step: true }));
        let nowhere = Status::Proved(Proof::Backward { n_steps: 0 });
        let status = |goal: &Goal| if goal.bit == FALSE { nowhere.clone() } else { Status::Open };
        Board {
            status: goals.iter().map(status).collect(),
            is_reachable: vec![false; goals.len()],
            met: vec![None; goals.len()],
            guard,
            goals,
            ..Board::default()
        }
    }

    /// Is nothing known of a goal?
    pub fn is_open(&self, goal: usize) -> bool {
        self.status[goal] == Status::Open
    }

    /// Is a path to a goal looked for? The guard has its own place in the search.
    pub fn is_wanted(&self, goal: usize) -> bool {
        self.is_open(goal) && self.guard != Some(goal)
    }

    /// The goals that a proof is looked for.
    pub fn unproved(&self) -> Vec<usize> {
        let is_wanted = |&goal: &usize| {
            self.is_open(goal) && !self.is_reachable[goal] && self.met[goal].is_none()
        };
        (0..self.goals.len()).filter(is_wanted).collect()
    }

    /// How many goals are open, apart from the guard.
    pub fn n_open(&self) -> usize {
        (0..self.goals.len()).filter(|&goal| self.is_wanted(goal)).count()
    }

    /// Is nothing left to find out?
    fn is_done(&self) -> bool {
        let is_proved = |status: &Status| matches!(status, Status::Proved(_));
        let needs_guard = (0..self.goals.len())
            .any(|goal| self.guard != Some(goal) && is_proved(&self.status[goal]));
        self.n_open() == 0 && (self.is_guarded() || !needs_guard)
    }

    /// Has every rule a value in all steps that can be reached, as far as is known? Otherwise
    /// nothing is said to be out of reach.
    pub fn is_guarded(&self) -> bool {
        let is_proved = |guard: usize| matches!(self.status[guard], Status::Proved(_));
        !self.start_fails && self.guard.is_none_or(is_proved)
    }

    fn prove(&mut self, goals: &[usize], proof: &Proof) {
        goals.iter().for_each(|&goal| self.status[goal] = Status::Proved(proof.clone()));
    }
}

/// A search for all goals.
pub struct Search<'c, 'm, 'b, S> {
    circuit: &'c Circuit<'m, 'b>,
    budget: &'b Budget<'b>,
    bounded: Bounded<'b, S>,
    induction: Option<Induction<'b, S>>,
    ic3: Option<Ic3<'b, S>>,
    /// The work that each of the three has taken, and what it may take in a turn.
    spent: [u64; 3],
    turns: [u64; 3],
}

impl<'c, 'm, 'b, S: Solver<'b>> Search<'c, 'm, 'b, S> {
    /// Decides the goals, as far as the budget allows.
    pub fn run(circuit: &'c Circuit<'m, 'b>, board: &mut Board, budget: &'b Budget<'b>) -> Outcome {
        let bounded = match Bounded::new(circuit, S::new(budget)) {
            Ok(bounded) => bounded,
            Err(why) => return Outcome::Cut(why),
        };
        let mut search: Search<S> = Search {
            circuit,
            budget,
            bounded,
            induction: None,
            ic3: None,
            spent: [0; 3],
            turns: [FIRST_TURN; 3],
        };
        match search.bounded.start_fails(circuit) {
            Ok(false) => {}
            Ok(true) => {
                board.start_fails = true;
                return Outcome::Failure(None);
            }
            Err(why) => return Outcome::Cut(why),
        }
        let mut has_walked = false;
        loop {
            // Most is near; what is not may be met by chance.
            if !has_walked && search.spent[0] > 0 && board.n_open() > 0 {
                has_walked = true;
                if let Err(why) = walk(circuit, board, budget) {
                    return Outcome::Cut(why);
                }
            }
            match search.turn(board) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(why) => return Outcome::Cut(why),
            }
        }
    }

    /// Decides which goals are met in a first state. What is not is proved then.
    pub fn run_first(
        circuit: &'c Circuit<'m, 'b>,
        board: &mut Board,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let result = Bounded::new(circuit, S::new(budget)).and_then(|mut bounded| {
            board.start_fails = bounded.start_fails(circuit)?;
            Ok(bounded)
        });
        if board.start_fails {
            return Outcome::Failure(None);
        }
        let result = result.map_err(Stop::from).and_then(|mut b| b.look(circuit, board));
        let proof = match result {
            Ok(None) => Proof::InitialStates,
            Ok(Some(End::NoPath)) => Proof::NoInitialState,
            Ok(Some(End::Failure(example))) => return Outcome::Failure(Some(example)),
            Err(stop) => return Outcome::Cut(stop.why()),
        };
        let open: Vec<usize> = (0..board.goals.len()).filter(|&goal| board.is_open(goal)).collect();
        board.prove(&open, &proof);
        Outcome::Decided
    }

    /// Lets the one go on that has had least.
    fn turn(&mut self, board: &mut Board) -> Result<Option<Outcome>, Why> {
        let n_open = board.n_open();
        let depth = self.bounded.depth() as u64;
        self.budget.note(Progress { phase: "searching", depth, n_states: 0, n_open });
        if board.is_done() {
            return Ok(Some(Outcome::Decided));
        }
        let can_be_proved = !board.unproved().is_empty();
        let who = match self.spent {
            [bounded, induction, ic3] if can_be_proved && induction.min(ic3) < bounded => {
                if induction <= ic3 {
                    1
                } else {
                    2
                }
            }
            _ => 0,
        };
        let before = self.budget.work();
        let until = before.saturating_add(self.turns[who]);
        let result = match who {
            0 => self.bounded(board, until),
            1 => self.induction(board, until).map(|()| None),
            _ => self.ic3(board, until).map(|()| None),
        };
        self.spent[who] += (self.budget.work() - before).max(1);
        board.depth = self.bounded.depth();
        match result {
            Ok(outcome) => Ok(outcome),
            Err(Stop::Pause) => {
                self.turns[who] *= 2;
                Ok(None)
            }
            Err(Stop::Budget(why)) => Err(why),
        }
    }

    fn bounded(&mut self, board: &mut Board, until: u64) -> Result<Option<Outcome>, Stop> {
        self.bounded.allow(until);
        while self.budget.work() < until && !board.is_done() {
            match self.bounded.deepen(self.circuit, board)? {
                None => {}
                Some(End::Failure(example)) => return Ok(Some(Outcome::Failure(Some(example)))),
                Some(End::NoPath) => {
                    let open: Vec<usize> =
                        (0..board.goals.len()).filter(|&goal| board.is_open(goal)).collect();
                    let proof = match self.bounded.depth() {
                        0 => Proof::NoInitialState,
                        n_steps => Proof::AllPaths { n_steps: n_steps as u64 - 1 },
                    };
                    board.prove(&open, &proof);
                }
            }
        }
        Ok(None)
    }

    fn induction(&mut self, board: &mut Board, until: u64) -> Result<(), Stop> {
        let n_goals = board.goals.len();
        let induction = match &mut self.induction {
            Some(induction) => induction,
            none => none.insert(Induction::new(self.circuit, n_goals, S::new(self.budget))?),
        };
        induction.allow(until);
        // What is not met in fewer steps is for the bounded search to say.
        while self.budget.work() < until && induction.n_steps() <= self.bounded.depth() {
            let n_steps = induction.n_steps() as u64;
            let proved = induction.advance(self.circuit, board)?;
            if !proved.is_empty() {
                board.prove(&proved, &Proof::Induction { n_steps });
                if n_steps <= 1 {
                    board.invariants.push(Invariant { goals: proved, cubes: Vec::new() });
                }
            }
            if board.unproved().is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn ic3(&mut self, board: &mut Board, until: u64) -> Result<(), Stop> {
        let ic3 = match &mut self.ic3 {
            Some(ic3) => ic3,
            none => none.insert(Ic3::new(self.circuit, self.budget)?),
        };
        ic3.allow(until);
        while self.budget.work() < until {
            let open = board.unproved();
            if open.is_empty() {
                break;
            }
            match ic3.advance(self.circuit, board)? {
                ic3::Progress::More => {}
                ic3::Progress::Reached(goal) => board.is_reachable[goal] = true,
                ic3::Progress::Proved(cubes) => {
                    // Somebody who shares little with us looks at it.
                    if !invariant::holds::<S>(self.circuit, &cubes, board, &open, self.budget)? {
                        unreachable!("an invariant that is none");
                    }
                    board.prove(&open, &Proof::Invariant { n_clauses: cubes.len() as u64 });
                    board.invariants.push(Invariant { goals: open, cubes });
                }
            }
        }
        Ok(())
    }
}
