//! The few lines of source that a message shows.
//!
//! A line may have millions of columns, and a label millions of lines, so a message never sees
//! the source itself: for each labelled line it gets a copy that is clipped around its labels,
//! with control characters escaped.

use std::collections::BTreeMap;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic as Message, Label as Mark, LabelStyle};
use codespan_reporting::files::{Error, Files};
use trapline_source::{Diagnostic, Severity, SourceFile, Sources};

/// Lines up to this many bytes are shown whole.
const MAX_LINE: usize = 140;
/// How much of a longer line is shown before and after a label.
const MARGIN: usize = 40;
/// How much of a long label is shown.
const MAX_LABEL: usize = 60;
/// How many labels are shown.
const MAX_LABELS: usize = 8;
/// How much of a long message is shown.
const MAX_TEXT: usize = 600;

/// The shown lines of some files.
#[derive(Debug, Default)]
pub struct Excerpts {
    files: Vec<Excerpt>,
}

#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    /// In the order of the file.
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    /// Its index in the file.
    index: usize,
    /// Where it is in the excerpt's text.
    range: Range<usize>,
    /// Where labels start in the excerpt's text, and in which column of the file.
    columns: Vec<(usize, usize)>,
}

/// A label on its first line, in bytes from the line's start.
struct Spot {
    label_idx: usize,
    from: usize,
    to: usize,
}

/// The message for a finding and the lines that it shows.
pub fn excerpt(sources: &Sources, diagnostic: &Diagnostic) -> (Excerpts, Message<usize>) {
    let mut excerpts = Excerpts::default();
    let mut marks = Vec::new();
    for (file, lines) in spots_by_line(sources, diagnostic) {
        let file_id = excerpts.files.len();
        let mut excerpt =
            Excerpt { name: clean(&file.path), text: String::new(), lines: Vec::new() };
        for (line_idx, spots) in lines {
            for (label_idx, range) in excerpt.add_line(file, line_idx, &spots) {
                let style = match label_idx {
                    0 => LabelStyle::Primary,
                    _ => LabelStyle::Secondary,
                };
                let text = clean(&diagnostic.labels[label_idx].text);
                marks.push((label_idx, Mark::new(style, file_id, range).with_message(text)));
            }
        }
        excerpts.files.push(excerpt);
    }
    // The order of the labels decides which file comes first.
    marks.sort_by_key(|(label_idx, _)| *label_idx);
    let start = match diagnostic.severity {
        Severity::Error => Message::error(),
        Severity::Warning => Message::warning(),
    };
    let message = start
        .with_code(diagnostic.code)
        .with_message(clean(&diagnostic.message))
        .with_labels(marks.into_iter().map(|(_, mark)| mark).collect())
        .with_notes(diagnostic.help.iter().map(|help| format!("help: {}", clean(help))).collect());
    (excerpts, message)
}

/// Text that is fit to be shown: of bounded length, without control characters.
pub fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(MAX_TEXT));
    if text.len() <= MAX_TEXT {
        push_escaped(&mut shown, text);
        return shown;
    }
    push_escaped(&mut shown, &text[..boundary(text, MAX_TEXT / 2)]);
    shown.push('…');
    push_escaped(&mut shown, &text[boundary(text, text.len() - MAX_TEXT / 2)..]);
    shown
}

