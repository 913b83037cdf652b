//! How much memory the process uses, counted by the allocator.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that are allocated.
pub fn used() -> u64 {
    ALLOCATOR.allocated() as u64
}
