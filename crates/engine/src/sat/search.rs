//! Goals of a circuit: which can be reached, and which can't.
//!
//! Bounded search finds the goals that can be reached, on shortest paths. Random walks find more
//! of them, on longer ones. Induction and IC3 look for a proof that the others can't. They take
//! turns, each with about as much work; who decides something gets more.

#[cfg(test)]
mod tests;

use crate::answer::{Proof, Why};
use trapline_budget::{Budget, Progress};

use super::aig::{Bit, FALSE};
use super::bounded::{Bounded, End};
use super::circuit::Circuit;
use super::ic3::{self, Cube, Ic3};
use super::induction::Induction;
use super::invariant::Invariant as Confirmed;
use super::solver::{Solver, Stop};
use super::unroll::{Example, Found, Runner};
use super::walk::{Met, Walks};

/// The work of the first turn of each.
const FIRST_TURN: u64 = 20_000;

/// A goal that is decided counts for so much work that was not in vain.
const REWARD: u64 = 20_000;

/// The work of who has decided nothing for some turns counts for more, so many times at most. A
/// proof takes long and then decides much at once; walks that meet nothing new go on as they are.
const fn max_idle(who: Who) -> u64 {
    match who {
        Who::Ic3 => 4,
        Who::Bounded => 8,
        Who::Walks | Who::Induction => 16,
    }
}

/// First of all, walks go on until so many have met nothing new, with so much work at most.
const N_IDLE_WALKS: usize = 16;
const MAX_FIRST_WALKS: u64 = 10_000_000;

/// When every goal is met or out of reach, shorter paths are looked for with a quarter of the work
/// so far, and so much at least.
const SHORTER: u64 = 1_000_000;

/// A search that began with at least so many goals may end when one in so many is left, after so
/// much work: before that, it is better to look for shorter paths to what was met.
const MANY: usize = 64;
const FEW: usize = 8;
const BEFORE_FEW: u64 = 10_000_000;

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
    /// It can be reached: the index of a path among the examples.
    Hit(usize),
    /// It can't.
    Proved(Proof),
}

