//! Which goals executions reach.
//!
//! A tester does not see everything, so several runs of the model may explain what was exchanged. A goal
//! was reached if all of them reach it, each wherever it likes; it may have been reached if some do.

use fixedbitset::FixedBitSet;
use trapline_budget::Budget;
use trapline_goals::GoalSet;
use trapline_goals::decide::Makeable;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::coverage::CoverageEvaluator;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_suite::coverage::{Coverage, Shown, coverage};

use crate::pursuit::Pursuits;
use crate::result::RunResult;
use crate::tester::{Explanations, Layer};

/// What executions reach.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// For each goal the executions that reach it.
    pub goals: Vec<Shown>,
    /// For each execution the goals that it reaches.
    pub by_run: Vec<Vec<usize>>,
    /// The goals that it may have reached besides.
    pub perhaps_by_run: Vec<Vec<usize>>,
    /// For each subgoal the executions that meet it, with the exchange by which they do.
    pub met: Vec<Vec<(usize, usize)>>,
}

/// Determines which goals tests reach, each in all its executions; and which subgoals they meet in the
/// execution that counts.
pub fn reached_by(
    set: &GoalSet,
    subgoals: &Subgoals,
    run: &RunResult,
    budget: &Budget<'_>,
) -> Reached {
    let (mut all, mut test_of) = (Vec::new(), Vec::new());
    for (place, (_, test)) in run.tests.iter().enumerate() {
        all.extend(std::iter::once(&test.explanations).chain(&test.others));
        test_of.resize(all.len(), place);
    }
    let mut found = reached(set, subgoals, &all, budget);
    for list in [&mut found.by_run, &mut found.perhaps_by_run] {
        let mut by_test = vec![Vec::new(); run.tests.len()];
        for (goals, &test) in list.iter().zip(&test_of) {
            by_test[test].extend(goals);
        }
        for goals in &mut by_test {
            goals.sort_unstable();
            goals.dedup();
        }
        *list = by_test;
    }
    // Of the executions of a test the first is the one that counts.
    let is_last = |run: usize| run == 0 || test_of[run - 1] != test_of[run];
    for runs in &mut found.met {
        runs.retain(|(run, _)| is_last(*run));
        runs.iter_mut().for_each(|(run, _)| *run = test_of[*run]);
    }
    for shown in &mut found.goals {
        *shown = match std::mem::replace(shown, Shown::No) {
            Shown::No => Shown::No,
            Shown::By(runs) => {
                let mut tests: Vec<usize> = runs.into_iter().map(|run| test_of[run]).collect();
                tests.dedup();
                Shown::By(tests)
            }
            Shown::ByPair(a, b) => Shown::ByPair(test_of[a], test_of[b]),
        };
    }
    found
}

/// Determines which goals executions reach.
pub fn reached(
    set: &GoalSet,
    subgoals: &Subgoals,
    runs: &[&Explanations],
    budget: &Budget<'_>,
) -> Reached {
    let n_subgoals = subgoals.list.len();
    let mut met = Coverage { tests: vec![Vec::new(); n_subgoals], cut: None };
    let mut perhaps = met.clone();
    // Executions with one explanation are tests like any other.
    let (single, other): (Vec<_>, Vec<_>) =
        runs.iter().enumerate().partition(|(_, run)| run.only().is_some());
    let traces: Vec<Trace> = single.iter().filter_map(|(_, run)| run.only()).collect();
    for (subgoal, tests) in coverage(subgoals, &traces, budget).tests.into_iter().enumerate() {
        met.tests[subgoal].extend(tests.into_iter().map(|(test, state)| (single[test].0, state)));
    }
    let judge = Judge::new(subgoals);
    for (run, explanations) in other {
        let (surely, some) = judge.judge(explanations);
        for subgoal in some.ones() {
            let of = if surely.contains(subgoal) { &mut met } else { &mut perhaps };
            of.tests[subgoal].push((run, explanations.layers.len() - 1));
        }
    }
    met.tests.iter_mut().for_each(|tests| tests.sort_unstable());
    // As if all evaluations of decisions could be made: that asks for the closest pairs.
    let makeable: Makeable =
        set.points.iter().map(|point| (0..point.evaluations.len()).collect()).collect();
    let goals = met.goals(set, subgoals, &makeable);
    for (all, sure) in perhaps.tests.iter_mut().zip(&met.tests) {
        all.extend(sure);
        all.sort_unstable();
    }
    let possible = perhaps.goals(set, subgoals, &makeable);
    let by_run = by_run(&goals, runs.len());
    let mut perhaps_by_run = self::by_run(&possible, runs.len());
    perhaps_by_run.iter_mut().for_each(|goals_of| goals_of.retain(|&goal| !goals[goal].is_some()));
    Reached { goals, by_run, perhaps_by_run, met: met.tests }
}

