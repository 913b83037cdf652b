//! Files of other names for variables and values (`--map`).

use std::path::Path;

use trapline_suite::rename::{Renaming, WrongLine};

use crate::context::Context;
use crate::failure::Failure;
use crate::files::{self, Extra};

/// A file of names.
pub struct MapFile {
    place: String,
    /// What it says.
    pub renaming: Renaming,
}

impl MapFile {
    /// Reads a file; what is wrong with it has been said.
    pub fn read(path: &Path, context: &Context) -> Result<MapFile, Failure> {
        let Extra { place, text } = files::read_text(path, context)?;
        let (renaming, wrong) = match Renaming::parse(&text) {
            Ok(renaming) => (renaming, Vec::new()),
            Err(wrong) => (Renaming::default(), wrong),
        };
        let file = MapFile { place, renaming };
        if wrong.is_empty() { Ok(file) } else { Err(file.refuse(&wrong, context)) }
    }

    /// Says what is wrong with it.
    pub fn refuse(&self, wrong: &[WrongLine], context: &Context) -> Failure {
        for line in wrong {
            context.terminal.error(&format!("{}: {line}", self.place), None);
        }
        Failure::Reported
    }
}
