//! Where tests show faults at the outputs, and what a faulty implementation answers there: who sees such an
//! answer knows which faults to think of.

use std::ops::Range;

use trapline_engine::Budget;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::visibility::credit::faces;
use trapline_goals::visibility::simulate::Face;
use trapline_model::trace::Trace;

use crate::coverage::Coverage;
use crate::suite::Test;

/// Where a test shows a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// The test; of a tree the trunk.
    pub test: usize,
    /// The exchange; if the answer is not known, it is this one or an earlier one.
    pub exchange: usize,
    /// What a faulty implementation answers.
    pub face: Face,
}

/// For each goal where the tests show its fault, if it is one.
pub fn appearances(
    subgoals: &Subgoals,
    covered: &Coverage,
    (tests, trees): (&[Test], &[Range<usize>]),
    budget: &Budget<'_>,
) -> Vec<Vec<Appearance>> {
    let mut is_single = vec![true; tests.len()];
    trees.iter().filter(|tree| tree.len() > 1).for_each(|tree| is_single[tree.clone()].fill(false));
    let mut all: Vec<Vec<Appearance>> = vec![Vec::new(); subgoals.of_goal.len()];
    let (mut goals, mut asked) = (Vec::new(), Vec::new());
    for (goal, own) in subgoals.of_goal.iter().enumerate() {
        let [subgoal] = own[..] else { continue };
        let Subgoal::Fault(fault) = subgoals.list[subgoal] else { continue };
        for &(test, exchange) in &covered.tests[subgoal] {
            all[goal].push(Appearance { test, exchange, face: Face::Unknown });
        }
        let single = covered.tests[subgoal].iter().filter(|(test, _)| is_single[*test]);
        let single: Vec<&Trace> = single.map(|(test, _)| &tests[*test].trace).collect();
        if !single.is_empty() {
            goals.push(goal);
            asked.push((fault, single));
        }
    }
    for (goal, faces) in goals.into_iter().zip(faces(subgoals, &asked, &budget.grace())) {
        let single = all[goal].iter_mut().filter(|it| is_single[it.test]);
        single.zip(faces).for_each(|(appearance, face)| appearance.face = face);
    }
    all
}
