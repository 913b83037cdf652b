//! What a test is asked to do.

use crate::expr::ExprId;

/// What a trace must do to reach a goal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Visit a state in which this holds.
    State(ExprId),
    /// Take a step in which this holds; it may read the next state and the inputs.
    Step(ExprId),
    /// Take consecutive steps, one for each of these.
    Steps(Vec<ExprId>),
}
