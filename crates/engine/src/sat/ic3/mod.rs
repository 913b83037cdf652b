//! Proofs that goals can't be reached, without unrolling (Bradley, *SAT-based model checking
//! without unrolling*; Eén, Mishchenko and Brayton, *Efficient implementation of property
//! directed reachability*).
//!
//! Level `i` is a set of states that contains all that can be reached in `i` steps, as a list of
//! cubes that can't be. A state that leads to a goal is shown to be out of reach step by step
//! back towards the start; what is learnt on the way holds for all goals alike, so they share
//! the levels. When two levels are equal, they are an invariant. Levels above the one that is
//! searched hold what was found to stay: so a goal need not wait for others that take longer.
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
use std::collections::BinaryHeap;

use crate::answer::Why;
use crate::budget::Budget;

use super::circuit::Circuit;
use super::search::Board;
use super::solver::Stop;
use super::unroll::Found;
use questions::{Blocked, Example, Questions};

/// Members of a cube that are tried in vain before it is left as it is.
const MAX_FAILURES: usize = 20;

/// A set of states: the bits that are the same in all of them, as twice the number of the latch,
/// plus 1 where it is false. In ascending order.
pub type Cube = Vec<u32>;

/// What came of a turn.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Nothing that others need to know.
    More,
    /// A goal can be reached on this path.
    Reached(usize, Found),
    /// These goals can't be reached.
    Proved(Vec<usize>),
}

/// A state that leads to a goal: the bits that matter, the step that it takes, and where to.
struct Way {
    example: Example,
    to: Option<usize>,
}

/// What is to be done next.
enum Next {
    /// These goals are to be asked for on the top level.
    Goals(Vec<usize>),
    /// The cubes of this level are to move up.
    Move(usize),
    /// There is a new invariant.
    Prove,
}

/// The search for a proof.
pub struct Ic3<'b> {
    questions: Questions<'b>,
    /// What each level adds to those above it. Level 0 has none: it is the first states.
    levels: Vec<Vec<Cube>>,
    /// The states that are known to be out of reach.
    pub invariant: Vec<Cube>,
    /// The goals are out of reach on levels below this one.
    top: usize,
    next: Next,
    /// How often a bit occurs in cubes.
    activity: Vec<u32>,
}

impl<'b> Ic3<'b> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit<'_, 'b>, budget: &'b Budget<'b>) -> Result<Ic3<'b>, Why> {
        Ok(Ic3 {
            questions: Questions::new(circuit, budget)?,
            levels: vec![Vec::new()],
            invariant: Vec::new(),
            top: 0,
            next: Next::Goals(Vec::new()),
            activity: vec![0; circuit.latches.len()],
        })
    }

    /// Pauses when so much work is counted in the budget.
    pub fn allow(&mut self, until: u64) {
        self.questions.allow(until);
    }

    /// Goes on a little.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn advance(&mut self, circuit: &Circuit, board: &Board) -> Result<Progress, Stop> {
        let goal = match &mut self.next {
            Next::Goals(goals) => {
                while goals.last().is_some_and(|&goal| !board.is_unproved(goal)) {
                    goals.pop();
                }
                goals.last().copied()
            }
            Next::Move(level) => {
                let level = *level;
                return self.move_up(level, board);
            }
            Next::Prove => return self.prove(circuit, board),
        };
        let Some(goal) = goal else {
            self.top += 1;
            self.ensure(self.top);
            self.next = Next::Move(1);
            return Ok(Progress::More);
        };
        match self.questions.find(circuit, Some(self.top), board.goals[goal].bit)? {
            Some(example) => self.block(goal, example),
            None => {
                if let Next::Goals(goals) = &mut self.next {
                    goals.pop();
                }
                Ok(Progress::More)
            }
        }
    }

    /// The levels up to this one are there.
    fn ensure(&mut self, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(Vec::new());
            self.questions.add_level();
        }
    }

    /// Shows that a state that leads to a goal is out of reach, with all that lead there, unless
    /// one of them is a first state.
    fn block(&mut self, goal: usize, bad: Example) -> Result<Progress, Stop> {
        let mut ways = vec![Way { example: bad, to: None }];
        if self.questions.meets_start(&ways[0].example.state)? {
            return Ok(self.reached(goal, &ways, 0));
        }
        let mut queue = BinaryHeap::from([(Reverse(self.top), 0)]);
        while let Some((Reverse(level), way)) = queue.pop() {
            let cube = &ways[way].example.state;
            if self.is_excluded(level, cube) {
                if level < self.top {
                    queue.push((Reverse(level + 1), way));
                }
                continue;
            }
            match self.questions.blocked(level - 1, cube)? {
                Blocked::Yes(core) => {
                    let cube = self.generalise(level, cube, core)?;
                    let level = self.rise(level, &cube)?;
                    self.add(level, cube);
                    if level < self.top {
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
        while level < self.top && matches!(self.questions.blocked(level, cube)?, Blocked::Yes(_)) {
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
        let known = self.levels[level..].iter().flatten().chain(&self.invariant);
        known.into_iter().any(|known| is_subset(known, cube))
    }

    fn add(&mut self, level: usize, cube: Cube) {
        self.ensure(level);
        for known in &mut self.levels[1..=level] {
            known.retain(|known| !is_subset(&cube, known));
        }
        for &bit in &cube {
            self.activity[(bit >> 1) as usize] += 1;
        }
        self.questions.exclude(Some(level), &cube);
        self.levels[level].push(cube);
    }

    /// Moves the cubes of a level up if they can go. When all of them can, what is above is an
    /// invariant.
    fn move_up(&mut self, level: usize, board: &Board) -> Result<Progress, Stop> {
        let mut has_moved = false;
        for cube in self.levels[level].clone() {
            // What another one has replaced is gone.
            if self.levels[level].contains(&cube)
                && let Blocked::Yes(_) = self.questions.blocked(level, &cube)?
            {
                self.add(level + 1, cube);
                has_moved = true;
            }
        }
        self.next = if self.top > 1 && self.levels[level].is_empty() {
            for cube in self.levels[level..].iter_mut().flat_map(std::mem::take) {
                self.questions.exclude(None, &cube);
                self.invariant.push(cube);
            }
            Next::Prove
        } else if level >= self.top && !has_moved {
            Next::Goals(board.unproved())
        } else {
            Next::Move(level + 1)
        };
        Ok(Progress::More)
    }

    /// The goals that the invariant excludes.
    fn prove(&mut self, circuit: &Circuit, board: &Board) -> Result<Progress, Stop> {
        let open = board.unproved();
        let mut proved = Vec::new();
        for &goal in &open {
            if self.questions.find(circuit, None, board.goals[goal].bit)?.is_none() {
                proved.push(goal);
            }
        }
        self.next = Next::Goals(open);
        Ok(if proved.is_empty() { Progress::More } else { Progress::Proved(proved) })
    }
}

/// Has the second all members of the first? Both are in order.
fn is_subset(a: &[u32], b: &[u32]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|bit| rest.any(|other| other == bit))
}
