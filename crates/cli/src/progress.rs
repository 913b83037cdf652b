//! The progress line of a search.
//!
//! It is shown on a terminal only, rewritten a few times a second, and gone in the end.

use std::cell::Cell;
use std::time::{Duration, Instant};

use trapline_engine::Progress;

use crate::numbers::{counted, grouped, mebibytes};
use crate::terminal::Terminal;

/// Shorter searches show no progress.
const DELAY: Duration = Duration::from_millis(300);
/// How often it is rewritten.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress line of a search.
pub struct ProgressLine<'t> {
    /// `None` without a terminal.
    terminal: Option<&'t Terminal>,
    started: Instant,
    /// When it is to be shown next.
    due: Cell<Duration>,
}

impl<'t> ProgressLine<'t> {
    /// Nothing is shown yet.
    pub fn new(terminal: &'t Terminal) -> ProgressLine<'t> {
        let terminal = Some(terminal).filter(|terminal| terminal.shows_progress());
        ProgressLine { terminal, started: Instant::now(), due: Cell::new(DELAY) }
    }

    /// Shows the progress, unless it was shown just before.
    pub fn show(&self, progress: &Progress, n_bytes: u64) {
        let Some(terminal) = self.terminal else { return };
        let elapsed = self.started.elapsed();
        if elapsed >= self.due.get() {
            self.due.set(elapsed + INTERVAL);
            terminal.show_progress(&text(progress, elapsed, n_bytes));
        }
    }

    /// Takes the line away, if there is one.
    pub fn clear(&self) {
        if let Some(terminal) = self.terminal.filter(|_| self.due.get() > DELAY) {
            terminal.show_progress("");
        }
    }
}

fn text(progress: &Progress, elapsed: Duration, n_bytes: u64) -> String {
    let Progress { phase, depth, n_states, n_open, tests } = *progress;
    if let Some((n_done, n_tests)) = tests {
        let n_tests = counted(n_tests as u64, "test");
        return format!(
            "{phase} · {} of {n_tests} · {}",
            grouped(n_done as u64),
            mebibytes(n_bytes)
        );
    }
    let rate = n_states as f64 / elapsed.as_secs_f64().max(0.001);
    let parts = [
        phase.to_string(),
        format!("depth {}", grouped(depth)),
        format!("{} states", grouped(n_states)),
        format!("{}/s", grouped(rate as u64)),
        format!("{} open", grouped(n_open as u64)),
        mebibytes(n_bytes),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_and_how_fast() {
        let progress =
            Progress { phase: "search", depth: 12, n_states: 1_234_567, n_open: 3, tests: None };
        let text = text(&progress, Duration::from_secs(2), 300 << 20);
        let expected = "search · depth 12 · 1,234,567 states · 617,283/s · 3 open · 300 MiB";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_run_says_how_many_tests_are_done() {
        let progress =
            Progress { phase: "running", tests: Some((1_200, 4_000)), ..Progress::default() };
        let text = text(&progress, Duration::from_secs(2), 30 << 20);
        assert_eq!(text, "running · 1,200 of 4,000 tests · 30 MiB");
    }
}
