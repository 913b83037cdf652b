//! A lower bound on the number of steps of any suite that reaches the same goals.
//!
//! A suite is a set of walks in the reachability graph labelled with goals
//! ([`trapline_engine::explicit::labelled`]). Two bounds are computed, and the better one counts.
//!
//! *Dual prices*: each goal gets a price such that no walk collects more than its number of steps.
//! Then any suite has at least as many steps as the sum of all prices ([`price`]).
//!
//! *Classes*: steps that meet the same goals form a class, and a minimum set cover of the goals by
//! classes is a lower bound on the steps. A class that is met after `n` steps at the earliest has
//! `n - 1` others before it: so goals that only such classes meet need as many steps as classes,
//! and `n - 1` more.
//!
//! A goal requires one state or step; a pair requires one for each value of its decision, and a
//! sequence each of its steps, wherever they are. Temporal goals are left out.

mod price;
mod program;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use trapline_engine::explicit::labelled::{Asked, labelled_graph};
use trapline_engine::{Budget, Why};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::goal;

use crate::goal_graph::GoalGraph;
use crate::set_cover::{self, Objective, Problem};

/// Number of distances tried.
const MAX_TRIES: usize = 24;

/// Work limit for each.
const WORK: u64 = 10_000_000;

/// Work limit for prices.
const PRICE_WORK: u64 = 60_000_000;

/// A lower bound on the steps of any suite that reaches these goals.
///
/// # Errors
/// When the model has too many states, or the budget runs out.
pub fn fewest_steps(
    set: &GoalSet,
    subgoals: &Subgoals,
    goals: &[usize],
    budget: &Budget<'_>,
) -> Result<u64, Why> {
    let mut needs = Needs { subgoals, targets: Vec::new(), known: FxHashMap::default() };
    let lists: Vec<Vec<usize>> = goals.iter().flat_map(|&idx| needs.of(set, idx)).collect();
    if lists.is_empty() {
        return Ok(0);
    }
    let asked = Asked::new(&subgoals.model, &needs.targets);
    let system = asked.compile(budget)?;
    let explored = labelled_graph(&asked, &system, budget)?;
    let graph = GoalGraph::new(&explored.map, &lists, &[]);
    let depths = graph.depths();
    let classes = by_classes(&graph, &depths, budget);
    let part = budget.part(Some(PRICE_WORK));
    let prices = price::fewest_steps(&graph, &depths, &part);
    Ok(classes.max(prices))
}

/// The requirements of goals, as targets.
struct Needs<'p> {
    subgoals: &'p Subgoals,
    targets: Vec<goal::Target>,
    known: FxHashMap<goal::Target, usize>,
}

impl Needs<'_> {
    /// The requirements of a goal: for each, the targets that meet it.
    fn of(&mut self, set: &GoalSet, goal_idx: usize) -> Vec<Vec<usize>> {
        let own = self.subgoals.of_goal[goal_idx].clone();
        if let GoalKind::Pair(pair) = &set.goals[goal_idx].kind {
            let point = &set.points[pair.decision];
            let sides = [true, false].map(|value| {
                let serving = point.serving(pair.condition).into_iter();
                let side = serving.filter(|&idx| point.evaluations[idx].value == value);
                side.map(|idx| self.single(own[idx])).collect::<Option<Vec<usize>>>()
            });
            return sides.into_iter().flatten().collect();
        }
        match self.subgoals.list[own[0]].clone() {
            Subgoal::Reach(goal::Target::Steps(exprs)) => {
                exprs.into_iter().map(|expr| vec![self.add(goal::Target::Step(expr))]).collect()
            }
            _ => self.single(own[0]).into_iter().map(|target| vec![target]).collect(),
        }
    }

    /// The target of a subgoal, if a state or a step meets it.
    fn single(&mut self, part: usize) -> Option<usize> {
        match &self.subgoals.list[part] {
            Subgoal::Reach(target @ (goal::Target::State(_) | goal::Target::Step(_))) => {
                Some(self.add(target.clone()))
            }
            _ => None,
        }
    }

    fn add(&mut self, target: goal::Target) -> usize {
        let targets = &mut self.targets;
        *self.known.entry(target).or_insert_with_key(|target| {
            targets.push(target.clone());
            targets.len() - 1
        })
    }
}

/// The bound by classes.
fn by_classes(graph: &GoalGraph, depths: &[u64], budget: &Budget<'_>) -> u64 {
    let needed: Vec<usize> = (0..depths.len()).filter(|&need| depths[need] > 0).collect();
    let distances: BTreeSet<u64> = needed.iter().map(|&need| depths[need]).collect();
    let stride = distances.len().div_ceil(MAX_TRIES).max(1);
    let tried = distances.iter().rev().step_by(stride).chain(distances.first());
    let bounds = tried.map(|&distance| {
        let far: Vec<usize> =
            needed.iter().copied().filter(|&need| depths[need] >= distance).collect();
        distance - 1 + fewest_classes(graph, &far, budget)
    });
    bounds.max().unwrap_or(0)
}

/// A minimum set cover of some requirements by classes.
fn fewest_classes(graph: &GoalGraph, needs: &[usize], budget: &Budget<'_>) -> u64 {
    let mut meeting = vec![Vec::new(); graph.n_needs];
    for (idx, set) in graph.sets.iter().enumerate() {
        set.iter().for_each(|&need| meeting[need].push(idx));
    }
    let goals = needs.iter().map(|&need| set_cover::Need::Any(std::mem::take(&mut meeting[need])));
    let problem = Problem {
        n_steps: vec![0; graph.sets.len()],
        goals: goals.collect(),
        ..Problem::default()
    };
    let part = budget.part(Some(WORK));
    let solution = set_cover::solve(&problem, Objective::FewestTests, &part);
    solution.bound.n_tests
}
