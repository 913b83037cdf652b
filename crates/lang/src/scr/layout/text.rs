//! The plain form: a keyword in capitals begins a section, bars divide cells, `--` begins a comment, and
//! a line that ends with a backslash goes on.

use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use super::{Bars, Line, Piece, Section, cells, heading, is_ruler, line};

/// The words that begin a section.
pub const KEYWORDS: &[&str] = &[
    "TYPES",
    "CONSTANTS",
    "MONITORED",
    "CONTROLLED",
    "TERMS",
    "MODECLASS",
    "NAT",
    "ASSERT",
    "CTL",
    "LTL",
    "OPTIONS",
    "TABLE",
];

/// The sections of a text.
pub fn sections<'t>(file: &'t SourceFile, diagnostics: &mut Diagnostics) -> Vec<Section<'t>> {
    let mut sections: Vec<Section<'t>> = Vec::new();
    let mut is_lost = false;
    for row in rows(Piece::whole(file)) {
        let length = row.text.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(row.text.len());
        let (word, rest) = (&row.text[..length], row.part(length..row.text.len()).trimmed());
        // A mode may be called like a section: then a bar follows, which only begins a rule otherwise.
        let has_rule = ["NAT", "ASSERT", "CTL", "LTL"].contains(&word);
        let is_row = rest.text.starts_with(['=', ':']) || rest.text.starts_with('|') && !has_rule;
        if KEYWORDS.contains(&word) && !is_row {
            is_lost = false;
            match section(row, word, rest) {
                Some(section) => sections.push(section),
                None => {
                    is_lost = true;
                    diagnostics.push(bad_head(row.span()));
                }
            }
            continue;
        }
        let Some(section) = sections.last_mut().filter(|_| !is_lost) else {
            if !is_lost {
                let text = format!("expected a section, found `{}`", shown(row.text));
                let help = format!("a specification begins with one of {}", KEYWORDS.join(", "));
                diagnostics.push(Diagnostic::error("syntax", row.span(), text).help(help));
            }
            is_lost = true;
            continue;
        };
        if !is_ruler(row.text) {
            let parts =
                if section.head.has_cells() { cells(row, Bars::Between) } else { vec![row] };
            section.lines.extend(line(parts, false));
        }
    }
    sections
}

fn section<'t>(row: Piece<'t>, word: &str, rest: Piece<'t>) -> Option<Section<'t>> {
    let is_table = word == "TABLE";
    let head = if is_table { row } else { row.part(0..word.len()) };
    let meaning = if is_table { heading::table_head(head) } else { heading::meaning(head) }?;
    let mut lines: Vec<Line<'t>> = Vec::new();
    if !is_table && !rest.text.is_empty() {
        lines.extend(line(vec![rest], false));
    }
    Some(Section { head: meaning, span: head.span(), lines })
}

fn bad_head(span: Span) -> Diagnostic {
    let text = "this heading of a table is not understood";
    let help = "write TABLE name MODE, TABLE name EVENT CLASS modes, or TABLE name CONDITION CLASS \
                modes; without CLASS it has no modes";
    Diagnostic::error("bad-heading", span, text).help(help)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

/// The lines that say something, without comments and with what a backslash joins.
fn rows<'t>(whole: Piece<'t>) -> Vec<Piece<'t>> {
    let mut rows: Vec<Piece<'t>> = Vec::new();
    let mut is_continued = false;
    for line in whole.lines() {
        let end = line.text.find("--").filter(|_| !is_ruler(line.text));
        let code = line.part(0..end.unwrap_or(line.text.len())).trimmed();
        let code = Piece { text: code.text.trim_start_matches('\u{feff}'), ..code };
        let goes_on = code.text.ends_with('\\');
        match rows.last_mut() {
            Some(last) if is_continued => {
                let start = (last.at - whole.at) as usize;
                let end = (code.at - whole.at) as usize + code.text.len();
                *last = whole.part(start..end);
            }
            _ if code.text.is_empty() => {}
            _ => rows.push(code),
        }
        is_continued = goes_on;
    }
    rows
}
