//! Comma-separated values, as spreadsheets write them: a row whose first cell is a keyword begins a section.
//!
//! A cell may be in double quotes. A separator may be a semicolon instead, where the first line of the
//! text with either has one first.

use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use super::{Head, Line, Piece, Section, heading, line, text::KEYWORDS};

/// The sections of a text.
pub fn sections<'t>(file: &'t SourceFile, diagnostics: &mut Diagnostics) -> Vec<Section<'t>> {
    let whole = Piece::whole(file);
    let separator = separator(whole.text);
    let mut sections: Vec<Section<'t>> = Vec::new();
    // What stands below a heading that is wrong belongs to no section.
    let mut is_lost = false;
    for mut cells in records(whole, separator, diagnostics) {
        while cells.last().is_some_and(|cell| cell.text.is_empty()) && cells.len() > 1 {
            cells.pop();
        }
        let Some(first) = cells.first().copied() else { continue };
        if cells.len() == 1 && first.text.is_empty() || first.text.starts_with('#') {
            continue;
        }
        let word = first.text.split_whitespace().next().unwrap_or_default();
        if KEYWORDS.contains(&word) {
            let section = section(whole, word, &cells);
            is_lost = section.is_none();
            if is_lost {
                diagnostics.push(bad_head(first.span().to(cells[cells.len() - 1].span())));
            }
            sections.extend(section);
            continue;
        }
        match sections.last_mut() {
            _ if is_lost => {}
            Some(section) => section.lines.extend(entry(section.head, cells)),
            None => {
                let text = "expected a section here";
                let help = format!("the first cell is one of {}", KEYWORDS.join(", "));
                diagnostics.push(Diagnostic::error("syntax", first.span(), text).help(help));
                return sections;
            }
        }
    }
    sections
}

/// A row whose first cell is a keyword: an entry may follow in the same row.
fn section<'t>(whole: Piece<'t>, word: &str, cells: &[Piece<'t>]) -> Option<Section<'t>> {
    let (first, last) = (cells[0], cells[cells.len() - 1]);
    let start = (first.at - whole.at) as usize;
    let row = whole.part(start..(last.at - whole.at) as usize + last.text.len());
    if word == "TABLE" {
        let head = heading::table_head(row)?;
        return Some(Section { head, span: row.span(), lines: Vec::new() });
    }
    let head = first.part(0..word.len());
    let rest = first.part(word.len()..first.text.len()).trimmed();
    let mut rest: Vec<Piece<'t>> = Some(rest).into_iter().chain(cells[1..].to_vec()).collect();
    rest.retain(|piece| !piece.text.is_empty());
    let lines = line(rest, false).into_iter().collect();
    Some(Section { head: heading::meaning(head)?, span: head.span(), lines })
}

/// A row of a section. In a dictionary it may begin below the keyword, or below what follows that.
fn entry<'t>(head: Head<'t>, mut cells: Vec<Piece<'t>>) -> Option<Line<'t>> {
    if !matches!(head, Head::Table(..)) && cells[0].text.is_empty() {
        cells.remove(0);
    }
    line(cells, false)
}

fn bad_head(span: Span) -> Diagnostic {
    let text = "this heading of a table is not understood";
    let help = "write TABLE,name,MODE or TABLE,name,EVENT,CLASS,modes or \
                TABLE,name,CONDITION,CLASS,modes; without CLASS it has no modes";
    Diagnostic::error("bad-heading", span, text).help(help)
}

fn separator(text: &str) -> u8 {
    match text.find([',', ';']) {
        Some(first) if text.as_bytes()[first] == b';' => b';',
        _ => b',',
    }
}

/// The cells of each record; line ends and separators in quotes belong to a cell.
fn records<'t>(
    whole: Piece<'t>,
    separator: u8,
    diagnostics: &mut Diagnostics,
) -> Vec<Vec<Piece<'t>>> {
    let mut records = Vec::new();
    let mut cells: Vec<Piece<'t>> = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (position, byte) in whole.text.bytes().enumerate() {
        match byte {
            b'"' => quote = if quote.is_some() { None } else { Some(position) },
            _ if quote.is_some() => {}
            b'\n' => {
                cells.push(unquoted(whole.part(start..position)));
                records.push(std::mem::take(&mut cells));
                start = position + 1;
            }
            _ if byte == separator => {
                let (cell, _) = whole.part(start..whole.text.len()).split_at_byte(position - start);
                cells.push(unquoted(cell));
                start = position + 1;
            }
            _ => {}
        }
    }
    if let Some(open) = quote {
        let span = whole.part(open..open + 1).span();
        let diagnostic = Diagnostic::error("syntax", span, "this quote is not closed");
        diagnostics.push(diagnostic.help("a cell in quotes ends with a quote"));
        return records;
    }
    cells.push(unquoted(whole.part(start..whole.text.len())));
    records.push(cells);
    records
}

fn unquoted(cell: Piece<'_>) -> Piece<'_> {
    let mut cell = cell.trimmed();
    if let Some(rest) = cell.text.strip_prefix('\u{feff}') {
        cell = cell.part(cell.text.len() - rest.len()..cell.text.len());
    }
    let is_quoted = cell.text.len() > 1 && cell.text.starts_with('"') && cell.text.ends_with('"');
    if is_quoted { cell.part(1..cell.text.len() - 1).trimmed() } else { cell }
}
