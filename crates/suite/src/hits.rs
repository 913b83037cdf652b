//! Where each goal is reached: in which tests, and in which of their states.
//!
//! Goals that no test reaches are not searched for. An engine decides two questions only: which
//! evaluations can be made, since `mcdc-coupled` depends on that, and whether a property violated
//! by a test holds after all, which is open where tests may end.

use trapline_engine::{Budget, Engine, Why};
use trapline_goals::{GoalKind, GoalSet, Pair};
use trapline_model::trace::Trace;

use crate::coverage::{Coverage, coverage};
use crate::evaluate::{ask_for_coupled, drop_true_claims};
use crate::evidence::{Evidence, Reached, judge};
use crate::tracker::{Status, Tracker};

/// A test and the first of its states that reaches the goal.
pub type Hit = (usize, usize);

/// Where goals are reached.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// For each goal the tests that reach it; for a pair, where its two evaluations are made.
    pub goals: Vec<Vec<Hit>>,
    /// For each pair goal the evaluations that demonstrate it, by their index in its point, in the
    /// order of its hits.
    pub pairs: Vec<Option<(usize, usize)>>,
    /// For each point of [`GoalSet::points`] and each of its evaluations, the tests that make it.
    pub evaluations: Vec<Vec<Vec<Hit>>>,
    /// What running the tests shows of each goal.
    pub evidence: Vec<Evidence>,
    /// Number of engine questions left undecided.
    pub n_open: usize,
    /// Why not all tests were evaluated, if so: they may reach more.
    pub cut: Option<Why>,
}

/// Locates the goals in the tests.
pub fn hits(set: &GoalSet, tests: &[Trace], engine: &Engine, budget: &Budget<'_>) -> Hits {
    let mut tracker = Tracker::new(set, budget);
    let mut covered = coverage(&tracker.subgoals, tests, &budget.grace());
    let n_claims_open = drop_true_claims(&tracker.subgoals, &mut covered, engine, budget);
    let met: Vec<usize> =
        (0..covered.tests.len()).filter(|&subgoal| !covered.tests[subgoal].is_empty()).collect();
    tracker.meet(met);
    ask_for_coupled(&mut tracker, engine, budget);
    let is_open = |status: &&Status| matches!(status, Status::Unknown(_));
    let n_open = n_claims_open + tracker.status.iter().filter(is_open).count();
    let makeable = tracker.makeable();
    let reaching = covered.goals(set, &tracker.subgoals, &makeable);
    let traces: Vec<&Trace> = tests.iter().collect();
    let subgoals = &tracker.subgoals;
    let reached = Reached { set, subgoals, makeable: &makeable, tests: &traces, shown: &reaching };
    let evidence = judge(&reached, budget).goals;
    let evaluations = vec![Vec::new(); set.points.len()];
    let cut = covered.cut.clone();
    let mut hits = Hits { evaluations, evidence, n_open, cut, ..Hits::default() };
    for (goal, own) in set.goals.iter().zip(&tracker.subgoals.of_goal) {
        let GoalKind::Pair(pair) = &goal.kind else {
            hits.goals.push(covered.tests[own[0]].clone());
            hits.pairs.push(None);
            continue;
        };
        let evaluations = &mut hits.evaluations[pair.decision];
        if evaluations.is_empty() {
            *evaluations = own.iter().map(|&subgoal| covered.tests[subgoal].clone()).collect();
        }
        let shown = shown(set, &covered, pair, own, &makeable[pair.decision]);
        let shown = shown.map(|(a, b)| {
            let [at_a, at_b] = covered.nearest(own[a], own[b]);
            if at_a <= at_b { ((a, b), vec![at_a, at_b]) } else { ((b, a), vec![at_b, at_a]) }
        });
        let (pair, both) = shown.unzip();
        hits.goals.push(both.unwrap_or_default());
        hits.pairs.push(pair);
    }
    hits
}

/// The pair of evaluations to display: the first one.
fn shown(
    set: &GoalSet,
    covered: &Coverage,
    pair: &Pair,
    own: &[usize],
    makeable: &[usize],
) -> Option<(usize, usize)> {
    covered.pairs(set, pair, own, makeable).first().copied()
}
