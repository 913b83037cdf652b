//! Markdown: headings begin sections, tables hold rows; everything else is for people.
//!
//! What a section holds besides tables are items of a list or lines of a fenced block.

use trapline_source::{Diagnostic, Diagnostics, SourceFile};

use super::{Bars, Head, Line, Piece, Section, cells, heading, is_ruler, line};

/// The sections of a text.
pub fn sections<'t>(file: &'t SourceFile, diagnostics: &mut Diagnostics) -> Vec<Section<'t>> {
    let mut sections: Vec<Section<'t>> = Vec::new();
    let mut is_prose = true;
    let mut is_fenced = false;
    // A table's first row names its columns; before it, what is not read is told once a table.
    let mut is_in_table = false;
    for row in Piece::whole(file).lines() {
        let row = without_comment(row.trimmed());
        if row.text.starts_with("```") || row.text.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if row.text.starts_with('#') && !is_fenced {
            let level = row.text.len() - row.text.trim_start_matches('#').len();
            let title = row.part(level..row.text.len()).trimmed();
            is_prose = true;
            if let Some(head) = heading::meaning(title) {
                is_prose = false;
                sections.push(Section { head, span: title.span(), lines: Vec::new() });
            }
            is_in_table = false;
            continue;
        }
        let is_row = row.text.starts_with('|') && !is_fenced;
        let is_first = is_row && !is_in_table;
        is_in_table = is_row;
        if is_prose {
            if is_first {
                diagnostics.push(not_read(row));
            }
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        section.lines.extend(read(row, section.head, (is_row, is_first), is_fenced));
    }
    sections
}

fn read<'t>(
    row: Piece<'t>,
    head: Head<'t>,
    (is_row, is_header): (bool, bool),
    is_fenced: bool,
) -> Option<Line<'t>> {
    if row.text.is_empty() || is_row && is_ruler(row.text) {
        return None;
    }
    if is_row {
        return line(cells(row, Bars::Around).into_iter().map(plain).collect(), is_header);
    }
    let item = row.text.strip_prefix("- ").or(row.text.strip_prefix("* "));
    match item {
        _ if is_fenced && head.has_cells() => line(cells(row, Bars::Between), false),
        _ if is_fenced => line(vec![row], false),
        Some(item) if !matches!(head, Head::Table(..)) => {
            line(vec![plain(row.part(row.text.len() - item.len()..row.text.len()))], false)
        }
        _ => None,
    }
}

fn not_read(row: Piece<'_>) -> Diagnostic {
    let text = "this table is not read: the heading above it names no part of a specification";
    let help = "name it, as in `Event table: Overridden (Pressure)` or `Monitored variables`";
    Diagnostic::warning("table-not-read", row.span(), text).help(help)
}

/// A row without a comment at its end, whose last cell it may stand in or behind.
fn without_comment(row: Piece<'_>) -> Piece<'_> {
    let Some(start) = row.text.find("<!--") else { return row };
    let rest = &row.text[start..];
    let is_last =
        rest.find("-->").is_some_and(|end| rest[end + 3..].trim_matches([' ', '|']).is_empty());
    if is_last { row.part(0..start).trimmed() } else { row }
}

/// A cell without what makes it bold, slanted or code.
fn plain(cell: Piece<'_>) -> Piece<'_> {
    let mut cell = cell.trimmed();
    for mark in ["**", "*", "`", "__", "_"] {
        let inner = cell.text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        if let Some(inner) = inner.filter(|inner| !inner.contains(mark)) {
            cell = cell.part(mark.len()..mark.len() + inner.len()).trimmed();
            // Code is as it is written.
            if mark == "`" {
                return cell;
            }
        }
    }
    cell
}
