//! Suites against what any suite needs, found by trying all walks.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::explicit::labelled::{Asked, LabelledGraph, labelled_graph};
use trapline_engine::{Budget, ENGINES};
use trapline_goals::GoalSet;
use trapline_goals::decide::Verdict;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_suite::bound::fewest_steps;
use trapline_suite::generate::{Fewest, Generated, Options, Strategy, generate};
use trapline_suite::journal::{Entry, Journal, NoJournal, Record};
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::assemble;

use crate::laws::judge::{check_paths, shown};
use crate::laws::models::{Case, Nature, case, goals};

/// So many goals are reached in all orders.
const MAX_GOALS: usize = 12;

fn make(set: &GoalSet, fewest: Fewest, shorten: bool) -> Generated {
    let usual = Options::usual(Strategy::Extend, ENGINES[1]);
    generate(set, &Options { fewest, shorten, ..usual }, &mut NoJournal, &Budget::unlimited())
}

/// The tests of the suite, and how many steps they have.
fn suite(
    model: &Model,
    set: &GoalSet,
    made: &Generated,
    fewest: Fewest,
    what: &str,
) -> (usize, u64) {
    let objective = match fewest {
        Fewest::Tests => Objective::FewestTests,
        Fewest::Steps => Objective::FewestSteps,
    };
    let (suite, _) = assemble(set, made, Some(objective), &Budget::unlimited());
    let tests: Vec<_> = suite.tests.iter().map(|test| test.trace.clone()).collect();
    check_paths(model, &tests, what);
    let shown = shown(set, &made.makeable, &tests);
    for (idx, scored) in suite.goals.iter().enumerate() {
        assert!(shown[idx] || !scored.shown.is_some(), "{}\n{what}", set.goals[idx].id);
        let is_covered = matches!(made.verdicts[idx], Verdict::Covered(_));
        assert!(scored.shown.is_some() || !is_covered, "{}\n{what}", set.goals[idx].id);
    }
    (tests.len(), tests.iter().map(|test| test.states.len() as u64 - 1).sum())
}

/// Are all goals about one state or step, or pairs of them?
fn is_plain(subgoals: &Subgoals) -> bool {
    let is_plain =
        |part: &Subgoal| matches!(part, Subgoal::Reach(Target::State(_) | Target::Step(_)));
    subgoals.list.iter().all(is_plain)
}

/// The fewest steps of tests that meet all of so many targets, each a need of its own.
fn optimum(map: &LabelledGraph, n_targets: usize) -> u64 {
    let all: u64 = (1 << n_targets) - 1;
    let met = |class: u32| map.classes[class as usize].iter().fold(0u64, |bits, at| bits | 1 << at);
    let mut seen: BTreeSet<(u32, u64)> = BTreeSet::new();
    let mut ring: Vec<(Option<u32>, u64)> = vec![(None, 0)];
    for n_steps in 0.. {
        let mut next = Vec::new();
        while let Some((node, done)) = ring.pop() {
            if done == all {
                return n_steps;
            }
            if let Some(node) = node {
                if !seen.insert((node, done)) {
                    continue;
                }
                let steps = map.edge_start[node as usize]..map.edge_start[node as usize + 1];
                let steps = map.edges[steps].iter();
                next.extend(steps.map(|step| (Some(step.to), done | met(step.class))));
            }
            // Another test costs no step.
            for start in &map.starts {
                let there = (start.to, done | met(start.class));
                if !seen.contains(&there) {
                    ring.push((Some(there.0), there.1));
                }
            }
        }
        ring = next;
    }
    unreachable!("all goals can be reached")
}

#[test]
fn no_suite_has_fewer_steps_than_the_bound() {
    let (mut n_bounds, mut n_tight, mut n_best) = (0, 0, 0);
    for seed in 40_000..41_000 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let mut set = goals(&mut rng, &model, 2);
        set.goals.retain(|goal| !goal.kind.is_pair());
        set.goals.truncate(MAX_GOALS);
        let made = make(&set, Fewest::Steps, true);
        let is_covered = |idx: &usize| matches!(made.verdicts[*idx], Verdict::Covered(_));
        let goals: Vec<usize> = (0..set.goals.len()).filter(is_covered).collect();
        let targets =
            goals.iter().map(|&idx| match &made.subgoals.list[made.subgoals.of_goal[idx][0]] {
                Subgoal::Reach(target @ (Target::State(_) | Target::Step(_))) => {
                    Some(target.clone())
                }
                _ => None,
            });
        let Some(targets) = targets.collect::<Option<Vec<Target>>>() else { continue };
        let what = format!("seed {seed}\n{text}");
        let budget = Budget::unlimited();
        let asked = Asked::new(&made.subgoals.model, &targets);
        let system = asked.compile(&budget).expect("small");
        let explored = labelled_graph(&asked, &system, &budget).expect("small");
        let best = optimum(&explored.map, targets.len());
        let bound = fewest_steps(&set, &made.subgoals, &goals, &budget).expect("small");
        let (_, n_steps) = suite(&model, &set, &made, Fewest::Steps, &what);
        assert!(bound <= best && best <= n_steps, "{bound} {best} {n_steps}\n{what}");
        n_bounds += usize::from(best > 1);
        n_tight += usize::from(best > 1 && bound == best);
        n_best += usize::from(best > 1 && best == n_steps);
    }
    assert!(n_bounds > 60 && n_tight * 10 > n_bounds * 7, "{n_tight} of {n_bounds}");
    assert!(n_best * 10 > n_bounds * 9, "{n_best} of {n_bounds}");
}

