//! Minimises suites while preserving their coverage.
//!
//! Tests that are prefixes of others are dropped, a minimum set cover of the rest is chosen
//! ([`crate::set_cover`]), and each test is truncated where the last goal that needs it is reached.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use trapline_engine::{Budget, Why};
use trapline_goals::decide::Makeable;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::Model;
use trapline_model::trace::{State, Trace};

use crate::coverage::{Coverage, coverage_of_trees};
use crate::set_cover::{self, Bound, Need, Objective, Problem, Proof, Solution};
use crate::tree;

/// The goals whose coverage is preserved.
pub struct Needed<'a> {
    /// The goals.
    pub set: &'a GoalSet,
    /// Their subgoals.
    pub subgoals: &'a Subgoals,
    /// Which evaluations of decisions can be made at all.
    pub makeable: &'a Makeable,
    /// The goals that count, by their indices.
    pub goals: &'a [usize],
    /// Which subgoals are evaluated on the tests.
    pub is_asked: &'a dyn Fn(usize) -> bool,
}

/// A minimised suite.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The tests.
    pub tests: Vec<Trace>,
    /// The original test of each.
    pub origins: Vec<usize>,
    /// The set cover before truncation, with its proved bound.
    pub solution: Solution,
    /// Why the tests were left unchanged, if their coverage could not be determined.
    pub given_up: Option<Why>,
}

/// Selects tests and truncates them. Those in `keep` stay unchanged; all do if there is no time to
/// evaluate them.
pub fn minimise(
    needed: &Needed<'_>,
    tests: &[Trace],
    keep: &[usize],
    objective: Objective,
    budget: &Budget<'_>,
) -> Minimised {
    let trees: Vec<Range<usize>> = (0..tests.len()).map(|idx| idx..idx + 1).collect();
    minimise_trees(needed, (tests, &trees), keep, objective, budget)
}

/// Selects trees of tests as wholes, and truncates those that are single tests: what an implementation
/// chooses decides how far it goes in a tree. Trees are ranges of tests and leave none out.
pub fn minimise_trees(
    needed: &Needed<'_>,
    (tests, trees): (&[Trace], &[Range<usize>]),
    keep: &[usize],
    objective: Objective,
    budget: &Budget<'_>,
) -> Minimised {
    let tree_tests = (tests, trees);
    let covered = coverage_of_trees(needed.subgoals, needed.is_asked, tree_tests, &budget.grace());
    if let Some(why) = covered.cut {
        let solution = everything(tests);
        let (tests, origins) = (tests.to_vec(), solution.chosen.clone());
        return Minimised { tests, origins, solution, given_up: Some(why) };
    }
    let problem = problem(needed, &covered, tests, keep);
    let solution = set_cover::solve(&of_trees(problem.clone(), tests, trees), objective, budget);
    let origins: Vec<usize> =
        solution.chosen.iter().flat_map(|&tree| trees[tree].clone()).collect();
    let mut last = last_states(&problem, needed, &covered, &origins, tests.len());
    let branched = trees.iter().filter(|tree| tree.len() > 1).flat_map(Range::clone);
    for kept in keep.iter().copied().chain(branched) {
        last[kept] = tests[kept].states.len() - 1;
    }
    let left = origins.iter().map(|&idx| cut(&tests[idx], last[idx], needed)).collect();
    Minimised { tests: left, origins, solution, given_up: None }
}

/// The same problem, with trees in place of their tests.
fn of_trees(mut problem: Problem, tests: &[Trace], trees: &[Range<usize>]) -> Problem {
    let mut tree_of = vec![0; tests.len()];
    for (idx, tree) in trees.iter().enumerate() {
        tree_of[tree.clone()].fill(idx);
    }
    let merge = |list: &mut Vec<usize>| {
        list.iter_mut().for_each(|test| *test = tree_of[*test]);
        list.dedup();
    };
    let n_steps =
        |tree: &Range<usize>| tree::n_steps(&tests[tree.clone()].iter().collect::<Vec<_>>()) as u64;
    problem.n_steps = trees.iter().map(n_steps).collect();
    merge(&mut problem.keep);
    problem.evaluations.iter_mut().for_each(merge);
    for goal in &mut problem.goals {
        if let Need::Any(list) = goal {
            merge(list);
        }
    }
    problem
}

/// All tests, without a bound.
fn everything(tests: &[Trace]) -> Solution {
    Solution {
        chosen: (0..tests.len()).collect(),
        n_steps: tests.iter().map(|test| test.states.len() as u64 - 1).sum(),
        bound: Bound { n_tests: 0, n_steps: 0, proof: Proof::Gap },
    }
}

/// A minimum set cover from known coverage, without truncation.
pub fn best(
    needed: &Needed<'_>,
    covered: &Coverage,
    tests: &[Trace],
    objective: Objective,
    budget: &Budget<'_>,
) -> Solution {
    set_cover::solve(&problem(needed, covered, tests, &[]), objective, budget)
}

/// The candidates for selection: when minimising steps, prefixes of tests are candidates too.
pub fn candidates(
    model: &Model,
    tests: &[Trace],
    keep: &[usize],
    objective: Objective,
) -> Vec<usize> {
    match objective {
        Objective::FewestTests => without_prefixes(model, tests, keep),
        Objective::FewestSteps => (0..tests.len()).collect(),
    }
}

