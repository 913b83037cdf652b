//! Files with goals of the user's: one a line, or lists in Scheme as `sal-atg` takes them.
//!
//! ```text
//! % a comment
//! s1                                     something to reach, of a state or a step
//! deep: clock = 100 AND s2               the same, with a name
//! PRODUCT s1, s2 BY t0, t1               every one of the first with every one of the others
//! LTL G(request => F(grant))             a never-claim: something to violate
//!
//! (define goal-list '("s1" ("s2" "p")))  the same in Scheme: a list in a list is a conjunction
//! ```

use std::ops::Range;

use trapline_model::PropertyKind;
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use super::scheme;

/// What stands in such a file, for people.
pub const GOAL_FILE: &[(&str, &str)] = &[
    ("EXPR", "a state to reach; with a primed name in it, a step"),
    ("ASSERT EXPR", "a state or step to reach in which it is false"),
    ("LTL FORMULA", "a path to find that violates it"),
    ("CTL FORMULA", "the same, if a single path shows the violation"),
    ("PRODUCT EXPR, ... BY EXPR, ...", "every one of the first together with every other one"),
    ("NAME: EXPR", "a goal with a name, also behind a keyword"),
    ("(define goal-list '(...))", "lists of goals in Scheme, as sal-atg takes them"),
];

/// More goals than this in one file are refused.
const MAX_GOALS: usize = 100_000;

/// A goal as it was read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it says.
    pub tree: Tree,
    /// The kind of a never-claim; `None` for something to reach.
    pub claim: Option<PropertyKind>,
}

/// What a goal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// One expression, by where it stands.
    Leaf(Range<usize>),
    /// All of these.
    All(Vec<Tree>),
    /// One of these.
    Any(Vec<Tree>),
}

/// The goals of a file.
pub fn entries(file: &SourceFile, findings: &mut Diagnostics) -> Vec<Entry> {
    let text = &*file.text;
    let code = text
        .lines()
        .map(str::trim_start)
        .find(|line| !line.is_empty() && !line.starts_with(';') && !line.starts_with('%'));
    let mut entries = match code {
        Some(code) if code.starts_with("(define") => scheme::goals(file, findings),
        _ => lines(file, findings),
    };
    if entries.len() > MAX_GOALS {
        let message = format!("there are more than {MAX_GOALS} goals in this file");
        findings.push(Diagnostic::error("too-large", file.span(), message));
        entries.truncate(MAX_GOALS);
    }
    entries
}

fn lines(file: &SourceFile, findings: &mut Diagnostics) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut start = 0;
    for (idx, line) in file.text.split_inclusive('\n').enumerate() {
        let code = line.split('%').next().unwrap_or_default();
        let range = trimmed(&file.text, start..start + code.len());
        start += line.len();
        if !range.is_empty() && entries.len() <= MAX_GOALS {
            line_goals(file, range, idx + 1, &mut entries, findings);
        }
    }
    entries
}

fn line_goals(
    file: &SourceFile,
    range: Range<usize>,
    line: usize,
    entries: &mut Vec<Entry>,
    findings: &mut Diagnostics,
) {
    const CLAIMS: [(&str, PropertyKind); 3] =
        [("ASSERT", PropertyKind::Invar), ("LTL", PropertyKind::Ltl), ("CTL", PropertyKind::Ctl)];
    let text = &*file.text;
    let word = text[range.clone()].split_whitespace().next().unwrap_or_default();
    if word == "PRODUCT" {
        let body = range.start + word.len()..range.end;
        entries.extend(product(file, body, findings));
        return;
    }
    let claim = CLAIMS.iter().find(|(keyword, _)| *keyword == word).map(|(_, kind)| *kind);
    let start = range.start + if claim.is_some() { word.len() } else { 0 };
    let mut body = trimmed(text, start..range.end);
    let mut name = None;
    if let Some((given, _)) = text[body.clone()].split_once(':')
        && is_name(given.trim_end())
    {
        name = Some(given.trim_end().to_string());
        body = trimmed(text, body.start + given.len() + 1..body.end);
    }
    let own = &text[body.clone()];
    let name = name.unwrap_or_else(|| match is_part(own) {
        true => own.to_string(),
        false => format!("line{line}"),
    });
    entries.push(Entry { name, tree: Tree::Leaf(body), claim });
}

/// `a, b BY c, d`
fn product(file: &SourceFile, range: Range<usize>, findings: &mut Diagnostics) -> Vec<Entry> {
    let text = &file.text[range.clone()];
    let Some(at) = text.find(" BY ") else {
        let span = Span::new(file.base + range.start as u32, file.base + range.end as u32);
        let help = "write `PRODUCT s1, s2 BY t1, t2`";
        let message = "a product has two lists with `BY` between them";
        findings.push(Diagnostic::error("syntax", span, message).help(help));
        return Vec::new();
    };
    let left = listed(&file.text, range.start..range.start + at);
    let right = listed(&file.text, range.start + at + 4..range.end);
    pairs(&file.text, left, right)
}

/// Every goal of one list with every one of another.
pub(super) fn pairs(text: &str, left: Vec<Tree>, right: Vec<Tree>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for l in &left {
        for r in &right {
            if entries.len() > MAX_GOALS {
                return entries;
            }
            let tree = Tree::All(vec![l.clone(), r.clone()]);
            entries.push(Entry { name: name_of(text, &tree), tree, claim: None });
        }
    }
    entries
}

/// What a goal is called that has no name: after the names in it, if it is short.
pub(super) fn name_of(text: &str, tree: &Tree) -> String {
    const MAX_WORDS: usize = 4;
    let mut words = Vec::new();
    let mut stack = vec![tree];
    while let Some(tree) = stack.pop() {
        match tree {
            Tree::Leaf(range) if is_part(&text[range.clone()]) && words.len() < MAX_WORDS => {
                words.push(&text[range.clone()]);
            }
            Tree::Leaf(_) => return "goal".into(),
            Tree::All(parts) | Tree::Any(parts) => stack.extend(parts.iter().rev()),
        }
    }
    if words.is_empty() { "goal".into() } else { words.join("-") }
}

/// Expressions with commas between them that stand in no parentheses.
fn listed(text: &str, range: Range<usize>) -> Vec<Tree> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, range.start);
    for (idx, c) in text[range.clone()].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(trimmed(text, start..range.start + idx));
                start = range.start + idx + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(text, start..range.end));
    parts.into_iter().map(Tree::Leaf).collect()
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '?'))
}

/// Is this the name of a variable or of a part of one, such as `did[new]` or `queue.1`?
fn is_part(text: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_?![].".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_inside)
}
