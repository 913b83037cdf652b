//! What every command gets besides its own arguments.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
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
    /// The files that were read, which nothing that is written may replace.
    pub read: RefCell<Vec<PathBuf>>,
}

impl Context {
    /// Opens the output.
    pub fn output(&self) -> Result<Output, Failure> {
        self.terminal.output(self.output.as_deref())
    }

    /// Opens a file for anything else that is written.
    ///
    /// # Errors
    /// When it was read in this run, or can't be written.
    pub fn open(&self, path: &Path) -> Result<Output, Failure> {
        if self.read.borrow().iter().any(|read| is_same_file(read, path)) {
            let text = format!("`{}` was read and would be overwritten", path.display());
            return Err(Failure::refused(text).help("choose another name"));
        }
        self.terminal.output(Some(path))
    }

    /// Keeps a file that is about to be read from being overwritten.
    ///
    /// # Errors
    /// When the result is to go there.
    pub fn protect(&self, path: &Path) -> Result<(), Failure> {
        if self.output.as_ref().is_some_and(|output| is_same_file(output, path)) {
            return Err(Failure::refused(format!("-o would overwrite `{}`", path.display())));
        }
        self.read.borrow_mut().push(path.to_path_buf());
        Ok(())
    }

    /// Writes a whole result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let mut output = self.output()?;
        output.write(text)?;
        output.finish()
    }
}

/// True if both name a file that exists, and the same one.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
