//! A model as the implementation, its choices made at random.

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::Why;
use trapline_engine::possible::{
    Exchange, Explicit, Inputs, Output, Outputs, Possible, StateList, without_value,
};
use trapline_model::trace::State;
use trapline_model::{Model, VarId};

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
    /// The state; several, if they differ only in inputs that are still to be sent. None before a reset.
    now: Option<Vec<State>>,
    /// Did it not answer because a limit was reached, or because choices have no bounds?
    pub is_lost: bool,
}

impl<'m, 'b> Simulated<'m, 'b> {
    /// Prepares a model.
    pub fn new(model: &'m Model, seed: u64, budget: &'b Budget<'b>) -> Simulated<'m, 'b> {
        let (states, rng) = (Explicit::new(model, budget), Rng::with_seed(seed));
        Simulated { states, seed, rng, now: None, is_lost: false }
    }

    /// Takes one of the states that an exchange may lead to.
    fn answer(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let open = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let taken = self.after(&open).and_then(|choices| self.take(inputs, &choices));
        match taken {
            Ok(Some(outputs)) => {
                Ok(Answer::Shown(Shown { inputs: Inputs::new(), outputs, extra: Vec::new() }))
            }
            Ok(None) => Ok(Answer::Refused("the model has no step with this input".into())),
            Err(why) if why == without_value() => Ok(Answer::Error(why.to_string())),
            Err(why) => {
                self.is_lost = true;
                Err(Breakdown::Lost(why.to_string()))
            }
        }
    }

    /// Takes one of these states, and returns what it shows.
    fn take(&mut self, inputs: &Inputs, choices: &[State]) -> Result<Option<Outputs>, Why> {
        let Some(state) = choices.get(self.rng.usize(..choices.len().max(1))) else {
            return Ok(None);
        };
        let ports = self.states.ports();
        // What is still to be sent may have any value that shows the same: all such states are this one.
        let values = state.values.iter().enumerate();
        let values = values.filter_map(|(idx, value)| Some((VarId(idx as u32), (*value)?)));
        let known = values.filter(|(var, _)| !ports.is_unsettled(*var));
        let outputs = ports.shown(state);
        let known = known.map(|(var, value)| (Output::Var(var), value));
        let known = known.chain(outputs.iter().copied()).collect();
        self.now = Some(self.after(&Exchange { inputs: inputs.clone(), outputs: known })?);
        Ok(Some(outputs))
    }

    /// The states that an exchange may lead to, or some of them if there are many.
    fn after(&self, exchange: &Exchange) -> Result<Vec<State>, Why> {
        match &self.now {
            None => Ok(self.states.starts(exchange, MAX_CHOICES)?.list),
            Some(now) => {
                let set = StateList { states: now.clone() };
                let edges = self.states.edges(&set, exchange, MAX_CHOICES)?.list;
                Ok(edges.into_iter().map(|edge| edge.next).collect())
            }
        }
    }
}

impl Implementation for Simulated<'_, '_> {
    fn prepare(&mut self, test: usize, repeat: usize) {
        let own = (repeat as u64) << 32 | test as u64;
        self.rng.seed(self.seed.wrapping_add(own));
    }

    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.now = None;
        self.answer(inputs)
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.answer(inputs)
    }
}