#[test]
fn pairs_count_for_the_bound_and_no_suite_has_fewer_steps() {
    let (mut n_pairs, mut n_steps) = (0, 0);
    for seed in 41_000..41_400 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let mut set = trapline_goals::derive(
            &model,
            &["mcdc-masking", "mcdc-unique", "transition-pair"],
            &trapline_goals::Options { limit: 60, ..trapline_goals::Options::default() },
        );
        set.goals.truncate(40);
        let made = make(&set, Fewest::Steps, true);
        let is_covered = |idx: &usize| matches!(made.verdicts[*idx], Verdict::Covered(_));
        let goals: Vec<usize> = (0..set.goals.len()).filter(is_covered).collect();
        let bound =
            fewest_steps(&set, &made.subgoals, &goals, &Budget::unlimited()).expect("small models");
        let (_, total) = suite(&model, &set, &made, Fewest::Steps, &text);
        assert!(bound <= total, "{bound} {total}\nseed {seed}\n{text}");
        n_pairs += goals.iter().filter(|&&idx| set.goals[idx].kind.is_pair()).count();
        n_steps += bound;
    }
    assert!(n_pairs > 100 && n_steps > 80, "{n_pairs} {n_steps}");
}

/// How good a suite is; the lower the better.
fn key((n_tests, n_steps): (usize, u64), fewest: Fewest) -> (u64, u64) {
    match fewest {
        Fewest::Tests => (n_tests as u64, n_steps),
        Fewest::Steps => (n_steps, n_tests as u64),
    }
}

#[test]
fn shorter_tests_are_no_worse_and_reach_the_same() {
    let mut n_shorter = 0;
    for seed in 42_000..42_400 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 3);
        for fewest in [Fewest::Tests, Fewest::Steps] {
            let what = format!("seed {seed} {fewest:?}\n{text}");
            let (plain, short) = (make(&set, fewest, false), make(&set, fewest, true));
            let before = suite(&model, &set, &plain, fewest, &what);
            let after = suite(&model, &set, &short, fewest, &what);
            if is_plain(&short.subgoals) {
                assert!(key(after, fewest) <= key(before, fewest), "{before:?} {after:?}\n{what}");
            }
            n_shorter += usize::from(after.1 < before.1);
        }
    }
    assert!(n_shorter > 30, "{n_shorter}");
}

/// Counts the segments that tests are extended by.
#[derive(Default)]
struct Segments(usize);

impl Journal for Segments {
    fn recall(&mut self) -> Vec<Entry> {
        Vec::new()
    }

    fn write(&mut self, entry: &Entry) {
        self.0 += usize::from(matches!(entry.record, Record::Segment(_)));
    }
}

#[test]
fn tests_of_small_models_are_short_at_once() {
    let (mut n_shorter, mut n_longer, mut n_at_once, mut n_plain) = (0, 0, 0, 0);
    for seed in 43_000..43_400 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 3);
        for fewest in [Fewest::Tests, Fewest::Steps] {
            let what = format!("seed {seed} {fewest:?}\n{text}");
            let usual = Options::usual(Strategy::Extend, ENGINES[0]);
            let options = Options { fewest, ..usual };
            let mut segments = Segments::default();
            let at_once = generate(&set, &options, &mut segments, &Budget::unlimited());
            if is_plain(&at_once.subgoals) && !at_once.tests.is_empty() {
                n_plain += 1;
                n_at_once += usize::from(segments.0 == 0);
            }
            let plain = make(&set, fewest, false);
            let before = key(suite(&model, &set, &plain, fewest, &what), fewest);
            let after = key(suite(&model, &set, &at_once, fewest, &what), fewest);
            n_shorter += usize::from(after < before);
            n_longer += usize::from(after > before);
        }
    }
    assert!(n_shorter > 30 && n_longer * 10 < n_shorter, "{n_shorter} {n_longer}");
    assert!(n_plain > 50 && n_at_once * 10 > n_plain * 9, "{n_at_once} of {n_plain}");
}
