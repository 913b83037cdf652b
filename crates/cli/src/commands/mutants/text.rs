//! Human-readable result: each mutant as a one-line diff.

use trapline_goals::mutate::status::Status;
use trapline_goals::mutate::{Mutant, OPERATORS};
use trapline_model::{Expr, ExprId, OccId, Shape};

use super::Found;
use crate::commands::goals::table;
use crate::context::Context;
use crate::excerpt::escape;
use crate::failure::Failure;
use crate::numbers::{counted, grouped};
use crate::paint::Style;
use crate::trace_text::{TraceText, indent};

/// The words for what becomes of mutants.
pub const WORDS: [&str; 5] = ["killable", "equivalent", "excluded only", "invalid", "unknown"];

/// Writes the mutants.
pub fn write(found: &Found, shows_negative: bool, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    let paint = output.paint;
    let traces = TraceText::new(&found.loaded.model, paint);
    for (idx, mutant) in found.mutants.list.iter().enumerate() {
        let (before, after) = lines(found, mutant);
        let place = found.set.model.occurrences.get(mutant.place).span;
        let line = found.loaded.sources.location(place.start).map_or(0, |place| place.line);
        let status = found.statuses.as_ref().map(|statuses| &statuses[idx]);
        let word = status.map_or(String::new(), |status| {
            let style = match status {
                Status::Killable => Style::Good,
                Status::Unknown(_) | Status::Invalid(_) => Style::Open,
                Status::Equivalent | Status::ExcludedOnly(_) => Style::Dim,
            };
            let why = match status {
                Status::Invalid(why) | Status::Unknown(why) => format!(" ({why})"),
                _ => String::new(),
            };
            format!("  {}{why}", paint.paint(style, status.word()))
        });
        let id = mutant.id(&found.mutants.subjects);
        output.write(&format!("{}  line {line}{word}\n", paint.paint(Style::Heading, &id)))?;
        output
            .write(&format!("{}\n", paint.paint(Style::Bad, &format!("- {}", escape(&before)))))?;
        output
            .write(&format!("{}\n", paint.paint(Style::Good, &format!("+ {}", escape(&after)))))?;
        if let (true, Some(Status::ExcludedOnly(trace))) = (shows_negative, status) {
            output.write("  the model forbids the last state, or the step to it:\n")?;
            output.write(&indent(&traces.trace(trace)))?;
        }
    }
    output.finish()
}

/// The original and the mutated line.
pub fn lines(found: &Found, mutant: &Mutant) -> (String, String) {
    let subject = &found.mutants.subjects[mutant.subject];
    let model = &found.set.model;
    let is_as_written = !found.is_expounded || subject.branches.is_empty();
    let as_written = is_as_written.then(|| source_lines(found, mutant)).flatten();
    if let Some(lines) = as_written {
        return lines;
    }
    let tree = subject.parts().into_iter().find(|(part, _)| *part == mutant.part);
    let before = tree.map_or(mutant.root, |(_, root)| model.occurrences.get(root).expr);
    (subject.line(model, mutant.part, before), subject.line(model, mutant.part, mutant.root))
}

/// The source line, original and mutated. What spans several lines is shown as one.
fn source_lines(found: &Found, mutant: &Mutant) -> Option<(String, String)> {
    let model = &found.set.model;
    let occurrence = model.occurrences.get(mutant.place);
    let (start, end) = (occurrence.span.start, occurrence.span.end);
    let file = found.loaded.sources.file_at(start)?;
    let (_, line_start) = file.line(file.line_index(start));
    let (last, last_start) = file.line(file.line_index(end));
    let text = |from: u32, to: u32| {
        found.loaded.sources.text(trapline_source::Span::new(from, to)).to_string()
    };
    let line_end = last_start + last.len() as u32;
    let whole = text(line_start, line_end);
    // What an operand becomes may bind less tightly than what is around it.
    let new = match is_below_next(found, mutant) {
        true => {
            // Inside `next( )` names already denote the next state.
            let names = |id: ExprId| match model.exprs.get(id) {
                Expr::Next(var) => Some(model.var(var).name.clone()),
                Expr::NextDefine(define) => Some(model.define(define).name.clone()),
                _ => None,
            };
            let whole = || model.syntax.expr_with_names(model, mutant.new, &names);
            names(mutant.new).unwrap_or_else(whole)
        }
        false => model.show_expr(mutant.new),
    };
    let is_simple = new.chars().all(|c| c.is_alphanumeric() || "_.[]$#-".contains(c));
    let new = if is_simple { new } else { format!("({new})") };
    let changed = format!("{}{new}{}", text(line_start, start), text(end, line_end));
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some((one_line(&whole), one_line(&changed)))
}

/// True if a position is inside `next( )`.
fn is_below_next(found: &Found, mutant: &Mutant) -> bool {
    let occurrences = &found.set.model.occurrences;
    let parts = found.mutants.subjects[mutant.subject].parts();
    let root = parts.into_iter().find(|(part, _)| *part == mutant.part).map(|(_, root)| root);
    // Parents follow their operands.
    let behind = root.map_or(0..0, |root| mutant.place.0 + 1..root.0 + 1).map(OccId);
    let mut nexts = behind.filter(|&occ| occurrences.get(occ).shape == Shape::Next);
    nexts.any(|occ| occurrences.start(occ) <= mutant.place.0 as usize)
}

/// The number of mutants of each operator.
pub fn counts(found: &Found) -> String {
    let mut rows = vec![vec!["operator".to_string(), "mutants".to_string()]];
    if found.statuses.is_some() {
        rows[0].extend(WORDS.map(String::from));
    }
    let operators: Vec<Option<usize>> = {
        let used = |idx: &usize| found.mutants.list.iter().any(|mutant| mutant.operator == *idx);
        (0..OPERATORS.len()).filter(used).map(Some).chain([None]).collect()
    };
    for operator in operators {
        let is_meant = |mutant: &Mutant| operator.is_none_or(|idx| mutant.operator == idx);
        let places: Vec<usize> = (0..found.mutants.list.len())
            .filter(|&idx| is_meant(&found.mutants.list[idx]))
            .collect();
        let name = operator.map_or("total", |idx| OPERATORS[idx].name);
        let mut row = vec![name.to_string(), grouped(places.len() as u64)];
        if let Some(statuses) = &found.statuses {
            row.extend(WORDS.map(|word| {
                grouped(places.iter().filter(|&&idx| statuses[idx].word() == word).count() as u64)
            }));
        }
        rows.push(row);
    }
    table::text(&rows)
}

/// Reports the summary on standard error.
pub fn tell(found: &Found, context: &Context) {
    let mut text = counted(found.mutants.list.len() as u64, "mutant");
    if let Some(statuses) = &found.statuses {
        let counts = WORDS.map(|word| {
            let n = statuses.iter().filter(|status| status.word() == word).count();
            format!("{} {word}", grouped(n as u64))
        });
        text += &format!(": {}", counts.join(", "));
    }
    context.terminal.summary(&text);
}
