//! The SAT queries of IC3.

use crate::answer::Why;
use trapline_budget::Budget;

use super::super::aig::Bit;
use super::super::circuit::Circuit;
use super::super::cnf::Cnf;
use super::super::local::{Local, Question};
use super::super::solver::{Lit, Solver, Stop};
use super::{Cube, members};

/// Number of obsolete frame clauses at which the solvers are cleaned up.
const MAX_GONE: usize = 2000;

/// A state and a step; don't-care bits are false.
#[derive(Clone, Debug)]
pub struct Example {
    /// The relevant literals of the state.
    pub state: Cube,
    /// The step inputs.
    pub step: Vec<bool>,
}

/// The result of a consecution query.
pub enum Blocked {
    /// No step leads into the cube; these literals are its core.
    Yes(Cube),
    /// This predecessor does.
    No(Example),
}

/// The role of a solver variable in the circuit.
#[derive(Clone, Copy)]
enum Role {
    Gate,
    Latch(u32),
    Input(u32),
}

/// A solver with the literals of a state and a step.
struct Wired<'b> {
    cnf: Cnf<Local<'b>>,
    now: Vec<Lit>,
    inputs: Vec<Lit>,
    roles: Vec<Role>,
}

impl<'b> Wired<'b> {
    fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Wired<'b>, Why> {
        let mut cnf = Cnf::new(Local::new(budget));
        let mut lits = |bits: &mut dyn Iterator<Item = Bit>| -> Result<Vec<Lit>, Why> {
            bits.map(|bit| cnf.lit(&circuit.aig, bit)).collect()
        };
        let now = lits(&mut circuit.latches.iter().map(|latch| latch.now))?;
        let inputs = lits(&mut circuit.inputs.iter().copied())?;
        let last = now.iter().chain(&inputs).map(|lit| lit.var() + 1).max().unwrap_or(0);
        let mut roles = vec![Role::Gate; last as usize];
        for (idx, lit) in now.iter().enumerate() {
            roles[lit.var() as usize] = Role::Latch(idx as u32);
        }
        for (idx, lit) in inputs.iter().enumerate() {
            roles[lit.var() as usize] = Role::Input(idx as u32);
        }
        Ok(Wired { cnf, now, inputs, roles })
    }

    /// The next state, and whether the model allows the step.
    fn next(&mut self, circuit: &Circuit) -> Result<(Vec<Lit>, Lit), Why> {
        let next = circuit.latches.iter().map(|latch| self.cnf.lit(&circuit.aig, latch.next));
        let next = next.collect::<Result<_, _>>()?;
        Ok((next, self.cnf.lit(&circuit.aig, circuit.may_step)?))
    }

    /// Adds a frame, which contains the previous ones.
    fn add_level(&mut self, levels: &[Lit]) -> Lit {
        let switch = self.cnf.solver.add_var();
        // The initial states satisfy the clauses of all other frames anyway.
        if let [_, .., below] = levels {
            self.cnf.solver.add_clause(&[!*below, switch]);
        }
        switch
    }

    fn exclude(&mut self, level: Option<Lit>, cube: &[u32]) {
        let mut clause: Vec<Lit> = members(&self.now, cube).map(|lit| !lit).collect();
        clause.extend(level.map(|level| !level));
        self.cnf.solver.add_clause(&clause);
    }

    /// Lifts a state: drops literals that are not needed for its successor; `not` is the negated
    /// target clause.
    fn lift(&mut self, example: Example, not: &[Lit]) -> Result<Example, Stop> {
        let domain = self.cnf.cone(not.iter().copied());
        let mut assumptions = Vec::new();
        for &var in &domain {
            if let Role::Input(idx) = self.role(var) {
                assumptions.push(Lit::new(var).negated_if(!example.step[idx as usize]));
            }
        }
        let n_inputs = assumptions.len();
        assumptions.extend(members(&self.now, &example.state));
        let question =
            Question { assumptions: &assumptions, clause: Some(not), domain: Some(&domain) };
        if self.cnf.solver.ask(question)? {
            unreachable!("a step leads to two states");
        }
        let bits = example.state.iter().zip(&assumptions[n_inputs..]);
        let bits = bits.filter(|(_, lit)| self.cnf.solver.is_in_core(**lit));
        let state = bits.map(|(&bit, _)| bit).collect();
        Ok(Example { state, ..example })
    }

    fn role(&self, var: u32) -> Role {
        self.roles.get(var as usize).copied().unwrap_or(Role::Gate)
    }

    /// The satisfying assignment, restricted to some variables.
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

