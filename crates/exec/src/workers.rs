//! Threads that work on the same list, until it is done or the budget has run out.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use trapline_budget::{Budget, PATIENCE, Progress};

/// Deep expressions need no stack, diagrams some.
const STACK: usize = 16 << 20;

/// Runs a worker in each of some threads, with a budget of its own, and waits for them, telling how far they
/// are; returns whether they were stopped.
pub(crate) fn work_at_once(
    n_jobs: usize,
    budget: &Budget<'_>,
    progress: impl Fn() -> Progress,
    worker: impl Fn(&Budget<'_>) + Sync,
) -> bool {
    // Zero stops all work.
    let cut = AtomicU64::new(u64::MAX);
    let n_running = AtomicUsize::new(n_jobs.max(1));
    std::thread::scope(|scope| {
        for _ in 0..n_jobs.max(1) {
            let (seed, cut, n_running, worker) = (budget.seed(), &cut, &n_running, &worker);
            let run = move || {
                let _leave = Leave(n_running);
                let silent = |_: &_| {};
                worker(&seed.budget(cut, &silent));
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, run).is_err() {
                n_running.fetch_sub(1, Ordering::SeqCst);
            }
        }
        while n_running.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(PATIENCE);
            budget.note(progress());
            if budget.has_patience().is_err() {
                cut.store(0, Ordering::SeqCst);
            }
        }
    });
    cut.into_inner() == 0
}

struct Leave<'t>(&'t AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
