//! How many rounds it takes to resolve inconclusive tests: the experiment of Fraser and Wotawa,
//! "Nondeterministic testing with linear model-checker counterexamples" (2007), sections 5 and 6.
//!
//! The goals come from the deterministic model, the tests from the nondeterministic one, a test a goal.
//! They are executed on an implementation that does what the deterministic model says, and on one that
//! always chooses the opposite. Each test that stays inconclusive is extended on its own, until it reaches
//! the goals that it was made for. A choice that the deterministic model does not have violates nearly every
//! reflected property, so there each trap has a suite of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::{Args, root};

/// A criterion: the paper's name, ours, and what the paper reports of tests, of inconclusive ones, and of
/// iterations.
const METHODS: [(&str, &str, [usize; 3]); 5] = [
    ("state", "value", [211, 0, 1]),
    ("transition", "branch", [13, 1, 1]),
    ("condition", "condition", [27, 3, 1]),
    ("transition pair", "branch-pair", [87, 21, 3]),
    ("reflection", "mutation", [289, 32, 4]),
];

/// Where files go, and what is run.
struct Place {
    dir: PathBuf,
    binary: PathBuf,
}

/// Prints the table; false if something stays inconclusive or takes more rounds than in the paper.
pub fn run(args: &Args) -> Result<bool, String> {
    let us = std::env::current_exe().map_err(|e| e.to_string())?;
    let binary = args.binary.clone().unwrap_or_else(|| us.with_file_name("trapline"));
    let dir = std::env::temp_dir().join(format!("trapline-rounds-{}", std::process::id()));
    fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let place = Place { dir, binary };
    println!(
        "| criterion | paper: tests | inconclusive | rounds | here: tests | inconclusive | rounds | \
         with the opposite choices | rounds |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut is_good = true;
    for (name, criterion, [n_tests, n_inconclusive, n_rounds]) in METHODS {
        let suites = place.suites(criterion)?;
        let mut cells = vec![name.to_string()];
        cells.extend([n_tests, n_inconclusive, n_rounds].map(|number| number.to_string()));
        cells.push(suites.iter().map(|suite| suite.n_tests).sum::<usize>().to_string());
        for choice in ["0", "1"] {
            let mut n_open = 0;
            let mut rounds = Some(0);
            for suite in &suites {
                let (here, needed) = place.resolve(suite, choice)?;
                n_open += here;
                rounds = rounds.zip(needed).map(|(most, needed): (usize, usize)| most.max(needed));
            }
            is_good &= rounds.is_some_and(|rounds| rounds <= n_rounds);
            cells.push(n_open.to_string());
            cells.push(rounds.map_or("not all".into(), |rounds| rounds.to_string()));
        }
        println!("| {} |", cells.join(" | "));
    }
    fs::remove_dir_all(&place.dir).map_err(|e| e.to_string())?;
    Ok(is_good)
}

fn models() -> [PathBuf; 2] {
    let dir = root().join("examples/safety-injection/choices");
    ["deterministic.smv", "nondeterministic.smv"].map(|name| dir.join(name))
}

/// Tests, and the options that select their goals.
struct Suite {
    path: PathBuf,
    options: Vec<String>,
    n_tests: usize,
}

impl Place {
    /// Makes a test for each goal.
    fn suites(&self, criterion: &str) -> Result<Vec<Suite>, String> {
        if criterion != "mutation" {
            return Ok(vec![self.generate(criterion, &["--criteria", criterion])?]);
        }
        let mut suites = Vec::new();
        for (idx, trap) in self.traps()?.iter().enumerate() {
            let path = self.dir.join(format!("trap{idx}.txt"));
            fs::write(&path, trap).map_err(|e| e.to_string())?;
            let path = path.display().to_string();
            let options = ["--criteria", "trap", "--traps", &path];
            suites.push(self.generate(&format!("trap{idx}"), &options)?);
        }
        Ok(suites)
    }

    fn generate(&self, name: &str, options: &[&str]) -> Result<Suite, String> {
        let [_, model] = models();
        let path = self.dir.join(format!("{name}.json"));
        let mut words = vec!["generate".to_string(), model.display().to_string()];
        words.extend(options.iter().map(ToString::to_string));
        let strategy = ["--strategy", "separate", "--no-minimise", "-q", "-o"];
        words.extend(strategy.map(String::from));
        words.push(path.display().to_string());
        self.call(&words, None)?;
        let n_tests = read(&path)?["tests"].as_array().map_or(0, Vec::len);
        let options = options.iter().map(ToString::to_string).collect();
        Ok(Suite { path, options, n_tests })
    }

    /// The traps of the mutants that the deterministic model can kill: a reflection of its transition
    /// relation, mutated.
    fn traps(&self) -> Result<Vec<String>, String> {
        let [model, _] = models();
        let model = model.display().to_string();
        let words =
            ["goals", &model, "--criteria", "mutation", "--verdicts", "--format", "json", "-q"];
        let goals = self.call(&words.map(String::from), None)?;
        let goals: Json = serde_json::from_str(&goals).map_err(|e| e.to_string())?;
        let mut lines = Vec::new();
        for (idx, goal) in goals["goals"].as_array().into_iter().flatten().enumerate() {
            if let Some(trap) = goal["trap"].as_str().filter(|_| goal["verdict"] == "covered") {
                // What is claimed of the initial state alone needs no monitor here.
                lines.push(match trap.strip_prefix("!(__first & ") {
                    Some(rest) => format!("LTLSPEC NAME m{idx} := !({rest}\n"),
                    None => format!("INVARSPEC NAME m{idx} := {trap}\n"),
                });
            }
        }
        Ok(lines)
    }

    /// How many tests are inconclusive at first, and after how many rounds none is.
    fn resolve(&self, suite: &Suite, choice: &str) -> Result<(usize, Option<usize>), String> {
        let first = self.execute(suite, &[], choice)?;
        let tests = first["tests"].as_array().into_iter().flatten();
        let open: Vec<&str> = tests
            .filter(|test| test["verdict"] == "inconclusive")
            .filter_map(|test| test["name"].as_str())
            .collect();
        if first["failed"] != 0 || first["errors"] != 0 {
            return Err("the implementation conforms, and a test fails".into());
        }
        let mut most = 0;
        for name in &open {
            let run = self.execute(suite, &["--extend", "--refine", "--test", name], choice)?;
            if run["passed"] != 1 || reaches_less(&run, &read(&suite.path)?, name) {
                return Ok((open.len(), None));
            }
            most = most.max(run["rounds"].as_array().map_or(0, Vec::len));
        }
        Ok((open.len(), Some(most)))
    }

    fn execute(&self, suite: &Suite, more: &[&str], choice: &str) -> Result<Json, String> {
        let [model, _] = models();
        let implementation = model.with_file_name("implementation.py");
        let [_, model] = models();
        let mut words = vec!["run".to_string(), model.display().to_string()];
        words.push(suite.path.display().to_string());
        words.extend(suite.options.iter().cloned());
        let sut = format!("python3 {}", implementation.display());
        words.extend(["--sut", &sut, "--format", "json", "-q"].map(String::from));
        words.extend(more.iter().map(ToString::to_string));
        let text = self.call(&words, Some(choice))?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }

    fn call(&self, words: &[String], choice: Option<&str>) -> Result<String, String> {
        let mut command = Command::new(&self.binary);
        command.args(words).envs(choice.map(|choice| ("CHOICE", choice)));
        let output = command.output().map_err(|e| format!("{}: {e}", self.binary.display()))?;
        match output.status.code() {
            Some(0 | 3) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

/// Does a run leave out a goal that its test was made for?
fn reaches_less(run: &Json, suite: &Json, test: &str) -> bool {
    let tests = suite["tests"].as_array().into_iter().flatten();
    let covers = tests.filter(|it| it["name"] == test).filter_map(|it| it["covers"].as_array());
    let reached = &run["tests"][0]["reached"];
    let reached = reached.as_array().map_or(&[][..], Vec::as_slice);
    covers.flatten().any(|goal| !reached.contains(goal))
}

fn read(path: &Path) -> Result<Json, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| e.to_string())
}
