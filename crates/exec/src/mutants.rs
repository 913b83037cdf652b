//! Mutants of the model as implementations: which of them do tests catch?
//!
//! A mutant answers as the changed model does, its choices made at random. It is judged like any
//! implementation, by the tester of the original model, which all mutants share, and no longer than up to the
//! first failure. A mutant that has no step with an enabled input refuses it, so it is caught; so is one
//! whose rules have no value, for it can't go on. A value outside its type is no step.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use trapline_budget::{Budget, Progress};
use trapline_goals::mutate::status::invalid;
use trapline_goals::mutate::{Mutant, Mutants};
use trapline_goals::visibility::widen::faulty;
use trapline_model::Model;

use crate::adapters::{Implementation, Simulated};
use crate::execute::{Observation, execute};
use crate::result::Verdict;
use crate::script::Script;
use crate::tester::Tester;
use crate::workers::work_at_once;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A test fails on it.
    Caught(Catch),
    /// Every test passes. It may be equivalent to the model.
    Missed,
    /// No test fails, but not all pass; the message of the first that does not.
    Inconclusive(String),
    /// It is no model, and why.
    Invalid(String),
    /// It changes only inputs, which no implementation chooses.
    Environment,
}

/// How a mutant is caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catch {
    /// The place of the test among those that are played.
    pub test: usize,
    /// The exchange.
    pub exchange: usize,
    /// What happened there.
    pub message: String,
}

/// How mutants are played.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Decides between their choices.
    pub seed: u64,
    /// How many are played at once.
    pub n_jobs: usize,
    /// What the tester does not see.
    pub observation: Observation,
}

impl Outcome {
    /// Its name.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Caught(_) => "caught",
            Outcome::Missed => "not caught",
            Outcome::Inconclusive(_) => "inconclusive",
            Outcome::Invalid(_) => "invalid",
            Outcome::Environment => "environment",
        }
    }
}

/// What becomes of each mutant of a model; `None` where the budget ran out before.
pub fn play(
    model: &Model,
    mutants: &Mutants,
    scripts: &[Script],
    options: &Options,
    budget: &Budget<'_>,
) -> Vec<Option<Outcome>> {
    let invalid = invalid(model, mutants);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![None; mutants.list.len()]);
    let progress = || {
        let n_open = mutants.list.len().saturating_sub(next.load(Ordering::SeqCst));
        Progress { phase: "playing mutants", n_open, ..Progress::default() }
    };
    work_at_once(options.n_jobs, budget, progress, |budget| {
        let tester = Tester::new(model, budget);
        let game = Game { model, scripts, options, budget, tester: &tester };
        loop {
            let place = next.fetch_add(1, Ordering::SeqCst);
            let Some(mutant) = mutants.list.get(place) else { return };
            let outcome = match &invalid[place] {
                Some(why) => Outcome::Invalid(why.clone()),
                None => game.outcome(mutants, mutant),
            };
            // What was cut short says nothing.
            if budget.spend(0).is_err() && !matches!(outcome, Outcome::Caught(_)) {
                return;
            }
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(outcome);
        }
    });
    outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What mutants share.
struct Game<'a, 'm, 'b> {
    model: &'a Model,
    scripts: &'a [Script],
    options: &'a Options,
    budget: &'a Budget<'b>,
    tester: &'a Tester<'m, 'b>,
}

impl Game<'_, '_, '_> {
    fn outcome(&self, mutants: &Mutants, mutant: &Mutant) -> Outcome {
        if mutants.subjects[mutant.subject].is_environment(self.model) {
            return Outcome::Environment;
        }
        let mutated = faulty(mutant.apply(&mutants.subjects, self.model));
        let mut implementation = Simulated::new(&mutated, self.options.seed, self.budget);
        let mut open = None;
        for (test, script) in self.scripts.iter().enumerate() {
            implementation.prepare(test, 0);
            let Options { observation, .. } = self.options;
            let result = execute(script, self.model, self.tester, &mut implementation, observation);
            let (exchange, message) =
                result.deviation.map_or((0, String::new()), |it| (it.exchange, it.message));
            match result.verdict {
                Verdict::Pass => {}
                Verdict::Error if implementation.is_lost => return Outcome::Inconclusive(message),
                Verdict::Fail | Verdict::Error => {
                    return Outcome::Caught(Catch { test, exchange, message });
                }
                Verdict::Inconclusive => drop(open.get_or_insert(message)),
            }
        }
        open.map_or(Outcome::Missed, Outcome::Inconclusive)
    }
}
