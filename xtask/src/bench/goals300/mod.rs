//! Thousands of goals on a model of 300 variables: how many does each engine decide, and how fast?
//! NuSMV gets a few of them.

mod plant;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::hard::{Contestant, Performance};
use super::theirs::{self, Property};
use super::tools::{self, Tools};
use super::vs_nusmv::write;
use crate::Args;

/// How many goals there are.
const N_GOALS: usize = 5000;

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Who runs when nobody is named.
const WHO: [&str; 4] = ["sat", "auto", "nusmv", "nusmv-bmc"];

/// The table's head.
const HEAD: &str = "\
| who | goals | covered | infeasible | unknown | seconds | goals a second |\n\
|---|--:|--:|--:|--:|--:|--:|";

/// Goals as the properties of a file; NuSMV gets the first ones of ours.
struct Question {
    path: PathBuf,
    properties: Vec<Property>,
}

/// Measures; `false` when verdicts differ or one of our engines fails.
///
/// # Errors
/// When a program can't be run or a file can't be written.
pub fn run(args: &Args) -> Result<bool, String> {
    let mut tools = tools::find(args)?;
    tools.limit = args.limit.unwrap_or(LIMIT);
    let contestants: Vec<Contestant> = match &args.contestants[..] {
        [] => WHO.iter().filter_map(|name| Contestant::named(name)).collect(),
        named => named.to_vec(),
    };
    let goals = plant::goals(N_GOALS);
    let all = ask(&tools, "goals300", &goals)?;
    let some = listed(&tools, ask(&tools, "goals300-sample", &goals[..args.sample])?)?;
    for question in [&all, &some] {
        keep(args, &question.path)?;
    }
    println!("{HEAD}");
    let (mut lines, mut performances) = (HEAD.to_string(), Vec::new());
    for contestant in &contestants {
        let question = if contestant.is_ours() { &all } else { &some };
        let performance = contestant
            .perform(&tools, &question.path, &question.properties)
            .map_err(|e| e.to_string())?;
        let line = line(*contestant, &performance);
        println!("{line}");
        lines = lines + "\n" + &line;
        performances.push(performance);
    }
    tools.nusmv.clean_up();
    let troubles = troubles(&contestants, &performances);
    let differences = differences(&goals, &contestants, &performances);
    print!("{troubles}{differences}");
    write(args.versus.table.as_deref(), &format!("{lines}\n{troubles}{differences}"))?;
    let mut done = contestants.iter().zip(&performances);
    let has_failed = done.any(|(who, done)| who.is_ours() && done.trouble.is_some());
    Ok(differences.is_empty() && !has_failed)
}

/// Writes a file with a trap for each goal.
fn ask(tools: &Tools, name: &str, goals: &[String]) -> Result<Question, String> {
    let mut text = plant::model();
    for goal in goals {
        let _ = writeln!(text, "INVARSPEC !({goal})");
    }
    let path = tools.nusmv.dir.join(format!("{name}.smv"));
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    let properties = goals.iter().map(|goal| ("invariant", format!("!({goal})"))).collect();
    Ok(Question { path, properties })
}

/// Copies a file to where the user wants to look at it.
fn keep(args: &Args, path: &Path) -> Result<(), String> {
    let (Some(folder), Some(name)) = (&args.keep, path.file_name()) else { return Ok(()) };
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    fs::copy(path, folder.join(name)).map_err(failed)?;
    Ok(())
}

/// The question with the properties as NuSMV writes them.
fn listed(tools: &Tools, question: Question) -> Result<Question, String> {
    let text = fs::read(&question.path).map_err(|e| e.to_string())?;
    let properties = theirs::properties(&tools.nusmv, &text).map_err(|e| e.to_string())?;
    if properties.len() != question.properties.len() {
        return Err(format!("NuSMV does not list the goals of {}", question.path.display()));
    }
    Ok(Question { properties, ..question })
}

/// A trap that is false is a goal that is covered.
fn line(contestant: Contestant, performance: &Performance) -> String {
    let n_with = |verdict: Option<&str>| {
        performance.verdicts.iter().filter(|said| said.as_deref() == verdict).count()
    };
    let mark = if performance.trouble.is_some() { "!" } else { "" };
    format!(
        "| {} | {} | {} | {} | {} | {mark}{:.1} | {:.1} |",
        contestant.name(),
        performance.verdicts.len(),
        n_with(Some("false")),
        n_with(Some("true")),
        n_with(None),
        performance.seconds,
        performance.n_decided() as f64 / performance.seconds
    )
}

/// What should never happen, a line each.
fn troubles(contestants: &[Contestant], performances: &[Performance]) -> String {
    let mut text = String::new();
    for (contestant, performance) in contestants.iter().zip(performances) {
        if let Some(trouble) = &performance.trouble {
            let _ = writeln!(text, "TROUBLE {} {trouble}", contestant.name());
        }
    }
    text
}

/// Goals that are judged differently, a line each.
fn differences(
    goals: &[String],
    contestants: &[Contestant],
    performances: &[Performance],
) -> String {
    let mut text = String::new();
    for (idx, goal) in goals.iter().enumerate() {
        let done = contestants.iter().zip(performances);
        let said = done.filter_map(|(contestant, performance)| {
            Some((contestant.name(), performance.verdicts.get(idx)?.as_deref()?))
        });
        let said: Vec<(&str, &str)> = said.collect();
        if said.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            let _ = writeln!(text, "DIFFERENT goal {idx}, {goal}: {said:?}");
        }
    }
    text
}
