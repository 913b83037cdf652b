//! Compares criteria: each criterion's minimised suite is evaluated against the goals of every
//! other, as in Table 2 of Ammann, Black and Ding.
//!
//! All goals are searched for at once. A suite has a shortest trace for each subgoal; which of
//! several is taken does not depend on the other criteria compared, except on those whose goals
//! share the trace.

use trapline_engine::{Budget, Why};
use trapline_goals::GoalSet;
use trapline_goals::decide::Verdict;
use trapline_model::trace::Trace;

use crate::coverage::coverage;
use crate::generate::separate::first_segment;
use crate::generate::{Options, Work, initial};
use crate::journal::NoJournal;
use crate::minimise::{Needed, minimise, without_prefixes};
use crate::set_cover::{Bound, Objective};
use crate::tracker::Tracker;

/// Goals that belong together.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their name.
    pub name: String,
    /// The goals, by their indices.
    pub goals: Vec<usize>,
}

/// A group, and its suite.
#[derive(Clone, Debug)]
pub struct Row {
    /// Number of reachable goals.
    pub n_feasible: usize,
    /// Number of undecided goals.
    pub n_unknown: usize,
    /// Distinct tests before minimisation.
    pub n_before: usize,
    /// Tests.
    pub n_tests: usize,
    /// Their steps.
    pub n_steps: usize,
    /// The proved bound on the set cover.
    pub bound: Bound,
    /// For each group the number of its reachable goals that the tests reach.
    pub reached: Vec<usize>,
    /// Why the result may be larger than necessary, or incomplete, if not all tests were evaluated.
    pub cut: Option<Why>,
}

/// Compares groups of goals.
pub fn compare(
    set: &GoalSet,
    groups: &[Group],
    options: &Options,
    objective: Objective,
    budget: &Budget<'_>,
) -> Vec<Row> {
    let mut tracker = Tracker::new(set, budget);
    let mut journal = NoJournal;
    let mut work = Work::new(options, &mut journal, budget);
    initial::find(&mut tracker, &mut work);
    let verdicts = tracker.goals();
    let rows =
        groups.iter().map(|group| row(&tracker, &verdicts, group, groups, objective, budget));
    rows.collect()
}

fn row(
    tracker: &Tracker<'_>,
    verdicts: &[Verdict],
    group: &Group,
    groups: &[Group],
    objective: Objective,
    budget: &Budget<'_>,
) -> Row {
    let (set, subgoals, makeable) = (tracker.set, &tracker.subgoals, tracker.makeable());
    let wanted = tracker.wanted_for(verdicts, &group.goals);
    let tests: Vec<Trace> =
        wanted.into_iter().filter_map(|part| first_segment(tracker, part)).collect();
    let tests = trapline_goals::decide::own_traces(set, tests);
    let distinct = without_prefixes(&set.model, &tests, &[]);
    let tests: Vec<Trace> = distinct.into_iter().map(|idx| tests[idx].clone()).collect();
    let needed =
        Needed { set, subgoals, makeable: &makeable, goals: &group.goals, is_asked: &|_| true };
    let made = minimise(&needed, &tests, &[], objective, budget);
    let covered = coverage(subgoals, &made.tests, &budget.grace());
    let shown = covered.goals(set, subgoals, &makeable);
    // A test may leave the fair paths, and so violate a property that holds on fair paths.
    let is_reached =
        |idx: &&usize| shown[**idx].is_some() && matches!(verdicts[**idx], Verdict::Covered(_));
    let count = |group: &Group| group.goals.iter().filter(is_reached).count();
    let is = |is_meant: fn(&Verdict) -> bool| {
        group.goals.iter().filter(|&&idx| is_meant(&verdicts[idx])).count()
    };
    Row {
        n_feasible: is(|verdict| matches!(verdict, Verdict::Covered(_))),
        n_unknown: is(|verdict| matches!(verdict, Verdict::Unknown(_))),
        n_before: tests.len(),
        n_tests: made.tests.len(),
        n_steps: made.tests.iter().map(|test| test.states.len() - 1).sum(),
        bound: made.solution.bound,
        reached: groups.iter().map(count).collect(),
        cut: made.given_up.or(covered.cut),
    }
}
