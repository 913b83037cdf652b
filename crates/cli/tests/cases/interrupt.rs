//! Ctrl-C and SIGTERM end a search, and what was found so far is written.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{fs, thread};

use crate::Test;

/// The tests of this file.
pub const TESTS: &[Test] = &[
    ("interrupt/ctrl_c_ends_a_search", || ends_a_search("ctrl-c", "-INT")),
    ("interrupt/sigterm_ends_a_search", || ends_a_search("sigterm", "-TERM")),
];

/// More states than anybody can see.
const MODEL: &str = "\
MODULE main
VAR a : 0..99999; b : 0..99999; i : boolean;
ASSIGN
  init(a) := 0; next(a) := i ? (a + 1) mod 100000 : a;
  init(b) := 0; next(b) := i ? b : (b + 1) mod 100000;
INVARSPEC a + b != 199997
";

/// The search ends by itself after this many seconds, should the signal be lost.
const TIMEOUT: &str = "50";

fn ends_a_search(name: &str, signal: &str) -> Result<(), String> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupt").join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    fs::write(folder.join("m.smv"), MODEL).map_err(|error| error.to_string())?;
    let mut child = start(&folder)?;
    let sent = send_when_searching(&mut child, signal);
    let status = child.wait().map_err(|error| error.to_string())?;
    sent?;
    if status.code() != Some(130) {
        return Err(format!("it ended with {status}, and 130 is expected"));
    }
    let text = fs::read_to_string(folder.join("out.json")).map_err(|error| error.to_string())?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    let property = &json["properties"][0];
    let is_right = json["complete"] == false
        && property["verdict"] == "unknown"
        && property["reason"] == "interrupted";
    if is_right { Ok(()) } else { Err(format!("the result does not say it:\n{text}")) }
}

fn start(folder: &Path) -> Result<Child, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    command.args(["check", "m.smv", "-v", "--format", "json", "-o", "out.json"]);
    command.args(["--timeout", TIMEOUT]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| format!("can't start trapline: {error}"))
}

/// Sends the signal once trapline says that it is searching.
fn send_when_searching(child: &mut Child, signal: &str) -> Result<(), String> {
    let mut lines = BufReader::new(child.stderr.take().ok_or("it is piped")?).lines();
    let is_start = |line: &str| line.starts_with("searching");
    let start = lines.find(|line| line.as_ref().is_ok_and(|line| is_start(line)));
    start.map(drop).ok_or("no search began")?;
    // The rest must be read too, or trapline might wait for a reader.
    thread::spawn(move || lines.for_each(drop));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    match sent {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("kill ended with {status}")),
        Err(error) => Err(format!("can't run kill: {error}")),
    }
}
