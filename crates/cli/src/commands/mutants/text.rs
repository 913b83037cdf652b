//! Human-readable result: each mutant as a one-line diff.

use trapline_goals::mutate::edit::{Change, Texts};
use trapline_goals::mutate::status::Status;
use trapline_goals::mutate::{Mutant, OPERATORS, Part, SubjectKind};
use trapline_source::{Sources, Span};

use super::Found;
use crate::commands::goals::table;
use crate::context::Context;
use crate::excerpt::escape;
use crate::failure::Failure;
use crate::numbers::{counted, grouped};
use crate::paint::{Paint, Style};
use crate::trace_text::{TraceText, indent};

/// The words for what becomes of mutants.
const WORDS: [&str; 5] = ["killable", "equivalent", "excluded only", "invalid", "unknown"];

/// The same with duplication.
const OUTPUT_WORDS: [&str; 6] =
    ["killed", "may be killed", "conforming", "equivalent at the outputs", "invalid", "unknown"];

/// The words that fit the mutants.
pub fn words(found: &Found) -> &'static [&'static str] {
    match found.set.faults.is_empty() {
        true => &WORDS,
        false => &OUTPUT_WORDS,
    }
}

/// Writes the mutants.
pub fn write(found: &Found, shows_negative: bool, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    let paint = output.paint;
    let texts = Texts::new(&found.set.model, &found.loaded.sources);
    let traces = TraceText::new(&found.loaded.model, paint);
    for (idx, mutant) in found.mutants.list.iter().enumerate() {
        let shown = Shown::new(found, &texts, mutant);
        let status = found.statuses.as_ref().map(|statuses| &statuses[idx]);
        let word = status.map_or(String::new(), |status| {
            let style = match status {
                Status::Killable | Status::Killed => Style::Good,
                Status::Unknown(_) | Status::Invalid(_) | Status::MayKill(_) => Style::Open,
                Status::Equivalent | Status::EquivalentAtOutputs(_) => Style::Dim,
                Status::Conforming(_) | Status::ExcludedOnly(_) => Style::Dim,
            };
            let why = status.reason().map_or(String::new(), |why| format!(" ({why})"));
            format!("  {}{why}", paint.paint(style, status.word()))
        });
        output.write(&format!("{}{word}\n", shown.heading(found, mutant, paint)))?;
        output.write(&shown.diff(&found.loaded.sources, paint))?;
        if let (true, Some(Status::ExcludedOnly(trace))) = (shows_negative, status) {
            output.write("  the model forbids the last state, or the step to it:\n")?;
            output.write(&indent(&traces.trace(trace)))?;
        }
    }
    output.finish()
}

/// What is shown of a mutant.
pub struct Shown {
    /// The changed lines, as written.
    pub before: String,
    /// What they become.
    pub after: String,
    /// The change of the text; `None` if what is changed is not in the text.
    pub change: Option<Change>,
    /// What is shown instead of the text then.
    instead: Option<&'static str>,
}

impl Shown {
    /// A mutant as a change of the text, or of its expounded text.
    pub fn new(found: &Found, texts: &Texts<'_>, mutant: &Mutant) -> Shown {
        let subject = &found.mutants.subjects[mutant.subject];
        let sources = &found.loaded.sources;
        let change = texts.change(subject, mutant);
        if let Some(change) = change
            && let Some(lines) = change.lines(sources)
        {
            let before = sources.text(lines).to_string();
            let after = change.apply(sources, lines);
            return Shown { before, after, change: Some(change), instead: None };
        }
        let model = &found.set.model;
        let tree = subject.parts().into_iter().find(|(part, _)| *part == mutant.part);
        let before = tree.map_or(mutant.root, |(_, root)| model.occurrences.get(root).expr);
        let line = |root| subject.line(model, mutant.part, root);
        let instead = match (subject.kind, mutant.part) {
            (SubjectKind::Formula(_), _) => Some("in-line"),
            (SubjectKind::Group(..), _) => None,
            (_, Part::Guard(_) | Part::Value(_)) => Some("expounded"),
            _ => None,
        };
        Shown { before: line(before), after: line(mutant.root), change: None, instead }
    }

    /// Why the text with this change is not exactly the mutant.
    pub fn note(&self) -> Option<String> {
        let Some(change) = &self.change else {
            return self.instead.map(String::from);
        };
        let instance = change.instance.as_ref().map(|name| format!("only in instance `{name}`"));
        let variable = change.variable.as_ref().map(|name| format!("only for `{name}`"));
        let unknown = change.unknown.as_ref().map(|name| format!("`{name}` is not known there"));
        let notes: Vec<String> = [instance, variable, unknown].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(", "))
    }

    /// The id of a mutant, and its place.
    pub fn heading(&self, found: &Found, mutant: &Mutant, paint: Paint) -> String {
        let place = found.set.model.occurrences.get(mutant.place).span;
        let line = found.loaded.line_text(place.start);
        let note = self.note().map_or(String::new(), |note| format!(", {}", escape(&note)));
        let id = paint.paint(Style::Heading, &mutant.id(&found.mutants.subjects));
        format!("{id}  {line}{note}")
    }

    /// The diff; only what is changed is coloured.
    pub fn diff(&self, sources: &Sources, paint: Paint) -> String {
        let Some(change) = &self.change else {
            let old = paint.paint(Style::Bad, &escape(&self.before));
            return format!("- {old}\n+ {}\n", paint.paint(Style::Good, &escape(&self.after)));
        };
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let lines = change.lines(sources).unwrap_or_default();
        let mut position = lines.start;
        for edit in &change.edits {
            let kept = sources.text(Span::new(position, edit.span.start));
            old.extend([(kept, None), (sources.text(edit.span), Some(Style::Bad))]);
            new.extend([(kept, None), (edit.text.as_str(), Some(Style::Good))]);
            position = edit.span.end;
        }
        let rest = sources.text(Span::new(position, lines.end));
        old.push((rest, None));
        new.push((rest, None));
        painted("- ", &old, paint) + &painted("+ ", &new, paint)
    }
}

/// Pieces of text, each line with a mark in front of it.
fn painted(mark: &str, pieces: &[(&str, Option<Style>)], paint: Paint) -> String {
    let mut text = mark.to_string();
    for (piece, style) in pieces {
        for (idx, line) in piece.split('\n').enumerate() {
            if idx > 0 {
                text += &format!("\n{mark}");
            }
            let line = escape(line.strip_suffix('\r').unwrap_or(line));
            match style {
                Some(style) if !line.is_empty() => text += &paint.paint(*style, &line),
                _ => text += &line,
            }
        }
    }
    text + "\n"
}

/// The number of mutants of each operator.
pub fn counts(found: &Found) -> String {
    let mut rows = vec![vec!["operator".to_string(), "mutants".to_string()]];
    if found.statuses.is_some() {
        rows[0].extend(words(found).iter().map(|word| word.to_string()));
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
            row.extend(words(found).iter().map(|&word| {
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
        let counts = words(found).iter().map(|&word| {
            let n = statuses.iter().filter(|status| status.word() == word).count();
            format!("{} {word}", grouped(n as u64))
        });
        text += &format!(": {}", counts.collect::<Vec<_>>().join(", "));
    }
    context.terminal.summary(&text);
}
