//! What every command gets besides its own arguments.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Instant;

use crate::failure::Failure;
use crate::terminal::{Output, Terminal};

/// What every command gets besides its own arguments.
#[derive(Debug)]
pub struct Context {
    /// Where messages go.
    pub terminal: Terminal,
    /// Where the result goes, if not to standard output.
    pub output: Option<PathBuf>,
    /// When the process started.
    pub started: Instant,
    /// The files that were read, which nothing that is written may replace unasked.
    pub read: RefCell<Vec<PathBuf>>,
}

impl Context {
    /// Opens the place where the result goes.
    pub fn output(&self) -> Result<Output, Failure> {
        self.terminal.output(self.output.as_deref())
    }

    /// Writes a whole result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let mut output = self.output()?;
        output.write(text)?;
        output.finish()
    }
}
