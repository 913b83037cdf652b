//! Names that SAL takes, all different.
//!
//! A name that SAL takes stays as it is. In others every run of characters that SAL has no place for
//! becomes one underscore, so that `a.b[3]` is `a_b_3`; a number tells apart what would be the same.

use rustc_hash::FxHashSet;

/// Keywords, in any case, and the operators that are words.
const KEYWORDS: &[&str] = &[
    "type",
    "array",
    "of",
    "with",
    "lambda",
    "forall",
    "exists",
    "let",
    "in",
    "if",
    "then",
    "else",
    "elsif",
    "endif",
    "begin",
    "end",
    "rename",
    "to",
    "context",
    "module",
    "input",
    "output",
    "global",
    "local",
    "initialization",
    "definition",
    "transition",
    "theorem",
    "lemma",
    "claim",
    "obligation",
    "observe",
    "implements",
    "datatype",
    "state_type",
    "init_pred",
    "trans_pred",
    "scalarset",
    "ringset",
    "importing",
    "suffix",
    "prefix",
    "and",
    "or",
    "not",
    "xor",
    "div",
    "mod",
];

/// What is declared in every context: a second meaning would hide it.
const PRELUDE: &[&str] = &[
    "bool",
    "boolean",
    "BOOLEAN",
    "number",
    "real",
    "REAL",
    "int",
    "integer",
    "INTEGER",
    "nat",
    "natural",
    "NATURAL",
    "nzint",
    "NZINTEGER",
    "nzreal",
    "NZREAL",
    "nznat",
    "char",
    "string",
    "TRUE",
    "FALSE",
    "true",
    "false",
    "min",
    "max",
    "exp",
    "up_to",
    "below",
    "above",
    "nor",
    "nand",
    "xnor",
    "rpred",
    "rsucc",
    "dbg_print",
    "dbg_expr",
    "G",
    "F",
    "X",
    "U",
    "R",
    "W",
    "M",
    "AG",
    "EF",
    "AF",
    "EG",
    "AX",
    "EX",
    "AU",
    "EU",
    "AR",
    "ER",
];

/// The names of one context.
#[derive(Debug)]
pub(super) struct Names {
    used: FxHashSet<String>,
}

impl Names {
    /// Nothing is declared yet but the prelude.
    pub fn new() -> Names {
        Names { used: PRELUDE.iter().map(|&name| name.into()).collect() }
    }

    /// A name for each of these, in order. Those that can stay do, whatever comes before them.
    pub fn all<'n>(&mut self, wanted: impl Iterator<Item = &'n str>) -> Vec<String> {
        let wanted: Vec<&str> = wanted.collect();
        let kept: Vec<bool> = wanted.iter().map(|name| self.takes(name)).collect();
        let named = wanted.iter().zip(kept);
        named.map(|(&name, kept)| if kept { name.into() } else { self.fresh(name) }).collect()
    }

    /// A name like this one that nothing has.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let name = identifier(wanted);
        if self.takes(&name) {
            return name;
        }
        let mut number = 2;
        loop {
            let numbered = format!("{name}_{number}");
            if self.takes(&numbered) {
                return numbered;
            }
            number += 1;
        }
    }

    /// Declares the name, if that is possible.
    fn takes(&mut self, name: &str) -> bool {
        is_identifier(name) && !is_keyword(name) && self.used.insert(name.into())
    }
}

/// An identifier like this text, which may be a keyword.
fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut has_gap = false;
    for c in text.replace("[-", "[minus_").chars() {
        if c.is_ascii_alphanumeric() || c == '_' || (c == '?' && !name.is_empty()) {
            if has_gap && !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            has_gap = false;
            name.push(c);
        } else {
            has_gap = true;
        }
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert_str(0, "n_");
    }
    // A lone underscore is no name.
    if name.bytes().all(|byte| byte == b'_') {
        name.push_str("name");
    }
    name
}

/// A name for a context, after a file.
pub fn context_name(stem: &str) -> String {
    let name = identifier(stem);
    if is_keyword(&name) { format!("{name}_") } else { name }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '?')
        && name != "_"
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_stay_and_others_give_way() {
        let mut names = Names::new();
        let wanted = ["a.b[3]", "a_b_3", "G", "End", "x y", "3", "_", "läuft", "nil?", "a_b_3"];
        let given = names.all(wanted.into_iter());
        let expected =
            ["a_b_3_2", "a_b_3", "G_2", "End_2", "x_y", "n_3", "_name", "l_uft", "nil?", "a_b_3_3"];
        assert_eq!(given, expected);
    }
}
