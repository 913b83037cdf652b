//! Faults in models with choices that are too large to list: tests that may show them, judged one by one.
//!
//! Candidates are input words made for that ([`super::words`]), a random walk where the fault acts on it, one
//! that goes on from where it acts, and a trace of the [`super::product`] in which the copy, with the choices of
//! the model wherever it can, comes to other outputs.

use trapline_engine::possible::Output;
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Engine, Start, Verdict, Why};
use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Change;
use trapline_source::numbers::counted;

use super::acting::{Acting, target};
use super::search::{pairs, walk_on};
use super::tree::{self, Outcome, Played};
use super::words::Words;
use super::{Fault, Finding, once};
use crate::decide::Witness;
use crate::goal::GoalKind;
use crate::subgoals::Subgoals;

/// Random walks, their steps, and the steps that are tried after a fault has acted.
const WALKS: usize = 4;
const WALK: usize = 40;
const WAY_ON: usize = 8;

/// Input words made for judging, and work for them.
const WORDS: usize = 48;
const WORDS_WORK: u64 = 300_000_000;

/// Work for judging candidates.
const JUDGE_WORK: u64 = 300_000_000;

/// Faults asked about in one product, and work for that.
const BATCH: usize = 16;
const PRODUCT_WORK: u64 = 20_000_000;

/// Faults to be shown.
#[derive(Clone, Copy)]
pub struct Question<'c> {
    /// The model with its monitors.
    pub subgoals: &'c Subgoals,
    /// The model as something to be implemented.
    pub own: &'c Model,
    /// The faults.
    pub faults: &'c [&'c Fault],
    /// The engine.
    pub engine: &'c Engine,
    /// The budget.
    pub budget: &'c Budget<'c>,
}

/// What was found out about them.
pub struct Candidates<'c> {
    /// The faults.
    pub question: Question<'c>,
    /// The findings on each fault.
    pub found: &'c mut [Option<Finding>],
    /// The faults of which it is open whether something surely shows them.
    pub unsure: &'c mut Vec<usize>,
    /// What shows faults.
    pub traces: &'c mut Vec<Trace>,
}

