//! Executing a suite in rounds: tests that stay inconclusive are extended and executed again.

use fixedbitset::FixedBitSet;
use trapline_budget::Budget;
use trapline_engine::possible::Ports;
use trapline_engine::{Engine, Why};
use trapline_goals::GoalSet;
use trapline_goals::subgoals::Subgoals;
use trapline_model::Model;
use trapline_model::trace::Trace;

use crate::adapters::Breakdown;
use crate::extend::{Extender, Extension, owed};
use crate::reached::{Reached, reached_by};
use crate::result::{RunResult, Verdict};
use crate::run::{Options, run};
use crate::script::Script;
use crate::tester::Tester;

/// Branches are not nested more deeply than this, so that whoever reads JSON can read them.
const MAX_NESTED: usize = 50;

/// A test with its branches.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Its index in the suite.
    pub idx: usize,
    /// Its name.
    pub name: String,
    /// Its ways, the trunk first.
    pub paths: Vec<Trace>,
    /// The goals that it is there for.
    pub goals: Vec<usize>,
    /// Must the implementation not answer as in its last state?
    pub is_negative: bool,
}

impl Tree {
    /// The exchanges of the test.
    pub fn script(&self, ports: &Ports<'_>, model: &Model) -> Script {
        let mut paths = self.paths.clone();
        let states = paths.iter_mut().flat_map(|path| &mut path.states);
        // There may be monitors behind the variables of the test.
        states.for_each(|state| state.values.resize(model.vars.len(), None));
        let paths: Vec<&Trace> = paths.iter().collect();
        Script { is_negative: self.is_negative, ..Script::new(ports, model, &self.name, &paths) }
    }
}

/// How tests are extended.
#[derive(Clone, Copy, Debug)]
pub struct Extending {
    /// How often, at most.
    pub n_rounds: usize,
    /// Are choices that the implementation made expected again?
    pub is_refined: bool,
    /// What searches where there is too much to plan with.
    pub engine: Engine,
}

/// A round of extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// How many tests were inconclusive before.
    pub n_inconclusive: usize,
    /// How many of these got a branch.
    pub n_extended: usize,
    /// How many are inconclusive after.
    pub n_left: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The last execution of each test, and what all of them explain.
    pub run: RunResult,
    /// The goals that they reach.
    pub reached: Reached,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// For each test that is still inconclusive why it was not extended once more, by its place in the run.
    pub given_up: Vec<(usize, String)>,
}

/// Executes tests, and extends those that stay inconclusive.
///
/// # Errors
/// When no implementation can be opened at all.
pub fn run_in_rounds(
    (set, subgoals): (&GoalSet, &Subgoals),
    trees: &mut [Tree],
    options: &Options,
    extending: Option<&Extending>,
    budget: &Budget<'_>,
) -> Result<Outcome, Breakdown> {
    let model = &subgoals.model;
    let tester = Tester::new(model, budget);
    let script = |tree: &Tree| (tree.idx, tree.script(tester.ports(), model));
    let scripts: Vec<_> = trees.iter().map(script).collect();
    let mut outcome = Outcome { run: run(model, &scripts, options, budget)?, ..Outcome::default() };
    outcome.reached = reached_by(set, subgoals, &outcome.run, &budget.grace());
    let Some(extending) = extending else { return Ok(outcome) };
    let unseen = &options.observation.unobserved;
    let mut extender = Extender::new(subgoals, &tester, extending.engine, unseen);
    for _ in 0..extending.n_rounds {
        let n_inconclusive = outcome.run.count(Verdict::Inconclusive);
        if n_inconclusive == 0 || !outcome.run.is_complete {
            break;
        }
        let learnt = if extending.is_refined { learn(&mut extender, &outcome.run) } else { Ok(()) };
        let extended = learnt
            .and_then(|()| extend_all(&mut extender, (subgoals, budget), trees, &mut outcome));
        let Ok(extended) = extended else {
            outcome.run.is_complete = false;
            break;
        };
        if extended.is_empty() {
            break;
        }
        let scripts: Vec<_> = extended.iter().map(|&place| script(&trees[place])).collect();
        outcome.run.replace(run(model, &scripts, options, budget)?);
        outcome.reached = reached_by(set, subgoals, &outcome.run, &budget.grace());
        let n_left = outcome.run.count(Verdict::Inconclusive);
        outcome.rounds.push(Round { n_inconclusive, n_extended: extended.len(), n_left });
    }
    Ok(outcome)
}

