//! What suites are worth: both ways to ask say the same.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::GoalKind;
use trapline_goals::winnow::Wishes;
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::suite::Missing;
use trapline_testkit::score::makeable;

use crate::laws::judge::shown;
use crate::laws::models::{Case, Nature, case, goals, walks};

fn check_models(seeds: std::ops::Range<u64>, nature: Nature) -> (usize, usize) {
    let (mut n_shown, mut n_others) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, nature, 6);
        let set = goals(&mut rng, &model, 3);
        let n_tests = rng.usize(..4);
        let tests = walks(&mut rng, &model, n_tests);
        let engine = &ENGINES[rng.usize(..2)];
        let wishes = Wishes { infeasible: true, ..Wishes::default() };
        let by = |method| evaluate(&set, &tests, method, wishes, engine, &Budget::unlimited());
        let (native, machine) = (by(Method::Native), by(Method::Machine));
        let makeable = makeable(&set, &ENGINES[1], &Budget::unlimited());
        let truth = shown(&set, &makeable, &tests);
        for (idx, goal) in set.goals.iter().enumerate() {
            let (fast, slow) = (&native.goals[idx], &machine.goals[idx]);
            let what = format!(
                "{} {} {fast:?} {slow:?} {tests:?}\nseed {seed}\n{text}",
                goal.id, goal.text
            );
            assert_eq!(fast.shown, slow.shown, "{what}");
            assert_eq!(fast.missing, slow.missing, "{what}");
            assert_eq!(native.winnowed[idx], machine.winnowed[idx], "{what}");
            // Which pairs count depends on what can be made, which a failure may hide.
            let is_hidden = goal.kind.is_pair() && nature == Nature::Wild;
            // A claim may hold of all paths that go on forever, and not of one that ends.
            let is_true = matches!(goal.kind, GoalKind::Trap(..))
                && matches!(fast.missing, Missing::Infeasible(_));
            let is_open = is_hidden || is_true;
            assert!(is_open || fast.shown.is_some() == truth[idx], "{what}");
            *if truth[idx] { &mut n_shown } else { &mut n_others } += 1;
        }
    }
    (n_shown, n_others)
}

#[test]
fn evaluator_and_machine_agree_goal_by_goal() {
    let (n_shown, n_others) = check_models(0..60, Nature::Tame);
    assert!(n_shown > 300 && n_others > 300, "{n_shown} {n_others}");
}

#[test]
fn evaluator_and_machine_agree_where_values_are_missing() {
    let (n_shown, n_others) = check_models(10_000..10_060, Nature::Wild);
    assert!(n_shown > 200 && n_others > 300, "{n_shown} {n_others}");
}
