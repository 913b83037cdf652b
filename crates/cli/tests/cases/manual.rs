//! The list of diagnostic codes in the manual, the codes in the sources and the cases agree, and so
//! do the criteria and their pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use trapline_goals::CRITERIA;

use crate::{Test, root};

/// The tests of this file.
pub const TESTS: &[Test] = &[
    ("manual/every_code_has_a_line_in_the_manual", every_code_has_a_line),
    ("manual/every_line_of_the_manual_is_a_code", every_line_is_a_code),
    ("manual/the_codes_are_sorted", codes_are_sorted),
    ("manual/every_code_has_a_case", every_code_has_a_case),
    ("manual/every_criterion_has_a_page_with_an_example", every_criterion_has_a_page),
];

fn every_code_has_a_line() -> Result<(), String> {
    let listed: BTreeSet<String> = listed()?.into_iter().collect();
    none("not in docs/manual/diagnostics.md", source_codes()?.difference(&listed))
}

fn every_line_is_a_code() -> Result<(), String> {
    let listed: BTreeSet<String> = listed()?.into_iter().collect();
    none("in docs/manual/diagnostics.md, but in no source", listed.difference(&source_codes()?))
}

fn codes_are_sorted() -> Result<(), String> {
    let listed = listed()?;
    let wrong = listed.windows(2).filter(|pair| pair[0] >= pair[1]).map(|pair| &pair[1]);
    none("not in its place in docs/manual/diagnostics.md", wrong)
}

fn every_code_has_a_case() -> Result<(), String> {
    let mut expected = String::new();
    visit(&root().join("tests/cases"), &mut |path, text| {
        if path.ends_with("expected") {
            expected += text;
        }
    })?;
    let codes = source_codes()?;
    let missing = codes.iter().filter(|code| !expected.contains(&format!("[{code}]")));
    none("in no case under tests/cases", missing)
}

fn every_criterion_has_a_page() -> Result<(), String> {
    let index = read(&root().join("docs/manual/criteria/README.md"))?;
    let mut problems = Vec::new();
    for criterion in CRITERIA {
        problems.extend(check_page(criterion.name).err());
        if !index.contains(&format!("({}.md)", criterion.name)) {
            problems
                .push(format!("docs/manual/criteria/README.md has no link to {}", criterion.name));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// The page of a criterion shows what a command prints for it, which is tested as documentation.
fn check_page(name: &str) -> Result<(), String> {
    let page = format!("docs/manual/criteria/{name}.md");
    let text = read(&root().join(&page))?;
    let has_example =
        text.contains(&format!("--criteria {name}")) && text.contains("```text output");
    if has_example { Ok(()) } else { Err(format!("{page} shows no goals of `{name}`")) }
}

fn none<'a>(what: &str, codes: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let codes: Vec<&str> = codes.map(String::as_str).collect();
    if codes.is_empty() { Ok(()) } else { Err(format!("{what}: {}", codes.join(", "))) }
}

/// The codes of the manual: the first cell of each row of the table.
fn listed() -> Result<Vec<String>, String> {
    let text = read(&root().join("docs/manual/diagnostics.md"))?;
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    Ok(rows.filter_map(|row| row.split('`').next()).map(String::from).collect())
}

fn source_codes() -> Result<BTreeSet<String>, String> {
    let mut codes = BTreeSet::new();
    let mut problems = Vec::new();
    for entry in fs::read_dir(root().join("crates")).map_err(|error| error.to_string())? {
        let folder = entry.map_err(|error| error.to_string())?.path();
        visit(&folder.join("src"), &mut |path, text| match codes_of(text) {
            Ok(found) => codes.extend(found),
            // Where diagnostics are defined their codes are parameters.
            Err(_) if path.ends_with("source/src/diagnostic.rs") => {}
            Err(why) => problems.push(format!("{}: {why}", path.display())),
        })?;
    }
    if problems.is_empty() { Ok(codes) } else { Err(problems.join("\n")) }
}

/// The codes in a source text: what stands first in `Diagnostic::error(` and `warning(`, and the
/// codes of failures (`FailureKind::Overflow => "overflow"`). Anything else could not be found.
pub fn codes_of(text: &str) -> Result<BTreeSet<String>, String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut codes = BTreeSet::new();
    let mut has_other = false;
    let calls = ["Diagnostic::error(", "Diagnostic::warning("];
    for after in calls.iter().flat_map(|call| text.split(call).skip(1)) {
        match literal(after) {
            Some(code) => drop(codes.insert(code.to_string())),
            None => has_other = true,
        }
    }
    let arms = text.split("FailureKind::").skip(1).filter_map(|after| after.split_once("=>"));
    let arms = arms.filter(|(kind, _)| kind.trim().chars().all(char::is_alphanumeric));
    let failures: Vec<&str> = arms.filter_map(|(_, after)| literal(after)).collect();
    // The codes of failures stand in one table, which others ask.
    let asks_table = text.contains("failure_code(");
    if has_other && failures.is_empty() && !asks_table {
        return Err("a diagnostic's code is not written where it is made".into());
    }
    if has_other {
        codes.extend(failures.iter().map(|code| code.to_string()));
    }
    Ok(codes)
}

/// The string literal that comes next, if it looks like a code.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\n', '{', '(']).strip_prefix('"')?;
    let code = text.split('"').next()?;
    let is_code = code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_code.then_some(code)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Looks at every text file below a folder, except tests of the parser and the like.
fn visit(folder: &Path, look: &mut dyn FnMut(&Path, &str)) -> Result<(), String> {
    let wrong = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() && !path.ends_with("src/smv/parser/tests") {
            visit(&path, look)?;
        } else if let (true, Ok(text)) = (path.is_file(), fs::read_to_string(&path)) {
            look(&path, &text);
        }
    }
    Ok(())
}
