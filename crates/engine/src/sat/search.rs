//! Decides the goals of a circuit, reachable or not.
//!
//! Bounded model checking finds reachable goals on shortest paths. Random walks find more of them,
//! on longer paths. k-induction and IC3 prove the others unreachable. The methods take turns with
//! about equal work; one that decides goals gets more.

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

/// Work of the first turn of each method.
const FIRST_TURN: u64 = 20_000;

/// Work credited to a method for each goal it decides.
const REWARD: u64 = 20_000;

/// Work without results is weighted up after some idle turns, by at most this factor. A proof takes
/// long and then decides many goals at once; random walks are not penalised.
const fn max_idle(method: Method) -> u64 {
    match method {
        Method::Ic3 => 4,
        Method::Bounded => 8,
        Method::Walks | Method::Induction => 16,
    }
}

/// The initial walks continue until this many have met nothing new, within a work limit.
const N_IDLE_WALKS: usize = 16;
const MAX_FIRST_WALKS: u64 = 10_000_000;

/// When every goal is met or proved unreachable, shorter paths are searched for with a quarter of
/// the work so far, and at least this much.
const SHORTER: u64 = 1_000_000;

/// With no more goals than this, people read each path: so much work goes into shortening those that
/// are not much longer than what a bounded search reaches.
const READ: usize = 8;
const READABLE: usize = 32;
const SHORTER_TO_READ: u64 = 24_000_000;

/// A search with at least this many goals may end when only this fraction of them is open, after
/// this much work: until then, it is better spent on shorter paths to what was met.
const MANY: usize = 64;
const FEW: usize = 8;
const BEFORE_FEW: u64 = 10_000_000;

/// A predicate over a state or a step.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The bit that is true where it is met.
    pub bit: Bit,
    /// True if it is over a step.
    pub is_step: bool,
}

/// The status of a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Undecided.
    Open,
    /// Reachable: the index of a path among the examples.
    Hit(usize),
    /// Unreachable.
    Proved(Proof),
}

/// The status of all goals.
pub struct Knowledge {
    /// The goals.
    pub goals: Vec<Goal>,
    /// The status of each goal.
    pub status: Vec<Status>,
    /// Where it was met, though there may be a shorter path. Then no proof is attempted.
    pub met: Vec<Option<Met>>,
    /// True if there may be a shorter path than the one found.
    pub may_be_shorter: Vec<bool>,
    /// Random walks.
    walks: Option<Walks>,
    /// True if a rule about the initial states is undefined.
    pub start_fails: bool,
    /// The goal of a step with an undefined rule, if there may be one.
    pub guard: Option<usize>,
    /// The paths found.
    pub examples: Vec<Found>,
    /// The inductive invariants found.
    pub invariants: Vec<Invariant>,
    /// Depth of the bounded search.
    pub depth: usize,
}

/// An inductive invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The goals that it proves unreachable.
    pub goals: Vec<usize>,
    /// The cubes that it excludes; if there are none, it excludes the goals themselves.
    pub cubes: Vec<Cube>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing is open.
    Decided,
    /// A rule is undefined at the end of this path, or in the initial states.
    Failure(Option<Example>),
    /// Few goals are open: a search for these alone is faster.
    Few,
    /// A budget ran out.
    Cut(Why),
}

