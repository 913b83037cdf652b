//! Runs a program under limits, and measures its time and memory.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Who needs more bytes than this is stopped.
const MEMORY: u64 = 8 << 30;

/// How long we wait between two looks, at least and at most, and in proportion to the time so far.
const SHORTEST: Duration = Duration::from_micros(100);
const LONGEST: Duration = Duration::from_millis(5);
const PART: u32 = 200;

/// What a run took.
pub struct Run {
    /// Time on the clock.
    pub seconds: f64,
    /// The most memory that it had at once, in bytes.
    pub peak: u64,
    /// Its exit code, if it has one.
    pub code: Option<i32>,
    /// How it ended.
    pub ending: Ending,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It had nothing more to do.
    ByItself,
    /// We stopped it, since the time was over.
    OutOfTime,
    /// We stopped it, since it needed too much memory.
    OutOfMemory,
}

/// Runs a program; what it prints goes to files in a directory.
///
/// # Errors
/// When it can't be started or the files can't be written.
pub fn run(command: &mut Command, dir: &Path, limit: Duration) -> io::Result<Run> {
    let (out, err) = (dir.join("stdout"), dir.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let (ending, peak) = watch(&mut child, start, limit)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // It has ended, so this does not wait.
    let code = child.wait()?.code();
    Ok(Run { seconds, peak, code, ending, out: text(out)?, err: text(err)? })
}

fn watch(child: &mut Child, start: Instant, limit: Duration) -> io::Result<(Ending, u64)> {
    let mut peak = 0;
    loop {
        peak = peak.max(peak_of(child.id()));
        if child.try_wait()?.is_some() {
            return Ok((Ending::ByItself, peak));
        }
        let elapsed = start.elapsed();
        if elapsed > limit || peak > MEMORY {
            child.kill()?;
            child.wait()?;
            let ending = if elapsed > limit { Ending::OutOfTime } else { Ending::OutOfMemory };
            return Ok((ending, peak));
        }
        thread::sleep((elapsed / PART).clamp(SHORTEST, LONGEST));
    }
}

/// The most memory that a process has had so far; nothing when it is gone.
fn peak_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}
