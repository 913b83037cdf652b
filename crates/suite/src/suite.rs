//! A suite: tests, and what they show.

use std::ops::Range;

use trapline_engine::{Budget, Why};
use trapline_goals::decide::{Makeable, Verdict};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{Goal, GoalSet};
use trapline_model::VarId;
use trapline_model::trace::Trace;

use crate::appearance::{Appearance, appearances};
use crate::coverage::{Coverage, Shown, coverage_of};
use crate::evidence::{Evidence, Reached, judge};
use crate::generate::Generated;
use crate::minimise::{Needed, best, candidates, minimise};
use crate::property::{NO_LOOP, Property};
use crate::set_cover::{Objective, Solution};

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Was all the work done?
    pub is_complete: bool,
    /// The tests.
    pub tests: Vec<Test>,
    /// What is known of each goal.
    pub goals: Vec<Scored>,
    /// The goals that tests reach although a journal has a proof that nothing does.
    pub contradicted: Vec<usize>,
    /// For each test and each of its states the variables that had another choice there, once that
    /// is known.
    pub choices: Vec<Vec<Vec<VarId>>>,
}

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What happens in it.
    pub trace: Trace,
    /// Is it a branch of the last test before it that is none? What the implementation chooses
    /// decides which is taken.
    pub is_branch: bool,
}

/// What is known of a goal.
#[derive(Clone, Debug)]
pub struct Scored {
    /// What shows it.
    pub shown: Shown,
    /// Why nothing does, if that is known.
    pub missing: Missing,
    /// What running the tests shows of it.
    pub evidence: Evidence,
    /// Of a fault: where the tests show it.
    pub appearances: Vec<Appearance>,
}

/// Why nothing shows a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Something does.
    No,
    /// Something could.
    Feasible,
    /// Nothing can: how that was proved.
    Infeasible(String),
    /// Of a fault: choices that the tester does not control decide whether a test shows it, and how.
    MayKill(String),
    /// It is not known whether anything can, and why.
    Unknown(String),
}

