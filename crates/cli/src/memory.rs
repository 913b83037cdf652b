//! How much memory the process uses.
//!
//! The allocator counts what is asked for; that is what engines compare with `--memory` before
//! they grow. What the counter can't see (code, stack, the allocator's own pages) is nearly the
//! same in every run, and is added.

use std::alloc::System;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, thread};

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What a run takes besides what it allocates.
const BASE: u64 = 4 << 20;

/// Polling interval. In this time little memory can be filled.
const PAUSE: Duration = Duration::from_millis(2);

/// The stack of work that is watched. Only what is used of it takes memory.
const STACK: usize = 512 << 20;

/// Runs work that might allocate any amount of memory. Gives up when it has allocated more than
/// `max` bytes; then the work continues until the process ends, which should be soon.
pub fn watch<T: Send + 'static>(
    max: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let limit = used().saturating_add(max);
    let (sender, receiver) = mpsc::channel();
    let builder = thread::Builder::new().stack_size(STACK);
    // After giving up there is no receiver.
    let worker = builder.spawn(move || drop(sender.send(work())))?;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Timeout) if used() > limit => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ended has sent its result"),
            },
        }
    }
}

/// Bytes that the process uses.
pub fn used() -> u64 {
    BASE + ALLOCATOR.allocated() as u64
}
