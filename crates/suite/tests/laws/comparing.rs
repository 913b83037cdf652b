//! Criteria against each other.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_suite::compare::{Group, compare};
use trapline_suite::set_cover::Objective;

use crate::laws::models::{Case, Nature, case, goals, options};

#[test]
fn the_suite_of_a_criterion_reaches_all_of_its_own_goals() {
    let mut rng = Rng::with_seed(31);
    let mut n_reached = 0;
    for _ in 0..60 {
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 4);
        let mut groups: Vec<Group> = Vec::new();
        for (idx, goal) in set.goals.iter().enumerate() {
            match groups.iter_mut().find(|group| group.name == goal.criterion) {
                Some(group) => group.goals.push(idx),
                None => {
                    groups.push(Group { name: goal.criterion.clone(), set: 0, goals: vec![idx] })
                }
            }
        }
        let mut options = options(&mut rng);
        options.initial_depth = None;
        options.initial_engine = ENGINES[rng.usize(..2)];
        let objective = if rng.bool() { Objective::FewestTests } else { Objective::FewestSteps };
        let rows = compare(
            std::slice::from_ref(&set),
            &groups,
            &options,
            Some(objective),
            &Budget::unlimited(),
        );
        for (idx, row) in rows.iter().enumerate() {
            let what = format!("{} {row:?}\n{text}", groups[idx].name);
            assert_eq!(row.reached[idx], row.n_feasible, "{what}");
            assert!(row.n_tests <= row.n_before, "{what}");
            for (other, &n_reached) in rows.iter().zip(&row.reached) {
                assert!(n_reached <= other.n_feasible, "{what}");
            }
            n_reached += row.n_feasible;
        }
    }
    assert!(n_reached > 300, "{n_reached}");
}
