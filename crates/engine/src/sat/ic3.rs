//! Proofs that goals can't be reached, without unrolling (Bradley, *SAT-based model checking
//! without unrolling*; Eén, Mishchenko and Brayton, *Efficient implementation of property
//! directed reachability*).
//!
//! Level `i` is a set of states that contains all that can be reached in `i` steps, as a list of
//! cubes that can't be. A state that leads to a goal is shown to be out of reach step by step
//! back towards the start; what is learnt on the way holds for all goals alike, so they share
//! the levels. When two levels are equal, they are an invariant.
//!
//! A state that was found stands for all that go the same way with the same bits of the step.
//! That is sound because the next state is a function of both ([`super::circuit`]), and because
//! whether the model allows the step is asked together with where it leads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::answer::Why;
use crate::budget::Budget;

use super::circuit::Circuit;
use super::cnf::Cnf;
use super::search::Board;
use super::solver::{Lit, Solver, Stop};

/// Members of a cube that are tried in vain before it is left as it is.
const MAX_FAILURES: usize = 12;
/// Clauses that are used once pile up; after so many, the solver is made anew.
const MAX_SPENT: usize = 1500;

/// A set of states: the bits that are the same in all of them, as twice the number of the latch,
/// plus 1 where it is false. In ascending order.
pub type Cube = Vec<u32>;

/// What came of a turn.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Nothing that others need to know.
    More,
    /// A goal can be reached.
    Reached(usize),
    /// None of the open goals can be reached: these states can't be.
    Proved(Vec<Cube>),
}

/// A state that leads to a goal, and is to be shown out of reach within a number of steps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Obligation {
    level: Reverse<usize>,
    cube: Cube,
    goal: usize,
}

/// Can no step lead into a cube?
enum Blocked {
    /// None can; these members of the cube show it.
    Yes(Cube),
    /// The step of this state can.
    No(Vec<bool>, Vec<bool>),
}

/// One of the solvers with the literals of the circuit.
struct Wired<S> {
    cnf: Cnf<S>,
    now: Vec<Lit>,
    next: Vec<Lit>,
    inputs: Vec<Lit>,
    steps: Lit,
    /// Clauses that were used once.
    n_spent: usize,
}

impl<'b, S: Solver<'b>> Wired<S> {
    fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Wired<S>, Why> {
        let mut cnf = Cnf::new(S::new(budget));
        let mut lits = |bits: &mut dyn Iterator<Item = super::aig::Bit>| -> Result<Vec<Lit>, Why> {
            bits.map(|bit| cnf.lit(&circuit.aig, bit)).collect()
        };
        let now = lits(&mut circuit.latches.iter().map(|latch| latch.now))?;
        let next = lits(&mut circuit.latches.iter().map(|latch| latch.next))?;
        let inputs = lits(&mut circuit.inputs.iter().copied())?;
        let steps = cnf.lit(&circuit.aig, circuit.steps)?;
        Ok(Wired { cnf, now, next, inputs, steps, n_spent: 0 })
    }

    /// The literals of a cube, in the state or in the next one.
    fn lits<'c>(lits: &'c [Lit], cube: &'c [u32]) -> impl Iterator<Item = Lit> + 'c {
        cube.iter().map(|&bit| lits[(bit >> 1) as usize].negated_if(bit & 1 == 1))
    }

    /// A clause that holds as long as the literal that is returned is assumed.
    fn once(&mut self, clause: impl Iterator<Item = Lit>) -> Lit {
        let once = self.cnf.solver.add_var();
        let clause: Vec<Lit> = [!once].into_iter().chain(clause).collect();
        self.cnf.solver.add_clause(&clause);
        self.n_spent += 1;
        once
    }

    fn forget(&mut self, once: Lit) {
        self.cnf.solver.add_clause(&[!once]);
    }
}

/// The search for a proof.
pub struct Ic3<'b, S> {
    budget: &'b Budget<'b>,
    main: Wired<S>,
    lift: Wired<S>,
    /// The first states, for the question whether a cube meets them.
    first: Cnf<S>,
    first_bits: Vec<Lit>,
    /// What each level adds to those above it, with the literal that switches it on. Level 0
    /// has none: it is the first states.
    levels: Vec<Vec<Cube>>,
    switches: Vec<Lit>,
    /// How often a bit occurs in cubes.
    activity: Vec<u32>,
    /// The goals that were open, and the literal that asks for one of them.
    bad: Option<(Vec<usize>, Lit)>,
    until: u64,
}

