//! What became of the execution of tests.

use trapline_engine::possible::{Exchange, Inputs, Outputs};

use crate::places::Place;
use crate::tester::Explanations;

/// The verdict of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every answer was the one that the test expects.
    Pass,
    /// The model does not allow an answer.
    Fail,
    /// All answers were allowed, but the test could not be played as it is.
    Inconclusive,
    /// The implementation broke down.
    Error,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 4] =
        [Verdict::Pass, Verdict::Fail, Verdict::Inconclusive, Verdict::Error];

    /// How many executions end so, of this one.
    pub(crate) fn once(self) -> [usize; 4] {
        Verdict::ALL.map(|verdict| usize::from(verdict == self))
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Error => "error",
        }
    }
}

/// The first exchange that went otherwise than the test expects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deviation {
    /// The index of the exchange.
    pub exchange: usize,
    /// What happened, in one sentence.
    pub message: String,
    /// What was sent, or came from the environment.
    pub inputs: Inputs,
    /// What the test expects, if that still means something.
    pub expected: Outputs,
    /// What the implementation showed.
    pub observed: Outputs,
    /// What the model allows instead, or some of it.
    pub allowed: Vec<Outputs>,
    /// Is that all that it allows?
    pub is_all_allowed: bool,
    /// What in the model determines the outputs that are not as they should be.
    pub places: Vec<Place>,
}

/// The execution of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name of the test.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The deviation that determines the verdict; a test that passed has none.
    pub deviation: Option<Deviation>,
    /// What was sent, and what was shown.
    pub exchanges: Vec<Exchange>,
    /// What the model may have done.
    pub explanations: Explanations,
    /// The same for the other executions of the test.
    pub others: Vec<Explanations>,
    /// How many of all executions ended with each verdict, in the order of [`Verdict::ALL`].
    pub counts: [usize; 4],
    /// The numbers of the branches of the test that were taken.
    pub branch: Vec<usize>,
    /// The end of what the implementation wrote to standard error.
    pub stderr: String,
    /// Names that the implementation shows and the model does not have as outputs.
    pub extra: Vec<String>,
}

impl TestResult {
    /// A single execution.
    pub(crate) fn new(
        name: &str,
        (verdict, deviation): (Verdict, Option<Deviation>),
        explanations: Explanations,
    ) -> TestResult {
        TestResult {
            name: name.into(),
            verdict,
            deviation,
            exchanges: explanations.exchanges.clone(),
            explanations,
            others: Vec::new(),
            counts: verdict.once(),
            branch: Vec::new(),
            stderr: String::new(),
            extra: Vec::new(),
        }
    }

    /// Adds another execution of the test. What counts is the worse of the two; of equals, this one.
    pub fn repeat(&mut self, mut other: TestResult) {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Pass => 0,
            Verdict::Inconclusive => 1,
            Verdict::Error => 2,
            Verdict::Fail => 3,
        };
        if rank(other.verdict) > rank(self.verdict) {
            std::mem::swap(self, &mut other);
        }
        self.absorb(other);
    }

    /// Adds what an earlier execution reached.
    pub fn absorb(&mut self, other: TestResult) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.others.push(other.explanations);
        self.others.extend(other.others);
        for name in other.extra {
            if !self.extra.contains(&name) {
                self.extra.push(name);
            }
        }
    }
}

/// The execution of a suite.
#[derive(Clone, Debug, Default)]
pub struct RunResult {
    /// Was every test executed?
    pub is_complete: bool,
    /// The tests that were executed, in the order of the suite, with their index in it.
    pub tests: Vec<(usize, TestResult)>,
}

impl RunResult {
    /// Replaces tests that were executed again; what their earlier executions reached is kept.
    pub fn replace(&mut self, again: RunResult) {
        self.is_complete &= again.is_complete;
        for (idx, mut test) in again.tests {
            if let Some((_, known)) = self.tests.iter_mut().find(|(known, _)| *known == idx) {
                std::mem::swap(known, &mut test);
                known.absorb(test);
            }
        }
    }

    /// How many tests have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.tests.iter().filter(|(_, test)| test.verdict == verdict).count()
    }
}
