//! Suites for third-party models: every test replays, every goal reported as covered is reached by
//! the tests named for it, no test reaches any other goal, both strategies agree, and NuSMV confirms
//! that a sample of the tests are paths of the model.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trapline_engine::{Budget, Engine, Limits};
use trapline_goals::{GoalSet, derive};
use trapline_model::Model;
use trapline_model::replay::Replayer;
use trapline_model::trace::Trace;
use trapline_suite::generate::{Options, Strategy, generate};
use trapline_suite::journal::NoJournal;
use trapline_suite::monitors::Monitors;
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::{Missing, Suite, assemble};

use crate::corpus::{file_name, models};
use crate::nusmv::Nusmv;
use crate::paths::{Opinion, opinion};
use crate::reading::{self, How};
use crate::shown::is_shown;
use crate::{Args, memory, parallel, root, traps};

/// The criteria whose goals are looked for.
const CRITERIA: [&str; 6] = ["value", "branch", "condition", "mcdc-masking", "mutation", "pair"];

/// So many goals of each criterion are taken; of each mutation operator too.
const N_GOALS: usize = 200;

/// How long a suite may take, and NuSMV for a path.
const LIMIT: Duration = Duration::from_secs(20);

/// How many tests NuSMV is asked about when nobody says.
const SAMPLE: usize = 200;

/// Nothing here needs more.
const MEMORY: u64 = 3 << 30;

/// How suites are made.
const STRATEGIES: [(&str, Strategy); 2] =
    [("separate", Strategy::Separate), ("extend", Strategy::Extend)];

/// A model, and what was made of it.
struct Outcome {
    name: String,
    text: String,
    model: Model,
    rows: Vec<Row>,
    different: Vec<String>,
}

/// A suite.
struct Row {
    strategy: &'static str,
    /// Covered, infeasible, unknown.
    counts: [usize; 3],
    n_tests: usize,
    n_steps: usize,
    tests: Vec<Trace>,
    n_paths: usize,
    seconds: f64,
}

/// A test of a suite of a model, by their places.
type Place = (usize, usize, usize);

/// Makes and checks suites; `false` when something is different.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let mut nusmv = args.nusmv()?;
    nusmv.limit = args.limit.unwrap_or(LIMIT);
    let paths = chosen(args)?;
    let outcomes = parallel::map_with(args.jobs, &paths, |_, path| {
        let outcome = make(path, args.engine, nusmv.limit);
        eprintln!("{}", file_name(path));
        outcome
    });
    let mut outcomes: Vec<Outcome> =
        outcomes.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let n_silent = confirm(&nusmv, args.sample.unwrap_or(SAMPLE), args.jobs, &mut outcomes)?;
    nusmv.clean_up();
    print(&outcomes);
    let n_different: usize = outcomes.iter().map(|outcome| outcome.different.len()).sum();
    let n_paths: usize = all_rows(&outcomes).map(|row| row.n_paths).sum();
    println!(
        "{} of {} models, {n_paths} tests confirmed as paths by NuSMV ({n_silent} without an \
         answer), {n_different} different",
        outcomes.len(),
        paths.len()
    );
    Ok(n_different == 0 && n_paths > 0)
}

/// The examples, and the smallest models of the corpus.
fn chosen(args: &Args) -> Result<Vec<PathBuf>, String> {
    let examples = root().join("examples");
    let folders = std::fs::read_dir(&examples).map_err(|e| format!("{examples:?}: {e}"))?;
    let mut paths = Vec::new();
    for folder in folders.filter_map(Result::ok).filter(|folder| folder.path().is_dir()) {
        paths.extend(models(&folder.path())?);
    }
    let mut corpus = models(&args.dir.join("smv"))?;
    corpus.sort_by_key(|path| std::fs::metadata(path).map_or(0, |data| data.len()));
    paths.extend(corpus.into_iter().take(args.n_models()));
    Ok(paths)
}

