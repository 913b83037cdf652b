//! Contexts of others with the verdicts of SAL's own tools: ours are the same, and our traces no longer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, ENGINES, Engine, Limits, Outcome, Why};
use trapline_lang::{Input, Loader, Options, sal};
use trapline_model::{Model, PropertyKind};
use trapline_source::{Diagnostics, SourceFile, Sources};

use crate::corpus::json;
use crate::{Args, parallel, witness};

/// How long the engine may take for a theorem.
const TIME: Duration = Duration::from_secs(60);
/// How deep SAL's bounded search looks when nobody says.
const DEPTH: usize = 10;

/// What SAL says that the language does not: it replaces the parameter of a module wrongly in `ELSE`.
const MISTAKEN: &[&str] = &[
    "sync_peterson livenessbug1",
    "sync_peterson livenessbug2",
    "sync_peterson livenessbug3",
    "sync_peterson livenessbug4",
    "sync_peterson livenessbug5",
    "sync_peterson livenessbug6",
];

/// A module or a theorem, and what SAL says of it.
struct Job {
    path: PathBuf,
    main: String,
    said: Vec<Recorded>,
}

/// A verdict of SAL.
struct Recorded {
    command: String,
    verdict: String,
    /// How many states its trace has.
    n_states: Option<usize>,
    /// How deep it looked.
    depth: usize,
}

/// Other contexts of the folder of one.
#[derive(Debug)]
struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&self, path: &str, _: &SourceFile) -> Result<SourceFile, String> {
        let text = std::fs::read_to_string(self.0.join(path)).map_err(|e| e.to_string())?;
        Ok(SourceFile::built_in(path, &text))
    }
}

/// Checks every recorded verdict; how many differ?
///
/// # Errors
/// When a file can't be read.
pub fn run(args: &Args) -> Result<usize, String> {
    let folder = args.dir.join("sal");
    let jobs = jobs(&folder)?;
    println!("\nSAL:");
    let start = Instant::now();
    let outcomes = parallel::map_with(args.jobs, &jobs, |_, job| check(job, args.engine));
    let (mut n_equal, mut n_mistaken, mut n_different) = (0, 0, 0);
    for (job, outcome) in jobs.iter().zip(outcomes) {
        for (recorded, different) in job.said.iter().zip(outcome) {
            match different {
                None => n_equal += 1,
                Some(_) if is_mistaken(recorded) => n_mistaken += 1,
                Some(different) => {
                    n_different += 1;
                    println!("  DIFFERENT {}: {different}", recorded.command);
                }
            }
        }
    }
    println!(
        "{n_equal} of SAL's verdicts equal, {n_different} different, {n_mistaken} that are a known \
         mistake of SAL, in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(n_different)
}

fn is_mistaken(recorded: &Recorded) -> bool {
    MISTAKEN.iter().any(|known| recorded.command.ends_with(known))
}

/// The verdicts, by what they are about.
fn jobs(folder: &Path) -> Result<Vec<Job>, String> {
    let recorded = json(&folder.join("verdicts.json"))?;
    let mut jobs: Vec<Job> = Vec::new();
    for it in recorded.as_array().into_iter().flatten() {
        let text = |key: &str| it[key].as_str().unwrap_or_default().to_string();
        let command = text("cmd");
        let words: Vec<String> =
            command.split(' ').map(|word| word.replace(['\'', '"'], "")).collect();
        let asked = words.iter().find_map(|word| {
            word.strip_prefix("--assertion=").or_else(|| word.strip_prefix("--module="))
        });
        let (context, main) = match (asked, words.as_slice()) {
            (Some(asked), _) => {
                let end = asked.find(['{', '!']).unwrap_or(asked.len());
                (asked[..end].to_string(), asked.to_string())
            }
            (None, [.., context, main]) => (context.clone(), main.clone()),
            _ => return Err(format!("`{command}` is no command")),
        };
        let at = words.iter().position(|word| word == "-d" || word == "--depth");
        let depth = at.and_then(|at| words.get(at + 1)).and_then(|depth| depth.parse().ok());
        let said = Recorded {
            verdict: text("verdict"),
            n_states: it["steps"].as_u64().map(|n| n as usize),
            depth: depth.unwrap_or(DEPTH),
            command,
        };
        let path = folder.join(text("dir")).join(format!("{context}.sal"));
        match jobs.iter_mut().find(|job| job.path == path && job.main == main) {
            Some(known) => known.said.push(said),
            None => jobs.push(Job { path, main, said: vec![said] }),
        }
    }
    Ok(jobs)
}

/// What is different, for each of the verdicts.
fn check(job: &Job, engine: Engine) -> Vec<Option<String>> {
    let model = match read(job) {
        Ok(model) => model,
        Err(wrong) => return job.said.iter().map(|_| Some(wrong.clone())).collect(),
    };
    let mut checked: Option<Outcome> = None;
    let verdicts = job.said.iter().map(|recorded| match recorded.verdict.as_str() {
        "no_deadlock" => has_deadlock(&model),
        "path" => is_stuck(&model, recorded.n_states.unwrap_or(recorded.depth + 1)),
        _ => {
            let outcome = checked.get_or_insert_with(|| verdict(&model, engine));
            different(&model, outcome, recorded)
        }
    });
    verdicts.collect()
}

fn read(job: &Job) -> Result<Model, String> {
    let text = std::fs::read_to_string(&job.path).map_err(|e| e.to_string())?;
    let mut sources = Sources::new();
    let file = sources.add(&job.path.to_string_lossy(), &text).map_err(|_| "too large")?;
    let loader = Folder(job.path.parent().unwrap_or(Path::new("")).into());
    let options = Options { main: Some(job.main.clone()), ..Options::default() };
    let input = Input { options, loader: &loader, ..Input::new(file) };
    let mut diagnostics = Diagnostics::new();
    let output = sal::read(&input, &mut diagnostics);
    match diagnostics.list().iter().find(|_| diagnostics.has_errors()) {
        Some(first) => Err(format!("not read: {} [{}]", first.message, first.code)),
        None => Ok(output.model),
    }
}

fn budget() -> Budget<'static> {
    Budget::new(Limits { time: Some(TIME), ..Limits::default() })
}

