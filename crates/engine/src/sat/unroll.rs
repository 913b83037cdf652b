//! Unrolling: one copy of the circuit per step, in one combinational circuit.

use crate::answer::Why;
use crate::explicit::complete::Known;

use super::aig::{Aig, Bit, Copied, FALSE, TRUE, value};
use super::circuit::Circuit;
use super::cnf::Cnf;
use super::solver::{Solver, Stop};

/// Where paths start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// In the initial states.
    First,
    /// In any state, reachable or not.
    Anywhere,
}

/// Unrolled paths.
pub struct Paths<'b, S> {
    /// The gates of all steps.
    pub aig: Aig<'b>,
    /// Their clauses.
    pub cnf: Cnf<S>,
    /// The bits of each state.
    pub states: Vec<Vec<Bit>>,
    /// The inputs of each step, the last one without a next state yet.
    steps: Vec<Vec<Bit>>,
    /// The inputs that select the initial state.
    choices: Vec<Bit>,
    from: From,
    /// The first state, if it is given.
    given: Option<Vec<bool>>,
    /// The copy of the circuit for the last state.
    last: Copied,
    /// True if there is no path of this length.
    pub is_over: bool,
}

impl<'b, S: Solver<'b>> Paths<'b, S> {
    /// Paths of one state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit<'_, 'b>, from: From, solver: S) -> Result<Paths<'b, S>, Why> {
        let mut aig = Aig::new(solver.budget());
        let mut cnf = Cnf::new(solver);
        let mut choices = Vec::new();
        let mut state = Vec::new();
        let mut is_over = false;
        match from {
            From::Anywhere => {
                for _ in &circuit.latches {
                    state.push(aig.input()?);
                }
            }
            From::First => {
                let mut copied = Copied::new();
                for &choice in &circuit.choices {
                    let input = aig.input()?;
                    copied.set(choice, input);
                    choices.push(input);
                }
                let starts = copied.bit(&circuit.aig, &mut aig, circuit.starts)?;
                is_over = starts == FALSE;
                if starts != TRUE {
                    let starts = cnf.lit(&aig, starts)?;
                    cnf.solver.add_clause(&[starts]);
                }
                for latch in &circuit.latches {
                    state.push(copied.bit(&circuit.aig, &mut aig, latch.first)?);
                }
            }
        }
        let (states, steps, last) = (Vec::new(), Vec::new(), Copied::new());
        let mut paths =
            Paths { aig, cnf, states, steps, choices, from, given: None, last, is_over };
        paths.enter(circuit, state)?;
        Ok(paths)
    }

    /// Paths of one state, which is given.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn at(circuit: &Circuit<'_, 'b>, state: &[bool], solver: S) -> Result<Paths<'b, S>, Why> {
        let mut paths = Paths {
            aig: Aig::new(solver.budget()),
            cnf: Cnf::new(solver),
            states: Vec::new(),
            steps: Vec::new(),
            choices: Vec::new(),
            from: From::Anywhere,
            given: Some(state.to_vec()),
            last: Copied::new(),
            is_over: false,
        };
        paths.enter(circuit, state.iter().map(|&bit| bit.into()).collect())?;
        Ok(paths)
    }

    fn enter(&mut self, circuit: &Circuit, state: Vec<Bit>) -> Result<(), Why> {
        self.last = Copied::new();
        for (latch, &bit) in circuit.latches.iter().zip(&state) {
            self.last.set(latch.now, bit);
        }
        let mut step = Vec::new();
        for &input in &circuit.inputs {
            let bit = self.aig.input()?;
            self.last.set(input, bit);
            step.push(bit);
        }
        self.states.push(state);
        self.steps.push(step);
        Ok(())
    }

    /// Length of the paths.
    pub fn n_steps(&self) -> usize {
        self.states.len() - 1
    }

    /// A bit of the circuit in the last state, or in the step that leaves it.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn bit(&mut self, circuit: &Circuit, bit: Bit) -> Result<Bit, Why> {
        self.last.bit(&circuit.aig, &mut self.aig, bit)
    }

    /// The same, encoded so that its value on a path can be read.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn known_bit(&mut self, circuit: &Circuit, bit: Bit) -> Result<Bit, Why> {
        let bit = self.bit(circuit, bit)?;
        if bit.as_const().is_none() {
            self.cnf.lit(&self.aig, bit)?;
        }
        Ok(bit)
    }

    /// Unrolls one more step.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn extend(&mut self, circuit: &Circuit) -> Result<(), Why> {
        self.cnf.solver.budget().spend(1)?;
        let steps = self.bit(circuit, circuit.steps)?;
        self.is_over |= steps == FALSE;
        if steps != TRUE {
            let steps = self.cnf.lit(&self.aig, steps)?;
            self.cnf.solver.add_clause(&[steps]);
        }
        let mut state = Vec::new();
        for latch in &circuit.latches {
            state.push(self.bit(circuit, latch.next)?);
        }
        self.enter(circuit, state)
    }

    /// Searches for a path on which these bits are true.
    ///
    /// # Errors
    /// When the budget runs out, or the question is paused.
    pub fn ask(&mut self, bits: &[Bit]) -> Result<bool, Stop> {
        let mut assumptions = Vec::new();
        for &bit in bits {
            match bit {
                FALSE => return Ok(false),
                TRUE => {}
                bit => assumptions.push(self.cnf.lit(&self.aig, bit)?),
            }
        }
        self.cnf.solver.solve(&assumptions)
    }

    /// The values of some bits on the path found; unassigned ones are false. They must be inputs or
    /// encoded.
    fn values(&self, bits: &[Bit]) -> Vec<bool> {
        let value = |bit: &Bit| self.cnf.known(*bit).is_some_and(|l| self.cnf.solver.value(l));
        bits.iter().map(value).collect()
    }

    /// The value of a bit on the path found. It must be encoded.
    pub fn is_true(&self, bit: Bit) -> bool {
        bit.as_const().unwrap_or_else(|| self.values(&[bit])[0])
    }

    /// The path found.
    pub fn found(&self) -> Found {
        let first = match (self.from, &self.given) {
            (_, Some(given)) => given.clone(),
            (From::First, None) => self.values(&self.choices),
            (From::Anywhere, None) => self.values(&self.states[0]),
        };
        let steps = self.steps.iter().map(|step| self.values(step)).collect();
        Found { from: self.from, first, steps }
    }

    /// The same with all its states.
    pub fn example(&self, circuit: &Circuit) -> Example {
        self.found().example(circuit)
    }
}

