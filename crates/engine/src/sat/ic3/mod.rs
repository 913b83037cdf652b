//! Proofs that goals can't be reached, without unrolling (Bradley, *SAT-based model checking
//! without unrolling*; Eén, Mishchenko and Brayton, *Efficient implementation of property
//! directed reachability*).
//!
//! Level `i` is a set of states that contains all that can be reached in `i` steps, as a list of
//! cubes that can't be. A state that leads to a goal is shown to be out of reach step by step
//! back towards the start. When two levels are equal, they are an invariant.
//!
//! Each goal has levels of its own, and they take turns: those of a goal that is far away, or
//! hard, say nothing that helps the others. What is found to be an invariant holds for all.
//!
//! A state that was found stands for all that go the same way with the same bits of the step.
//! That is sound because the next state is a function of both ([`super::circuit`]), and because
//! whether the model allows the step is asked together with where it leads.
//!
//! Questions are about the bits that matter only ([`super::local`]). A yes may therefore be one
//! about states that other clauses exclude; then more is excluded than was necessary, which does
//! no harm, and that a goal is reached is never said unless the whole path is known.

mod questions;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::answer::Why;
use trapline_budget::Budget;

use super::circuit::Circuit;
use super::search::Board;
use super::solver::{Lit, Stop};
use super::unroll::Found;
use questions::{Blocked, Example, Questions};

/// Members of a cube that are tried in vain before it is left as it is.
const MAX_FAILURES: usize = 20;

/// The work of the first turn of a goal.
const FIRST_TURN: u64 = 10_000;

/// So much longer is the turn of one goal than those of all together.
const LONG: u64 = 2;

/// A set of states: the bits that are the same in all of them, as twice the number of the latch,
/// plus 1 where it is false. In ascending order.
pub type Cube = Vec<u32>;

/// The literals of a cube among those of all latches.
pub fn members<'c>(lits: &'c [Lit], cube: &'c [u32]) -> impl Iterator<Item = Lit> + 'c {
    cube.iter().map(|&bit| lits[(bit >> 1) as usize].negated_if(bit & 1 == 1))
}

/// What came of a turn.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Nothing that others need to know.
    More,
    /// A goal can be reached on this path.
    Reached(usize, Found),
    /// A goal can't be reached: the invariant excludes it.
    Proved(usize),
}

/// A state that leads to a goal: the bits that matter, the step that it takes, and where to.
struct Way {
    example: Example,
    to: Option<usize>,
}

/// How far the search for a goal is.
#[derive(Default)]
struct Levels {
    /// What each level adds to those above it. Level 0 has none: it is the first states.
    cubes: Vec<Vec<Cube>>,
    /// The level whose cubes are to move up next. On the last level the goal is to be asked for.
    moving: usize,
}

impl Levels {
    fn top(&self) -> usize {
        self.cubes.len() - 1
    }
}

/// The search for a proof.
pub struct Ic3<'b> {
    budget: &'b Budget<'b>,
    questions: Questions<'b>,
    /// The states that are known to be out of reach.
    pub invariant: Vec<Cube>,
    /// The goals that wait for their turn, with what is known of each.
    waiting: VecDeque<(usize, Levels)>,
    /// The goal whose turn it is, and the work at which it ends.
    goal: Option<usize>,
    levels: Levels,
    end: u64,
    until: u64,
    /// The work of a turn, and how many of this length are left.
    turn: u64,
    n_turns: usize,
    /// Does one goal have a longer turn?
    is_long_turn: bool,
    /// How often a bit occurs in cubes.
    activity: Vec<u32>,
}

