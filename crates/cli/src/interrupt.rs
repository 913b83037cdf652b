//! Ctrl-C.
//!
//! A command that can stop early declares so with [`watch`]; from then on the first Ctrl-C only
//! raises a flag that it polls. Otherwise, and the second time, the process ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static IS_RAISED: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C.
pub fn install() {
    let handler = || {
        let is_first = !IS_RAISED.swap(true, Ordering::SeqCst);
        if !(is_first && IS_WATCHED.load(Ordering::SeqCst)) {
            std::process::exit(Exit::Interrupted as i32);
        }
    };
    // Without a handler Ctrl-C ends the process just as well, only with less grace.
    let _ = ctrlc::set_handler(handler);
}

/// From now on the flag is polled.
pub fn watch() {
    IS_WATCHED.store(true, Ordering::SeqCst);
}

/// Has the user pressed Ctrl-C?
pub fn is_raised() -> bool {
    IS_RAISED.load(Ordering::SeqCst)
}
