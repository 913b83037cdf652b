//! Human-readable result: one line per property, and counterexamples to the false ones.

use std::collections::BTreeMap;

use trapline_engine::Outcome;
use trapline_model::trace::Trace;

use super::property;
use super::report::{Answer, Report};
use crate::context::Context;
use crate::excerpt::escape;
use crate::failure::Failure;
use crate::numbers::{counted, grouped};
use crate::paint::{Paint, Style};
use crate::terminal::Output;
use crate::trace_text::{TraceText, indent};

/// So many findings with the same code are shown.
const MAX_ALIKE: usize = 10;

/// What is always shown of a formula, however narrow the terminal is.
const MIN_FORMULA: usize = 24;

/// Writes the result.
pub fn write(report: &Report<'_>, context: &Context, output: &mut Output) -> Result<(), Failure> {
    let table = Table::new(report, output);
    let traces = TraceText::new(&report.loaded.model, output.paint);
    for answer in &report.answers {
        let reason = match answer.outcome {
            Some(Outcome::Unknown(why)) => Some(why.to_string()),
            Some(Outcome::True(proof) | Outcome::Value(_, proof))
                if context.terminal.is_verbose() =>
            {
                Some(proof.to_string())
            }
            _ => answer.remark.map(String::from),
        };
        output.write(&table.line(report, answer, reason.as_deref()))?;
        if let Some(Outcome::False(trace)) = answer.outcome {
            output.write(&indent(&traces.trace(trace)))?;
        }
    }
    Ok(())
}

/// Reports findings on standard error, with their traces, and the summary.
pub fn tell(report: &Report<'_>, context: &Context) {
    let traces = TraceText::new(&report.loaded.model, context.terminal.message_paint());
    tell_with(report, context, |trace| indent(&traces.trace(trace)) + "\n");
}

/// The same without traces, which are in the result.
pub fn tell_briefly(report: &Report<'_>, context: &Context) {
    tell_with(report, context, |_| String::new());
}

fn tell_with(report: &Report<'_>, context: &Context, show: impl Fn(&Trace) -> String) {
    let terminal = &context.terminal;
    tell_findings(report, context, show);
    if report.loaded.model.properties.is_empty() {
        terminal.note("the model has no properties");
    }
    if !report.checks.is_empty() {
        terminal.note(&checks_summary(report));
    }
    terminal.summary(&summary(report, context));
}

/// Reports findings, of each code only the first ones: generated models may have thousands.
pub fn tell_findings(report: &Report<'_>, context: &Context, show: impl Fn(&Trace) -> String) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for found in &report.findings {
        let count = counts.entry(found.diagnostic.code).or_default();
        *count += 1;
        if *count <= MAX_ALIKE {
            let trace = found.trace.map_or(String::new(), &show);
            context.terminal.explain(&report.loaded.sources, &found.diagnostic, &trace);
        }
    }
    for (code, count) in counts.into_iter().filter(|(_, count)| *count > MAX_ALIKE) {
        let n_more = grouped((count - MAX_ALIKE) as u64);
        context.terminal.note(&format!("{n_more} more [{code}]; --format json lists all of them"));
    }
}

/// The columns.
struct Table {
    verdict_width: usize,
    index_width: usize,
    kind_width: usize,
    width: Option<usize>,
    paint: Paint,
}

impl Table {
    fn new(report: &Report<'_>, output: &Output) -> Table {
        let answers = report.answers.iter();
        let verdicts = answers.clone().map(|answer| verdict(answer).0.len());
        let kinds = answers.clone().map(|answer| kind(report, answer).len());
        let last_idx = report.answers.last().map_or(0, |answer| answer.property_idx);
        Table {
            verdict_width: verdicts.max().unwrap_or(0),
            index_width: last_idx.to_string().len(),
            kind_width: kinds.max().unwrap_or(0),
            width: output.width,
            paint: output.paint,
        }
    }