/// The solvers of a circuit. Goals have a solver of their own: there may be thousands, and a solver
/// visits all clauses of a variable that it assigns.
pub struct Questions<'b> {
    steps: Steps<'b>,
    goals: Wired<'b>,
    lift_goals: Wired<'b>,
    first: First<'b>,
    /// Activation literals of the frames, for steps and for goals. Frame 0 is the initial states.
    levels: [Vec<Lit>; 2],
    /// Number of obsolete frame clauses.
    n_gone: usize,
}

/// The solvers for consecution queries.
struct Steps<'b> {
    main: Wired<'b>,
    next: Vec<Lit>,
    may_step: Lit,
    /// The initial-state function of each latch, and whether it is allowed.
    first: Vec<Lit>,
    starts: Lit,
    lift: Wired<'b>,
    lift_next: Vec<Lit>,
    lift_may_step: Lit,
}

/// The solver for initiation queries.
struct First<'b> {
    cnf: Cnf<Local<'b>>,
    bits: Vec<Lit>,
    choices: Vec<Lit>,
}

/// The activation variables of a frame and those above it.
fn switches(all: &[Lit], level: Option<usize>) -> impl Iterator<Item = u32> {
    all[level.unwrap_or(all.len())..].iter().map(|switch| switch.var())
}

