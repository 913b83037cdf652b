//! Test goals.

use trapline_model::{ExprId, PropertyKind};
use trapline_source::Span;

/// How the text of a goal ends that is to violate a property.
pub const VIOLATED: &str = " is violated";

/// A test goal.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Stable while the model's text around it is.
    pub id: String,
    /// The criterion that derived it: `branch`, `mutation:stuck-at`.
    pub criterion: String,
    /// Its description.
    pub text: String,
    /// Its source span.
    pub span: Span,
    /// What must be reached.
    pub kind: GoalKind,
    /// True if it is to violate a property of the model, not one that the user made for tests.
    pub is_property: bool,
}

/// What must be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalKind {
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
    /// Show this fault, of [`crate::GoalSet::faults`], at the outputs.
    Fault(usize),
}

/// Two evaluations of a decision that demonstrate the effect of one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its decision, in [`crate::GoalSet::points`].
    pub decision: usize,
    /// The condition.
    pub condition: usize,
    /// The reading of MC/DC.
    pub reading: Reading,
}

/// When two evaluations demonstrate the effect of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// No other condition changes.
    Unique,
    /// As `Unique` where the model allows it; otherwise as few other changes as possible.
    Coupled,
    /// Other conditions may change if they are masked.
    Masking,
}

impl GoalKind {
    /// True if it takes two evaluations.
    pub fn is_pair(&self) -> bool {
        matches!(self, GoalKind::Pair(_))
    }

    /// The logic of its trap property.
    pub fn logic(&self) -> PropertyKind {
        match self {
            GoalKind::Trap(kind, _) => *kind,
            _ => PropertyKind::Invar,
        }
    }
}
