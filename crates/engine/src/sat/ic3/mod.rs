//! IC3, or property directed reachability (Bradley, *SAT-based model checking without unrolling*;
//! Eén, Mishchenko and Brayton, *Efficient implementation of property directed reachability*).
//!
//! Frame `i` over-approximates the states reachable in `i` steps, as a list of blocked cubes. A
//! state that leads to a goal is a proof obligation, which is blocked frame by frame back towards
//! the initial states. When two frames are equal, they are an inductive invariant.
//!
//! Each goal has frames of its own, and the goals take turns: the frames of a remote or hard goal
//! do not help the others. An inductive invariant, once found, holds for all.
//!
//! A predecessor is lifted to the cube of all states that take the same step with the same inputs.
//! That is sound because the next state is a function of both ([`super::circuit`]), and because
//! whether the model allows the step is part of the query.
//!
//! Queries assign only the variables in their cone ([`super::local`]). A satisfying assignment may
//! therefore describe states that other clauses exclude; then more is blocked than necessary, which
//! is harmless, and a goal is reported reached only with a complete path.

mod questions;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::answer::Why;
use trapline_budget::Budget;

use super::circuit::Circuit;
use super::search::Knowledge;
use super::solver::{Lit, Stop};
use super::unroll::Found;
use questions::{Blocked, Example, Questions};

/// Failed literal removals before generalisation of a cube gives up.
const MAX_FAILURES: usize = 20;

/// Work of the first turn of a goal.
const FIRST_TURN: u64 = 10_000;

/// Length of a long turn, relative to those of all goals together.
const LONG: u64 = 2;

/// A cube: its literals as twice the latch index, plus 1 if negative, in ascending order.
pub type Cube = Vec<u32>;

/// The solver literals of a cube, given those of all latches.
pub fn members<'c>(lits: &'c [Lit], cube: &'c [u32]) -> impl Iterator<Item = Lit> + 'c {
    cube.iter().map(|&bit| lits[(bit >> 1) as usize].negated_if(bit & 1 == 1))
}

/// The result of a turn.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Undecided so far.
    More,
    /// A goal is reached by this path.
    Reached(usize, Found),
    /// A goal is unreachable: the invariant excludes it.
    Proved(usize),
}

/// A proof obligation: a cube that leads to a goal, the step it takes, and its successor.
struct ProofObligation {
    example: Example,
    to: Option<usize>,
}

/// The frames of a goal.
#[derive(Default)]
struct Levels {
    /// The cubes of each frame, in delta encoding. Frame 0 is the initial states.
    cubes: Vec<Vec<Cube>>,
    /// The frame to be propagated next. At the last frame the goal is queried.
    moving: usize,
}

impl Levels {
    fn top(&self) -> usize {
        self.cubes.len() - 1
    }
}

/// The search.
pub struct Ic3<'b> {
    budget: &'b Budget<'b>,
    questions: Questions<'b>,
    /// Cubes known to be unreachable.
    pub invariant: Vec<Cube>,
    /// The goals waiting for their turn, with their frames.
    waiting: VecDeque<(usize, Levels)>,
    /// The current goal, and the work at which its turn ends.
    goal: Option<usize>,
    levels: Levels,
    end: u64,
    until: u64,
    /// The work of a turn, and how many of this length are left.
    turn: u64,
    n_turns: usize,
    /// True during the long turn of one goal.
    is_long_turn: bool,
    /// How often a literal occurs in cubes.
    activity: Vec<u32>,
}

