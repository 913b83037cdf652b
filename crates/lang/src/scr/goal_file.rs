//! Files with goals of the user's, one a line.
//!
//! ```text
//! -- a comment
//! Pressure = High AND Overridden        something to reach, of a state or a step
//! deep: WaterPres = 200                 the same, with a name
//! LTL G (Reset = On => F NOT Blocked)   a never-claim: something to violate
//! ```

use trapline_model::PropertyKind;
use trapline_source::{Diagnostics, SourceFile};

use super::expression::Grammar;
use super::layout::Piece;
use super::lower::Lowered;
use super::parser;
use super::syntax::{Code, Spec};
use crate::{FileGoal, Options};

/// What stands in such a file, for people.
pub const GOAL_FILE: &[(&str, &str)] = &[
    ("CONDITION", "a state to reach; with a primed name or an event in it, a step"),
    ("ASSERT CONDITION", "a state or step to reach in which it is false"),
    ("LTL FORMULA", "a path to find that violates it"),
    ("CTL FORMULA", "the same, if a single path shows the violation"),
    ("NAME: CONDITION", "a goal with a name, also behind a keyword"),
];

/// A goal as it was read.
pub struct Entry {
    name: String,
    claim: Option<PropertyKind>,
    code: Option<Code>,
}

/// The goals of a text.
pub fn read(spec: &mut Spec, file: &SourceFile, findings: &mut Diagnostics) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (line_idx, line) in Piece::whole(file).lines().enumerate() {
        let end = line.text.find("--").unwrap_or(line.text.len());
        let line = line.part(0..end).trimmed();
        if line.text.is_empty() {
            continue;
        }
        let word = line.text.split_whitespace().next().unwrap_or_default();
        let claim = match word {
            "ASSERT" => Some(PropertyKind::Invar),
            "CTL" => Some(PropertyKind::Ctl),
            "LTL" => Some(PropertyKind::Ltl),
            _ => None,
        };
        let grammar = match claim {
            Some(PropertyKind::Ctl) => Grammar::Ctl,
            Some(PropertyKind::Ltl) => Grammar::Ltl,
            _ => Grammar::Plain,
        };
        let start = if claim.is_some() { word.len() } else { 0 };
        let (name, body) = parser::named(line.part(start..line.text.len()).trimmed());
        let name = name.map_or(format!("line{}", line_idx + 1), |name| name.text.into());
        let code = parser::expression(spec, body, grammar, findings);
        entries.push(Entry { name, claim, code });
    }
    entries
}

/// A goal over the model.
pub fn lower(
    entry: Entry,
    spec: &Spec,
    lowered: &mut Lowered,
    options: &Options,
    findings: &mut Diagnostics,
) -> FileGoal {
    let Entry { name, claim, code } = entry;
    let clause = code.and_then(|code| match claim {
        Some(PropertyKind::Ctl | PropertyKind::Ltl) => {
            lowered.formula(spec, code, options, findings)
        }
        _ => lowered.expression(spec, code, options, findings),
    });
    FileGoal { name, clause, claim }
}
