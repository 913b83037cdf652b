//! The result on the lines of the model.

use std::collections::{BTreeMap, BTreeSet};

use trapline_goals::{GoalKind, builder};
use trapline_report::formats::lcov::{self, Branch, Condition, Lcov};

use super::Found;

/// The tracefile: every goal that counts is about a line; goals of branches, decisions and
/// conditions are branches there, and pairs of evaluations are conditions.
pub fn text(found: &Found) -> String {
    let prepared = &found.prepared;
    let mut lcov = Lcov { path: prepared.loaded.path.clone(), ..Lcov::default() };
    let mut tests: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (idx, goal) in prepared.set.goals.iter().enumerate() {
        let place = prepared.loaded.sources.location(goal.span.start);
        let Some(place) = place.filter(|place| place.path == prepared.loaded.path) else {
            continue;
        };
        if found.evaluated.winnowed[idx].is_some() {
            continue;
        }
        let line = place.line as u32;
        let reached = found.tests(idx);
        let n_tests = reached.len();
        tests.entry(line).or_default().extend(reached);
        match (&goal.kind, goal.criterion.as_str()) {
            (GoalKind::Pair(pair), _) => {
                let point = &prepared.set.points[pair.decision];
                let condition = &point.decision.conditions[pair.condition];
                lcov.conditions.push(Condition {
                    line,
                    n_conditions: point.decision.conditions.len(),
                    index: pair.condition,
                    name: builder::show(&prepared.set.model, condition.expr),
                    n_tests,
                });
            }
            (_, "branch" | "decision" | "condition") => {
                let block = ["branch", "decision", "condition"];
                let block = block.iter().position(|name| *name == goal.criterion).unwrap_or(0);
                lcov.branches.push(Branch { line, block, name: goal.text.clone(), n_tests });
            }
            _ => {}
        }
    }
    lcov.lines = tests.into_iter().map(|(line, tests)| (line, tests.len())).collect();
    lcov.branches.sort_by_key(|branch| (branch.line, branch.block));
    lcov::write(&lcov)
}