/// What is known of the goals.
pub struct Board {
    /// The goals.
    pub goals: Vec<Goal>,
    /// What is known of each.
    pub status: Vec<Status>,
    /// Where it was met, though there may be a shorter path. Then no proof is looked for.
    pub met: Vec<Option<Met>>,
    /// May there be a shorter path than the one that was found?
    pub may_be_shorter: Vec<bool>,
    /// Random walks.
    walks: Option<Walks>,
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
    /// Few goals are open: a search for these alone is faster.
    Few,
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
            met: vec![None; goals.len()],
            may_be_shorter: vec![false; goals.len()],
            walks: Some(Walks::new(circuit)),
            start_fails: false,
            guard,
            goals,
            examples: Vec::new(),
            invariants: Vec::new(),
            depth: 0,
        }
    }

    /// Is nothing known of a goal?
    #[inline]
    pub fn is_open(&self, goal: usize) -> bool {
        self.status[goal] == Status::Open
    }

    /// Is a path to a goal looked for? The guard has its own place in the search.
    pub fn is_wanted(&self, goal: usize) -> bool {
        self.is_open(goal) && self.guard != Some(goal)
    }

    /// Is a proof looked for that a goal can't be reached?
    #[inline]
    pub fn is_unproved(&self, goal: usize) -> bool {
        self.is_open(goal) && self.met[goal].is_none()
    }

    /// Is a proof looked for?
    fn has_unproved(&self) -> bool {
        (0..self.goals.len()).any(|goal| self.is_unproved(goal))
    }

    /// The goals that a proof is looked for.
    pub fn unproved(&self) -> Vec<usize> {
        (0..self.goals.len()).filter(|&goal| self.is_unproved(goal)).collect()
    }

    /// Takes the path to where a goal was met.
    pub fn take(&mut self, goal: usize) {
        if let (Some(met), Some(walks)) = (&self.met[goal], &self.walks) {
            self.status[goal] = Status::Hit(self.examples.len());
            self.examples.push(walks.path(met));
        }
    }

    /// Takes all paths, though there may be shorter ones.
    fn take_all(&mut self) {
        for goal in 0..self.goals.len() {
            if self.is_wanted(goal) {
                self.may_be_shorter[goal] = true;
                self.take(goal);
            }
        }
    }

    /// Takes the shortest of the paths, if nothing has been taken.
    fn take_nearest(&mut self) {
        let n_steps = |goal: &usize| self.met[*goal].as_ref().map(|met| met.n_steps);
        let wanted = (0..self.goals.len()).filter(|&goal| self.is_wanted(goal));
        let nearest = wanted.filter(|goal| n_steps(goal).is_some()).min_by_key(n_steps);
        if let (Some(goal), false) = (nearest, self.has_hit()) {
            self.may_be_shorter[goal] = true;
            self.take(goal);
        }
    }

    /// Is there a path to a goal?
    fn has_hit(&self) -> bool {
        self.status.iter().any(|status| matches!(status, Status::Hit(_)))
    }

    /// An invariant that has grown proves more goals.
    fn note_invariant(&mut self, goals: Vec<usize>, cubes: &[Cube]) {
        let known = self.invariants.iter_mut().find(|known| !known.cubes.is_empty());
        match known {
            Some(known) => {
                known.goals.extend(goals);
                known.cubes.extend_from_slice(&cubes[known.cubes.len()..]);
            }
            None => self.invariants.push(Invariant { goals, cubes: cubes.to_vec() }),
        }
    }

    /// A goal is met at the end of a path, or else a rule has no value on it.
    fn note_path(&mut self, circuit: &Circuit, goal: usize, found: Found) {
        let example = found.example(circuit);
        let mut runner = Runner::new(circuit);
        for (idx, (state, step)) in example.states.iter().zip(&example.steps).enumerate() {
            runner.look(state, step);
            if runner.is_true(circuit.step_fails) {
                self.met[self.guard.unwrap_or(goal)] = Some(Met::at_end_of(found.start(idx + 1)));
                return;
            }
        }
        if !runner.is_true(self.goals[goal].bit) {
            unreachable!("a path to a goal does not meet it");
        }
        self.met[goal] = Some(Met::at_end_of(found));
    }

    /// Walks a little.
    fn walk(&mut self, circuit: &Circuit, budget: &Budget) -> Result<(), Why> {
        let Some(mut walks) = self.walks.take() else { return Ok(()) };
        let result = walks.walk(circuit, self, budget);
        self.walks = Some(walks);
        result
    }

    /// The path to a step with a rule that has no value, if a walk has met one.
    fn failure(&self) -> Option<Found> {
        let met = self.met[self.guard?].as_ref()?;
        Some(self.walks.as_ref()?.path(met))
    }

    /// How many goals are open, apart from the guard.
    pub fn n_open(&self) -> usize {
        (0..self.goals.len()).filter(|&goal| self.is_wanted(goal)).count()
    }

    /// How many goals nothing is known of, or no short path.
    fn n_unknown(&self) -> usize {
        let n_unproved = (0..self.goals.len()).filter(|&goal| self.is_unproved(goal)).count();
        self.n_open() + n_unproved
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

/// Who takes part in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Bounded,
    Walks,
    Induction,
    Ic3,
}

const ALL: [Who; 4] = [Who::Bounded, Who::Walks, Who::Induction, Who::Ic3];

/// A search for all goals.
pub struct GoalSearch<'c, 'm, 'b, S> {
    circuit: &'c Circuit<'m, 'b>,
    budget: &'b Budget<'b>,
    bounded: Bounded<'b, S>,
    induction: Option<Induction<'b, S>>,
    ic3: Option<Ic3<'b>>,
    confirmed: Option<Confirmed<S>>,
    /// The work that each has taken, weighed by what came of it; what it may take in a turn; and
    /// how many of its last turns decided nothing, plus one.
    spent: [u64; ALL.len()],
    turns: [u64; ALL.len()],
    n_idle: [u64; ALL.len()],
    has_walked: bool,
    /// When no more goals are open, the search ends.
    few: usize,
    /// The work after which shorter paths are no longer looked for, when nothing else is left.
    enough: Option<u64>,
}

