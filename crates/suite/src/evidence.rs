//! What running a suite shows: of each goal that tests reach, whether what is judged tells.
//!
//! Whoever executes a test sends inputs and compares outputs, up to the first state in which the model
//! leaves a choice ([`crate::steps`]). A goal is shown *at the outputs* if that part of a test shows it:
//! the states and steps that reach the goal are in it, with every input that they read. For a mutant
//! more is needed: the mutated model, given the inputs of the test, can't show its outputs. Every other
//! goal that tests reach is shown *only inside*.
//!
//! A mutant follows the test up to where the test kills it, so it is run from there. Where inputs
//! determine everything, [`trapline_goals::visibility::simulate`] computes what it does then; otherwise
//! [`sets`] has the states that it may be in.

mod sets;

use rustc_hash::FxHashMap;
use trapline_engine::possible::Output;
use trapline_engine::{Budget, Why};
use trapline_goals::decide::Makeable;
use trapline_goals::mutate::{Mutant, Subject, SubjectKind};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::visibility::implementation;
use trapline_goals::visibility::simulate::{Functions, Outcome};
use trapline_goals::visibility::widen::faulty;
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::trace::Trace;
use trapline_model::transform::Change;
use trapline_model::{DefineId, Model, VarId};

use crate::choices::choices;
use crate::coverage::{Coverage, Shown, coverage_of};
use crate::steps::{self, ExecutableSuite};
use crate::titled::{Titled, Traces};

/// Work for all mutants: evaluated expressions, and what the constraint solver does. Seconds.
const WORK: u64 = 300_000_000;

/// What running a suite shows of a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// No test reaches it.
    #[default]
    None,
    /// What is judged of these tests shows it.
    Outputs(Vec<usize>),
    /// Tests reach it, but nothing that is judged shows it.
    Inside,
    /// Tests reach it; whether what is judged shows it is open, and why.
    Unknown(String),
}

/// What is judged of tests, and what that shows.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// For each test and each of its states the variables that had another choice there, as
    /// [`choices`] has them.
    pub choices: Vec<Vec<Vec<VarId>>>,
    /// One per goal.
    pub goals: Vec<Evidence>,
}

/// Goals, and the tests that reach them.
pub struct Reached<'a> {
    /// The goals.
    pub set: &'a GoalSet,
    /// Their subgoals.
    pub subgoals: &'a Subgoals,
    /// Which evaluations of decisions can be made at all.
    pub makeable: &'a Makeable,
    /// The tests.
    pub tests: &'a [&'a Trace],
    /// For each goal the tests that reach it.
    pub shown: &'a [Shown],
}

impl Evidence {
    /// A word for it, if a test reaches the goal.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Evidence::None => None,
            Evidence::Outputs(_) => Some("outputs"),
            Evidence::Inside => Some("inside"),
            Evidence::Unknown(_) => Some("unknown"),
        }
    }

    /// The tests that show it at the outputs.
    pub fn tests(&self) -> &[usize] {
        match self {
            Evidence::Outputs(tests) => tests,
            _ => &[],
        }
    }
}

/// Why nothing is said of a fault that tests show: only an execution that follows the choices shows it.
const AFTER_CHOICES: &str = "it shows after a choice of the model, which test code does not follow";

/// Determines what is judged of the tests, and what that shows of the goals that they reach.
pub fn judge(reached: &Reached<'_>, budget: &Budget<'_>) -> Judged {
    let model = implementation(&reached.set.model);
    let grace = budget.grace();
    let choices = choices(&model, reached.tests, &grace);
    let suite = executable(&model, reached.tests, &choices);
    let executed: Vec<Trace> = reached
        .tests
        .iter()
        .zip(&suite.tests)
        .map(|(trace, test)| test.executed(&model, trace))
        .collect();
    let is_asked = |goal: usize| reached.shown[goal].is_some();
    let asked = asked(reached.subgoals, is_asked);
    let mut covered = coverage_of(reached.subgoals, &|subgoal| asked[subgoal], &executed, &grace);
    credit_lassos(reached, &suite, &mut covered);
    let judged = covered.goals(reached.set, reached.subgoals, reached.makeable);
    let mutants = mutants(reached.set);
    let work = grace.aside(WORK);
    let mut runs = Runs {
        functions: Functions::new(&model, &compared(&model, &suite)),
        suite: &suite,
        executed: &executed,
        model,
        budget: &work,
    };
    let cut = covered.cut.as_ref().map(|why| Evidence::Unknown(why.to_string()));
    let goal = |idx: usize| {
        let subgoal = reached.subgoals.of_goal[idx].first();
        let hits = subgoal.map_or(&[][..], |&subgoal| &covered.tests[subgoal]);
        let own = &reached.set.goals[idx];
        // What shows a fault is compared with the outputs already.
        let is_fault = matches!(own.kind, GoalKind::Fault(_));
        match mutants.get(own.id.as_str()).filter(|_| !is_fault) {
            _ if !is_asked(idx) => Evidence::None,
            Some((subject, mutant)) if !hits.is_empty() => runs.evidence(subject, mutant, hits),
            None if judged[idx].is_some() => Evidence::Outputs(judged[idx].tests()),
            None if is_fault && cut.is_none() => Evidence::Unknown(AFTER_CHOICES.into()),
            _ => cut.clone().unwrap_or(Evidence::Inside),
        }
    };
    let goals = (0..reached.set.goals.len()).map(goal).collect();
    Judged { choices, goals }
}

