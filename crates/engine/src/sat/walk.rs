//! Random walks through a circuit, 64 at a time.
//!
//! A walk starts in an initial state, or where an earlier one met something new: a goal, more
//! conjuncts of a goal at once than before, or a new value of a variable. So the walks get further
//! and further. A goal met by a walk is reachable and needs no proof attempt. And if it is met at
//! the depth that the bounded search has completed, the path is shortest.

use std::ops::Range;

use fastrand::Rng;

use crate::answer::Why;
use trapline_budget::Budget;

use super::aig::{Aig, Bit, Gate, value};
use super::circuit::Circuit;
use super::search::Knowledge;
use super::unroll::Found;

/// Length of a walk.
const N_STEPS: usize = 40;
/// Attempts to draw step inputs that the model allows.
const N_TRIES: usize = 4;
/// This many of the most recent novelties are preferred as starting points.
const N_LATEST: usize = 64;

/// Bits of a variable that are grouped for novelty.
const N_BITS: usize = 5;

/// Maximum number of conjuncts of a goal; they are counted in six bits.
const MAX_PARTS: usize = 63;

/// Gates per unit of work.
const GATES: u64 = 144;

/// Where a walk started.
#[derive(Clone, Debug)]
enum Origin {
    /// In an initial state: the inputs that select it.
    First(Vec<bool>),
    /// Where another walk met something new.
    Novelty(usize),
}

/// A path to a state: the step inputs since the origin, and those of the step that leaves the
/// state.
#[derive(Clone, Debug)]
struct Segment {
    from: Origin,
    steps: Vec<Vec<bool>>,
}

/// Where a walk met something new.
struct Novelty {
    segment: Segment,
    state: Vec<bool>,
    n_steps: usize,
}

/// Where a goal was met.
#[derive(Clone, Debug)]
pub struct Met {
    /// The number of steps from an initial state.
    pub n_steps: usize,
    segment: Segment,
}

impl Met {
    /// At the end of a path.
    pub fn at_end_of(found: Found) -> Met {
        let n_steps = found.n_states() - 1;
        let (first, steps) = found.into_parts();
        Met { n_steps, segment: Segment { from: Origin::First(first), steps } }
    }
}

/// How close walks came to a goal.
#[derive(Default)]
struct Proximity {
    /// Its conjuncts.
    parts: Vec<Bit>,
    /// The most that were true at once.
    n_true: u32,
    novelty: Option<usize>,
}

/// All walks so far.
pub struct Walks {
    rng: Rng,
    novelties: Vec<Novelty>,
    /// One per goal.
    near: Vec<Proximity>,
    /// Groups of state bits, with the values not seen yet.
    unseen: Vec<(Range<usize>, u64)>,
}

impl Walks {
    /// None.
    pub fn new(circuit: &Circuit) -> Walks {
        let values = |field: Range<usize>| (0..1 << field.len()).map(move |v| (field.clone(), v));
        let unseen = circuit.fields(N_BITS).into_iter().flat_map(values).collect();
        Walks { rng: Rng::with_seed(0), novelties: Vec::new(), near: Vec::new(), unseen }
    }

