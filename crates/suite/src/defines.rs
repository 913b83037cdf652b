//! The values of definitions along a trace.

use trapline_model::eval::{Cell, Plan};
use trapline_model::roles::is_about_step;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Value};

/// The definitions of a model, ready to be evaluated.
pub struct Defines {
    plan: Plan,
    is_step: Vec<bool>,
}

impl Defines {
    /// Prepares all definitions.
    pub fn new(model: &Model) -> Defines {
        let exprs: Vec<_> = model.defines.iter().map(|define| define.body.expr).collect();
        let is_step = model.defines.iter().map(|define| is_about_step(model, define)).collect();
        Defines { plan: Plan::new(model, &exprs), is_step }
    }

    /// Is the definition with this index about a step, not a state?
    pub fn is_step(&self, define_idx: usize) -> bool {
        self.is_step[define_idx]
    }

    /// The value of each definition in a state of a trace. One over steps is undefined where no
    /// step follows, and a nondeterministic one always is.
    pub fn values(&self, trace: &Trace, state_idx: usize) -> Vec<Option<Value>> {
        let after = trace.states.get(state_idx + 1);
        let after = after.or_else(|| trace.loop_start.and_then(|start| trace.states.get(start)));
        self.evaluate(&trace.states[state_idx], after)
    }

    fn evaluate(&self, state: &State, after: Option<&State>) -> Vec<Option<Value>> {
        let next = after.map_or(&[][..], |after| &after.values);
        let mut cells = Vec::new();
        self.plan.run(&state.values, next, &mut cells);
        let value = |(define_idx, is_step): (usize, &bool)| match self.plan.root(define_idx, &cells)
        {
            Cell::Value(value) if after.is_some() || !is_step => Some(*value),
            _ => None,
        };
        self.is_step.iter().enumerate().map(value).collect()
    }
}
