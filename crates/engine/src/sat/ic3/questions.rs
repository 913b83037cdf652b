//! What IC3 asks a solver about a circuit.

use crate::answer::Why;
use crate::budget::Budget;

use super::super::aig::Bit;
use super::super::circuit::Circuit;
use super::super::cnf::Cnf;
use super::super::local::{Local, Question};
use super::super::solver::{Lit, Solver, Stop};
use super::Cube;

/// A state and a step; bits that do not matter are false.
#[derive(Clone, Debug)]
pub struct Example {
    /// The bits of the state that matter, with their values.
    pub state: Cube,
    /// The bits of the step.
    pub step: Vec<bool>,
}

/// Can no step lead into a cube?
pub enum Blocked {
    /// None can; these members of the cube show it.
    Yes(Cube),
    /// This one can.
    No(Example),
}

/// What a variable of a solver is in the circuit.
#[derive(Clone, Copy)]
enum Role {
    Gate,
    Latch(u32),
    Input(u32),
}

/// A solver with the literals of the circuit.
struct Wired<'b> {
    cnf: Cnf<Local<'b>>,
    now: Vec<Lit>,
    next: Vec<Lit>,
    inputs: Vec<Lit>,
    steps: Lit,
    roles: Vec<Role>,
}

/// The literals of a cube, in the state or in the next one.
fn members<'c>(lits: &'c [Lit], cube: &'c [u32]) -> impl Iterator<Item = Lit> + 'c {
    cube.iter().map(|&bit| lits[(bit >> 1) as usize].negated_if(bit & 1 == 1))
}

impl<'b> Wired<'b> {
    fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Wired<'b>, Why> {
        let mut cnf = Cnf::new(Local::new(budget));
        let mut lits = |bits: &mut dyn Iterator<Item = Bit>| -> Result<Vec<Lit>, Why> {
            bits.map(|bit| cnf.lit(&circuit.aig, bit)).collect()
        };
        let now = lits(&mut circuit.latches.iter().map(|latch| latch.now))?;
        let inputs = lits(&mut circuit.inputs.iter().copied())?;
        let next = lits(&mut circuit.latches.iter().map(|latch| latch.next))?;
        let steps = cnf.lit(&circuit.aig, circuit.steps)?;
        let last = now.iter().chain(&inputs).map(|lit| lit.var() + 1).max().unwrap_or(0);
        let mut roles = vec![Role::Gate; last as usize];
        for (idx, lit) in now.iter().enumerate() {
            roles[lit.var() as usize] = Role::Latch(idx as u32);
        }
        for (idx, lit) in inputs.iter().enumerate() {
            roles[lit.var() as usize] = Role::Input(idx as u32);
        }
        Ok(Wired { cnf, now, next, inputs, steps, roles })
    }

    fn role(&self, var: u32) -> Role {
        self.roles.get(var as usize).copied().unwrap_or(Role::Gate)
    }

    /// What was found, as far as some variables say it.
    fn example(&self, domain: &[u32]) -> Example {
        let mut state = Cube::new();
        let mut step = vec![false; self.inputs.len()];
        for &var in domain {
            let value = self.cnf.solver.value(Lit::new(var));
            match self.role(var) {
                Role::Gate => {}
                Role::Latch(idx) => state.push(idx << 1 | u32::from(!value)),
                Role::Input(idx) => step[idx as usize] = value,
            }
        }
        state.sort_unstable();
        Example { state, step }
    }
}

/// The solvers of a circuit.
pub struct Questions<'b> {
    main: Wired<'b>,
    lift: Wired<'b>,
    /// The first states, for the question whether a cube meets them.
    first: Cnf<Local<'b>>,
    first_bits: Vec<Lit>,
    choices: Vec<Lit>,
    /// What switches each level on. Level 0 is the first states.
    switches: Vec<Lit>,
    /// What a bit of the first states depends on, in the main solver.
    starts: Vec<Lit>,
    starts_bit: Lit,
}

