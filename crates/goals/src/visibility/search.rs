//! Finds tests that show faults at the outputs, all faults in one search.
//!
//! As in test generation for circuits, simulation comes first: most faults show on a few random walks. A
//! fault that acts in no reachable state or step is equivalent. Only the rest is searched for, in the
//! [`product`] of the model with a copy that has one of a few faults, and what is found there is simulated.
//! Where the model or a copy has choices, [`super::sets`] decides as far as it goes; what is left may still
//! show on a random walk, or on what is found in the product.

use std::collections::BTreeMap;

use trapline_engine::possible::{Output, Ports};
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Engine, Proof, Reached, Start, Verdict, Why};
use trapline_model::goal::Target;
use trapline_model::trace::Trace;
use trapline_model::transform::Lift;
use trapline_model::{Model, VarId};

use super::acting::{Acting, target};
use super::candidates::{Candidates, Question};
use super::product::{Influence, product};
use super::simulate::{Changed, Functions, Outcome};
use super::{Fault, Finding, implementation, sets};
use crate::decide::Witness;
use crate::goal::GoalKind;
use crate::subgoals::Subgoals;

/// Steps of a random walk, and how many walks in a row may show nothing new.
const WALK: usize = 60;
const IDLE_WALKS: usize = 3;

/// Random ways on from where a fault acts, and their steps.
const WAYS_ON: usize = 12;
const WAY_ON: usize = 12;

/// Work for all walks: steps, and evaluated expressions.
const WALK_WORK: u64 = 200_000_000;

/// Work for finding a random successor.
const STEP_WORK: u64 = 100_000;

/// Faults asked about in one product. Those of a batch have the same variables to copy. With one selector for
/// hundreds of faults an engine is slower by orders of magnitude: little of what it learns holds for several.
const BATCH: usize = 16;

/// Decides which of some faults a test can show. The traces, of the model with its monitors, are added.
pub fn search(
    subgoals: &Subgoals,
    faults: &[usize],
    engine: &Engine,
    budget: &Budget<'_>,
    traces: &mut Vec<Trace>,
) -> Vec<Finding> {
    let own = implementation(&subgoals.model);
    let ports = Ports::new(&own).outputs;
    let mut search = Search {
        subgoals,
        faults: faults.iter().map(|&fault| &subgoals.faults[fault]).collect(),
        functions: Functions::new(&own, &ports),
        changed: Vec::new(),
        model: own.clone(),
        found: vec![None; faults.len()],
        traces: Vec::new(),
        acting: vec![None; faults.len()],
        engine,
        budget,
    };
    search.change();
    if !budget.wants_shortest() {
        search.walk();
    }
    search.activate();
    if !budget.wants_shortest() {
        search.walk_on();
    }
    search.duplicate(&ports);
    let Search { mut found, traces: mut own_traces, .. } = search;
    let open: Vec<&Fault> = faults.iter().map(|&fault| &subgoals.faults[fault]).collect();
    let question = Question { subgoals, own: &own, faults: &open, engine, budget };
    let try_words = |unsure: &mut _, found: &mut _, traces: &mut _| {
        Candidates { question, found, unsure, traces }.try_words();
    };
    let (list, found_traces) = (&mut found[..], &mut own_traces);
    let mut unsure = sets::decide(subgoals, &own, faults, list, found_traces, budget, try_words);
    let (unsure, found_traces) = (&mut unsure, &mut own_traces);
    Candidates { question, found: &mut found, unsure, traces: found_traces }.try_all(&ports);
    let first = traces.len();
    traces.extend(own_traces);
    let found = found.into_iter().map(|found| match found {
        Some(Finding::Shown(witness)) => {
            Finding::Shown(Witness { trace: first + witness.trace, ..witness })
        }
        Some(finding) => finding,
        None => Finding::Unknown(budget.spend(0).err().map_or(Why::Work, Why::from)),
    });
    found.collect()
}

struct Search<'s> {
    subgoals: &'s Subgoals,
    faults: Vec<&'s Fault>,
    /// The functions of the model, if inputs determine everything.
    functions: Option<Functions>,
    /// By fault, the changed rules, if inputs still determine everything.
    changed: Vec<Option<Changed>>,
    /// The model as something to be implemented, with the expressions of changed rules.
    model: Model,
    found: Vec<Option<Finding>>,
    /// What shows faults.
    traces: Vec<Trace>,
    /// For each fault a trace on which it acts, if one is known.
    acting: Vec<Option<Trace>>,
    engine: &'s Engine,
    budget: &'s Budget<'s>,
}

