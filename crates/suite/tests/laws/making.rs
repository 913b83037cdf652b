//! Making tests.

use std::time::Duration;

use fastrand::Rng;
use trapline_engine::{Budget, Limits, Why};
use trapline_goals::GoalKind;
use trapline_goals::GoalSet;
use trapline_goals::decide::{Verdict, decide};
use trapline_suite::generate::{Generated, Options, generate};
use trapline_suite::journal::NoJournal;
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::{Missing, assemble};

use crate::laws::judge::{check_paths, shown};
use crate::laws::models::{Case, Nature, case, goals, options};

/// How many verdicts of each kind there were.
#[derive(Debug, Default)]
struct Counts {
    n_covered: usize,
    n_infeasible: usize,
    n_unknown: usize,
}

fn check_models(seeds: std::ops::Range<u64>, nature: Nature) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, nature, 4);
        let set = goals(&mut rng, &model, 2);
        let options = options(&mut rng);
        let what = format!("seed {seed} {}\n{text}", options.text());
        let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        check_paths(&model, &made.tests, &what);
        check_verdicts(&set, &made, &options, &what, &mut counts);
        check_suite(&set, &made, &what);
    }
    counts
}

fn check_verdicts(
    set: &GoalSet,
    made: &Generated,
    options: &Options,
    what: &str,
    counts: &mut Counts,
) {
    let decided = decide(set, &options.initial_engine, &Budget::unlimited());
    let verdicts = made.verdicts.iter().zip(&decided.verdicts);
    for (goal, (own, truth)) in set.goals.iter().zip(verdicts) {
        let is_same = std::mem::discriminant(own) == std::mem::discriminant(truth);
        let is_cut = options.initial_depth.is_some() && matches!(own, Verdict::Unknown(_));
        // An engine stops where something fails; tests that are there already go on, and a search
        // for fewer goals needs fewer variables.
        let is_further = matches!(truth, Verdict::Unknown(_));
        assert!(is_same || is_cut || is_further, "{} {own:?} {truth:?}\n{what}", goal.id);
        *match own {
            Verdict::Covered(_) => &mut counts.n_covered,
            Verdict::Infeasible(_) => &mut counts.n_infeasible,
            Verdict::Unknown(_) | Verdict::MayKill(_) => &mut counts.n_unknown,
        } += 1;
    }
}

/// Whatever is covered is shown, whether all tests are taken or the fewest.
fn check_suite(set: &GoalSet, made: &Generated, what: &str) {
    for objective in [None, Some(Objective::FewestTests), Some(Objective::FewestSteps)] {
        let (suite, _) = assemble(set, made, objective, &Budget::unlimited());
        let tests: Vec<_> = suite.tests.iter().map(|test| test.trace.clone()).collect();
        let shown = shown(set, &made.makeable, &tests);
        for (idx, scored) in suite.goals.iter().enumerate() {
            let (id, is_covered) =
                (&set.goals[idx].id, matches!(made.verdicts[idx], Verdict::Covered(_)));
            let is_said = scored.shown.is_some();
            // A claim may hold of all paths that go on forever, and not of one that ends.
            let is_true = matches!(set.goals[idx].kind, GoalKind::Trap(..))
                && matches!(scored.missing, Missing::Infeasible(_));
            assert!(is_true || shown[idx] == is_said, "{id} {scored:?} {objective:?}\n{what}");
            assert_eq!(is_said, scored.missing == Missing::No, "{id} {scored:?}\n{what}");
            assert!(is_said || !is_covered, "{id} {scored:?} {objective:?}\n{what}");
        }
    }
}

#[test]
fn tests_are_paths_that_show_every_goal_that_can_be_shown() {
    let counts = check_models(0..120, Nature::Tame);
    assert!(counts.n_covered > 500 && counts.n_infeasible > 500, "{counts:?}");
}

#[test]
fn failures_do_not_change_what_tests_show() {
    let counts = check_models(10_000..10_080, Nature::Wild);
    assert!(counts.n_covered > 100 && counts.n_unknown > 100, "{counts:?}");
}

#[test]
fn a_suite_that_is_put_together_late_covers_the_same() {
    let mut n_shown = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let options = Options { diverse: 1, ..options(&mut rng) };
        let what = format!("seed {seed} {}\n{text}", options.text());
        let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let objective = Some(Objective::FewestTests);
        let (late, _) = assemble(&set, &made, objective, &Budget::new(limits));
        let (suite, _) = assemble(&set, &made, objective, &Budget::unlimited());
        let tests: Vec<_> = late.tests.iter().map(|test| test.trace.clone()).collect();
        check_paths(&model, &tests, &what);
        let shown = shown(&set, &made.makeable, &tests);
        for (idx, goal) in set.goals.iter().enumerate() {
            let (early, late) = (&suite.goals[idx], &late.goals[idx]);
            assert_eq!(late.missing, early.missing, "{}\n{what}", goal.id);
            assert!(shown[idx] || !late.shown.is_some(), "{}\n{what}", goal.id);
            n_shown += usize::from(late.shown.is_some());
        }
    }
    assert!(n_shown > 200, "{n_shown}");
}

#[test]
fn goals_that_nobody_has_time_for_are_unknown() {
    let mut rng = Rng::with_seed(3);
    let Case { model, .. } = case(&mut rng, Nature::Tame, 3);
    let set = goals(&mut rng, &model, 4);
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let options = options(&mut rng);
    let made = generate(&set, &options, &mut NoJournal, &Budget::new(limits));
    assert!(!set.goals.is_empty() && made.tests.is_empty());
    assert!(made.verdicts.iter().all(|verdict| *verdict == Verdict::Unknown(Why::Time)));
}
