//! Coverage as an LCOV tracefile, which editors and CI show beside the text of the model.
//!
//! The format is that of geninfo(1): `DA` for lines, `BRDA` for branches, and since version 2.2
//! `MCDC` for conditions, once for each sense. Version 1.16 drops branches with textual ids and
//! unknown lines, so branches have numbers, and a comment before each describes it.

use std::collections::BTreeMap;

/// What is known of one source file.
#[derive(Clone, Debug, Default)]
pub struct Lcov {
    /// Its path.
    pub path: String,
    /// For each line with goals, how many tests reach one of them.
    pub lines: BTreeMap<u32, usize>,
    /// The branches.
    pub branches: Vec<Branch>,
    /// The conditions that a pair of evaluations should show.
    pub conditions: Vec<Condition>,
}

/// A branch, or one value of a decision or condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its line.
    pub line: u32,
    /// Those that belong together have the same number.
    pub block: usize,
    /// What it is.
    pub name: String,
    /// How many tests take it.
    pub n_tests: usize,
}

/// A condition of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its line.
    pub line: u32,
    /// How many conditions the decision has.
    pub n_conditions: usize,
    /// Which of them it is.
    pub index: usize,
    /// What it is.
    pub name: String,
    /// How many tests show that it matters.
    pub n_tests: usize,
}

/// The tracefile.
pub fn write(lcov: &Lcov) -> String {
    let Lcov { path, lines, branches, conditions } = lcov;
    let mut text = format!("TN:\nSF:{path}\n");
    let mut blocks: BTreeMap<(u32, usize), usize> = BTreeMap::new();
    for Branch { line, block, name, n_tests } in branches {
        let number = blocks.entry((*line, *block)).or_default();
        text += &format!("# {line},{block},{number}: {}\n", plain(name, *number));
        text += &format!("BRDA:{line},{block},{number},{n_tests}\n");
        *number += 1;
    }
    let n_taken = branches.iter().filter(|branch| branch.n_tests > 0).count();
    if !branches.is_empty() {
        text += &format!("BRF:{}\nBRH:{n_taken}\n", branches.len());
    }
    for Condition { line, n_conditions, index, name, n_tests } in conditions {
        for sense in ["t", "f"] {
            let name = plain(name, *index);
            text += &format!("MCDC:{line},{n_conditions},{sense},{n_tests},{index},{name}\n");
        }
    }
    let n_shown = conditions.iter().filter(|condition| condition.n_tests > 0).count();
    if !conditions.is_empty() {
        text += &format!("MCF:{}\nMCH:{}\n", 2 * conditions.len(), 2 * n_shown);
    }
    for (line, n_tests) in lines {
        text += &format!("DA:{line},{n_tests}\n");
    }
    let n_hit = lines.values().filter(|n_tests| **n_tests > 0).count();
    text + &format!("LF:{}\nLH:{n_hit}\nend_of_record\n", lines.len())
}

/// A name without what separates fields; a number if nothing is left of it.
fn plain(name: &str, number: usize) -> String {
    let kept: String = name.chars().filter(|c| !c.is_control() && *c != ',').collect();
    if kept.trim().is_empty() { number.to_string() } else { kept }
}
