//! How much memory the process uses, and what happens when there is no more.
//!
//! The allocator counts what is asked for; that is what engines compare with `--memory` before
//! they grow. What the counter can't see (code, stack, the allocator's own pages) is nearly the
//! same in every run, and is added.
//!
//! Whatever grows without asking ends the process in order when it has gone far beyond the limit,
//! and so does an allocation that the system refuses: Rust would abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::deadline;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a run takes besides what it allocates.
const BASE: u64 = 4 << 20;

/// Telling what was found may take so much memory after the limit was reached, besides half of
/// what the limit is.
const RESERVE: u64 = 128 << 20;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Bytes that the process uses.
pub fn used() -> u64 {
    BASE + ALLOCATED.load(Ordering::Relaxed) as u64
}

/// Ends the process when it uses far more than so many bytes.
pub fn limit(n_bytes: u64) {
    let ceiling = n_bytes.saturating_add(n_bytes / 2).saturating_add(RESERVE);
    CEILING.store(usize::try_from(ceiling).unwrap_or(usize::MAX), Ordering::Relaxed);
}

/// The allocator of the system, with a counter.
struct Counting;

fn grow(n_bytes: usize) {
    let before = ALLOCATED.fetch_add(n_bytes, Ordering::Relaxed);
    if before.saturating_add(n_bytes) > CEILING.load(Ordering::Relaxed) {
        deadline::end("the memory ran out", "allow more with --memory");
    }
}

fn shrink(n_bytes: usize) {
    ALLOCATED.fetch_sub(n_bytes, Ordering::Relaxed);
}

fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        deadline::end("the system has no more memory", "limit the search with --memory");
        // Another thread is ending the process, which takes no time.
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    memory
}

#[expect(unsafe_code, reason = "an allocator is; this one only counts for that of the system")]
// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        shrink(layout.size());
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size.saturating_sub(layout.size()));
        shrink(layout.size().saturating_sub(size));
        checked(unsafe { System.realloc(memory, layout, size) })
    }
}
