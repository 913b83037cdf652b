//! The answers of engines.

use std::fmt;

use trapline_budget::Exhausted;
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Failure, Value, VarId};
use trapline_source::Span;
use trapline_source::numbers::counted;

/// Larger counts of states are shown rounded.
const LARGE: u128 = 1_000_000_000_000_000;

/// Where a search starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// In the initial states.
    Initial,
    /// Any of these states, which need not be reachable. Their inputs are ignored.
    States(Vec<State>),
}

/// The answer to a reachability question.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The traces found, all of them replayed.
    pub traces: Vec<Trace>,
    /// One for each target, in order.
    pub verdicts: Vec<Verdict>,
    /// Statistics.
    pub stats: Stats,
    /// What was tried, and why, for verbose output.
    pub log: Vec<String>,
}

/// The verdict on a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A trace reaches it.
    Reached {
        /// Its index in [`Reached::traces`].
        trace: usize,
        /// The state in which the target is reached; for steps, the state after the last one.
        state: usize,
    },
    /// It is unreachable.
    Unreachable(Proof),
    /// Undecided.
    Unknown(Why),
}

/// The combinations of values that expressions take.
#[derive(Clone, Debug, Default)]
pub struct Projected {
    /// All of them, in the order found.
    pub values: Vec<Projection>,
    /// Why there may be more; `None` if the list is complete.
    pub incomplete: Option<Why>,
    /// Statistics.
    pub stats: Stats,
    /// What was tried, and why, for verbose output.
    pub log: Vec<String>,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// One per expression; `None` where it is undefined.
    pub values: Vec<Option<Value>>,
    /// A shortest trace to it; for a step, the state after it is the last one.
    pub trace: Trace,
}

/// The answer to a property check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// One outcome per requested property, in order.
    pub outcomes: Vec<Outcome>,
    /// The engine behind each outcome; empty if it is the one that was called.
    pub engines: Vec<&'static str>,
    /// The inductive invariants that prove some of the outcomes.
    pub invariants: Vec<Invariant>,
    /// Further findings about the model.
    pub findings: Vec<Finding>,
    /// Statistics.
    pub stats: Stats,
    /// What was tried, and why, for verbose output.
    pub log: Vec<String>,
}

/// An inductive invariant: it holds in the initial states, and every step from a state in which it
/// holds preserves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// The indices of the outcomes that it proves, each with the expression it implies in every
    /// state or step.
    pub proves: Vec<(usize, ExprId)>,
    /// The conjunction of these,
    pub all: Vec<ExprId>,
    /// and of the negations of these cubes.
    pub none: Vec<Vec<Bits>>,
}

/// A partial assignment to the bits of a variable's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The variable.
    pub var: VarId,
    /// The assigned bits.
    pub mask: u64,
    /// Their values.
    pub bits: u64,
}

/// The outcome of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It holds.
    True(Proof),
    /// It is violated; the trace is a counterexample, as far as one path can be.
    False(Trace),
    /// The distance that a property asks for.
    Value(Distance, Proof),
    /// Undecided.
    Unknown(Why),
}

/// The distance between two sets of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// This many steps.
    Steps(u64),
    /// There is no path, or an infinite one.
    Infinite,
    /// One of the sets is empty.
    Undefined,
}

/// How a universal claim was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All reachable states were visited.
    AllStates {
        /// Their number, over the cone of influence.
        n_states: u128,
    },
    /// It concerns initial states only.
    InitialStates,
    /// Backward reachability from the violating states reached a fixpoint without meeting a
    /// reachable state.
    Backward {
        /// Number of preimages to the fixpoint.
        n_steps: u64,
    },
    /// All paths were searched, up to the longest.
    AllPaths {
        /// The length of the longest path.
        n_steps: u64,
    },
    /// k-induction: it is not met in the first `k` states of any path, nor after `k` states
    /// without it.
    Induction {
        /// Number of steps of the paths in the inductive step.
        n_steps: u64,
    },
    /// An inductive invariant excludes it, and a second solver has confirmed the invariant.
    Invariant {
        /// Number of clauses of the invariant.
        n_clauses: u64,
    },
    /// There is no initial state.
    NoInitialState,
    /// No path is infinite and fair, so nothing can be violated.
    NoFairPath,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// The work limit was reached.
    Work,
    /// It is not within the depth limit.
    Depth,
    /// A nearer target was found, and that sufficed.
    Nearer,
    /// Interrupted by the user.
    Interrupted,
    /// No engine was called.
    NotAsked,
    /// The engine does not support this.
    Unsupported(String),
    /// An expression is undefined in a reachable state.
    Failure {
        /// Why it is undefined.
        failure: Failure,
        /// The property, assignment or constraint that the expression is in.
        span: Span,
        /// A trace to that state.
        trace: Trace,
    },
}