impl<'b, S: Solver<'b>> Ic3<'b, S> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit<'_, 'b>, budget: &'b Budget<'b>) -> Result<Ic3<'b, S>, Why> {
        let mut first = Cnf::new(S::new(budget));
        let mut first_bits = Vec::new();
        for latch in &circuit.latches {
            first_bits.push(first.lit(&circuit.aig, latch.first)?);
        }
        let starts = first.lit(&circuit.aig, circuit.starts)?;
        first.solver.add_clause(&[starts]);
        let mut ic3 = Ic3 {
            budget,
            main: Wired::new(circuit, budget)?,
            lift: Wired::new(circuit, budget)?,
            first,
            first_bits,
            levels: vec![Vec::new(), Vec::new()],
            switches: Vec::new(),
            activity: vec![0; circuit.latches.len()],
            bad: None,
            until: u64::MAX,
        };
        ic3.wire(circuit)?;
        Ok(ic3)
    }

    /// Tells a new main solver what is known.
    fn wire(&mut self, circuit: &Circuit) -> Result<(), Why> {
        let Wired { cnf, now, .. } = &mut self.main;
        let is_state = cnf.lit(&circuit.aig, circuit.is_state)?;
        cnf.solver.add_clause(&[is_state]);
        let start = cnf.solver.add_var();
        for (latch, &now) in circuit.latches.iter().zip(&*now) {
            let first = cnf.lit(&circuit.aig, latch.first)?;
            cnf.solver.add_clause(&[!start, !now, first]);
            cnf.solver.add_clause(&[!start, now, !first]);
        }
        let starts = cnf.lit(&circuit.aig, circuit.starts)?;
        cnf.solver.add_clause(&[!start, starts]);
        self.switches = vec![start];
        for level in 1..self.levels.len() {
            self.add_switch();
            for cube in std::mem::take(&mut self.levels[level]) {
                self.exclude(level, &cube);
                self.levels[level].push(cube);
            }
        }
        self.bad = None;
        Ok(())
    }

    /// A level is contained in the one above it.
    fn add_switch(&mut self) {
        let solver = &mut self.main.cnf.solver;
        let switch = solver.add_var();
        if let Some(&below) = self.switches.last() {
            solver.add_clause(&[!below, switch]);
        }
        self.switches.push(switch);
    }

    /// Makes the solvers anew if they have too much that is not needed.
    fn renew(&mut self, circuit: &Circuit) -> Result<(), Why> {
        if self.lift.n_spent > MAX_SPENT {
            self.lift = Wired::new(circuit, self.budget)?;
            self.allow(self.until);
        }
        if self.main.n_spent > MAX_SPENT {
            self.main = Wired::new(circuit, self.budget)?;
            self.wire(circuit)?;
            self.allow(self.until);
        }
        Ok(())
    }

    /// Pauses when so much work is counted in the budget.
    pub fn allow(&mut self, until: u64) {
        self.until = until;
        for solver in [&mut self.main.cnf.solver, &mut self.lift.cnf.solver, &mut self.first.solver]
        {
            solver.allow(until);
        }
    }

    fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Goes on a little.
    ///
    /// # Errors
    /// When the budget runs out or the search is paused; then it may be called again.
    pub fn advance(&mut self, circuit: &Circuit, board: &Board) -> Result<Progress, Stop> {
        self.renew(circuit)?;
        let open = board.unproved();
        let Some((goal, cube)) = self.find_bad(circuit, board, &open)? else {
            self.levels.push(Vec::new());
            self.add_switch();
            return match self.propagate()? {
                Some(invariant) => Ok(Progress::Proved(invariant)),
                None => Ok(Progress::More),
            };
        };
        if self.meets_start(&cube)? {
            return Ok(Progress::Reached(goal));
        }
        self.block(circuit, Obligation { level: Reverse(self.top()), cube, goal })
    }

    /// States of the last level that meet a goal.
    fn find_bad(
        &mut self,
        circuit: &Circuit,
        board: &Board,
        open: &[usize],
    ) -> Result<Option<(usize, Cube)>, Stop> {
        if self.bad.as_ref().is_none_or(|(known, _)| known != open) {
            let mut clause = Vec::new();
            for &goal in open {
                clause.push(self.main.cnf.lit(&circuit.aig, board.goals[goal].bit)?);
            }
            if let Some((_, old)) = self.bad.take() {
                self.main.forget(old);
            }
            let once = self.main.once(clause.into_iter());
            self.bad = Some((open.to_vec(), once));
        }
        let Some((_, bad)) = self.bad else { unreachable!("it was just made") };
        let top = self.top();
        let assumptions = [bad, self.switches[top]];
        if !self.main.cnf.solver.solve(&assumptions)? {
            return Ok(None);
        }
        let mut found = None;
        for &goal in open {
            let lit = self.main.cnf.lit(&circuit.aig, board.goals[goal].bit)?;
            if self.main.cnf.solver.value(lit) {
                found = Some(goal);
                break;
            }
        }
        let Some(goal) = found else { unreachable!("one of the goals is met") };
        let (state, step) = self.example();
        let met = self.lift.cnf.lit(&circuit.aig, board.goals[goal].bit)?;
        let cube = self.lifted(&state, &step, vec![!met])?;
        Ok(Some((goal, cube)))
    }

    /// The state and the step that the main solver found, as bits.
    fn example(&self) -> (Vec<bool>, Vec<bool>) {
        let of = |lits: &[Lit]| lits.iter().map(|&lit| self.main.cnf.solver.value(lit)).collect();
        (of(&self.main.now), of(&self.main.inputs))
    }

    /// All states from which the step leads to the same end as from this one; `not` is the clause
    /// that says that it does not.
    fn lifted(&mut self, state: &[bool], step: &[bool], not: Vec<Lit>) -> Result<Cube, Stop> {
        let lift = &mut self.lift;
        let once = lift.once(not.into_iter());
        let set = |lits: &[Lit], values: &[bool]| -> Vec<Lit> {
            lits.iter().zip(values).map(|(lit, &value)| lit.negated_if(!value)).collect()
        };
        let now = set(&lift.now, state);
        let assumptions: Vec<Lit> =
            [once].into_iter().chain(set(&lift.inputs, step)).chain(now.iter().copied()).collect();
        let answer = lift.cnf.solver.solve(&assumptions);
        let cube = match answer {
            Ok(false) => {
                let bits = now.iter().zip(state).enumerate();
                let bits = bits.filter(|(_, (lit, _))| lift.cnf.solver.is_in_core(**lit));
                Ok(bits.map(|(idx, (_, &value))| (idx as u32) << 1 | u32::from(!value)).collect())
            }
            Ok(true) => unreachable!("a step leads to two states"),
            Err(stop) => Err(stop),
        };
        lift.forget(once);
        cube
    }

    fn meets_start(&mut self, cube: &[u32]) -> Result<bool, Stop> {
        let assumptions: Vec<Lit> = Wired::<S>::lits(&self.first_bits, cube).collect();
        self.first.solver.solve(&assumptions)
    }

    /// Shows that a state that leads to a goal is out of reach, with all that lead there, unless
    /// one of them is a first state.
    fn block(&mut self, circuit: &Circuit, first: Obligation) -> Result<Progress, Stop> {
        let mut queue = BinaryHeap::from([first]);
        while let Some(obligation) = queue.pop() {
            self.renew(circuit)?;
            let Obligation { level: Reverse(level), cube, goal } = &obligation;
            let (level, goal) = (*level, *goal);
            if self.is_excluded(level, cube) {
                if level < self.top() {
                    queue.push(Obligation { level: Reverse(level + 1), ..obligation });
                }
                continue;
            }
            let (state, step) = match self.blocked(level - 1, cube, true)? {
                Blocked::No(state, step) => (state, step),
                Blocked::Yes(core) => {
                    let cube = self.generalise(level, cube, core)?;
                    let level = self.rise(level, &cube)?;
                    self.add(level, cube);
                    if level < self.top() {
                        queue.push(Obligation { level: Reverse(level + 1), ..obligation });
                    }
                    continue;
                }
            };
            let not = Wired::<S>::lits(&self.lift.next, cube).map(|lit| !lit);
            let not: Vec<Lit> = [!self.lift.steps].into_iter().chain(not).collect();
            let before = self.lifted(&state, &step, not)?;
            if level == 1 || self.meets_start(&before)? {
                return Ok(Progress::Reached(goal));
            }
            queue.push(obligation);
            let level = Reverse(level - 1);
            queue.push(Obligation { level, cube: before, goal });
        }
        Ok(Progress::More)
    }

    /// The highest level from which no step leads into a cube, plus one.
    fn rise(&mut self, mut level: usize, cube: &[u32]) -> Result<usize, Stop> {
        while level < self.top() && matches!(self.blocked(level, cube, true)?, Blocked::Yes(_)) {
            level += 1;
        }
        Ok(level)
    }

    /// Can no step from a level lead into a cube? From outside the cube only, if asked for.
    fn blocked(&mut self, level: usize, cube: &[u32], from_outside: bool) -> Result<Blocked, Stop> {
        let main = &mut self.main;
        let mut assumptions = vec![self.switches[level], main.steps];
        let once = from_outside.then(|| {
            let outside: Vec<Lit> = Wired::<S>::lits(&main.now, cube).map(|lit| !lit).collect();
            main.once(outside.into_iter())
        });
        assumptions.extend(once);
        let next: Vec<Lit> = Wired::<S>::lits(&main.next, cube).collect();
        assumptions.extend(&next);
        let answer = main.cnf.solver.solve(&assumptions);
        let result = answer.map(|can_be| match can_be {
            true => {
                let (state, step) = self.example();
                Blocked::No(state, step)
            }
            false => {
                let members = cube.iter().zip(&next);
                let is_used = |lit: Lit| self.main.cnf.solver.is_in_core(lit);
                let members = members.filter(|(_, lit)| is_used(**lit));
                Blocked::Yes(members.map(|(&bit, _)| bit).collect())
            }
        });
        if let Some(once) = once {
            self.main.forget(once);
        }
        result
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
            let is_apart = !self.meets_start(&smaller)?;
            match self.blocked_if(is_apart, level - 1, &smaller)? {
                Some(core) => cube = self.apart(&smaller, core)?,
                None => n_failures += 1,
            }
        }
        Ok(cube)
    }

    fn blocked_if(
        &mut self,
        is_apart: bool,
        level: usize,
        cube: &[u32],
    ) -> Result<Option<Cube>, Stop> {
        Ok(match is_apart {
            true => match self.blocked(level, cube, true)? {
                Blocked::Yes(core) => Some(core),
                Blocked::No(..) => None,
            },
            false => None,
        })
    }

    /// Members that show that a cube can't be reached, with so many others that it has no first
    /// state.
    fn apart(&mut self, whole: &[u32], core: Cube) -> Result<Cube, Stop> {
        if !self.meets_start(&core)? {
            return Ok(core);
        }
        // The whole has none; which members show it?
        if self.meets_start(whole)? {
            unreachable!("a cube with a first state was to be excluded");
        }
        let mut cube = core;
        for &bit in whole {
            let lit = self.first_bits[(bit >> 1) as usize].negated_if(bit & 1 == 1);
            if self.first.solver.is_in_core(lit) {
                cube.push(bit);
            }
        }
        cube.sort_unstable();
        cube.dedup();
        Ok(cube)
    }

    /// Is a cube part of one that a level excludes?
    fn is_excluded(&self, level: usize, cube: &[u32]) -> bool {
        self.levels[level..].iter().flatten().any(|known| is_subset(known, cube))
    }

    fn exclude(&mut self, level: usize, cube: &[u32]) {
        let switches = &self.switches;
        let main = &mut self.main;
        let mut clause: Vec<Lit> = Wired::<S>::lits(&main.now, cube).map(|lit| !lit).collect();
        clause.push(!switches[level]);
        main.cnf.solver.add_clause(&clause);
    }

    fn add(&mut self, level: usize, cube: Cube) {
        for known in &mut self.levels[1..=level] {
            known.retain(|known| !is_subset(&cube, known));
        }
        for &bit in &cube {
            self.activity[(bit >> 1) as usize] += 1;
        }
        self.exclude(level, &cube);
        self.levels[level].push(cube);
    }

    /// Moves cubes up as far as they can go. Two levels that are equal then are an invariant.
    fn propagate(&mut self) -> Result<Option<Vec<Cube>>, Stop> {
        // A level has what those above it have.
        for level in 1..self.top() {
            for cube in self.levels[level].clone() {
                if let Blocked::Yes(_) = self.blocked(level, &cube, false)? {
                    self.add(level + 1, cube);
                }
            }
            if self.levels[level].is_empty() {
                return Ok(Some(self.levels[level + 1..].concat()));
            }
        }
        Ok(None)
    }
}

/// Has the second all members of the first? Both are in order.
fn is_subset(a: &[u32], b: &[u32]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|bit| rest.any(|other| other == bit))
}