/// The indices of tests that are not duplicates or prefixes of others, in order; those in `keep`
/// stay.
pub fn without_prefixes(model: &Model, tests: &[Trace], keep: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|&idx| (std::cmp::Reverse(tests[idx].states.len()), !keep.contains(&idx)));
    // The tests with each prefix, by its number.
    let mut begun: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut left = Vec::new();
    for idx in order {
        let numbers = numbers(model, &tests[idx]);
        let is_longer = |&other: &usize| is_prefix(model, &tests[idx], &tests[other]);
        let others = numbers.last().and_then(|number| begun.get(number));
        let is_known = others.is_some_and(|others| others.iter().any(is_longer));
        if !is_known || keep.contains(&idx) {
            left.push(idx);
            numbers.iter().for_each(|&number| begun.entry(number).or_default().push(idx));
        }
    }
    left.sort_unstable();
    left
}

/// A number for each prefix of a test, equal for equal prefixes.
fn numbers(model: &Model, test: &Trace) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    let numbers = test.states.iter().map(|state| {
        without_inputs(model, state).hash(&mut hasher);
        hasher.finish()
    });
    numbers.collect()
}

fn is_prefix(model: &Model, test: &Trace, of: &Trace) -> bool {
    let n_states = test.states.len();
    if test.loop_start != of.loop_start || n_states > of.states.len() || n_states == 0 {
        return false;
    }
    // The inputs in a state belong to the step that leaves it.
    let (last, before) = (n_states - 1, ..n_states - 1);
    let same_end =
        without_inputs(model, &test.states[last]) == without_inputs(model, &of.states[last]);
    let same_loop = test.loop_start.is_none() || test.states == of.states;
    test.states[before] == of.states[before] && same_end && same_loop
}

fn without_inputs(model: &Model, state: &State) -> State {
    let mut state = state.clone();
    state.drop_inputs(model);
    state
}

fn problem(needed: &Needed<'_>, covered: &Coverage, tests: &[Trace], keep: &[usize]) -> Problem {
    let n_steps = tests.iter().map(|test| test.states.len() as u64 - 1).collect();
    let only = |tests: &[(usize, usize)]| tests.iter().map(|(test, _)| *test).collect::<Vec<_>>();
    let goals =
        needed.goals.iter().map(|&idx| (&needed.set.goals[idx], &needed.subgoals.of_goal[idx]));
    let goals = goals.map(|(goal, own)| match &goal.kind {
        GoalKind::Pair(pair) => {
            let makeable = &needed.makeable[pair.decision];
            let pairs = covered.pairs(needed.set, pair, own, makeable);
            Need::Pair(pairs.into_iter().map(|(a, b)| (own[a], own[b])).collect())
        }
        _ => Need::Any(only(&covered.tests[own[0]])),
    });
    let goals = goals.collect();
    let evaluations = covered.tests.iter().map(|tests| only(tests)).collect();
    Problem { n_steps, keep: keep.to_vec(), evaluations, goals }
}

/// For each test the last state that a goal needs, if every goal is reached by a chosen test.
fn last_states(
    problem: &Problem,
    needed: &Needed<'_>,
    covered: &Coverage,
    chosen: &[usize],
    n_tests: usize,
) -> Vec<usize> {
    let mut last = vec![0; n_tests];
    // Subgoals with the fewest alternatives first; the others may be met by what is kept anyway.
    let mut subgoals: Vec<usize> = Vec::new();
    let is_chosen = |test: usize| chosen.binary_search(&test).is_ok();
    let met = |subgoal: usize| covered.tests[subgoal].iter().filter(|(test, _)| is_chosen(*test));
    for (&goal_idx, need) in needed.goals.iter().zip(&problem.goals) {
        match need {
            Need::Any(_) => subgoals.push(needed.subgoals.of_goal[goal_idx][0]),
            Need::Pair(pairs) => {
                let is_made = |subgoal: usize| met(subgoal).next().is_some();
                let pair = pairs.iter().find(|(a, b)| is_made(*a) && is_made(*b));
                subgoals.extend(pair.iter().flat_map(|(a, b)| [*a, *b]));
            }
        }
    }
    subgoals.sort_by_key(|&subgoal| (met(subgoal).count(), subgoal));
    subgoals.dedup();
    for subgoal in subgoals {
        let further = |(test, state): &&(usize, usize)| (state.saturating_sub(last[*test]), *test);
        if let Some(&(test, state)) = met(subgoal).min_by_key(further) {
            last[test] = last[test].max(state);
        }
    }
    last
}

/// The test truncated after a state; a lasso is kept whole.
fn cut(test: &Trace, last: usize, needed: &Needed<'_>) -> Trace {
    if test.loop_start.is_some() || last + 1 >= test.states.len() {
        return test.clone();
    }
    let mut states = test.states[..=last].to_vec();
    if let Some(state) = states.last_mut() {
        state.drop_inputs(&needed.set.model);
    }
    Trace { states, loop_start: None }
}