fn verdict(model: &Model, engine: Engine) -> Outcome {
    let outcomes = (engine.check)(model, &[0], &budget()).outcomes;
    outcomes.into_iter().next().unwrap_or(Outcome::Unknown(Why::Work))
}

fn different(model: &Model, outcome: &Outcome, recorded: &Recorded) -> Option<String> {
    match (outcome, recorded.verdict.as_str()) {
        (Outcome::True(_), "proved" | "no_ce") => None,
        (Outcome::False(trace), "counterexample") => {
            if let Err(why) = witness::shows(model, &model.properties[0], trace) {
                return Some(format!("the trace does not show it: {why}"));
            }
            // A tree is no path: what a trace shows of it may be shorter or longer.
            let is_path = model.properties[0].kind != PropertyKind::Ctl;
            let (own, theirs) = (trace.states.len(), recorded.n_states.unwrap_or(usize::MAX));
            (is_path && own > theirs)
                .then(|| format!("our trace has {own} states, and SAL's {theirs}"))
        }
        (Outcome::False(trace), "no_ce") if trace.states.len() > recorded.depth + 1 => None,
        (outcome, theirs) => {
            let own = match outcome {
                Outcome::True(_) => "true".to_string(),
                Outcome::False(_) => "false".into(),
                Outcome::Unknown(why) => format!("unknown, {why}"),
                Outcome::Value(..) => "a value".into(),
            };
            Some(format!("SAL says {theirs}, we say {own}"))
        }
    }
}

/// Says so if there is a deadlock.
fn has_deadlock(model: &Model) -> Option<String> {
    let bdd = ENGINES.iter().find(|engine| engine.name == "bdd")?;
    super::has_dead_end(model, bdd).then(|| "there is a deadlock".to_string())
}

/// Says so if no walk has this many states.
fn is_stuck(model: &Model, n_states: usize) -> Option<String> {
    let simulator = Simulator::new(model);
    let mut rng = fastrand::Rng::with_seed(0);
    let budget = budget();
    let first = simulator.initial(&[], &mut rng, &budget);
    let Ok(Some(mut last)) = first.map(|it| it.map(|choice| choice.state)) else {
        return Some("there is no initial state".into());
    };
    for n_before in 1..n_states {
        match simulator.step(&last, &[], &mut rng, &budget) {
            Ok(Some(choice)) => last = choice.state,
            _ => return Some(format!("a walk ends after {n_before} states")),
        }
    }
    None
}