/// Text without control characters, of any length, on one line.
pub fn one_line(text: &str) -> String {
    escape(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Text without control characters, of any length.
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_escaped(&mut shown, text);
    shown
}

type SpotsByLine = BTreeMap<usize, Vec<Spot>>;

fn spots_by_line<'s>(
    sources: &'s Sources,
    diagnostic: &Diagnostic,
) -> Vec<(&'s SourceFile, SpotsByLine)> {
    let mut files: BTreeMap<u32, (&SourceFile, SpotsByLine)> = BTreeMap::new();
    for (label_idx, label) in diagnostic.labels.iter().take(MAX_LABELS).enumerate() {
        let Some(file) = sources.file_at(label.span.start) else { continue };
        let line_idx = file.line_index(label.span.start);
        let (line, start) = file.line(line_idx);
        let from = boundary(line, (label.span.start - start) as usize);
        let to = boundary(line, label.span.end.saturating_sub(start) as usize).max(from);
        let (_, lines) = files.entry(file.base).or_insert((file, BTreeMap::new()));
        lines.entry(line_idx).or_default().push(Spot { label_idx, from, to });
    }
    for (_, lines) in files.values_mut() {
        // A single line between two shown ones is shown too.
        let between: Vec<usize> = lines
            .keys()
            .filter(|&&idx| lines.contains_key(&(idx + 2)))
            .map(|idx| idx + 1)
            .collect();
        for line_idx in between {
            lines.entry(line_idx).or_default();
        }
    }
    files.into_values().collect()
}

impl Excerpt {
    /// Adds a line and returns the positions of its labels.
    fn add_line(
        &mut self,
        file: &SourceFile,
        line_idx: usize,
        spots: &[Spot],
    ) -> Vec<(usize, Range<usize>)> {
        let (line, _) = file.line(line_idx);
        let base = self.text.len();
        let points = clip(line, spots, &mut self.text);
        let shown = |position: usize| {
            let point = points.iter().rev().find(|(original, _)| *original <= position);
            point.map_or(base, |(_, shown)| *shown)
        };
        let range = base..self.text.len();
        let columns = spots
            .iter()
            .map(|spot| (shown(spot.from), line[..spot.from].chars().count() + 1))
            .collect();
        self.lines.push(Line { index: line_idx, range, columns });
        self.text.push('\n');
        spots.iter().map(|spot| (spot.label_idx, shown(spot.from)..shown(spot.to))).collect()
    }
}

/// Copies what is to be seen of a line. Returns where each shown byte went, in order.
fn clip(line: &str, spots: &[Spot], shown: &mut String) -> Vec<(usize, usize)> {
    let mut points = Vec::new();
    for window in windows(line, spots) {
        if window.start > 0 {
            shown.push('…');
        }
        for (offset, c) in line[window.clone()].char_indices() {
            points.push((window.start + offset, shown.len()));
            push_escaped(shown, c.encode_utf8(&mut [0; 4]));
        }
        points.push((window.end, shown.len()));
    }
    if points.last().is_some_and(|(end, _)| *end < line.len()) {
        shown.push('…');
    }
    points
}

/// The parts of a line around its labels, in order and disjoint.
fn windows(line: &str, spots: &[Spot]) -> Vec<Range<usize>> {
    if line.len() <= MAX_LINE {
        return std::iter::once(0..line.len()).collect();
    }
    let mut all: Vec<(usize, usize)> = spots
        .iter()
        .map(|spot| (spot.from.saturating_sub(MARGIN), spot.to.min(spot.from + MAX_LABEL) + MARGIN))
        .collect();
    if all.is_empty() {
        all.push((0, 2 * MARGIN));
    }
    all.sort_unstable();
    let mut merged: Vec<Range<usize>> = Vec::new();
    for (start, end) in all {
        let (start, end) = (boundary(line, start), boundary(line, end));
        match merged.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => merged.push(start..end),
        }
    }
    merged
}

/// The last boundary between characters that is not after a position.
fn boundary(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

fn push_escaped(shown: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\t' | '\n' => shown.push(c),
            _ if c.is_control() || is_invisible(c) => shown.extend(c.escape_default()),
            _ => shown.push(c),
        }
    }
}

