//! A report as Markdown, for comments on pull requests.
//!
//! A comment is limited to 65,536 characters. So every table has its share of them, and states how
//! many rows it omits.

mod tables;
mod text;

use std::collections::HashMap;

use trapline_source::numbers::counted;
use trapline_suite::goal_groups::{Group, groups, single};
use trapline_suite::property::Property;

use self::text::{code, prose};
use crate::page::{Counts, Goal, Page, Verdict};
use crate::run::{Outcome, Run};

/// How many bytes the rows of each table may have. All of them together, with what stands around
/// them, stay below the limit.
const MAX_CRITERIA: usize = 8_000;
const MAX_PROPERTIES: usize = 4_000;
const MAX_NOT_COVERED: usize = 12_000;
const MAX_UNKNOWN: usize = 6_000;
const MAX_INFEASIBLE: usize = 8_000;
const MAX_REQUIREMENTS: usize = 8_000;
const MAX_RUN: usize = 8_000;
const MAX_TESTS: usize = 5_000;

/// How many notices are shown; the terminal shows all.
const MAX_NOTICES: usize = 3;

/// How many tests that violate a property are named.
const MAX_NAMES: usize = 3;

/// How many characters a bar has.
const BAR: usize = 10;

/// The report.
pub fn write(page: &Page) -> String {
    let counts = page.counts();
    let n_steps: usize = page.tests.iter().map(|test| test.n_states.saturating_sub(1)).sum();
    let mut text = format!(
        "## {}: {}\n\n{}: {} with {}; {} of {} covered{}.\n\n",
        code(&page.model.path),
        headline(page, &counts),
        code(&page.suite.path),
        counted(page.tests.len(), "test"),
        counted(n_steps, "step"),
        counts.covered,
        counted(counts.counting(), "goal"),
        match counts.infeasible {
            0 => String::new(),
            n_infeasible => format!("; {n_infeasible} more can't be"),
        },
    );
    if page.suite.is_complete == Some(false) {
        text += "The suite is not complete: the work on it was stopped.\n\n";
    }
    if !page.suite.impossible.is_empty() {
        let n_tests = counted(page.suite.impossible.len(), "test");
        text += &format!("The model does not allow {n_tests}, which count for nothing.\n\n");
    }
    for notice in page.notices.iter().take(MAX_NOTICES) {
        text += &format!("Note: {}.\n\n", prose(notice));
    }
    text += &criteria(page, &counts);
    text += &properties(page);
    text += &page.run.as_ref().map_or(String::new(), |it| run(page, it));
    text += &tables::tables(page);
    text += &goals(page, Section::NOT_COVERED);
    text += &goals(page, Section::UNKNOWN);
    text += &goals(page, Section::INFEASIBLE);
    text += &requirements(page);
    text + &tests(page)
}

/// A table of goals.
struct Section {
    verdict: Verdict,
    max_bytes: usize,
}

impl Section {
    const NOT_COVERED: Section =
        Section { verdict: Verdict::NotCovered, max_bytes: MAX_NOT_COVERED };
    const UNKNOWN: Section = Section { verdict: Verdict::Unknown, max_bytes: MAX_UNKNOWN };
    const INFEASIBLE: Section = Section { verdict: Verdict::Infeasible, max_bytes: MAX_INFEASIBLE };
}

fn criteria(page: &Page, total: &Counts) -> String {
    let row = |name: String, counts: &Counts| {
        let Counts { covered, not_covered, infeasible, unknown } = counts;
        let (total, share, bar) = (counts.total(), percent(counts), bar(counts));
        format!(
            "| {name} | {total} | {covered} | {not_covered} | {infeasible} | {unknown} | {share} | {bar} |"
        )
    };
    let rows = page.criteria.iter().map(|one| row(code(&one.name), &one.counts));
    let head = "| criterion | goals | covered | not covered | infeasible | unknown | score | |\n\
                |:--|--:|--:|--:|--:|--:|--:|:--|\n";
    let total = row("**total**".into(), total);
    // The total comes first, so that it is there however many criteria there are.
    table(head, std::iter::once(total).chain(rows), MAX_CRITERIA)
}

