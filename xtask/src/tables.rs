//! Specifications in tables and NuSMV: what they are converted to must have the verdicts there that we
//! give the specification, for every check of its tables and for every property.

use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::Limits;
use trapline_lang::{Options, Output, smv};
use trapline_model::PropertyKind;
use trapline_testkit::read_tables;
use trapline_testkit::scr::interpret::is_of_steps;
use trapline_testkit::scr::random::random_spec;
use trapline_testkit::scr::write::{Form, condition, write};

use crate::nusmv::{Nusmv, Task};
use crate::ours::{self, Said};
use crate::{Args, parallel};

/// How many random specifications there are when nobody says.
const N_SPECS: u64 = 200;
/// What our engine may take for one.
const TIME: Duration = Duration::from_secs(60);

/// A specification, and how it is read.
struct Job {
    name: String,
    text: String,
    language: &'static str,
}

/// What came of one.
#[derive(Default)]
struct Outcome {
    n_equal: usize,
    n_violated: usize,
    n_open: usize,
    different: Vec<String>,
}

/// Compares all of them.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let nusmv = args.nusmv()?;
    let mut jobs = Vec::new();
    for path in &args.files {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        jobs.push(Job { name: path.display().to_string(), text, language: language(path) });
    }
    let n_random = args.count.unwrap_or(if jobs.is_empty() { N_SPECS } else { 0 });
    jobs.extend((args.seed..args.seed + n_random).map(random));
    let outcomes = parallel::map_with(args.jobs, &jobs, |idx, job| compare(args, &nusmv, idx, job));
    nusmv.clean_up();
    let mut total = Outcome::default();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        let outcome = outcome?;
        for different in &outcome.different {
            println!("DIFFERENT {}: {different}\n{}", job.name, job.text);
        }
        if args.show {
            println!("{:5} equal  {}", outcome.n_equal, job.name);
        }
        total.n_equal += outcome.n_equal;
        total.n_violated += outcome.n_violated;
        total.n_open += outcome.n_open;
        total.different.extend(outcome.different);
    }
    println!(
        "{} specifications, {} verdicts equal, {} of them false, {} open, {} different",
        jobs.len(),
        total.n_equal,
        total.n_violated,
        total.n_open,
        total.different.len()
    );
    Ok(total.different.is_empty() && total.n_equal > 0)
}

fn language(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => "scr-markdown",
        Some("csv") => "scr-csv",
        _ => "scr",
    }
}

/// A random specification, with formulas over the conditions of its assertions.
fn random(seed: u64) -> Job {
    let spec = random_spec(&mut Rng::with_seed(seed));
    let mut text = write(&spec, Form::Plain);
    for claim in spec.assertions.iter().filter(|claim| !is_of_steps(claim)) {
        let claim = condition(&spec, claim, 1);
        text += &format!("CTL AG EF {claim}\nCTL EF AG NOT {claim}\nLTL G F {claim}\n");
    }
    Job { name: format!("seed {seed}"), text, language: "scr" }
}

fn compare(args: &Args, nusmv: &Nusmv, idx: usize, job: &Job) -> Result<Outcome, String> {
    let (output, _) = read_tables(&job.text, job.language, Options::default())
        .map_err(|findings| format!("{}: {findings}\n{}", job.name, job.text))?;
    let Output { model, checks, .. } = output;
    let own = vec![String::new(); model.properties.len()];
    let text = smv::flat_with_checks(&model, &checks, own);
    let mut checked = smv::with_checks(&model, &checks).into_model();
    // NuSMV's list is by kind.
    let mut names: Vec<(PropertyKind, String)> = Vec::new();
    checked.properties.sort_by_key(|property| property.kind);
    for property in &checked.properties {
        names.push((property.kind, property.name.clone().unwrap_or_default()));
    }
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    let ours = ours::check(checked, args.engine, limits)
        .map_err(|problem| format!("{}: {problem}\n{}", job.name, job.text))?;
    let name = format!("tables-{idx}");
    let task = Task { name: &name, text: text.as_bytes(), n_properties: names.len(), options: &[] };
    let theirs = nusmv.check(task).map_err(|e| e.to_string())?;
    let mut outcome = Outcome::default();
    if theirs.verdicts.len() != names.len() {
        let why = theirs.errors.first().cloned().unwrap_or("no verdicts".into());
        outcome.different.push(format!("NuSMV: {why}\n{text}"));
        return Ok(outcome);
    }
    for (((kind, name), said), (_, verdict)) in names.iter().zip(&ours.said).zip(&theirs.verdicts) {
        match said {
            Said::Verdict(own) if own == verdict => {
                outcome.n_equal += 1;
                outcome.n_violated += usize::from(own == "false");
            }
            Said::Verdict(own) if verdict != "unchecked" => {
                let kind = kind.name();
                outcome.different.push(format!("{kind} {name}: we {own}, NuSMV {verdict}"));
            }
            Said::BadTrace(why) => outcome.different.push(format!("{name}: {why}")),
            Said::Verdict(_) | Said::Unknown(_) => outcome.n_open += 1,
        }
    }
    Ok(outcome)
}