/// Learns all choices that an implementation has made.
fn learn(extender: &mut Extender<'_, '_, '_, '_>, run: &RunResult) -> Result<(), Why> {
    for (_, test) in &run.tests {
        for explanations in std::iter::once(&test.explanations).chain(&test.others) {
            extender.learn(explanations)?;
        }
    }
    Ok(())
}

/// Extends the inconclusive tests; returns those for which that was possible, by their places.
fn extend_all(
    extender: &mut Extender<'_, '_, '_, '_>,
    (subgoals, budget): (&Subgoals, &Budget<'_>),
    trees: &mut [Tree],
    outcome: &mut Outcome,
) -> Result<Vec<usize>, Why> {
    let Outcome { run, reached, given_up, .. } = outcome;
    let mut met = lasting(run, reached);
    let mut extended = Vec::new();
    given_up.clear();
    for (place, (idx, test)) in run.tests.iter().enumerate() {
        let is_meant = |tree: &Tree| tree.idx == *idx && !tree.is_negative;
        let Some(at) = trees.iter().position(is_meant) else { continue };
        if test.verdict != Verdict::Inconclusive {
            continue;
        }
        if test.branch.len() >= MAX_NESTED {
            given_up.push((place, "its branches are nested too deeply".into()));
            continue;
        }
        let tree = &mut trees[at];
        // What only this execution has met stays in the test.
        let kept: Vec<(usize, usize)> =
            met_in(reached, place).filter(|(subgoal, _)| !met.contains(*subgoal)).collect();
        let n_kept = kept.iter().map(|(_, exchange)| *exchange).max().unwrap_or(0);
        let is_open = |goal: &&usize| !reached.goals[**goal].is_some();
        let open: Vec<usize> = tree.goals.iter().filter(is_open).copied().collect();
        let mut wanted = owed(subgoals, &tree.paths, &open, budget);
        wanted.retain(|&subgoal| !met.contains(subgoal) && reached.met[subgoal].is_empty());
        let extension = extender.extend(test, &tree.paths, (&wanted, n_kept))?;
        match &extension.path {
            Some(path) if !tree.paths.contains(path) => {
                // What this test now leads to is not looked for from another.
                met.extend(extension.planned.iter().copied());
                met.extend(kept.iter().map(|(subgoal, _)| *subgoal));
                tree.paths.push(path.clone());
                extended.push(at);
            }
            _ => given_up.push((place, why(&extension))),
        }
    }
    Ok(extended)
}

/// The subgoals that tests meet which are not to be extended.
fn lasting(run: &RunResult, reached: &Reached) -> FixedBitSet {
    let is_over = |place: usize| run.tests[place].1.verdict != Verdict::Inconclusive;
    let all = reached.met.iter().enumerate();
    let lasting = all.filter(|(_, tests)| tests.iter().any(|(place, _)| is_over(*place)));
    let mut met: FixedBitSet = lasting.map(|(subgoal, _)| subgoal).collect();
    met.grow(reached.met.len());
    met
}

/// The subgoals that a test meets, by its place, with the exchange by which it does.
fn met_in(reached: &Reached, place: usize) -> impl Iterator<Item = (usize, usize)> {
    reached.met.iter().enumerate().filter_map(move |(subgoal, tests)| {
        let (_, exchange) = tests.iter().find(|(test, _)| *test == place)?;
        Some((subgoal, *exchange))
    })
}

/// Why a test was not extended.
fn why(extension: &Extension) -> String {
    match extension.undecided.first() {
        Some((_, why)) => format!("no way to its goals was found from there: {why}"),
        None if !extension.unlikely.is_empty() => {
            "its goals need other choices than the implementation makes".into()
        }
        None if !extension.lost.is_empty() => {
            "after this choice no exchanges can show that any of its goals is reached".into()
        }
        None => "the implementation does not repeat its choices".into(),
    }
}
