//! Human-readable result.

use trapline_goals::Goal;
use trapline_goals::winnow::Reason;
use trapline_suite::suite::Missing;

use super::{Found, is_below, share};
use crate::commands::goals::{by_criterion, table};
use crate::context::Context;
use crate::excerpt::escape;
use crate::failure::Failure;
use crate::missing::{self, Row};
use crate::numbers::{counted, counted_tests, grouped};
use crate::paint::Style;
use crate::shown;

/// Writes the table, and the goals that are not reached.
pub fn write(found: &Found, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    output.write(&counts(found))?;
    let paint = output.paint;
    output.write(&missing::properties(&property_rows(found), paint))?;
    let missing: Vec<usize> = (0..found.prepared.set.goals.len())
        .filter(|&idx| !found.evaluated.goals[idx].shown.is_some())
        .filter(|&idx| found.evaluated.winnowed[idx].is_none())
        .filter(|&idx| !found.prepared.set.goals[idx].is_property)
        .collect();
    if !missing.is_empty() {
        let heading = output.paint.paint(Style::Heading, "not reached:");
        output.write(&format!("\n{heading}\n"))?;
    }
    let goal = |idx: usize| &found.prepared.set.goals[idx];
    let places: Vec<String> = missing.iter().map(|&idx| place(found, goal(idx))).collect();
    let place_width = table::width(places.iter().map(String::as_str));
    let id_width = table::width(missing.iter().map(|&idx| goal(idx).id.as_str()));
    for (&idx, place) in missing.iter().zip(&places) {
        let (id, about) = (&goal(idx).id, escape(&goal(idx).text));
        let why = match &found.evaluated.goals[idx].missing {
            Missing::Unknown(why) => format!(" (whether it can be is open: {why})"),
            Missing::MayKill(how) => format!(" (may be killed: {how})"),
            _ => String::new(),
        };
        let why = output.paint.paint(Style::Dim, &why);
        output.write(&format!("  {place:place_width$} {id:id_width$}  {about}{why}\n"))?;
    }
    output.finish()
}

fn property_rows(found: &Found) -> Vec<Row<'_>> {
    let goals = found.prepared.set.goals.iter().enumerate().filter(|(_, goal)| goal.is_property);
    let name = |test: usize| found.suite.document.drafts[test].name.as_str();
    let rows = goals.map(|(idx, goal)| Row {
        id: &goal.id,
        text: &goal.text,
        line: found.prepared.loaded.line(goal),
        verdict: found.evaluated.goals[idx].word(),
        reason: found.evaluated.goals[idx].reason(),
        property: found.evaluated.goals[idx].property(goal),
        tests: found.tests(idx).into_iter().map(name).collect(),
    });
    rows.collect()
}

/// The position of a goal, in the form that editors recognise.
fn place(found: &Found, goal: &Goal) -> String {
    let place = found.prepared.loaded.sources.location(goal.span.start);
    place.map_or(String::new(), |at| format!("{}:{}:", at.path, at.line))
}

fn counts(found: &Found) -> String {
    let words = ["criterion", "goals", "infeasible", "trivial", "duplicate", "covered", "score"];
    let mut rows = vec![words.map(String::from).to_vec()];
    let shown = shown::columns(evidence(found));
    rows[0].extend(shown.iter().map(|(_, heading)| heading.to_string()));
    let all: Vec<usize> = (0..found.prepared.set.goals.len()).collect();
    let groups = by_criterion(&found.prepared.set);
    for (name, goals) in groups.into_iter().chain([("total", all)]) {
        let (n_covered, n_counting) = found.evaluated.score(&goals);
        let winnowed = dropped(found, &goals);
        let mut row = vec![name.to_string(), grouped(goals.len() as u64)];
        row.extend(winnowed.map(|count| grouped(count as u64)));
        row.push(grouped(n_covered as u64));
        row.push(share((n_covered, n_counting)).map_or("-".into(), percent));
        row.extend(shown.iter().map(|(word, _)| grouped(n_shown(found, &goals, word) as u64)));
        rows.push(row);
    }
    table::text(&rows)
}

/// How each goal that counts is shown.
fn evidence(found: &Found) -> impl Iterator<Item = Option<&'static str>> + Clone {
    let goals = found.evaluated.goals.iter().zip(&found.evaluated.winnowed);
    goals.filter(|(_, winnowed)| winnowed.is_none()).map(|(goal, _)| goal.evidence.word())
}

/// How many of some goals count and are shown so.
pub fn n_shown(found: &Found, goals: &[usize], word: &str) -> usize {
    found.evaluated.n_shown(goals, |evidence| evidence.word() == Some(word))
}

/// How many goals do not count: infeasible, trivial, duplicate.
pub fn dropped(found: &Found, goals: &[usize]) -> [usize; 3] {
    let mut counts = [0; 3];
    for &idx in goals {
        match &found.evaluated.winnowed[idx] {
            Some(Reason::Infeasible) => counts[0] += 1,
            Some(Reason::Trivial) => counts[1] += 1,
            Some(Reason::Duplicate(_)) => counts[2] += 1,
            None => {}
        }
    }
    counts
}

/// A share in percent; only all is 100 %.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).floor() / 10.0)
}

/// Reports the summary on standard error.
pub fn tell(found: &Found, min_score: Option<f64>, context: &Context) {
    let all: Vec<usize> = (0..found.prepared.set.goals.len()).collect();
    let (n_covered, n_counting) = found.evaluated.score(&all);
    let mut text =
        format!("{}: ", counted_tests(found.suite.trees().len(), found.suite.tests.len()));
    text += &match found.score() {
        None => "nothing to score".into(),
        Some(score) => format!(
            "{} of {} reached{}, {}",
            grouped(n_covered as u64),
            counted(n_counting as u64, "goal"),
            shown::remark(evidence(found)),
            percent(score)
        ),
    };
    let is_perhaps = |missing: &Missing| matches!(missing, Missing::MayKill(_));
    match found.evaluated.goals.iter().filter(|goal| is_perhaps(&goal.missing)).count() {
        0 => {}
        n => text += &format!(", {} may be killed and surely by no test", grouped(n as u64)),
    }
    if let Some(min_score) = min_score.filter(|min_score| is_below(found.score(), *min_score)) {
        let less = if found.score().is_some() { "less than" } else { "no score of at least" };
        text += &format!(": {less} {}", percent(min_score));
    }
    let goals = found.prepared.set.goals.iter().zip(&found.evaluated.goals);
    text += &missing::violated(goals.filter_map(|(goal, scored)| scored.property(goal)));
    context.terminal.summary(&text);
}