fn executable(model: &Model, tests: &[&Trace], choices: &[Vec<Vec<VarId>>]) -> ExecutableSuite {
    let name = |var: &VarId| model.var(*var).name.clone();
    let named = |states: &Vec<Vec<VarId>>| -> Vec<Vec<String>> {
        states.iter().map(|vars| vars.iter().map(name).collect()).collect()
    };
    let list = tests.iter().zip(choices).map(|(&trace, choices)| Titled {
        open: named(choices),
        ..Titled::new(String::new(), trace)
    });
    let traces =
        Traces { path: "", model, list: list.collect(), is_complete: true, missed: Vec::new() };
    steps::steps(&traces, steps::TURNS)
}

/// What is compared.
fn compared(model: &Model, suite: &ExecutableSuite) -> Vec<Output> {
    let n_vars = model.vars.len();
    let output = |column: usize| match column.checked_sub(n_vars) {
        None => Output::Var(VarId(column as u32)),
        Some(define) => Output::Define(DefineId(define as u32)),
    };
    suite.checked().into_iter().map(output).collect()
}

/// Which subgoals goals have that are asked about.
fn asked(subgoals: &Subgoals, is_asked: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut asked = vec![false; subgoals.list.len()];
    for (_, own) in subgoals.of_goal.iter().enumerate().filter(|(idx, _)| is_asked(*idx)) {
        own.iter().for_each(|&subgoal| asked[subgoal] = true);
    }
    asked
}

/// What only an infinite path violates is shown by the turns of a loop, as far as running can show it.
fn credit_lassos(reached: &Reached<'_>, suite: &ExecutableSuite, covered: &mut Coverage) {
    for (own, shown) in reached.subgoals.of_goal.iter().zip(reached.shown) {
        let is_claim =
            |subgoal: &&usize| matches!(reached.subgoals.list[**subgoal], Subgoal::Trap(..));
        let Some(&subgoal) = own.first().filter(is_claim) else { continue };
        let is_whole = |test: &usize| {
            suite.tests[*test].stop.is_none() && reached.tests[*test].loop_start.is_some()
        };
        let mut met = std::mem::take(&mut covered.tests[subgoal]);
        for test in shown.tests().into_iter().filter(is_whole) {
            met.push((test, suite.tests[test].rows.len() - 1));
        }
        met.sort_unstable();
        met.dedup_by_key(|(test, _)| *test);
        covered.tests[subgoal] = met;
    }
}

/// The mutants of a model, by the ids of their goals.
fn mutants(set: &GoalSet) -> FxHashMap<String, (&Subject, &Mutant)> {
    let lists = set.mutants.iter();
    let all = lists.flat_map(|found| found.list.iter().map(move |mutant| (found, mutant)));
    let all = all.map(|(found, mutant)| {
        (mutant.id(&found.subjects), (&found.subjects[mutant.subject], mutant))
    });
    // What kills a mutated formula is said of the model: there is no other model to run.
    let is_model = |subject: &Subject| {
        !matches!(subject.kind, SubjectKind::Property(_) | SubjectKind::Formula(_))
    };
    all.filter(|(_, (subject, _))| is_model(subject)).collect()
}

/// Runs of mutants on the inputs of tests.
struct Runs<'a> {
    /// The model; mutants add expressions to it.
    model: Model,
    /// Its functions, if inputs determine everything.
    functions: Option<Functions>,
    suite: &'a ExecutableSuite,
    executed: &'a [Trace],
    budget: &'a Budget<'a>,
}

impl Runs<'_> {
    /// What tests show of a mutant that they kill, each in a state. The first test that catches it is
    /// enough.
    fn evidence(
        &mut self,
        subject: &Subject,
        mutant: &Mutant,
        hits: &[(usize, usize)],
    ) -> Evidence {
        if subject.is_environment(&self.model) {
            return Evidence::Inside;
        }
        let change = mutant.change(subject, &mut self.model);
        let mut open = None;
        for &(test, state) in hits {
            match self.run(subject, mutant, &change, (test, state)) {
                Outcome::Shown(_) => return Evidence::Outputs(vec![test]),
                Outcome::Hidden => {}
                Outcome::Open(why) => open = Some(why),
            }
        }
        open.map_or(Evidence::Inside, Evidence::Unknown)
    }

    fn run(
        &mut self,
        subject: &Subject,
        mutant: &Mutant,
        change: &Change,
        (test, state): (usize, usize),
    ) -> Outcome {
        if let Err(exhausted) = self.budget.spend(0) {
            return Outcome::Open(Why::from(exhausted).to_string());
        }
        let trace = &self.executed[test];
        // A goal may need one more step than the mutant, so that all inputs are sent.
        let first = state.saturating_sub(1);
        if let Some(functions) = &self.functions
            && let Some(changed) = functions.changed(&mut self.model, change, true)
        {
            return functions.run(&self.model, &changed, (trace, first), self.budget);
        }
        let mutated = faulty(mutant.apply_to(subject, &self.model));
        sets::run(&mutated, &self.model, self.suite, trace, self.budget)
    }
}
