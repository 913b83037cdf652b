//! With a test for each goal, its trace is as long as the goal is far, whichever engine finds it.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Start};
use trapline_goals::derive;
use trapline_goals::subgoals::Subgoal;
use trapline_model::goal::{Judge, Target};
use trapline_suite::generate::{Generated, Options, Strategy, generate};
use trapline_suite::journal::NoJournal;
use trapline_testkit::truth::Truth;

use crate::laws::models::{Case, Nature, case};

/// Criteria without monitor variables: brute force is slow.
const CRITERIA: [&str; 4] = ["value", "branch", "branch-pair", "condition"];

/// How far a subgoal is in the nearest test that ends with it.
fn found(made: &Generated, target: &Target) -> Option<usize> {
    let judge = Judge::new(&made.subgoals.model, std::slice::from_ref(target));
    let ends = made.tests.iter().filter_map(|test| {
        let state = judge.met(test)[0]?;
        (state + 1 == test.states.len()).then_some(state)
    });
    ends.min()
}

#[test]
fn the_trace_to_a_goal_is_shortest_with_every_engine() {
    let mut n_far = 0;
    for seed in 70_000..70_060 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let set = derive(&model, &CRITERIA, &trapline_goals::Options::default());
        if set.model.has_added() {
            continue;
        }
        for engine in ENGINES {
            let what = format!("seed {seed} {}\n{text}", engine.name);
            let options = Options::usual(Strategy::Separate, *engine);
            let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
            assert!(made.traces.is_some_and(|traces| traces.n_perhaps_long == 0), "{what}");
            let truth = Truth::new(&made.subgoals.model, &Start::Initial);
            for subgoal in &made.subgoals.list {
                if let Subgoal::Reach(target) = subgoal {
                    let distance = truth.distance(target);
                    assert_eq!(found(&made, target), distance, "{target:?}\n{what}");
                    n_far += usize::from(distance > Some(1));
                }
            }
        }
    }
    assert!(n_far > 200, "{n_far}");
}