/// Characters that change how the text around them is displayed.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl Excerpts {
    fn file(&self, id: usize) -> Result<&Excerpt, Error> {
        self.files.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte_index: usize) -> Result<usize, Error> {
        let lines = &self.file(id)?.lines;
        let idx = lines.partition_point(|line| line.range.start <= byte_index);
        Ok(lines.get(idx.saturating_sub(1)).ok_or(Error::FileMissing)?.index)
    }

    fn column_number(&'a self, id: usize, line: usize, byte: usize) -> Result<usize, Error> {
        let line = self.file(id)?.lines.iter().find(|l| l.index == line);
        let column = line.and_then(|line| line.columns.iter().find(|(start, _)| *start == byte));
        Ok(column.map_or(1, |(_, column)| *column))
    }

    fn line_range(&'a self, id: usize, line_index: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id)?;
        let line = file.lines.iter().find(|line| line.index == line_index);
        let max = file.lines.len();
        Ok(line.ok_or(Error::LineTooLarge { given: line_index, max })?.range.clone())
    }
}

#[cfg(test)]
mod tests {
    use codespan_reporting::term::{Config, emit_into_string};
    use expect_test::{Expect, expect};
    use trapline_source::Span;

    use super::*;

    /// What is shown for an error at these bytes of the text.
    fn check(text: &str, spans: &[(u32, u32)], expect: &Expect) {
        let mut sources = Sources::new();
        sources.add("f.smv", text).unwrap();
        let mut spans = spans.iter().map(|&(start, end)| Span::new(start, end));
        let mut error = Diagnostic::error("code", spans.next().unwrap(), "wrong");
        for span in spans {
            error = error.label(span, "and here");
        }
        let (excerpts, message) = excerpt(&sources, &error.help("mend it"));
        expect.assert_eq(&emit_into_string(&Config::default(), &excerpts, &message).unwrap());
    }

    #[test]
    fn a_short_line_is_shown_whole_with_its_true_number() {
        let expected = expect![[r#"
            error[code]: wrong
              ┌─ f.smv:2:4
              │
            2 │ bé cd
              │    ^^
              │
              = help: mend it

        "#]];
        check("a\nbé cd\ne", &[(6, 8)], &expected);
    }

    #[test]
    fn a_long_line_is_clipped_around_each_label() {
        let expected = expect![[r#"
            error[code]: wrong
              ┌─ f.smv:1:5000001
              │
            1 │ 01234567890123456789012345678901234567890123456789…01234567890123456789012345678901234567890123456789012345678901234567890123456789012…
              │          -                                                                                 ^^^
              │          │                                                                                  
              │          and here
              │
              = help: mend it

        "#]];
        check(&"0123456789".repeat(1_000_000), &[(5_000_000, 5_000_003), (9, 10)], &expected);
    }

    #[test]
    fn a_label_over_many_lines_keeps_its_first() {
        let expected = expect![[r#"
            error[code]: wrong
              ┌─ f.smv:1:3
              │
            1 │ first
              │   ^^^
              │
              = help: mend it

        "#]];
        check("first\nsecond\nthird\n", &[(2, 15)], &expected);
    }

    #[test]
    fn control_characters_are_escaped() {
        let expected = expect![[r#"
            error[code]: wrong
              ┌─ f.smv:1:2
              │
            1 │ a\u{0}\u{1b}[31mb\u{202e}c
              │  ^^^^^
              │
              = help: mend it

        "#]];
        check("a\0\x1b[31mb\u{202e}c", &[(1, 2)], &expected);
    }

    #[test]
    fn one_line_between_labels_is_shown_and_more_are_skipped() {
        let expected = expect![[r#"
            error[code]: wrong
              ┌─ f.smv:1:1
              │
            1 │ one
              │ ^^^
            2 │ two
            3 │ three
              │ ----- and here
              ·
            6 │ six
              │ --- and here
              │
              = help: mend it

        "#]];
        check("one\ntwo\nthree\nfour\nfive\nsix\n", &[(0, 3), (8, 13), (24, 27)], &expected);
    }

    #[test]
    fn a_finding_without_a_place_is_shown() {
        let (excerpts, message) = excerpt(
            &Sources::new(),
            &Diagnostic::error("code", Span::default(), "x".repeat(10_000)),
        );
        let text = emit_into_string(&Config::default(), &excerpts, &message).unwrap();
        assert!(text.starts_with("error[code]: xxx") && text.len() < 1_000);
    }
}
