//! A process that speaks the protocol on standard input and output.
//!
//! It runs in a process group of its own, which is killed as a whole, so that nothing that it started
//! outlives a test.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use trapline_budget::Budget;
use trapline_engine::possible::Inputs;
use trapline_model::Model;

use super::link::Link;
use super::{Answer, Breakdown, Codec, Connection, Implementation, Protocol, retry};

/// How long a process that has closed its output may take to end, for its exit code.
const END: Duration = Duration::from_millis(200);

pub(super) fn open<'b>(
    connection: &Connection,
    model: &'b Model,
    budget: &'b Budget<'b>,
) -> Result<Box<dyn Implementation + 'b>, Breakdown> {
    let to = &connection.to;
    let words = shlex::split(to)
        .ok_or_else(|| Breakdown::Start(format!("a quotation mark is open in `{to}`")))?;
    if words.is_empty() {
        return Err(Breakdown::Start("the command is empty".into()));
    }
    let codec = Codec::new(connection.protocol, model);
    let connection = connection.clone();
    Ok(Box::new(Process { words, connection, codec, budget, running: None, stderr: String::new() }))
}

struct Process<'m, 'b> {
    words: Vec<String>,
    connection: Connection,
    codec: Codec<'m>,
    budget: &'b Budget<'b>,
    running: Option<Running>,
    /// What the last process wrote, if it has ended.
    stderr: String,
}

struct Running {
    child: Child,
    link: Link,
}

impl Running {
    fn start(words: &[String]) -> Result<Running, Breakdown> {
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| Breakdown::Start(format!("`{}`: {error}", words[0])))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(from), Some(errors)) = pipes else {
            unreachable!("all three are piped")
        };
        let link = Link::new(to.into(), from.into(), Some(errors.into()))?;
        Ok(Running { child, link })
    }

    /// The exit code, if it ends soon by itself.
    fn status(&mut self) -> Option<ExitStatus> {
        let pause = Duration::from_millis(5);
        for _ in 0..END.as_millis() / pause.as_millis() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(pause);
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended already, with all that it started.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

impl Process<'_, '_> {
    /// Starts it, several times if need be.
    fn start(&mut self) -> Result<(), Breakdown> {
        let mut running = retry(self.connection.retries, || Running::start(&self.words))?;
        self.codec.greet(&mut running.link, self.connection.step_timeout, self.budget)?;
        self.running = Some(running);
        Ok(())
    }

    fn ask(&mut self, line: &str) -> Result<Answer, Breakdown> {
        let Some(running) = &mut self.running else {
            unreachable!("it is started by a reset");
        };
        let answer = running.link.ask(line, self.connection.step_timeout, self.budget);
        match answer {
            Ok(answer) => self.codec.answer(&answer),
            Err(Breakdown::Ended(how)) => {
                let status = running.status().map(describe).unwrap_or_default();
                Err(Breakdown::Ended(format!("{status}{how}")))
            }
            Err(other) => Err(other),
        }
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}

impl Implementation for Process<'_, '_> {
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.stderr.clear();
        if self.connection.restarts || self.connection.protocol == Protocol::Csv {
            self.running = None;
        }
        if self.running.is_none() {
            self.start()?;
        }
        self.ask(&self.codec.reset(inputs))
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.ask(&self.codec.step(inputs))
    }

    fn stderr(&mut self) -> String {
        if let Some(running) = &mut self.running {
            self.stderr.push_str(&running.link.stderr());
        }
        std::mem::take(&mut self.stderr)
    }

    fn end(&mut self) {
        self.running = None;
    }
}
