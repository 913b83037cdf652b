//! The non-temporal subformulas, and their values along a trace.

use trapline_engine::obligation::is_about_steps;
use trapline_model::eval::Plan;
use trapline_model::trace::Trace;
use trapline_model::{ExprId, Model};

/// Atoms, ready to be evaluated together.
#[derive(Clone, Debug)]
pub struct Atoms {
    plan: Plan,
    /// For each atom, whether it is over the step that leaves a state.
    pub is_step: Vec<bool>,
}

impl Atoms {
    /// Prepares atoms.
    pub fn new(model: &Model, atoms: &[ExprId]) -> Atoms {
        let is_step = atoms.iter().map(|&atom| is_about_steps(model, atom)).collect();
        Atoms { plan: Plan::new(model, atoms), is_step }
    }

    /// For each atom its value in each state, `None` where it is undefined.
    pub fn values(&self, trace: &Trace) -> Vec<Vec<Option<bool>>> {
        let mut values = vec![Vec::with_capacity(trace.states.len()); self.is_step.len()];
        let mut cells = Vec::new();
        for (idx, state) in trace.states.iter().enumerate() {
            let following = trace.states.get(idx + 1);
            let next = following.or_else(|| trace.states.get(trace.loop_start?));
            // An atom that reads only frozen variables of the next state is a state atom.
            self.plan.run(&state.values, &next.unwrap_or(state).values, &mut cells);
            for (atom_idx, values) in values.iter_mut().enumerate() {
                let has_value = next.is_some() || !self.is_step[atom_idx];
                let value = self.plan.root(atom_idx, &cells).as_bool();
                values.push(value.filter(|_| has_value));
            }
        }
        values
    }
}