impl<'b> Questions<'b> {
    /// Only the first level is there.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Questions<'b>, Why> {
        let mut first = Cnf::new(Local::new(budget));
        let mut first_bits = Vec::new();
        for latch in &circuit.latches {
            first_bits.push(first.lit(&circuit.aig, latch.first)?);
        }
        let mut choices = Vec::new();
        for &choice in &circuit.choices {
            choices.push(first.lit(&circuit.aig, choice)?);
        }
        let starts = first.lit(&circuit.aig, circuit.starts)?;
        first.solver.add_clause(&[starts]);
        let lift = Wired::new(circuit, budget)?;
        let mut main = Wired::new(circuit, budget)?;
        let cnf = &mut main.cnf;
        let is_state = cnf.lit(&circuit.aig, circuit.is_state)?;
        cnf.solver.add_clause(&[is_state]);
        let start = cnf.solver.add_var();
        let mut starts = Vec::new();
        for (latch, &now) in circuit.latches.iter().zip(&main.now) {
            let first = cnf.lit(&circuit.aig, latch.first)?;
            cnf.solver.add_clause(&[!start, !now, first]);
            cnf.solver.add_clause(&[!start, now, !first]);
            starts.push(first);
        }
        let starts_bit = cnf.lit(&circuit.aig, circuit.starts)?;
        cnf.solver.add_clause(&[!start, starts_bit]);
        let switches = vec![start];
        Ok(Questions { main, lift, first, first_bits, choices, switches, starts, starts_bit })
    }

    /// One more level. It contains those below it.
    pub fn add_level(&mut self) {
        let solver = &mut self.main.cnf.solver;
        let switch = solver.add_var();
        if let Some(&below) = self.switches.last() {
            solver.add_clause(&[!below, switch]);
        }
        self.switches.push(switch);
    }

    /// A level, or all of them, excludes a cube from now on.
    pub fn exclude(&mut self, level: Option<usize>, cube: &[u32]) {
        let main = &mut self.main;
        let mut clause: Vec<Lit> = members(&main.now, cube).map(|lit| !lit).collect();
        clause.extend(level.map(|level| !self.switches[level]));
        main.cnf.solver.add_clause(&clause);
    }

    /// Pauses when so much work is counted in the budget.
    pub fn allow(&mut self, until: u64) {
        for solver in [&mut self.main.cnf.solver, &mut self.lift.cnf.solver, &mut self.first.solver]
        {
            solver.allow(until);
        }
    }

    /// Can a bit of the circuit be true on a level, or in all states that no level excludes? The
    /// states that make it true as this one does.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn find(
        &mut self,
        circuit: &Circuit,
        level: Option<usize>,
        bit: Bit,
    ) -> Result<Option<Example>, Stop> {
        let main = &mut self.main;
        let met = main.cnf.lit(&circuit.aig, bit)?;
        let domain = main.cnf.cone([met]);
        let mut assumptions = vec![met];
        assumptions.extend(level.map(|level| self.switches[level]));
        let question =
            Question { assumptions: &assumptions, clause: None, domain: Some(&domain) };
        if !main.cnf.solver.ask(question)? {
            return Ok(None);
        }
        let example = main.example(&domain);
        let met = self.lift.cnf.lit(&circuit.aig, bit)?;
        self.lift(example, &[!met]).map(Some)
    }

    /// Can no step from a level lead into a cube? From outside of it, if its states are not
    /// excluded yet.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn blocked(&mut self, level: usize, cube: &[u32]) -> Result<Blocked, Stop> {
        let main = &mut self.main;
        let outside: Vec<Lit> = members(&main.now, cube).map(|lit| !lit).collect();
        let next: Vec<Lit> = members(&main.next, cube).collect();
        let roots = next.iter().chain(&outside).copied().chain([main.steps]);
        let mut domain = main.cnf.cone(roots);
        if level == 0 {
            let firsts: Vec<Lit> = domain
                .iter()
                .filter_map(|&var| match main.role(var) {
                    Role::Latch(idx) => Some(self.starts[idx as usize]),
                    _ => None,
                })
                .collect();
            let firsts = firsts.into_iter().chain([self.starts_bit]);
            domain = main.cnf.cone(domain.iter().map(|&var| Lit::new(var)).chain(firsts));
        }
        let mut assumptions = vec![self.switches[level], main.steps];
        assumptions.extend(&next);
        let question = Question {
            assumptions: &assumptions,
            clause: Some(&outside),
            domain: Some(&domain),
        };
        if main.cnf.solver.ask(question)? {
            return Ok(Blocked::No(main.example(&domain)));
        }
        let used = cube.iter().zip(&next).filter(|(_, lit)| main.cnf.solver.is_in_core(**lit));
        Ok(Blocked::Yes(used.map(|(&bit, _)| bit).collect()))
    }

    /// All states from which a step leads into a cube like this one.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn lift_step(&mut self, example: Example, cube: &[u32]) -> Result<Example, Stop> {
        let not = members(&self.lift.next, cube).map(|lit| !lit);
        let not: Vec<Lit> = [!self.lift.steps].into_iter().chain(not).collect();
        self.lift(example, &not)
    }

    /// Leaves out bits of a state that do not matter; `not` is the clause that says that it does
    /// not lead to the same end.
    fn lift(&mut self, example: Example, not: &[Lit]) -> Result<Example, Stop> {
        let lift = &mut self.lift;
        let domain = lift.cnf.cone(not.iter().copied());
        let mut assumptions = Vec::new();
        for &var in &domain {
            if let Role::Input(idx) = lift.role(var) {
                assumptions.push(Lit::new(var).negated_if(!example.step[idx as usize]));
            }
        }
        let n_inputs = assumptions.len();
        assumptions.extend(members(&lift.now, &example.state));
        let question =
            Question { assumptions: &assumptions, clause: Some(not), domain: Some(&domain) };
        if lift.cnf.solver.ask(question)? {
            unreachable!("a step leads to two states");
        }
        let bits = example.state.iter().zip(&assumptions[n_inputs..]);
        let bits = bits.filter(|(_, lit)| lift.cnf.solver.is_in_core(**lit));
        let state = bits.map(|(&bit, _)| bit).collect();
        Ok(Example { state, ..example })
    }

    /// Is one of the first states in a cube?
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn meets_start(&mut self, cube: &[u32]) -> Result<bool, Stop> {
        let assumptions: Vec<Lit> = members(&self.first_bits, cube).collect();
        self.first.solver.solve(&assumptions)
    }

    /// After a no: which members of a cube show that no first state is in it?
    pub fn apart_by(&self, cube: &[u32]) -> Cube {
        let is_used = |&&bit: &&u32| {
            let lit = self.first_bits[(bit >> 1) as usize].negated_if(bit & 1 == 1);
            self.first.solver.is_in_core(lit)
        };
        cube.iter().filter(is_used).copied().collect()
    }

    /// After a yes: the bits that decide what the first state is.
    pub fn start(&self) -> Vec<bool> {
        self.choices.iter().map(|&choice| self.first.solver.value(choice)).collect()
    }
}
