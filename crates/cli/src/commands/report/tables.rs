//! The tables that a model is written in, with the goals that stand in each cell.

use trapline_report::page::{Cell, Table};
use trapline_source::Span;

use super::page::place;
use crate::goal_args::Prepared;
use crate::load::Loaded;

/// The tables of a page.
pub fn tables(prepared: &Prepared) -> Vec<Table> {
    let loaded = &prepared.loaded;
    if loaded.tables.is_empty() {
        return Vec::new();
    }
    let starts = Starts::new(prepared);
    let cell = |text: &str, span: Span| cell(loaded, &starts, text, span);
    let cells = |cells: &[trapline_source::Cell]| -> Vec<Cell> {
        cells.iter().map(|one| cell(&one.text, one.span)).collect()
    };
    let table = |table: &trapline_source::Table| {
        let class = table.class.as_ref().map_or(String::new(), |class| format!(", by {class}"));
        let title = table.name.as_deref().unwrap_or(table.kind);
        let kind = match &table.name {
            Some(_) => format!("{}{class}", table.kind.to_lowercase()),
            None => String::new(),
        };
        Table {
            kind,
            title: cell(title, table.span),
            columns: table.columns.clone(),
            rows: table.rows.iter().map(|row| cells(row)).collect(),
            values: cells(&table.values),
        }
    };
    loaded.tables.iter().map(table).collect()
}

/// The goals in the order of where they begin.
struct Starts(Vec<(Span, usize)>);

impl Starts {
    fn new(prepared: &Prepared) -> Starts {
        let goals = prepared.set.goals.iter().enumerate();
        let mut starts: Vec<(Span, usize)> = goals.map(|(idx, goal)| (goal.span, idx)).collect();
        starts.sort_by_key(|(span, idx)| (span.start, *idx));
        Starts(starts)
    }

    /// Those that stand inside of a part of the text, in their own order.
    fn within(&self, part: Span) -> Vec<usize> {
        let from = self.0.partition_point(|(span, _)| span.start < part.start);
        let inside = self.0[from..].iter().take_while(|(span, _)| span.start < part.end);
        let inside = inside.filter(|(span, _)| span.end <= part.end);
        let mut goals: Vec<usize> = inside.map(|(_, goal)| *goal).collect();
        goals.sort_unstable();
        goals
    }
}

fn cell(loaded: &Loaded, starts: &Starts, text: &str, span: Span) -> Cell {
    Cell { text: text.into(), place: place(loaded, span), goals: starts.within(span) }
}
