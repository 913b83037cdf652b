//! Lines to and from another program, with a limit on how long it may take and how much it may say.
//!
//! Nothing blocks: descriptors are polled, so that a program which does not read, does not answer or
//! floods its standard error costs no more than the time limit and a bounded buffer.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use trapline_budget::Budget;

use super::Breakdown;
use super::json::shortened;

/// An answer has at most so many bytes.
const MAX_LINE: usize = 1 << 20;
/// So much of the end of standard error is kept.
const MAX_STDERR: usize = 8 << 10;
/// Most answers come so soon that it takes longer to sleep and to be woken, in particular by another core.
const SOON: Duration = Duration::from_micros(60);
/// Ctrl-C is noticed after so long.
const PATIENCE: Duration = Duration::from_millis(50);

/// A line-based connection.
pub(super) struct Link {
    to: OwnedFd,
    from: OwnedFd,
    errors: Option<OwnedFd>,
    /// What was read and not used yet, and how much of it has no end of line.
    inbox: Vec<u8>,
    n_searched: usize,
    tail: VecDeque<u8>,
}

impl Link {
    pub(super) fn new(
        to: OwnedFd,
        from: OwnedFd,
        errors: Option<OwnedFd>,
    ) -> Result<Link, Breakdown> {
        for fd in [Some(&to), Some(&from), errors.as_ref()].into_iter().flatten() {
            ioctl_fionbio(fd, true).map_err(|error| Breakdown::Lost(error.to_string()))?;
        }
        let (inbox, tail) = (Vec::new(), VecDeque::new());
        Ok(Link { to, from, errors, inbox, n_searched: 0, tail })
    }

    /// Sends a line and waits for one.
    pub(super) fn ask(
        &mut self,
        line: &str,
        timeout: Duration,
        budget: &Budget<'_>,
    ) -> Result<String, Breakdown> {
        self.must_be_quiet()?;
        let sent = Instant::now();
        let deadline = sent + timeout;
        let mut out = line.as_bytes().to_vec();
        out.push(b'\n');
        let mut out = out.as_slice();
        loop {
            while !out.is_empty() {
                match write(&self.to, out) {
                    Ok(n_written) => out = &out[n_written..],
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => return Err(Breakdown::Ended(String::new())),
                }
            }
            if out.is_empty()
                && let Some(line) = self.line_soon(sent)?
            {
                return Ok(line);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(match out.is_empty() {
                    true => Breakdown::Silent(timeout),
                    false => Breakdown::Deaf(timeout),
                });
            }
            if budget.spend(0).is_err() {
                return Err(Breakdown::Interrupted);
            }
            self.wait(left.min(PATIENCE), !out.is_empty())?;
        }
    }

    /// Nothing may be said before something is asked.
    fn must_be_quiet(&mut self) -> Result<(), Breakdown> {
        self.fill()?;
        match self.inbox.is_empty() {
            true => Ok(()),
            false => Err(Breakdown::Early(shortened(&String::from_utf8_lossy(&self.inbox)))),
        }
    }

    /// Waits until there is something to read, or, if something is to be written, room for it.
    fn wait(&mut self, time: Duration, wants_room: bool) -> Result<(), Breakdown> {
        let time = Timespec {
            tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        let mut polled = vec![PollFd::new(&self.from, PollFlags::IN)];
        polled.extend(self.errors.as_ref().map(|errors| PollFd::new(errors, PollFlags::IN)));
        if wants_room {
            polled.push(PollFd::new(&self.to, PollFlags::OUT));
        }
        match poll(&mut polled, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Breakdown::Lost(error.to_string())),
        }
        self.drain_errors();
        self.fill()
    }

    /// Reads what there is.
    fn fill(&mut self) -> Result<(), Breakdown> {
        let mut buffer = [0; 16 << 10];
        loop {
            if self.inbox.len() > MAX_LINE {
                return Err(Breakdown::Garbage(format!("a line has more than {MAX_LINE} bytes")));
            }
            match read(&self.from, &mut buffer) {
                Ok(0) if self.inbox.is_empty() => return Err(Breakdown::Ended(String::new())),
                Ok(0) => return self.ended_in_a_line(),
                Ok(n_read) => self.inbox.extend_from_slice(&buffer[..n_read]),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(Breakdown::Lost(error.to_string())),
            }
        }
    }

    /// A whole line may still be there when it ends.
    fn ended_in_a_line(&self) -> Result<(), Breakdown> {
        match self.inbox.contains(&b'\n') {
            true => Ok(()),
            false => {
                let text = shortened(&String::from_utf8_lossy(&self.inbox));
                Err(Breakdown::Ended(format!(" in the middle of a line: {text}")))
            }
        }
    }

    /// The next line, if it is there or comes soon after something was sent.
    fn line_soon(&mut self, sent: Instant) -> Result<Option<String>, Breakdown> {
        loop {
            let line = self.line()?;
            if line.is_some() || sent.elapsed() > SOON {
                return Ok(line);
            }
            std::thread::yield_now();
            self.fill()?;
        }
    }

    /// The next line, if it is there.
    fn line(&mut self) -> Result<Option<String>, Breakdown> {
        let end = self.inbox[self.n_searched..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end.map(|end| end + self.n_searched) else {
            self.n_searched = self.inbox.len();
            return Ok(None);
        };
        let rest = self.inbox.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.inbox, rest);
        self.n_searched = 0;
        line.pop();
        match String::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(Breakdown::Garbage("it is not UTF-8".into())),
        }
    }

    fn drain_errors(&mut self) {
        let Some(errors) = &self.errors else { return };
        let mut buffer = [0; 16 << 10];
        // A flood must not keep us from anything else.
        for _ in 0..64 {
            match read(errors, &mut buffer) {
                Ok(n_read) if n_read > 0 => {
                    self.tail.extend(&buffer[..n_read]);
                    let n_over = self.tail.len().saturating_sub(MAX_STDERR);
                    self.tail.drain(..n_over);
                }
                Ok(_) => {
                    self.errors = None;
                    return;
                }
                Err(_) => return,
            }
        }
    }

    /// Takes the end of what was written to standard error.
    pub(super) fn stderr(&mut self) -> String {
        self.drain_errors();
        let tail: Vec<u8> = std::mem::take(&mut self.tail).into();
        String::from_utf8_lossy(&tail).into_owned()
    }
}