fn by_run(goals: &[Shown], n_runs: usize) -> Vec<Vec<usize>> {
    let mut by_run = vec![Vec::new(); n_runs];
    for (goal, shown) in goals.iter().enumerate() {
        shown.tests().into_iter().for_each(|run| by_run[run].push(goal));
    }
    by_run
}

impl Explanations {
    /// The only explanation, if there is but one.
    pub fn only(&self) -> Option<Trace> {
        let is_single = |layer: &Layer| layer.states.len() == 1 && layer.edges.len() <= 1;
        if !self.is_whole || self.layers.is_empty() || !self.layers.iter().all(is_single) {
            return None;
        }
        let taken = self.layers.iter().flat_map(|layer| layer.edges.first());
        let mut states: Vec<State> = taken.map(|(_, current, _)| current.clone()).collect();
        states.push(self.layers.last()?.states[0].clone());
        Some(Trace { states, loop_start: None })
    }
}

/// Judges executions with several explanations by the subgoals about states and steps.
struct Judge<'s> {
    subgoals: &'s Subgoals,
    /// Those about single states and steps, all at once.
    judged: Vec<usize>,
    evaluator: CoverageEvaluator,
    /// Those about consecutive steps.
    longer: Pursuits,
}

impl Judge<'_> {
    fn new(subgoals: &Subgoals) -> Judge<'_> {
        let (mut judged, mut targets, mut longer) = (Vec::new(), Vec::new(), Vec::new());
        for (idx, subgoal) in subgoals.list.iter().enumerate() {
            let target = match subgoal {
                Subgoal::Initial(expr) => Target::State(*expr),
                Subgoal::Reach(target @ (Target::State(_) | Target::Step(_))) => target.clone(),
                Subgoal::Reach(Target::Steps(_)) => {
                    longer.push(idx);
                    continue;
                }
                // These need whole paths.
                Subgoal::Trap(..) | Subgoal::Fault(_) => continue,
            };
            judged.push(idx);
            targets.push(target);
        }
        let evaluator = CoverageEvaluator::new(&subgoals.model, &targets);
        let longer = Pursuits::new(subgoals, longer.into_iter());
        Judge { subgoals, judged, evaluator, longer }
    }

    /// The subgoals that all explanations meet, and those that some meet.
    fn judge(&self, explanations: &Explanations) -> (FixedBitSet, FixedBitSet) {
        let n_subgoals = self.subgoals.list.len();
        let none = || FixedBitSet::with_capacity(n_subgoals);
        let mut layers = explanations.layers.iter().enumerate();
        let Some((_, first)) = layers.next() else { return (none(), none()) };
        let states = first.states.iter().map(|state| vec![state.clone()]);
        let mut met = self.met(states.collect(), 0);
        let mut some = met.clone();
        for (idx, layer) in layers {
            let steps = layer.edges.iter();
            let steps =
                steps.map(|(_, current, to)| vec![current.clone(), layer.states[*to].clone()]);
            let steps = self.met(steps.collect(), idx);
            let mut all: Vec<Option<FixedBitSet>> = vec![None; layer.states.len()];
            let mut any: Vec<FixedBitSet> = vec![none(); layer.states.len()];
            for ((from, _, to), step) in layer.edges.iter().zip(&steps) {
                let mut here = met[*from].clone();
                here.union_with(step);
                match &mut all[*to] {
                    Some(all) => all.intersect_with(&here),
                    open => *open = Some(here),
                }
                any[*to].union_with(&some[*from]);
                any[*to].union_with(step);
            }
            met = all.into_iter().map(Option::unwrap_or_default).collect();
            some = any;
        }
        let mut surely = met.first().cloned().unwrap_or_else(none);
        met.iter().for_each(|met| surely.intersect_with(met));
        let mut possibly = none();
        some.iter().for_each(|some| possibly.union_with(some));
        surely.grow(n_subgoals);
        let longer = self.longer.follow(&explanations.layers);
        for (&subgoal, (unmet, has_met)) in self.longer.subgoals.iter().zip(longer) {
            surely.set(subgoal, unmet.is_empty());
            possibly.set(subgoal, has_met);
        }
        (surely, possibly)
    }

    /// The subgoals that each piece of a path meets, the first state of which is in this layer or the one
    /// before.
    fn met(&self, pieces: Vec<Vec<State>>, layer: usize) -> Vec<FixedBitSet> {
        let traces: Vec<Trace> =
            pieces.into_iter().map(|states| Trace { states, loop_start: None }).collect();
        let none = FixedBitSet::with_capacity(self.subgoals.list.len());
        let mut met = vec![none; traces.len()];
        let all = self.evaluator.met(&traces, 1, &|| true);
        for (&subgoal, pieces) in self.judged.iter().zip(all) {
            let is_initial = matches!(self.subgoals.list[subgoal], Subgoal::Initial(_));
            if !is_initial || layer == 0 {
                pieces.into_iter().for_each(|(piece, _)| met[piece].insert(subgoal));
            }
        }
        met
    }
}