    /// Runs some walks, and records which open goals they meet.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn walk(
        &mut self,
        circuit: &Circuit,
        knowledge: &mut Knowledge,
        budget: &Budget,
    ) -> Result<(), Why> {
        for goal in &knowledge.goals[self.near.len()..] {
            self.near
                .push(Proximity { parts: parts(&circuit.aig, goal.bit), ..Proximity::default() });
        }
        let open: Vec<usize> =
            (0..knowledge.goals.len()).filter(|&goal| knowledge.is_open(goal)).collect();
        let unmet = knowledge.unproved();
        let n_parts: usize = unmet.iter().map(|&goal| self.near[goal].parts.len()).sum();
        let n_gates = (circuit.aig.n_gates() + open.len() + n_parts * 4) as u64;
        let mut walker = Walker::new(circuit, self.rng.fork());
        walker.start();
        let origins = self.origins(&unmet, &mut walker);
        let mut steps: Vec<Vec<u64>> = Vec::new();
        for _ in 0..N_STEPS {
            let n_before = walker.n_evaluations;
            walker.draw();
            budget.spend((walker.n_evaluations - n_before) * (n_gates / GATES + 1))?;
            steps.push(walker.inputs.clone());
            let before = |novelty: &Option<usize>| novelty.map_or(0, |p| self.novelties[p].n_steps);
            let depths = origins.iter().map(|novelty| before(novelty) + steps.len() - 1).collect();
            let here = Here { walker: &walker, origins: &origins, steps: &steps, depths };
            self.note(knowledge, &open, &here);
            if !walker.step() {
                break;
            }
        }
        Ok(())
    }

    /// The starting points of 64 walks: a novelty each, if any.
    fn origins(&mut self, unmet: &[usize], walker: &mut Walker) -> Vec<Option<usize>> {
        let n_novelties = self.novelties.len();
        let mut origins = vec![None; 64];
        for (lane, origin) in origins.iter_mut().enumerate() {
            let latest = n_novelties.saturating_sub(N_LATEST);
            let novelty = match self.rng.u8(..8) {
                0 => None,
                _ if n_novelties == 0 => None,
                1 | 2 => Some(self.rng.usize(..n_novelties)),
                3..=5 => Some(self.rng.usize(latest..n_novelties)),
                _ => self.rng.choice(unmet).and_then(|&goal| self.near[goal].novelty),
            };
            let Some(novelty) = novelty else { continue };
            walker.put(lane, &self.novelties[novelty].state);
            *origin = Some(novelty);
        }
        origins
    }

    /// Records what is new in the current states.
    fn note(&mut self, knowledge: &mut Knowledge, open: &[usize], here: &Here) {
        let mut news = here.meet(knowledge, open);
        self.unseen.retain(|(field, value)| {
            let lanes = here.lanes_with(field.clone(), *value);
            news |= lanes & lanes.wrapping_neg();
            lanes == 0
        });
        let mut nearer = Vec::new();
        for &goal in open.iter().filter(|&&goal| knowledge.met[goal].is_none()) {
            let near = &self.near[goal];
            if let Some((lane, n_true)) = nearest(here.walker, &near.parts, near.n_true) {
                news |= 1 << lane;
                nearer.push((goal, lane, n_true));
            }
        }
        for (goal, lane, n_true) in nearer {
            let before = (news & ((1 << lane) - 1)).count_ones() as usize;
            let near = &mut self.near[goal];
            (near.n_true, near.novelty) = (n_true, Some(self.novelties.len() + before));
        }
        self.novelties.extend(lanes_of(news).map(|lane| here.novelty(lane)));
    }

    /// The path to where a goal was met.
    pub fn path(&self, met: &Met) -> Found {
        let mut steps: Vec<Vec<bool>> = met.segment.steps.iter().rev().cloned().collect();
        let mut from = &met.segment.from;
        loop {
            match from {
                Origin::First(first) => {
                    steps.reverse();
                    return Found::from_start(first.clone(), steps);
                }
                Origin::Novelty(novelty) => {
                    // The last step stored there leaves the novelty; a different one was taken.
                    let segment = &self.novelties[*novelty].segment;
                    steps.extend(segment.steps.iter().rev().skip(1).cloned());
                    from = &segment.from;
                }
            }
        }
    }
}

/// The current position of 64 walks.
struct Here<'a> {
    walker: &'a Walker<'a, 'a, 'a>,
    /// The novelty that each started from, if any.
    origins: &'a [Option<usize>],
    /// The inputs of all steps, including those that leave the current states.
    steps: &'a [Vec<u64>],
    /// The number of steps from an initial state.
    depths: Vec<usize>,
}

impl Here<'_> {
    /// Records the goals that are met, or met after fewer steps. Returns the walks that meet one
    /// first.
    fn meet(&self, knowledge: &mut Knowledge, open: &[usize]) -> u64 {
        let mut news = 0;
        for &goal in open {
            let lanes = self.walker.of(knowledge.goals[goal].bit) & self.walker.alive;
            if lanes == 0 {
                continue;
            }
            let lane = match &knowledge.met[goal] {
                None => lanes_of(lanes).min_by_key(|&lane| self.depths[lane]),
                Some(met) => lanes_of(lanes).find(|&lane| self.depths[lane] < met.n_steps),
            };
            let Some(lane) = lane else { continue };
            if knowledge.met[goal].is_none() {
                news |= 1 << lane;
            }
            knowledge.met[goal] =
                Some(Met { n_steps: self.depths[lane], segment: self.segment(lane) });
        }
        news
    }

    /// The walks in which some state bits have a value.
    fn lanes_with(&self, field: Range<usize>, value: u64) -> u64 {
        let mut all = self.walker.alive;
        for (idx, &lanes) in self.walker.state[field].iter().enumerate() {
            all &= if value >> idx & 1 == 1 { lanes } else { !lanes };
        }
        all
    }

    fn segment(&self, lane: usize) -> Segment {
        Segment {
            from: match self.origins[lane] {
                Some(novelty) => Origin::Novelty(novelty),
                None => Origin::First(lane_of(&self.walker.first, lane)),
            },
            steps: self.steps.iter().map(|step| lane_of(step, lane)).collect(),
        }
    }

    fn novelty(&self, lane: usize) -> Novelty {
        let state = lane_of(&self.walker.state, lane);
        Novelty { segment: self.segment(lane), state, n_steps: self.depths[lane] }
    }
}

