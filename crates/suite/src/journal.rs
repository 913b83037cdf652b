//! What a run has found so far, so that another can go on from there.

use trapline_model::trace::{State, Trace};

/// Something that was found. States have the variables that watch the model too.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The test that is being made goes on like this, from its state with this index on.
    Segment {
        /// The first state that is new; what was there before is replaced.
        at: usize,
        /// The states.
        states: Vec<State>,
        /// Where the last of them leads back to.
        loop_start: Option<usize>,
    },
    /// The test that is being made is finished.
    Finished,
    /// A trace that reaches these parts, each by a state.
    Found {
        /// The trace.
        trace: Trace,
        /// The parts, and the state by which each is met.
        parts: Vec<(usize, usize)>,
    },
    /// A part that nothing reaches, and why.
    Infeasible {
        /// The part.
        part: usize,
        /// How it was proved.
        how: String,
    },
}

/// Where records are kept.
pub trait Journal {
    /// What an earlier run has found.
    fn recall(&mut self) -> Vec<Record>;
    /// Something was found.
    fn write(&mut self, record: &Record);
}

/// Keeps nothing.
pub struct NoJournal;

impl Journal for NoJournal {
    fn recall(&mut self) -> Vec<Record> {
        Vec::new()
    }

    fn write(&mut self, _record: &Record) {}
}
