//! Compares criteria: each criterion's minimised suite is evaluated against the goals of every
//! other, as in Table 2 of Ammann, Black and Ding.
//!
//! All goals of a set are searched for at once. A suite has a shortest trace for each subgoal; which of
//! several is taken does not depend on the other criteria compared, except on those whose goals
//! share the trace. Sets of goals that were derived in different ways from one model are compared as
//! well (Black, Okun, Yesha, *Insuring Fault Visibility*, Table 2); each is searched for by itself.

use trapline_engine::{Budget, Why};
use trapline_goals::GoalSet;
use trapline_goals::decide::{Makeable, Verdict, own_traces};
use trapline_model::trace::Trace;

use crate::coverage::{Coverage, coverage};
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
    /// Their set.
    pub set: usize,
    /// The goals, by their indices in the set.
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
    /// The proved bound on the set cover, if the tests were minimised.
    pub bound: Option<Bound>,
    /// For each group the number of its reachable goals that the tests reach.
    pub reached: Vec<usize>,
    /// Why the result may be larger than necessary, or incomplete, if not all tests were evaluated.
    pub cut: Option<Why>,
}

/// A set of goals, and what was found.
struct Searched<'s> {
    tracker: Tracker<'s>,
    verdicts: Vec<Verdict>,
    makeable: Makeable,
}

/// Compares groups of goals. Without an objective the suites are not minimised.
pub fn compare(
    sets: &[GoalSet],
    groups: &[Group],
    options: &Options,
    objective: Option<Objective>,
    budget: &Budget<'_>,
) -> Vec<Row> {
    let searched = sets.iter().map(|set| {
        let mut tracker = Tracker::new(set, budget);
        let mut journal = NoJournal;
        initial::find(&mut tracker, &mut Work::new(options, &mut journal, budget));
        let (verdicts, makeable) = (tracker.goals(), tracker.makeable());
        Searched { tracker, verdicts, makeable }
    });
    let searched: Vec<Searched<'_>> = searched.collect();
    groups.iter().map(|group| row(&searched, group, groups, objective, budget)).collect()
}

fn row(
    searched: &[Searched<'_>],
    group: &Group,
    groups: &[Group],
    objective: Option<Objective>,
    budget: &Budget<'_>,
) -> Row {
    let own = &searched[group.set];
    let found = own.tests(group);
    let made = objective.map(|objective| {
        let Searched { tracker: Tracker { set, subgoals, .. }, makeable, .. } = own;
        let needed = Needed { set, subgoals, makeable, goals: &group.goals, is_asked: &|_| true };
        minimise(&needed, &found, &[], objective, budget)
    });
    let tests = made.as_ref().map_or(&found, |made| &made.tests);
    let covered = searched.iter().map(|of_set| {
        let covered = coverage(&of_set.tracker.subgoals, tests, &budget.grace());
        (of_set, covered)
    });
    let covered: Vec<(&Searched<'_>, Coverage)> = covered.collect();
    let reached = groups.iter().map(|group| {
        let (of_set, covered) = &covered[group.set];
        of_set.count(covered, group)
    });
    let reached = reached.collect();
    let cut = covered.into_iter().find_map(|(_, covered)| covered.cut);
    let is = |is_meant: fn(&Verdict) -> bool| {
        group.goals.iter().filter(|&&idx| is_meant(&own.verdicts[idx])).count()
    };
    Row {
        n_feasible: is(|verdict| matches!(verdict, Verdict::Covered(_))),
        n_unknown: is(|verdict| matches!(verdict, Verdict::Unknown(_))),
        n_before: found.len(),
        n_tests: tests.len(),
        n_steps: tests.iter().map(|test| test.states.len() - 1).sum(),
        bound: made.as_ref().map(|made| made.solution.bound),
        reached,
        cut: made.as_ref().and_then(|made| made.given_up.clone()).or(cut),
    }
}

impl Searched<'_> {
    /// A test for each subgoal of a group, without those that are prefixes of others.
    fn tests(&self, group: &Group) -> Vec<Trace> {
        let Searched { tracker, verdicts, .. } = self;
        let wanted = tracker.wanted_for(verdicts, &group.goals);
        let tests: Vec<Trace> =
            wanted.into_iter().filter_map(|part| first_segment(tracker, part)).collect();
        let tests = own_traces(tracker.set, tests);
        let distinct = without_prefixes(&tracker.set.model, &tests, &[]);
        distinct.into_iter().map(|idx| tests[idx].clone()).collect()
    }

    /// How many goals of a group tests reach. A test may leave the fair paths, and so violate a
    /// property that holds on fair paths; that does not count.
    fn count(&self, covered: &Coverage, group: &Group) -> usize {
        let shown = covered.goals(self.tracker.set, &self.tracker.subgoals, &self.makeable);
        let is_reached = |idx: &&usize| {
            shown[**idx].is_some() && matches!(self.verdicts[**idx], Verdict::Covered(_))
        };
        group.goals.iter().filter(is_reached).count()
    }
}
