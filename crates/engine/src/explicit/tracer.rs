//! Turns paths through searched states into traces of the whole model.

use trapline_budget::Budget;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::{VarId, VarKind};

use crate::answer::{Reached, Start, Verdict, Why};
use crate::credit::{Depth, credit};

use super::complete::{Completer, Known};
use super::graph::StateId;
use super::reach::Hit;
use super::space::Space;
use super::system::System;

/// Makes traces of one search.
pub struct Tracer<'a, 'm> {
    system: &'a System<'m>,
    space: &'a Space,
    start: &'a Start,
    completer: &'a Completer<'m>,
}

impl<'a, 'm> Tracer<'a, 'm> {
    /// Prepares a search.
    ///
    /// # Errors
    /// When the model has something that can't be enumerated.
    pub fn new(
        system: &'a System<'m>,
        space: &'a Space,
        start: &'a Start,
        budget: &Budget,
    ) -> Result<Tracer<'a, 'm>, Why> {
        Ok(Tracer { system, space, start, completer: system.completer(budget)? })
    }

    /// The values of a state that the search stores.
    pub fn known(&self, state: StateId) -> Known {
        let packed = self.space.state(state);
        self.system.layout.fields.iter().map(|field| (field.var, field.get(packed))).collect()
    }

    /// The trace through these states; for a lasso, `loop_start` follows the last one.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace(&self, known: &[Known], loop_start: Option<usize>) -> Result<Trace, Why> {
        self.completer.trace(self.first(&known[0]).as_ref(), known, loop_start)
    }

    /// A shortest trace to a state.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace_to(&self, state: StateId) -> Result<Trace, Why> {
        self.trace(&self.way(&Hit { at: state, steps: Vec::new() }), None)
    }

    /// The known values along a hit.
    pub fn way(&self, hit: &Hit) -> Vec<Known> {
        let path = self.space.path_to(hit.at);
        let mut known: Vec<Known> = path.into_iter().map(|state| self.known(state)).collect();
        for (inputs, state) in &hit.steps {
            let last = known.len() - 1;
            known[last].extend(self.system.inputs.iter().copied().zip(inputs.iter().copied()));
            known.push(self.known(*state));
        }
        known
    }

    /// Gives every target that was hit its verdict.
    pub fn reached(&self, targets: &[Target], hits: &[Option<Hit>], open: &Verdict) -> Reached {
        let depth =
            |hit: &Hit| Depth::shortest(self.space.path_to(hit.at).len() - 1 + hit.steps.len());
        let depths: Vec<Option<Depth>> = hits.iter().map(|hit| hit.as_ref().map(depth)).collect();
        let way = |idx: usize| self.way(hits[idx].as_ref().unwrap_or(&Hit::default()));
        credit(self.system.model, targets, &depths, open, |idx| self.trace(&way(idx), None))
    }

    /// The given state that a trace starts in, if one is given.
    fn first(&self, known: &Known) -> Option<State> {
        let Start::States(states) = self.start else { return None };
        let is_this = |state: &&State| {
            let is_state = |var: &VarId| self.system.model.var(*var).kind != VarKind::Input;
            known.iter().filter(|(var, _)| is_state(var)).all(|(var, number)| {
                state.get(*var).and_then(|value| crate::code::encode(value).ok()) == Some(*number)
            })
        };
        states.iter().find(is_this).cloned()
    }
}
