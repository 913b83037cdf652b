//! Random walks through a circuit, 64 at a time.
//!
//! A walk starts in a first state, or where an earlier one met something new: a goal, more parts of
//! a goal at once than before, or a value that a variable had nowhere. So the walks come further and
//! further. What a walk meets can be
//! reached, and nobody need look for a proof that it can't. And what it meets after as many steps
//! as any path needs, as the bounded search knows when it has come so far, is reached by a
//! shortest path.

use std::ops::Range;

use fastrand::Rng;

use crate::answer::Why;
use trapline_budget::Budget;

use super::aig::{Aig, Bit, Gate, value};
use super::circuit::Circuit;
use super::search::Board;
use super::unroll::Found;

/// Steps of a walk.
const N_STEPS: usize = 40;
/// How often the bits of a step are drawn again where the model does not allow them.
const N_TRIES: usize = 4;
/// So many of the places that were found last are taken more often than others.
const N_LATEST: usize = 64;

/// So many bits of a variable are looked at together.
const N_BITS: usize = 5;

/// A goal has no more parts; their number is counted in six bits.
const MAX_PARTS: usize = 63;

/// Gates in a unit of work.
const GATES: u64 = 144;

/// Where a walk started.
#[derive(Clone, Debug)]
enum Origin {
    /// In a first state: the bits that decide what it is.
    First(Vec<bool>),
    /// Where another one met something.
    Novelty(usize),
}

/// A way to a state: the bits of the steps from where a walk started, and of the one that leaves
/// the state.
#[derive(Clone, Debug)]
struct Way {
    from: Origin,
    steps: Vec<Vec<bool>>,
}

/// Where a walk met something new.
struct Novelty {
    way: Way,
    state: Vec<bool>,
    n_steps: usize,
}

/// Where a goal was met.
#[derive(Clone, Debug)]
pub struct Met {
    /// The number of steps from a first state.
    pub n_steps: usize,
    way: Way,
}

impl Met {
    /// At the end of a path.
    pub fn at_end_of(found: Found) -> Met {
        let n_steps = found.n_states() - 1;
        let (first, steps) = found.into_parts();
        Met { n_steps, way: Way { from: Origin::First(first), steps } }
    }
}

/// How near walks came to a goal.
#[derive(Default)]
struct Near {
    /// What must be true at once to meet it.
    parts: Vec<Bit>,
    /// So much of it was.
    n_true: u32,
    place: Option<usize>,
}

/// All walks so far.
pub struct Walks {
    rng: Rng,
    places: Vec<Novelty>,
    /// For each goal.
    near: Vec<Near>,
    /// Bits of the state that stand together, and values that they had nowhere.
    unseen: Vec<(Range<usize>, u64)>,
}

impl Walks {
    /// None.
    pub fn new(circuit: &Circuit) -> Walks {
        let values = |field: Range<usize>| (0..1 << field.len()).map(move |v| (field.clone(), v));
        let unseen = circuit.fields(N_BITS).into_iter().flat_map(values).collect();
        Walks { rng: Rng::with_seed(0), places: Vec::new(), near: Vec::new(), unseen }
    }

