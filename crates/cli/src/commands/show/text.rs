//! Human-readable form of a suite.

use trapline_suite::read::RecordedGoal;
use trapline_suite::tree::{arrange, n_steps};

use super::{Shown, Test};
use crate::commands::goals::table;
use crate::context::Context;
use crate::excerpt::one_line;
use crate::failure::Failure;
use crate::missing::{self, ListArgs, Row};
use crate::numbers::{counted, counted_tests, grouped};
use crate::paint::{Paint, Style};
use crate::shown;
use crate::trace_text::{Detail, TraceText};

/// Writes the tests and the goals as tables, and what is not covered.
pub fn summary(shown: &Shown, list: &ListArgs, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    let trees = shown.tests.chunk_by(|_, next| next.is_branch);
    let n_steps = |tree: &[Test]| n_steps(&tree.iter().map(|test| &test.trace).collect::<Vec<_>>());
    let n_steps = trees.map(n_steps).sum::<usize>() as u64;
    let n_trunks = shown.tests.iter().filter(|test| !test.is_branch).count();
    let n_tests = counted_tests(n_trunks, shown.tests.len());
    let of = shown.path.as_ref().map_or(String::new(), |path| format!(" of {}", one_line(path)));
    let cut = if shown.is_cut { "; not all the work was done" } else { "" };
    let heading = format!("{n_tests}{of}, {}{cut}", counted(n_steps, "step"));
    output.write(&format!("{}\n", output.paint.paint(Style::Heading, &heading)))?;
    if !shown.tests.is_empty() {
        output.write(&format!("\n{}", tests_table(shown)))?;
    }
    if !shown.goals.is_empty() {
        output.write(&format!("\n{}", goals_table(&shown.goals)))?;
    }
    let paint = output.paint;
    output.write(&missing::list(&rows(shown), list, paint))?;
    output.finish()
}

/// Writes some of the tests.
pub fn tests(
    shown: &Shown,
    wanted: &[usize],
    detail: Detail,
    context: &Context,
) -> Result<(), Failure> {
    let mut output = context.output()?;
    let paint = output.paint;
    let text = TraceText::new(&shown.model, paint);
    let n_goals = n_goals(shown);
    for (place, &idx) in wanted.iter().enumerate() {
        let test = &shown.tests[idx];
        let heading = paint.paint(Style::Heading, &one_line(&test.name));
        let mut facts = vec![counted(test.trace.states.len() as u64 - 1, "step")];
        facts.extend(branch_point(&shown.tests, idx));
        if !shown.goals.is_empty() {
            facts.push(counted(n_goals[idx] as u64, "goal"));
        }
        let gap = if place == 0 { "" } else { "\n" };
        output.write(&format!("{gap}{heading}: {}\n", facts.join(", ")))?;
        let remark = |state_idx: usize| reached(test, state_idx, paint);
        output.write(&text.annotated(&test.trace, detail, remark))?;
        if test.reached.is_empty() {
            output.write(&covered(shown, idx, paint))?;
        }
    }
    output.finish()
}

/// Where a branch leaves the test that it is part of.
fn branch_point(tests: &[Test], idx: usize) -> Option<String> {
    let first = (0..=idx).rev().find(|&idx| !tests[idx].is_branch)?;
    let paths: Vec<_> = tests[first..=idx].iter().map(|test| &test.trace).collect();
    let tree = arrange(&paths);
    let all = tree.all();
    let (branch, _) =
        all.iter().find(|(branch, _)| branch.path > 0 && first + branch.path == idx)?;
    Some(format!("another choice at state {}", branch.at))
}

/// The goals that are first reached in a state.
fn reached(test: &Test, state_idx: usize, paint: Paint) -> String {
    let ids = test.reached.get(state_idx).map_or(&[][..], Vec::as_slice);
    list("reaches:", ids.iter().map(String::as_str), paint)
}

/// The goals that a test covers, if the states are unknown.
fn covered(shown: &Shown, idx: usize, paint: Paint) -> String {
    let goals = shown.goals.iter().filter(|goal| goal.tests.contains(&idx));
    list("goals of the test:", goals.map(|goal| goal.id.as_str()), paint)
}