/// A path through a circuit, by its inputs.
#[derive(Clone, Debug)]
pub struct Found {
    from: From,
    /// The inputs that select the initial state, or the given first state itself.
    first: Vec<bool>,
    /// The inputs of the step that leaves each state.
    steps: Vec<Vec<bool>>,
}

impl Found {
    /// The path from an initial state.
    pub fn from_start(first: Vec<bool>, steps: Vec<Vec<bool>>) -> Found {
        Found { from: From::First, first, steps }
    }

    /// The inputs that select the initial state, and those of each step.
    pub fn into_parts(self) -> (Vec<bool>, Vec<Vec<bool>>) {
        (self.first, self.steps)
    }

    /// A prefix of the path.
    pub fn start(&self, n_states: usize) -> Found {
        Found { steps: self.steps[..n_states].to_vec(), ..self.clone() }
    }

    /// How many states it has.
    pub fn n_states(&self) -> usize {
        self.steps.len()
    }

    /// The path with all its states, by simulation.
    pub fn example(&self, circuit: &Circuit) -> Example {
        let mut runner = Runner::new(circuit);
        let first = match self.from {
            From::First => runner.first(&self.first),
            From::Anywhere => self.first.clone(),
        };
        let mut states = vec![first];
        for step in &self.steps[..self.steps.len() - 1] {
            let last = &states[states.len() - 1];
            states.push(runner.next(last, step));
        }
        Example { states, steps: self.steps.clone() }
    }
}

/// A path through a circuit.
#[derive(Clone, Debug)]
pub struct Example {
    /// The bits of each state.
    pub states: Vec<Vec<bool>>,
    /// The inputs of the step that leaves each state.
    pub steps: Vec<Vec<bool>>,
}

impl Example {
    /// The variable values along it, with or without the step that leaves the last state.
    pub fn known(&self, circuit: &Circuit, with_last_step: bool) -> Vec<Known> {
        let last = self.states.len() - 1;
        let steps = self.steps.iter().enumerate();
        let steps = steps.map(|(idx, step)| (idx < last || with_last_step).then_some(step));
        let known = self.states.iter().zip(steps);
        known.map(|(state, step)| circuit.known(state, step.map(Vec::as_slice))).collect()
    }
}

/// Simulates a circuit.
pub struct Runner<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    inputs: Vec<u64>,
    values: Vec<u64>,
}

impl<'c, 'm, 'b> Runner<'c, 'm, 'b> {
    /// Nothing is known yet.
    pub fn new(circuit: &'c Circuit<'m, 'b>) -> Runner<'c, 'm, 'b> {
        Runner { circuit, inputs: vec![0; circuit.aig.n_inputs()], values: Vec::new() }
    }

    /// The initial state.
    pub fn first(&mut self, choices: &[bool]) -> Vec<bool> {
        let circuit = self.circuit;
        self.run(circuit.choices.iter().copied().zip(choices.iter().copied()));
        circuit.latches.iter().map(|latch| self.is_true(latch.first)).collect()
    }

    /// The next state.
    pub fn next(&mut self, state: &[bool], step: &[bool]) -> Vec<bool> {
        self.evaluate(state, step);
        self.circuit.latches.iter().map(|latch| self.is_true(latch.next)).collect()
    }

    /// Evaluates all gates for a state and a step.
    pub fn evaluate(&mut self, state: &[bool], step: &[bool]) {
        let circuit = self.circuit;
        let state = circuit.latches.iter().map(|latch| latch.now).zip(state.iter().copied());
        self.run(state.chain(circuit.inputs.iter().copied().zip(step.iter().copied())));
    }

    /// The value of a bit in the last evaluation.
    pub fn is_true(&self, bit: Bit) -> bool {
        value(&self.values, bit) & 1 == 1
    }

    fn run(&mut self, inputs: impl Iterator<Item = (Bit, bool)>) {
        for (input, value) in inputs {
            if let super::aig::Gate::Input(number) = self.circuit.aig.gate(input.node()) {
                self.inputs[number as usize] = u64::from(value);
            }
        }
        self.circuit.aig.simulate(&self.inputs, &mut self.values);
    }
}