impl<'b> Ic3<'b> {
    /// No frames yet, for the open goals.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        circuit: &Circuit<'_, 'b>,
        knowledge: &Knowledge,
        budget: &'b Budget<'b>,
    ) -> Result<Ic3<'b>, Why> {
        let waiting: VecDeque<(usize, Levels)> =
            knowledge.unproved().into_iter().rev().map(|goal| (goal, Levels::default())).collect();
        Ok(Ic3 {
            budget,
            questions: Questions::new(circuit, budget)?,
            invariant: Vec::new(),
            n_turns: waiting.len(),
            is_long_turn: false,
            waiting,
            goal: None,
            levels: Levels::default(),
            end: 0,
            until: u64::MAX,
            turn: FIRST_TURN,
            activity: vec![0; circuit.latches.len()],
        })
    }

    /// Pauses once this much work is charged to the budget.
    pub fn allow(&mut self, until: u64) {
        self.until = until;
    }

    /// Makes some progress.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn advance(&mut self, circuit: &Circuit, knowledge: &Knowledge) -> Result<Progress, Stop> {
        let is_over = self.budget.work() >= self.end;
        let goal = self.goal.filter(|&goal| knowledge.is_unproved(goal) && !is_over);
        let Some(goal) = goal.or_else(|| self.change(knowledge)) else { return Ok(Progress::More) };
        self.questions.allow(self.until.min(self.end));
        match self.pursue(circuit, knowledge, goal) {
            Err(Stop::Pause) if self.budget.work() < self.until => Ok(Progress::More),
            result => result,
        }
    }

    fn pursue(
        &mut self,
        circuit: &Circuit,
        knowledge: &Knowledge,
        goal: usize,
    ) -> Result<Progress, Stop> {
        let bit = knowledge.goals[goal].bit;
        if self.levels.cubes.is_empty() {
            if self.questions.find(circuit, None, bit)?.is_none() {
                return Ok(Progress::Proved(goal));
            }
            self.levels = Levels { cubes: vec![Vec::new(); 2], moving: 1 };
            self.questions.set_levels(&self.levels.cubes);
        }
        let top = self.levels.top();
        if self.levels.moving < top {
            let is_invariant = self.move_up(self.levels.moving)?;
            return Ok(if is_invariant { Progress::Proved(goal) } else { Progress::More });
        }
        match self.questions.find(circuit, Some(top), bit)? {
            Some(example) => self.block(goal, example),
            None => {
                self.levels.cubes.push(Vec::new());
                self.levels.moving = 1;
                self.questions.add_level();
                Ok(Progress::More)
            }
        }
    }

    /// Selects the next goal. Each has a turn, and then one of them has a turn longer than all
    /// others together: an invariant for one goal often proves many.
    fn change(&mut self, knowledge: &Knowledge) -> Option<usize> {
        let levels = std::mem::take(&mut self.levels);
        if let Some(goal) = self.goal.take() {
            match self.is_long_turn {
                true => self.waiting.push_front((goal, levels)),
                false => self.waiting.push_back((goal, levels)),
            }
        }
        self.waiting.retain(|(goal, _)| knowledge.is_unproved(*goal));
        // A decided goal passes the rest of a long turn on to the next.
        if !self.is_long_turn || self.budget.work() >= self.end {
            self.begin_turn();
        }
        // No proof counts without the guard.
        let is_guard = |(goal, _): &(usize, Levels)| knowledge.guard == Some(*goal);
        let guard = self.waiting.iter().position(is_guard).filter(|_| self.is_long_turn);
        let (goal, levels) = self.waiting.remove(guard.unwrap_or(0))?;
        // A single goal needs no turns.
        if self.waiting.is_empty() {
            self.end = u64::MAX;
        }
        self.questions.set_levels(&levels.cubes);
        self.levels = levels;
        self.goal = Some(goal);
        self.goal
    }

    /// Starts a turn of the right kind and length.
    fn begin_turn(&mut self) {
        let n_waiting = self.waiting.len();
        if self.n_turns > 0 {
            self.is_long_turn = false;
            self.n_turns -= 1;
        } else if !self.is_long_turn {
            self.is_long_turn = true;
        } else {
            self.is_long_turn = false;
            self.n_turns = n_waiting.saturating_sub(1);
            self.turn *= 2;
        }
        let n_turns = if self.is_long_turn { LONG * n_waiting as u64 } else { 1 };
        self.end = self.budget.work() + n_turns * self.turn;
    }

    /// Blocks a state that leads to a goal, with all its predecessors, unless one of them is an
    /// initial state.
    fn block(&mut self, goal: usize, bad: Example) -> Result<Progress, Stop> {
        let mut obligations = vec![ProofObligation { example: bad, to: None }];
        if self.questions.meets_start(&obligations[0].example.state)? {
            return Ok(self.reached(goal, &obligations, 0));
        }
        let mut queue = BinaryHeap::from([(Reverse(self.levels.top()), 0)]);
        while let Some((Reverse(level), obligation)) = queue.pop() {
            let cube = &obligations[obligation].example.state;
            if self.is_excluded(level, cube) {
                if level < self.levels.top() {
                    queue.push((Reverse(level + 1), obligation));
                }
                continue;
            }
            match self.questions.blocked(level - 1, cube)? {
                Blocked::Yes(core) => {
                    let cube = self.generalise(level, cube, core)?;
                    let level = self.rise(level, &cube)?;
                    self.add(level, cube);
                    if level < self.levels.top() {
                        queue.push((Reverse(level + 1), obligation));
                    }
                }
                Blocked::No(example) => {
                    let example = self.questions.lift_step(example, cube)?;
                    obligations.push(ProofObligation { example, to: Some(obligation) });
                    let before = obligations.len() - 1;
                    if self.questions.meets_start(&obligations[before].example.state)? {
                        return Ok(self.reached(goal, &obligations, before));
                    }
                    if level == 1 {
                        unreachable!("a first state is none");
                    }
                    queue.push((Reverse(level), obligation));
                    queue.push((Reverse(level - 1), before));
                }
            }
        }
        Ok(Progress::More)
    }

    /// The path from the initial state just found.
    fn reached(&self, goal: usize, obligations: &[ProofObligation], from: usize) -> Progress {
        let mut steps = Vec::new();
        let mut obligation = Some(from);
        while let Some(idx) = obligation {
            steps.push(obligations[idx].example.step.clone());
            obligation = obligations[idx].to;
        }
        Progress::Reached(goal, Found::from_start(self.questions.start(), steps))
    }

    /// The highest frame relative to which a cube is still blocked, plus one.
    fn rise(&mut self, mut level: usize, cube: &[u32]) -> Result<usize, Stop> {
        while level < self.levels.top()
            && matches!(self.questions.blocked(level, cube)?, Blocked::Yes(_))
        {
            level += 1;
        }
        Ok(level)
    }

    /// Generalises a blocked cube by dropping literals.
    fn generalise(&mut self, level: usize, whole: &[u32], core: Cube) -> Result<Cube, Stop> {
        let mut cube = self.apart(whole, core)?;
        let mut order = cube.clone();
        order.sort_by_key(|&bit| self.activity[(bit >> 1) as usize]);
        let mut n_failures = 0;
        for bit in order {
            if cube.len() < 2 || n_failures > MAX_FAILURES {
                break;
            }
            if !cube.contains(&bit) {
                continue;
            }
            let smaller: Cube = cube.iter().copied().filter(|&member| member != bit).collect();
            if self.questions.meets_start(&smaller)? {
                n_failures += 1;
                continue;
            }
            match self.questions.blocked(level - 1, &smaller)? {
                Blocked::Yes(core) => cube = self.apart(&smaller, core)?,
                Blocked::No(_) => n_failures += 1,
            }
        }
        Ok(cube)
    }

    /// The unsat core of a blocked cube, extended by literals that keep it disjoint from the
    /// initial states.
    fn apart(&mut self, whole: &[u32], core: Cube) -> Result<Cube, Stop> {
        if !self.questions.meets_start(&core)? {
            return Ok(core);
        }
        // The whole cube is disjoint from them; take the core of that.
        if self.questions.meets_start(whole)? {
            unreachable!("a cube with a first state was to be excluded");
        }
        let mut cube = core;
        cube.extend(self.questions.apart_by(whole));
        cube.sort_unstable();
        cube.dedup();
        Ok(cube)
    }

    /// True if a blocked cube of the frame subsumes this one.
    fn is_excluded(&self, level: usize, cube: &[u32]) -> bool {
        let known = self.levels.cubes[level..].iter().flatten().chain(&self.invariant);
        known.into_iter().any(|known| is_subset(known, cube))
    }

    fn add(&mut self, level: usize, cube: Cube) {
        for known in &mut self.levels.cubes[1..=level] {
            known.retain(|known| !is_subset(&cube, known));
        }
        for &bit in &cube {
            self.activity[(bit >> 1) as usize] += 1;
        }
        self.questions.exclude(Some(level), &cube);
        self.levels.cubes[level].push(cube);
    }

    /// Propagates the cubes of a frame to the next. Returns true if all could be, so that the next
    /// frame is an inductive invariant.
    fn move_up(&mut self, level: usize) -> Result<bool, Stop> {
        for cube in self.levels.cubes[level].clone() {
            // Subsumed cubes are gone.
            if self.levels.cubes[level].contains(&cube)
                && let Blocked::Yes(_) = self.questions.blocked(level, &cube)?
            {
                self.add(level + 1, cube);
            }
        }
        self.levels.moving += 1;
        let is_invariant = self.levels.cubes[level].is_empty();
        if is_invariant {
            for cube in std::mem::take(&mut self.levels).cubes.into_iter().skip(level).flatten() {
                self.questions.exclude(None, &cube);
                self.invariant.push(cube);
            }
        }
        Ok(is_invariant)
    }
}

/// Subset test on sorted slices.
fn is_subset(a: &[u32], b: &[u32]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|bit| rest.any(|other| other == bit))
}
