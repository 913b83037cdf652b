//! Maps a list with a few threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// NuSMV runs are long and the machine is shared.
pub const N_THREADS: usize = 2;

/// Maps a list with two threads; the results are in its order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    map_with(N_THREADS, items, work)
}

/// Maps a list with so many threads; the results are in its order.
pub fn map_with<T: Sync, R: Send>(
    n_threads: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(idx) else { return };
                    let result = work(idx, item);
                    if let Ok(mut results) = results.lock() {
                        results.push((idx, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(idx, _)| *idx);
    results.into_iter().map(|(_, result)| result).collect()
}