/// The model's own properties, the violated ones first.
fn properties(page: &Page) -> String {
    let counts = Property::ALL.map(|verdict| page.n_properties(verdict));
    let [n_violated, n_undecided, n_true] = counts;
    if counts == [0; 3] {
        return String::new();
    }
    let of = |verdict: Property| page.goals.iter().filter(move |g| g.property == Some(verdict));
    let rows = Property::ALL.into_iter().flat_map(of).map(|goal| {
        let verdict = match goal.property {
            Some(Property::Violated) => "**violated**",
            Some(property) => property.word(),
            None => "",
        };
        let names = goal.tests().into_iter().map(|test| page.tests[test].name.as_str());
        let tests = names.take(MAX_NAMES).map(code).collect::<Vec<_>>().join(", ");
        let reason = prose(goal.reason.as_deref().unwrap_or_default());
        let (at, text) = (place(page, goal), code(&goal.text));
        format!("| {at} | {text} | {verdict} | {tests} | {reason} |")
    });
    let head = "| where | property | verdict | tests | proof, or why it is open |\n\
                |:--|:--|:--|:--|:--|\n";
    format!(
        "### Properties of the model: {n_violated} violated, {n_undecided} undecided, {n_true} true\n\n{}",
        table(head, rows, MAX_PROPERTIES)
    )
}

fn goals(page: &Page, section: Section) -> String {
    let ids: Vec<&str> = page.goals.iter().map(|goal| goal.id.as_str()).collect();
    let is_meant = |goal: usize| {
        let Goal { verdict, property, .. } = &page.goals[goal];
        *verdict == section.verdict && property.is_none()
    };
    let n_goals = (0..ids.len()).filter(|&goal| is_meant(goal)).count();
    let mut groups = match section.verdict {
        Verdict::NotCovered => single(&ids, is_meant),
        _ => groups(&ids, is_meant),
    };
    // As in the text of the model; the sort keeps the order of the criteria in a line.
    let line = |goal: usize| page.goals[goal].place.map(|place| (place.file, place.line));
    groups.sort_by_key(|group| line(group.goals[0]));
    let has_reasons = groups.iter().any(|group| reason(page, group).is_some());
    let rows = groups.iter().map(|group| {
        let at = place(page, &page.goals[group.goals[0]]);
        let (name, text) = (code(group.name), group.text(|goal| &page.goals[goal].text));
        let reason = prose(&reason(page, group).unwrap_or_default());
        let reason = if has_reasons { format!(" {reason} |") } else { String::new() };
        format!("| {at} | {name} | {} |{reason}", code(&text))
    });
    let head = match (section.verdict, has_reasons) {
        (_, false) => "| where | goal | what |\n|:--|:--|:--|\n",
        (Verdict::Infeasible, true) => "| where | goal | what | proof |\n|:--|:--|:--|:--|\n",
        (_, true) => "| where | goal | what | open because |\n|:--|:--|:--|:--|\n",
    };
    let title = format!("{} {}", counted(n_goals, "goal"), section.verdict.word());
    match (n_goals, section.verdict) {
        (0, _) => String::new(),
        (_, Verdict::Infeasible) => details(&title, &table(head, rows, section.max_bytes)),
        _ => format!("### {title}\n\n{}", table(head, rows, section.max_bytes)),
    }
}

fn reason(page: &Page, group: &Group<'_>) -> Option<String> {
    group.reason(|goal| page.goals[goal].reason.as_deref())
}

fn place(page: &Page, goal: &Goal) -> String {
    let place = goal.place.and_then(|place| Some((page.sources.get(place.file)?, place.line)));
    place.map_or(String::new(), |(source, line)| code(&format!("{}:{line}", source.path)))
}

fn requirements(page: &Page) -> String {
    if page.requirements.is_empty() {
        return String::new();
    }
    let rows = page.requirements.iter().map(|requirement| {
        let mut counts = Counts::default();
        let goals = requirement.goals.iter().filter_map(|&goal| page.goals.get(goal));
        goals.for_each(|goal| counts.add(goal.verdict));
        let (id, text) = (code(&requirement.id), prose(&requirement.text));
        let n_tests = page.tests_of(requirement).len();
        let (counting, share) = (counts.counting(), percent(&counts));
        let Counts { covered, infeasible, .. } = counts;
        format!("| {id} | {text} | {covered} of {counting} | {infeasible} | {share} | {n_tests} |")
    });
    let head = "| requirement | what | covered | infeasible | score | tests |\n\
                |:--|:--|--:|--:|--:|--:|\n";
    let title = counted(page.requirements.len(), "requirement");
    details(&title, &table(head, rows, MAX_REQUIREMENTS))
}

