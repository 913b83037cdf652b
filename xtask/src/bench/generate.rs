//! Whole suites: `trapline generate` from the model file to the suite file, against one run of NuSMV
//! on the same traps with counterexamples, from which a suite would be made.
//!
//! NuSMV gets the traps as a file; writing it is not measured. It runs with each of its settings, and
//! the best one counts.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value as Json;

use super::measure::{self, Ending, Run};
use super::tools::{self, Tools};
use super::vs_nusmv::{WAYS, short_name, write};
use crate::Args;
use crate::corpus::models;

/// What the suites are for.
pub const CRITERIA: &str = "branch,condition,mcdc-masking";

/// How much longer than allowed we wait for ourselves.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to write the traps.
const WRITING: Duration = Duration::from_secs(60);

/// Who takes less than this runs several times, and the best run counts.
const SHORT: f64 = 0.2;
const N_RUNS: usize = 3;

/// What we want to be faster by.
const WANTED: f64 = 10.0;

/// The table's head.
const HEAD: &str = "\
| model | goals | covered | infeasible | unknown | ours s | NuSMV s | ratio | ours MiB | \
NuSMV MiB | tests | steps |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// What came out for a model.
struct Row {
    name: String,
    /// Covered, infeasible, unknown.
    counts: [usize; 3],
    n_tests: usize,
    n_steps: usize,
    ours: Cost,
    theirs: Cost,
    /// How many traps there are, and how many NuSMV decided.
    n_traps: usize,
    n_decided: usize,
}

/// What a run cost.
struct Cost {
    seconds: f64,
    peak: u64,
}

/// Measures; `false` when we fail on a model.
///
/// # Errors
/// When a file can't be read or a program can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let tools = tools::find(args)?;
    let mut text = format!("{HEAD}\n");
    println!("{HEAD}");
    let (mut rows, mut n_failed) = (Vec::new(), 0);
    for path in chosen(args)? {
        match measure(&tools, &path) {
            Ok(None) => {}
            Ok(Some(row)) => {
                println!("{}", row.line());
                let _ = writeln!(text, "{}", row.line());
                rows.push(row);
            }
            Err(why) => {
                n_failed += 1;
                println!("FAILED {}: {why}", short_name(&path));
            }
        }
    }
    tools.nusmv.clean_up();
    let summary = summary(&rows, n_failed, tools.limit);
    println!("{summary}");
    write(args.versus.table.as_deref(), &(text + &summary))?;
    Ok(n_failed == 0)
}

/// The models of the corpus, small ones first.
pub fn chosen(args: &Args) -> Result<Vec<PathBuf>, String> {
    let mut paths = models(&args.dir.join("smv"))?;
    paths.extend(models(&args.dir.join("hard"))?);
    paths.retain(|path| args.versus.wants(&short_name(path)));
    paths.sort_by_key(|path| fs::metadata(path).map_or(0, |data| data.len()));
    paths.truncate(args.n_models());
    Ok(paths)
}

/// Both on a model; nothing if it has no goals.
fn measure(tools: &Tools, path: &Path) -> Result<Option<Row>, String> {
    let path = path.canonicalize().map_err(|e| e.to_string())?;
    let suite = tools.nusmv.dir.join("suite.json");
    let best = repeat(|| ours(tools, &path, &suite))?;
    let text = fs::read_to_string(&suite).map_err(|e| format!("no suite: {e}"))?;
    let json: Json = serde_json::from_str(&text).map_err(|e| format!("the suite: {e}"))?;
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    let (goals, tests) = (list("goals"), list("tests"));
    if goals.is_empty() {
        return Ok(None);
    }
    let count = |word: &str| goals.iter().filter(|goal| goal["verdict"] == word).count();
    let n_states = |test: &Json| test["states"].as_array().map_or(0, Vec::len);
    let traps = traps(tools, &path)?;
    let n_traps = fs::read_to_string(&traps).map_err(|e| e.to_string())?;
    let n_traps = n_traps.lines().filter(|line| line.starts_with("INVARSPEC")).count();
    let (n_decided, theirs) = theirs(tools, &traps, n_traps)?;
    Ok(Some(Row {
        name: short_name(&path),
        counts: ["covered", "infeasible", "unknown"].map(count),
        n_tests: tests.len(),
        n_steps: tests.iter().map(|test| n_states(test).saturating_sub(1)).sum(),
        ours: Cost { seconds: best.seconds, peak: best.peak },
        theirs,
        n_traps,
        n_decided,
    }))
}

/// The best of some runs, if they are short.
fn repeat(mut run: impl FnMut() -> Result<Run, String>) -> Result<Run, String> {
    let mut best = run()?;
    for _ in 1..N_RUNS {
        if best.seconds > SHORT {
            break;
        }
        let other = run()?;
        let peak = best.peak.max(other.peak);
        best = if other.seconds < best.seconds { other } else { best };
        best.peak = peak;
    }
    Ok(best)
}

/// Makes a suite.
fn ours(tools: &Tools, path: &Path, suite: &Path) -> Result<Run, String> {
    for old in [suite.to_path_buf(), suite.with_extension("json.journal")] {
        // There is none before the first run.
        let _ = fs::remove_file(old);
    }
    let mut command = Command::new(&tools.trapline);
    command.arg("generate").arg(path).args(["--criteria", CRITERIA]).arg("-o").arg(suite);
    command.args(["--timeout", &tools.limit.as_secs().to_string()]);
    let run = measure::run(&mut command, &tools.nusmv.dir, tools.limit + PATIENCE);
    let run = run.map_err(|e| e.to_string())?;
    match (run.ending, run.code) {
        (Ending::ByItself, Some(0 | 3)) => Ok(run),
        (Ending::ByItself, code) => {
            let error = run.err.lines().find(|line| line.contains("error")).unwrap_or_default();
            Err(format!("exit code {code:?}: {error}"))
        }
        (ending, _) => Err(format!("{ending:?} after {:.1} s", run.seconds)),
    }
}

