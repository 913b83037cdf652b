//! What test code does not do: states that it can't judge, goals that it does not show.

use trapline_suite::steps::ExecutableSuite;
use trapline_suite::titled::Covered;

use super::tests::Tests;
use crate::context::Context;
use crate::numbers::{counted, grouped};

/// Maximum number of variables and of goals that are listed.
const MAX_NAMES: usize = 5;
const MAX_GOALS: usize = 20;

/// What test code does not do.
pub struct Remarks {
    n_states: usize,
    n_judged: usize,
    n_tests: usize,
    /// The tests that can't fail.
    n_unjudged: usize,
    /// The variables whose choice ends a test.
    open: Vec<String>,
    /// What is known of the goals.
    goals: Goals,
}

/// What is known of the goals that the tests reach.
enum Goals {
    /// Running the tests does not show these, of so many.
    Lost(Vec<Covered>, usize),
    /// Which of them running the tests shows is not known.
    Unclear,
}

impl Remarks {
    /// What there is to say of tests.
    pub fn new(suite: &ExecutableSuite, tests: &Tests) -> Remarks {
        let mut open: Vec<String> = Vec::new();
        for name in suite.tests.iter().filter_map(|test| test.stop.as_ref()).flat_map(|it| &it.1) {
            if open.len() <= MAX_NAMES && !open.contains(name) {
                open.push(name.clone());
            }
        }
        if open.len() > MAX_NAMES {
            open[MAX_NAMES] = "...".into();
        }
        Remarks {
            n_states: suite.tests.iter().map(|test| test.rows.len()).sum(),
            n_judged: suite.tests.iter().map(|test| test.n_judged()).sum(),
            n_tests: suite.tests.len(),
            n_unjudged: suite.tests.iter().filter(|test| test.n_judged() == 0).count(),
            open,
            goals: match tests.says_shown() {
                true => Goals::Lost(tests.lost(), tests.n_reached()),
                false => Goals::Unclear,
            },
        }
    }

    /// Says it on standard error.
    pub fn tell(&self, context: &Context) {
        for text in self.judged().into_iter().chain(self.goals()) {
            context.terminal.note(&text);
        }
    }

    /// The same as lines of a file, with the goals.
    pub fn lines(&self) -> Vec<String> {
        let remarks = self.judged().into_iter().chain(self.goals());
        let mut lines: Vec<String> = remarks.map(|remark| remark + ".").collect();
        if let Goals::Lost(lost, _) = &self.goals {
            lines.extend(lost.iter().take(MAX_GOALS).map(|goal| match &goal.text {
                Some(text) => format!("  {} ({text})", goal.id),
                None => format!("  {}", goal.id),
            }));
            if lost.len() > MAX_GOALS {
                lines.push(format!("  and {} more", grouped((lost.len() - MAX_GOALS) as u64)));
            }
        }
        lines
    }

    /// How much is judged, if not everything is, and what helps.
    fn judged(&self) -> Option<String> {
        if self.open.is_empty() {
            return None;
        }
        let nothing = match self.n_unjudged {
            0 => String::new(),
            n_unjudged => {
                let n_tests = counted(self.n_tests as u64, "test");
                format!("; {} of {n_tests} can judge nothing", grouped(n_unjudged as u64))
            }
        };
        Some(format!(
            "{} of {} are judged, up to where the model leaves a choice of {}{nothing}; declare what \
             the environment sets with --input, or make short tests with --strategy separate",
            grouped(self.n_judged as u64),
            counted(self.n_states as u64, "state"),
            self.open.join(", ")
        ))
    }

    /// How many goals are not claimed, if any.
    fn goals(&self) -> Option<String> {
        match &self.goals {
            Goals::Unclear => Some(
                "which goals running the tests shows is not known for these roles, so none is \
                 claimed; `trapline minimise` writes a suite that says it"
                    .into(),
            ),
            Goals::Lost(lost, _) if lost.is_empty() => None,
            Goals::Lost(lost, n_reached) => Some(format!(
                "{} of {} that the tests reach are not claimed, because nothing that is judged \
                 shows them",
                grouped(lost.len() as u64),
                counted(*n_reached as u64, "goal")
            )),
        }
    }
}