fn run(page: &Page, run: &Run) -> String {
    let [passed, failed, inconclusive, errors] = Outcome::ALL.map(|outcome| run.count(outcome));
    let mut title = format!(
        "### The run: {passed} passed, {failed} failed, {inconclusive} inconclusive, {}\n\n",
        counted(errors, "error")
    );
    if !page.goals.is_empty() {
        title += &format!("{}.\n\n", run.shown(page).text(&page.counts()));
    }
    for notice in run.notices.iter().take(MAX_NOTICES) {
        title += &format!("Note: {}.\n\n", prose(notice));
    }
    let mut bad: Vec<_> = run.tests.iter().filter(|test| test.outcome != Outcome::Pass).collect();
    bad.sort_by_key(|test| test.outcome);
    if bad.is_empty() {
        return title;
    }
    let listed = |values: &[(String, String)]| {
        let values: Vec<String> =
            values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if values.is_empty() { String::new() } else { code(&values.join(", ")) }
    };
    let rows = bad.iter().map(|test| {
        let step = test.step.map_or(String::new(), |step| step.to_string());
        let (name, verdict) = (code(&test.name), test.outcome.word());
        let (expected, observed) = (listed(&test.expected), listed(&test.observed));
        let message = prose(test.message.as_deref().unwrap_or_default());
        let place = test.places.first().map_or(String::new(), |place| code(&place.name));
        format!("| {name} | {verdict} | {step} | {expected} | {observed} | {place} | {message} |")
    });
    let head = "| test | verdict | exchange | expected | observed | model | |\n\
                |:--|:--|--:|:--|:--|:--|:--|\n";
    title + &table(head, rows, MAX_RUN)
}

fn tests(page: &Page) -> String {
    if page.tests.is_empty() {
        return String::new();
    }
    let mut n_goals = vec![0usize; page.tests.len()];
    page.goals.iter().flat_map(Goal::tests).for_each(|test| n_goals[test] += 1);
    let verdicts = page.run.iter().flat_map(|run| &run.tests);
    let mut outcomes: HashMap<usize, Outcome> = HashMap::new();
    // A test that was run several times is as bad as the worst of its runs.
    for (test, outcome) in verdicts.filter_map(|test| Some((test.test?, test.outcome))) {
        let known = outcomes.entry(test).or_insert(outcome);
        *known = outcome.min(*known);
    }
    let has_loops = page.tests.iter().any(|test| test.loop_start.is_some());
    let has_run = page.run.is_some();
    let row = |cells: [&str; 5]| {
        let is_shown = [true, true, true, has_loops, has_run];
        let cells = cells.iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
        format!("| {} |", cells.map(|(cell, _)| *cell).collect::<Vec<_>>().join(" | "))
    };
    let rows = page.tests.iter().enumerate().map(|(idx, test)| {
        let back = test.loop_start.map_or(String::new(), |start| format!("to state {start}"));
        let verdict = outcomes.get(&idx).map_or("", |outcome| outcome.word());
        let n_steps = test.n_states.saturating_sub(1).to_string();
        row([&code(&test.name), &n_steps, &n_goals[idx].to_string(), &back, verdict])
    });
    let (words, rule) =
        (["test", "steps", "goals", "loops", "run"], [":--", "--:", "--:", ":--", ":--"]);
    let head = format!("{}\n{}\n", row(words), row(rule));
    details(&counted(page.tests.len(), "test"), &table(&head, rows, MAX_TESTS))
}

/// As many rows as fit, and how many do not.
fn table(head: &str, rows: impl Iterator<Item = String>, max_bytes: usize) -> String {
    let mut text = head.to_string();
    let mut n_left_out = 0;
    let mut n_bytes = 0;
    for row in rows {
        n_bytes += row.len() + 1;
        match n_left_out == 0 && n_bytes <= max_bytes {
            true => text += &format!("{row}\n"),
            false => n_left_out += 1,
        }
    }
    if n_left_out > 0 {
        text += &format!("\n… and {n_left_out} more, left out because comments have a limit\n");
    }
    text + "\n"
}

fn details(title: &str, inner: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{inner}</details>\n\n")
}

/// What all goals come to, and whether a property of the model is violated.
fn headline(page: &Page, counts: &Counts) -> String {
    let score = percent(counts);
    let score = if counts.without_score().is_some() { score } else { format!("{score} covered") };
    match page.n_properties(Property::Violated) {
        0 => score,
        n_violated => format!("{score}, **{} violated**", counted(n_violated, "property")),
    }
}

/// The score in percent, if there is one; only all is 100 %.
fn percent(counts: &Counts) -> String {
    if let Some(word) = counts.without_score() {
        return word.into();
    }
    let per_mille = share(counts, 1000);
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

/// The score as a bar, full only if all is covered.
fn bar(counts: &Counts) -> String {
    if counts.without_score().is_some() {
        return String::new();
    }
    let n_full = share(counts, BAR);
    format!("`{}{}`", "█".repeat(n_full), "░".repeat(BAR - n_full))
}

/// The score as a share of a number, rounded down.
fn share(counts: &Counts, of: usize) -> usize {
    (counts.covered * of).checked_div(counts.counting()).unwrap_or(of)
}