    /// Takes some walks, and notes which open goals they meet.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn walk(
        &mut self,
        circuit: &Circuit,
        board: &mut Board,
        budget: &Budget,
    ) -> Result<(), Why> {
        for goal in &board.goals[self.near.len()..] {
            self.near.push(Near { parts: parts(&circuit.aig, goal.bit), ..Near::default() });
        }
        let open: Vec<usize> = (0..board.goals.len()).filter(|&goal| board.is_open(goal)).collect();
        let unmet = board.unproved();
        let n_parts: usize = unmet.iter().map(|&goal| self.near[goal].parts.len()).sum();
        let n_gates = (circuit.aig.n_gates() + open.len() + n_parts * 4) as u64;
        let mut walker = Walker::new(circuit, self.rng.fork());
        walker.start();
        let origins = self.origins(&unmet, &mut walker);
        let mut steps: Vec<Vec<u64>> = Vec::new();
        for _ in 0..N_STEPS {
            let n_before = walker.n_looks;
            walker.draw();
            budget.spend((walker.n_looks - n_before) * (n_gates / GATES + 1))?;
            steps.push(walker.inputs.clone());
            let before = |place: &Option<usize>| place.map_or(0, |p| self.places[p].n_steps);
            let depths = origins.iter().map(|place| before(place) + steps.len() - 1).collect();
            let here = Here { walker: &walker, origins: &origins, steps: &steps, depths };
            self.note(board, &open, &here);
            if !walker.step() {
                break;
            }
        }
        Ok(())
    }

    /// Where each of 64 walks starts: at a place, if at any.
    fn origins(&mut self, unmet: &[usize], walker: &mut Walker) -> Vec<Option<usize>> {
        let n_places = self.places.len();
        let mut origins = vec![None; 64];
        for (lane, origin) in origins.iter_mut().enumerate() {
            let latest = n_places.saturating_sub(N_LATEST);
            let place = match self.rng.u8(..8) {
                0 => None,
                _ if n_places == 0 => None,
                1 | 2 => Some(self.rng.usize(..n_places)),
                3..=5 => Some(self.rng.usize(latest..n_places)),
                _ => self.rng.choice(unmet).and_then(|&goal| self.near[goal].place),
            };
            let Some(place) = place else { continue };
            walker.put(lane, &self.places[place].state);
            *origin = Some(place);
        }
        origins
    }

    /// Notes what is new in the states that walks have come to.
    fn note(&mut self, board: &mut Board, open: &[usize], here: &Here) {
        let mut news = here.meet(board, open);
        self.unseen.retain(|(field, value)| {
            let lanes = here.lanes_with(field.clone(), *value);
            news |= lanes & lanes.wrapping_neg();
            lanes == 0
        });
        let mut nearer = Vec::new();
        for &goal in open.iter().filter(|&&goal| board.met[goal].is_none()) {
            let near = &self.near[goal];
            if let Some((lane, n_true)) = nearest(here.walker, &near.parts, near.n_true) {
                news |= 1 << lane;
                nearer.push((goal, lane, n_true));
            }
        }
        for (goal, lane, n_true) in nearer {
            let before = (news & ((1 << lane) - 1)).count_ones() as usize;
            let near = &mut self.near[goal];
            (near.n_true, near.place) = (n_true, Some(self.places.len() + before));
        }
        self.places.extend(lanes_of(news).map(|lane| here.place(lane)));
    }

    /// The path to where a goal was met.
    pub fn path(&self, met: &Met) -> Found {
        let mut steps: Vec<Vec<bool>> = met.way.steps.iter().rev().cloned().collect();
        let mut from = &met.way.from;
        loop {
            match from {
                Origin::First(first) => {
                    steps.reverse();
                    return Found::from_start(first.clone(), steps);
                }
                Origin::Novelty(place) => {
                    // The last step there leaves the place; another one was taken.
                    let way = &self.places[*place].way;
                    steps.extend(way.steps.iter().rev().skip(1).cloned());
                    from = &way.from;
                }
            }
        }
    }
}

/// Where 64 walks have come to.
struct Here<'a> {
    walker: &'a Walker<'a, 'a, 'a>,
    /// The place that each started at, if at any.
    origins: &'a [Option<usize>],
    /// The bits of all steps, among them those that leave the states.
    steps: &'a [Vec<u64>],
    /// The number of steps from a first state.
    depths: Vec<usize>,
}

