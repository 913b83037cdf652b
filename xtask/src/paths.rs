//! Random walks through third-party models: each one replays, and NuSMV agrees that it is a path.
//!
//! For NuSMV the walk becomes a counter in the main module that forces the values of each state
//! and step; the invariant that the counter never reaches its end must be false.

use std::fmt::Write;
use std::path::Path;

use trapline_engine::Budget;
use trapline_engine::simulate::Simulator;
use trapline_model::trace::Trace;
use trapline_model::{Model, Value, VarId, VarKind, replay};

use crate::corpus::{file_name, models, read};
use crate::nusmv::{Nusmv, Task};
use crate::{Args, parallel};

/// How many steps NuSMV is asked about when nobody says.
const SAMPLE: usize = 12;

/// What NuSMV says of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// It is a path of the model.
    Path,
    /// It is none.
    NoPath,
    /// It did not say in time.
    NoAnswer,
    /// It complains.
    Complaint(String),
}

/// What came out for one model.
enum Outcome {
    /// The walk has so many steps, replays, and NuSMV agrees with the sample.
    Path(usize),
    /// It replays, but NuSMV did not answer in time.
    NoAnswer(usize),
    /// Something is wrong.
    Wrong(String),
}

/// Walks through every model; `false` when something is wrong.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let nusmv = args.nusmv()?;
    let mut paths = models(&args.dir.join("smv"))?;
    paths.extend(models(&args.dir.join("hard"))?);
    let outcomes = parallel::map(&paths, |idx, path| walk_one(args, &nusmv, path, idx));
    nusmv.clean_up();
    let (mut n_steps, mut n_agreed, mut n_wrong) = (0, 0, 0);
    for (path, outcome) in paths.iter().zip(outcomes) {
        let name = file_name(path);
        match outcome? {
            Outcome::Path(steps) => {
                n_steps += steps;
                n_agreed += 1;
            }
            Outcome::NoAnswer(steps) => {
                n_steps += steps;
                println!("{name}: {steps} steps replay, NuSMV gave no answer in time");
            }
            Outcome::Wrong(why) => {
                n_wrong += 1;
                println!("{name}: WRONG: {why}");
            }
        }
    }
    println!(
        "{} models, {n_steps} random steps replay, NuSMV agrees on {n_agreed} samples, {n_wrong} wrong",
        paths.len()
    );
    Ok(n_wrong == 0)
}

fn walk_one(args: &Args, nusmv: &Nusmv, path: &Path, idx: usize) -> Result<Outcome, String> {
    let reading = read(path, args.how)?;
    if !reading.is_accepted() {
        return Ok(Outcome::Wrong("it is not read".into()));
    }
    let model = &reading.model;
    let long = match walk(model, args.steps, 1) {
        Ok(trace) => trace,
        Err(why) => return Ok(Outcome::Wrong(why)),
    };
    let n_steps = long.states.len().saturating_sub(1);
    let mut sample = long;
    sample.states.truncate(args.sample.unwrap_or(SAMPLE) + 1);
    let Some(last) = sample.states.last_mut() else {
        return Ok(Outcome::Path(0));
    };
    last.drop_inputs(model);
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    Ok(match opinion(nusmv, &format!("path{idx}"), (model, &text), &sample)? {
        Opinion::Path => Outcome::Path(n_steps),
        Opinion::NoPath => Outcome::Wrong("NuSMV says that the sample is no path".into()),
        Opinion::NoAnswer => Outcome::NoAnswer(n_steps),
        Opinion::Complaint(what) => Outcome::Wrong(what),
    })
}

/// Asks NuSMV whether a trace is a path of a model with this text. Where a lasso leads back to is
/// not asked.
///
/// # Errors
/// When NuSMV can't be run, or the text has no main module.
pub fn opinion(
    nusmv: &Nusmv,
    name: &str,
    (model, text): (&Model, &str),
    trace: &Trace,
) -> Result<Opinion, String> {
    let forced = force(model, text, trace).ok_or("no main module")?;
    let options = ["-coi".to_string(), "-dynamic".to_string()];
    let task = Task { name, text: forced.as_bytes(), n_properties: 0, options: &options };
    let commands = "read_model\nflatten_hierarchy\nencode_variables\nbuild_model\n\
                    check_property -P trapline_path\nquit\n";
    let session = nusmv.session(task, commands).map_err(|e| e.to_string())?;
    let verdict = session.out.lines().find(|line| line.contains("invariant trapline_k"));
    Ok(match verdict {
        Some(line) if line.contains("is false") => Opinion::Path,
        Some(_) => Opinion::NoPath,
        // It dies without a word of paths of many thousand states.
        None if session.timed_out || session.err.trim().is_empty() => Opinion::NoAnswer,
        None => Opinion::Complaint(session.err.lines().take(3).collect::<Vec<_>>().join(" ")),
    })
}

/// A random walk of at most so many steps, replayed.
fn walk(model: &Model, steps: usize, seed: u64) -> Result<Trace, String> {
    let simulator = Simulator::new(model);
    let budget = Budget::unlimited();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut trace = Trace::default();
    let first = simulator.initial(&[], &mut rng, &budget);
    let Some(first) = first.map_err(|stop| format!("no first state: {stop:?}"))? else {
        return Ok(trace);
    };
    trace.states.push(first.state);
    while trace.states.len() <= steps {
        let last = trace.states.len() - 1;
        let step = simulator.step(&trace.states[last], &[], &mut rng, &budget);
        match step.map_err(|stop| format!("step {last}: {stop:?}"))? {
            None => break,
            Some(choice) => {
                trace.states[last] = choice.from.ok_or("a step without a start")?;
                trace.states.push(choice.state);
            }
        }
    }
    replay::replay(model, &trace).map_err(|violation| format!("no replay: {violation:?}"))?;
    Ok(trace)
}

/// The model's text with a counter in its main module that allows this trace only.
fn force(model: &Model, text: &str, trace: &Trace) -> Option<String> {
    let header = text.find("MODULE main")? + "MODULE main".len();
    // An empty list of parameters belongs to the header.
    let rest = text[header..].trim_start();
    let end = match rest.strip_prefix('(') {
        Some(inner) => text.len() - inner.len() + inner.find(')')? + 1,
        None => header,
    };
    let last = trace.states.len() - 1;
    let mut added = format!(
        "\nVAR trapline_k : 0..{};\nINIT trapline_k = 0\n\
         TRANS next(trapline_k) = (trapline_k <= {last} ? trapline_k + 1 : trapline_k)\n",
        last + 1
    );
    for (idx, state) in trace.states.iter().enumerate() {
        let mut here = String::from("TRUE");
        let mut step = String::from("TRUE");
        for (var, declared) in model.var_ids() {
            let Some(value) = state.get(var) else { continue };
            let side = if declared.kind == VarKind::Input { &mut step } else { &mut here };
            let _ = write!(side, " & {}", is_value(model, var, value));
        }
        let _ = writeln!(added, "INVAR trapline_k = {idx} -> ({here})");
        if idx < last {
            let _ = writeln!(added, "TRANS trapline_k = {idx} -> ({step})");
        }
    }
    let _ = writeln!(added, "INVARSPEC NAME trapline_path := trapline_k != {last}");
    Some([&text[..end], &added, &text[end..]].concat())
}

fn is_value(model: &Model, var: VarId, value: Value) -> String {
    let shown = model.show(value);
    if model.process_selector() == Some(var) {
        return match shown.as_str() {
            "main" => "running".into(),
            process => format!("{process}.running"),
        };
    }
    format!("{} = {shown}", model.var(var).name)
}
