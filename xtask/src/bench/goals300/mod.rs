//! Thousands of goals on a model of 300 variables: how many does each engine decide, and how fast?
//! Our engines search for all of them at once, as for a test suite. NuSMV gets some of them, as
//! invariants that state that they are unreachable.

mod plant;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trapline_engine::{Budget, Engine, Limits, Start, Verdict};
use trapline_model::Formula;
use trapline_model::goal::Target;

use super::hard::{Contestant, Performance};
use super::theirs::{self, Property};
use super::tools::{self, Tools};
use super::vs_nusmv::write;
use crate::reading::{self, How};
use crate::{Args, memory};

/// How many goals there are.
const N_GOALS: usize = 5000;

/// How many of them NuSMV gets.
const SAMPLE: usize = 12;

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Who runs when nobody is named.
const WHO: [&str; 4] = ["sat", "auto", "nusmv", "nusmv-bmc"];

/// The table's head.
const HEAD: &str = "\
| engine | goals | covered | infeasible | unknown | seconds | goals per second | tests/states |\n\
|---|--:|--:|--:|--:|--:|--:|--:|";

/// How many traces cover the goals, and how many states they have.
type Tests = Option<(usize, usize)>;

/// Nothing here needs more.
const MEMORY: u64 = 8 << 30;

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
    let some =
        listed(&tools, ask(&tools, "goals300-sample", &goals[..args.sample.unwrap_or(SAMPLE)])?)?;
    for question in [&all, &some] {
        keep(args, &question.path)?;
    }
    println!("{HEAD}");
    let (mut lines, mut performances) = (HEAD.to_string(), Vec::new());
    for contestant in &contestants {
        let (performance, tests) = match contestant {
            Contestant::Ours(engine) => reach(*engine, &all, tools.limit)?,
            _ => {
                let done = contestant.perform(&tools, &some.path, &some.properties);
                (done.map_err(|e| e.to_string())?, None)
            }
        };
        let line = line(*contestant, &performance, tests);
        println!("{line}");
        if args.show && contestant.is_ours() {
            let said = goals.iter().zip(&performance.verdicts);
            said.filter(|(_, said)| said.is_none())
                .for_each(|(goal, _)| println!("UNKNOWN {goal}"));
        }
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

/// Asks an engine for all goals: from the text of the model to verdicts and traces.
fn reach(
    engine: Engine,
    question: &Question,
    limit: Duration,
) -> Result<(Performance, Tests), String> {
    let start = Instant::now();
    let text = fs::read_to_string(&question.path).map_err(|e| e.to_string())?;
    let reading = reading::read("goals300", &text, How { strict: true, quick: true });
    if let Some(error) = reading.error() {
        return Err(format!("{}: {}", question.path.display(), error.message));
    }
    let mut model = reading.model;
    let mut targets = Vec::new();
    for property in &model.properties {
        let Formula::Holds(clause) = property.formula else {
            return Err("a property is no invariant".into());
        };
        targets.push(Target::State(model.exprs.not(clause.expr)));
    }
    let limits = Limits { time: Some(limit), memory: Some(MEMORY), ..Limits::default() };
    let allocated = || memory::used();
    let budget = Budget::new(limits).with_memory(&allocated);
    let reached = (engine.reach)(&model, &targets, &Start::Initial, &budget);
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Reached { .. } => Some("false".to_string()),
        Verdict::Unreachable(_) => Some("true".to_string()),
        Verdict::Unknown(_) => None,
    };
    let performance = Performance {
        verdicts: reached.verdicts.iter().map(verdict).collect(),
        seconds: start.elapsed().as_secs_f64(),
        trouble: None,
    };
    let n_states = reached.traces.iter().map(|trace| trace.states.len()).sum();
    Ok((performance, Some((reached.traces.len(), n_states))))
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
fn line(contestant: Contestant, performance: &Performance, tests: Tests) -> String {
    let n_with = |verdict: Option<&str>| {
        performance.verdicts.iter().filter(|said| said.as_deref() == verdict).count()
    };
    let mark = if performance.trouble.is_some() { "!" } else { "" };
    let tests = tests.map_or(String::new(), |(n_tests, n_states)| format!("{n_tests}/{n_states}"));
    format!(
        "| {} | {} | {} | {} | {} | {mark}{:.1} | {:.1} | {tests} |",
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
