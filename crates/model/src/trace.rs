//! Traces: sequences of states.

use crate::expr::VarId;
use crate::model::{Model, VarKind};
use crate::value::Value;

/// A state, and the inputs of the step that leaves it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The value of each variable, by id. An input is missing where no step follows.
    pub values: Vec<Option<Value>>,
}

/// A finite sequence of states, or a lasso.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The states, an initial one first.
    pub states: Vec<State>,
    /// The state that follows the last one.
    pub loop_start: Option<usize>,
}

impl State {
    /// A state in which nothing is known.
    pub fn unknown(model: &Model) -> State {
        State { values: vec![None; model.vars.len()] }
    }

    /// The value of a variable.
    pub fn get(&self, var: VarId) -> Option<Value> {
        self.values[var.0 as usize]
    }

    /// Forgets the inputs.
    pub fn drop_inputs(&mut self, model: &Model) {
        for (value, var) in self.values.iter_mut().zip(&model.vars) {
            if var.kind == VarKind::Input {
                *value = None;
            }
        }
    }
}