/// The conjuncts of a bit.
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

/// A walk with the most true bits, and their number, if it exceeds a bound.
fn nearest(walker: &Walker, parts: &[Bit], n_true: u32) -> Option<(usize, u32)> {
    // Bit-sliced counters: one word per binary digit.
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

/// The bias of a step input. Some events need others to be absent for a while.
#[derive(Clone, Copy)]
enum Bias {
    Never,
    Seldom,
    Sometimes,
    Mostly,
    Always,
}

impl Bias {
    fn new(rng: &mut Rng) -> Bias {
        match rng.u8(..8) {
            0 => Bias::Never,
            1 => Bias::Seldom,
            2 => Bias::Mostly,
            3 => Bias::Always,
            _ => Bias::Sometimes,
        }
    }

    /// The bit in 64 walks.
    fn draw(self, rng: &mut Rng) -> u64 {
        let mut bits = || rng.u64(..);
        match self {
            Bias::Never => 0,
            Bias::Always => !0,
            Bias::Seldom => bits() & bits() & bits(),
            Bias::Sometimes => bits(),
            Bias::Mostly => bits() | bits() | bits(),
        }
    }
}

/// 64 walks.
pub struct Walker<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    rng: Rng,
    /// The inputs that select the initial states.
    first: Vec<u64>,
    /// The bits of the states.
    pub state: Vec<u64>,
    /// The step inputs.
    pub inputs: Vec<u64>,
    /// The bias of each step input.
    biases: Vec<Bias>,
    /// The walks that have not deadlocked.
    pub alive: u64,
    /// Number of evaluations.
    n_evaluations: u64,
    given: Vec<u64>,
    values: Vec<u64>,
}

impl<'c, 'm, 'b> Walker<'c, 'm, 'b> {
    /// None has begun.
    pub fn new(circuit: &'c Circuit<'m, 'b>, mut rng: Rng) -> Walker<'c, 'm, 'b> {
        Walker {
            circuit,
            biases: circuit.inputs.iter().map(|_| Bias::new(&mut rng)).collect(),
            rng,
            first: vec![0; circuit.choices.len()],
            state: vec![0; circuit.latches.len()],
            inputs: vec![0; circuit.inputs.len()],
            alive: 0,
            n_evaluations: 0,
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

    /// Draws initial states.
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

    /// Lets a walk start in this state instead.
    pub fn put(&mut self, lane: usize, state: &[bool]) {
        for (lanes, &bit) in self.state.iter_mut().zip(state) {
            *lanes = *lanes & !(1 << lane) | u64::from(bit) << lane;
        }
        self.alive |= 1 << lane;
    }

    /// Draws step inputs until the model allows the step, if possible.
    pub fn draw(&mut self) {
        let mut allowed = 0;
        for n_failures in 0..N_TRIES {
            for (lanes, bias) in self.inputs.iter_mut().zip(&self.biases) {
                let bias = if n_failures > 0 { Bias::Sometimes } else { *bias };
                *lanes = *lanes & allowed | bias.draw(&mut self.rng) & !allowed;
            }
            self.evaluate();
            allowed = self.of(self.circuit.steps);
            if allowed & self.alive == self.alive {
                break;
            }
        }
    }

    /// Evaluates all gates for the states and steps.
    pub fn evaluate(&mut self) {
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
        self.n_evaluations += 1;
    }

    /// Takes the step. Returns false if no walk is left.
    pub fn step(&mut self) -> bool {
        self.alive &= self.of(self.circuit.steps);
        for (idx, latch) in self.circuit.latches.iter().enumerate() {
            self.state[idx] = value(&self.values, latch.next);
        }
        self.alive != 0
    }
}