impl<'b> Questions<'b> {
    /// Only frame 0 exists.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<Questions<'b>, Why> {
        let mut main = Wired::new(circuit, budget)?;
        let mut lift = Wired::new(circuit, budget)?;
        let mut goals = Wired::new(circuit, budget)?;
        let (next, may_step) = main.next(circuit)?;
        let (lift_next, lift_may_step) = lift.next(circuit)?;
        let mut levels = Vec::new();
        for wired in [&mut main, &mut goals] {
            let is_state = wired.cnf.lit(&circuit.aig, circuit.is_state)?;
            wired.cnf.solver.add_clause(&[is_state]);
            levels.push(wired.cnf.solver.add_var());
        }
        let [start, goals_start] = levels[..] else { unreachable!("two solvers have two") };
        let cnf = &mut main.cnf;
        let mut first = Vec::new();
        for (latch, &now) in circuit.latches.iter().zip(&main.now) {
            let bit = cnf.lit(&circuit.aig, latch.first)?;
            cnf.solver.add_clause(&[!start, !now, bit]);
            cnf.solver.add_clause(&[!start, now, !bit]);
            first.push(bit);
        }
        let starts = cnf.lit(&circuit.aig, circuit.starts)?;
        cnf.solver.add_clause(&[!start, starts]);
        Ok(Questions {
            n_gone: 0,
            steps: Steps { main, next, may_step, first, starts, lift, lift_next, lift_may_step },
            goals,
            lift_goals: Wired::new(circuit, budget)?,
            first: First::new(circuit, budget)?,
            levels: [vec![start], vec![goals_start]],
        })
    }

    /// Adds a frame, which contains the previous ones.
    pub fn add_level(&mut self) {
        for (wired, levels) in
            [&mut self.steps.main, &mut self.goals].into_iter().zip(&mut self.levels)
        {
            let level = wired.add_level(levels);
            levels.push(level);
        }
    }

    /// Replaces all frames by these.
    pub fn set_levels(&mut self, levels: &[Vec<Cube>]) {
        for (wired, switches) in
            [&mut self.steps.main, &mut self.goals].into_iter().zip(&mut self.levels)
        {
            for switch in switches.drain(1..) {
                wired.cnf.solver.add_clause(&[!switch]);
            }
            if self.n_gone > MAX_GONE {
                wired.cnf.solver.clean_up();
            }
        }
        if self.n_gone > MAX_GONE {
            self.n_gone = 0;
        }
        for (level, cubes) in levels.iter().enumerate().skip(1) {
            self.add_level();
            cubes.iter().for_each(|cube| self.exclude(Some(level), cube));
        }
    }

    /// Blocks a cube in a frame, or in all of them.
    pub fn exclude(&mut self, level: Option<usize>, cube: &[u32]) {
        self.n_gone += usize::from(level.is_some());
        for (wired, levels) in [&mut self.steps.main, &mut self.goals].into_iter().zip(&self.levels)
        {
            wired.exclude(level.map(|level| levels[level]), cube);
        }
    }

    /// Pauses once this much work is charged to the budget.
    pub fn allow(&mut self, until: u64) {
        let Steps { main, lift, .. } = &mut self.steps;
        for wired in [main, lift, &mut self.goals, &mut self.lift_goals] {
            wired.cnf.solver.allow(until);
        }
        self.first.cnf.solver.allow(until);
    }

    /// Finds a state in a frame, or in the invariant alone, that makes a bit of the circuit true,
    /// lifted to a cube.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn find(
        &mut self,
        circuit: &Circuit,
        level: Option<usize>,
        bit: Bit,
    ) -> Result<Option<Example>, Stop> {
        let goals = &mut self.goals;
        let met = goals.cnf.lit(&circuit.aig, bit)?;
        let mut domain = goals.cnf.cone([met]);
        domain.extend(switches(&self.levels[1], level));
        let mut assumptions = vec![met];
        assumptions.extend(level.map(|level| self.levels[1][level]));
        let question = Question { assumptions: &assumptions, clause: None, domain: Some(&domain) };
        if !goals.cnf.solver.ask(question)? {
            return Ok(None);
        }
        let example = goals.example(&domain);
        let met = self.lift_goals.cnf.lit(&circuit.aig, bit)?;
        self.lift_goals.lift(example, &[!met]).map(Some)
    }

    /// Consecution: decides whether a step from the frame leads into the cube, from outside of it
    /// if its states are not blocked yet.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn blocked(&mut self, level: usize, cube: &[u32]) -> Result<Blocked, Stop> {
        let Steps { main, next, may_step, first, starts, .. } = &mut self.steps;
        let outside: Vec<Lit> = members(&main.now, cube).map(|lit| !lit).collect();
        let next: Vec<Lit> = members(next, cube).collect();
        let roots = next.iter().chain(&outside).copied().chain([*may_step]);
        let mut domain = main.cnf.cone(roots);
        if level == 0 {
            let bits = domain.iter().filter_map(|&var| match main.role(var) {
                Role::Latch(idx) => Some(first[idx as usize]),
                _ => None,
            });
            let bits: Vec<Lit> = bits.chain([*starts]).collect();
            domain = main.cnf.cone(domain.iter().map(|&var| Lit::new(var)).chain(bits));
        }
        domain.extend(switches(&self.levels[0], Some(level)));
        let mut assumptions = vec![self.levels[0][level], *may_step];
        assumptions.extend(&next);
        let question =
            Question { assumptions: &assumptions, clause: Some(&outside), domain: Some(&domain) };
        if main.cnf.solver.ask(question)? {
            return Ok(Blocked::No(main.example(&domain)));
        }
        let used = cube.iter().zip(&next).filter(|(_, lit)| main.cnf.solver.is_in_core(**lit));
        Ok(Blocked::Yes(used.map(|(&bit, _)| bit).collect()))
    }

    /// Lifts a predecessor of a cube.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn lift_step(&mut self, example: Example, cube: &[u32]) -> Result<Example, Stop> {
        let Steps { lift, lift_next, lift_may_step, .. } = &mut self.steps;
        let not = members(lift_next, cube).map(|lit| !lit);
        let not: Vec<Lit> = [!*lift_may_step].into_iter().chain(not).collect();
        lift.lift(example, &not)
    }

    /// Initiation: true if the cube contains an initial state.
    ///
    /// # Errors
    /// When the budget runs out or the question is paused.
    pub fn meets_start(&mut self, cube: &[u32]) -> Result<bool, Stop> {
        let assumptions: Vec<Lit> = members(&self.first.bits, cube).collect();
        self.first.cnf.solver.solve(&assumptions)
    }

    /// After UNSAT: the literals of the cube in the core.
    pub fn apart_by(&self, cube: &[u32]) -> Cube {
        let members = cube.iter().zip(members(&self.first.bits, cube));
        let used = members.filter(|(_, lit)| self.first.cnf.solver.is_in_core(*lit));
        used.map(|(&bit, _)| bit).collect()
    }

    /// After SAT: the inputs that select the initial state.
    pub fn start(&self) -> Vec<bool> {
        let First { cnf, choices, .. } = &self.first;
        choices.iter().map(|&choice| cnf.solver.value(choice)).collect()
    }
}

impl<'b> First<'b> {
    fn new(circuit: &Circuit, budget: &'b Budget<'b>) -> Result<First<'b>, Why> {
        let mut cnf = Cnf::new(Local::new(budget));
        let starts = cnf.lit(&circuit.aig, circuit.starts)?;
        cnf.solver.add_clause(&[starts]);
        let firsts = circuit.latches.iter().map(|latch| cnf.lit(&circuit.aig, latch.first));
        let bits = firsts.collect::<Result<_, _>>()?;
        let choices = circuit.choices.iter().map(|&choice| cnf.lit(&circuit.aig, choice));
        let choices = choices.collect::<Result<_, _>>()?;
        Ok(First { cnf, bits, choices })
    }
}
