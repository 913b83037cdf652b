//! All mutants beside their model, decided by us and by NuSMV: with one model that has a selector of
//! mutants, and with one run a mutant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use trapline_goals::{GoalSet, Options, Visibility, derive, traps};
use trapline_lang::smv;

use super::measure::{self, Ending, Run};
use super::{theirs, tools};
use crate::reading::{self, How};
use crate::{Args, root};

/// How long a run of NuSMV may take.
const LIMIT: Duration = Duration::from_secs(1200);

/// How many mutants get a run of their own, when nobody says; all, if there are no more.
const SAMPLE: usize = 500;

/// The settings of NuSMV that are tried: only what a property depends on, without and with reordering.
const SETTINGS: [&[&str]; 2] = [&["-coi"], &["-coi", "-dynamic"]];

/// What NuSMV took.
struct Took {
    seconds: f64,
    /// Is that only a lower bound?
    is_cut: bool,
    n_killed: usize,
    n_decided: usize,
}

/// Measures; `false` when the verdicts differ.
///
/// # Errors
/// When a program is missing or can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let path = root().join("examples/collision-avoidance/advisory.smv");
    let tools = tools::find(args)?;
    let trapline = args.binary.clone().unwrap_or_else(|| tools.trapline.clone());
    let limit = args.limit.unwrap_or(LIMIT);
    let set = mutants(&path)?;
    let n_all = set.goals.len();
    println!("{n_all} mutants of {}\n", path.display());
    println!("| | seconds | times ours | killed | decided |\n|---|--:|--:|--:|--:|");
    let by = |engine: &str| ours(&trapline, &path, &tools.nusmv.dir, engine);
    let (ours, by_sat) = (by("auto")?, by("sat")?);
    row("trapline", &ours, &ours);
    row("trapline --engine sat", &by_sat, &ours);
    let bench = Bench { program: &tools.program, dir: &tools.nusmv.dir, limit };
    for settings in SETTINGS {
        let took = bench.run(&set, settings)?;
        row(&format!("NuSMV {}, one model", settings.join(" ")), &took, &ours);
    }
    let n_wanted = args.sample.unwrap_or(SAMPLE).clamp(1, n_all.max(1));
    let sample: Vec<usize> = (0..n_wanted).map(|idx| idx * n_all / n_wanted).collect();
    for settings in SETTINGS {
        let took = bench.each(&set, &sample, settings)?;
        let what = match sample.len() == n_all {
            true => "a run each".to_string(),
            false => format!("a run each, from a sample of {n_wanted}"),
        };
        row(&format!("NuSMV {}, {what}", settings.join(" ")), &took, &ours);
    }
    tools.nusmv.clean_up();
    Ok(ours.n_decided == n_all)
}

fn row(name: &str, took: &Took, ours: &Took) {
    let more = if took.is_cut { "more than " } else { "" };
    let ratio = took.seconds / ours.seconds;
    println!(
        "| {name} | {more}{:.1} | {more}{ratio:.1} | {} | {} |",
        took.seconds, took.n_killed, took.n_decided
    );
}

fn mutants(path: &Path) -> Result<GoalSet, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let how = How { strict: false, quick: true };
    let reading = reading::read(&path.display().to_string(), &text, how);
    let options = Options { visibility: Visibility::Duplicate, ..Options::default() };
    Ok(derive(&reading.model, &["mutation"], &options))
}

fn ours(trapline: &Path, model: &Path, dir: &Path, engine: &str) -> Result<Took, String> {
    let mut command = Command::new(trapline);
    command.arg("mutants").arg(model).args(["--visibility", "duplicate", "--engine", engine]);
    let run = measure::run(&mut command, dir, LIMIT).map_err(|e| e.to_string())?;
    let count = |word: &str| run.out.lines().filter(|line| line.contains(word)).count();
    let n_killed = count("  killed");
    let n_decided = n_killed + count("  equivalent at the outputs");
    Ok(Took { seconds: run.seconds, is_cut: false, n_killed, n_decided })
}

struct Bench<'b> {
    program: &'b theirs::Program,
    dir: &'b Path,
    limit: Duration,
}

impl Bench<'_> {
    /// All traps of a set in one run.
    fn run(&self, set: &GoalSet, settings: &[&str]) -> Result<Took, String> {
        let path = self.print(set)?;
        let run =
            self.program.run(settings, &path, self.limit).map_err(|e| format!("NuSMV: {e}"))?;
        Ok(took(&run))
    }

    /// A run for each mutant of a sample, as if all took as long as these on average.
    fn each(&self, set: &GoalSet, sample: &[usize], settings: &[&str]) -> Result<Took, String> {
        let mut sum = Took { seconds: 0.0, is_cut: false, n_killed: 0, n_decided: 0 };
        for &idx in sample {
            let one = GoalSet {
                goals: vec![set.goals[idx].clone()],
                model: set.model.clone(),
                points: Vec::new(),
                mutants: Vec::new(),
                faults: set.faults.clone(),
                notices: Vec::new(),
            };
            let took = self.run(&one, settings)?;
            sum.seconds += took.seconds;
            sum.is_cut |= took.is_cut;
            sum.n_killed += took.n_killed;
            sum.n_decided += took.n_decided;
        }
        sum.seconds *= set.goals.len() as f64 / sample.len() as f64;
        Ok(sum)
    }

    fn print(&self, set: &GoalSet) -> Result<PathBuf, String> {
        let trapped = traps::commented(set);
        let text = smv::print::flat_with_comments(&trapped.model, &trapped.comments);
        let path = self.dir.join("faults.smv");
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

fn took(run: &Run) -> Took {
    let verdicts = theirs::verdicts(&run.out);
    let n_killed = verdicts.values().filter(|verdict| *verdict == "false").count();
    Took {
        seconds: run.seconds,
        is_cut: run.ending != Ending::ByItself,
        n_killed,
        n_decided: verdicts.len(),
    }
}
