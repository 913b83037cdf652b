//! Other names for variables and values, from a table that the user wrote.
//!
//! ```text
//! # the implementation's names
//! WaterPres     = pressure.sensor
//! Reset : On    = 1
//! *     : TRUE  = yes
//! trap*         =
//! ```
//!
//! A line renames a variable, or a value of a variable. `*` in the name of a variable stands for
//! any characters; where several lines fit, the first one counts. A variable that is renamed to
//! nothing is left out. A new value is a number or a truth value if it looks like one, and a text
//! otherwise or in quotation marks.

mod dictionary;
mod work;

use std::fmt;

use rustc_hash::FxHashMap;
use trapline_model::Model;
use trapline_model::trace::Trace;

use crate::titled::Titled;
use work::Work;

pub use dictionary::Dictionary;

/// Maximum number of errors reported for one table.
const MAX_WRONG: usize = 20;

/// A table of names.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    lines: Vec<Line>,
}

/// A nonempty line.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    /// Which variables.
    name: String,
    /// Which of their values; `None` for the variables themselves.
    value: Option<String>,
    /// What they become.
    becomes: String,
    /// True if it is quoted, and so always a text.
    is_quoted: bool,
}

/// What is wrong in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLine {
    /// The line, counted from one.
    pub number: usize,
    /// What is wrong.
    pub message: String,
}

/// Traces under other names. Definitions are variables in them.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// A model without rules.
    pub model: Model,
    /// The traces.
    pub traces: Vec<Trace>,
    /// The new name of each old one.
    names: FxHashMap<String, String>,
}

impl fmt::Display for WrongLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.message)
    }
}

impl Renaming {
    /// Reads a table.
    ///
    /// # Errors
    /// Every line that can't be read.
    pub fn parse(text: &str) -> Result<Renaming, Vec<WrongLine>> {
        let mut renaming = Renaming::default();
        let mut wrong = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (idx, line) in text.lines().enumerate() {
            if wrong.len() == MAX_WRONG {
                break;
            }
            match parse_line(idx + 1, line) {
                Ok(line) => renaming.lines.extend(line),
                Err(message) => wrong.push(WrongLine { number: idx + 1, message }),
            }
        }
        if wrong.is_empty() { Ok(renaming) } else { Err(wrong) }
    }

    /// The traces under their new names.
    ///
    /// # Errors
    /// Lines that fit nothing, and names that would be given twice.
    pub fn apply(&self, model: &Model, list: &[Titled<'_>]) -> Result<Renamed, Vec<WrongLine>> {
        let mut work = Work::new(self, model);
        work.add_columns(model);
        for titled in list {
            work.add_trace(model, titled.trace);
        }
        work.finish(model)
    }

    /// The model under its new names, for exchanging values with whoever uses them.
    ///
    /// # Errors
    /// Lines that fit nothing, names that would be given twice, values of outputs that could not be told
    /// apart, and inputs that would be left out.
    pub fn dictionary(&self, model: &Model) -> Result<Dictionary, Vec<WrongLine>> {
        let mut work = Work::new(self, model);
        work.add_columns(model);
        work.add_values(model);
        work.into_dictionary(model)
    }
}

impl Renamed {
    /// A test under its new names.
    pub fn titled<'a>(&'a self, idx: usize, old: &Titled<'_>) -> Titled<'a> {
        let name = |name: &String| self.names.get(name).cloned();
        let open = old.open.iter().map(|names| {
            // What is left out may still be why the rest of a test can't be judged.
            names.iter().map(|old| name(old).unwrap_or_else(|| old.clone())).collect()
        });
        Titled {
            title: old.title.clone(),
            trace: &self.traces[idx],
            goals: old.goals.clone(),
            open: open.collect(),
        }
    }
}

/// Parses a line; `None` if it is empty.
fn parse_line(number: usize, line: &str) -> Result<Option<Line>, String> {
    let line = uncommented(line).trim();
    if line.is_empty() {
        return Ok(None);
    }
    let Some((left, right)) = line.split_once('=') else {
        return Err("expected `name = other` or `name : value = other`".into());
    };
    let (name, value) = match left.split_once(':') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_string())),
        None => (left.trim(), None),
    };
    if name.is_empty() || value.as_ref().is_some_and(String::is_empty) {
        return Err("there is nothing before the `=` or the `:`".into());
    }
    let right = right.trim();
    let (becomes, is_quoted) = match right.strip_prefix('"') {
        Some(_) => match serde_json::from_str(right) {
            Ok(text) => (text, true),
            Err(_) => return Err("a text in quotation marks is written as in JSON".into()),
        },
        None => (right.to_string(), false),
    };
    if value.is_some() && becomes.is_empty() && !is_quoted {
        return Err("a value can't be left out; write `\"\"` for an empty text".into());
    }
    Ok(Some(Line { number, name: name.into(), value, becomes, is_quoted }))
}

/// A line without its comment. Names may contain `#`, so one begins only after a blank.
fn uncommented(line: &str) -> &str {
    let mut is_free = true;
    let mut is_quoted = false;
    let mut chars = line.char_indices();
    while let Some((idx, c)) = chars.next() {
        match c {
            '#' if is_free && !is_quoted => return &line[..idx],
            // In a text, a backslash takes the meaning of what follows.
            '\\' if is_quoted => drop(chars.next()),
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        is_free = c.is_whitespace();
    }
    line
}

/// Matches a name against a pattern in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        let cases = [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*c*e", "abcde", true),
            ("a*e*c", "abcde", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
            ("q[*]", "q[12]", true),
        ];
        for (pattern, name, is_meant) in cases {
            assert_eq!(fits(pattern, name), is_meant, "{pattern} {name}");
        }
    }

    #[test]
    fn comments_begin_after_blanks_only() {
        let line = |text: &str| parse_line(1, text).ok().flatten().map(|it| (it.name, it.becomes));
        assert_eq!(line("a#b = c#d # e"), Some(("a#b".into(), "c#d".into())));
        assert_eq!(line("a = \"x # y\" # z"), Some(("a".into(), "x # y".into())));
        assert_eq!(line("# a = b"), None);
        assert_eq!(line(r#"a = "b\" # c""#), Some(("a".into(), "b\" # c".into())));
        assert_eq!(line(r#"a = "b\\" # c"#), Some(("a".into(), "b\\".into())));
    }
}
