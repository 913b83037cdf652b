//! Faults in models with choices that are too large to list: tests that may show them, judged one by one.
//!
//! A random walk is a candidate where the fault acts on it, one that goes on from where it acts, and a trace of the [`super::product`] in which the
//! copy, with the choices of the model wherever it can, comes to other outputs.

use trapline_engine::possible::Output;
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Engine, Start, Verdict, Why};
use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Change;

use super::acting::{Acting, target};
use super::search::{pairs, walk_on};
use super::tree::{self, Played};
use super::{Fault, Finding, once};
use crate::decide::Witness;
use crate::goal::GoalKind;
use crate::subgoals::Subgoals;

/// Random walks, their steps, and the steps that are tried after a fault has acted.
const WALKS: usize = 4;
const WALK: usize = 40;
const WAY_ON: usize = 8;

/// Work for judging candidates.
const JUDGE_WORK: u64 = 300_000_000;

/// Faults asked about in one product, and work for that.
const BATCH: usize = 16;
const PRODUCT_WORK: u64 = 20_000_000;

/// Faults to be shown.
pub struct Candidates<'c> {
    /// The model with its monitors, and as something to be implemented.
    pub subgoals: &'c Subgoals,
    /// The latter.
    pub own: &'c Model,
    /// The faults, and what was found out about each.
    pub faults: &'c [&'c Fault],
    /// The findings.
    pub found: &'c mut [Option<Finding>],
    /// The faults of which it is open whether something surely shows them.
    pub unsure: &'c [usize],
    /// What shows faults.
    pub traces: &'c mut Vec<Trace>,
    /// The engine.
    pub engine: &'c Engine,
    /// The budget.
    pub budget: &'c Budget<'c>,
}

impl Candidates<'_> {
    /// Looks for tests that show the faults that are open.
    pub fn try_all(&mut self, outputs: &[Output]) {
        if self.open().is_empty() || self.budget.wants_shortest() {
            return;
        }
        self.walk();
        self.walk_on();
        let open = self.open();
        for batch in open.chunks(BATCH) {
            if self.budget.spend(0).is_err() {
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
        (0..self.faults.len()).filter(is_open).collect()
    }

    fn walk(&mut self) {
        let model = self.subgoals.model.clone();
        let simulator = Simulator::new(&model);
        let acting = Acting::new(&model, self.faults.iter().copied());
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.budget.aside(JUDGE_WORK);
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
        let acts_later = |idx: &usize| !matches!(self.faults[*idx].when, GoalKind::Initial(_));
        let open: Vec<usize> = self.open().into_iter().filter(acts_later).collect();
        if open.is_empty() {
            return;
        }
        let targets: Vec<Target> = open.iter().map(|&idx| target(&self.faults[idx].when)).collect();
        let model = self.subgoals.model.clone();
        let part = self.budget.part(Some(PRODUCT_WORK));
        let answer = (self.engine.reach)(&model, &targets, &Start::Initial, &part);
        let simulator = Simulator::new(&model);
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.budget.aside(JUDGE_WORK);
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
            end.drop_inputs(&self.subgoals.model);
        }
        let fault = self.faults[idx];
        let state = match fault.is_lasting {
            true => {
                let played = [Played::new(self.own, std::slice::from_ref(&test))];
                tree::shows(self.own, fault, &played, budget)[0]
            }
            false => once::shows(self.own, fault, &test, budget),
        };
        let Some(state) = state else { return };
        test.states.truncate(state + 1);
        if let Some(end) = test.states.last_mut() {
            end.drop_inputs(&self.subgoals.model);
        }
        self.traces.push(test);
        let witness = Witness { trace: self.traces.len() - 1, state, evaluation: None };
        self.found[idx] = Some(Finding::Shown(witness));
    }

    /// Searches the model beside a copy that has one of these faults.
    fn duplicate(&mut self, asked: &[usize], outputs: &[Output]) {
        let has_copy = |idx: &usize| !matches!(self.faults[*idx].change, Change::Group(..));
        let asked: Vec<usize> = asked.iter().copied().filter(has_copy).collect();
        let faults: Vec<&Fault> = asked.iter().map(|&idx| self.faults[idx]).collect();
        if faults.is_empty() {
            return;
        }
        let part = self.budget.part(Some(PRODUCT_WORK));
        let answer = pairs(self.subgoals, &faults, outputs, self.engine, &part);
        let work = self.budget.aside(JUDGE_WORK / BATCH as u64);
        for (&idx, verdict) in asked.iter().zip(answer.verdicts) {
            match verdict {
                Verdict::Reached { trace, .. } => {
                    self.judge(idx, &answer.traces[trace].states, &work)
                }
                // The copy can always do what the model does, so nothing is sure.
                Verdict::Unreachable(proof) if !self.faults[idx].is_lasting => {
                    let proof = format!("no difference surely arrives at an output; {proof}");
                    self.found[idx] = Some(Finding::Conforming(proof));
                }
                Verdict::Unreachable(_) | Verdict::Unknown(_) => {}
            }
        }
    }
}
