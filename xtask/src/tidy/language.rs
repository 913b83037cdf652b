//! Only `lang` knows how a language is written: the words of SMV stand nowhere else.

use std::path::Path;

use super::{files, read};

/// The crates that know no language.
const NEUTRAL: &[&str] = &["model", "goals", "engine", "suite", "report", "cli"];

/// Words that nobody writes unless it is SMV.
const WORDS: &[&str] = &[
    "esac",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "INVARSPEC",
    "PSLSPEC",
    "COMPUTE",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "INIT",
    "INVAR",
    "TRANS",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "MODULE",
    "0ud",
    "0sd",
    "0ub",
    "0sb",
    "0uh",
    "0sh",
];

/// Files that may hold them, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("crates/model/src/notation.rs", "values in files are in NuSMV's notation, by contract"),
    ("crates/suite/src/read/value.rs", "it reads that notation"),
];

/// Words that mean something else in a crate.
const OTHERWISE: &[(&str, &str, &str)] =
    &[("cli", "MODULE", "the value of an option that takes the name of a module")];

/// Where a crate speaks SMV.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for name in NEUTRAL {
        for file in files(&root.join("crates").join(name).join("src"), &["rs", "js", "jinja"])? {
            let text = read(&file)?;
            let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
            if is_test(&path) || EXEMPT.iter().any(|(exempt, _)| *exempt == path) {
                continue;
            }
            let found = words_in(&text).into_iter().filter(|(_, word)| !is_other(&path, word));
            problems.extend(found.map(|(line, word)| {
                format!("{path}:{line}: `{word}` is a word of SMV; ask the model's syntax")
            }));
        }
    }
    Ok(problems)
}

fn is_other(path: &str, word: &str) -> bool {
    let mut others = OTHERWISE.iter();
    others.any(|(name, other, _)| *other == word && path.starts_with(&format!("crates/{name}/")))
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// The words outside the tests at the end of a file, with their lines.
fn words_in(text: &str) -> Vec<(usize, &'static str)> {
    let code = text.lines().take_while(|line| *line != "#[cfg(test)]").enumerate();
    let found = code.flat_map(|(idx, line)| {
        let words = WORDS.iter().filter(move |word| holds(line, word));
        words.map(move |word| (idx + 1, *word))
    });
    found.collect()
}

/// Is it a word of the line? What begins a literal may go on.
fn holds(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let ends = !line[at + word.len()..].starts_with(is_part) || word.starts_with('0');
        ends && !line[..at].ends_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_code_and_comments() {
        let text = "let x = \"INVARSPEC\";\n/// an `IVAR` of 0ud8_3\n#[cfg(test)]\nesac\n";
        assert_eq!(words_in(text), [(1, "INVARSPEC"), (2, "IVAR"), (2, "0ud")]);
        let plain = "const TRANSITIONS: u8 = SPECIAL; // a specification, 10ud\n";
        assert_eq!(words_in(plain), []);
    }

    #[test]
    fn every_exemption_is_needed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (file, why) in EXEMPT {
            assert!(!words_in(&read(&root.join(file)).unwrap()).is_empty(), "{file}: {why}");
        }
    }
}
