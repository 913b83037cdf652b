//! Executing a suite, on several implementations at once.
//!
//! Workers take the tests in the order of the suite, each with an implementation of its own, and the
//! results come in that order: how many workers there are makes no difference to them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use trapline_budget::{Budget, PATIENCE, Progress, Seed};
use trapline_model::Model;

use crate::adapters::{self, Breakdown, Connection, Implementation};
use crate::execute::{Observation, execute};
use crate::result::{RunResult, TestResult, Verdict};
use crate::script::Script;
use crate::tester::Tester;

/// How to execute a suite.
#[derive(Clone, Debug)]
pub struct Options {
    /// How to reach the implementation.
    pub connection: Connection,
    /// How many implementations run at once.
    pub n_jobs: usize,
    /// Is the first failure or error the end?
    pub is_fail_fast: bool,
    /// What the tester does not see.
    pub observation: Observation,
    /// How often each test is executed, at least once.
    pub n_repeats: usize,
}

/// Deep expressions need no stack, diagrams some.
const STACK: usize = 16 << 20;

/// Executes tests, each with its index in the suite, until all are done or the budget has run out.
///
/// # Errors
/// When no implementation can be opened at all.
pub fn run(
    model: &Model,
    scripts: &[(usize, Script)],
    options: &Options,
    budget: &Budget<'_>,
) -> Result<RunResult, Breakdown> {
    let shared = Shared {
        next: AtomicUsize::new(0),
        end: AtomicUsize::new(scripts.len()),
        cut: AtomicU64::new(u64::MAX),
        n_running: AtomicUsize::new(options.n_jobs.max(1)),
        n_done: AtomicUsize::new(0),
        results: Mutex::new(Ok(Vec::new())),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.n_jobs.max(1) {
            let (seed, shared) = (budget.seed(), &shared);
            let worker = move || {
                let _leave = Leave(&shared.n_running);
                work(model, scripts, options, (seed, shared));
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, worker).is_err() {
                shared.n_running.fetch_sub(1, Ordering::SeqCst);
            }
        }
        while shared.n_running.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(PATIENCE);
            let n_done = shared.n_done.load(Ordering::SeqCst);
            let tests = Some((n_done, scripts.len()));
            budget.note(Progress { phase: "running", tests, ..Progress::default() });
            if budget.has_patience().is_err() {
                shared.cut.store(0, Ordering::SeqCst);
            }
        }
    });
    let end = shared.end.into_inner();
    let is_cut = shared.cut.into_inner() == 0;
    let mut tests = shared.results.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    tests.sort_by_key(|(place, _, _)| *place);
    tests.retain(|(place, _, _)| *place < end);
    let tests: Vec<_> = tests.into_iter().map(|(_, idx, test)| (idx, test)).collect();
    Ok(RunResult { is_complete: !is_cut && tests.len() == scripts.len(), tests })
}

/// A result, with the place of its test among those that are executed and in the suite.
type Placed = (usize, usize, TestResult);

/// What workers share.
struct Shared {
    /// The next test.
    next: AtomicUsize,
    /// Tests from here on do not matter.
    end: AtomicUsize,
    /// Zero stops all work.
    cut: AtomicU64,
    n_running: AtomicUsize,
    /// How many tests are done.
    n_done: AtomicUsize,
    results: Mutex<Result<Vec<Placed>, Breakdown>>,
}

struct Leave<'t>(&'t AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn work(
    model: &Model,
    scripts: &[(usize, Script)],
    options: &Options,
    (seed, shared): (Seed<'_>, &Shared),
) {
    let silent = |_: &_| {};
    let budget = seed.budget(&shared.cut, &silent);
    let tester = Tester::new(model, &budget);
    let lock = || shared.results.lock().unwrap_or_else(PoisonError::into_inner);
    let mut implementation = match adapters::open(&options.connection, model, &budget) {
        Ok(implementation) => implementation,
        Err(breakdown) => {
            *lock() = Err(breakdown);
            return;
        }
    };
    loop {
        let place = shared.next.fetch_add(1, Ordering::SeqCst);
        let is_over = place >= shared.end.load(Ordering::SeqCst);
        let Some((idx, script)) = scripts.get(place).filter(|_| !is_over) else { return };
        let result = one(model, (*idx, script), options, &tester, implementation.as_mut());
        // What was cut short says nothing.
        if budget.spend(0).is_err() && result.verdict != Verdict::Fail {
            return;
        }
        let is_bad = matches!(result.verdict, Verdict::Fail | Verdict::Error);
        if options.is_fail_fast && is_bad {
            shared.end.fetch_min(place + 1, Ordering::SeqCst);
        }
        shared.n_done.fetch_add(1, Ordering::SeqCst);
        if let Ok(results) = &mut *lock() {
            results.push((place, *idx, result));
        }
    }
}

fn one(
    model: &Model,
    (idx, script): (usize, &Script),
    options: &Options,
    tester: &Tester<'_, '_>,
    implementation: &mut dyn Implementation,
) -> TestResult {
    let mut all: Option<TestResult> = None;
    for repeat in 0..options.n_repeats.max(1) {
        implementation.prepare(idx, repeat);
        let result = execute(script, model, tester, implementation, &options.observation);
        // Nobody knows what is left of an implementation that broke down.
        if result.verdict == Verdict::Error {
            implementation.end();
        }
        match &mut all {
            None => all = Some(result),
            Some(all) => all.repeat(result),
        }
    }
    all.unwrap_or_else(|| unreachable!("a test is executed at least once"))
}