impl Here<'_> {
    /// Notes the goals that are met, or met after fewer steps. The walks that meet one first.
    fn meet(&self, board: &mut Board, open: &[usize]) -> u64 {
        let mut news = 0;
        for &goal in open {
            let lanes = self.walker.of(board.goals[goal].bit) & self.walker.alive;
            if lanes == 0 {
                continue;
            }
            let lane = match &board.met[goal] {
                None => lanes_of(lanes).min_by_key(|&lane| self.depths[lane]),
                Some(met) => lanes_of(lanes).find(|&lane| self.depths[lane] < met.n_steps),
            };
            let Some(lane) = lane else { continue };
            if board.met[goal].is_none() {
                news |= 1 << lane;
            }
            board.met[goal] = Some(Met { n_steps: self.depths[lane], way: self.way(lane) });
        }
        news
    }

    /// The walks in which some bits of the state have a value.
    fn lanes_with(&self, field: Range<usize>, value: u64) -> u64 {
        let mut all = self.walker.alive;
        for (idx, &lanes) in self.walker.state[field].iter().enumerate() {
            all &= if value >> idx & 1 == 1 { lanes } else { !lanes };
        }
        all
    }

    fn way(&self, lane: usize) -> Way {
        Way {
            from: match self.origins[lane] {
                Some(place) => Origin::Novelty(place),
                None => Origin::First(lane_of(&self.walker.first, lane)),
            },
            steps: self.steps.iter().map(|step| lane_of(step, lane)).collect(),
        }
    }

    fn place(&self, lane: usize) -> Novelty {
        let state = lane_of(&self.walker.state, lane);
        Novelty { way: self.way(lane), state, n_steps: self.depths[lane] }
    }
}

/// What must be true for a bit to be.
fn parts(aig: &Aig, bit: Bit) -> Vec<Bit> {
    let (mut parts, mut todo) = (Vec::new(), vec![bit]);
    while let Some(bit) = todo.pop() {
        match aig.gate(bit.node()) {
            Gate::And(a, b) if !bit.is_inverted() && parts.len() + todo.len() < MAX_PARTS => {
                todo.extend([a, b]);
            }
            _ => parts.push(bit),
        }
    }
    parts
}

/// A walk in which more than so many of some bits are true, and how many; one with the most.
fn nearest(walker: &Walker, parts: &[Bit], n_true: u32) -> Option<(usize, u32)> {
    // The number of those that are true, in binary: a word for each digit.
    let mut sums = [0u64; 6];
    for &part in parts {
        let mut carry = walker.of(part) & walker.alive;
        for sum in &mut sums {
            if carry == 0 {
                break;
            }
            (*sum, carry) = (*sum ^ carry, *sum & carry);
        }
    }
    let (mut lanes, mut most) = (walker.alive, 0);
    for (digit, sum) in sums.iter().enumerate().rev() {
        if lanes & sum != 0 {
            lanes &= sum;
            most |= 1 << digit;
        }
    }
    (most > n_true && lanes != 0).then(|| (lanes.trailing_zeros() as usize, most))
}

/// The bits of one walk.
fn lane_of(lanes: &[u64], lane: usize) -> Vec<bool> {
    lanes.iter().map(|lanes| lanes >> lane & 1 == 1).collect()
}

/// The walks of a set.
fn lanes_of(mut lanes: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
        lanes &= lanes - 1;
        Some(lane)
    })
}

/// How often a bit of a step is set. Some things happen only if others do not for a while.
#[derive(Clone, Copy)]
enum Habit {
    Never,
    Seldom,
    Sometimes,
    Mostly,
    Always,
}

impl Habit {
    fn new(rng: &mut Rng) -> Habit {
        match rng.u8(..8) {
            0 => Habit::Never,
            1 => Habit::Seldom,
            2 => Habit::Mostly,
            3 => Habit::Always,
            _ => Habit::Sometimes,
        }
    }

    /// The bit in 64 walks.
    fn draw(self, rng: &mut Rng) -> u64 {
        let mut bits = || rng.u64(..);
        match self {
            Habit::Never => 0,
            Habit::Always => !0,
            Habit::Seldom => bits() & bits() & bits(),
            Habit::Sometimes => bits(),
            Habit::Mostly => bits() | bits() | bits(),
        }
    }
}