impl Knowledge {
    /// All goals are open.
    pub fn new(circuit: &Circuit, mut goals: Vec<Goal>) -> Knowledge {
        let guard = (circuit.step_fails != FALSE).then_some(goals.len());
        goals.extend(guard.map(|_| Goal { bit: circuit.step_fails, is_step: true }));
        let nowhere = Status::Proved(Proof::Backward { n_steps: 0 });
        let status = |goal: &Goal| if goal.bit == FALSE { nowhere.clone() } else { Status::Open };
        Knowledge {
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

    /// True if a goal is undecided.
    #[inline]
    pub fn is_open(&self, goal: usize) -> bool {
        self.status[goal] == Status::Open
    }

    /// True if a path to a goal is wanted. The guard is handled separately.
    pub fn is_wanted(&self, goal: usize) -> bool {
        self.is_open(goal) && self.guard != Some(goal)
    }

    /// True if a proof of unreachability is wanted.
    #[inline]
    pub fn is_unproved(&self, goal: usize) -> bool {
        self.is_open(goal) && self.met[goal].is_none()
    }

    /// True if any proof is wanted.
    fn has_unproved(&self) -> bool {
        (0..self.goals.len()).any(|goal| self.is_unproved(goal))
    }

    /// The goals for which a proof is wanted.
    pub fn unproved(&self) -> Vec<usize> {
        (0..self.goals.len()).filter(|&goal| self.is_unproved(goal)).collect()
    }

    /// Adopts the path on which a goal was met.
    pub fn take(&mut self, goal: usize) {
        if let (Some(met), Some(walks)) = (&self.met[goal], &self.walks) {
            self.status[goal] = Status::Hit(self.examples.len());
            self.examples.push(walks.path(met));
        }
    }

    /// Adopts all paths, though there may be shorter ones.
    fn take_all(&mut self) {
        for goal in 0..self.goals.len() {
            if self.is_wanted(goal) {
                self.may_be_shorter[goal] = true;
                self.take(goal);
            }
        }
    }

    /// Adopts the shortest of the paths, if none has been adopted.
    fn take_nearest(&mut self) {
        let n_steps = |goal: &usize| self.met[*goal].as_ref().map(|met| met.n_steps);
        let wanted = (0..self.goals.len()).filter(|&goal| self.is_wanted(goal));
        let nearest = wanted.filter(|goal| n_steps(goal).is_some()).min_by_key(n_steps);
        if let (Some(goal), false) = (nearest, self.has_hit()) {
            self.may_be_shorter[goal] = true;
            self.take(goal);
        }
    }

    /// True if there is a path to a goal.
    fn has_hit(&self) -> bool {
        self.status.iter().any(|status| matches!(status, Status::Hit(_)))
    }

    /// A stronger invariant proves more goals.
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

    /// Records that a goal is met at the end of a path, unless a rule is undefined on it.
    fn note_path(&mut self, circuit: &Circuit, goal: usize, found: Found) {
        let example = found.example(circuit);
        let mut runner = Runner::new(circuit);
        for (idx, (state, step)) in example.states.iter().zip(&example.steps).enumerate() {
            runner.evaluate(state, step);
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

    /// Runs some random walks.
    fn walk(&mut self, circuit: &Circuit, budget: &Budget) -> Result<(), Why> {
        let Some(mut walks) = self.walks.take() else { return Ok(()) };
        let result = walks.walk(circuit, self, budget);
        self.walks = Some(walks);
        result
    }

    /// The path to a step with an undefined rule, if a walk has met one.
    fn failure(&self) -> Option<Found> {
        let met = self.met[self.guard?].as_ref()?;
        Some(self.walks.as_ref()?.path(met))
    }

    /// Number of open goals, without the guard.
    pub fn n_open(&self) -> usize {
        (0..self.goals.len()).filter(|&goal| self.is_wanted(goal)).count()
    }

    /// Number of goals that are undecided or lack a short path.
    fn n_unknown(&self) -> usize {
        let n_unproved = (0..self.goals.len()).filter(|&goal| self.is_unproved(goal)).count();
        self.n_open() + n_unproved
    }

    /// True if nothing is left to decide.
    fn is_done(&self) -> bool {
        let is_proved = |status: &Status| matches!(status, Status::Proved(_));
        let needs_guard = (0..self.goals.len())
            .any(|goal| self.guard != Some(goal) && is_proved(&self.status[goal]));
        self.n_open() == 0 && (self.is_guarded() || !needs_guard)
    }

    /// True if every rule is known to be defined in all reachable steps. Otherwise nothing is
    /// declared unreachable.
    pub fn is_guarded(&self) -> bool {
        let is_proved = |guard: usize| matches!(self.status[guard], Status::Proved(_));
        !self.start_fails && self.guard.is_none_or(is_proved)
    }

    fn prove(&mut self, goals: &[usize], proof: &Proof) {
        goals.iter().for_each(|&goal| self.status[goal] = Status::Proved(proof.clone()));
    }
}

/// The methods of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Bounded,
    Walks,
    Induction,
    Ic3,
}

const ALL: [Method; 4] = [Method::Bounded, Method::Walks, Method::Induction, Method::Ic3];

/// A search for all goals.
pub struct GoalSearch<'c, 'm, 'b, S> {
    circuit: &'c Circuit<'m, 'b>,
    budget: &'b Budget<'b>,
    bounded: Bounded<'b, S>,
    induction: Option<Induction<'b, S>>,
    ic3: Option<Ic3<'b>>,
    confirmed: Option<Confirmed<S>>,
    /// For each method: its work, weighted by results; its limit per turn; and its idle turns, plus
    /// one.
    spent: [u64; ALL.len()],
    turns: [u64; ALL.len()],
    n_idle: [u64; ALL.len()],
    has_walked: bool,
    /// Number of open goals at which the search ends.
    few: usize,
    /// The work at which the search for shorter paths ends, when nothing else is left.
    enough: Option<u64>,
}

impl<'c, 'm, 'b, S: Solver<'b>> GoalSearch<'c, 'm, 'b, S> {
    /// Decides the goals, as far as the budget allows.
    pub fn run(
        circuit: &'c Circuit<'m, 'b>,
        knowledge: &mut Knowledge,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        GoalSearch::<S>::run_to(0, circuit, knowledge, budget)
    }

    /// The same, until few of many are open. Where only some paths to a goal qualify, it continues:
    /// a goal may have been met on a path that does not.
    pub fn run_to_few(
        circuit: &'c Circuit<'m, 'b>,
        knowledge: &mut Knowledge,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let is_many = knowledge.n_open() >= MANY && budget.is_unbounded();
        let few = if is_many { knowledge.n_open() / FEW } else { 0 };
        GoalSearch::<S>::run_to(few, circuit, knowledge, budget)
    }

    fn run_to(
        few: usize,
        circuit: &'c Circuit<'m, 'b>,
        knowledge: &mut Knowledge,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let outcome = GoalSearch::<S>::new(circuit, knowledge, budget).and_then(|mut search| {
            search.few = few;
            loop {
                if let Some(outcome) = search.turn(knowledge)? {
                    return Ok(outcome);
                }
            }
        });
        if budget.wants_nearest() {
            knowledge.take_nearest();
        } else if !budget.wants_shortest() {
            knowledge.take_all();
        }
        outcome.unwrap_or_else(Outcome::Cut)
    }

    fn new(
        circuit: &'c Circuit<'m, 'b>,
        knowledge: &mut Knowledge,
        budget: &'b Budget<'b>,
    ) -> Result<GoalSearch<'c, 'm, 'b, S>, Why> {
        let mut bounded = Bounded::new(circuit, S::new(budget))?;
        knowledge.start_fails = bounded.start_fails(circuit)?;
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

    /// Decides which goals are met in an initial state; the others are proved then.
    pub fn run_first(
        circuit: &'c Circuit<'m, 'b>,
        knowledge: &mut Knowledge,
        budget: &'b Budget<'b>,
    ) -> Outcome {
        let result = Bounded::new(circuit, S::new(budget)).and_then(|mut bounded| {
            knowledge.start_fails = bounded.start_fails(circuit)?;
            Ok(bounded)
        });
        if knowledge.start_fails {
            return Outcome::Failure(None);
        }
        let result =
            result.map_err(Stop::from).and_then(|mut b| b.search_depth(circuit, knowledge));
        let proof = match result {
            Ok(None) => Proof::InitialStates,
            Ok(Some(End::NoPath)) => Proof::NoInitialState,
            Ok(Some(End::Failure(example))) => return Outcome::Failure(Some(example)),
            Err(stop) => return Outcome::Cut(stop.why()),
        };
        let open: Vec<usize> =
            (0..knowledge.goals.len()).filter(|&goal| knowledge.is_open(goal)).collect();
        knowledge.prove(&open, &proof);
        Outcome::Decided
    }

    /// Runs the method with the least weighted work.
    fn turn(&mut self, knowledge: &mut Knowledge) -> Result<Option<Outcome>, Why> {
        let n_open = knowledge.n_open();
        let depth = self.bounded.depth() as u64;
        self.budget.note(Progress {
            phase: "searching",
            depth,
            n_states: 0,
            n_open,
            ..Progress::default()
        });
        if knowledge.start_fails {
            return Ok(Some(Outcome::Failure(None)));
        }
        if knowledge.is_done() {
            return Ok(Some(Outcome::Decided));
        }
        self.must_go_on(knowledge)?;
        if self.spent[0] > 0 && !self.has_walked && self.budget.is_unbounded() {
            self.walk_first(knowledge)?;
        }
        let is_all_known = !knowledge.has_unproved();
        if is_all_known && !self.budget.wants_shortest() && self.has_enough(knowledge) {
            let failure = knowledge.failure().map(|found| found.example(self.circuit));
            return Ok(Some(failure.map_or(Outcome::Decided, |it| Outcome::Failure(Some(it)))));
        }
        if !is_all_known && self.has_few(knowledge) {
            return Ok(Some(Outcome::Few));
        }
        // Walks ignore the depth limit.
        let may_walk = |method: &usize| self.budget.is_unbounded() || ALL[*method] != Method::Walks;
        let method = match is_all_known || self.budget.reaches(u64::MAX).is_err() {
            true => 0,
            false => (0..ALL.len())
                .filter(may_walk)
                .min_by_key(|&method| self.spent[method])
                .unwrap_or(0),
        };
        let (before, n_unknown) = (self.budget.work(), knowledge.n_unknown());
        let until = before.saturating_add(self.turns[method]);
        let result = match ALL[method] {
            Method::Bounded => self.bounded(knowledge, until),
            Method::Walks => self.walk(knowledge, until).map(|()| None),
            Method::Induction => self.induction(knowledge, until).map(|()| None),
            Method::Ic3 => self.ic3(knowledge, until).map(|()| None),
        };
        // Methods that decide something get their next turn sooner, idle ones later.
        let n_decided = n_unknown.saturating_sub(knowledge.n_unknown()) as u64;
        let n_idle =
            if n_decided > 0 { 1 } else { (self.n_idle[method] + 1).min(max_idle(ALL[method])) };
        self.n_idle[method] = n_idle;
        // A method that is blocked until another one advances skips a turn.
        let work = match self.budget.work() - before {
            0 => self.turns[method],
            work => work,
        };
        self.spent[method] +=
            (work * n_idle).saturating_sub(n_decided * REWARD).max(work / 8).max(1);
        knowledge.depth = self.bounded.depth();
        match result {
            Ok(outcome) => Ok(outcome),
            Err(Stop::Pause) => {
                if n_decided == 0 {
                    self.turns[method] *= 2;
                }
                Ok(None)
            }
            Err(Stop::Budget(why)) => Err(why),
        }
    }

    /// True if it is time to restart with the remaining goals.
    fn has_few(&self, knowledge: &Knowledge) -> bool {
        let is_long = self.budget.work() > BEFORE_FEW;
        is_long && knowledge.is_guarded() && knowledge.unproved().len() <= self.few
    }

    /// Checks that something is left to search within the limits.
    fn must_go_on(&self, knowledge: &Knowledge) -> Result<(), Why> {
        if self.budget.wants_nearest() && knowledge.has_hit() {
            return Err(Why::Nearer);
        }
        Ok(self.budget.reaches(self.bounded.depth() as u64)?)
    }

    /// Every goal is met or unreachable. True if the work spent on short paths suffices.
    fn has_enough(&mut self, knowledge: &Knowledge) -> bool {
        let work = self.budget.work();
        let is_read = knowledge.goals.len() <= READ
            && knowledge.met.iter().flatten().all(|met| met.n_steps <= READABLE);
        let least = if is_read { SHORTER_TO_READ } else { SHORTER };
        let enough = *self.enough.get_or_insert(work + least.max(work / 4));
        work >= enough
    }

    /// Most goals are near; many of the others are met by random walks.
    fn walk_first(&mut self, knowledge: &mut Knowledge) -> Result<(), Why> {
        self.has_walked = true;
        let (mut n_unknown, mut n_idle) = (knowledge.n_unknown(), 0);
        let until = self.budget.work() + MAX_FIRST_WALKS;
        while n_idle < N_IDLE_WALKS && self.budget.work() < until && knowledge.has_unproved() {
            knowledge.walk(self.circuit, self.budget)?;
            let n_left = knowledge.n_unknown();
            n_idle = if n_left < n_unknown { 0 } else { n_idle + 1 };
            n_unknown = n_left;
        }
        Ok(())
    }

    fn walk(&mut self, knowledge: &mut Knowledge, until: u64) -> Result<(), Stop> {
        while self.budget.work() < until && knowledge.has_unproved() {
            knowledge.walk(self.circuit, self.budget)?;
        }
        Ok(())
    }

    fn bounded(&mut self, knowledge: &mut Knowledge, until: u64) -> Result<Option<Outcome>, Stop> {
        self.bounded.allow(until);
        while self.budget.work() < until
            && !knowledge.is_done()
            && self.must_go_on(knowledge).is_ok()
        {
            match self.bounded.deepen(self.circuit, knowledge)? {
                None => {}
                Some(End::Failure(example)) => return Ok(Some(Outcome::Failure(Some(example)))),
                Some(End::NoPath) => {
                    let open: Vec<usize> = (0..knowledge.goals.len())
                        .filter(|&goal| knowledge.is_open(goal))
                        .collect();
                    let proof = match self.bounded.depth() {
                        0 => Proof::NoInitialState,
                        n_steps => Proof::AllPaths { n_steps: n_steps as u64 - 1 },
                    };
                    knowledge.prove(&open, &proof);
                }
            }
        }
        Ok(None)
    }

    fn induction(&mut self, knowledge: &mut Knowledge, until: u64) -> Result<(), Stop> {
        let n_goals = knowledge.goals.len();
        let induction = match &mut self.induction {
            Some(induction) => induction,
            none => none.insert(Induction::new(self.circuit, n_goals, S::new(self.budget))?),
        };
        induction.allow(until);
        // Whether a goal is met in fewer steps is for the bounded search to decide.
        while self.budget.work() < until && induction.n_steps() <= self.bounded.depth() {
            let n_steps = induction.n_steps() as u64;
            let proved = induction.advance(self.circuit, knowledge)?;
            if !proved.is_empty() {
                knowledge.prove(&proved, &Proof::Induction { n_steps });
                if n_steps <= 1 {
                    knowledge.invariants.push(Invariant { goals: proved, cubes: Vec::new() });
                }
            }
            if knowledge.unproved().is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn ic3(&mut self, knowledge: &mut Knowledge, until: u64) -> Result<(), Stop> {
        let ic3 = match &mut self.ic3 {
            Some(ic3) => ic3,
            none => none.insert(Ic3::new(self.circuit, knowledge, self.budget)?),
        };
        ic3.allow(until);
        // Where a rule may be undefined, nothing is declared unreachable.
        while self.budget.work() < until
            && knowledge.has_unproved()
            && knowledge.failure().is_none()
        {
            match ic3.advance(self.circuit, knowledge)? {
                ic3::Progress::More => {}
                ic3::Progress::Reached(goal, found) => {
                    knowledge.note_path(self.circuit, goal, found)
                }
                ic3::Progress::Proved(goal) => {
                    let goals = vec![goal];
                    let confirmed = match &mut self.confirmed {
                        Some(confirmed) => confirmed,
                        none => none.insert(Confirmed::new(self.circuit, self.budget)?),
                    };
                    let cubes = &ic3.invariant;
                    if !confirmed.holds(self.circuit, cubes, knowledge, &goals)? {
                        unreachable!("an invariant that is none");
                    }
                    knowledge.prove(&goals, &Proof::Invariant { n_clauses: cubes.len() as u64 });
                    knowledge.note_invariant(goals, cubes);
                }
            }
        }
        Ok(())
    }
}
