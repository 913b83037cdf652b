//! Forward search: the states at each distance from the start.

use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ConstraintKind, VarId, VarKind};

use crate::answer::{Proof, Start, Stats, Why};
use crate::code::encode;
use crate::explicit::failure;
use trapline_budget::Progress;

use super::manager::{Bdd, Var};
use super::system::System;

/// Smaller sets are not worth simplifying.
const WORTH: usize = 200;

/// A state, as the literals of its bits.
pub type Literals = Vec<(Var, bool)>;

/// A way through states, with the inputs that are known of each step.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// The states, each with literals of the inputs of the step that leaves it.
    pub states: Vec<Literals>,
    /// Where the last step leads back to, if it does.
    pub loop_start: Option<usize>,
}

/// A search.
pub struct RingSearch<'s, 'm, 'b> {
    /// What is searched.
    pub system: &'s System<'m, 'b>,
    /// Where it starts.
    pub start: &'s Start,
    /// The states at each distance.
    pub rings: Vec<Bdd>,
    /// All of them.
    pub reached: Bdd,
    /// Have all states been reached?
    pub is_complete: bool,
    /// The steps of a search back that showed that nothing more of what is looked for can be
    /// reached.
    pub n_back: Option<u64>,
    frontier: Bdd,
}

impl<'s, 'm, 'b> RingSearch<'s, 'm, 'b> {
    /// The start of a search.
    ///
    /// # Errors
    /// When the budget runs out, or something has no value in an initial state.
    pub fn new(
        system: &'s System<'m, 'b>,
        start: &'s Start,
    ) -> Result<RingSearch<'s, 'm, 'b>, Why> {
        let manager = &system.manager;
        let first = match start {
            Start::Initial if system.initial_fails => {
                let kinds = (AssignKind::Init, ConstraintKind::Init);
                return Err(failure::in_rules(system.model, Trace::default(), kinds));
            }
            Start::Initial => system.initial.clone(),
            Start::States(states) => {
                let mut all = manager.constant(false);
                for state in states {
                    all = manager.or(&all, &system.only(&given(system, state))?)?;
                }
                all
            }
        };
        Ok(RingSearch {
            system,
            start,
            rings: if first.is_false() { Vec::new() } else { vec![first.clone()] },
            reached: first.clone(),
            is_complete: first.is_false(),
            n_back: None,
            frontier: first,
        })
    }

    /// Finds the next ring. Is there one?
    ///
    /// # Errors
    /// When the budget runs out, or something has no value in a state.
    pub fn step(&mut self) -> Result<bool, Why> {
        if self.is_complete {
            return Ok(false);
        }
        self.must_not_fail()?;
        let manager = &self.system.manager;
        let image = self.system.image(&self.frontier)?;
        let ring = manager.minus(&image, &self.reached)?;
        if ring.is_false() {
            self.is_complete = true;
            return Ok(false);
        }
        self.frontier = if manager.is_small(&ring, WORTH) {
            ring.clone()
        } else {
            // States that were reached before may come back, if that makes the set simpler.
            let simple = manager.restrict(&ring, &self.reached.negated())?;
            if manager.size(&simple) < manager.size(&ring) { simple } else { ring.clone() }
        };
        self.reached = manager.or(&self.reached, &ring)?;
        self.rings.push(ring);
        manager.tidy()?;
        Ok(true)
    }

    /// Says how far the search is.
    pub fn note(&self, n_open: usize) {
        let depth = self.rings.len() as u64;
        // Counting is not free.
        let n_states = match depth % 64 {
            0 => u64::try_from(self.system.count(&self.reached)).unwrap_or(u64::MAX),
            _ => self.system.budget.progress().n_states,
        };
        self.system.budget.note(Progress { phase: "searching", depth, n_states, n_open });
    }

    /// What the search took.
    pub fn stats(&self) -> Stats {
        Stats {
            n_states: self.system.count(&self.reached),
            n_steps: 0,
            depth: self.rings.len().saturating_sub(1) as u64,
        }
    }

    /// How what no reachable state violates was proved.
    pub fn proof(&self) -> Proof {
        match (self.rings.is_empty(), self.n_back) {
            (true, _) => Proof::NoInitialState,
            (false, Some(n_steps)) => Proof::Backward { n_steps },
            (false, None) => Proof::AllStates { n_states: self.system.count(&self.reached) },
        }
    }

    fn must_not_fail(&self) -> Result<(), Why> {
        let (Some(failing), Some(ring)) = (&self.system.failing, self.rings.last()) else {
            return Ok(());
        };
        let states = self.system.manager.and(failing, ring)?;
        if states.is_false() {
            return Ok(());
        }
        let way = self.way_to(self.rings.len() - 1, &states)?;
        let kinds = (AssignKind::Next, ConstraintKind::Trans);
        Err(failure::in_rules(self.system.model, self.trace(&way)?, kinds))
    }

    /// A shortest way to a state of a set that lies in a ring.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn way_to(&self, ring: usize, set: &Bdd) -> Result<Way, Why> {
        let mut states = vec![self.system.pick(set)];
        for before in self.rings[..ring].iter().rev() {
            let Some(last) = states.last() else { break };
            let next = self.system.next_only(last)?;
            let steps = self.system.manager.and(before, &next)?;
            let set = self.system.relation.before(&self.system.manager, &steps)?;
            states.push(self.system.pick(&set));
        }
        states.reverse();
        Ok(Way { states, loop_start: None })
    }

    /// The trace along a way.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace(&self, way: &Way) -> Result<Trace, Why> {
        trace(self.system, self.start, way)
    }
}

/// The trace along a way.
///
/// # Errors
/// When it can't be found with reasonable work.
pub fn trace(system: &System, start: &Start, way: &Way) -> Result<Trace, Why> {
    let n_bits = system.state_bits.len();
    let mut known = Vec::new();
    for (idx, state) in way.states.iter().enumerate() {
        let next = way.states.get(idx + 1).or(way.loop_start.map(|start| &way.states[start]));
        let mut literals = state.clone();
        let has_inputs = state.len() > n_bits || system.roles.inputs.is_empty();
        if let Some(next) = next.filter(|_| !has_inputs) {
            literals.extend(system.inputs(state, &next[..n_bits], None)?);
        }
        known.push(system.known(&literals));
    }
    let first = match start {
        Start::Initial => None,
        Start::States(states) => {
            let literals = &way.states[0][..n_bits];
            states.iter().find(|state| given(system, state) == literals)
        }
    };
    system.completer()?.trace(first, &known, way.loop_start)
}

/// The literals of a state that is given.
fn given(system: &System, state: &State) -> Literals {
    let is_state = |var: &VarId| system.model.var(*var).kind != VarKind::Input;
    let mut literals = Vec::new();
    for (var, field) in system.fields.iter().filter(|(var, _)| is_state(var)) {
        let number = state.get(*var).and_then(|value| encode(value).ok()).unwrap_or(0);
        literals.extend(field.literals(number));
    }
    let place = |var: Var| system.state_bits.iter().position(|&bit| bit == var);
    literals.sort_by_key(|&(var, _)| place(var));
    literals
}
