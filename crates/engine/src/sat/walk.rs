//! Random walks through a circuit, 64 at a time.
//!
//! What a walk meets can be reached, so that nobody need look for a proof that it can't. And what
//! it meets after as many steps as any path needs, as the bounded search knows when it has come so
//! far, is reached by a shortest path.

use fastrand::Rng;

use crate::answer::Why;
use crate::budget::Budget;

use super::aig::{Bit, Gate, value};
use super::circuit::Circuit;
use super::search::Board;
use super::unroll::Found;

/// Steps of a walk.
const N_STEPS: usize = 40;
/// Walks one after the other, at most.
const N_WALKS: u64 = 32;
/// How often the bits of a step are drawn again where the model does not allow them.
const N_TRIES: usize = 4;

/// Gates of a walk in a unit of work, with all tries.
const GATES: u64 = 16;

/// Where a goal was met after the fewest steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The number of steps.
    pub step: usize,
    walk: u64,
    lane: u32,
}

/// Notes which open goals some walks meet.
///
/// # Errors
/// When the budget runs out.
pub fn walk(circuit: &Circuit, board: &mut Board, budget: &Budget) -> Result<(), Why> {
    // For a few goals a few will do.
    let n_walks = (board.n_open() as u64 / 16).clamp(1, N_WALKS);
    for walk in 0..n_walks {
        let mut walker = Walker::new(circuit, walk);
        walker.start();
        for step in 0..N_STEPS {
            budget.spend(circuit.aig.n_gates() as u64 / GATES)?;
            walker.draw();
            for goal in 0..board.goals.len() {
                let lanes = walker.of(board.goals[goal].bit) & walker.alive;
                if lanes != 0 && board.met[goal].is_none_or(|met| met.step > step) {
                    board.met[goal] = Some(Met { step, walk, lane: lanes.trailing_zeros() });
                }
            }
            if !walker.step() {
                break;
            }
        }
    }
    Ok(())
}

/// The paths to where goals were met after the same number of steps.
pub fn paths(circuit: &Circuit, mets: &[Met]) -> Vec<Found> {
    let mut found: Vec<Option<Found>> = vec![None; mets.len()];
    for walk in 0..N_WALKS {
        let here: Vec<usize> = (0..mets.len()).filter(|&idx| mets[idx].walk == walk).collect();
        let Some(&some) = here.first() else { continue };
        let mut walker = Walker::new(circuit, walk);
        walker.start();
        let mut steps = Vec::new();
        for step in 0..=mets[some].step {
            walker.draw();
            steps.push(walker.inputs.clone());
            if step < mets[some].step {
                walker.step();
            }
        }
        for idx in here {
            let bit = |bits: &u64| bits >> mets[idx].lane & 1 == 1;
            let first = walker.first.iter().map(bit).collect();
            let steps = steps.iter().map(|step| step.iter().map(bit).collect()).collect();
            found[idx] = Some(Found::from_start(first, steps));
        }
    }
    found.into_iter().flatten().collect()
}

/// 64 walks.
struct Walker<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    rng: Rng,
    /// The bits that decide what the first states are, one for each walk.
    first: Vec<u64>,
    /// The bits of the states.
    state: Vec<u64>,
    /// The bits of the steps.
    inputs: Vec<u64>,
    /// The walks that have not come to an end.
    alive: u64,
    given: Vec<u64>,
    values: Vec<u64>,
}

impl<'c, 'm, 'b> Walker<'c, 'm, 'b> {
    fn new(circuit: &'c Circuit<'m, 'b>, seed: u64) -> Walker<'c, 'm, 'b> {
        Walker {
            circuit,
            rng: Rng::with_seed(seed),
            first: vec![0; circuit.choices.len()],
            state: vec![0; circuit.latches.len()],
            inputs: vec![0; circuit.inputs.len()],
            alive: 0,
            given: vec![0; circuit.aig.n_inputs()],
            values: Vec::new(),
        }
    }

    fn set(&mut self, input: Bit, lanes: u64) {
        if let Gate::Input(number) = self.circuit.aig.gate(input.node()) {
            self.given[number as usize] = lanes;
        }
    }

    fn of(&self, bit: Bit) -> u64 {
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
        }
    }

    /// Draws the bits of a step until the model allows it, if it does at all.
    fn draw(&mut self) {
        let circuit = self.circuit;
        let mut allowed = 0;
        for _ in 0..N_TRIES {
            for idx in 0..self.inputs.len() {
                let lanes = self.rng.u64(..);
                self.inputs[idx] = self.inputs[idx] & allowed | lanes & !allowed;
            }
            self.look();
            allowed = self.of(circuit.steps);
        }
    }

    fn look(&mut self) {
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
    }

    /// Takes the step. Is any walk left?
    fn step(&mut self) -> bool {
        self.alive &= self.of(self.circuit.steps);
        for (idx, latch) in self.circuit.latches.iter().enumerate() {
            self.state[idx] = value(&self.values, latch.next);
        }
        self.alive != 0
    }
}