impl Search<'_> {
    fn change(&mut self) {
        for fault in &self.faults {
            let functions = self.functions.as_ref().filter(|_| self.budget.spend(0).is_ok());
            let changed = functions.and_then(|functions| {
                functions.changed(&mut self.model, &fault.change, fault.is_lasting)
            });
            self.changed.push(changed);
        }
    }

    /// The faults that are open and that can be simulated.
    fn open(&self) -> Vec<usize> {
        let is_open =
            |fault: &usize| self.found[*fault].is_none() && self.changed[*fault].is_some();
        (0..self.faults.len()).filter(is_open).collect()
    }

    /// Finds where faults act at all. One that acts nowhere is equivalent; where there are choices, one that
    /// lasts may still allow more.
    fn activate(&mut self) {
        let is_open = |fault: usize| {
            let is_judged = self.changed[fault].is_some() || !self.faults[fault].is_lasting;
            self.found[fault].is_none() && is_judged
        };
        let is_asked: Vec<bool> = (0..self.faults.len()).map(is_open).collect();
        for is_initial in [true, false] {
            let of_kind = |fault: &usize| {
                let is_own = matches!(self.faults[*fault].when, GoalKind::Initial(_)) == is_initial;
                is_own && is_asked[*fault]
            };
            let asked: Vec<usize> = (0..self.faults.len()).filter(of_kind).collect();
            if asked.is_empty() {
                continue;
            }
            let targets: Vec<Target> =
                asked.iter().map(|&fault| target(&self.faults[fault].when)).collect();
            let mut model = self.subgoals.model.clone();
            if is_initial {
                model.forbid_steps();
            }
            let answer = (self.engine.reach)(&model, &targets, &Start::Initial, self.budget);
            for (fault, verdict) in asked.into_iter().zip(answer.verdicts) {
                match verdict {
                    Verdict::Unreachable(proof) => {
                        let proof = match self.faults[fault].is_lasting {
                            true => format!("it makes no difference at all; {proof}"),
                            false => proof.to_string(),
                        };
                        self.found[fault] = Some(Finding::Equivalent(proof));
                    }
                    Verdict::Reached { trace, .. } if self.found[fault].is_none() => {
                        self.try_on(&answer.traces[trace], &[fault]);
                        self.acting[fault] = Some(answer.traces[trace].clone());
                    }
                    Verdict::Reached { .. } | Verdict::Unknown(_) => {}
                }
            }
        }
    }

    /// Simulates faults on a trace.
    fn try_on(&mut self, trace: &Trace, faults: &[usize]) -> usize {
        let mut shown = Vec::new();
        for &fault in faults {
            let starts = starts(&self.model, self.faults[fault], trace);
            if self.found[fault].is_none()
                && let Some(state) = self.shows(trace, fault, &starts)
            {
                shown.push((fault, state));
            }
        }
        self.keep(trace, shown)
    }

    /// Keeps a trace that shows faults, each in a state, up to the last state needed.
    fn keep(&mut self, trace: &Trace, shown: Vec<(usize, usize)>) -> usize {
        let Some(last) = shown.iter().map(|(_, state)| *state).max() else { return 0 };
        let mut kept = Trace { states: trace.states[..=last].to_vec(), loop_start: None };
        if let Some(end) = kept.states.last_mut() {
            end.drop_inputs(&self.subgoals.model);
        }
        self.traces.push(kept);
        let n_shown = shown.len();
        for (fault, state) in shown {
            let witness = Witness { trace: self.traces.len() - 1, state, evaluation: None };
            self.found[fault] = Some(Finding::Shown(witness));
        }
        n_shown
    }

    /// The state of a trace in which a fault shows that begins to act in one of these.
    fn shows(&self, trace: &Trace, fault: usize, starts: &[usize]) -> Option<usize> {
        let (functions, changed) = (self.functions.as_ref()?, self.changed[fault].as_ref()?);
        let outcome =
            |first: usize| functions.run(&self.model, changed, (trace, first), self.budget);
        starts.iter().find_map(|&first| match outcome(first) {
            Outcome::Shown(state) => Some(state),
            Outcome::Hidden | Outcome::Open(_) => None,
        })
    }

    /// Random walks, as long as they show something. Where all faults act on a walk is evaluated at once.
    fn walk(&mut self) {
        let open = self.open();
        let model = self.subgoals.model.clone();
        let simulator = Simulator::new(&model);
        let acting = Acting::new(&model, open.iter().map(|&fault| self.faults[fault]));
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.budget.aside(WALK_WORK);
        let (mut n_idle, mut n_open) = (0, open.len());
        while n_open > 0 && n_idle < IDLE_WALKS && work.spend(0).is_ok() {
            let trace = walk_on(&simulator, Trace::default(), WALK, &mut rng, &work);
            if trace.states.is_empty() || work.spend((n_open * WALK) as u64).is_err() {
                return;
            }
            let acting = acting.on(std::slice::from_ref(&trace), &|| true);
            let mut shown = Vec::new();
            for (&fault, acting) in open.iter().zip(acting) {
                let Some(&(_, first)) = acting.first() else { continue };
                let starts = match self.faults[fault].is_lasting {
                    true => vec![first],
                    false => starts(&self.model, self.faults[fault], &trace),
                };
                if self.found[fault].is_none()
                    && let Some(state) = self.shows(&trace, fault, &starts)
                {
                    shown.push((fault, state));
                }
            }
            let n_shown = self.keep(&trace, shown);
            n_idle = if n_shown * 50 < n_open { n_idle + 1 } else { 0 };
            n_open -= n_shown;
        }
    }

    /// Random ways on from where faults act.
    fn walk_on(&mut self) {
        let model = self.subgoals.model.clone();
        let simulator = Simulator::new(&model);
        let mut rng = fastrand::Rng::with_seed(0);
        let work = self.budget.aside(WALK_WORK);
        for fault in self.open() {
            let Some(acting) = self.acting[fault].take() else { continue };
            for _ in 0..WAYS_ON {
                if self.found[fault].is_some() || work.spend(0).is_err() {
                    break;
                }
                let n_states = acting.states.len() + WAY_ON;
                let trace = walk_on(&simulator, acting.clone(), n_states, &mut rng, &work);
                if self.try_on(&trace, &[fault]) > 0 {
                    let others = self.open();
                    self.try_on(&trace, &others);
                }
            }
        }
    }

    /// Searches the model beside its copies.
    fn duplicate(&mut self, outputs: &[Output]) {
        let open = self.open();
        let influence = Influence::new(&self.subgoals.model);
        let mut groups: BTreeMap<Vec<VarId>, Vec<usize>> = BTreeMap::new();
        for fault in open {
            groups.entry(influence.of(&self.faults[fault].change)).or_default().push(fault);
        }
        for group in groups.into_values() {
            for batch in group.chunks(BATCH) {
                if self.budget.spend(0).is_err() {
                    return;
                }
                // Others may have been shown by chance.
                let is_open = |fault: &usize| self.found[*fault].is_none();
                let asked: Vec<usize> = batch.iter().copied().filter(is_open).collect();
                self.ask(&asked, outputs);
            }
        }
    }

    /// Searches the model beside a copy that has one of these faults.
    fn ask(&mut self, asked: &[usize], outputs: &[Output]) {
        let faults: Vec<&Fault> = asked.iter().map(|&fault| self.faults[fault]).collect();
        let answer = pairs(self.subgoals, &faults, outputs, self.engine, self.budget);
        for (&fault, verdict) in asked.iter().zip(answer.verdicts) {
            match verdict {
                Verdict::Unreachable(proof) => self.found[fault] = Some(hidden(&proof)),
                Verdict::Reached { trace, .. } => {
                    let rest: Vec<usize> = [fault].into_iter().chain(self.open()).collect();
                    self.try_on(&answer.traces[trace], &rest);
                }
                Verdict::Unknown(why) => {
                    self.found[fault].get_or_insert(Finding::Unknown(why));
                }
            }
        }
    }
}

