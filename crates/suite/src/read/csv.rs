//! CSV: a header of names, one row a state, a blank line between tests.
//!
//! An empty cell is a missing value. The header may come again after a blank line, with other
//! names. Cells are quoted as RFC 4180 says. Where the header has no comma, semicolons or tabs
//! separate the cells, as spreadsheets write them. CSV libraries skip blank lines, which mean
//! something here, so the cells are split by hand.

use super::error::Wrong;
use super::names::{Entity, Named};
use super::{At, Document, Draft, Keeps, Location, PartialState, Reader};

/// A cell and where it starts.
struct Cell {
    text: String,
    /// A quoted cell is there even if it is empty.
    is_quoted: bool,
    place: Location,
}

/// A header: what each column gives.
type Columns = Vec<Option<Entity>>;

pub(super) fn fits(text: &str) -> bool {
    !text.trim().is_empty()
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    let mut document = Document::default();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let separator = [',', ';', '\t'].into_iter().find(|&c| first.contains(c)).unwrap_or(',');
    let mut rows = Rows { rest: text, line: 1, separator };
    let mut columns: Option<Columns> = None;
    let mut states: Vec<PartialState> = Vec::new();
    // After a blank line, a row may be a header again.
    let mut is_first = true;
    while let Some(row) = rows.next_row(reader) {
        if is_blank(&row) {
            finish(reader, &mut document, &mut states);
            is_first = true;
            continue;
        }
        let is_header = columns.is_none() || is_first && names_all(reader, &row);
        is_first = false;
        if is_header {
            columns = Some(header(reader, &row));
        } else if let Some(columns) = &columns {
            let state = state(reader, (&document, states.len()), columns, &row);
            states.push(state);
        }
    }
    finish(reader, &mut document, &mut states);
    if document.drafts.is_empty() && !reader.errors.has_any() {
        reader.malformed(At::default(), "there is no row of values");
    }
    document
}

/// A row of one empty cell is a blank line, unless the cell is quoted.
fn is_blank(row: &[Cell]) -> bool {
    matches!(row, [cell] if cell.text.trim().is_empty() && !cell.is_quoted)
}

fn finish(reader: &mut Reader<'_>, document: &mut Document, states: &mut Vec<PartialState>) {
    let states = std::mem::take(states);
    if !states.is_empty() {
        let name = next_name(document);
        reader.finish(
            document,
            Draft {
                name,
                states,
                loop_start: None,
                keeps: Keeps::Inputs,
                open: Vec::new(),
                branch: Vec::new(),
            },
        );
    }
}

fn next_name(document: &Document) -> String {
    format!("t{}", document.drafts.len() + 1)
}

/// Are there only names? Then the row is a header, since no value is the name of a variable.
fn names_all(reader: &Reader<'_>, row: &[Cell]) -> bool {
    let mut texts = row.iter().map(|cell| cell.text.trim());
    let is_name = |text: &str| text.is_empty() || reader.names.find(text).is_some();
    let has_any = row.iter().any(|cell| !cell.text.trim().is_empty());
    has_any && texts.all(is_name)
}

fn header(reader: &mut Reader<'_>, row: &[Cell]) -> Columns {
    let mut columns: Columns = Vec::with_capacity(row.len());
    for cell in row {
        let at = At { place: Some(cell.place), ..At::default() };
        let name = cell.text.trim();
        let target = match reader.names.find(name) {
            Some(Named::One(target)) => Some(target),
            Some(Named::Array(..)) => {
                reader.malformed(at, format!("`{name}` is an array: a column is one element"));
                None
            }
            // Spreadsheets may end every row with empty cells.
            None if name.is_empty() => None,
            None => {
                reader.wrong(at, Wrong::UnknownName(name.into()));
                None
            }
        };
        if target.is_some() && columns.contains(&target) {
            reader.malformed(at, format!("`{name}` has two columns"));
        }
        columns.push(target);
    }
    columns
}

fn state(
    reader: &mut Reader<'_>,
    (document, state_idx): (&Document, usize),
    columns: &Columns,
    row: &[Cell],
) -> PartialState {
    let mut state = PartialState::unknown(reader.model);
    let name = next_name(document);
    let at = |place| At { test: Some(&name), state: Some(state_idx), place: Some(place) };
    for (idx, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.text.trim().is_empty()) {
        match columns.get(idx) {
            Some(Some(target)) => reader.set(&mut state, *target, &cell.text, at(cell.place)),
            // The header was wrong, and that is reported; or the column has no name.
            Some(None) => {}
            None => reader.malformed(at(cell.place), "the header has no name for this cell"),
        }
    }
    state
}

/// The rows that are still to be read.
struct Rows<'t> {
    rest: &'t str,
    line: usize,
    separator: char,
}

impl Rows<'_> {
    /// The cells of the next row; a blank line is a row of one empty cell.
    fn next_row(&mut self, reader: &mut Reader<'_>) -> Option<Vec<Cell>> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut row, mut column) = (Vec::new(), 1);
        loop {
            let place = Location { line: self.line, column };
            let is_quoted = self.rest.starts_with('"');
            let text = if is_quoted { self.quoted(reader, place) } else { String::new() };
            // What follows a closing quote belongs to the cell, as most readers have it.
            let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
            let tail = self.rest[..end].trim_end_matches('\r');
            column += text.chars().count() + tail.chars().count() + 1;
            row.push(Cell { text: text + tail, is_quoted, place });
            let is_row_end = !self.rest[end..].starts_with(self.separator);
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            if is_row_end {
                self.line += 1;
                return Some(row);
            }
        }
    }

    /// The text of a quoted cell, up to the closing quote.
    fn quoted(&mut self, reader: &mut Reader<'_>, place: Location) -> String {
        let mut text = String::new();
        loop {
            self.rest = &self.rest[1..];
            let Some(end) = self.rest.find('"') else {
                let at = At { place: Some(place), ..At::default() };
                reader.malformed(at, "the quote is not closed");
                self.rest = "";
                return text;
            };
            text += &self.rest[..end];
            self.line += self.rest[..end].matches('\n').count();
            self.rest = &self.rest[end + 1..];
            if !self.rest.starts_with('"') {
                return text;
            }
            text.push('"');
        }
    }
}
