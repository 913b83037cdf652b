//! Random walks through a circuit, 64 at a time.
//!
//! What a walk meets can be reached, so that nobody need look for a proof that it can't. The path
//! itself is of no use: shorter ones are found later.

use fastrand::Rng;

use crate::answer::Why;
use crate::budget::Budget;

use super::aig::{Bit, Gate, value};
use super::circuit::Circuit;
use super::search::Board;

/// Steps of a walk.
const N_STEPS: usize = 200;
/// Walks one after the other.
const N_WALKS: u64 = 4;
/// How often the bits of a step are drawn again where the model does not allow them.
const N_TRIES: usize = 4;

/// Gates of a walk in a unit of work, with all tries.
const GATES: u64 = 16;

/// Notes which open goals some walks meet.
///
/// # Errors
/// When the budget runs out.
pub fn walk(circuit: &Circuit, board: &mut Board, budget: &Budget) -> Result<(), Why> {
    for walk in 0..N_WALKS {
        let mut walker = Walker::new(circuit, walk);
        walker.start();
        for _ in 0..N_STEPS {
            budget.spend(circuit.aig.n_gates() as u64 / GATES)?;
            walker.draw();
            for goal in 0..board.goals.len() {
                let lanes = walker.of(board.goals[goal].bit) & walker.alive;
                board.is_reachable[goal] |= lanes != 0;
            }
            if !walker.step() {
                break;
            }
        }
    }
    Ok(())
}

/// 64 walks.
struct Walker<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    rng: Rng,
    /// The bits of the states, one for each walk.
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
            for &choice in &circuit.choices {
                let lanes = self.rng.u64(..);
                self.set(choice, lanes);
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
