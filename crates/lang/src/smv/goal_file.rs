//! Files with goals of the user's, one a line.
//!
//! ```text
//! -- a comment
//! Pressure = High & Overridden          something to reach, of a state or a step
//! NAME deep := WaterPres = 200          the same, with a name
//! LTLSPEC G (Reset = On -> F !Blocked)  a never-claim: something to violate
//!   & F Blocked                         a line that begins with a space goes on with the last one
//! ```

use std::ops::Range;

use trapline_model::PropertyKind;

/// What stands in such a file, for people.
pub const GOAL_FILE: &[(&str, &str)] = &[
    ("EXPR", "a state to reach; with `next` or an IVAR in it, a step"),
    ("INVARSPEC EXPR", "a state or step to reach in which it is false"),
    ("LTLSPEC FORMULA", "a path to find that violates it"),
    ("CTLSPEC FORMULA", "the same, if a single path shows the violation"),
    ("NAME n := EXPR", "a goal with a name, also behind a keyword"),
];

/// The keywords of never-claims.
const CLAIMS: &[(&str, PropertyKind)] = &[
    ("CTLSPEC", PropertyKind::Ctl),
    ("SPEC", PropertyKind::Ctl),
    ("LTLSPEC", PropertyKind::Ltl),
    ("INVARSPEC", PropertyKind::Invar),
];

/// An entry of a file of goals.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where its expression is.
    pub range: Range<usize>,
    /// The kind of a never-claim; `None` for something to reach.
    pub claim: Option<PropertyKind>,
}

/// The goals of a text, each with its position.
pub fn entries(text: &str) -> Vec<Entry> {
    let mut ranges: Vec<(usize, Range<usize>)> = Vec::new();
    let mut start = 0;
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let code = line.split("--").next().unwrap_or_default().trim_end();
        let end = start + code.len();
        match ranges.last_mut() {
            _ if code.is_empty() => {}
            // Only comments are in between, which the language handles.
            Some((_, last)) if code.starts_with([' ', '\t']) => last.end = end,
            _ => {
                let indent = code.len() - code.trim_start().len();
                ranges.push((line_idx + 1, start + indent..end));
            }
        }
        start += line.len();
    }
    let trim = |range: Range<usize>| {
        let body = text[range.clone()].trim_end().trim_end_matches(';');
        range.start..range.start + body.len()
    };
    ranges.into_iter().map(|(line, range)| entry(text, trim(range), line)).collect()
}

fn entry(text: &str, range: Range<usize>, line: usize) -> Entry {
    let mut rest = &text[range.clone()];
    let mut claim = None;
    for &(keyword, kind) in CLAIMS {
        if let Some(after) = after_word(rest, keyword) {
            (rest, claim) = (after, Some(kind));
            break;
        }
    }
    let mut name = format!("line{line}");
    if let Some((given, body)) = after_word(rest, "NAME").and_then(|rest| rest.split_once(":=")) {
        let is_word = |c: char| c.is_alphanumeric() || "_-$.".contains(c);
        // Anything else is not a name, which the language reports.
        if !given.trim().is_empty() && given.trim().chars().all(is_word) {
            name = given.trim().to_string();
            rest = body.trim_start();
        }
    }
    Entry { name, range: range.end - rest.len()..range.end, claim }
}

/// What follows a word and white space.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let after = rest.trim_start();
    (after.len() < rest.len() || rest.starts_with('(')).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_goal() {
        let text = "-- first\nx = 1 -- why\n\nNAME deep := y & z;\nLTLSPEC G p\n   | -- or\n   q;\nSPECIAL = 2\nSPEC(AG x)";
        let found: Vec<(String, &str, Option<PropertyKind>)> = entries(text)
            .into_iter()
            .map(|entry| (entry.name, &text[entry.range], entry.claim))
            .collect();
        let expected = [
            ("line2", "x = 1", None),
            ("deep", "y & z", None),
            ("line5", "G p\n   | -- or\n   q", Some(PropertyKind::Ltl)),
            ("line8", "SPECIAL = 2", None),
            ("line9", "(AG x)", Some(PropertyKind::Ctl)),
        ];
        let expected = expected.map(|(name, text, claim)| (name.to_string(), text, claim));
        assert_eq!(found, expected);
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in ["", "\n", "NAME", "NAME x", ":=", "NAME := ;", "LTLSPEC", " x", "é--\né", ";;"]
        {
            for entry in entries(text) {
                assert!(text.get(entry.range).is_some(), "{text:?}");
            }
        }
    }
}
