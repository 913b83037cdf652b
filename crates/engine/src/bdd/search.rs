//! Forward reachability in onion rings: ring `k` is the set of states at distance `k`.

use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ConstraintKind, VarId, VarKind};

use crate::answer::{Proof, Start, Stats, Why};
use crate::code::encode;
use crate::explicit::failure;
use trapline_budget::Progress;

use super::manager::{Bdd, Var};
use super::system::System;

/// Smaller frontiers are not worth simplifying.
const WORTH: usize = 200;

/// A state, as the literals of its bits.
pub type Literals = Vec<(Var, bool)>;

/// A path, with the known inputs of each step.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The states, each with literals of the inputs of the step that leaves it.
    pub states: Vec<Literals>,
    /// The state that the last step leads back to, for a lasso.
    pub loop_start: Option<usize>,
}

/// A forward search.
pub struct RingSearch<'s, 'm, 'b> {
    /// The system searched.
    pub system: &'s System<'m, 'b>,
    /// The initial states.
    pub start: &'s Start,
    /// The states at each distance, one ring per distance.
    pub rings: Vec<Bdd>,
    /// The union of the rings.
    pub reached: Bdd,
    /// True at the fixpoint.
    pub is_complete: bool,
    /// The number of preimages after which a backward search proved all open targets unreachable.
    pub n_back: Option<u64>,
    frontier: Bdd,
}

impl<'s, 'm, 'b> RingSearch<'s, 'm, 'b> {
    /// A search at ring 0.
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
                    all = manager.or(&all, &system.only(&literals_of(system, state))?)?;
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

    /// Computes the next ring. Returns false at the fixpoint.
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
            // The frontier may include states reached before, if that makes its diagram smaller.
            let simple = manager.restrict(&ring, &self.reached.negated())?;
            if manager.size(&simple) < manager.size(&ring) { simple } else { ring.clone() }
        };
        self.reached = manager.or(&self.reached, &ring)?;
        self.rings.push(ring);
        manager.tidy()?;
        Ok(true)
    }

    /// Reports progress.
    pub fn note(&self, n_open: usize) {
        let depth = self.rings.len() as u64;
        // Counting states is costly.
        let n_states = match depth % 64 {
            0 => u64::try_from(self.system.count(&self.reached)).unwrap_or(u64::MAX),
            _ => self.system.budget.progress().n_states,
        };
        self.system.budget.note(Progress {
            phase: "searching",
            depth,
            n_states,
            n_open,
            ..Progress::default()
        });
    }

    /// Statistics of the search.
    pub fn stats(&self) -> Stats {
        Stats {
            n_states: self.system.count(&self.reached),
            n_steps: 0,
            depth: self.rings.len().saturating_sub(1) as u64,
        }
    }

    /// The proof that no reachable state is a violation.
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
        let path = self.path_to(self.rings.len() - 1, &states)?;
        let kinds = (AssignKind::Next, ConstraintKind::Trans);
        Err(failure::in_rules(self.system.model, self.trace(&path)?, kinds))
    }

    /// A shortest path to a state of a set, which must intersect the ring.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn path_to(&self, ring: usize, set: &Bdd) -> Result<Path, Why> {
        let mut states = vec![self.system.pick(set)];
        for before in self.rings[..ring].iter().rev() {
            let Some(last) = states.last() else { break };
            let next = self.system.next_only(last)?;
            let steps = self.system.manager.and(before, &next)?;
            let set = self.system.relation.before(&self.system.manager, &steps)?;
            states.push(self.system.pick(&set));
        }
        states.reverse();
        Ok(Path { states, loop_start: None })
    }

    /// The trace of a path.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace(&self, path: &Path) -> Result<Trace, Why> {
        trace(self.system, self.start, path)
    }
}

/// The trace of a path.
///
/// # Errors
/// When it can't be found with reasonable work.
pub fn trace(system: &System, start: &Start, path: &Path) -> Result<Trace, Why> {
    let n_bits = system.state_bits.len();
    let mut known = Vec::new();
    for (idx, state) in path.states.iter().enumerate() {
        let next = path.states.get(idx + 1).or(path.loop_start.map(|start| &path.states[start]));
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
            let literals = &path.states[0][..n_bits];
            states.iter().find(|state| literals_of(system, state) == literals)
        }
    };
    system.completer()?.trace(first, &known, path.loop_start)
}

/// The literals of a given state.
fn literals_of(system: &System, state: &State) -> Literals {
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
