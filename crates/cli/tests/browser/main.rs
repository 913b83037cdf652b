//! Reports, opened and used in a real browser.

mod big;
mod browser;
mod details;
mod example;
mod findings;
mod hostile;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for a test's files, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser").join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("the folder can be emptied");
    }
    std::fs::create_dir_all(&path).expect("the folder can be made");
    path
}

/// Runs the program in a folder.
fn trapline(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    let output = command.args(arguments).current_dir(folder).output().expect("it starts");
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(code == Some(0), "{arguments:?} ends with {code:?}: {errors}");
}

/// Writes a file.
fn write(path: &Path, text: &str) {
    let parent = path.parent().expect("files have folders");
    std::fs::create_dir_all(parent).expect("the folder can be made");
    std::fs::write(path, text).expect("the file can be written");
}
