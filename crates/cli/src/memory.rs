//! How much memory the process uses.
//!
//! The allocator counts what is asked for; that is what engines compare with `--memory` before
//! they grow. What the counter can't see (code, stack, the allocator's own pages) is nearly the
//! same in every run, and is added.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What a run takes besides what it allocates.
const BASE: u64 = 4 << 20;

/// Bytes that the process uses.
pub fn used() -> u64 {
    BASE + ALLOCATOR.allocated() as u64
}
