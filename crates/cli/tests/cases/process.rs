//! Runs the program under a time limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::Run;

/// No command of a case may take longer; the slowest takes a second or two.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Nor may it print more than this.
const MAX_OUTPUT: u64 = 16 << 20;

/// What the environment of a command has only if its line sets it.
const UNSET: [&str; 7] = [
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "RUST_BACKTRACE",
    "SALCONTEXTPATH",
    "SALPATH",
];

/// What a command did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `None` if a signal ended it.
    pub exit: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Runs trapline in a folder.
pub fn run(run: &Run, folder: &Path) -> Result<Outcome, String> {
    let stdin = match &run.stdin {
        Some(file) => {
            let file = File::open(folder.join(file)).map_err(|e| format!("< {file}: {e}"))?;
            Stdio::from(file)
        }
        None => Stdio::null(),
    };
    let mut command = process::Command::new(env!("CARGO_BIN_EXE_trapline"));
    command.args(&run.args).current_dir(folder);
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in UNSET {
        command.env_remove(name);
    }
    command.envs(run.env.iter().map(|(name, value)| (name, value)));
    let mut child = command.spawn().map_err(|error| format!("can't start trapline: {error}"))?;
    let stdout = read(child.stdout.take().expect("it is piped"));
    let stderr = read(child.stderr.take().expect("it is piped"));
    let end = Instant::now() + TIME_LIMIT;
    let outputs = wait(stdout, end).and_then(|stdout| Ok((stdout, wait(stderr, end)?)));
    if outputs.is_err() {
        // It may have ended meanwhile.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("can't wait for trapline: {error}"))?;
    let (stdout, stderr) = outputs?;
    Ok(Outcome { exit: status.code(), stdout, stderr })
}

fn read(stream: impl Read + Send + 'static) -> Receiver<Result<String, String>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = match stream.take(MAX_OUTPUT + 1).read_to_end(&mut bytes) {
            Err(error) => Err(format!("can't read what trapline prints: {error}")),
            Ok(_) if bytes.len() as u64 > MAX_OUTPUT => Err("trapline prints too much".into()),
            Ok(_) => String::from_utf8(bytes).map_err(|_| "the output is not UTF-8".into()),
        };
        // Nobody listens after the time limit.
        let _ = sender.send(result);
    });
    receiver
}

fn wait(receiver: Receiver<Result<String, String>>, end: Instant) -> Result<String, String> {
    let left = end.saturating_duration_since(Instant::now());
    let late = |_| format!("trapline took more than {} seconds", TIME_LIMIT.as_secs());
    receiver.recv_timeout(left).map_err(late)?
}
