//! Human-readable result: one line per goal.

use trapline_goals::Goal;
use trapline_goals::decide::Verdict;
use trapline_goals::mutate::Subject;
use trapline_goals::reflect::Reflected;
use trapline_goals::winnow::Reason;
use trapline_model::{Model, OccId};
use trapline_source::requirement::ids_at;
use trapline_suite::property::formula;

use super::{Found, by_criterion, property, table, verdict_word, verdict_words};
use crate::context::Context;
use crate::excerpt::escape;
use crate::failure::Failure;
use crate::missing::{property_style, violated};
use crate::numbers::{counted, grouped};
use crate::paint::Style;

/// Writes the goals.
pub fn write(found: &Found, context: &Context) -> Result<(), Failure> {
    let set = &found.prepared.set;
    let mut output = context.output()?;
    let width = table::width(set.goals.iter().map(|goal| goal.id.as_str()));
    for (idx, goal) in set.goals.iter().enumerate() {
        let line = found.prepared.loaded.line_text(goal.span.start);
        let verdict = found.decided.as_ref().map(|decided| &decided.verdicts[idx]);
        let mut remarks = vec![line];
        let ids = ids_at(&found.prepared.loaded.requirements, goal.span.start);
        remarks.push(escape(&ids.join(", ")));
        let column = match verdict {
            Some(verdict) => {
                remarks.extend(reason(found, idx, verdict));
                let (style, word) = verdict_column(goal, verdict);
                output.paint.paint(style, &format!("{word:10}")) + "  "
            }
            None => String::new(),
        };
        remarks.retain(|remark| !remark.is_empty());
        let remarks = output.paint.paint(Style::Dim, &format!("({})", remarks.join("; ")));
        let about = match (goal.is_property, verdict) {
            (true, Some(_)) => formula(&goal.text),
            _ => &goal.text,
        };
        let text = format!("{column}{:width$}  {}  {remarks}\n", goal.id, escape(about));
        output.write(&text)?;
    }
    output.finish()
}

/// The verdict on a goal, or on the property that it is.
fn verdict_column(goal: &Goal, verdict: &Verdict) -> (Style, &'static str) {
    match (property(goal, verdict), verdict) {
        (Some(property), _) => (property_style(property), property.word()),
        (None, Verdict::Covered(_)) => (Style::Good, verdict_word(verdict)),
        (None, Verdict::Infeasible(_)) => (Style::Dim, verdict_word(verdict)),
        (None, Verdict::Unknown(_) | Verdict::MayKill(_)) => (Style::Open, verdict_word(verdict)),
    }
}

/// What there is to say about a verdict: the proof, the reason, or the pair.
pub fn reason(found: &Found, goal_idx: usize, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Covered(_) => super::document::pair_text(found, goal_idx, verdict),
        Verdict::Infeasible(how) | Verdict::MayKill(how) => Some(how.clone()),
        Verdict::Unknown(why) => Some(why.to_string()),
    }
}

/// The number of goals of each criterion.
pub fn counts(found: &Found) -> String {
    let groups = by_criterion(&found.prepared.set);
    let mut rows = vec![vec!["criterion".to_string(), "goals".to_string()]];
    let words = found.decided.as_ref().map_or(Vec::new(), |it| verdict_words(&it.verdicts));
    rows[0].extend(words.iter().map(|word| word.to_string()));
    let all: Vec<usize> = (0..found.prepared.set.goals.len()).collect();
    for (name, goals) in groups.into_iter().chain([("total", all)]) {
        let mut row = vec![name.to_string(), grouped(goals.len() as u64)];
        if let Some(decided) = &found.decided {
            for &word in &words {
                let is_meant = |idx: &&usize| verdict_word(&decided.verdicts[**idx]) == word;
                row.push(grouped(goals.iter().filter(is_meant).count() as u64));
            }
        }
        rows.push(row);
    }
    table::text(&rows)
}

/// Reports the summary on standard error.
pub fn tell(found: &Found, context: &Context) {
    let set = &found.prepared.set;
    let mut text = counted(set.goals.len() as u64, "goal");
    if let Some(decided) = &found.decided {
        let count = |word: &str| {
            decided.verdicts.iter().filter(|verdict| verdict_word(verdict) == word).count() as u64
        };
        let words = verdict_words(&decided.verdicts);
        let counts = words.iter().map(|word| format!("{} {word}", grouped(count(word))));
        text += &format!(": {}", counts.collect::<Vec<_>>().join(", "));
    }
    let dropped = &found.winnowed.dropped;
    if !dropped.is_empty() {
        let count = |is_meant: fn(&Reason) -> bool| {
            grouped(dropped.iter().filter(|(.., why)| is_meant(why)).count() as u64)
        };
        text += &format!(
            "; winnowed: {} infeasible, {} trivial, {} duplicate",
            count(|why| *why == Reason::Infeasible),
            count(|why| *why == Reason::Trivial),
            count(|why| matches!(why, Reason::Duplicate(_)))
        );
    }
    if let Some(decided) = &found.decided {
        let goals = set.goals.iter().zip(&decided.verdicts);
        text += &violated(goals.filter_map(|(goal, verdict)| property(goal, verdict)));
    }
    context.terminal.summary(&text);
}

/// The cases of the model, their guards a partition.
pub fn cases(model: &Model, subjects: &[Subject]) -> String {
    let mut text = String::new();
    for subject in subjects.iter().filter(|subject| !subject.branches.is_empty()) {
        let shown = |occ: OccId| model.show_expr(model.occurrences.get(occ).expr);
        let branches = subject.branches.iter();
        let branches = branches.map(|branch| (shown(branch.guard), shown(branch.value)));
        text += &model.syntax.cases(&subject.named.text, &branches.collect::<Vec<_>>());
        text.push('\n');
    }
    text
}

/// The model as formulas.
pub fn reflected(model: &Model, reflected: &[Reflected]) -> String {
    let mut text = String::new();
    for one in reflected {
        let comment = model.syntax.comment(&one.text);
        let keyword = model.syntax.property(one.claim.kind);
        text += &format!("{comment}\n{keyword} {}\n", model.show_expr(one.claim.expr));
    }
    text
}
