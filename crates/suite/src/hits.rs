//! Where each goal is reached: in which tests, and in which of their states.
//!
//! With [`hits`] goals that no test reaches are not searched for. An engine decides two questions only: which
//! evaluations can be made, since `mcdc-coupled` depends on that, and whether a property violated
//! by a test holds after all, which is open where tests may end.

use trapline_engine::{Budget, Engine, Why};
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::trace::Trace;

use crate::coverage::{Coverage, coverage};
use crate::evaluate::{ask_for_coupled, coupled, drop_true_claims};
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
    /// For each goal the tests without which it would not be reached.
    pub needs: Vec<Vec<usize>>,
    /// For each point of [`GoalSet::points`] and each of its evaluations, the tests that make it.
    pub evaluations: Vec<Vec<Vec<Hit>>>,
    /// What running the tests shows of each goal, if [`hits`] made this.
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
    let makeable = tracker.makeable();
    let reaching = covered.goals(set, &tracker.subgoals, &makeable);
    let traces: Vec<&Trace> = tests.iter().collect();
    let subgoals = &tracker.subgoals;
    let reached = Reached { set, subgoals, makeable: &makeable, tests: &traces, shown: &reaching };
    let evidence = judge(&reached, budget).goals;
    Hits { evidence, ..locate(&tracker, &covered, n_claims_open) }
}

/// Locates the goals where their subgoals are met.
pub(crate) fn locate(tracker: &Tracker<'_>, covered: &Coverage, n_claims_open: usize) -> Hits {
    let set = tracker.set;
    let is_open = |subgoal: &usize| matches!(tracker.status[*subgoal], Status::Unknown(_));
    let n_open = n_claims_open + coupled(tracker).iter().filter(|one| is_open(one)).count();
    let makeable = tracker.makeable();
    let evaluations = vec![Vec::new(); set.points.len()];
    let cut = covered.cut.clone();
    let mut hits = Hits { evaluations, n_open, cut, ..Hits::default() };
    for (goal, own) in set.goals.iter().zip(&tracker.subgoals.of_goal) {
        let GoalKind::Pair(pair) = &goal.kind else {
            let reached = covered.tests[own[0]].clone();
            hits.needs.push(if let [(test, _)] = reached[..] { vec![test] } else { Vec::new() });
            hits.goals.push(reached);
            hits.pairs.push(None);
            continue;
        };
        let evaluations = &mut hits.evaluations[pair.decision];
        if evaluations.is_empty() {
            *evaluations = own.iter().map(|&subgoal| covered.tests[subgoal].clone()).collect();
        }
        let pairs = covered.pairs(set, pair, own, &makeable[pair.decision]);
        let shown = pairs.first().copied();
        hits.needs.push(needs(covered, own, &pairs));
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

/// The tests that are part of every pair. Only those that make the first one can be.
fn needs(covered: &Coverage, own: &[usize], pairs: &[(usize, usize)]) -> Vec<usize> {
    let Some(&(a, b)) = pairs.first() else { return Vec::new() };
    let makes = |evaluation: usize| &covered.tests[own[evaluation]];
    let is_made_without =
        |evaluation: usize, test: usize| makes(evaluation).iter().any(|(other, _)| *other != test);
    let is_needed = |test: &usize| {
        let is_without =
            |&(a, b): &(usize, usize)| is_made_without(a, *test) && is_made_without(b, *test);
        !pairs.iter().any(is_without)
    };
    // Whatever several tests make does without each of them.
    let alone = [a, b].into_iter().filter(|&evaluation| makes(evaluation).len() == 1);
    let mut tests: Vec<usize> = alone.map(|evaluation| makes(evaluation)[0].0).collect();
    tests.sort_unstable();
    tests.dedup();
    tests.retain(is_needed);
    tests
}
