//! What engines answer.

use std::fmt;

use trapline_budget::Exhausted;
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Failure, Value, VarId};
use trapline_source::Span;

/// From here on the digits of a number of states say nothing.
const LARGE: u128 = 1_000_000_000_000_000;

/// Where a search starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// In the initial states.
    Initial,
    /// In any of these states, which need not be reachable. Inputs in them are ignored.
    States(Vec<State>),
}

/// What was found out about targets.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The traces that were found, each one replayed.
    pub traces: Vec<Trace>,
    /// One for each target, in order.
    pub verdicts: Vec<Verdict>,
    /// What it took.
    pub stats: Stats,
    /// What was tried, and why, for those who want to know.
    pub log: Vec<String>,
}

/// What was found out about a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A trace reaches it.
    Reached {
        /// Its index in [`Reached::traces`].
        trace: usize,
        /// The state in which the target is reached; for steps, the state after the last one.
        state: usize,
    },
    /// No trace does.
    Unreachable(Proof),
    /// It is not known.
    Unknown(Why),
}

/// The values that some expressions take together.
#[derive(Clone, Debug, Default)]
pub struct Projected {
    /// All of them, as they were found.
    pub values: Vec<Projection>,
    /// Why there may be more; `None` when these are all.
    pub incomplete: Option<Why>,
    /// What it took.
    pub stats: Stats,
    /// What was tried, and why, for those who want to know.
    pub log: Vec<String>,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// One for each expression; `None` where it has no value.
    pub values: Vec<Option<Value>>,
    /// A shortest trace to it; for a step, the state after it is the last one.
    pub trace: Trace,
}

/// What was found out about properties.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// One for each property that was asked about, in order.
    pub outcomes: Vec<Outcome>,
    /// The engine behind each outcome; empty if it is the one that was asked.
    pub engines: Vec<&'static str>,
    /// The inductive invariants that prove some of the outcomes.
    pub invariants: Vec<Invariant>,
    /// What users should know about the model besides.
    pub findings: Vec<Finding>,
    /// What it took.
    pub stats: Stats,
    /// What was tried, and why, for those who want to know.
    pub log: Vec<String>,
}

/// What holds of all states that can be reached, and shows it by itself: it holds of the initial
/// states, and whatever follows a state of which it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// The outcomes that it proves, by their indices, and what of each follows from it in every
    /// state or step.
    pub proves: Vec<(usize, ExprId)>,
    /// It says that all of these hold,
    pub all: Vec<ExprId>,
    /// and that no state has all bits of one of these.
    pub none: Vec<Vec<Bits>>,
}

/// Some bits of the binary number that a variable is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The variable.
    pub var: VarId,
    /// Which bits.
    pub mask: u64,
    /// What they are.
    pub bits: u64,
}

/// What was found out about a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It holds.
    True(Proof),
    /// It does not; the trace shows it, as far as one path can.
    False(Trace),
    /// What `COMPUTE` asks for.
    Value(Distance, Proof),
    /// It is not known.
    Unknown(Why),
}

/// How many steps lie between two sets of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// So many.
    Steps(u64),
    /// There is no way, or one that never ends.
    Infinite,
    /// One of the sets is empty.
    Undefined,
}

/// How something is known to hold everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All reachable states were seen.
    AllStates {
        /// How many there are, of the variables that matter.
        n_states: u128,
    },
    /// It is about the initial states alone.
    InitialStates,
    /// A search back from all states that it speaks of came to an end before it met one that can
    /// be reached.
    Backward {
        /// After so many steps nothing new was found.
        n_steps: u64,
    },
    /// No path is longer, and all of them were searched.
    AllPaths {
        /// The steps of the longest.
        n_steps: u64,
    },
    /// It is not met in the first states of any path, and can't be met after that many without it.
    Induction {
        /// That many, minus one.
        n_steps: u64,
    },
    /// An inductive invariant excludes it, and a second solver has confirmed the invariant.
    Invariant {
        /// The clauses of the invariant.
        n_clauses: u64,
    },
    /// There is no initial state.
    NoInitialState,
    /// No path is infinite and fair, so that none can violate anything.
    NoFairPath,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// The time ran out.
    Time,
    /// The memory ran out.
    Memory,
    /// The counted work ran out.
    Work,
    /// It is not within the steps that were allowed.
    Depth,
    /// Something else was nearer, and that was enough.
    Nearer,
    /// The user wanted it to stop.
    Interrupted,
    /// No engine was asked.
    NotAsked,
    /// The engine can't do this.
    Unsupported(String),
    /// An expression has no value in a reachable state.
    Failure {
        /// Why it has none.
        failure: Failure,
        /// The property, assignment or constraint that the expression is in.
        span: Span,
        /// The way there.
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

/// What users should know about a model besides its verdicts.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// There is no initial state.
    NoInitialState,
    /// Some state that can be reached has no successor.
    DeadEnd {
        /// The way to the nearest one.
        trace: Trace,
        /// How many there are, of the variables that matter.
        n_states: u128,
    },
    /// No reachable state starts a fair path; every CTL and LTL property is true.
    NoFairPath {
        /// Justice constraints that no reachable state or step meets, by their index.
        never: Vec<usize>,
    },
    /// Some initial state starts no fair path and does not count.
    UnfairInitialState {
        /// That state.
        trace: Trace,
    },
    /// CTL ignores compassion.
    CompassionIgnored,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// States, of the variables that matter.
    pub n_states: u128,
    /// Steps from a state to a group of states that share what the step decides.
    pub n_steps: u64,
    /// The greatest distance from the start.
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

/// A number of states, for people: a very large one is rounded.
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

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::AllStates { n_states: 1 } => f.write_str("the only reachable state was seen"),
            Proof::AllStates { n_states } => {
                write!(f, "all {} reachable states were seen", Count(*n_states))
            }
            Proof::InitialStates => f.write_str("the initial states decide it"),
            Proof::Backward { n_steps: 0 } => f.write_str("no state at all violates it"),
            Proof::Backward { n_steps } => {
                let s = if *n_steps == 1 { "" } else { "s" };
                write!(f, "searched back {n_steps} step{s}: no initial state leads there")
            }
            Proof::AllPaths { n_steps: 0 } => f.write_str("no path has a step"),
            Proof::AllPaths { n_steps } => write!(f, "no path has more than {n_steps} steps"),
            Proof::Induction { n_steps: 0 } => f.write_str("no state or step violates it"),
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
