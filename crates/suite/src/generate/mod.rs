//! From goals to tests.
//!
//! First an engine is asked about all parts of all goals at once: which of them can be reached, on
//! shortest traces, and which can't, with a proof. Then tests are made of what can be. A test that
//! ends is extended to whatever open part is nearest, as SAL-ATG does (Hamon, de Moura, Rushby,
//! *Generating Efficient Test Sets with a Model Checker*, 2004); where it can't be, the next test
//! starts with a trace that is known already, or goes on from the known state that is nearest. Where
//! all steps of the model can be looked at, short tests are made of that.

mod diverse;
mod extend;
pub(crate) mod initial;
mod segment;
pub(crate) mod separate;
mod shorten;
mod warm_up;

use trapline_engine::{Budget, Engine, auto};
use trapline_goals::GoalSet;
use trapline_goals::decide::{self, Verdict};
use trapline_goals::score::Makeable;
use trapline_goals::subgoals::Subgoals;
use trapline_model::trace::Trace;

use crate::journal::{Journal, Record};
use crate::tracker::{Status, Tracker};

pub use segment::Slice;

/// How tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// A test for each goal.
    Separate,
    /// From where a test ends, on to the next goal.
    Extend,
}

/// What the fewest of is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fewest {
    /// Tests, then steps.
    Tests,
    /// Steps, then tests.
    Steps,
}

/// What the user wants.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How tests are made.
    pub strategy: Strategy,
    /// What the fewest of is wanted.
    pub fewest: Fewest,
    /// The most steps of a search from the start; `None` for no limit.
    pub initial_depth: Option<u64>,
    /// The most steps by which a test is extended at a time; `None` for no limit.
    pub extension_depth: Option<u64>,
    /// The fewest steps of a segment.
    pub min_depth: u64,
    /// Only shortest ways, even where others are found sooner.
    pub is_incremental: bool,
    /// Where a test can't be extended, go back to the end of its first segment.
    pub branch: bool,
    /// A segment counts for one goal, whatever else it meets.
    pub no_prune: bool,
    /// Which variables a search leaves out.
    pub slice: Slice,
    /// Steps of random walks before anything else.
    pub warm_up: usize,
    /// Where random choices start.
    pub seed: u64,
    /// So many tests for each goal, with different inputs.
    pub diverse: usize,
    /// When tests are made, look for shorter ones to choose from.
    pub shorten: bool,
    /// Who finds the first segments, and the proofs.
    pub initial_engine: Engine,
    /// Who extends tests.
    pub engine: Engine,
}

impl Options {
    /// No limits, one engine, the fewest tests.
    pub fn usual(strategy: Strategy, engine: Engine) -> Options {
        Options {
            strategy,
            fewest: Fewest::Tests,
            initial_depth: None,
            extension_depth: None,
            min_depth: 0,
            is_incremental: false,
            branch: false,
            no_prune: false,
            slice: Slice::Each,
            warm_up: 0,
            seed: 0,
            diverse: 1,
            shorten: true,
            initial_engine: engine,
            engine,
        }
    }

    /// All of them in words: two that differ have different words.
    pub fn text(&self) -> String {
        let (initial_engine, engine) = (self.initial_engine.name, self.engine.name);
        let others = (self.strategy, self.fewest, self.slice);
        let numbers = (self.initial_depth, self.extension_depth, self.min_depth, self.warm_up);
        let more = (self.seed, self.diverse, self.is_incremental, self.branch, self.no_prune);
        let more = (more, self.shorten);
        format!("{initial_engine} {engine} {others:?} {numbers:?} {more:?}")
    }
}

/// Is this the engine that chooses among the others?
fn is_auto(engine: &Engine) -> bool {
    engine.name == auto::ENGINE.name
}

/// What was made.
#[derive(Debug)]
pub struct Generated {
    /// The tests, of the model without variables that watch it.
    pub tests: Vec<Trace>,
    /// More tests for the same goals, with other inputs than all before; some goals may have none.
    pub others: Vec<Vec<Trace>>,
    /// One for each goal. The witnesses of what is covered are nothing: the tests are.
    pub verdicts: Vec<Verdict>,
    /// The parts of the goals.
    pub parts: Subgoals,
    /// Which of them tests meet; by the way, a test may meet others too.
    pub is_met: Vec<bool>,
    /// For each decision of a pair, which evaluations can be made.
    pub makeable: Makeable,
    /// Are there proofs that nobody has checked, because a journal has them?
    pub has_recalled_proofs: bool,
}