impl Suite {
    /// The score of goals about which nothing is known, with the reason.
    pub fn undecided(n_goals: usize, why: &Why) -> Suite {
        let goal = Scored::new(Shown::No, Missing::Unknown(why.to_string()));
        Suite {
            is_complete: false,
            tests: Vec::new(),
            goals: vec![goal; n_goals],
            contradicted: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Determines what is judged of the tests, and what that shows of the goals.
    pub fn judge(
        &mut self,
        set: &GoalSet,
        subgoals: &Subgoals,
        makeable: &Makeable,
        budget: &Budget<'_>,
    ) {
        let tests: Vec<&Trace> = self.tests.iter().map(|test| &test.trace).collect();
        let shown: Vec<Shown> = self.goals.iter().map(|goal| goal.shown.clone()).collect();
        let reached = Reached { set, subgoals, makeable, tests: &tests, shown: &shown };
        let judged = judge(&reached, budget);
        for (goal, evidence) in self.goals.iter_mut().zip(judged.goals) {
            goal.evidence = evidence;
        }
        self.choices = judged.choices;
    }

    /// Determines where the tests show faults, of what they cover.
    pub fn locate(&mut self, subgoals: &Subgoals, covered: &Coverage, budget: &Budget<'_>) {
        let trees = self.trees();
        let found = appearances(subgoals, covered, (&self.tests, &trees), budget);
        for (goal, found) in self.goals.iter_mut().zip(found) {
            goal.appearances = found;
        }
    }

    /// The tests, each with its branches, by their indices.
    pub fn trees(&self) -> Vec<Range<usize>> {
        trees(&self.tests)
    }

    /// For each test the goals that it shows, alone or as one of two.
    pub fn covers(&self) -> Vec<Vec<usize>> {
        let mut covers = vec![Vec::new(); self.tests.len()];
        for (goal_idx, goal) in self.goals.iter().enumerate() {
            for test in goal.shown.tests() {
                covers[test].push(goal_idx);
            }
        }
        covers
    }
}

impl Scored {
    /// What is known of a goal before its tests are judged.
    pub fn new(shown: Shown, missing: Missing) -> Scored {
        Scored { shown, missing, evidence: Evidence::None, appearances: Vec::new() }
    }

    /// A word for what is known of the goal.
    pub fn word(&self) -> &'static str {
        match self.missing {
            Missing::No => "covered",
            Missing::Feasible => "not covered",
            Missing::Infeasible(_) => "infeasible",
            Missing::MayKill(_) => "may-kill",
            Missing::Unknown(_) => "unknown",
        }
    }

    /// What that says of the property that the goal is, if it is one.
    pub fn property(&self, goal: &Goal) -> Option<Property> {
        Property::of(goal, self.word(), self.reason())
    }

    /// The proof that nothing shows the goal, or why that is not known.
    pub fn reason(&self) -> Option<&str> {
        match &self.missing {
            Missing::No | Missing::Feasible => None,
            Missing::Infeasible(why) | Missing::MayKill(why) | Missing::Unknown(why) => Some(why),
        }
    }
}

/// Tests, each with its branches, by their indices.
pub fn trees(tests: &[Test]) -> Vec<Range<usize>> {
    let mut trees: Vec<Range<usize>> = Vec::new();
    for (idx, test) in tests.iter().enumerate() {
        match trees.last_mut().filter(|_| test.is_branch) {
            Some(tree) => tree.end = idx + 1,
            None => trees.push(idx..idx + 1),
        }
    }
    trees
}

/// Maximum number of subgoals evaluated on all tests even if there is no time left.
const MAX_LATE: usize = 100_000;

/// The tests that were made as a suite; with an objective, only the best of them.
pub fn assemble(
    set: &GoalSet,
    made: &Generated,
    objective: Option<Objective>,
    budget: &Budget<'_>,
) -> (Suite, Option<Solution>) {
    let goals: Vec<usize> = (0..set.goals.len()).collect();
    let is_late = budget.spend(0).is_err();
    // What tests were not made for they may meet too.
    let is_asked =
        |subgoal: usize| !is_late || made.is_met[subgoal] || made.subgoals.list.len() <= MAX_LATE;
    let Generated { subgoals, makeable, .. } = made;
    let needed = Needed { set, subgoals, makeable, goals: &goals, is_asked: &is_asked };
    let chosen = match objective {
        Some(objective) if is_late => choose_late(&needed, made, objective, budget),
        Some(objective) => choose(&needed, made, objective, budget),
        None => Chosen::all(&needed, made, budget),
    };
    let cut = chosen.covered.cut.clone();
    let shown = chosen.covered.goals(set, subgoals, makeable);
    let goals =
        shown.into_iter().enumerate().map(|(idx, shown)| scored(made, idx, shown, cut.as_ref()));
    let goals: Vec<Scored> = goals.collect();
    let is_wrong = |idx: &usize| {
        goals[*idx].shown.is_some() && matches!(made.verdicts[*idx], Verdict::Infeasible(_))
    };
    let contradicted: Vec<usize> = (0..goals.len()).filter(is_wrong).collect();
    if !contradicted.is_empty() && !made.has_recalled_proofs {
        unreachable!("a goal was proved to be infeasible, and a test reaches it");
    }
    let named = chosen.tests.into_iter().enumerate();
    let tests =
        named.map(|(idx, trace)| Test { name: format!("t{}", idx + 1), trace, is_branch: false });
    let tests = tests.collect();
    let mut suite =
        Suite { is_complete: cut.is_none(), tests, goals, contradicted, choices: Vec::new() };
    suite.judge(set, subgoals, makeable, budget);
    suite.locate(subgoals, &chosen.covered, budget);
    (suite, chosen.solution)
}

/// The tests of a suite, and what they meet.
struct Chosen {
    tests: Vec<Trace>,
    covered: Coverage,
    solution: Option<Solution>,
}

impl Chosen {
    fn all(needed: &Needed<'_>, made: &Generated, budget: &Budget<'_>) -> Chosen {
        let tests: Vec<Trace> =
            std::iter::once(&made.tests).chain(&made.others).flatten().cloned().collect();
        let covered = coverage_of(needed.subgoals, needed.is_asked, &tests, &budget.grace());
        Chosen { tests, covered, solution: None }
    }
}

/// The best tests, each cut where it may end.
fn choose(
    needed: &Needed<'_>,
    made: &Generated,
    objective: Objective,
    budget: &Budget<'_>,
) -> Chosen {
    let (mut tests, mut solution) = (Vec::new(), None);
    // Those with other inputs are for those who want more than one, so each list is kept.
    for list in std::iter::once(&made.tests).chain(&made.others) {
        let distinct = candidates(&needed.set.model, list, &[], objective);
        let list: Vec<Trace> = distinct.into_iter().map(|idx| list[idx].clone()).collect();
        let minimised = minimise(needed, &list, &[], objective, budget);
        // What makes the inputs others may come after the last goal.
        match solution {
            None => tests.extend(minimised.tests),
            Some(_) => tests.extend(minimised.origins.iter().map(|&idx| list[idx].clone())),
        }
        solution.get_or_insert(minimised.solution);
    }
    let covered = coverage_of(needed.subgoals, needed.is_asked, &tests, &budget.grace());
    Chosen { tests, covered, solution }
}

/// Selects tests without minimising further: then it is enough to evaluate each once.
fn choose_late(
    needed: &Needed<'_>,
    made: &Generated,
    objective: Objective,
    budget: &Budget<'_>,
) -> Chosen {
    if !made.others.is_empty() || made.tests.is_empty() {
        return Chosen::all(needed, made, budget);
    }
    let distinct = candidates(&needed.set.model, &made.tests, &[], objective);
    let tests: Vec<Trace> = distinct.into_iter().map(|idx| made.tests[idx].clone()).collect();
    let covered = coverage_of(needed.subgoals, needed.is_asked, &tests, &budget.grace());
    if covered.cut.is_some() {
        return Chosen { tests, covered, solution: None };
    }
    let solution = best(needed, &covered, &tests, objective, budget);
    let tests = solution.chosen.iter().map(|&idx| tests[idx].clone()).collect();
    Chosen { tests, covered: covered.only(&solution.chosen), solution: Some(solution) }
}

/// The verdict on a goal that these tests reach; they may reach more, if their evaluation was cut
/// short.
fn scored(made: &Generated, idx: usize, mut shown: Shown, cut: Option<&Why>) -> Scored {
    let of_paths = match made.subgoals.of_goal[idx].first() {
        Some(&subgoal) => matches!(made.subgoals.list[subgoal], Subgoal::Trap(..)),
        None => false,
    };
    let verdict = &made.verdicts[idx];
    // A property that holds on all infinite paths may be false on one that ends.
    if of_paths && matches!(verdict, Verdict::Infeasible(_)) {
        shown = Shown::No;
    }
    let missing = match (verdict, cut) {
        _ if shown.is_some() => Missing::No,
        (Verdict::Covered(_), Some(why)) => Missing::Unknown(why.to_string()),
        (Verdict::Covered(_), None) if of_paths => Missing::Unknown(NO_LOOP.into()),
        (Verdict::Covered(_), None) => {
            Missing::Unknown("the trace that was found can't be confirmed".into())
        }
        (Verdict::Infeasible(how), _) => Missing::Infeasible(how.clone()),
        (Verdict::MayKill(how), _) => Missing::MayKill(how.clone()),
        (Verdict::Unknown(why), _) => Missing::Unknown(why.to_string()),
    };
    Scored::new(shown, missing)
}
