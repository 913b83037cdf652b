//! Killed runs: `trapline generate` is killed or interrupted at random moments and goes on with
//! `--resume`, perhaps several times, and must come to the suite that an undisturbed run comes to,
//! byte for byte.
//!
//! Every journal on the way must be the beginning of that of the undisturbed run. A hard link keeps
//! the journal of a run that ends and removes it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trapline_engine::Budget;
use trapline_model::Model;
use trapline_suite::complete::{Completer, Limits};
use trapline_suite::read;

use crate::reading::How;
use crate::{Args, corpus, root};

/// How often runs are killed when nobody says.
const N_TRIALS: u64 = 50;

/// How often we look at a run, unless we wait for a moment that is shorter.
const TICK: Duration = Duration::from_micros(200);

/// No run takes longer.
const PATIENCE: Duration = Duration::from_secs(300);

/// A resumed run is killed so many times at most.
const MAX_AGAIN: usize = 2;

/// What is killed: where the model is, and the options.
const CASES: [(&str, &[&str]); 2] = [
    ("examples/safety-injection/published.smv", &["--criteria", "mutation", "--mutate", "specs"]),
    (
        "corpus/smv/Lslightly-Formal-Method-Deadlock-Detection-NuSMV__try__test.smv",
        &["--criteria", "all"],
    ),
];

/// A model and how tests are made of it.
struct Case {
    path: PathBuf,
    options: &'static [&'static str],
    model: Model,
    /// The suite of a run that was left alone, and its journal.
    suite: String,
    journal: Vec<String>,
    seconds: f64,
}

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// Not at all.
    Never,
    /// After so much time.
    After(Duration),
    /// After so much time, by Ctrl-C.
    Interrupt(Duration),
    /// As soon as the journal is shorter than it was: when it is being written anew.
    Shrinking,
}

/// A run that is over.
struct Watched {
    has_ended: bool,
    /// The records of the journal at the end, without one that is not whole.
    journal: Vec<String>,
    seconds: f64,
}

/// A directory in which runs follow one another.
struct Place {
    dir: PathBuf,
    binary: PathBuf,
}

/// Kills; `false` when something is different.
///
/// # Errors
/// When a file can't be read or written, or our program can't be started.
pub fn run(args: &Args) -> Result<bool, String> {
    let us = std::env::current_exe().map_err(|e| e.to_string())?;
    let binary = args.binary.clone().unwrap_or_else(|| us.with_file_name("trapline"));
    let dir = std::env::temp_dir().join(format!("trapline-kills-{}", std::process::id()));
    let mut cases = Vec::new();
    for (path, options) in CASES {
        cases.push(reference(args, (path, options), &binary, &dir)?);
    }
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let (mut n_kills, mut n_different) = (0, 0);
    println!("trial  case  kills: after ms, or while the journal is rewritten, at records");
    for trial in 0..args.count.unwrap_or(N_TRIALS) {
        let case_idx = trial as usize % cases.len();
        let place = Place { dir: dir.join(format!("{trial}")), binary: binary.clone() };
        let (kills, wrong) = place.endure(&cases[case_idx], &mut rng)?;
        // The last one is the end.
        n_kills += kills.len() - 1;
        println!("{trial:5}  {case_idx:4}  {}", kills.join(", "));
        for what in &wrong {
            println!("DIFFERENT in trial {trial} ({}): {what}", place.dir.display());
        }
        n_different += wrong.len();
        if wrong.is_empty() {
            fs::remove_dir_all(&place.dir).map_err(|e| e.to_string())?;
        }
    }
    println!("{n_kills} runs killed, {n_different} different");
    if n_different == 0 {
        fs::remove_dir_all(&dir).map_err(|e| e.to_string())?;
    }
    Ok(n_different == 0)
}

/// Runs a case without a kill.
fn reference(
    args: &Args,
    (path, options): (&str, &'static [&'static str]),
    binary: &Path,
    dir: &Path,
) -> Result<Case, String> {
    let path = match path.strip_prefix("corpus/") {
        Some(path) => args.dir.join(path),
        None => root().join(path),
    };
    let path = path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
    let model = corpus::read(&path, How { strict: false, quick: true })?.model;
    let place = Place { dir: dir.join("reference"), binary: binary.to_path_buf() };
    fs::create_dir_all(&place.dir).map_err(|e| e.to_string())?;
    let run = place.run(&path, options, Moment::Never)?;
    let (suite, wrong) = place.ended(&model)?;
    if let Some(what) = wrong.first() {
        return Err(format!("{}: wrong without a kill: {what}", path.display()));
    }
    println!(
        "{} {}: {:.2} s, {} records",
        corpus::file_name(&path),
        options.join(" "),
        run.seconds,
        run.journal.len(),
    );
    fs::remove_dir_all(&place.dir).map_err(|e| e.to_string())?;
    let Watched { journal, seconds, .. } = run;
    Ok(Case { path, options, model, suite, journal, seconds })
}

