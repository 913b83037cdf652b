//! Finding values for variables.

use trapline_model::Failure;
use trapline_source::Span;

/// How much work may be done.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many values may be tried for one state.
    pub max_tries: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An expression of the model has no value in a state that was reached.
    Failure {
        /// Why.
        failure: Failure,
        /// The assignment or constraint.
        span: Span,
    },
    /// A variable has infinitely many values and nothing determines it.
    Unbounded(trapline_model::VarId),
    /// The limit was reached.
    TooHard,
}

/// Placeholder.
pub struct Problem;
