//! Generates tests for goals.
//!
//! First an engine decides all subgoals at once: the reachable ones with shortest traces, the
//! others with a proof. Then tests are built for the reachable ones. A test is extended to the
//! nearest open subgoal, as in SAL-ATG (Hamon, de Moura, Rushby, *Generating Efficient Test Sets
//! with a Model Checker*, 2004); where that fails, the next test starts with a known trace, or
//! continues from the nearest known state. If the whole reachability graph can be explored, short
//! tests are computed on it.

mod diverse;
mod extend;
pub(crate) mod initial;
mod segment;
pub(crate) mod separate;
mod shorten;
mod warm_up;

use trapline_engine::{Budget, Engine, auto};
use trapline_goals::GoalSet;
use trapline_goals::decide::{self, Makeable, Verdict};
use trapline_goals::subgoals::Subgoals;
use trapline_model::trace::Trace;

use crate::journal::{Journal, Log, Record};
use crate::tracker::Tracker;

pub use segment::{Segment, Slice};

/// After this much work the searches for segments start anew, so that a run can be resumed from
/// there: seconds, of which little is needed to start.
const CHECKPOINT_WORK: u64 = 30_000_000;

/// The generation strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// A shortest trace for each goal.
    Separate,
    /// Extend each test to the next goal.
    Extend,
}

/// Objective to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fewest {
    /// Tests, then steps.
    Tests,
    /// Steps, then tests.
    Steps,
}

/// Generation options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How tests are made.
    pub strategy: Strategy,
    /// Objective to minimise.
    pub fewest: Fewest,
    /// Depth limit of a search from the initial states; `None` for no limit.
    pub initial_depth: Option<u64>,
    /// Depth limit of an extension; `None` for no limit.
    pub extension_depth: Option<u64>,
    /// Minimum number of steps of a segment.
    pub min_depth: u64,
    /// Shortest segments only, even where others are found sooner.
    pub is_incremental: bool,
    /// Where a test cannot be extended, backtrack to the end of its first segment.
    pub branch: bool,
    /// A segment counts for one goal only, whatever else it meets.
    pub no_prune: bool,
    /// Which variables a search omits.
    pub slice: Slice,
    /// Number of random steps to start with.
    pub warm_up: usize,
    /// Random seed.
    pub seed: u64,
    /// Number of tests per goal, with different inputs.
    pub diverse: usize,
    /// Search for shorter tests to choose from.
    pub shorten: bool,
    /// The work between two points from which a run can be resumed while tests are extended.
    pub checkpoint_work: u64,
    /// The engine for initial segments and proofs.
    pub initial_engine: Engine,
    /// The engine for extensions.
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
            checkpoint_work: CHECKPOINT_WORK,
            initial_engine: engine,
            engine,
        }
    }

    /// A canonical text of all options, for comparison.
    pub fn text(&self) -> String {
        let (initial_engine, engine) = (self.initial_engine.name, self.engine.name);
        let others = (self.strategy, self.fewest, self.slice);
        let numbers = (self.initial_depth, self.extension_depth, self.min_depth, self.warm_up);
        let more = (self.seed, self.diverse, self.is_incremental, self.branch, self.no_prune);
        let more = (more, self.shorten, self.checkpoint_work);
        format!("{initial_engine} {engine} {others:?} {numbers:?} {more:?}")
    }
}

/// True for the engine that selects among the others.
fn is_auto(engine: &Engine) -> bool {
    engine.name == auto::ENGINE.name
}

/// The result of generation.
#[derive(Debug)]
pub struct Generated {
    /// The tests, without monitor variables.
    pub tests: Vec<Trace>,
    /// Further tests for the same goals, with inputs that differ from all before; some goals may
    /// have none.
    pub others: Vec<Vec<Trace>>,
    /// One per goal. Covered goals carry no witness: the tests are the witnesses.
    pub verdicts: Vec<Verdict>,
    /// The subgoals.
    pub subgoals: Subgoals,
    /// Which of them the tests are known to meet; a test may meet others incidentally.
    pub is_met: Vec<bool>,
    /// For each decision of a pair, which evaluations can be made.
    pub makeable: Makeable,
    /// True if some proofs were taken from a journal and not rechecked.
    pub has_recalled_proofs: bool,
    /// True if the journal has answers to other questions.
    pub is_misfit: bool,
    /// With one trace for each goal, how many there are.
    pub traces: Option<Traces>,
}

