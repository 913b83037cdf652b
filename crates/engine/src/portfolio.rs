//! A portfolio: several engines in parallel on the same question.
//!
//! Each runs in a thread of its own. The first engine to decide every goal wins; the others are
//! cancelled. If none does, each continues as far as the budget allows. The winner does not depend
//! on the machine: it is the engine that needs the fewest *ticks*, a unit of work calibrated per
//! engine so that it takes about equally long for all. Engines that have used fewer ticks than the
//! winner so far continue until they exceed its count.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use trapline_budget::{Budget, PATIENCE, Progress, Seed};

/// Stack size of a thread: only used pages take memory.
const STACK: usize = 256 << 20;

/// A participant.
#[derive(Clone, Copy, Debug)]
pub struct Runner {
    /// Units of its work per tick.
    pub tick: u64,
    /// Head start of the others, in ticks. It is added to its own ticks; it waits for about as
    /// long.
    pub handicap: u64,
}

/// Ticks in one wait of [`PATIENCE`], approximately.
const TICKS_PER_WAIT: u64 = 3;

/// The result of a race.
pub struct RaceResult<A> {
    /// The answer of each engine and the work it took; `None` if its thread could not be started.
    pub finishes: Vec<Option<(A, u64)>>,
    /// The engine that decided everything.
    pub winner: Option<usize>,
}

/// State shared by the threads.
struct Shared<'r> {
    runners: &'r [Runner],
    /// The work after which each engine must stop.
    ends: Vec<AtomicU64>,
    state: Mutex<State>,
    has_left: Condvar,
}

struct State {
    n_running: usize,
    /// True once all threads have been started.
    has_started: bool,
    /// The ticks and the index of the best engine that decided everything.
    best: Option<(u64, usize)>,
    progress: Progress,
}

/// Runs all engines, for a number of ticks if that is limited.
pub fn race<A: Send>(
    runners: &[Runner],
    n_ticks: Option<u64>,
    budget: &Budget<'_>,
    ask: impl Fn(usize, &Budget<'_>) -> A + Sync,
    is_complete: impl Fn(&A) -> bool + Sync,
) -> RaceResult<A> {
    let shared = Shared {
        runners,
        ends: runners.iter().map(|runner| AtomicU64::new(end(runner, n_ticks))).collect(),
        state: Mutex::new(State {
            n_running: 0,
            has_started: false,
            best: None,
            progress: budget.progress(),
        }),
        has_left: Condvar::new(),
    };
    let run = |runner_idx: usize, limits: Seed<'_>| {
        let _leave = Leave(&shared);
        if !shared.await_start(runner_idx) {
            return None;
        }
        let report = |progress: &Progress| shared.report(progress);
        let part = limits.budget(&shared.ends[runner_idx], &report);
        let answer = ask(runner_idx, &part);
        if is_complete(&answer) {
            shared.finish(runner_idx, part.work());
        }
        Some((answer, part.work()))
    };
    let finishes = std::thread::scope(|scope| {
        let run = &run;
        let start = |runner_idx: usize| {
            let seed = budget.seed();
            let builder = std::thread::Builder::new().stack_size(STACK);
            shared.lock().n_running += 1;
            let thread = builder.spawn_scoped(scope, move || run(runner_idx, seed));
            thread.inspect_err(|_| shared.leave()).ok()
        };
        let threads: Vec<_> = (0..runners.len()).map(start).collect();
        shared.lock().has_started = true;
        shared.poll_budget(budget);
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(|thread| thread.and_then(join)).collect()
    });
    let winner = shared.lock().best.map(|(_, runner_idx)| runner_idx);
    RaceResult { finishes, winner }
}

fn end(runner: &Runner, n_ticks: Option<u64>) -> u64 {
    let own = |n_ticks: u64| n_ticks.saturating_sub(runner.handicap).saturating_mul(runner.tick);
    n_ticks.map_or(u64::MAX, own)
}