fn list<'i>(title: &str, ids: impl Iterator<Item = &'i str>, paint: Paint) -> String {
    let lines: String =
        ids.map(|id| format!("    {}\n", paint.paint(Style::Good, &one_line(id)))).collect();
    if lines.is_empty() {
        return lines;
    }
    format!("  {}\n{lines}", paint.paint(Style::Group, title))
}

/// How many goals each test covers, alone or as one of two.
fn n_goals(shown: &Shown) -> Vec<usize> {
    let mut counts = vec![0; shown.tests.len()];
    for goal in &shown.goals {
        // A suite may name a test twice.
        let mut tests = goal.tests.clone();
        tests.sort_unstable();
        tests.dedup();
        tests.into_iter().for_each(|test| counts[test] += 1);
    }
    counts
}

fn tests_table(shown: &Shown) -> String {
    let tests = &shown.tests;
    // Where tests are called after their numbers, the numbers say nothing new.
    let is_numbered = |(idx, test): (usize, &Test)| test.name == format!("t{}", idx + 1);
    let has_numbers = !tests.iter().enumerate().all(is_numbered);
    let has_loops = tests.iter().any(|test| test.trace.loop_start.is_some());
    let n_goals = n_goals(shown);
    let row = |name: &str, [number, steps, goals, back]: [String; 4]| {
        let mut row = vec![name.to_string()];
        row.extend(has_numbers.then_some(number));
        row.push(steps);
        row.extend((!shown.goals.is_empty()).then_some(goals));
        row.extend(has_loops.then_some(back));
        row
    };
    let mut rows = vec![row("test", ["number", "steps", "goals", "loops back to"].map(Into::into))];
    for (idx, test) in tests.iter().enumerate() {
        let back = test.trace.loop_start.map_or(String::new(), |start| format!("state {start}"));
        let numbers = [idx + 1, test.trace.states.len() - 1, n_goals[idx]];
        let [number, steps, goals] = numbers.map(|number| grouped(number as u64));
        rows.push(row(&one_line(&test.name), [number, steps, goals, back]));
    }
    table::text(&rows)
}

/// The number of goals of each criterion, by what is known of them.
fn goals_table(goals: &[RecordedGoal]) -> String {
    let mut words = vec!["covered", "not covered", "infeasible", "unknown"];
    // Our own suites always record whether what is not covered can be.
    words.retain(|word| *word != "not covered" || goals.iter().any(|goal| verdict(goal) == *word));
    let mut groups: Vec<(&str, Vec<&RecordedGoal>)> = Vec::new();
    for goal in goals {
        let name = goal.criterion.as_deref().unwrap_or("others");
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(goal),
            None => groups.push((name, vec![goal])),
        }
    }
    groups.push(("total", goals.iter().collect()));
    let mut rows = vec![vec!["criterion".to_string(), "goals".into()]];
    rows[0].extend(words.iter().map(|word| word.to_string()));
    let shown = shown::columns(goals.iter().map(|goal| goal.shown.as_deref()));
    rows[0].extend(shown.iter().map(|(_, heading)| heading.to_string()));
    for (name, group) in groups {
        let count = |word: &str| group.iter().filter(|goal| verdict(goal) == word).count();
        let mut row = vec![one_line(name), grouped(group.len() as u64)];
        row.extend(words.iter().map(|word| grouped(count(word) as u64)));
        let count =
            |word: &str| group.iter().filter(|goal| goal.shown.as_deref() == Some(word)).count();
        row.extend(shown.iter().map(|(word, _)| grouped(count(word) as u64)));
        rows.push(row);
    }
    table::text(&rows)
}

/// The goals as they are recorded.
fn rows(shown: &Shown) -> Vec<Row<'_>> {
    let rows = shown.goals.iter().map(|goal| Row {
        id: &goal.id,
        text: goal.text.as_deref().unwrap_or_default(),
        line: goal.line,
        verdict: verdict(goal),
        reason: goal.reason.as_deref(),
        property: goal.property,
        tests: match goal.property {
            Some(_) => goal.tests.iter().map(|&test| shown.tests[test].name.as_str()).collect(),
            None => Vec::new(),
        },
    });
    rows.collect()
}

/// What is known of a goal, as one of four words.
fn verdict(goal: &RecordedGoal) -> &'static str {
    match goal.verdict.as_deref() {
        Some("covered") => "covered",
        Some("not covered") => "not covered",
        Some("infeasible") => "infeasible",
        _ => "unknown",
    }
}
