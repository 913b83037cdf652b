//! What there is to report.

use trapline_engine::{Checked, Engine, Outcome, Stats, Why};
use trapline_model::Check;
use trapline_model::trace::Trace;
use trapline_source::{Diagnostic, Severity};
use trapline_suite::titled::{Titled, Traces};

use super::findings::{self, Explained};
use super::property;
use crate::checks::{Checks, Found};
use crate::exit::Exit;
use crate::load::Loaded;
use crate::replay::Shows;

/// What there is to report.
pub struct Report<'a> {
    /// The model.
    pub loaded: &'a Loaded,
    /// The properties that were asked about.
    pub answers: Vec<Answer<'a>>,
    /// What users should know besides.
    pub findings: Vec<Explained<'a>>,
    /// What was found out about the tables, a check each.
    pub checks: Vec<CheckAnswer<'a>>,
    /// What the search took; `None` if there was none.
    pub stats: Option<Stats>,
    /// The counted work.
    pub work: u64,
}

/// A property and what was found out about it.
pub struct Answer<'a> {
    /// The index of the property.
    pub property_idx: usize,
    /// The engine that decided it; `None` if the model was only parsed.
    pub engine: Option<&'static str>,
    /// `None` if only the text was read.
    pub outcome: Option<&'a Outcome>,
    /// What its counterexample does not show.
    pub remark: Option<&'static str>,
}

/// A check of the tables and what was found out about it.
pub struct CheckAnswer<'a> {
    /// The check.
    pub check: &'a Check,
    /// Does it hold? `None` if that is not known.
    pub holds: Option<bool>,
    /// How that was found out, or why it was not.
    pub reason: String,
    /// What shows it.
    pub trace: Option<&'a Trace>,
}

/// Only a loop could show it, and there is none.
const NO_LOOP: &str = "no loop was found that closes for all variables; the path goes on";

impl<'a> Report<'a> {
    /// Only the text was read.
    pub fn unsearched(loaded: &'a Loaded, chosen: &[usize]) -> Report<'a> {
        let answers = chosen.iter().map(|&property_idx| Answer {
            property_idx,
            engine: None,
            outcome: None,
            remark: None,
        });
        let (findings, checks) = (Vec::new(), Vec::new());
        Report { loaded, answers: answers.collect(), findings, checks, stats: None, work: 0 }
    }

    /// An engine answered.
    pub fn new(
        loaded: &'a Loaded,
        engine: &'static Engine,
        chosen: &[usize],
        (checked, work): (&'a Checked, u64),
    ) -> Report<'a> {
        let outcomes = chosen.iter().zip(&checked.outcomes).enumerate();
        let mut scratch = None;
        let answers = outcomes.map(|(idx, (&property_idx, outcome))| {
            let engine = checked.engines.get(idx).copied().unwrap_or(engine.name);
            let property = &loaded.model.properties[property_idx];
            let remark = match outcome {
                Outcome::False(trace) if trace.loop_start.is_none() => {
                    let model = scratch.get_or_insert_with(|| loaded.model.clone());
                    property::needs_loop(model, property).then_some(NO_LOOP)
                }
                _ => None,
            };
            Answer { property_idx, engine: Some(engine), outcome: Some(outcome), remark }
        });
        Report {
            loaded,
            answers: answers.collect(),
            findings: findings::explain(&loaded.model, checked),
            checks: Vec::new(),
            stats: Some(checked.stats),
            work,
        }
    }

    /// Adds what was found out about the tables.
    pub fn add_checks(&mut self, checks: &'a Checks) {
        for (check, found) in checks.all(self.loaded) {
            let (holds, reason, trace) = match found {
                Found::Holds(proof) => (Some(true), proof.to_string(), None),
                Found::Shown => (Some(true), String::new(), None),
                Found::Violated(diagnostic, trace) => {
                    let reason = diagnostic.labels[0].text.clone();
                    self.findings.push(Explained { diagnostic, trace });
                    (Some(false), reason, trace)
                }
                Found::Undecided(why) => (None, why.to_string(), None),
            };
            self.checks.push(CheckAnswer { check, holds, reason, trace });
        }
    }

    /// Adds warnings that have no trace.
    pub fn add_warnings(&mut self, warnings: Vec<Diagnostic>) {
        let found = warnings.into_iter().map(|diagnostic| Explained { diagnostic, trace: None });
        self.findings.extend(found);
    }

    /// Every trace that will be seen.
    pub fn traces(&self) -> impl Iterator<Item = (&'a Trace, Shows)> {
        let counterexamples = self.answers.iter().filter_map(|answer| match answer.outcome {
            Some(Outcome::False(trace)) => Some((trace, Shows::Run)),
            _ => None,
        });
        let others = self.findings.iter().filter_map(|found| {
            let shows = match found.diagnostic.severity {
                Severity::Warning => Shows::Run,
                Severity::Error => Shows::Failure,
            };
            Some((found.trace?, shows))
        });
        counterexamples.chain(others)
    }

    /// Was nothing cut short by the user?
    pub fn is_complete(&self) -> bool {
        let interrupted = Outcome::Unknown(Why::Interrupted);
        let interruption = Why::Interrupted.to_string();
        self.answers.iter().all(|answer| answer.outcome != Some(&interrupted))
            && self
                .checks
                .iter()
                .all(|answer| answer.holds.is_some() || answer.reason != interruption)
    }

    /// How the run ends: a false property wins over one that is undecided.
    pub fn exit(&self) -> Exit {
        let has = |is_meant: fn(&Outcome) -> bool| {
            self.answers.iter().filter_map(|answer| answer.outcome).any(is_meant)
        };
        let has_check =
            |holds: Option<bool>| self.checks.iter().any(|answer| answer.holds == holds);
        if !self.is_complete() {
            Exit::Interrupted
        } else if has(|outcome| matches!(outcome, Outcome::False(_))) || has_check(Some(false)) {
            Exit::Negative
        } else if has(|outcome| matches!(outcome, Outcome::Unknown(Why::Failure { .. }))) {
            Exit::BadInput
        } else if has(|outcome| matches!(outcome, Outcome::Unknown(_))) || has_check(None) {
            Exit::Undecided
        } else {
            Exit::Done
        }
    }

    /// The counterexamples.
    pub fn counterexamples(&self) -> Traces<'a> {
        let list = self.answers.iter().filter_map(|answer| match answer.outcome {
            Some(Outcome::False(trace)) => Some(Titled::new(self.title(answer), trace)),
            _ => None,
        });
        Traces {
            path: &self.loaded.path,
            model: &self.loaded.model,
            list: list.collect(),
            is_complete: self.is_complete(),
            missed: Vec::new(),
        }
    }

    /// The property that a trace shows to be false.
    fn title(&self, answer: &Answer<'_>) -> String {
        let property = &self.loaded.model.properties[answer.property_idx];
        let place = property::place(self.loaded, property);
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        format!("false: {}{place}", property::text(self.loaded, property))
    }
}