impl<'b> Ic3<'b> {
    /// Nothing is known yet of the goals that are open.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        circuit: &Circuit<'_, 'b>,
        board: &Board,
        budget: &'b Budget<'b>,
    ) -> Result<Ic3<'b>, Why> {
        let waiting: VecDeque<(usize, Levels)> =
            board.unproved().into_iter().rev().map(|goal| (goal, Levels::default())).collect();
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

    /// Pauses when so much work is counted in the budget.
    pub fn allow(&mut self, until: u64) {
        self.until = until;
    }

    /// Goes on a little.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn advance(&mut self, circuit: &Circuit, board: &Board) -> Result<Progress, Stop> {
        let is_over = self.budget.work() >= self.end;
        let goal = self.goal.filter(|&goal| board.is_unproved(goal) && !is_over);
        let Some(goal) = goal.or_else(|| self.change(board)) else { return Ok(Progress::More) };
        self.questions.allow(self.until.min(self.end));
        match self.pursue(circuit, board, goal) {
            Err(Stop::Pause) if self.budget.work() < self.until => Ok(Progress::More),
            result => result,
        }
    }

    fn pursue(&mut self, circuit: &Circuit, board: &Board, goal: usize) -> Result<Progress, Stop> {
        let bit = board.goals[goal].bit;
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

    /// The next goal. Each has a turn, and then one of them has a turn that is longer than those of
    /// all others: what proves one often proves many.
    fn change(&mut self, board: &Board) -> Option<usize> {
        let levels = std::mem::take(&mut self.levels);
        if let Some(goal) = self.goal.take() {
            match self.is_long_turn {
                true => self.waiting.push_front((goal, levels)),
                false => self.waiting.push_back((goal, levels)),
            }
        }
        self.waiting.retain(|(goal, _)| board.is_unproved(*goal));
        // Who is decided leaves the rest of a long turn to the next.
        if !self.is_long_turn || self.budget.work() >= self.end {
            self.begin_turn();
        }
        // No proof counts without the guard.
        let is_guard = |(goal, _): &(usize, Levels)| board.guard == Some(*goal);
        let guard = self.waiting.iter().position(is_guard).filter(|_| self.is_long_turn);
        let (goal, levels) = self.waiting.remove(guard.unwrap_or(0))?;
        // Who is alone need not stop.
        if self.waiting.is_empty() {
            self.end = u64::MAX;
        }
        self.questions.set_levels(&levels.cubes);
        self.levels = levels;
        self.goal = Some(goal);
        self.goal
    }

    /// What kind of turn it is now, and when it ends.
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

    /// Shows that a state that leads to a goal is out of reach, with all that lead there, unless
    /// one of them is a first state.
    fn block(&mut self, goal: usize, bad: Example) -> Result<Progress, Stop> {
        let mut ways = vec![Way { example: bad, to: None }];
        if self.questions.meets_start(&ways[0].example.state)? {
            return Ok(self.reached(goal, &ways, 0));
        }
        let mut queue = BinaryHeap::from([(Reverse(self.levels.top()), 0)]);
        while let Some((Reverse(level), way)) = queue.pop() {
            let cube = &ways[way].example.state;
            if self.is_excluded(level, cube) {
                if level < self.levels.top() {
                    queue.push((Reverse(level + 1), way));
                }
                continue;
            }
            match self.questions.blocked(level - 1, cube)? {
                Blocked::Yes(core) => {
                    let cube = self.generalise(level, cube, core)?;
                    let level = self.rise(level, &cube)?;
                    self.add(level, cube);
                    if level < self.levels.top() {
                        queue.push((Reverse(level + 1), way));
                    }
                }
                Blocked::No(example) => {
                    let example = self.questions.lift_step(example, cube)?;
                    ways.push(Way { example, to: Some(way) });
                    let before = ways.len() - 1;
                    if self.questions.meets_start(&ways[before].example.state)? {
                        return Ok(self.reached(goal, &ways, before));
                    }
                    if level == 1 {
                        unreachable!("a first state is none");
                    }
                    queue.push((Reverse(level), way));
                    queue.push((Reverse(level - 1), before));
                }
            }
        }
        Ok(Progress::More)
    }

    /// The path from a first state that was just found.
    fn reached(&self, goal: usize, ways: &[Way], from: usize) -> Progress {
        let mut steps = Vec::new();
        let mut way = Some(from);
        while let Some(idx) = way {
            steps.push(ways[idx].example.step.clone());
            way = ways[idx].to;
        }
        Progress::Reached(goal, Found::from_start(self.questions.start(), steps))
    }

    /// The highest level from which no step leads into a cube, plus one.
    fn rise(&mut self, mut level: usize, cube: &[u32]) -> Result<usize, Stop> {
        while level < self.levels.top()
            && matches!(self.questions.blocked(level, cube)?, Blocked::Yes(_))
        {
            level += 1;
        }
        Ok(level)
    }

    /// A larger cube that can't be reached either.
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

    /// Members that show that a cube can't be reached, with so many others that it has no first
    /// state.
    fn apart(&mut self, whole: &[u32], core: Cube) -> Result<Cube, Stop> {
        if !self.questions.meets_start(&core)? {
            return Ok(core);
        }
        // The whole has none; which members show it?
        if self.questions.meets_start(whole)? {
            unreachable!("a cube with a first state was to be excluded");
        }
        let mut cube = core;
        cube.extend(self.questions.apart_by(whole));
        cube.sort_unstable();
        cube.dedup();
        Ok(cube)
    }

    /// Is a cube part of one that a level excludes?
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

    /// Moves the cubes of a level up if they can go. When all of them can, what is above is an
    /// invariant: is it one?
    fn move_up(&mut self, level: usize) -> Result<bool, Stop> {
        for cube in self.levels.cubes[level].clone() {
            // What another one has replaced is gone.
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

/// Has the second all members of the first? Both are in order.
fn is_subset(a: &[u32], b: &[u32]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|bit| rest.any(|other| other == bit))
}
