//! This build against an older one: the same commands on the same models, alternating.
//!
//! Two builds are only comparable when they run right after each other on the same machine, so
//! every round runs each of them once, and the shortest round counts. The suites are compared too: a
//! build that is faster because it finds less is not faster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value as Json;

use super::generate::{CRITERIA, chosen};
use super::measure::{self, Ending};
use super::vs_nusmv::short_name;
use crate::Args;

/// How long a run may take unless the user says otherwise.
const LIMIT: Duration = Duration::from_secs(60);

/// How often each build runs on a model, if the runs are shorter than `SHORT` seconds.
const N_ROUNDS: usize = 5;
const SHORT: f64 = 1.0;

/// A total that grows by more than this is a regression.
const TOLERANCE: f64 = 1.05;

/// What one build made of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Suite {
    /// Covered, infeasible, unknown.
    counts: [usize; 3],
    n_tests: usize,
    n_steps: usize,
}

/// The shortest run of a build, and what it made.
struct Best {
    seconds: f64,
    suite: Suite,
}

/// Measures; `false` when this build finds something else or is slower in total.
///
/// # Errors
/// When there is no other build, or a program can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let before = args.binary.clone().ok_or("bench against needs --binary OLD_TRAPLINE")?;
    let now = std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("trapline");
    let builds = [before, now];
    let dir = std::env::temp_dir().join(format!("trapline-against-{}", std::process::id()));
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let limit = args.limit.unwrap_or(LIMIT);
    println!("| model | before s | now s | ratio | suite |\n|---|--:|--:|--:|---|");
    let (mut totals, mut n_different) = ([0.0; 2], 0);
    for path in chosen(args)? {
        let [before, now] = in_turns(&builds, &path, &dir, limit)?;
        let is_same = before.suite == now.suite;
        n_different += usize::from(!is_same);
        totals[0] += before.seconds;
        totals[1] += now.seconds;
        let suite = match is_same {
            true => "same".to_string(),
            false => format!("{:?} is now {:?}", before.suite, now.suite),
        };
        let ratio = now.seconds / before.seconds;
        let name = short_name(&path);
        println!("| {name} | {:.3} | {:.3} | {ratio:.2} | {suite} |", before.seconds, now.seconds);
    }
    // Nothing else is kept there.
    let _ = fs::remove_dir_all(&dir);
    let ratio = totals[1] / totals[0];
    println!(
        "\nIn total {:.2} s before, {:.2} s now: {ratio:.3} times as long; {n_different} suites differ.",
        totals[0], totals[1]
    );
    Ok(ratio <= TOLERANCE && n_different == 0)
}

/// Both builds on a model, one after the other, for as many rounds as the time is worth.
fn in_turns(
    builds: &[PathBuf; 2],
    path: &Path,
    dir: &Path,
    limit: Duration,
) -> Result<[Best; 2], String> {
    let round = || -> Result<[Best; 2], String> {
        Ok([generate(&builds[0], path, dir, limit)?, generate(&builds[1], path, dir, limit)?])
    };
    let mut best = round()?;
    for _ in 1..N_ROUNDS {
        if best.iter().any(|run| run.seconds > SHORT) {
            break;
        }
        for (best, other) in best.iter_mut().zip(round()?) {
            best.seconds = best.seconds.min(other.seconds);
        }
    }
    Ok(best)
}

/// One build makes a suite for a model.
fn generate(build: &Path, path: &Path, dir: &Path, limit: Duration) -> Result<Best, String> {
    let file = dir.join("suite.json");
    for old in [file.clone(), file.with_extension("json.journal")] {
        // There is none before the first run.
        let _ = fs::remove_file(old);
    }
    let mut command = Command::new(build);
    command.arg("generate").arg(path).args(["--criteria", CRITERIA]).arg("-o").arg(&file);
    command.args(["--timeout", &limit.as_secs().to_string()]);
    let run = measure::run(&mut command, dir, 2 * limit).map_err(|e| e.to_string())?;
    if run.ending != Ending::ByItself || !matches!(run.code, Some(0 | 3)) {
        return Err(format!("{} on {}: {:?}", build.display(), path.display(), run.code));
    }
    let text = fs::read_to_string(&file).map_err(|e| format!("no suite: {e}"))?;
    let json: Json = serde_json::from_str(&text).map_err(|e| format!("the suite: {e}"))?;
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    let (goals, tests) = (list("goals"), list("tests"));
    let count = |word: &str| goals.iter().filter(|goal| goal["verdict"] == word).count();
    let n_states = |test: &Json| test["states"].as_array().map_or(0, Vec::len);
    let suite = Suite {
        counts: ["covered", "infeasible", "unknown"].map(count),
        n_tests: tests.len(),
        n_steps: tests.iter().map(|test| n_states(test).saturating_sub(1)).sum(),
    };
    Ok(Best { seconds: run.seconds, suite })
}