/// 64 walks.
pub struct Walker<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    rng: Rng,
    /// The bits that decide what the first states are, one for each walk.
    first: Vec<u64>,
    /// The bits of the states.
    pub state: Vec<u64>,
    /// The bits of the steps.
    pub inputs: Vec<u64>,
    /// How often each of them is set.
    habits: Vec<Habit>,
    /// The walks that have not come to an end.
    pub alive: u64,
    /// How often all bits were calculated.
    n_looks: u64,
    given: Vec<u64>,
    values: Vec<u64>,
}

impl<'c, 'm, 'b> Walker<'c, 'm, 'b> {
    /// None has begun.
    pub fn new(circuit: &'c Circuit<'m, 'b>, mut rng: Rng) -> Walker<'c, 'm, 'b> {
        Walker {
            circuit,
            habits: circuit.inputs.iter().map(|_| Habit::new(&mut rng)).collect(),
            rng,
            first: vec![0; circuit.choices.len()],
            state: vec![0; circuit.latches.len()],
            inputs: vec![0; circuit.inputs.len()],
            alive: 0,
            n_looks: 0,
            given: vec![0; circuit.aig.n_inputs()],
            values: Vec::new(),
        }
    }

    fn set(&mut self, input: Bit, lanes: u64) {
        if let Gate::Input(number) = self.circuit.aig.gate(input.node()) {
            self.given[number as usize] = lanes;
        }
    }

    /// A bit in each walk.
    pub fn of(&self, bit: Bit) -> u64 {
        value(&self.values, bit)
    }

    /// Draws first states.
    fn start(&mut self) {
        let circuit = self.circuit;
        for _ in 0..N_TRIES {
            for (idx, &choice) in circuit.choices.iter().enumerate() {
                let lanes = self.rng.u64(..);
                self.first[idx] = self.first[idx] & self.alive | lanes & !self.alive;
                self.set(choice, self.first[idx]);
            }
            circuit.aig.simulate(&self.given, &mut self.values);
            let fresh = self.of(circuit.starts) & !self.alive;
            for (idx, latch) in circuit.latches.iter().enumerate() {
                self.state[idx] |= self.of(latch.first) & fresh;
            }
            self.alive |= fresh;
            if self.alive == !0 {
                break;
            }
        }
    }

    /// A walk starts in this state instead.
    pub fn put(&mut self, lane: usize, state: &[bool]) {
        for (lanes, &bit) in self.state.iter_mut().zip(state) {
            *lanes = *lanes & !(1 << lane) | u64::from(bit) << lane;
        }
        self.alive |= 1 << lane;
    }

    /// Draws the bits of a step until the model allows it, if it does at all.
    pub fn draw(&mut self) {
        let mut allowed = 0;
        for n_failures in 0..N_TRIES {
            for (lanes, habit) in self.inputs.iter_mut().zip(&self.habits) {
                let habit = if n_failures > 0 { Habit::Sometimes } else { *habit };
                *lanes = *lanes & allowed | habit.draw(&mut self.rng) & !allowed;
            }
            self.look();
            allowed = self.of(self.circuit.steps);
            if allowed & self.alive == self.alive {
                break;
            }
        }
    }

    /// Calculates all bits of the states and steps.
    pub fn look(&mut self) {
        let circuit = self.circuit;
        for idx in 0..self.state.len() {
            let lanes = self.state[idx];
            self.set(circuit.latches[idx].now, lanes);
        }
        for idx in 0..self.inputs.len() {
            let lanes = self.inputs[idx];
            self.set(circuit.inputs[idx], lanes);
        }
        circuit.aig.simulate(&self.given, &mut self.values);
        self.n_looks += 1;
    }

    /// Takes the step. Is any walk left?
    pub fn step(&mut self) -> bool {
        self.alive &= self.of(self.circuit.steps);
        for (idx, latch) in self.circuit.latches.iter().enumerate() {
            self.state[idx] = value(&self.values, latch.next);
        }
        self.alive != 0
    }
}
