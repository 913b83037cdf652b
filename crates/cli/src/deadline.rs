//! The last resort where a limit did not hold: the process ends in order.
//!
//! Searches ask their budget, stop, and tell what they found. What does not ask is ended from
//! outside when it is far beyond the limit. Files are written whole or not at all, so nothing is
//! half done; a journal keeps what was found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use trapline_engine::{Exhausted, Limits};

use crate::exit::Exit;
use crate::{memory, terminal};

/// Stopping and telling what was found may take so long, besides a tenth of the time allowed.
const RESERVE: Duration = Duration::from_secs(10);

/// Polling interval. In this time little memory can be filled.
const PAUSE: Duration = Duration::from_millis(2);

/// The stack of work that is watched. Only what is used of it takes memory.
const STACK: usize = 512 << 20;

static IS_TELLING: AtomicBool = AtomicBool::new(false);
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends the process when it goes far beyond these limits. The time counts from the start.
pub fn enforce(limits: &Limits, started: Instant) {
    limits.memory.into_iter().for_each(memory::limit);
    let Some(time) = limits.time else { return };
    let reserve = RESERVE.saturating_add(time / 10);
    let left = time.saturating_add(reserve).saturating_sub(started.elapsed());
    let wait = move || {
        thread::sleep(left);
        if !IS_TELLING.load(Ordering::SeqCst) {
            end("the time ran out", "allow more with --timeout");
        }
    };
    // Without that thread the limits hold where they are asked for.
    let _ = thread::Builder::new().spawn(wait);
}

/// The result is being written: however long that takes, time does not end it any more.
pub fn tell() {
    IS_TELLING.store(true, Ordering::SeqCst);
}

/// Ends the process because something ran out. Only the first call does that; nothing is allocated.
pub fn end(what: &str, help: &str) {
    if !IS_ENDING.swap(true, Ordering::SeqCst) {
        terminal::report_end(what, help);
        std::process::exit(Exit::Undecided as i32);
    }
}

/// What work that nobody can ask to stop may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Time from now on.
    pub time: Duration,
    /// Bytes that are allocated from now on.
    pub memory: u64,
}

/// Runs work that might take any time and any amount of memory. Gives up when it has taken more
/// than it may; then the work continues until the process ends, which should be soon.
pub fn watch<T: Send + 'static>(
    allowance: Allowance,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Result<T, Exhausted>> {
    let limit = memory::used().saturating_add(allowance.memory);
    let started = Instant::now();
    let (sender, receiver) = mpsc::channel();
    let builder = thread::Builder::new().stack_size(STACK);
    // After giving up there is no receiver.
    let worker = builder.spawn(move || drop(sender.send(work())))?;
    loop {
        if memory::used() > limit {
            return Ok(Err(Exhausted::Memory));
        }
        if started.elapsed() >= allowance.time {
            return Ok(Err(Exhausted::Time));
        }
        match receiver.recv_timeout(PAUSE) {
            Ok(result) => return Ok(Ok(result)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ended has sent its result"),
            },
        }
    }
}
