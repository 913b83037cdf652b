//! Where each goal is reached: in which tests, and by which of their states.
//!
//! No search is made for goals that no test reaches. The exception is `mcdc-coupled`: which pairs
//! count there depends on the evaluations that can be made at all, so an engine is asked for these.

use trapline_engine::{Budget, Engine};
use trapline_goals::{GoalSet, Pair, Target};
use trapline_model::trace::Trace;

use crate::coverage::{Coverage, coverage};
use crate::evaluate::{ask_for_coupled, drop_true_claims};
use crate::ledger::Ledger;

/// A test and the first of its states that shows something.
pub type Hit = (usize, usize);

/// Where goals are reached.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// For each goal the tests that reach it; of a pair, where its two evaluations are made.
    pub goals: Vec<Vec<Hit>>,
    /// For each goal that is a pair the evaluations that show it, in its point.
    pub pairs: Vec<Option<(usize, usize)>>,
    /// For each point of [`GoalSet::points`] and each of its evaluations, the tests that make it.
    pub evaluations: Vec<Vec<Vec<Hit>>>,
}

/// Looks where tests reach goals.
pub fn hits(set: &GoalSet, tests: &[Trace], engine: &Engine, budget: &Budget<'_>) -> Hits {
    let mut ledger = Ledger::new(set, budget);
    let mut covered = coverage(&ledger.parts, tests);
    drop_true_claims(&ledger.parts, &mut covered, engine, budget);
    let met: Vec<usize> =
        (0..covered.tests.len()).filter(|&part| !covered.tests[part].is_empty()).collect();
    ledger.meet(met);
    ask_for_coupled(&mut ledger, engine, budget);
    let makeable = ledger.makeable();
    let mut hits = Hits { evaluations: vec![Vec::new(); set.points.len()], ..Hits::default() };
    for (goal, own) in set.goals.iter().zip(&ledger.parts.of_goal) {
        let Target::Pair(pair) = &goal.target else {
            hits.goals.push(covered.tests[own[0]].clone());
            hits.pairs.push(None);
            continue;
        };
        let evaluations = &mut hits.evaluations[pair.decision];
        if evaluations.is_empty() {
            *evaluations = own.iter().map(|&part| covered.tests[part].clone()).collect();
        }
        let shown = shown(set, &covered, pair, own, &makeable[pair.decision]);
        hits.goals.push(shown.map_or(Vec::new(), |(a, b)| {
            let mut both = covered.nearest(own[a], own[b]).to_vec();
            both.sort_unstable();
            both
        }));
        hits.pairs.push(shown);
    }
    hits
}

/// The pair of evaluations that is shown to people: the first one.
fn shown(
    set: &GoalSet,
    covered: &Coverage,
    pair: &Pair,
    own: &[usize],
    makeable: &[usize],
) -> Option<(usize, usize)> {
    covered.pairs(set, pair, own, makeable).first().copied()
}
