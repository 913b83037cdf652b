//! The tables that a model is written in, with the coverage of each cell.

use trapline_source::numbers::counted;
use trapline_suite::property::Property;

use super::details;
use super::text::{code, prose};
use crate::page::{Cell, Counts, Goal, Page, Table};

/// How many bytes all tables may have.
const MAX_TABLES: usize = 4_000;

/// The tables that give values and have goals, as many as fit. What is assumed and asserted stands
/// elsewhere.
pub fn tables(page: &Page) -> String {
    let has_goals =
        |table: &&Table| !table.kind.is_empty() && cells(table).any(|cell| !cell.goals.is_empty());
    let own = || page.tables.iter().filter(has_goals);
    let mut text = String::new();
    let (mut n_shown, mut n_left_out) = (0, 0);
    for table in own() {
        let one = self::table(page, table);
        match n_left_out == 0 && text.len() + one.len() <= MAX_TABLES {
            true => {
                text += &one;
                n_shown += 1;
            }
            false => n_left_out += 1,
        }
    }
    if n_shown + n_left_out == 0 {
        return String::new();
    }
    if n_left_out > 0 {
        let tables = counted(n_left_out, "table");
        text += &format!("{tables} left out because comments have a limit\n\n");
    }
    let marks = own().flat_map(cells).map(|cell| mark(page, cell));
    // As everywhere, what nothing can cover does not count.
    let marks: Vec<String> = marks.filter(|mark| !matches!(mark.as_str(), "" | "∅")).collect();
    let n_covered = marks.iter().filter(|mark| mark.starts_with('✓')).count();
    let title = format!("{n_covered} of {} covered", counted(marks.len(), "table cell"));
    details(&title, &text)
}

/// All cells of a table, its title being one.
fn cells(table: &Table) -> impl Iterator<Item = &Cell> {
    std::iter::once(&table.title).chain(table.rows.iter().flatten()).chain(&table.values)
}

fn table(page: &Page, table: &Table) -> String {
    let rows = || table.rows.iter().chain(std::iter::once(&table.values));
    let width = rows().map(Vec::len).max().unwrap_or(0).max(table.columns.len());
    let line = |mut cells: Vec<String>| {
        cells.resize(width, String::new());
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = format!("{}, {}\n\n", cell(page, &table.title), prose(&table.kind));
    text += &line(table.columns.iter().map(|column| prose(column)).collect());
    text += &format!("|{}\n", ":--|".repeat(width));
    for row in rows().filter(|row| !row.is_empty()) {
        text += &line(row.iter().map(|one| cell(page, one)).collect());
    }
    text + "\n"
}

fn cell(page: &Page, cell: &Cell) -> String {
    let parts = [code(&cell.text), mark(page, cell)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// How much of a cell is covered; nothing where there is no goal.
fn mark(page: &Page, cell: &Cell) -> String {
    let goals: Vec<&Goal> = cell.goals.iter().filter_map(|&goal| page.goals.get(goal)).collect();
    let properties: Vec<Property> = goals.iter().filter_map(|goal| goal.property).collect();
    if properties.contains(&Property::Violated) {
        return "✗ violated".into();
    }
    if !goals.is_empty() && properties.len() == goals.len() {
        let is_open = properties.contains(&Property::Undecided);
        return if is_open { "?".into() } else { "✓".into() };
    }
    let mut counts = Counts::default();
    goals.iter().for_each(|goal| counts.add(goal.verdict));
    let Counts { covered, not_covered, infeasible, unknown } = counts;
    let sign = match (covered, not_covered, unknown) {
        (0, 0, 0) if infeasible == 0 => return String::new(),
        (0, 0, 0) => return "∅".into(),
        (_, 0, 0) => '✓',
        (0, 0, _) => '?',
        (0, _, _) => '✗',
        _ => '◐',
    };
    format!("{sign} {covered}/{}", counts.counting())
}
