//! A random walk.

use trapline_engine::simulate::{Choice, Simulator};
use trapline_engine::solve::Stop;
use trapline_engine::{Budget, Exhausted};
use trapline_model::trace::Trace;

use super::constraint::Constraints;

/// How a walk ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// All steps were taken.
    Whole,
    /// There is no initial state.
    NoInitial,
    /// The last state has no successor.
    Stuck,
    /// The user had enough.
    Interrupted,
    /// The next state can't be found out.
    Stopped(Stop),
}

/// What a walk is made with.
pub struct Source<'a> {
    /// Where random numbers come from.
    pub rng: &'a mut fastrand::Rng,
    /// The work that finding one state may cost.
    pub max_work: u64,
    /// The budget of all states.
    pub budget: &'a Budget<'a>,
}

/// Extends a trace at random until it has this many states.
pub fn walk(
    simulator: &Simulator<'_>,
    constraints: &Constraints,
    n_states: usize,
    trace: &mut Trace,
    Source { rng, max_work, budget }: Source<'_>,
) -> End {
    while trace.states.len() < n_states {
        let part = budget.part(Some(max_work));
        let wanted = constraints.at(trace.states.len());
        let found = match trace.states.last() {
            None => simulator.initial(&wanted, rng, &part),
            Some(state) => simulator.step(state, &wanted, rng, &part),
        };
        match found {
            Ok(Some(choice)) => take(trace, choice),
            Ok(None) if trace.states.is_empty() => return End::NoInitial,
            Ok(None) => return End::Stuck,
            Err(Stop::Exhausted(Exhausted::Interrupted)) => return End::Interrupted,
            Err(stop) => return End::Stopped(stop),
        }
    }
    End::Whole
}

/// Goes to a chosen state.
pub fn take(trace: &mut Trace, choice: Choice) {
    if let (Some(last), Some(from)) = (trace.states.last_mut(), choice.from) {
        *last = from;
    }
    trace.states.push(choice.state);
}