/// Writes the traps to a file.
fn traps(tools: &Tools, path: &Path) -> Result<PathBuf, String> {
    let traps = tools.nusmv.dir.join("traps.smv");
    let mut command = Command::new(&tools.trapline);
    command.arg("goals").arg(path).args(["--criteria", CRITERIA, "--format", "smv"]);
    command.arg("-o").arg(&traps);
    let run = measure::run(&mut command, &tools.nusmv.dir, WRITING).map_err(|e| e.to_string())?;
    match run.code {
        Some(0) => Ok(traps),
        code => Err(format!("the traps are not written: {code:?}")),
    }
}

/// How many traps NuSMV decides in its best way, and what that costs it. A way that does not
/// decide all of them costs all the time there is.
fn theirs(tools: &Tools, traps: &Path, n_traps: usize) -> Result<(usize, Cost), String> {
    let mut best: Option<(usize, Cost)> = None;
    for way in WAYS {
        let run = repeat(|| tools.program.run(way, traps, tools.limit).map_err(|e| e.to_string()))?;
        let n_decided = n_verdicts(&run.out);
        if n_decided == 0 && matches!((run.ending, run.code), (Ending::ByItself, Some(1..))) {
            let why = run.err.lines().next().unwrap_or("it says nothing");
            return Err(format!("NuSMV fails: {why}"));
        }
        let seconds = match n_decided < n_traps {
            true => tools.limit.as_secs_f64(),
            false => run.seconds,
        };
        let is_better = best.as_ref().is_none_or(|(n_before, cost)| {
            n_decided > *n_before || (n_decided == *n_before && seconds < cost.seconds)
        });
        if is_better {
            best = Some((n_decided, Cost { seconds, peak: run.peak }));
        }
    }
    best.ok_or_else(|| "NuSMV has no way".into())
}

/// How many verdicts NuSMV printed. What an invariant says may take several lines, so that only
/// the ends of lines tell.
fn n_verdicts(out: &str) -> usize {
    let is_verdict = |line: &&str| line.ends_with(" is true") || line.ends_with(" is false");
    out.lines().filter(is_verdict).count()
}

impl Row {
    fn is_theirs_open(&self) -> bool {
        self.n_decided < self.n_traps
    }

    fn is_ours_open(&self) -> bool {
        self.counts[2] > 0
    }

    /// How many times as long as we NuSMV takes, at least where it does not end.
    fn ratio(&self) -> f64 {
        self.theirs.seconds / self.ours.seconds
    }

    fn line(&self) -> String {
        let mark = match (self.is_theirs_open(), self.is_ours_open()) {
            (true, true) => "?",
            (true, false) => ">",
            (false, true) => "<",
            (false, false) => "",
        };
        let theirs = match self.is_theirs_open() {
            true => {
                format!(">{:.0} ({}/{})", self.theirs.seconds, self.n_decided, self.n_traps)
            }
            false => format!("{:.3}", self.theirs.seconds),
        };
        let mebibytes = |cost: &Cost| cost.peak as f64 / f64::from(1 << 20);
        format!(
            "| {} | {} | {} | {} | {} | {:.3} | {theirs} | {mark}{:.2} | {:.1} | {:.1} | {} | {} |",
            self.name,
            self.counts.iter().sum::<usize>(),
            self.counts[0],
            self.counts[1],
            self.counts[2],
            self.ours.seconds,
            self.ratio(),
            mebibytes(&self.ours),
            mebibytes(&self.theirs),
            self.n_tests,
            self.n_steps
        )
    }
}

/// What all models come to. Where we leave a goal open, the ratio counts for nothing.
fn summary(rows: &[Row], n_failed: usize, limit: Duration) -> String {
    let (open, whole): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_ours_open());
    let logarithms: f64 = whole.iter().map(|row| row.ratio().ln()).sum();
    let n_fast = whole.iter().filter(|row| row.ratio() >= WANTED).count();
    let n_out = whole.iter().filter(|row| row.is_theirs_open()).count();
    let n_goals: usize = rows.iter().map(|row| row.counts.iter().sum::<usize>()).sum();
    let n_unknown: usize = rows.iter().map(|row| row.counts[2]).sum();
    let mut text = format!(
        "\n{} models, {n_goals} goals, {n_unknown} unknown with us on {} models, {n_failed} \
         failed. Each run had {} s.\nOn the {} models where we leave nothing open the geometric \
         mean of the ratios is {:.2} (at least: NuSMV does not end on {n_out}, which count as \
         the limit); {n_fast} of them ({:.0} %) have {WANTED} or more.\n",
        rows.len(),
        open.len(),
        limit.as_secs(),
        whole.len(),
        (logarithms / whole.len().max(1) as f64).exp(),
        100.0 * n_fast as f64 / whole.len().max(1) as f64,
    );
    let mut slow: Vec<&Row> = whole.into_iter().filter(|row| row.ratio() < WANTED).collect();
    slow.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    for (title, rows) in [("The others, worst first", slow), ("We leave goals open on", open)] {
        if !rows.is_empty() {
            let _ = writeln!(text, "\n{title}:\n\n{HEAD}");
            rows.iter().for_each(|row| {
                let _ = writeln!(text, "{}", row.line());
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted_whatever_their_lines() {
        let out = "-- invariant !(a & \nb)  is false\n-- as demonstrated by the following\n  \
                   a = TRUE\n-- invariant !c  is true\n";
        assert_eq!(n_verdicts(out), 2);
    }
}
