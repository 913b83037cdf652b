//! What a run of a suite gave, as plain data: the part of a [`crate::page::Page`] about it.

use crate::page::{Counts, Location, Page, Verdict};

/// What a run of the suite gave.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The path of the document.
    pub path: String,
    /// Were all tests executed, as far as it says so?
    pub is_complete: bool,
    /// What keeps it from being a run of this suite on this model.
    pub notices: Vec<String>,
    /// The tests, in the order of the document.
    pub tests: Vec<RunTest>,
    /// What it shows of each goal of the page.
    pub goals: Vec<Reached>,
}

/// How the run of a test ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The model does not allow an answer.
    Fail,
    /// The implementation broke down.
    Error,
    /// All answers are allowed, but the test could not be played as it is.
    Inconclusive,
    /// All answers are as expected.
    #[default]
    Pass,
}

/// What a run shows of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reached {
    /// A test reached it.
    Yes,
    /// A test may have reached it.
    Perhaps,
    /// No test did.
    No,
    /// The run does not say.
    #[default]
    Unknown,
}

/// Names and values.
pub type Values = Vec<(String, String)>;

/// What a run of a test gave.
#[derive(Clone, Debug, Default)]
pub struct RunTest {
    /// Its name.
    pub name: String,
    /// The test, in [`Page::tests`], if it is one of these.
    pub test: Option<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// The exchange in which that was decided.
    pub step: Option<usize>,
    /// What was expected there.
    pub expected: Values,
    /// What was seen.
    pub observed: Values,
    /// What the model allows, or some of it.
    pub allowed: Vec<Values>,
    /// Does it allow more than that?
    pub has_more_allowed: bool,
    /// What happened, in a sentence.
    pub message: Option<String>,
    /// The end of what the implementation wrote to standard error.
    pub stderr: String,
    /// What in the model determines what should have been seen.
    pub places: Vec<Place>,
    /// The mutants of the model that what was seen resembles: hints where to look.
    pub resembles: Vec<Resembled>,
    /// How many more there are.
    pub n_more_resembled: usize,
    /// The branches of the test that were taken.
    pub branch: Vec<u64>,
    /// The goals that it reached, in [`Page::goals`].
    pub reached: Vec<usize>,
    /// The goals that it may have reached.
    pub perhaps: Vec<usize>,
    /// How many exchanges there were.
    pub n_exchanges: usize,
    /// The first exchange of the list.
    pub first: usize,
    /// Some of the exchanges.
    pub exchanges: Vec<Exchange>,
}

/// A place in the text of the model.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The output that it determines.
    pub output: String,
    /// File and line.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where it stands on the page.
    pub at: Option<Location>,
}

/// A mutant that a failing test resembles.
#[derive(Clone, Debug, Default)]
pub struct Resembled {
    /// The mutant, in words.
    pub text: String,
    /// Its line in the model, as the document says.
    pub line: Option<u64>,
    /// The goal to kill it, in [`Page::goals`], if it is one of these.
    pub goal: Option<usize>,
    /// What is to be said of its answer, if that is not the one that was seen.
    pub remark: &'static str,
}

/// An exchange.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// What was sent.
    pub inputs: Values,
    /// What was seen.
    pub outputs: Values,
    /// What the test expects, as long as that is known.
    pub expected: Option<Values>,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 4] =
        [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive, Outcome::Error];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Inconclusive => "inconclusive",
            Outcome::Error => "error",
        }
    }
}

/// What a run shows of the goals that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The run reached them.
    pub reached: usize,
    /// It may have reached them.
    pub perhaps: usize,
    /// The suite covers them, and the run did not reach them.
    pub missed: usize,
    /// The suite covers them, and the run does not say.
    pub unknown: usize,
}

impl Run {
    /// How many tests ended so.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.tests.iter().filter(|test| test.outcome == outcome).count()
    }

    /// What it shows of the goals of a page.
    pub fn shown(&self, page: &Page) -> Shown {
        let mut shown = Shown::default();
        for (goal, reached) in page.goals.iter().zip(&self.goals) {
            let is_covered = goal.verdict == Verdict::Covered;
            match reached {
                Reached::Yes => shown.reached += 1,
                Reached::Perhaps => shown.perhaps += 1,
                Reached::No => shown.missed += usize::from(is_covered),
                Reached::Unknown => shown.unknown += usize::from(is_covered),
            }
        }
        shown
    }
}

impl Shown {
    /// It in a sentence, beside what the suite covers.
    pub fn text(&self, counts: &Counts) -> String {
        let Shown { reached, perhaps, missed, unknown } = *self;
        let parts = [
            ("may have been reached", perhaps),
            ("covered by the suite and not reached", missed),
            ("covered by the suite and not looked for", unknown),
        ];
        let parts = parts.iter().filter(|(_, number)| *number > 0);
        let parts: Vec<String> = parts.map(|(what, number)| format!("{what}: {number}")).collect();
        let rest =
            if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) };
        format!(
            "The suite covers {} of {} goals; the run reached {reached}{rest}",
            counts.covered,
            counts.counting()
        )
    }
}