/// Makes tests. What is found on the way is told to the journal; what it knows from a run before
/// is not looked for again.
pub fn generate(
    set: &GoalSet,
    options: &Options,
    journal: &mut dyn Journal,
    budget: &Budget<'_>,
) -> Generated {
    let mut tracker = Tracker::new(set, budget);
    let mut work = Work { options, budget, journal, tests: Vec::new(), begun: Trace::default() };
    work.recall(&mut tracker);
    let has_recalled_proofs = tracker.has_recalled_proofs();
    if options.strategy == Strategy::Separate && !work.begun.states.is_empty() {
        work.finish();
    }
    if options.warm_up > 0 && work.has_nothing() {
        warm_up::walk(&mut tracker, &mut work);
    }
    initial::find(&mut tracker, &mut work);
    let short = shorten::make(&mut tracker, &mut work);
    if options.strategy == Strategy::Extend {
        extend::make(&mut tracker, &mut work);
    }
    separate::make(&mut tracker, &mut work);
    let shorter = shorten::shorter(short, &tracker, &work);
    work.tests.extend(shorter);
    let mut rounds = vec![std::mem::take(&mut work.tests)];
    for _ in 1..options.diverse {
        let others = diverse::others(&tracker, &rounds.concat(), &work);
        if others.is_empty() {
            break;
        }
        rounds.push(others);
    }
    let (verdicts, makeable, is_met) = (tracker.goals(), tracker.makeable(), tracker.is_met());
    let mut rounds = rounds.into_iter().map(|tests| decide::own_traces(set, tests));
    let tests = rounds.next().unwrap_or_default();
    let others = rounds.collect();
    let parts = tracker.parts;
    Generated { tests, others, verdicts, parts, is_met, makeable, has_recalled_proofs }
}

/// What tests are made with, and what there is of them.
pub(crate) struct Work<'w> {
    /// What the user wants.
    pub options: &'w Options,
    /// What it may cost.
    pub budget: &'w Budget<'w>,
    /// Who is told what was found.
    pub journal: &'w mut dyn Journal,
    /// The tests that are finished.
    pub tests: Vec<Trace>,
    /// The test that is being made; without states, there is none.
    pub begun: Trace,
}

impl Work<'_> {
    /// Takes over what an earlier run has found.
    fn recall(&mut self, tracker: &mut Tracker<'_>) {
        for record in self.journal.recall() {
            match record {
                Record::Segment { at, states, loop_start } => {
                    self.begun.states.truncate(at);
                    self.begun.states.extend(states);
                    self.begun.loop_start = loop_start;
                    let met = tracker.new_in(&self.begun, at);
                    tracker.meet(met.into_iter().map(|(part, _)| part));
                }
                Record::Finished => {
                    let test = std::mem::take(&mut self.begun);
                    let shown = tracker.found_like(&test);
                    tracker.meet(shown);
                    self.tests.push(test);
                }
                Record::Found { trace, parts } => {
                    let place = tracker.found.len();
                    tracker.found.push(trace);
                    for (part, state) in parts {
                        tracker.know(part, Status::Known { trace: place, state });
                    }
                }
                Record::Infeasible { part, how } => tracker.recall_proof(part, how),
            }
        }
    }

    fn has_nothing(&self) -> bool {
        self.tests.is_empty() && self.begun.states.is_empty()
    }

    /// The test that is being made goes on like this from its last state.
    fn append(&mut self, way: Trace) {
        let at = self.begun.states.len().saturating_sub(1);
        self.begun.states.truncate(at);
        self.begun.states.extend(way.states.iter().cloned());
        self.begun.loop_start = way.loop_start.map(|start| at + start);
        let loop_start = self.begun.loop_start;
        self.journal.write(&Record::Segment { at, states: way.states, loop_start });
    }

    /// The test that is being made is finished.
    fn finish(&mut self) {
        self.journal.write(&Record::Finished);
        self.tests.push(std::mem::take(&mut self.begun));
    }
}