/// Searches for states of the model and of a copy with one of a few faults whose outputs differ; the traces are of
/// the model with its monitors.
pub(super) fn pairs(
    subgoals: &Subgoals,
    faults: &[&Fault],
    outputs: &[Output],
    engine: &Engine,
    budget: &Budget<'_>,
) -> Reached {
    let mut product = product(&subgoals.model, faults, outputs);
    product.cut();
    let mut found = (engine.reach)(&product.model, &product.targets(), &Start::Initial, budget);
    let back = Lift::First(subgoals.model.vars.len());
    found.traces.iter_mut().for_each(|trace| back.project(trace));
    found
}

fn hidden(proof: &Proof) -> Finding {
    Finding::Equivalent(format!("no difference arrives at an output; {proof}"))
}

/// The states in which a fault may begin to act on a trace.
pub fn starts(model: &Model, fault: &Fault, trace: &Trace) -> Vec<usize> {
    if fault.is_lasting {
        return vec![0];
    }
    let (expr, is_step) = match &fault.when {
        GoalKind::Initial(expr) | GoalKind::State(expr) => (*expr, false),
        GoalKind::Step(expr) => (*expr, true),
        _ => return Vec::new(),
    };
    let plan = trapline_model::eval::Plan::new(model, &[expr]);
    let mut cells = Vec::new();
    let n_states = match fault.when {
        GoalKind::Initial(_) => 1,
        _ => trace.states.len(),
    };
    let mut starts = Vec::new();
    for state in 0..n_states.min(trace.states.len()) {
        let next = trace.states.get(state + 1);
        if is_step && next.is_none() {
            break;
        }
        let next = next.map_or(&[][..], |next| &next.values);
        plan.run(&trace.states[state].values, next, &mut cells);
        if plan.root(0, &cells).as_bool() == Some(true) {
            starts.push(state + usize::from(is_step));
        }
    }
    starts
}

/// A trace with random steps behind it, until it has so many states.
pub(super) fn walk_on(
    simulator: &Simulator<'_>,
    mut trace: Trace,
    n_states: usize,
    rng: &mut fastrand::Rng,
    budget: &Budget<'_>,
) -> Trace {
    while trace.states.len() < n_states {
        let part = budget.part(Some(STEP_WORK));
        let found = match trace.states.last() {
            None => simulator.initial(&[], rng, &part),
            Some(state) => simulator.step(state, &[], rng, &part),
        };
        let Ok(Some(choice)) = found else { break };
        if let (Some(last), Some(from)) = (trace.states.last_mut(), choice.from) {
            *last = from;
        }
        trace.states.push(choice.state);
    }
    trace
}
