//! Third-party models: our engine must agree with NuSMV on every property.
//!
//! The files with NuSMV's verdicts list the properties in NuSMV's order, which is also that of our
//! model: by kind, and within a kind in the order of the text and the instances.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use trapline_engine::{Engine, Limits};

use crate::corpus::{file_name, json, models, read};
use crate::ours::{self, Said};
use crate::reading::How;
use crate::{Args, parallel};

/// How long the engine may take for a model.
const TIME: Duration = Duration::from_secs(10);

/// Bytes that all models at work may take together.
const MEMORY: u64 = 4 << 30;

/// How many of the slowest models are listed.
const N_SLOWEST: usize = 15;

/// A model and what NuSMV said of it: kind and verdict of each property.
struct Job {
    path: PathBuf,
    known: Option<Vec<(String, Option<String>)>>,
}

/// What came out for a model.
#[derive(Default)]
struct Report {
    name: String,
    seconds: f64,
    n_states: u128,
    n_equal: usize,
    /// Properties that only we decided.
    n_new: usize,
    different: Vec<String>,
    /// Why properties are not decided.
    unknown: BTreeMap<String, usize>,
}

/// Checks every model of the corpus; how many properties differ?
///
/// # Errors
/// When a file can't be read.
pub fn compare(args: &Args) -> Result<usize, String> {
    let mut jobs = Vec::new();
    for folder in ["smv", "hard"] {
        let folder = args.dir.join(folder);
        let verdicts = json(&folder.join("verdicts.json"))?;
        let paths = models(&folder)?.into_iter();
        jobs.extend(paths.map(|path| {
            let known = known(&verdicts[&file_name(&path)]);
            Job { path, known }
        }));
    }
    let time = args.limit.unwrap_or(TIME);
    let limits = Limits { time: Some(time), memory: Some(MEMORY), ..Limits::default() };
    let reports = parallel::map_with(args.jobs, &jobs, |_, job| check(job, args.engine, limits));
    let reports: Vec<Report> = reports.into_iter().collect::<Result<_, _>>()?;
    print(&reports);
    Ok(reports.iter().map(|report| report.different.len()).sum())
}

fn known(verdicts: &Value) -> Option<Vec<(String, Option<String>)>> {
    let properties = verdicts["properties"].as_array()?;
    let text = |value: &Value| value.as_str().map(str::to_lowercase);
    let pair = |p: &Value| (text(&p["kind"]).unwrap_or_default(), text(&p["verdict"]));
    Some(properties.iter().map(pair).collect())
}

fn check(job: &Job, engine: Engine, limits: Limits) -> Result<Report, String> {
    let mut report = Report { name: short_name(&job.path), ..Report::default() };
    // That it is accepted was found out before.
    let reading = read(&job.path, How { strict: false, quick: true })?;
    let kinds = reading.model.properties.iter().map(|p| ours::kind_name(p.kind));
    if let Some(known) = &job.known
        && !kinds.eq(known.iter().map(|(kind, _)| kind.as_str()))
    {
        report.different.push("other properties than NuSMV's".into());
        return Ok(report);
    }
    let start = Instant::now();
    let answer = ours::check(reading.model, engine, limits);
    report.seconds = start.elapsed().as_secs_f64();
    match answer {
        Ok(answer) => {
            report.n_states = answer.stats.n_states;
            for (idx, said) in answer.said.iter().enumerate() {
                let known = job.known.as_ref().and_then(|known| known[idx].1.as_deref());
                report.count(idx, said, known);
            }
        }
        Err(panic) => report.different.push(panic),
    }
    Ok(report)
}

/// The name of the file, without the folders that it came from.
fn short_name(path: &Path) -> String {
    let name = file_name(path);
    let parts: Vec<&str> = name.split("__").collect();
    match parts[..] {
        [first, .., last] => format!("{first}: {last}"),
        _ => name,
    }
}

impl Report {
    fn count(&mut self, idx: usize, said: &Said, known: Option<&str>) {
        match (said, known) {
            (Said::Verdict(ours), Some(nusmv)) if ours == nusmv => self.n_equal += 1,
            (Said::Verdict(_), None) => self.n_new += 1,
            (Said::Unknown(why), _) => *self.unknown.entry(why.clone()).or_default() += 1,
            _ => {
                let nusmv = known.unwrap_or("nothing");
                self.different.push(format!("property {idx}: NuSMV says {nusmv}, we say {said}"));
            }
        }
    }

    fn n_unknown(&self) -> usize {
        self.unknown.values().sum()
    }
}

fn print(reports: &[Report]) {
    println!("\nverdicts:");
    for report in reports {
        for difference in &report.different {
            println!("  DIFFERENT {}: {difference}", report.name);
        }
    }
    let undecided: Vec<&Report> = reports.iter().filter(|r| r.n_unknown() > 0).collect();
    if !undecided.is_empty() {
        println!("  too large for this engine, or beyond it:");
    }
    for report in &undecided {
        let reasons: Vec<String> =
            report.unknown.iter().map(|(why, n)| format!("{n} unknown, {why}")).collect();
        println!(
            "    {} ({} decided; {} states seen): {}",
            report.name,
            report.n_equal + report.n_new,
            report.n_states,
            reasons.join("; ")
        );
    }
    println!("  slowest:");
    let mut slowest: Vec<&Report> = reports.iter().collect();
    slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for report in slowest.iter().take(N_SLOWEST) {
        println!("    {:>6.2} s {:>10} states  {}", report.seconds, report.n_states, report.name);
    }
    let sum = |count: fn(&Report) -> usize| -> usize { reports.iter().map(count).sum() };
    println!(
        "{} of {} models decided in {:.0} s of work; {} properties equal, {} different, \
         {} unknown, {} that NuSMV did not decide",
        reports.len() - undecided.len(),
        reports.len(),
        reports.iter().map(|r| r.seconds).sum::<f64>(),
        sum(|r| r.n_equal),
        sum(|r| r.different.len()),
        sum(Report::n_unknown),
        sum(|r| r.n_new)
    );
}
