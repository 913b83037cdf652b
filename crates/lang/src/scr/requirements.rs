//! Requirements in comments: `-- @req R1, R2 what they say`; in Markdown `<!-- @req R1 text -->`.
//!
//! At the end of a row such a comment is about that row; alone it is about the row or the section that
//! comes next.

use trapline_source::{Diagnostic, Diagnostics, Requirement, SourceFile, Span};

use super::layout::{Piece, Section};
use crate::requirement;

/// Finds the requirements of a text.
pub fn find(
    file: &SourceFile,
    sections: &[Section<'_>],
    diagnostics: &mut Diagnostics,
) -> Vec<Requirement> {
    let mut found = Vec::new();
    if !file.text.contains("@req") {
        return found;
    }
    let parts = parts(sections);
    for line in Piece::whole(file).lines() {
        let Some(comment) = comment(line) else { continue };
        let before = line.at..comment.at;
        let row =
            parts.iter().find(|part| before.contains(&part.start) && part.end <= line.span().end);
        let next = parts.iter().find(|part| part.start >= comment.at);
        let Some(about) = row.or(next) else {
            let message = "nothing stands behind this requirement";
            diagnostics.push(Diagnostic::warning("bad-requirement", comment.span(), message));
            continue;
        };
        found.extend(requirement::read(comment.text, *about, comment.span(), diagnostics));
    }
    found
}

/// What stands behind `@req` in the comment of a line.
fn comment(line: Piece<'_>) -> Option<Piece<'_>> {
    let open = ["--", "<!--", "#"].iter().filter_map(|open| {
        let start = line.text.find(open)?;
        let rest = line.text[start + open.len()..].trim_start();
        let body = rest.strip_prefix("@req")?;
        body.starts_with([' ', ':', '\t']).then_some(body)
    });
    let body = open.max_by_key(|body| body.len())?;
    let start = line.text.len() - body.len();
    let end = line.text.rfind("-->").filter(|end| *end >= start).unwrap_or(line.text.len());
    Some(line.part(start..end).trimmed())
}

/// Rows and whole sections, by where they begin; a section before its first row.
fn parts(sections: &[Section<'_>]) -> Vec<Span> {
    let mut parts = Vec::new();
    for section in sections {
        let end = section.lines.last().map_or(section.span, |line| line.span);
        parts.push(section.span.to(end));
        parts.extend(section.lines.iter().map(|line| line.span));
    }
    parts.sort_by_key(|part| part.start);
    parts
}
