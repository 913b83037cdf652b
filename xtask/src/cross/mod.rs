//! Suites from one model scored against the goals of another, both ways: a system from tables and the
//! same one written by hand. Their variables must have the same names and values.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Args;

/// What is compared unless files are named.
const MODELS: [(&str, &str); 2] =
    [("tables.scr", include_str!("tables.scr")), ("hand.smv", include_str!("hand.smv"))];

/// The criteria, of suites and of goals.
const CRITERIA: [&str; 3] = ["branch", "mcdc-masking", "mutation"];

/// Prints the matrix, and what each suite misses.
///
/// # Errors
/// When a file can't be written or `trapline` can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let dir = std::env::temp_dir().join(format!("trapline-cross-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let models = match args.files.as_slice() {
        [] => examples(&dir)?,
        [first, second] => vec![first.clone(), second.clone()],
        _ => return Err("cross takes two models, or none for safety injection".into()),
    };
    let us = std::env::current_exe().map_err(|e| e.to_string())?;
    let binary = args.binary.clone().unwrap_or_else(|| us.with_file_name("trapline"));
    let trapline = Trapline { binary, dir: dir.clone() };
    let mut suites = Vec::new();
    for (idx, model) in models.iter().enumerate() {
        for criterion in CRITERIA {
            suites.push((model.as_path(), criterion, trapline.generate(idx, model, criterion)?));
        }
    }
    let heads =
        suites.iter().map(|(model, criterion, _)| format!("{criterion} of {}", name(model)));
    println!("| goals | {} |", heads.collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---|".repeat(suites.len()));
    let mut missed = String::new();
    for model in &models {
        for criterion in CRITERIA {
            let mut row = format!("| {criterion} of {} |", name(model));
            for (from, by, suite) in &suites {
                let score = trapline.evaluate(model, criterion, suite)?;
                row += &format!(" {} of {} |", score.n_covered, score.n_all);
                let what = format!("{criterion} of {} by {by} of {}", name(model), name(from));
                missed +=
                    &score.missed.iter().map(|id| format!("{what}: {id}\n")).collect::<String>();
            }
            println!("{row}");
        }
    }
    if args.show {
        println!("\n{missed}");
    }
    // It lies in the directory for temporary files: no harm if it stays.
    let _ = std::fs::remove_dir_all(&dir);
    Ok(true)
}

fn examples(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for (name, text) in MODELS {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|e| e.to_string())?;
        paths.push(path);
    }
    Ok(paths)
}

fn name(model: &Path) -> String {
    model.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The program, and where it leaves its suites.
struct Trapline {
    binary: PathBuf,
    dir: PathBuf,
}

/// What a suite reaches; goals that nothing reaches do not count.
struct Score {
    n_covered: u64,
    n_all: u64,
    missed: Vec<String>,
}

impl Trapline {
    fn run(&self, words: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.binary)
            .args(words)
            .output()
            .map_err(|e| format!("{}: {e}; name it with --binary", self.binary.display()))?;
        let code = output.status.code();
        // Something is not covered: that is what is asked.
        if !matches!(code, Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("trapline {}: exit {code:?}\n{said}", words.join(" ")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn generate(&self, idx: usize, model: &Path, criterion: &str) -> Result<PathBuf, String> {
        let path = self.dir.join(format!("{idx}-{criterion}.json"));
        let [model, to] = [model, &path].map(|path| path.display().to_string());
        self.run(&["generate", &model, "--criteria", criterion, "-o", &to])?;
        Ok(path)
    }

    fn evaluate(&self, model: &Path, criterion: &str, suite: &Path) -> Result<Score, String> {
        let [model, suite] = [model, suite].map(|path| path.display().to_string());
        let words = ["evaluate", &model, &suite, "--criteria", criterion, "--format", "json"];
        let text = self.run(&words)?;
        let json: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let goals = json["goals"].as_array().into_iter().flatten();
        let open = goals.filter(|goal| goal["verdict"] == "not covered");
        let missed = open.filter_map(|goal| goal["id"].as_str()).map(String::from).collect();
        let number = |field: &str| json[field].as_u64().unwrap_or_default();
        Ok(Score { n_covered: number("covered"), n_all: number("total"), missed })
    }
}
