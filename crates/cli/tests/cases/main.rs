//! The cases under `tests/cases`: each innermost folder is a test of that name.
//!
//! `lang/<language>/` has what is about a language, and a folder for each command has what is about that
//! command; `usage` is about the command line itself. A case folder holds
//! - `README.md`: one sentence, the fact that the case asserts;
//! - the input files, copied to a fresh folder in which the commands run;
//! - `cmd`: the commands, one a line (see `command.rs`);
//! - `expected`: what they print, and the files that they write; `UPDATE=1 cargo test` rewrites it;
//! - perhaps `gen`: input files that are too large or too odd for git (see `generated.rs`).
//!
//! Whatever a case expects, no command may end in a bug or by a signal, and JSON must be JSON.

mod case;
mod command;
mod documentation;
mod expectation;
mod generated;
mod interrupt;
mod manual;
mod page;
mod process;
mod run_documents;
mod runner;
mod score;
mod xml;

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Mode;

/// A test that is no case: its name, and what says why it fails.
type Test = (&'static str, fn() -> Result<(), String>);

fn main() {
    let arguments = Arguments::from_args();
    let mode = Mode::from_environment();
    let mut trials = case::all(&root().join("tests/cases"), mode);
    trials.extend(documentation::all(mode));
    for (name, test) in manual::TESTS
        .iter()
        .chain(runner::TESTS)
        .chain(interrupt::TESTS)
        .chain(score::TESTS)
        .chain(run_documents::TESTS)
    {
        trials.push(Trial::test(*name, move || test().map_err(Failed::from)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository exists")
}
