//! How many steps any suite needs that reaches the same goals.
//!
//! All steps of the model are looked at, and those that meet the same goals are one class
//! ([`explicit::survey`]). Whatever is not met in a first state takes a step, and the fewest classes
//! that meet all of that are the fewest steps. A class that is met after `n` steps at the earliest
//! has `n - 1` others before it: so the goals that only such classes meet need as many steps as
//! classes, and `n - 1` more. The best of these bounds is taken.

use std::collections::BTreeSet;

use trapline_engine::explicit::survey::{Survey, survey};
use trapline_engine::{Budget, Why};
use trapline_goals::parts::{Part, Parts};
use trapline_goals::{GoalSet, Target};
use trapline_model::goal;

use crate::cover::{self, Need, Objective, Problem};

/// So many distances are tried.
const MAX_TRIES: usize = 24;

/// The work for each.
const WORK: u64 = 10_000_000;

/// Fewer steps do not reach these goals, however they are reached.
///
/// # Errors
/// When the model has too many states, or the budget runs out.
pub fn fewest_steps(
    set: &GoalSet,
    parts: &Parts,
    goals: &[usize],
    budget: &Budget<'_>,
) -> Result<u64, Why> {
    let is_single = |idx: &&usize| !matches!(set.goals[**idx].target, Target::Pair(_));
    let needed: BTreeSet<usize> =
        goals.iter().filter(is_single).map(|&idx| parts.of_goal[idx][0]).collect();
    let targets: Vec<goal::Target> = needed
        .iter()
        .filter_map(|&part| match &parts.list[part] {
            Part::Reach(target @ (goal::Target::State(_) | goal::Target::Step(_))) => {
                Some(target.clone())
            }
            _ => None,
        })
        .collect();
    let survey = survey(&parts.model, &targets, budget)?;
    let mut depths = vec![u64::MAX; targets.len()];
    for class in &survey.classes {
        for &target in &class.targets {
            depths[target] = depths[target].min(class.n_steps);
        }
    }
    let is_needed = |target: &usize| !survey.is_free[*target] && depths[*target] != u64::MAX;
    let needed: Vec<usize> = (0..targets.len()).filter(is_needed).collect();
    let distances: BTreeSet<u64> = needed.iter().map(|&target| depths[target]).collect();
    let stride = distances.len().div_ceil(MAX_TRIES).max(1);
    let tried = distances.iter().rev().step_by(stride).chain(distances.first());
    let bounds = tried.map(|&distance| {
        let far: Vec<usize> =
            needed.iter().copied().filter(|&target| depths[target] >= distance).collect();
        distance - 1 + fewest_classes(&survey, &far, budget)
    });
    Ok(bounds.max().unwrap_or(0))
}

/// The fewest classes that meet some targets.
fn fewest_classes(survey: &Survey, targets: &[usize], budget: &Budget<'_>) -> u64 {
    let mut meeting = vec![Vec::new(); survey.is_free.len()];
    for (idx, class) in survey.classes.iter().enumerate() {
        class.targets.iter().for_each(|&target| meeting[target].push(idx));
    }
    let goals = targets.iter().map(|&target| Need::Any(std::mem::take(&mut meeting[target])));
    let problem = Problem {
        n_steps: vec![0; survey.classes.len()],
        goals: goals.collect(),
        ..Problem::default()
    };
    let part = budget.part(Some(WORK));
    let solution = cover::solve(&problem, Objective::FewestTests, &part);
    let _ = budget.spend(part.work());
    solution.bound.n_tests
}
