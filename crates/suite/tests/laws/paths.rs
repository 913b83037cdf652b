//! Claims about paths: what a search for a state says is what checking the claim says.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Outcome};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{Options, derive};

use crate::laws::judge::claims;
use crate::laws::models::{Case, Nature, case};

#[test]
fn claims_that_are_states_to_reach_are_violated_where_checking_says_so() {
    let (mut n_covered, mut n_infeasible, mut n_searched) = (0, 0, 0);
    for seed in 0..250 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 6);
        let set = derive(&model, &["trap"], &Options::default());
        let subgoals = Subgoals::new(&set, &Budget::unlimited());
        let engine = &ENGINES[rng.usize(..ENGINES.len())];
        let decided = decide(&set, engine, &Budget::unlimited());
        let all: Vec<usize> = (0..model.properties.len()).collect();
        let checked = (ENGINES[1].check)(&model, &all, &Budget::unlimited());
        for (goal_idx, (kind, expr)) in claims(&set) {
            let is_it = |idx: &usize| {
                let property = &model.properties[*idx];
                let held = match property.formula {
                    trapline_model::Formula::Holds(clause) => Some(clause.expr),
                    _ => None,
                };
                property.kind == kind && held == Some(expr)
            };
            let idx = all.iter().copied().find(is_it).expect("claims are properties");
            let (verdict, outcome) = (&decided.verdicts[goal_idx], &checked.outcomes[idx]);
            let what = format!(
                "{} {verdict:?} {outcome:?} seed {seed} {}\n{text}",
                set.goals[goal_idx].text, engine.name
            );
            match (verdict, outcome) {
                (Verdict::Covered(_), Outcome::False(_)) => n_covered += 1,
                (Verdict::Infeasible(_), Outcome::True(_)) => n_infeasible += 1,
                (Verdict::Unknown(_), _) => {}
                _ => panic!("{what}"),
            }
            let part = &subgoals.list[subgoals.of_goal[goal_idx][0]];
            let is_temporal = kind != trapline_model::PropertyKind::Invar;
            n_searched += usize::from(is_temporal && matches!(part, Subgoal::Reach(_)));
        }
    }
    assert!(
        n_covered > 200 && n_infeasible > 200 && n_searched > 100,
        "{n_covered} {n_infeasible} {n_searched}"
    );
}
