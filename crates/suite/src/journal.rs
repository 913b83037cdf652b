//! The answers that the searches of a run gave, in order, so that another run can resume from them.
//!
//! Generating tests is deterministic, so a run that resumes takes the same way: it takes the
//! answers of the journal as long as there are any, and searches from there on. Its tests are those
//! of a run that was never interrupted. What was found of an answer when a run was killed or
//! interrupted is not used; what a limit of time or memory left of it is, since such runs differ
//! anyway.

use std::collections::VecDeque;

use trapline_engine::{Budget, Exhausted};
use trapline_goals::decide::{Answers, Verdict};
use trapline_model::trace::Trace;

use crate::generate::Segment;

/// An answer. States include monitor variables.
#[derive(Clone, Debug)]
pub enum Record {
    /// A random walk.
    Walk(Walk),
    /// The verdicts on the open subgoals.
    Answer(Answers),
    /// The same, as far as a limit of time or memory allowed.
    Part(Answers),
    /// The next segment of a test, if there is one.
    Segment(Option<Segment>),
    /// The searches for segments start anew. What one of them learns changes what it finds next,
    /// so the segments found since this are searched for again.
    Anew,
    /// Tests with other inputs.
    Others(Vec<Trace>),
}

/// A random walk.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The test that it gives; empty if it meets nothing new.
    pub trace: Trace,
    /// The subgoals that it meets first.
    pub met: Vec<usize>,
    /// Number of steps tried.
    pub n_steps: usize,
}

/// A record, and the work of the whole run so far; 0 for a segment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The answer.
    pub record: Record,
    /// The work.
    pub work: u64,
}

/// Where records are stored.
pub trait Journal {
    /// The [`resumable`] records of an earlier run.
    fn recall(&mut self) -> Vec<Entry>;
    /// Appends a record.
    fn write(&mut self, entry: &Entry);
}

/// Stores nothing.
pub struct NoJournal;

impl Journal for NoJournal {
    fn recall(&mut self) -> Vec<Entry> {
        Vec::new()
    }

    fn write(&mut self, _entry: &Entry) {}
}

/// The records that a run can resume from: without the segments at the end.
pub fn resumable(mut entries: Vec<Entry>) -> Vec<Entry> {
    let is_segment = |entry: &Entry| matches!(entry.record, Record::Segment(_));
    while entries.last().is_some_and(is_segment) {
        entries.pop();
    }
    entries
}

/// A journal that is read to its end, and then written.
pub(crate) struct Log<'j> {
    journal: &'j mut dyn Journal,
    known: VecDeque<Entry>,
    /// True if an answer was to another question: the journal was forged.
    pub is_misfit: bool,
}

impl<'j> Log<'j> {
    /// Reads a journal.
    pub fn new(journal: &'j mut dyn Journal) -> Log<'j> {
        let known = journal.recall().into();
        Log { journal, known, is_misfit: false }
    }

    /// True if everything known was taken.
    pub fn is_at_end(&self) -> bool {
        self.known.is_empty()
    }

    /// True if the next record is like this.
    pub fn is_next(&self, is_meant: impl Fn(&Record) -> bool) -> bool {
        self.known.front().is_some_and(|entry| is_meant(&entry.record))
    }

    /// The next answer, if one is left and nothing has run out. Its work is charged to a budget,
    /// which may be a part of the whole.
    pub fn recall<T>(
        &mut self,
        (whole, part): (&Budget<'_>, &Budget<'_>),
        take: impl FnOnce(Record) -> Option<T>,
    ) -> Option<T> {
        whole.spend(0).ok()?;
        let Entry { record, work } = self.known.pop_front()?;
        part.settle();
        // Whether this is too much is asked where it was asked then.
        let _ = part.spend(work.saturating_sub(whole.work()));
        part.settle();
        let taken = take(record);
        if taken.is_none() {
            self.is_misfit = true;
            self.known.clear();
        }
        taken
    }

    /// Appends an answer, unless the search for it was cut.
    pub fn write(&mut self, record: Record, budget: &Budget<'_>) -> Record {
        match budget.spend(0) {
            Ok(()) => self.append(record, budget),
            Err(_) => record,
        }
    }

    /// Appends what a limit of time or memory left: a run with more goes on from there.
    pub fn write_cut(&mut self, record: Record, budget: &Budget<'_>) -> Record {
        match budget.spend(0) {
            Err(Exhausted::Time | Exhausted::Memory) if self.is_at_end() => {
                self.append(record, budget)
            }
            _ => record,
        }
    }

    fn append(&mut self, record: Record, budget: &Budget<'_>) -> Record {
        let work = match record {
            Record::Segment(_) => 0,
            _ => budget.work(),
        };
        let entry = Entry { record, work };
        if !self.is_misfit {
            self.journal.write(&entry);
        }
        entry.record
    }
}

/// Answers to this many questions, whose witnesses are states of their traces.
pub(crate) fn fitting(answers: Answers, n_asked: usize) -> Option<Answers> {
    let is_right = |verdict: &Verdict| match verdict {
        Verdict::Covered(shown) => shown.iter().all(|one| {
            answers.traces.get(one.trace).is_some_and(|trace| one.state < trace.states.len())
        }),
        _ => true,
    };
    let is_fitting = answers.verdicts.len() == n_asked && answers.verdicts.iter().all(is_right);
    is_fitting.then_some(answers)
}
