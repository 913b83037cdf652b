//! Suites as trees: what is executed, and what becomes of it.

use std::collections::{HashMap, HashSet};

use trapline_engine::Budget;
use trapline_engine::possible::{Exchange, Inputs, Ports};
use trapline_exec::rounds::Tree;
use trapline_exec::script::Script;
use trapline_goals::subgoals::Subgoals;
use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_suite::coverage::coverage;
use trapline_suite::suite::{Suite, Test};

use super::Args;
use crate::context::Context;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::suite_input::SuiteInput;
use crate::{names, suite_file};

/// The tests as trees, those that are wanted.
pub fn trees(args: &Args, suite: &SuiteInput) -> Result<Vec<Tree>, Failure> {
    let test_of = suite.document.test_of();
    let trunks: HashMap<usize, &str> = (suite.document.drafts.iter().zip(&test_of).rev())
        .map(|(draft, &test)| (test, draft.name.as_str()))
        .collect();
    let trees = suite.trees().into_iter().enumerate().map(|(idx, places)| Tree {
        idx,
        name: trunks[&test_of[suite.origins[places.start]]].into(),
        paths: suite.tests[places.clone()].to_vec(),
        goals: Vec::new(),
        is_negative: suite.negative.contains(&places.start),
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

/// Says which branches can never be taken: what the implementation chooses leads to a branch, not what is
/// sent to it.
pub fn tell_idle(trees: &[Tree], model: &Model, context: &Context) {
    let ports = Ports::new(model);
    for tree in trees.iter().filter(|tree| tree.paths.len() > 1) {
        let Script { paths, .. } = tree.script(&ports, model);
        let mut known: HashSet<(&[Exchange], &Inputs)> = HashSet::new();
        for (idx, path) in paths.iter().enumerate() {
            let all = path.exchanges.iter().enumerate();
            let ways: Vec<_> =
                all.map(|(at, exchange)| (&path.exchanges[..at], &exchange.inputs)).collect();
            // Where it leaves the others, they must send the same.
            let begins = |(before, _): &&(&[Exchange], &Inputs)| {
                paths[..idx].iter().any(|other| other.exchanges.starts_with(before))
            };
            if idx > 0 && !ways.iter().take_while(begins).all(|way| known.contains(way)) {
                let numbers: Vec<String> = path.branch.iter().map(usize::to_string).collect();
                let name = format!("{}/{}", tree.name, numbers.join("/"));
                context.terminal.note(&format!(
                    "`{name}` can't be taken: where it begins it sends other inputs"
                ));
                continue;
            }
            known.extend(ways);
        }
    }
}

/// Says what tests are there for: the goals that the suite names for them, or whatever they reach if it
/// names none.
pub fn set_goals(trees: &mut [Tree], suite: &SuiteInput, prepared: &Prepared) {
    if suite.document.goals.is_empty() {
        let all: Vec<usize> = (0..prepared.set.goals.len()).collect();
        trees.iter_mut().for_each(|tree| tree.goals = all.clone());
        return;
    }
    let test_of = suite.document.test_of();
    let of_test: HashMap<usize, usize> = (suite.trees().iter().enumerate())
        .map(|(idx, places)| (test_of[suite.origins[places.start]], idx))
        .collect();
    let ids = prepared.set.goals.iter().enumerate();
    let ids: HashMap<&str, usize> = ids.map(|(idx, goal)| (goal.id.as_str(), idx)).collect();
    let mut goals_of: HashMap<usize, Vec<usize>> = HashMap::new();
    for goal in &suite.document.goals {
        let Some(&idx) = ids.get(goal.id.as_str()) else { continue };
        let mut tests: Vec<usize> = goal.tests.iter().map(|&draft| test_of[draft]).collect();
        tests.dedup();
        let tests = tests.iter().filter_map(|test| of_test.get(test));
        tests.for_each(|test| goals_of.entry(*test).or_default().push(idx));
    }
    for tree in trees {
        tree.goals = goals_of.remove(&tree.idx).unwrap_or_default();
    }
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
