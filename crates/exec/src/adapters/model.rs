//! A model as the implementation, its choices made at random.

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::Why;
use trapline_engine::possible::{
    Exchange, Explicit, Inputs, Outputs, Possible, StateList, without_value,
};
use trapline_model::Model;
use trapline_model::trace::State;

use super::{Answer, Breakdown, Connection, Implementation, Shown};

/// One of so many choices is taken; if there are more, one of the first.
const MAX_CHOICES: usize = 500;

pub(super) fn open<'b>(
    connection: &Connection,
    model: &'b Model,
    budget: &'b Budget<'b>,
) -> Result<Box<dyn Implementation + 'b>, Breakdown> {
    Ok(Box::new(Simulated::new(model, connection.seed, budget)))
}

/// A model that answers. It refuses inputs with which it has no step, and can't go on where its rules
/// have no value.
pub struct Simulated<'m, 'b> {
    states: Explicit<'m, 'b>,
    seed: u64,
    rng: Rng,
    /// The state; several, if they differ only in inputs that are still to be sent.
    now: Vec<State>,
    /// Did it not answer because a limit was reached, or because choices have no bounds?
    pub is_lost: bool,
}

impl<'m, 'b> Simulated<'m, 'b> {
    /// Prepares a model.
    pub fn new(model: &'m Model, seed: u64, budget: &'b Budget<'b>) -> Simulated<'m, 'b> {
        let (states, rng) = (Explicit::new(model, budget), Rng::with_seed(seed));
        Simulated { states, seed, rng, now: Vec::new(), is_lost: false }
    }

    fn take(&mut self, found: Result<Vec<State>, Why>) -> Result<Answer, Breakdown> {
        let choices = match found {
            Ok(choices) => choices,
            Err(why) if why == without_value() => return Ok(Answer::Error(why.to_string())),
            Err(why) => {
                self.is_lost = true;
                return Err(Breakdown::Lost(why.to_string()));
            }
        };
        if choices.is_empty() {
            return Ok(Answer::Refused("the model has no step with this input".into()));
        }
        let state = choices[self.rng.usize(..choices.len())].clone();
        let outputs = self.states.ports().shown(&state);
        let ports = self.states.ports();
        let unsent: Vec<usize> = (ports.inputs.iter().filter(|var| ports.leaves_state(**var)))
            .map(|var| var.0 as usize)
            .collect();
        let is_same = |other: &State| {
            let values = other.values.iter().zip(&state.values).enumerate();
            let mut seen = values.filter(|(idx, _)| !unsent.contains(idx));
            seen.all(|(_, (other, value))| other == value)
        };
        self.now = choices.into_iter().filter(is_same).collect();
        Ok(Answer::Shown(Shown { inputs: Inputs::new(), outputs, extra: Vec::new() }))
    }
}

impl Implementation for Simulated<'_, '_> {
    fn prepare(&mut self, test: usize, repeat: usize) {
        let own = (repeat as u64) << 32 | test as u64;
        self.rng.seed(self.seed.wrapping_add(own));
    }

    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let found = self.states.starts(&exchange, MAX_CHOICES);
        self.take(found.map(|found| found.list))
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let set = StateList { states: self.now.clone() };
        let found = self.states.edges(&set, &exchange, MAX_CHOICES);
        self.take(found.map(|found| found.list.into_iter().map(|edge| edge.next).collect()))
    }
}
