//! The results of a run so far, so that another run can resume from them.

use trapline_model::trace::{State, Trace};

/// A result. States include monitor variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The test under construction continues with these states from this index on.
    Segment {
        /// The first new state; later ones are replaced.
        at: usize,
        /// The states.
        states: Vec<State>,
        /// The state that the last of them leads back to.
        loop_start: Option<usize>,
    },
    /// The test under construction is finished.
    Finished,
    /// A trace that reaches these subgoals.
    Found {
        /// The trace.
        trace: Trace,
        /// The subgoals, and the state in which each is met.
        subgoals: Vec<(usize, usize)>,
    },
    /// An unreachable subgoal, with the proof.
    Infeasible {
        /// The subgoal.
        subgoal: usize,
        /// The kind of proof.
        how: String,
    },
}

/// Where records are stored.
pub trait Journal {
    /// The records of an earlier run.
    fn recall(&mut self) -> Vec<Record>;
    /// Appends a record.
    fn write(&mut self, record: &Record);
}

/// Stores nothing.
pub struct NoJournal;

impl Journal for NoJournal {
    fn recall(&mut self) -> Vec<Record> {
        Vec::new()
    }

    fn write(&mut self, _record: &Record) {}
}
