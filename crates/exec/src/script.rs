//! A test as exchanges: what is sent, and what the test expects.

use trapline_engine::possible::{Exchange, Inputs, Ports};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Timing, VarKind, roles};
use trapline_suite::steps::TURNS;

/// A test, ready to be executed.
#[derive(Clone, Debug)]
pub struct Script {
    /// The name of the test.
    pub name: String,
    /// What is sent and expected; the reset is the first.
    pub exchanges: Vec<Exchange>,
    /// The states that the test goes through.
    pub states: Vec<State>,
    /// Must the implementation not answer the last exchange as it stands here?
    pub is_negative: bool,
}

impl Script {
    /// The exchanges of a test. A test that loops is executed as its stem and some turns of its loop.
    pub fn new(ports: &Ports<'_>, model: &Model, name: &str, trace: &Trace) -> Script {
        let mut states = trace.states.clone();
        if let Some(start) = trace.loop_start {
            for _ in 1..TURNS {
                states.extend_from_slice(&trace.states[start..]);
            }
        }
        let timings = roles::timings(model);
        let exchanges = (0..states.len()).map(|idx| Exchange {
            inputs: inputs(model, &timings, &states, idx),
            outputs: ports.shown(&states[idx]),
        });
        Script { name: name.into(), exchanges: exchanges.collect(), states, is_negative: false }
    }

    /// The exchanges of a negative test.
    pub fn negative(ports: &Ports<'_>, model: &Model, name: &str, trace: &Trace) -> Script {
        Script { is_negative: true, ..Script::new(ports, model, name, trace) }
    }
}

/// What is sent in an exchange: an input that goes with the step is that of the state before.
fn inputs(model: &Model, timings: &[Timing], states: &[State], idx: usize) -> Inputs {
    let mut inputs = Inputs::new();
    for (var, declared) in model.var_ids().filter(|(_, var)| var.role == Role::Input) {
        let state = match timings[var.0 as usize] {
            _ if declared.kind == VarKind::Frozen && idx > 0 => None,
            Timing::Step if declared.kind != VarKind::Frozen => idx.checked_sub(1),
            Timing::Step | Timing::State => Some(idx),
        };
        let value = state.and_then(|state| states[state].get(var));
        inputs.extend(value.map(|value| (var, value)));
    }
    inputs
}
