//! Tables in a text, as they are written: for people to look at, in no language's words but its own.

use crate::Span;

/// A table, or a dictionary in the form of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is, as a heading: `Event table`, `Monitored variables`.
    pub kind: &'static str,
    /// What it gives values to; nothing for a dictionary.
    pub name: Option<String>,
    /// The variable by whose values its rows differ.
    pub class: Option<String>,
    /// What the columns hold. The last one spans those that are left.
    pub columns: Vec<String>,
    /// The rows, without the one that says the values.
    pub rows: Vec<Vec<Cell>>,
    /// What the table gives a value to, and the value of each further column.
    pub values: Vec<Cell>,
    /// Its heading.
    pub span: Span,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says, in one line and without comments.
    pub text: String,
    /// Where; empty for what is written in another row or understood.
    pub span: Span,
}

impl Table {
    /// What it is and of what.
    pub fn title(&self) -> String {
        let class = self.class.as_ref().map_or(String::new(), |class| format!(" ({class})"));
        match &self.name {
            Some(name) => format!("{}: {name}{class}", self.kind),
            None => self.kind.into(),
        }
    }

    /// How many columns its widest row has.
    pub fn width(&self) -> usize {
        let rows = self.rows.iter().map(Vec::len);
        rows.chain([self.columns.len(), self.values.len()]).max().unwrap_or(0)
    }
}