    fn line(&self, report: &Report<'_>, answer: &Answer<'_>, reason: Option<&str>) -> String {
        let asked = &report.loaded.model.properties[answer.property_idx];
        let (verdict, style) = verdict(answer);
        let name = asked.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let formula = escape(&(name + &property::text(report.loaded, asked)));
        let place = property::place(report.loaded, asked);
        let remarks: Vec<&str> = place.as_deref().into_iter().chain(reason).collect();
        let remarks = match remarks.as_slice() {
            [] => String::new(),
            remarks => format!("  ({})", remarks.join("; ")),
        };
        let Table { verdict_width, index_width, kind_width, .. } = *self;
        let kind = kind(report, answer);
        let columns = format!("  {:>index_width$}  {kind:kind_width$}  ", answer.property_idx);
        let taken = verdict_width + columns.chars().count() + remarks.chars().count();
        let room = self.width.map(|width| width.saturating_sub(taken).max(MIN_FORMULA));
        let verdict = self.paint.paint(style, &format!("{verdict:verdict_width$}"));
        let remarks = self.paint.paint(Style::Dim, &remarks);
        format!("{verdict}{columns}{}{remarks}\n", cut(&formula, room))
    }
}

fn kind(report: &Report<'_>, answer: &Answer<'_>) -> &'static str {
    report.loaded.model.properties[answer.property_idx].kind.name()
}

fn verdict(answer: &Answer<'_>) -> (String, Style) {
    match answer.outcome {
        Some(Outcome::True(_)) => ("true".into(), Style::Good),
        Some(Outcome::False(_)) => ("false".into(), Style::Bad),
        Some(Outcome::Value(distance, _)) => (distance.to_string(), Style::Heading),
        Some(Outcome::Unknown(_)) | None => ("unknown".into(), Style::Open),
    }
}

/// As much of a text as there is room for.
fn cut(text: &str, room: Option<usize>) -> String {
    match room {
        Some(room) if text.chars().count() > room => {
            text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
        }
        _ => text.into(),
    }
}

/// `tables: 12 checks hold, 1 does not, 2 undecided`
fn checks_summary(report: &Report<'_>) -> String {
    let count = |holds: Option<bool>| {
        report.checks.iter().filter(|answer| answer.holds == holds).count() as u64
    };
    let [n_right, n_wrong, n_open] = [Some(true), Some(false), None].map(count);
    let holds = if n_right == 1 { "holds" } else { "hold" };
    let mut text = format!("tables: {} {holds}", counted(n_right, "check"));
    if n_wrong > 0 {
        let does = if n_wrong == 1 { "does" } else { "do" };
        text += &format!(", {} {does} not", grouped(n_wrong));
    }
    let why = report.checks.iter().find(|answer| answer.holds.is_none());
    if let Some(why) = why {
        text += &format!(", {} undecided ({})", grouped(n_open), why.reason);
    }
    text
}

/// `3 true, 1 false, 0 unknown (1,234 states, depth 12, 0.02 s)`
fn summary(report: &Report<'_>, context: &Context) -> String {
    let count = |is_meant: fn(&Outcome) -> bool| {
        let outcomes = report.answers.iter().filter_map(|answer| answer.outcome);
        grouped(outcomes.filter(|outcome| is_meant(outcome)).count() as u64)
    };
    let n_true = count(|outcome| matches!(outcome, Outcome::True(_)));
    let n_false = count(|outcome| matches!(outcome, Outcome::False(_)));
    let n_unknown = count(|outcome| matches!(outcome, Outcome::Unknown(_)));
    let computed = match count(|outcome| matches!(outcome, Outcome::Value(..))).as_str() {
        "0" => String::new(),
        n_values => format!(", {n_values} computed"),
    };
    let start = if report.is_complete() { "" } else { "interrupted: " };
    let stats = report.stats.unwrap_or_default();
    let (n_states, depth) = (counted(stats.n_states, "state"), grouped(stats.depth));
    let time = context.started.elapsed().as_secs_f64();
    format!(
        "{start}{n_true} true, {n_false} false, {n_unknown} unknown{computed} \
         ({n_states}, depth {depth}, {time:.2} s)"
    )
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_formulas_are_cut_to_the_room() {
        assert_eq!(cut("AG äöü", Some(6)), "AG äöü");
        assert_eq!(cut("AG äöü", Some(5)), "AG ä…");
        assert_eq!(cut("AG äöü", None), "AG äöü");
    }
}
