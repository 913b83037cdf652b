//! The exit codes, which users script against.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, nothing negative found.
    Done = 0,
    /// A negative finding: a property is false, a test failed, there is no initial state.
    Negative = 1,
    /// Bad usage, bad input, a missing file.
    BadInput = 2,
    /// Undecided: a limit was reached.
    Undecided = 3,
    /// A bug in trapline.
    Bug = 70,
    /// Interrupted; what was found so far is written.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
