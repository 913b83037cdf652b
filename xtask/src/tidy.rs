//! Tidy: the architectural rules that the compiler does not enforce.
//!
//! Crates depend on each other only as ARCHITECTURE.md says, which names only what exists; only `cli` does IO, only
//! `lang` knows a language, only `model::transform` makes models from models, and no test is left out.

mod language;
mod pages;

use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may use of the others.
const ARROWS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("budget", &[]),
    ("model", &["source", "budget"]),
    ("lang", &["source", "budget", "model"]),
    ("engine", &["source", "budget", "model"]),
    ("goals", &["source", "budget", "model", "engine"]),
    ("suite", &["source", "budget", "model", "engine", "goals"]),
    ("report", &["source", "model", "suite"]),
    ("cli", &["source", "budget", "model", "lang", "engine", "goals", "suite", "report"]),
    ("testkit", &["source", "budget", "model", "lang", "engine", "goals", "suite", "report"]),
];

/// Crates that may read files and talk to the terminal.
const WITH_IO: &[&str] = &["cli"];

/// What does IO.
const IO: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::env",
    "std::time",
];

/// Crates that make models, by reading or by transforming them.
const MAKE_MODELS: &[&str] = &["model", "lang"];

/// What adds to a model by hand. Elsewhere `model::transform` does it, so that names are fresh and
/// traces find their way back.
const BY_HAND: &[&str] = &[
    "model.vars.push(Var {",
    "model.defines.push(Define {",
    "model.assigns.push(Assign {",
    "model.constraints.push(Constraint {",
    "model.properties.push(Property {",
];

/// What is allowed in single files, and why.
const EXEMPT: &[(&str, &str, &str)] = &[(
    "crates/budget/src/lib.rs",
    "std::time",
    "what may take long is limited in time, and this is the one clock that all loops ask",
)];

/// Checks the checkout below `root`; prints what is wrong.
pub fn run(root: &Path) -> Result<bool, String> {
    let mut problems = Vec::new();
    for path in entries(&root.join("crates"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match ARROWS.iter().find(|(crate_name, _)| *crate_name == name) {
            None => problems.push(format!("crates/{name}: not in the table of xtask/src/tidy.rs")),
            Some((_, allowed)) => check_crate(root, &name, allowed, &mut problems)?,
        }
    }
    problems.extend(language::problems(root)?);
    problems.extend(pages::problems(root)?);
    for problem in &problems {
        println!("{problem}");
    }
    println!("tidy: {} problems", problems.len());
    Ok(problems.is_empty())
}

fn check_crate(
    root: &Path,
    name: &str,
    allowed: &[&str],
    problems: &mut Vec<String>,
) -> Result<(), String> {
    let path = root.join("crates").join(name);
    let manifest = read(&path.join("Cargo.toml"))?;
    problems.extend(forbidden_uses(&manifest, name, allowed));
    problems.extend(unlisted_tests(root, &path)?);
    if WITH_IO.contains(&name) {
        return Ok(());
    }
    for file in files(&path.join("src"), &["rs"])? {
        let text = read(&file)?;
        let file = file.strip_prefix(root).unwrap_or(&file).to_string_lossy();
        let found = io_in(&text).filter(|what| !is_exempt(&file, what));
        problems.extend(found.map(|what| format!("{file}: {what} in a crate that does no IO")));
        if !MAKE_MODELS.contains(&name) && !file.contains("tests") {
            let found = by_hand(&text);
            problems.extend(found.map(|what| format!("{file}: {what} outside model::transform")));
        }
    }
    Ok(())
}

/// Dependencies of a manifest on crates that the table does not allow; tests may use any.
fn forbidden_uses(manifest: &str, name: &str, allowed: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut in_dependencies = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        }
        let used = line.strip_prefix("trapline-").filter(|_| in_dependencies);
        let used = used.and_then(|rest| rest.split(['.', ' ', '=']).next());
        if let Some(used) = used.filter(|used| !allowed.contains(used)) {
            problems.push(format!("crates/{name} may not use crates/{used}"));
        }
    }
    problems
}

/// Files beside a `tests/main.rs` that it does not list: their tests would never run.
fn unlisted_tests(root: &Path, crate_folder: &Path) -> Result<Vec<String>, String> {
    let main = crate_folder.join("tests/main.rs");
    if !main.exists() {
        return Ok(Vec::new());
    }
    let text = read(&main)?;
    let files = entries(&crate_folder.join("tests"))?;
    let unlisted = files.iter().filter(|file| **file != main && !lists(&text, file));
    let problem = |file: &PathBuf| {
        let file = file.strip_prefix(root).unwrap_or(file).display().to_string();
        format!("{file}: not a module of the main.rs beside it")
    };
    Ok(unlisted.map(problem).collect())
}

fn lists(main: &str, file: &Path) -> bool {
    let module = format!("mod {};", file.file_stem().unwrap_or_default().display());
    file.extension().is_none_or(|ending| ending != "rs") || main.lines().any(|line| line == module)
}

fn by_hand(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    BY_HAND.iter().copied().filter(|what| text.contains(what))
}

fn io_in(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    IO.iter().copied().filter(|what| text.contains(what))
}

fn is_exempt(file: &str, what: &str) -> bool {
    EXEMPT.iter().any(|(exempt, allowed, _)| *exempt == file && *allowed == what)
}

/// The files below a folder that end like this, sorted.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| endings.iter().any(|known| ending == *known))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(wrong)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(wrong)).collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_arrow_is_found() {
        let manifest = "[dependencies]\ntrapline-engine.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\ntrapline-lang.workspace = true\n";
        assert_eq!(
            forbidden_uses(manifest, "model", &["source"]),
            ["crates/model may not use crates/engine"]
        );
        assert!(forbidden_uses(manifest, "goals", &["engine"]).is_empty());
    }

    #[test]
    fn only_tests_use_the_testkit() {
        let uses = "[dependencies]\ntrapline-testkit.workspace = true\n";
        for (name, allowed) in ARROWS {
            assert_eq!(forbidden_uses(uses, name, allowed).len(), 1, "{name}");
        }
    }

    #[test]
    fn a_test_that_is_not_listed_is_found() {
        let main = "//! Tests.\n\nmod laws;\n";
        assert!(lists(main, Path::new("tests/laws.rs")));
        assert!(lists(main, Path::new("tests/model.smv")));
        assert!(!lists(main, Path::new("tests/law.rs")));
    }

    #[test]
    fn io_is_found() {
        assert_eq!(io_in("let x = std::fs::read(p);").collect::<Vec<_>>(), ["std::fs"]);
        assert_eq!(io_in("use std::fmt;").count(), 0);
    }

    #[test]
    fn what_is_added_to_a_model_by_hand_is_found() {
        let text = "model.assigns.push(Assign { kind, var, expr, parts });";
        assert_eq!(by_hand(text).collect::<Vec<_>>(), ["model.assigns.push(Assign {"]);
        assert_eq!(by_hand("model.assign(kind, var, expr, span);").count(), 0);
    }

    #[test]
    fn there_is_one_clock() {
        assert!(is_exempt("crates/budget/src/lib.rs", "std::time"));
        assert!(!is_exempt("crates/budget/src/lib.rs", "std::fs"));
        assert!(!is_exempt("crates/engine/src/solve.rs", "std::time"));
    }

    #[test]
    fn every_exemption_is_needed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (file, what, why) in EXEMPT {
            let text = read(&root.join(file)).unwrap();
            assert!(io_in(&text).any(|found| found == *what), "{file}: {what}, {why}");
        }
    }
}