impl<'c, 'm, 'b, S: Solver<'b>> GoalSearch<'c, 'm, 'b, S> {
    /// Decides the goals, as far as the budget allows.
    pub fn run(circuit: &'c Circuit<'m, 'b>, board: &mut Board, budget: &'b Budget<'b>) -> Outcome {
        GoalSearch::<S>::run_to(0, circuit, board, budget)
    }

    /// The same, until few of many are open. Where only some ways to them are good, it goes on: what
    /// was met may not be where it counts.
    pub fn run_to_few(
        circuit: &'c Circuit<'m, 'b>,
        board: &mut Board,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let is_many = board.n_open() >= MANY && budget.is_unbounded();
        let few = if is_many { board.n_open() / FEW } else { 0 };
        GoalSearch::<S>::run_to(few, circuit, board, budget)
    }

    fn run_to(
        few: usize,
        circuit: &'c Circuit<'m, 'b>,
        board: &mut Board,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let outcome = GoalSearch::<S>::new(circuit, board, budget).and_then(|mut search| {
            search.few = few;
            loop {
                if let Some(outcome) = search.turn(board)? {
                    return Ok(outcome);
                }
            }
        });
        match budget.wants_nearest() {
            true => board.take_nearest(),
            false => board.take_all(),
        }
        outcome.unwrap_or_else(Outcome::Cut)
    }

    fn new(
        circuit: &'c Circuit<'m, 'b>,
        board: &mut Board,
        budget: &'b Budget<'b>,
    ) -> Result<GoalSearch<'c, 'm, 'b, S>, Why> {
        let mut bounded = Bounded::new(circuit, S::new(budget))?;
        board.start_fails = bounded.start_fails(circuit)?;
        Ok(GoalSearch {
            circuit,
            budget,
            bounded,
            induction: None,
            ic3: None,
            confirmed: None,
            spent: [0; ALL.len()],
            turns: [FIRST_TURN; ALL.len()],
            n_idle: [0; ALL.len()],
            has_walked: false,
            few: 0,
            enough: None,
        })
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
        if board.start_fails {
            return Ok(Some(Outcome::Failure(None)));
        }
        if board.is_done() {
            return Ok(Some(Outcome::Decided));
        }
        self.must_go_on(board)?;
        if self.spent[0] > 0 && !self.has_walked && self.budget.is_unbounded() {
            self.walk_first(board)?;
        }
        let is_all_known = !board.has_unproved();
        if is_all_known && !self.budget.wants_shortest() && self.has_enough() {
            let failure = board.failure().map(|found| found.example(self.circuit));
            return Ok(Some(failure.map_or(Outcome::Decided, |it| Outcome::Failure(Some(it)))));
        }
        if !is_all_known && self.has_few(board) {
            return Ok(Some(Outcome::Few));
        }
        // Walks go anywhere.
        let may_walk = |who: &usize| self.budget.is_unbounded() || ALL[*who] != Who::Walks;
        let who = match is_all_known || self.budget.reaches(u64::MAX).is_err() {
            true => 0,
            false => {
                (0..ALL.len()).filter(may_walk).min_by_key(|&who| self.spent[who]).unwrap_or(0)
            }
        };
        let (before, n_unknown) = (self.budget.work(), board.n_unknown());
        let until = before.saturating_add(self.turns[who]);
        let result = match ALL[who] {
            Who::Bounded => self.bounded(board, until),
            Who::Walks => self.walk(board, until).map(|()| None),
            Who::Induction => self.induction(board, until).map(|()| None),
            Who::Ic3 => self.ic3(board, until).map(|()| None),
        };
        // Who decides something may go on the sooner, and who does not the later.
        let n_decided = n_unknown.saturating_sub(board.n_unknown()) as u64;
        let n_idle = if n_decided > 0 { 1 } else { (self.n_idle[who] + 1).min(max_idle(ALL[who])) };
        self.n_idle[who] = n_idle;
        // Who can do nothing until another has done more waits a turn.
        let work = match self.budget.work() - before {
            0 => self.turns[who],
            work => work,
        };
        self.spent[who] += (work * n_idle).saturating_sub(n_decided * REWARD).max(work / 8).max(1);
        board.depth = self.bounded.depth();
        match result {
            Ok(outcome) => Ok(outcome),
            Err(Stop::Pause) => {
                if n_decided == 0 {
                    self.turns[who] *= 2;
                }
                Ok(None)
            }
            Err(Stop::Budget(why)) => Err(why),
        }
    }

    /// Is it time for a search for what is left?
    fn has_few(&self, board: &Board) -> bool {
        let is_long = self.budget.work() > BEFORE_FEW;
        is_long && board.is_guarded() && board.unproved().len() <= self.few
    }

    /// Is there anything left to look for, within the limits?
    fn must_go_on(&self, board: &Board) -> Result<(), Why> {
        if self.budget.wants_nearest() && board.has_hit() {
            return Err(Why::Nearer);
        }
        Ok(self.budget.reaches(self.bounded.depth() as u64)?)
    }

    /// Everything is met or out of reach. Has there been enough work to find short paths?
    fn has_enough(&mut self) -> bool {
        let work = self.budget.work();
        let enough = *self.enough.get_or_insert(work + SHORTER.max(work / 4));
        work >= enough
    }

    /// Most is near; much of what is not is met by chance.
    fn walk_first(&mut self, board: &mut Board) -> Result<(), Why> {
        self.has_walked = true;
        let (mut n_unknown, mut n_idle) = (board.n_unknown(), 0);
        let until = self.budget.work() + MAX_FIRST_WALKS;
        while n_idle < N_IDLE_WALKS && self.budget.work() < until && board.has_unproved() {
            board.walk(self.circuit, self.budget)?;
            let n_left = board.n_unknown();
            n_idle = if n_left < n_unknown { 0 } else { n_idle + 1 };
            n_unknown = n_left;
        }
        Ok(())
    }

    fn walk(&mut self, board: &mut Board, until: u64) -> Result<(), Stop> {
        while self.budget.work() < until && board.has_unproved() {
            board.walk(self.circuit, self.budget)?;
        }
        Ok(())
    }

    fn bounded(&mut self, board: &mut Board, until: u64) -> Result<Option<Outcome>, Stop> {
        self.bounded.allow(until);
        while self.budget.work() < until && !board.is_done() && self.must_go_on(board).is_ok() {
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
            none => none.insert(Ic3::new(self.circuit, board, self.budget)?),
        };
        ic3.allow(until);
        // Where a rule may have no value, nothing is said to be out of reach.
        while self.budget.work() < until && board.has_unproved() && board.failure().is_none() {
            match ic3.advance(self.circuit, board)? {
                ic3::Progress::More => {}
                ic3::Progress::Reached(goal, found) => board.note_path(self.circuit, goal, found),
                ic3::Progress::Proved(goal) => {
                    let goals = vec![goal];
                    let confirmed = match &mut self.confirmed {
                        Some(confirmed) => confirmed,
                        none => none.insert(Confirmed::new(self.circuit, self.budget)?),
                    };
                    let cubes = &ic3.invariant;
                    if !confirmed.holds(self.circuit, cubes, board, &goals)? {
                        unreachable!("an invariant that is none");
                    }
                    board.prove(&goals, &Proof::Invariant { n_clauses: cubes.len() as u64 });
                    board.note_invariant(goals, cubes);
                }
            }
        }
        Ok(())
    }
}