impl Candidates<'_> {
    /// Looks for tests that show the faults that are open.
    pub fn try_all(&mut self, outputs: &[Output]) {
        if self.open().is_empty() || self.question.budget.wants_shortest() {
            return;
        }
        self.walk();
        self.walk_on();
        let open = self.open();
        for batch in open.chunks(BATCH) {
            if self.question.budget.spend(0).is_err() {
                return;
            }
            self.duplicate(batch, outputs);
        }
    }

    fn open(&self) -> Vec<usize> {
        let is_open = |idx: &usize| match &self.found[*idx] {
            None | Some(Finding::Unknown(Why::Work | Why::Unsupported(_))) => true,
            Some(Finding::MayBeShown(_)) => self.unsure.contains(idx),
            Some(_) => false,
        };
        (0..self.question.faults.len()).filter(is_open).collect()
    }

    /// Judges input words made for that. What is decided so needs no list of all states.
    pub fn try_words(&mut self) {
        let is_lasting = |idx: &usize| self.question.faults[*idx].is_lasting;
        let budget = self.question.budget;
        let has_open = self.open().iter().any(is_lasting);
        if !has_open || budget.wants_shortest() || budget.spend(0).is_err() {
            return;
        }
        let work = budget.aside(WORDS_WORK);
        let mut words = Words::new(self.question.own, &work);
        let acting =
            Acting::new(&self.question.subgoals.model, self.question.faults.iter().copied());
        for _ in 0..WORDS {
            let Some(mut test) = words.make() else { return };
            test.states.iter_mut().for_each(|state| self.question.subgoals.model.widen(state));
            let acting = acting.on(std::slice::from_ref(&test), &|| true);
            let mut open = self.open();
            open.retain(|&idx| self.question.faults[idx].is_lasting && !acting[idx].is_empty());
            for idx in open {
                if work.spend(0).is_err() {
                    return;
                }
                self.judge(idx, &test.states, &work);
            }
        }
    }

    fn walk(&mut self) {
        let model = self.question.subgoals.model.clone();
        let simulator = Simulator::new(&model);
        let acting = Acting::new(&model, self.question.faults.iter().copied());
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.question.budget.aside(JUDGE_WORK);
        for _ in 0..WALKS {
            let trace = walk_on(&simulator, Trace::default(), WALK, &mut rng, &work);
            if trace.states.is_empty() {
                return;
            }
            let acting = acting.on(std::slice::from_ref(&trace), &|| true);
            for idx in self.open() {
                let Some(&(_, first)) = acting[idx].first() else { continue };
                if work.spend(0).is_err() {
                    return;
                }
                let end = (first + WAY_ON).min(trace.states.len());
                self.judge(idx, &trace.states[..end.max(first + 1)], &work);
            }
        }
    }

    /// Random ways on from where faults act, which an engine finds for all of them.
    fn walk_on(&mut self) {
        let acts_later =
            |idx: &usize| !matches!(self.question.faults[*idx].when, GoalKind::Initial(_));
        let open: Vec<usize> = self.open().into_iter().filter(acts_later).collect();
        if open.is_empty() {
            return;
        }
        let targets: Vec<Target> =
            open.iter().map(|&idx| target(&self.question.faults[idx].when)).collect();
        let model = self.question.subgoals.model.clone();
        let part = self.question.budget.part(Some(PRODUCT_WORK));
        let answer = (self.question.engine.reach)(&model, &targets, &Start::Initial, &part);
        let simulator = Simulator::new(&model);
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.question.budget.aside(JUDGE_WORK);
        for (idx, verdict) in open.into_iter().zip(answer.verdicts) {
            let Verdict::Reached { trace, state } = verdict else { continue };
            let way =
                Trace { states: answer.traces[trace].states[..=state].to_vec(), loop_start: None };
            for _ in 0..WALKS {
                if !self.open().contains(&idx) || work.spend(0).is_err() {
                    break;
                }
                let trace = walk_on(&simulator, way.clone(), state + 1 + WAY_ON, &mut rng, &work);
                self.judge(idx, &trace.states, &work);
            }
        }
    }

    /// Keeps a test that surely shows a fault.
    fn judge(&mut self, idx: usize, states: &[State], budget: &Budget<'_>) {
        let mut test = Trace { states: states.to_vec(), loop_start: None };
        if let Some(end) = test.states.last_mut() {
            end.drop_inputs(&self.question.subgoals.model);
        }
        let fault = self.question.faults[idx];
        let state = match fault.is_lasting {
            true => {
                let played = [Played::new(self.question.own, std::slice::from_ref(&test))];
                match tree::outcomes(self.question.own, fault, &played, budget)[0] {
                    Outcome::Sure(state) => Some(state),
                    Outcome::May(state) => return self.may_be_shown(idx, state + 1),
                    Outcome::Nothing => None,
                }
            }
            false => once::shows(self.question.own, fault, &test, budget),
        };
        let Some(state) = state else { return };
        test.states.truncate(state + 1);
        if let Some(end) = test.states.last_mut() {
            end.drop_inputs(&self.question.subgoals.model);
        }
        self.traces.push(test);
        let witness = Witness { trace: self.traces.len() - 1, state, evaluation: None };
        self.found[idx] = Some(Finding::Shown(witness));
    }

    /// Keeps that some run shows a fault after so many exchanges.
    fn may_be_shown(&mut self, idx: usize, n_exchanges: usize) {
        if !matches!(self.found[idx], Some(Finding::MayBeShown(_))) {
            self.found[idx] = Some(Finding::MayBeShown(format!(
                "some run of it shows it, after {}; whether some test surely does is open",
                counted(n_exchanges as u64, "exchange")
            )));
            if !self.unsure.contains(&idx) {
                self.unsure.push(idx);
            }
        }
    }

    /// Searches the model beside a copy that has one of these faults.
    fn duplicate(&mut self, asked: &[usize], outputs: &[Output]) {
        let has_copy =
            |idx: &usize| !matches!(self.question.faults[*idx].change, Change::Group(..));
        let asked: Vec<usize> = asked.iter().copied().filter(has_copy).collect();
        let faults: Vec<&Fault> = asked.iter().map(|&idx| self.question.faults[idx]).collect();
        if faults.is_empty() {
            return;
        }
        let part = self.question.budget.part(Some(PRODUCT_WORK));
        let answer = pairs(self.question.subgoals, &faults, outputs, self.question.engine, &part);
        let work = self.question.budget.aside(JUDGE_WORK / BATCH as u64);
        for (&idx, verdict) in asked.iter().zip(answer.verdicts) {
            match verdict {
                Verdict::Reached { trace, .. } => {
                    self.judge(idx, &answer.traces[trace].states, &work)
                }
                // The copy can always do what the model does, so nothing is sure.
                Verdict::Unreachable(proof) if !self.question.faults[idx].is_lasting => {
                    let proof = format!("no difference surely arrives at an output; {proof}");
                    self.found[idx] = Some(Finding::Conforming(proof));
                }
                Verdict::Unreachable(_) | Verdict::Unknown(_) => {}
            }
        }
    }
}