impl From<Exhausted> for Why {
    fn from(exhausted: Exhausted) -> Why {
        match exhausted {
            Exhausted::Time => Why::Time,
            Exhausted::Memory => Why::Memory,
            Exhausted::Work => Why::Work,
            Exhausted::Depth => Why::Depth,
            Exhausted::Interrupted => Why::Interrupted,
        }
    }
}

/// Findings about a model besides its verdicts.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// There is no initial state.
    NoInitialState,
    /// A reachable deadlock state.
    DeadEnd {
        /// A trace to the nearest one.
        trace: Trace,
        /// Their number, over the cone of influence.
        n_states: u128,
    },
    /// No reachable state has a fair path; every CTL and LTL property is vacuously true.
    NoFairPath {
        /// Indices of the justice constraints that no reachable state or step meets.
        never: Vec<usize>,
    },
    /// Some initial state has no fair path and is ignored.
    UnfairInitialState {
        /// That state.
        trace: Trace,
    },
    /// CTL ignores compassion.
    CompassionIgnored,
}

/// Statistics of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// States, over the cone of influence.
    pub n_states: u128,
    /// Transitions from a state to a group of states that share the decided part.
    pub n_steps: u64,
    /// The greatest distance from the initial states.
    pub depth: u64,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Time => f.write_str("the time ran out"),
            Why::Memory => f.write_str("the memory ran out"),
            Why::Work => f.write_str("the counted work ran out"),
            Why::Depth => f.write_str("not within the depth that was allowed"),
            Why::Nearer => f.write_str("something else was nearer"),
            Why::Interrupted => f.write_str("interrupted"),
            Why::NotAsked => f.write_str("not asked"),
            Why::Unsupported(what) => write!(f, "not supported: {what}"),
            Why::Failure { failure, .. } => failure.kind.fmt(f),
        }
    }
}

/// A number of states for display: a very large one is rounded.
pub struct Count(pub u128);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u128::MAX => write!(f, "more than {:.1e}", u128::MAX as f64),
            number if number >= LARGE => write!(f, "about {:.2e}", number as f64),
            number => write!(f, "{number}"),
        }
    }
}

/// For people, behind a property that is true as well as behind a goal that is infeasible: no text
/// says what was proved, only how.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::AllStates { n_states: 1 } => f.write_str("the only reachable state was seen"),
            Proof::AllStates { n_states } => {
                write!(f, "all {} reachable states were seen", Count(*n_states))
            }
            Proof::InitialStates => f.write_str("the initial states decide it"),
            Proof::Backward { n_steps: 0 } => {
                f.write_str("every state, reachable or not, decides it")
            }
            Proof::Backward { n_steps } => {
                write!(
                    f,
                    "searched back {}: no initial state leads there",
                    counted(*n_steps, "step")
                )
            }
            Proof::AllPaths { n_steps: 0 } => f.write_str("no path has a step"),
            Proof::AllPaths { n_steps } => {
                write!(f, "no path has more than {}", counted(*n_steps, "step"))
            }
            Proof::Induction { n_steps: 0 } => {
                f.write_str("every state and step, reachable or not, decides it")
            }
            Proof::Induction { n_steps: 1 } => f.write_str("by induction"),
            Proof::Induction { n_steps } => write!(f, "by induction over {n_steps} steps"),
            Proof::Invariant { n_clauses: 1 } => f.write_str("by an inductive invariant"),
            Proof::Invariant { n_clauses } => {
                write!(f, "by an inductive invariant of {n_clauses} clauses")
            }
            Proof::NoInitialState => f.write_str("there is no initial state"),
            Proof::NoFairPath => f.write_str("no path is infinite and fair"),
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::Steps(n_steps) => write!(f, "{n_steps}"),
            Distance::Infinite => f.write_str("infinity"),
            Distance::Undefined => f.write_str("undefined"),
        }
    }
}
