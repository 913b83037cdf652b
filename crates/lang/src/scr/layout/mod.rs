//! The forms that a specification is written in: how a text falls into sections, rows and cells.
//!
//! A form knows nothing of what stands in a cell. Everything after it works on [`Section`]s, whose
//! pieces know where they stand in the text.

mod csv;
mod heading;
mod markdown;
mod text;

use trapline_model::PropertyKind;
use trapline_source::{Diagnostics, SourceFile, Span};

use super::syntax::{TableKind, VariableKind};

/// A form: finds the sections of a text.
pub type Form = for<'t> fn(&'t SourceFile, &mut Diagnostics) -> Vec<Section<'t>>;

pub use csv::sections as csv;
pub use markdown::sections as markdown;
pub use text::sections as text;

/// A stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// What it says.
    pub text: &'t str,
    /// The global position of its first byte.
    pub at: u32,
}

/// A row: its cells, or all of it as one.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    /// The cells, without the space around them.
    pub cells: Vec<Piece<'t>>,
    /// Does its form say that it only names the columns?
    pub is_header: bool,
    /// All of it.
    pub span: Span,
}

/// A heading and what stands below it.
#[derive(Clone, Debug)]
pub struct Section<'t> {
    /// What the heading says.
    pub head: Head<'t>,
    /// Where the heading is.
    pub span: Span,
    /// The rows.
    pub lines: Vec<Line<'t>>,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head<'t> {
    /// Types with names.
    Types,
    /// Constants.
    Constants,
    /// Variables of a kind.
    Variables(VariableKind),
    /// What the environment does.
    Assumptions,
    /// What is to be proved, by its logic.
    Properties(PropertyKind),
    /// How steps are made.
    Options,
    /// A table.
    Table(TableKind, Piece<'t>, Option<Piece<'t>>),
}

impl<'t> Piece<'t> {
    /// All of a text.
    pub fn whole(file: &'t SourceFile) -> Piece<'t> {
        Piece { text: &file.text, at: file.base }
    }

    /// Where it stands.
    pub fn span(self) -> Span {
        Span::new(self.at, self.at + self.text.len() as u32)
    }

    /// The part of it that a span covers.
    pub fn of(self, span: Span) -> &'t str {
        self.text
            .get((span.start - self.at) as usize..(span.end - self.at) as usize)
            .unwrap_or_default()
    }

    /// A part of it.
    pub fn part(self, range: std::ops::Range<usize>) -> Piece<'t> {
        Piece { text: &self.text[range.clone()], at: self.at + range.start as u32 }
    }

    /// Without the space around it.
    pub fn trimmed(self) -> Piece<'t> {
        let start = self.text.len() - self.text.trim_start().len();
        let text = self.text.trim();
        Piece { text, at: self.at + start as u32 }
    }

    /// Both sides of a position that is one byte long.
    fn split_at_byte(self, position: usize) -> (Piece<'t>, Piece<'t>) {
        (self.part(0..position), self.part(position + 1..self.text.len()))
    }

    /// The lines, without their ends.
    pub fn lines(self) -> impl Iterator<Item = Piece<'t>> {
        let mut start = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let piece = self.part(start..start + line.trim_end_matches(['\n', '\r']).len());
            start += line.len();
            piece
        })
    }
}

impl Head<'_> {
    /// Do its rows fall into cells at each bar?
    fn has_cells(self) -> bool {
        !matches!(self, Head::Assumptions | Head::Properties(_) | Head::Options)
    }
}

/// A row of cells that are trimmed.
fn line(cells: Vec<Piece<'_>>, is_header: bool) -> Option<Line<'_>> {
    let cells: Vec<Piece<'_>> = cells.into_iter().map(Piece::trimmed).collect();
    let (first, last) = (cells.first()?, cells.last()?);
    let span = first.span().to(last.span());
    Some(Line { cells, is_header, span })
}

/// Where bars stand in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bars {
    /// Around the cells, whatever ends the row.
    Around,
    /// Around them if they begin and end it; otherwise a row that begins with one has an empty first cell.
    Between,
}

/// The cells of a row.
fn cells(row: Piece<'_>, bars: Bars) -> Vec<Piece<'_>> {
    let row = row.trimmed();
    let mut cells = Vec::new();
    let mut start = 0;
    let mut is_escaped = false;
    for (position, byte) in row.text.bytes().enumerate() {
        if byte == b'|' && !is_escaped {
            cells.push(row.part(start..position));
            start = position + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    cells.push(row.part(start..row.text.len()));
    let is_framed = row.text.ends_with('|') && cells.len() > 2;
    if row.text.starts_with('|') && (bars == Bars::Around || is_framed) {
        cells.remove(0);
        if cells.last().is_some_and(|last| last.text.trim().is_empty()) {
            cells.pop();
        }
    }
    cells
}

/// Is it a line under a heading row, or one that only separates?
fn is_ruler(row: &str) -> bool {
    let row = row.trim();
    row.len() > 1
        && row.contains(['-', '='])
        && row.chars().all(|c| "-=|:+".contains(c) || c.is_whitespace())
}
