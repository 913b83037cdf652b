//! Which targets the tests of a suite meet: a [`Judge`](crate::goal::Judge) for many tests at once.
//!
//! The states of all tests are concatenated, split into blocks regardless of test boundaries, and
//! evaluated block by block ([`crate::columns`]). The last state of a test has no step, so that no
//! sequence of steps crosses from one test into the next. Threads take pieces; a piece starts early
//! enough to contain every sequence that ends in it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::columns::{Block, Columns, LANES, Mask, NONE, both, lanes, set};
use crate::eval::Valuation;
use crate::expr::ExprId;
use crate::goal::Target;
use crate::model::Model;
use crate::trace::Trace;

/// For each target the tests that meet it, in order, with the first state by which they do; for
/// steps, the state after the last one.
pub type Met = Vec<Vec<(usize, usize)>>;

/// A piece with fewer states is not worth a thread.
const MIN_PIECE: usize = 4_096;

/// Targets to be evaluated on suites.
#[derive(Clone, Debug)]
pub struct CoverageEvaluator {
    n_targets: usize,
    /// The targets about states, in the order of their columns.
    of_states: Vec<usize>,
    states: Columns,
    /// The targets about steps, with their columns.
    of_steps: Vec<(usize, Range<usize>)>,
    steps: Columns,
    /// The most steps of a target.
    n_steps: usize,
}

/// A state of a test.
#[derive(Clone, Copy, Debug)]
struct StateRef {
    test: usize,
    state: usize,
}

impl CoverageEvaluator {
    /// Prepares targets.
    pub fn new(model: &Model, targets: &[Target]) -> CoverageEvaluator {
        let (mut of_states, mut states) = (Vec::new(), Vec::<ExprId>::new());
        let (mut of_steps, mut steps) = (Vec::new(), Vec::<ExprId>::new());
        for (idx, target) in targets.iter().enumerate() {
            let start = steps.len();
            match target {
                Target::State(expr) => {
                    of_states.push(idx);
                    states.push(*expr);
                    continue;
                }
                Target::Step(expr) => steps.push(*expr),
                Target::Steps(exprs) => steps.extend(exprs),
            }
            of_steps.push((idx, start..steps.len()));
        }
        CoverageEvaluator {
            n_targets: targets.len(),
            of_states,
            states: Columns::new(model, &states),
            n_steps: of_steps.iter().map(|(_, roots)| roots.len()).max().unwrap_or(0),
            of_steps,
            steps: Columns::new(model, &steps),
        }
    }

    /// Evaluates which tests meet each target, with up to this many threads, while `goes_on`
    /// returns true: results up to then are sound, but incomplete.
    pub fn met(&self, tests: &[Trace], n_threads: usize, goes_on: &dyn Fn() -> bool) -> Met {
        let has_ended = AtomicBool::new(false);
        let has_ended = &has_ended;
        // Only this thread may ask; it takes as long as the others.
        let asks = || {
            has_ended.store(!goes_on(), Ordering::Relaxed);
            has_ended.load(Ordering::Relaxed)
        };
        let hears = || has_ended.load(Ordering::Relaxed);
        let n_states: usize = tests.iter().map(|test| test.states.len()).sum();
        let n_pieces = n_threads.min(n_states / MIN_PIECE).max(1);
        let piece = |idx: usize| {
            let start = n_states * idx / n_pieces;
            start.saturating_sub(self.n_steps)..n_states * (idx + 1) / n_pieces
        };
        let mut pieces = std::thread::scope(|scope| {
            let others: Vec<_> = (1..n_pieces)
                .map(|idx| scope.spawn(move || self.met_in(tests, piece(idx), &hears)))
                .collect();
            let mut pieces = vec![self.met_in(tests, piece(0), &asks)];
            for other in others {
                pieces.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            pieces.into_iter()
        });
        let mut met = pieces.next().unwrap_or_default();
        for piece in pieces {
            for (all, more) in met.iter_mut().zip(piece) {
                // What the piece before has seen too, or seen earlier.
                let last = all.last().map(|(test, _)| *test);
                all.extend(more.into_iter().filter(|(test, _)| last.is_none_or(|l| *test > l)));
            }
        }
        met
    }

    /// Evaluates a piece of the concatenated states, until interrupted.
    fn met_in(&self, tests: &[Trace], piece: Range<usize>, has_ended: &dyn Fn() -> bool) -> Met {
        let mut row = Row::new(self);
        let mut before = 0;
        for (test_idx, test) in tests.iter().enumerate() {
            let n_states = test.states.len();
            let start = piece.start.saturating_sub(before).min(n_states);
            let end = piece.end.saturating_sub(before).min(n_states);
            before += n_states;
            for state in start..end {
                if row.places.is_empty() && has_ended() {
                    return row.met;
                }
                let next = test.states.get(state + 1).map(|next| next.values.as_slice());
                row.push(StateRef { test: test_idx, state }, &test.states[state].values, next);
            }
        }
        row.flush();
        row.met
    }
}

/// The states that come next in the row, and what those before them have met.
struct Row<'t> {
    evaluator: &'t CoverageEvaluator,
    places: Vec<StateRef>,
    values: Vec<(&'t Valuation, &'t Valuation)>,
    /// The lanes with a state, and those with a step.
    is_state: Mask,
    is_step: Mask,
    states: Block,
    steps: Block,
    /// For each step of each target: did the last block end in it, with all those before it?
    carried: Vec<u64>,
    met: Met,
}

