//! Lifts traces of a transformed model to traces of the original.

use rustc_hash::FxHashMap;

use crate::expr::VarId;
use crate::replay::{Replayer, Violation};
use crate::trace::{State, Trace};
use crate::value::Value;

/// Where the variables of the old model have their values in states of the new one.
#[derive(Clone, Debug)]
pub enum Lift {
    /// The old model's variables are the first ones of the new model, and have the same values.
    First(usize),
    /// Each has a column of its own.
    Columns(Vec<Column>),
}

/// Where a variable of the old model has its value.
#[derive(Clone, Debug)]
pub struct Column {
    /// The variable of the new model.
    pub source: VarId,
    /// The old values of those that have another one there.
    pub values: FxHashMap<Value, Value>,
}

impl Lift {
    /// The state of the old model.
    pub fn state(&self, state: &mut State) {
        match self {
            Lift::First(n_vars) => state.values.truncate(*n_vars),
            Lift::Columns(columns) => {
                let old = |column: &Column| {
                    let value = state.get(column.source)?;
                    Some(column.values.get(&value).copied().unwrap_or(value))
                };
                state.values = columns.iter().map(old).collect();
            }
        }
    }

    /// The trace of the old model, without replay, which is left to the caller.
    pub fn project(&self, trace: &mut Trace) {
        trace.states.iter_mut().for_each(|state| self.state(state));
    }

    /// The trace of the old model, replayed there.
    ///
    /// # Errors
    /// What is wrong with it: then the new model allows what it should not.
    pub fn lift(&self, old: &Replayer<'_>, trace: &mut Trace) -> Result<(), Violation> {
        self.project(trace);
        old.replay(trace)
    }

    /// The same for a trace that may start in any state that the invariants allow.
    ///
    /// # Errors
    /// What is wrong with it: then the new model allows what it should not.
    pub fn lift_from(&self, old: &Replayer<'_>, trace: &mut Trace) -> Result<(), Violation> {
        self.project(trace);
        old.replay_from(trace)
    }

    /// The traces of the old model, replayed there with a thread for each processor.
    ///
    /// # Errors
    /// What is wrong with the first that is no trace: then the new model allows what it should not.
    pub fn lift_all(&self, old: &Replayer<'_>, traces: &mut [Trace]) -> Result<(), Violation> {
        traces.iter_mut().for_each(|trace| self.project(trace));
        let all: Vec<&Trace> = traces.iter().collect();
        old.replay_all(&all).map_err(|(_, violation)| violation)
    }
}
