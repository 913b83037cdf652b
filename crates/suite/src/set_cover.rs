//! Minimum weighted set cover of the goals by tests, with goals that need a pair of tests.
//!
//! The approach is that of all good set cover solvers (Caprara, Toth and Fischetti, "Algorithms for
//! the set covering problem", 2000): reductions to a fixpoint, decomposition into components, a
//! greedy initial solution, Lagrangian bounds and branch and bound. We differ in three points. All
//! bounds are computed in integers, so that rounding cannot break a proof. Pair goals are part of
//! the relaxation: an alternative of such a goal needs two sets, each with a price of its own, and
//! a goal pays for its cheapest alternative. The two costs are minimised lexicographically, the
//! second under a limit on the first that is priced as well: a single cost with a large factor
//! would lose the second in the gap of the first.
//!
//! Nothing here knows of models.

mod branch;
mod core;
mod draft;
mod greedy;
mod lists;
mod price;
mod reduce;

use trapline_engine::Budget;

use self::core::{Core, Cost};
use self::greedy::Choice;
use self::reduce::Order;

/// Default work limit of a proof; a unit is some sixty entries of the incidence matrix, visited
/// once: about half a minute on current machines.
const WORK: u64 = 100_000_000;

/// The share of a component's work for the first of the two costs: two thirds.
const FIRST_SHARE: (u64, u64) = (2, 3);

/// The share of the first attempt.
const SKETCH_SHARE: u64 = 40;

/// A set cover problem.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The steps of each test.
    pub n_steps: Vec<u64>,
    /// Tests that must stay.
    pub keep: Vec<usize>,
    /// For each evaluation of a decision the tests that make it; goals share them.
    pub evaluations: Vec<Vec<usize>>,
    /// The goals to cover. A goal that no test meets is ignored.
    pub goals: Vec<Need>,
}

/// What meets a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Any of these tests.
    Any(Vec<usize>),
    /// Both evaluations of one of these pairs, as indices of [`Problem::evaluations`].
    Pair(Vec<(usize, usize)>),
}

/// The objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The fewest tests, then the fewest steps.
    FewestTests,
    /// The fewest steps, then the fewest tests.
    FewestSteps,
}

/// A cover of all goals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The tests, in ascending order.
    pub chosen: Vec<usize>,
    /// Their steps.
    pub n_steps: u64,
    /// The proved bound.
    pub bound: Bound,
}

/// Lower bounds over all covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// For [`Objective::FewestTests`]: no choice has fewer tests. For [`Objective::FewestSteps`]:
    /// no choice with exactly `n_steps` steps has fewer tests.
    pub n_tests: u64,
    /// For [`Objective::FewestSteps`]: no choice has fewer steps. For [`Objective::FewestTests`]:
    /// no choice of exactly `n_tests` tests has fewer steps.
    pub n_steps: u64,
    /// True if the solution is proved optimal.
    pub proof: Proof,
}

/// The extent of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The solution is optimal.
    Exact,
    /// The first cost is optimal; the second may not be.
    First,
    /// Neither cost is proved optimal.
    Gap,
}

/// Solves the problem: optimally if the budget suffices for the proof, otherwise well and with a
/// bound. The result is deterministic for a given problem and work limit.
pub fn solve(problem: &Problem, objective: Objective, budget: &Budget) -> Solution {
    let core = Core::new(problem, objective);
    let whole = budget.part(Some(WORK));
    let Some(core) = reduce::reduce(core, Order::Both, &whole) else {
        unreachable!("what no test meets was left out")
    };
    let mut chosen = core.chosen.clone();
    let mut bound = core.spent;
    let components = core.components();
    for (done, component) in components.iter().enumerate() {
        let n_left = (components.len() - done) as u64;
        let left = WORK.saturating_sub(whole.work()) / n_left;
        let share = whole.part(Some(left));
        let best = solve_component(component, left, &share);
        chosen.extend(best.choice.chosen);
        bound = bound.plus(best.bound);
    }
    finish(problem, objective, chosen, bound)
}

struct Best {
    choice: Choice,
    bound: Cost,
}

/// Solves twice, first with a small part of the work: if the proof for the first cost exhausts the
/// budget, the second has already been improved.
fn solve_component(component: &Core, work: u64, budget: &Budget) -> Best {
    let choice = greedy::cover(component, &greedy::own_costs(component));
    let mut best = Best { choice, bound: Cost::default() };
    for work in [work / SKETCH_SHARE, work - work / SKETCH_SHARE] {
        let part = budget.part(Some(work));
        let next = improve(component, best.choice, work, &part);
        let bound = Cost {
            first: next.bound.first.max(best.bound.first),
            second: next.bound.second.max(best.bound.second),
        };
        best = Best { choice: next.choice, bound };
        drop(part);
        if budget.spend(0).is_err() || best.choice.cost == best.bound {
            break;
        }
    }
    best
}

/// Minimises both costs, one after the other. The bound of the second holds for all covers whose
/// first cost is no higher.
fn improve(component: &Core, start: Choice, work: u64, budget: &Budget) -> Best {
    let (part, of) = FIRST_SHARE;
    let first_budget = budget.part(Some(work / of * part));
    let first = branch::minimise(component.clone(), None, start, &first_budget);
    // An exhausted budget is detected below.
    drop(first_budget);
    let (left, best) = branch::narrow(component.clone(), first.best, budget);
    let Some(left) = left else {
        return Best { bound: best.cost, choice: best };
    };
    let limit = Some(best.cost.first);
    let second = branch::minimise(left.turned(), limit, best.turned(), budget);
    let bound = Cost { first: first.bound, second: second.bound };
    Best { choice: second.best.turned(), bound }
}

fn finish(
    problem: &Problem,
    objective: Objective,
    mut chosen: Vec<usize>,
    bound: Cost,
) -> Solution {
    chosen.sort_unstable();
    let n_tests = chosen.len() as u64;
    let steps = chosen.iter().map(|&test| problem.n_steps[test]);
    let n_steps = steps.fold(0, u64::saturating_add);
    let (cost, bound_tests, bound_steps) = match objective {
        Objective::FewestTests => {
            (Cost { first: n_tests, second: n_steps }, bound.first, bound.second)
        }
        Objective::FewestSteps => {
            (Cost { first: n_steps, second: n_tests }, bound.second, bound.first)
        }
    };
    let proof = if cost == bound {
        Proof::Exact
    } else if cost.first == bound.first {
        Proof::First
    } else {
        Proof::Gap
    };
    Solution { chosen, n_steps, bound: Bound { n_tests: bound_tests, n_steps: bound_steps, proof } }
}
