//! What a requirement in a comment says: `R1, R2 what they say`.

use trapline_source::{Diagnostic, Diagnostics, Requirement, Span};

/// The requirements that a comment names, of the part that they are about.
pub fn read(
    comment: &str,
    span: Span,
    place: Span,
    diagnostics: &mut Diagnostics,
) -> Vec<Requirement> {
    let mut found = Vec::new();
    let (ids, text) = words(comment);
    for id in ids {
        let message = match () {
            () if !id.chars().any(char::is_alphanumeric) => "`@req` without an id",
            () if id.chars().any(is_odd) => {
                "the id of a requirement has a quote or an invisible character in it"
            }
            () => {
                found.push(Requirement { id: id.into(), text: text.into(), span, place });
                continue;
            }
        };
        let help = "write `@req ID text`, or `@req ID, ID text`";
        diagnostics.push(Diagnostic::warning("bad-requirement", place, message).help(help));
    }
    found
}

/// Characters that are seen wrongly or not at all, or that end a text elsewhere.
fn is_odd(c: char) -> bool {
    let is_invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    is_invisible || c.is_control() || matches!(c, '"' | '\'' | '`')
}

/// The ids, which have commas between them, and the text behind them.
fn words(comment: &str) -> (Vec<&str>, &str) {
    let mut rest = comment.trim_start().trim_start_matches(':').trim_start();
    let mut ids = Vec::new();
    loop {
        let ends = |c: char| c == ',' || c.is_whitespace();
        let end = rest.find(ends).unwrap_or(rest.len());
        let (id, behind) = rest.split_at(end);
        ids.push(id.trim_end_matches([':', ';', '.']));
        match behind.trim_start().strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => {
                let is_between = |c: char| c.is_whitespace() || c == '-' || c == ':';
                return (ids, behind.trim_start_matches(is_between));
            }
        }
    }
}