/// Makes suites of a model and checks them; nothing if it is not read or has no goals.
fn make(path: &Path, engine: Engine, limit: Duration) -> Result<Option<Outcome>, String> {
    let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let name = file_name(path);
    let reading = reading::read(&name, &text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Ok(None);
    }
    let model = reading.model;
    let options = trapline_goals::Options { limit: N_GOALS, ..Default::default() };
    let mut set = derive(&model, &CRITERIA, &options);
    traps::thin(&mut set, N_GOALS);
    if set.goals.is_empty() {
        return Ok(None);
    }
    let mut outcome = Outcome { name, text, model, rows: Vec::new(), different: Vec::new() };
    let mut suites = Vec::new();
    for (name, strategy) in STRATEGIES {
        let limits = Limits { time: Some(limit), memory: Some(MEMORY), ..Limits::default() };
        let (suite, row) = suite(&outcome.model, &set, (name, strategy, engine), limits);
        match row {
            Ok(row) => outcome.rows.push(row),
            Err(wrong) => outcome.different.extend(wrong),
        }
        suites.push(suite);
    }
    outcome.different.extend(disagreements(&set, &suites[0], &suites[1]));
    Ok(Some(outcome))
}

/// One suite, and what it comes to, or what is wrong with it.
fn suite(
    model: &Model,
    set: &GoalSet,
    (name, strategy, engine): (&'static str, Strategy, Engine),
    limits: Limits,
) -> (Suite, Result<Row, Vec<String>>) {
    let start = Instant::now();
    let allocated = memory::used;
    let budget = Budget::new(limits).with_memory(&allocated);
    let made = generate(set, &Options::usual(strategy, engine), &mut NoJournal, &budget);
    let (suite, _) = assemble(set, &made, Some(Objective::FewestTests), &budget);
    let seconds = start.elapsed().as_secs_f64();
    let wrong: Vec<String> = unplayable(model, &suite)
        .into_iter()
        .chain(misjudged(set, &suite, &Monitors::new(&made.subgoals.model)))
        .map(|wrong| format!("{name}: {wrong}"))
        .collect();
    if !wrong.is_empty() {
        return (suite, Err(wrong));
    }
    let tests: Vec<Trace> = suite.tests.iter().map(|test| test.trace.clone()).collect();
    let places: Vec<usize> = suite.goals.iter().map(|goal| place(&goal.missing)).collect();
    let row = Row {
        strategy: name,
        counts: [0, 1, 2].map(|one| places.iter().filter(|place| **place == one).count()),
        n_tests: tests.len(),
        n_steps: tests.iter().map(|test| test.states.len() - 1).sum(),
        tests,
        n_paths: 0,
        seconds,
    };
    (suite, Ok(row))
}

fn place(missing: &Missing) -> usize {
    match missing {
        Missing::No => 0,
        Missing::Infeasible(_) => 1,
        Missing::Feasible | Missing::MayKill(_) | Missing::Unknown(_) => 2,
    }
}

/// The tests that do not replay.
fn unplayable(model: &Model, suite: &Suite) -> Vec<String> {
    let replayer = Replayer::new(model);
    let tests = suite.tests.iter();
    let wrong = tests.filter_map(|test| Some((test, replayer.replay(&test.trace).err()?)));
    wrong.map(|(test, why)| format!("{} does not replay: {why:?}", test.name)).collect()
}

/// The goals that are covered and not shown, or shown and not covered.
fn misjudged(set: &GoalSet, suite: &Suite, monitors: &Monitors) -> Vec<String> {
    let tests: Vec<Trace> =
        suite.tests.iter().map(|test| monitors.observe(test.trace.clone())).collect();
    let mut wrong = Vec::new();
    for (goal, scored) in set.goals.iter().zip(&suite.goals) {
        let is_covered = scored.missing == Missing::No;
        let said: Vec<&Trace> = match is_covered {
            true => scored.shown.tests().into_iter().map(|idx| &tests[idx]).collect(),
            false => tests.iter().collect(),
        };
        match is_shown(set, &goal.kind, &said) {
            Some(shown) if shown != is_covered => {
                wrong.push(format!("{}: {:?}, shown: {shown}", goal.id, scored.missing));
            }
            _ => {}
        }
        if is_covered && said.is_empty() {
            wrong.push(format!("{}: covered by nothing", goal.id));
        }
    }
    wrong
}

/// The goals of which two suites say different things.
fn disagreements(set: &GoalSet, one: &Suite, other: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for (goal, (one, other)) in set.goals.iter().zip(one.goals.iter().zip(&other.goals)) {
        let unlike = place(&one.missing) != place(&other.missing);
        let is_decided = |missing: &Missing| !matches!(missing, Missing::Unknown(_));
        if unlike && is_decided(&one.missing) && is_decided(&other.missing) {
            found.push(format!("{}: the strategies disagree", goal.id));
        }
    }
    found
}

/// Asks NuSMV about tests, one of each suite after the other, until so many are confirmed; how
/// many times did it say nothing?
fn confirm(
    nusmv: &Nusmv,
    n_wanted: usize,
    jobs: usize,
    outcomes: &mut [Outcome],
) -> Result<usize, String> {
    let mut left = in_turns(outcomes);
    let (mut n_paths, mut n_silent) = (0, 0);
    while n_paths < n_wanted && !left.is_empty() {
        let rest = left.split_off(left.len().min(n_wanted - n_paths));
        let asked = std::mem::replace(&mut left, rest);
        let opinions = parallel::map_with(jobs, &asked, |idx, &(model, suite, test)| {
            let outcome = &outcomes[model];
            let trace = &outcome.rows[suite].tests[test];
            opinion(nusmv, &format!("test{idx}"), (&outcome.model, &outcome.text), trace)
        });
        for (&(model, suite, test), opinion) in asked.iter().zip(opinions) {
            let (row, complaint) = (
                &mut outcomes[model].rows[suite],
                match opinion? {
                    Opinion::Path => None,
                    Opinion::NoAnswer => {
                        n_silent += 1;
                        // It would not say more about the others.
                        left.retain(|&(other, ..)| other != model);
                        continue;
                    }
                    Opinion::NoPath => Some("NuSMV says that it is no path".to_string()),
                    Opinion::Complaint(what) => Some(what),
                },
            );
            match complaint {
                None => (row.n_paths, n_paths) = (row.n_paths + 1, n_paths + 1),
                Some(what) => {
                    let wrong = format!("{}: t{}: {what}", row.strategy, test + 1);
                    outcomes[model].different.push(wrong);
                }
            }
        }
    }
    Ok(n_silent)
}

/// All tests: the first of each suite, the second of each, and so on.
fn in_turns(outcomes: &[Outcome]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (model, outcome) in outcomes.iter().enumerate() {
        for (suite, row) in outcome.rows.iter().enumerate() {
            places.extend((0..row.tests.len()).map(|test| (model, suite, test)));
        }
    }
    places.sort_by_key(|&(model, suite, test)| (test, model, suite));
    places
}

fn all_rows(outcomes: &[Outcome]) -> impl Iterator<Item = &Row> {
    outcomes.iter().flat_map(|outcome| &outcome.rows)
}

fn print(outcomes: &[Outcome]) {
    println!(
        "{:50} {:8} {:>6} {:>7} {:>10} {:>7} {:>5} {:>6} {:>5} {:>7}",
        "model",
        "strategy",
        "goals",
        "covered",
        "infeasible",
        "unknown",
        "tests",
        "steps",
        "paths",
        "s"
    );
    for outcome in outcomes {
        for row in &outcome.rows {
            line(&outcome.name, row.strategy, &[row]);
        }
        for different in &outcome.different {
            println!("DIFFERENT {}: {different}", outcome.name);
        }
    }
    for (strategy, _) in STRATEGIES {
        let rows: Vec<&Row> = all_rows(outcomes).filter(|row| row.strategy == strategy).collect();
        line("all", strategy, &rows);
    }
}

fn line(name: &str, strategy: &str, rows: &[&Row]) {
    let sum = |of: &dyn Fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum::<usize>();
    let short: String = name.chars().rev().take(50).collect::<Vec<_>>().into_iter().rev().collect();
    println!(
        "{short:50} {strategy:8} {:6} {:7} {:10} {:7} {:5} {:6} {:5} {:7.2}",
        sum(&|row| row.counts.iter().sum()),
        sum(&|row| row.counts[0]),
        sum(&|row| row.counts[1]),
        sum(&|row| row.counts[2]),
        sum(&|row| row.n_tests),
        sum(&|row| row.n_steps),
        sum(&|row| row.n_paths),
        rows.iter().map(|row| row.seconds).sum::<f64>()
    );
}
