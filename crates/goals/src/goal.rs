//! Goals: what a suite must do.

use trapline_model::{ExprId, PropertyKind};
use trapline_source::Span;

/// Something that a suite must do.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Stays the same while the model's text around it does.
    pub id: String,
    /// What it was derived by: `branch`, `mutation:stuck-at`.
    pub criterion: String,
    /// What it is, for people.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
    /// What must be done.
    pub target: Target,
}

/// What must be done to reach a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Start in a state in which this holds.
    Initial(ExprId),
    /// Visit a state in which this holds.
    State(ExprId),
    /// Take a step in which this holds; it may read the next state and the inputs.
    Step(ExprId),
    /// Take consecutive steps, one for each of these.
    Steps(Vec<ExprId>),
    /// Make two evaluations of one decision, anywhere in the suite.
    Pair(Pair),
    /// Violate a property.
    Trap(PropertyKind, ExprId),
}

/// Two evaluations of a decision that show what one condition does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its decision, in [`crate::GoalSet::points`].
    pub decision: usize,
    /// The condition that it is about.
    pub condition: usize,
    /// What counts as a pair.
    pub reading: Reading,
}

/// What counts as a pair of evaluations that shows that a condition matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// No other condition changes.
    Unique,
    /// As `Unique` where the model allows it; elsewhere others change too, as few as possible.
    Coupled,
    /// Other conditions may change if they do not matter.
    Masking,
}

impl Target {
    /// Does it take two evaluations?
    pub fn is_pair(&self) -> bool {
        matches!(self, Target::Pair(_))
    }

    /// The logic of its trap.
    pub fn logic(&self) -> PropertyKind {
        match self {
            Target::Trap(kind, _) => *kind,
            _ => PropertyKind::Invar,
        }
    }
}
