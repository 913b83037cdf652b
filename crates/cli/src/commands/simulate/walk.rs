//! A random walk.

use trapline_engine::simulate::{Choice, Simulator};
use trapline_engine::solve::{Limits, Stop};
use trapline_model::trace::Trace;

use super::constraint::Constraints;
use crate::interrupt;

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

/// Extends a trace at random until it has this many states.
pub fn walk(
    simulator: &Simulator<'_>,
    constraints: &Constraints,
    n_states: usize,
    trace: &mut Trace,
    (rng, limits): (&mut fastrand::Rng, &Limits),
) -> End {
    while trace.states.len() < n_states {
        if interrupt::is_raised() {
            return End::Interrupted;
        }
        let wanted = constraints.at(trace.states.len());
        let found = match trace.states.last() {
            None => simulator.initial(&wanted, rng, limits),
            Some(state) => simulator.step(state, &wanted, rng, limits),
        };
        match found {
            Ok(Some(choice)) => take(trace, choice),
            Ok(None) if trace.states.is_empty() => return End::NoInitial,
            Ok(None) => return End::Stuck,
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
