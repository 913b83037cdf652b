//! Reports, opened and used in a real browser.

mod big;
mod browser;
mod details;
mod example;
mod findings;
mod hostile;
mod run;
mod tables;

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
    assert_eq!(ended(folder, arguments), 0, "{arguments:?}");
}

/// Runs the program in a folder, and gives its exit code.
fn ended(folder: &Path, arguments: &[&str]) -> i32 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    let status = command.args(arguments).current_dir(folder).status().expect("it starts");
    status.code().expect("it ends by itself")
}

/// Writes a file.
fn write(path: &Path, text: &str) {
    let parent = path.parent().expect("files have folders");
    std::fs::create_dir_all(parent).expect("the folder can be made");
    std::fs::write(path, text).expect("the file can be written");
}