/// A number of traces, one for each goal or evaluation of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Traces {
    /// All of them.
    pub n_all: usize,
    /// Those that may not be shortest.
    pub n_perhaps_long: usize,
}

/// Generates tests. The answers of searches are recorded in the journal; those that it has from an
/// earlier run are not searched for again.
pub fn generate(
    set: &GoalSet,
    options: &Options,
    journal: &mut dyn Journal,
    budget: &Budget<'_>,
) -> Generated {
    let mut tracker = Tracker::new(set, budget);
    let mut work = Work::new(options, journal, budget);
    if options.warm_up > 0 {
        warm_up::walk(&mut tracker, &mut work);
    }
    initial::find(&mut tracker, &mut work);
    let short = shorten::make(&mut tracker, &mut work);
    if options.strategy == Strategy::Extend {
        extend::make(&mut tracker, &mut work);
    }
    let traces = separate::make(&mut tracker, &mut work);
    let shorter = shorten::shorter(short, &tracker, &work);
    work.tests.extend(shorter);
    let rounds = diversify(&tracker, &mut work);
    let (verdicts, makeable, is_met) = (tracker.goals(), tracker.makeable(), tracker.is_met());
    let mut rounds = rounds.into_iter().map(|tests| decide::own_traces(set, tests));
    let tests = rounds.next().unwrap_or_default();
    Generated {
        tests,
        others: rounds.collect(),
        verdicts,
        is_met,
        makeable,
        has_recalled_proofs: tracker.has_recalled_proofs(),
        is_misfit: work.log.is_misfit,
        traces: (options.strategy == Strategy::Separate).then_some(traces),
        subgoals: tracker.subgoals,
    }
}

/// The tests, and as often as requested others with different inputs.
fn diversify(tracker: &Tracker<'_>, work: &mut Work<'_>) -> Vec<Vec<Trace>> {
    let mut rounds = vec![std::mem::take(&mut work.tests)];
    for _ in 1..work.options.diverse {
        let recalled = work.recall(|record| match record {
            Record::Others(tests) => Some(tests),
            _ => None,
        });
        let others = recalled.unwrap_or_else(|| {
            let others = diverse::others(tracker, &rounds.concat(), work);
            let record = work.log.write(Record::Others(others), work.budget);
            let Record::Others(others) = record else { unreachable!("it is what was written") };
            others
        });
        if others.is_empty() {
            break;
        }
        rounds.push(others);
    }
    rounds
}

/// The state of a generation run.
pub(crate) struct Work<'w> {
    /// The options.
    pub options: &'w Options,
    /// The budget.
    pub budget: &'w Budget<'w>,
    /// The answers of searches.
    pub log: Log<'w>,
    /// The finished tests.
    pub tests: Vec<Trace>,
    /// The test under construction; empty if there is none.
    pub begun: Trace,
    /// The subgoals to which there may be shorter traces.
    pub perhaps_long: Vec<usize>,
}

impl<'w> Work<'w> {
    /// Nothing was made yet.
    pub fn new(
        options: &'w Options,
        journal: &'w mut dyn Journal,
        budget: &'w Budget<'w>,
    ) -> Work<'w> {
        let (tests, begun) = (Vec::new(), Trace::default());
        Work { options, budget, log: Log::new(journal), tests, begun, perhaps_long: Vec::new() }
    }

    /// The next answer of an earlier run, if one is left.
    fn recall<T>(&mut self, take: impl FnOnce(Record) -> Option<T>) -> Option<T> {
        self.log.recall((self.budget, self.budget), take)
    }

    /// Extends the test under construction from its last state.
    fn append(&mut self, way: Trace) {
        let at = self.begun.states.len().saturating_sub(1);
        self.begun.states.truncate(at);
        self.begun.states.extend(way.states);
        self.begun.loop_start = way.loop_start.map(|start| at + start);
    }

    /// Finishes the test under construction.
    fn finish(&mut self) {
        self.tests.push(std::mem::take(&mut self.begun));
    }
}
