//! Where goals are reached: the test up to that state shows the goal, and no shorter part of it does.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::{GoalKind, GoalSet, Options, derive};
use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_suite::hits::hits;
use trapline_testkit::score::makeable;

use crate::laws::judge::shown;
use crate::laws::models::{Case, Nature, case, goals, walks};

/// The first states of a test.
fn start(model: &Model, test: &Trace, n_states: usize) -> Trace {
    let mut states = test.states[..n_states].to_vec();
    if let Some(last) = states.last_mut() {
        last.drop_inputs(model);
    }
    Trace { states, loop_start: None }
}

/// Does the start of a test show a goal?
fn is_shown(set: &GoalSet, model: &Model, test: &Trace, n_states: usize, goal: usize) -> bool {
    let nothing = vec![Vec::new(); set.points.len()];
    n_states > 0 && shown(set, &nothing, &[start(model, test, n_states)])[goal]
}

#[test]
fn a_hit_is_the_first_state_that_shows_a_goal() {
    let mut n_hits = 0;
    for seed in 20_000..20_030 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 3);
        let tests: Vec<Trace> = walks(&mut rng, &model, 4);
        let tests: Vec<Trace> =
            tests.iter().map(|test| start(&model, test, test.states.len())).collect();
        let found = hits(&set, &tests, &ENGINES[1], &Budget::unlimited());
        for (idx, goal) in set.goals.iter().enumerate() {
            if matches!(goal.kind, GoalKind::Pair(_) | GoalKind::Trap(..)) {
                continue;
            }
            for (test_idx, test) in tests.iter().enumerate() {
                let hit = found.goals[idx].iter().find(|(test, _)| *test == test_idx);
                let what = format!("{} in {test_idx}: {hit:?} {test:?}\n{seed}\n{text}", goal.id);
                let n_states = hit.map_or(test.states.len(), |(_, state)| state + 1);
                assert_eq!(is_shown(&set, &model, test, n_states, idx), hit.is_some(), "{what}");
                let is_first = !is_shown(&set, &model, test, n_states - 1, idx);
                assert!(hit.is_none() || is_first, "{what}");
                n_hits += usize::from(hit.is_some());
            }
        }
    }
    assert!(n_hits > 300, "{n_hits}");
}

#[test]
fn pairs_are_hit_by_two_evaluations_that_show_them() {
    let mut n_pairs = 0;
    for seed in 20_100..20_200 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let names = ["mcdc-unique", "mcdc-masking", "mcdc-coupled"];
        let set = derive(&model, &names, &Options::default());
        let tests = walks(&mut rng, &model, 6);
        let found = hits(&set, &tests, &ENGINES[1], &Budget::unlimited());
        let makeable = makeable(&set, &ENGINES[1], &Budget::unlimited());
        let truth = shown(&set, &makeable, &tests);
        for (idx, goal) in set.goals.iter().enumerate() {
            let GoalKind::Pair(pair) = &goal.kind else { continue };
            let what = format!("{} {:?}\n{seed}\n{text}", goal.id, found.goals[idx]);
            assert_eq!(found.pairs[idx].is_some(), truth[idx], "{what}");
            let Some((a, b)) = found.pairs[idx] else { continue };
            let point = &set.points[pair.decision];
            assert!(point.distance(pair.condition, a, b).is_some(), "{what}");
            let made = &found.evaluations[pair.decision];
            let [at_a, at_b] = found.goals[idx][..] else { panic!("{what}") };
            assert!(made[a].contains(&at_a) && made[b].contains(&at_b) && at_a <= at_b, "{what}");
            n_pairs += 1;
        }
    }
    assert!(n_pairs > 50, "{n_pairs}");
}
