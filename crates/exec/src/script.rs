//! A test as exchanges: what is sent, and what the test expects.

use trapline_engine::possible::{Exchange, Inputs, Ports};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Timing, VarKind, roles};
use trapline_suite::steps::TURNS;
use trapline_suite::tree::arrange;

/// A test, ready to be executed.
#[derive(Clone, Debug)]
pub struct Script {
    /// The name of the test.
    pub name: String,
    /// Its ways, the trunk first; they begin alike.
    pub paths: Vec<Path>,
    /// Must the implementation not answer the last exchange as it stands in the trunk?
    pub is_negative: bool,
}

/// A way from the root of a test to the end of a branch.
#[derive(Clone, Debug)]
pub struct Path {
    /// The numbers of the branches that it takes, counted from 1; none for the trunk.
    pub branch: Vec<usize>,
    /// What is sent and expected; the reset is the first.
    pub exchanges: Vec<Exchange>,
    /// The states that the test goes through.
    pub states: Vec<State>,
}

impl Script {
    /// The exchanges of a test. A way that loops is executed as its stem and some turns of its loop.
    pub fn new(ports: &Ports<'_>, model: &Model, name: &str, paths: &[&Trace]) -> Script {
        let tree = arrange(paths);
        let mut branches = tree.all();
        branches.sort_by_key(|(branch, _)| branch.path);
        let paths = branches
            .into_iter()
            .map(|(branch, numbers)| Path::new(ports, model, paths[branch.path], numbers));
        Script { name: name.into(), paths: paths.collect(), is_negative: false }
    }
}

impl Path {
    fn new(ports: &Ports<'_>, model: &Model, trace: &Trace, branch: Vec<usize>) -> Path {
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
        Path { branch, exchanges: exchanges.collect(), states }
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
