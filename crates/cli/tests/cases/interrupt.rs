//! Ctrl-C and SIGTERM end a search or a run, and what was found so far is written.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use crate::Test;

/// The tests of this file.
pub const TESTS: &[Test] = &[
    ("interrupt/ctrl_c_ends_a_search", || ends_a_search("ctrl-c", "-INT")),
    ("interrupt/sigterm_ends_a_search", || ends_a_search("sigterm", "-TERM")),
    ("interrupt/ctrl_c_ends_a_run", ends_a_run),
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

/// Counts, but for a test that comes to three: there it says that it hangs, and does.
const SUT: &str = "\
n=0
while read -r request; do
  case $request in *reset*) n=0 ;; *) n=$((n + 1)) ;; esac
  if [ $n = 3 ]; then
    sleep 600 &
    echo \"$$ $!\" > pids.new
    mv pids.new pids
    wait
  fi
  echo \"{\\\"outputs\\\": {\\\"n\\\": $n}}\"
done
";

/// Ctrl-C ends the implementation with what it started, and the tests that are done are written.
fn ends_a_run() -> Result<(), String> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupt/run");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let model = "MODULE main VAR n : 0..9; ASSIGN init(n) := 0; next(n) := (n + 1) mod 10;\n";
    let files = [("m.smv", model), ("sut.sh", SUT), ("t.csv", "n\n0\n1\n\n0\n1\n2\n3\n\n0\n")];
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(|error| error.to_string())?;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    command.args(["run", "m.smv", "t.csv", "--sut", "sh sut.sh", "-o", "run.json", "-q"]);
    command.args(["--step-timeout", TIMEOUT]).current_dir(&folder).stdin(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("can't start trapline: {error}"))?;
    let pids = loop {
        match fs::read_to_string(folder.join("pids")) {
            Ok(pids) => break pids,
            Err(_) => pause(),
        };
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("it ended with {status} before it was interrupted"));
        }
    };
    signal(&child, "-INT")?;
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.code() != Some(130) {
        return Err(format!("it ended with {status}, and 130 is expected"));
    }
    let text = fs::read_to_string(folder.join("run.json")).map_err(|error| error.to_string())?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    let tests = json["tests"].as_array().map_or(0, Vec::len);
    if (json["complete"].as_bool(), json["passed"].as_u64(), tests) != (Some(false), Some(1), 1) {
        return Err(format!("the result does not say it:\n{text}"));
    }
    // What was killed takes a moment to end.
    let stays = |pid: &&str| (0..200).all(|_| is_left(pid) && pause());
    match pids.split_whitespace().find(stays) {
        Some(pid) => Err(format!("the process {pid} is left")),
        None => Ok(()),
    }
}

fn pause() -> bool {
    thread::sleep(Duration::from_millis(10));
    true
}

/// Does a process run? One that has ended and that nobody has asked about yet does not.
fn is_left(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat"));
    let mut kill = Command::new("kill");
    kill.args(["-0", pid]).stderr(Stdio::null());
    kill.status().is_ok_and(|status| status.success()) && !state.is_ok_and(|it| it.contains(") Z"))
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
    self::signal(child, signal)
}

fn signal(child: &Child, signal: &str) -> Result<(), String> {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    match sent {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("kill ended with {status}")),
        Err(error) => Err(format!("can't run kill: {error}")),
    }
}
