//! What a mutant may do where there are choices: the states that it may be in.

use trapline_engine::Budget;
use trapline_engine::possible::{Exchange, Explicit, Output, Outputs, Possible};
use trapline_model::trace::Trace;
use trapline_model::{DefineId, Model, Timing, VarId, VarKind, roles};

use crate::defines::Defines;
use crate::steps::ExecutableSuite;
use trapline_goals::visibility::simulate::Outcome;

/// Work of the constraint solver for a mutant and a test.
const MAX_WORK: u64 = 1_000_000;

/// Runs a mutant on the inputs of a test: can it show the outputs of the test, which is one of the model?
pub fn run(
    mutant: &Model,
    model: &Model,
    suite: &ExecutableSuite,
    test: &Trace,
    budget: &Budget<'_>,
) -> Outcome {
    let part = budget.part(Some(MAX_WORK));
    let possible = Explicit::new(mutant, &part);
    let mut set = None;
    for (state, exchange) in exchanges(&possible, model, suite, test).into_iter().enumerate() {
        let next = match &set {
            None => possible.start(&exchange),
            Some(set) => possible.step(set, &exchange),
        };
        match next {
            Ok(next) if possible.is_empty(&next) => return Outcome::Shown(state),
            Ok(next) => set = Some(next),
            Err(why) => return Outcome::Open(why.to_string()),
        }
    }
    Outcome::Hidden
}

/// What is sent and compared, state by state.
fn exchanges(
    possible: &Explicit<'_, '_>,
    model: &Model,
    suite: &ExecutableSuite,
    test: &Trace,
) -> Vec<Exchange> {
    let ports = possible.ports();
    let (timings, defines) = (roles::timings(model), Defines::new(model));
    let checked = suite.checked();
    let n_vars = model.vars.len();
    let exchange = |state: usize| {
        let sent = |var: VarId| {
            let is_later =
                timings[var.0 as usize] == Timing::Step || model.var(var).kind == VarKind::Input;
            let state = if is_later { state.checked_sub(1)? } else { state };
            Some((var, test.states[state].get(var)?))
        };
        let inputs = ports.inputs.iter().filter_map(|&var| sent(var)).collect();
        let defined = defines.values(test, state);
        // What belongs to a step is not asked about.
        let is_compared = |output: &Output| match output {
            Output::Var(var) => checked.contains(&(var.0 as usize)),
            Output::Define(DefineId(idx)) => checked.contains(&(n_vars + *idx as usize)),
        };
        let shown = |output: Output| match output {
            Output::Var(var) => test.states[state].get(var),
            Output::Define(DefineId(idx)) => defined[idx as usize],
        };
        let outputs = ports.outputs.iter().copied().filter(is_compared);
        let outputs: Outputs = outputs.filter_map(|it| Some((it, shown(it)?))).collect();
        Exchange { inputs, outputs }
    };
    (0..test.states.len()).map(exchange).collect()
}