/// Leaves the race, even on a panic.
struct Leave<'t>(&'t Shared<'t>);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self) {
        self.lock().n_running -= 1;
        self.has_left.notify_all();
    }

    /// An engine has decided everything: those that need more ticks are cancelled.
    fn finish(&self, runner_idx: usize, work: u64) {
        let mut state = self.lock();
        let Runner { tick, handicap } = self.runners[runner_idx];
        let mine = (work / tick + handicap, runner_idx);
        if state.best.is_none_or(|best| mine < best) {
            state.best = Some(mine);
            for (own_end, runner) in self.ends.iter().zip(self.runners) {
                own_end.fetch_min(end(runner, Some(mine.0 + 1)), Ordering::Relaxed);
            }
        }
    }

    /// Waits out the head start of the others, or until they have left. Returns false if it can no
    /// longer win.
    fn await_start(&self, runner_idx: usize) -> bool {
        let handicap = self.runners[runner_idx].handicap;
        let mut n_waits = handicap / TICKS_PER_WAIT;
        let mut state = self.lock();
        loop {
            let is_late = state.best.is_some_and(|(n_ticks, _)| n_ticks < handicap);
            let is_over = self.ends[runner_idx].load(Ordering::Relaxed) == 0;
            if is_late || handicap > 0 && is_over {
                return false;
            }
            // Waiting engines do not wait for each other.
            let n_waiting = self.runners.iter().filter(|runner| runner.handicap > 0).count();
            if n_waits == 0 || state.n_running <= n_waiting && state.has_started {
                return true;
            }
            n_waits -= 1;
            let waited = self.has_left.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reports the furthest progress of all: alternating reports would jump back and forth.
    fn report(&self, progress: &Progress) {
        let mut state = self.lock();
        let n_open = state.progress.n_open.min(progress.n_open);
        if (progress.depth, progress.n_states) > (state.progress.depth, state.progress.n_states) {
            state.progress = Progress { n_open, ..*progress };
        }
    }

    /// Polls the budget on behalf of all threads until they have left.
    fn poll_budget(&self, budget: &Budget<'_>) {
        let mut state = self.lock();
        while state.n_running > 0 {
            let wait = self.has_left.wait_timeout(state, PATIENCE);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
            budget.note(state.progress);
            if budget.has_patience().is_err() {
                self.ends.iter().for_each(|end| end.store(0, Ordering::Relaxed));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Why;
    use trapline_budget::Limits;

    const EVEN: [Runner; 2] = [Runner { tick: 10, handicap: 0 }, Runner { tick: 10, handicap: 0 }];

    /// Works in small steps. Returns the work done, or why it stopped.
    fn work_for(work: u64, budget: &Budget<'_>) -> Result<u64, Why> {
        for _ in 0..work {
            budget.spend(1)?;
        }
        Ok(work)
    }

    #[test]
    fn the_least_work_wins_however_the_threads_run() {
        for round in 0..50 {
            let work = [5_000 + round, 4_000];
            let race = race(
                &EVEN,
                None,
                &Budget::unlimited(),
                |idx, b| work_for(work[idx], b),
                Result::is_ok,
            );
            assert_eq!(race.winner, Some(1), "round {round}");
            assert!(matches!(&race.finishes[1], Some((Ok(4_000), 4_000))));
        }
    }

    #[test]
    fn of_two_that_need_the_same_the_first_wins_and_a_beat_may_be_longer() {
        let race_of = |runners: &[Runner], work: [u64; 2]| {
            race(
                runners,
                None,
                &Budget::unlimited(),
                |idx, b| work_for(work[idx], b),
                Result::is_ok,
            )
            .winner
        };
        assert_eq!(race_of(&EVEN, [3_009, 3_000]), Some(0));
        assert_eq!(race_of(&EVEN, [3_010, 3_000]), Some(1));
        let uneven = [Runner { tick: 10, handicap: 0 }, Runner { tick: 100, handicap: 0 }];
        assert_eq!(race_of(&uneven, [3_000, 29_999]), Some(1));
        assert_eq!(race_of(&uneven, [3_000, 30_000]), Some(0));
    }

    #[test]
    fn who_has_not_all_answers_does_not_win_and_stops_nobody() {
        let answer = |idx: usize, b: &Budget<'_>| match idx {
            0 => Err(Why::Unsupported("this".into())),
            _ => work_for(100_000, b),
        };
        let race = race(&EVEN, None, &Budget::unlimited(), answer, Result::is_ok);
        assert_eq!(race.winner, Some(1));
    }

    #[test]
    fn limits_hold_for_all_and_an_interrupt_stops_all() {
        let limited = Budget::new(Limits { work: Some(500), ..Limits::default() });
        let ended = race(&EVEN, None, &limited, |_, b| work_for(u64::MAX, b), Result::is_ok);
        assert_eq!(ended.winner, None);
        for (answer, _) in ended.finishes.into_iter().flatten() {
            assert_eq!(answer, Err(Why::Work));
        }
        let impatient = Budget::unlimited().with_interrupt(&|| true);
        let ended = race(&EVEN, None, &impatient, |_, b| work_for(u64::MAX, b), Result::is_ok);
        for (answer, _) in ended.finishes.into_iter().flatten() {
            assert_eq!(answer, Err(Why::Interrupted));
        }
    }

    #[test]
    fn a_round_ends_after_its_beats() {
        let uneven = [Runner { tick: 10, handicap: 0 }, Runner { tick: 100, handicap: 0 }];
        let round = |work: [u64; 2]| {
            let ask = |idx: usize, b: &Budget<'_>| work_for(work[idx], b);
            race(&uneven, Some(50), &Budget::unlimited(), ask, Result::is_ok)
        };
        let ended = round([501, 5_001]);
        assert_eq!(ended.winner, None);
        for ((answer, work), end) in ended.finishes.into_iter().flatten().zip([500, 5_000]) {
            assert_eq!((answer, work), (Err(Why::Interrupted), end));
        }
        assert_eq!(round([501, 4_000]).winner, Some(1));
    }

    #[test]
    fn a_handicap_counts_as_work() {
        let runners = [EVEN[0], Runner { tick: 10, handicap: 20 }];
        let race_of = |work: [u64; 2]| {
            let ask = |idx: usize, b: &Budget<'_>| work_for(work[idx], b);
            race(&runners, None, &Budget::unlimited(), ask, Result::is_ok).winner
        };
        // 20 ticks of ten units.
        assert_eq!(race_of([1_200, 990]), Some(1));
        assert_eq!(race_of([1_200, 1_000]), Some(0));
        assert_eq!(race_of([150, 1]), Some(0));
        let answer = |idx: usize, b: &Budget<'_>| match idx {
            0 => Err(Why::Unsupported("this".into())),
            _ => work_for(100, b),
        };
        let race = race(&runners, None, &Budget::unlimited(), answer, Result::is_ok);
        assert_eq!(race.winner, Some(1));
    }

    #[test]
    fn a_panic_is_passed_on() {
        let panics = |idx: usize, b: &Budget<'_>| {
            assert!(idx == 0, "as expected");
            work_for(10_000, b)
        };
        let run = || race(&EVEN, None, &Budget::unlimited(), panics, Result::is_ok);
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
