//! Suites as trees: what is executed, and what becomes of it.

use std::collections::HashMap;

use trapline_engine::Budget;
use trapline_exec::rounds::Tree;
use trapline_goals::subgoals::Subgoals;
use trapline_model::trace::Trace;
use trapline_suite::coverage::coverage;
use trapline_suite::suite::{Suite, Test};

use super::Args;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::suite_input::SuiteInput;
use crate::{names, suite_file};

/// The tests as trees, those that are wanted.
pub fn trees(args: &Args, suite: &SuiteInput, prepared: &Prepared) -> Result<Vec<Tree>, Failure> {
    let test_of = suite.document.test_of();
    let trunks: HashMap<usize, &str> = (suite.document.drafts.iter().zip(&test_of).rev())
        .map(|(draft, &test)| (test, draft.name.as_str()))
        .collect();
    let ids = prepared.set.goals.iter().enumerate();
    let ids: HashMap<&str, usize> = ids.map(|(idx, goal)| (goal.id.as_str(), idx)).collect();
    let mut goals_of: Vec<Vec<usize>> = vec![Vec::new(); test_of.last().map_or(0, |it| it + 1)];
    for goal in &suite.document.goals {
        let Some(&idx) = ids.get(goal.id.as_str()) else { continue };
        let mut tests: Vec<usize> = goal.tests.iter().map(|&draft| test_of[draft]).collect();
        tests.dedup();
        tests.into_iter().for_each(|test| goals_of[test].push(idx));
    }
    let trees = suite.trees().into_iter().enumerate().map(|(idx, places)| {
        let test = test_of[suite.origins[places.start]];
        // A suite that does not say what its tests are for may be for all that they reach.
        let goals = match suite.document.goals.is_empty() {
            true => (0..prepared.set.goals.len()).collect(),
            false => std::mem::take(&mut goals_of[test]),
        };
        Tree { idx, name: trunks[&test].into(), paths: suite.tests[places].to_vec(), goals }
    });
    let mut trees: Vec<Tree> = trees.collect();
    for wanted in &args.test {
        let known = || trees.iter().map(|tree| tree.name.as_str());
        if !known().any(|name| name == wanted) {
            let failure = Failure::refused(format!("the suite has no test `{wanted}`"));
            let is_branch = |name: &str| wanted.starts_with(&format!("{name}/"));
            return Err(match names::close(wanted, known()).as_slice() {
                [] => match known().find(|name| is_branch(name)) {
                    Some(name) => failure.help(format!(
                        "a branch is taken when the implementation chooses so: name the test `{name}`"
                    )),
                    None => failure,
                },
                close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
            });
        }
    }
    trees.retain(|tree| args.test.is_empty() || args.test.contains(&tree.name));
    Ok(trees)
}

/// The suite with the branches that its tests have got. Tests that were not wanted stay as they are.
pub fn extended(
    prepared: &Prepared,
    suite: &SuiteInput,
    subgoals: &Subgoals,
    trees: &[Tree],
    budget: &Budget<'_>,
) -> Suite {
    let mut tests = Vec::new();
    for (idx, places) in suite.trees().into_iter().enumerate() {
        let tree = trees.iter().find(|tree| tree.idx == idx);
        let own = suite.tests[places.clone()].to_vec();
        let paths = tree.map_or(own, |tree| tree.paths.clone());
        let name = suite.name(places.start);
        let all = paths.into_iter().enumerate();
        tests.extend(all.map(|(path, trace)| Test {
            name: if path == 0 { name.into() } else { format!("{name}/{path}") },
            trace,
            is_branch: path > 0,
        }));
    }
    let traces: Vec<Trace> = tests.iter().map(|test: &Test| test.trace.clone()).collect();
    let made = coverage(subgoals, &traces, &budget.grace()).made(&prepared.set, subgoals);
    let scored = suite_file::scored((prepared, &suite.document), (subgoals, &made), &tests, budget);
    scored.unwrap_or_else(|why| Suite { tests, ..Suite::undecided(prepared.set.goals.len(), &why) })
}