impl Place {
    /// Kills a case some times and lets it end: what was killed when, and what is different.
    fn endure(
        &self,
        case: &Case,
        rng: &mut fastrand::Rng,
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let (first, mut known) = self.first_kill(case, rng)?;
        let mut kills = vec![format!("{} ms at {}", first.as_millis(), known.len())];
        let mut wrong: Vec<String> = other(&case.journal, &known).into_iter().collect();
        let mut moments = Vec::new();
        for _ in 0..rng.usize(0..=MAX_AGAIN) {
            moments.push(if rng.u8(..3) == 0 { Moment::Shrinking } else { after(case, rng) });
        }
        moments.push(Moment::Never);
        for moment in moments {
            let run = self.run(&case.path, case.options, moment)?;
            wrong.extend(other(&case.journal, &run.journal));
            known = run.journal;
            if run.has_ended {
                break;
            }
            kills.push(match moment {
                Moment::After(time) => format!("{} ms at {}", time.as_millis(), known.len()),
                Moment::Interrupt(time) => format!("^C {} ms at {}", time.as_millis(), known.len()),
                _ => format!("rewriting at {}", known.len()),
            });
        }
        let (suite, unplayable) = self.ended(&case.model)?;
        wrong.extend(unplayable);
        if suite != case.suite {
            wrong.push("the suite has other bytes".into());
        }
        kills.push(format!("end at {} of {}", known.len(), case.journal.len()));
        Ok((kills, wrong))
    }

    /// Kills a first run: after which time, and what its journal has. Where the machine is faster
    /// than it was for the reference, the run may end before; then it is tried again.
    fn first_kill(
        &self,
        case: &Case,
        rng: &mut fastrand::Rng,
    ) -> Result<(Duration, Vec<String>), String> {
        loop {
            let _ = fs::remove_dir_all(&self.dir);
            fs::create_dir_all(&self.dir).map_err(|e| e.to_string())?;
            let time = Duration::from_secs_f64(rng.f64() * case.seconds);
            let run = self.run(&case.path, case.options, Moment::After(time))?;
            if !run.has_ended {
                return Ok((time, run.journal));
            }
        }
    }

    fn suite(&self) -> PathBuf {
        self.dir.join("suite.json")
    }

    fn journal(&self) -> PathBuf {
        self.dir.join("suite.json.journal")
    }

    /// Runs until it ends or is killed; what is there of an earlier run is used.
    fn run(&self, model: &Path, options: &[&str], moment: Moment) -> Result<Watched, String> {
        let mut command = Command::new(&self.binary);
        command.arg("generate").arg(model).args(options).arg("-o").arg(self.suite());
        command.arg("--resume").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let size = fs::metadata(self.journal()).map_or(0, |data| data.len());
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", self.binary.display()))?;
        let is_killed = self.watch(&mut child, moment, size).map_err(|e| e.to_string())?;
        let status = child.wait().map_err(|e| e.to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        // Whoever was killed just before the end had ended.
        let has_ended = !self.journal().exists() && self.suite().exists();
        if !is_killed && !matches!(status.code(), Some(0 | 3)) {
            return Err(format!("{}: {status} in {}", model.display(), self.dir.display()));
        }
        let kept = if has_ended { self.link() } else { self.journal() };
        let text = fs::read_to_string(kept).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        // The first line is no record.
        Ok(Watched { has_ended, journal: whole.skip(1).map(String::from).collect(), seconds })
    }

    fn link(&self) -> PathBuf {
        self.dir.join("journal.kept")
    }

    /// Waits for the end or kills; was it killed?
    fn watch(&self, child: &mut Child, moment: Moment, size: u64) -> std::io::Result<bool> {
        let start = Instant::now();
        let mut linked = None;
        while child.try_wait()?.is_none() {
            let data = fs::metadata(self.journal()).ok();
            let inode = data.as_ref().map(MetadataExt::ino);
            if inode.is_some() && inode != linked {
                let _ = fs::remove_file(self.link());
                // It may be gone in the meantime; then the last one is kept.
                if fs::hard_link(self.journal(), self.link()).is_ok() {
                    linked = inode;
                }
            }
            let is_time = match moment {
                Moment::Never => start.elapsed() > PATIENCE,
                Moment::After(time) | Moment::Interrupt(time) => start.elapsed() >= time,
                Moment::Shrinking => data.is_some_and(|data| data.len() < size),
            };
            if is_time && matches!(moment, Moment::Interrupt(_)) {
                Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
                child.wait()?;
                return Ok(true);
            }
            if is_time {
                child.kill()?;
                return Ok(true);
            }
            if !matches!(moment, Moment::Shrinking) {
                std::thread::sleep(TICK);
            }
        }
        Ok(false)
    }

    /// The suite, and what is wrong with its tests.
    fn ended(&self, model: &Model) -> Result<(String, Vec<String>), String> {
        let path = self.suite();
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let format = read::find("json").ok_or("no reader of suites")?;
        let document = match read::read(model, format, &text) {
            Ok(document) => document,
            Err(errors) => return Ok((text, vec![format!("not read: {errors:?}")])),
        };
        let completer = Completer::new(model);
        let mut wrong: Vec<String> = document
            .drafts
            .iter()
            .filter_map(|draft| {
                Some((
                    draft,
                    completer.complete(draft, &Limits::default(), &Budget::unlimited()).err()?,
                ))
            })
            .map(|(draft, why)| format!("{} does not replay: {why:?}", draft.name))
            .collect();
        if document.is_complete != Some(true) {
            wrong.push("the suite is not complete".into());
        }
        Ok((text, wrong))
    }
}

/// A moment in the time that the whole run takes.
fn after(case: &Case, rng: &mut fastrand::Rng) -> Moment {
    let time = Duration::from_secs_f64(rng.f64() * case.seconds);
    if rng.bool() { Moment::After(time) } else { Moment::Interrupt(time) }
}

/// Where a journal is not the beginning of that of an undisturbed run.
fn other(whole: &[String], journal: &[String]) -> Option<String> {
    let n_same = whole.iter().zip(journal).take_while(|(whole, own)| whole == own).count();
    (n_same < journal.len()).then(|| format!("record {} is another", n_same + 1))
}
