//! Executing a suite, on several implementations at once.
//!
//! Workers take the tests in the order of the suite, each with an implementation of its own, and the
//! results come in that order: how many workers there are makes no difference to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use trapline_budget::{Budget, Progress};
use trapline_model::Model;

use crate::adapters::{self, Breakdown, Connection, Implementation};
use crate::execute::{Observation, execute};
use crate::result::{RunResult, TestResult, Verdict};
use crate::script::Script;
use crate::tester::Tester;
use crate::workers::work_at_once;

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
        n_done: AtomicUsize::new(0),
        results: Mutex::new(Ok(Vec::new())),
    };
    let progress = || {
        let tests = Some((shared.n_done.load(Ordering::SeqCst), scripts.len()));
        Progress { phase: "running", tests, ..Progress::default() }
    };
    let is_cut = work_at_once(options.n_jobs, budget, progress, |budget| {
        work(model, scripts, options, (budget, &shared));
    });
    let end = shared.end.into_inner();
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
    /// How many tests are done.
    n_done: AtomicUsize,
    results: Mutex<Result<Vec<Placed>, Breakdown>>,
}

fn work(
    model: &Model,
    scripts: &[(usize, Script)],
    options: &Options,
    (budget, shared): (&Budget<'_>, &Shared),
) {
    let tester = Tester::new(model, budget);
    let lock = || shared.results.lock().unwrap_or_else(PoisonError::into_inner);
    let mut implementation = match adapters::open(&options.connection, model, budget) {
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
