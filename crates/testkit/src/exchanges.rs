//! Exchange words by brute force: the states that a model may be in after what was sent and seen.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_engine::possible::{Exchange, Inputs, Outputs, Ports};
use trapline_model::roles::timings;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Timing, VarId, VarKind};

use crate::brute_force::{Explorer, Values};
use crate::{random, random_constraints, read};

/// A model, with all its states and steps, and what is sent and seen of them.
pub struct Exchanges<'m> {
    model: &'m Model,
    /// What is sent and seen.
    pub ports: Ports<'m>,
    timings: Vec<Timing>,
    /// The initial states.
    pub initial: BTreeSet<Values>,
    /// The steps from each state.
    pub steps: BTreeMap<Values, Vec<(Values, Values)>>,
}

impl<'m> Exchanges<'m> {
    /// `None` if some rule has no value somewhere.
    pub fn new(model: &'m Model) -> Option<Exchanges<'m>> {
        let explorer = Explorer::new(model);
        let initial = explorer.initial();
        let mut steps = BTreeMap::new();
        for state in explorer.states() {
            let found = explorer.successors(&state);
            found.failing.is_empty().then_some(())?;
            steps.insert(state, found.allowed.into_iter().collect());
        }
        let (ports, timings) = (Ports::new(model), timings(model));
        let initial = initial.failing.is_empty().then_some(initial.allowed)?;
        Some(Exchanges { model, ports, timings, initial, steps })
    }

    /// Is an input sent with the step that its value decides?
    pub fn is_late(&self, var: VarId) -> bool {
        self.timings[var.0 as usize] == Timing::Step
    }

    /// Does a state show these outputs?
    pub fn shows(&self, state: &Values, outputs: &Outputs) -> bool {
        let shown = self.ports.shown(&State { values: state.clone() });
        outputs.iter().all(|output| shown.contains(output))
    }

    /// Is a step one with these inputs?
    pub fn takes(&self, (current, next): &(Values, Values), inputs: &Inputs) -> bool {
        inputs.iter().all(|&(var, value)| {
            let side = if self.is_late(var) { current } else { next };
            side[var.0 as usize] == Some(value)
        })
    }

    /// The initial states that explain the first exchange.
    pub fn start(&self, exchange: &Exchange) -> BTreeSet<Values> {
        let has = |state: &&Values| {
            let early = exchange.inputs.iter().filter(|(var, _)| !self.is_late(*var));
            let mut early = early;
            early.all(|&(var, value)| state[var.0 as usize] == Some(value))
                && self.shows(state, &exchange.outputs)
        };
        self.initial.iter().filter(has).cloned().collect()
    }

    /// The states after one more exchange.
    pub fn step(&self, set: &BTreeSet<Values>, exchange: &Exchange) -> BTreeSet<Values> {
        let steps = set.iter().flat_map(|state| &self.steps[state]);
        let steps = steps.filter(|step| self.takes(step, &exchange.inputs)).map(|(_, next)| next);
        steps.filter(|next| self.shows(next, &exchange.outputs)).cloned().collect()
    }

    /// The states without the inputs that leave them, and what can be sent from each.
    pub fn offers(&self, set: &BTreeSet<Values>) -> BTreeMap<Values, BTreeSet<Inputs>> {
        let mut offers: BTreeMap<Values, BTreeSet<Inputs>> = BTreeMap::new();
        for state in set {
            let mut class = state.clone();
            for (var, declared) in self.model.var_ids() {
                if declared.kind == VarKind::State && self.is_late(var) {
                    class[var.0 as usize] = None;
                }
            }
            let offer = offers.entry(class).or_default();
            offer.extend(self.steps[state].iter().map(|step| self.inputs(step)));
        }
        offers
    }

    /// A random path, if there are any.
    pub fn walk(&self, rng: &mut Rng, n_steps: usize) -> Option<Trace> {
        let first: Vec<&Values> = self.initial.iter().collect();
        let mut state = (*first.get(rng.usize(..first.len().max(1)))?).clone();
        let mut states = Vec::new();
        for _ in 0..n_steps {
            let steps = &self.steps[&state];
            let Some((current, next)) = steps.get(rng.usize(..steps.len().max(1))) else { break };
            states.push(State { values: current.clone() });
            state = next.clone();
        }
        states.push(State { values: state });
        Some(Trace { states, loop_start: None })
    }

    /// The inputs of a step.
    ///
    /// # Panics
    /// Never: a step has all values.
    pub fn inputs(&self, (current, next): &(Values, Values)) -> Inputs {
        let inputs = self.ports.inputs.iter().copied();
        let inputs = inputs.filter(|var| self.model.var(*var).kind != VarKind::Frozen);
        let value = |var: VarId| {
            let side = if self.is_late(var) { current } else { next };
            side[var.0 as usize].expect("a step has all values")
        };
        inputs.map(|var| (var, value(var))).collect()
    }
}

/// How many valuations the variables of a model have: what brute force has to try.
pub fn n_valuations(model: &Model) -> u64 {
    let sizes = model.vars.iter().map(|var| var.domain.size().unwrap_or(u64::MAX));
    sizes.fold(1, u64::saturating_mul)
}

/// A random small model with random roles, and what made it.
pub fn random_model(seed: u64) -> (Rng, Model) {
    let mut rng = Rng::with_seed(seed);
    let options = random::Options { is_wild: false, max_states: 16 };
    let text = match seed % 2 {
        0 => random::random_model(&mut rng, options).text,
        _ => random_constraints::random_model(&mut rng).text,
    };
    let mut model = read(&text, &[]).0;
    set_roles(&mut rng, &mut model);
    (rng, model)
}

/// Gives what the model has random roles and timings.
pub fn set_roles(rng: &mut Rng, model: &mut Model) {
    const ROLES: [Role; 3] = [Role::Input, Role::Output, Role::Internal];
    for var in &mut model.vars {
        var.role = ROLES[rng.usize(..3)];
        var.timing = [None, Some(Timing::State), Some(Timing::Step)][rng.usize(..3)];
    }
    for define in &mut model.defines {
        define.role = ROLES[rng.usize(1..3)];
    }
}