impl<'t> Row<'t> {
    fn new(evaluator: &'t CoverageEvaluator) -> Row<'t> {
        Row {
            evaluator,
            places: Vec::with_capacity(LANES),
            values: Vec::with_capacity(LANES),
            is_state: NONE,
            is_step: NONE,
            states: evaluator.states.block(),
            steps: evaluator.steps.block(),
            carried: vec![0; evaluator.steps.n_roots()],
            met: vec![Vec::new(); evaluator.n_targets],
        }
    }

    fn push(&mut self, place: StateRef, values: &'t Valuation, next: Option<&'t Valuation>) {
        let lane = self.places.len();
        set(&mut self.is_state, lane, true);
        set(&mut self.is_step, lane, next.is_some());
        self.places.push(place);
        self.values.push((values, next.unwrap_or(&[])));
        if self.places.len() == LANES {
            self.flush();
        }
    }

    /// Evaluates what was pushed.
    fn flush(&mut self) {
        let Row { evaluator, places, values, .. } = self;
        if !evaluator.of_states.is_empty() {
            evaluator.states.run(values, self.is_state, &mut self.states);
            for (root_idx, &target) in evaluator.of_states.iter().enumerate() {
                tell(self.states.met(root_idx), places, 0, &mut self.met[target]);
            }
        }
        if !evaluator.of_steps.is_empty() {
            evaluator.steps.run(values, self.is_step, &mut self.steps);
            for (target, roots) in &evaluator.of_steps {
                let mut done = [u64::MAX; NONE.len()];
                for root_idx in roots.clone() {
                    let is_first = root_idx == roots.start;
                    if !is_first {
                        done = after(done, &mut self.carried[root_idx]);
                    }
                    done = both(done, self.steps.met(root_idx));
                }
                if !roots.is_empty() {
                    tell(done, places, 1, &mut self.met[*target]);
                }
            }
        }
        self.places.clear();
        self.values.clear();
        self.is_state = NONE;
        self.is_step = NONE;
    }
}

/// The lanes after these; the last one is carried into the next block.
fn after(mask: Mask, carried: &mut u64) -> Mask {
    mask.map(|word| {
        let shifted = word << 1 | *carried;
        *carried = word >> 63;
        shifted
    })
}

/// Adds the tests of some lanes, unless they are known, with the first of their states.
fn tell(mask: Mask, places: &[StateRef], offset: usize, met: &mut Vec<(usize, usize)>) {
    if mask == NONE {
        return;
    }
    let mut last = met.last().map(|(test, _)| *test);
    if last == places.last().map(|place| place.test) {
        return;
    }
    for lane in lanes(mask) {
        let StateRef { test, state } = places[lane];
        if last != Some(test) {
            met.push((test, state + offset));
            last = Some(test);
        }
    }
}
