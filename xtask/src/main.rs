//! Tasks around the project: `cargo xtask TASK`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod bench;
mod cases;
mod certificates;
mod corpus;
mod cross;
mod faults;
mod fuzz;
mod kills;
mod memory;
mod nusmv;
mod ours;
mod parallel;
mod paths;
mod random;
mod reading;
mod rounds;
mod sal;
mod shown;
mod suites;
mod tables;
mod tidy;
mod traps;
mod verdicts;
mod witness;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use nusmv::Nusmv;
use reading::How;
use trapline_engine::{ENGINES, Engine};

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  corpus [--dir DIR] [--convert] [--strict] [--quick] [--nusmv COMMAND] [--limit SECONDS]
         [--jobs N] [--engine NAME]
      reads every model of the corpus and checks its properties, each model in 10 seconds unless
      --limit says otherwise; with --convert, NuSMV must give the flat text of each the verdicts
      that the corpus has for it; what SAL's tools say of its contexts, we say too
  cases FILE.json... [--convert] [--strict] [--quick] [--nusmv COMMAND] [--limit SECONDS]
      compares what we accept with what NuSMV accepts; with --convert, NuSMV must give the
      flat text of each accepted model the verdicts that it gives the model
  random [--count N] [--seed S] [--jobs N] [--limit SECONDS] [--keep DIR] [--store FILE.json]
         [--show] [--nusmv COMMAND] [--engine NAME]
      compares what NuSMV and we say of the random models with the seeds S to S+N-1; with --keep,
      small models that still differ are written to DIR; with --store, all models and NuSMV's
      verdicts are; with --show, all models are printed
  certificates [--dir DIR] [--engine NAME] [--nusmv COMMAND] [--limit SECONDS]
      proves what it can of the invariants of the corpus and of generated models, each model in 5
      seconds unless --limit says otherwise; NuSMV must confirm by induction what proves them
  paths [--dir DIR] [--steps N] [--sample N] [--nusmv COMMAND] [--limit SECONDS]
      walks N random steps through every model of the corpus and replays them; NuSMV must
      agree that the first ones, and those of a second walk, are a path of the model
  traps [--count N] [--dir DIR] [--engine NAME] [--nusmv COMMAND] [--limit SECONDS] [--jobs N]
      derives the goals of every criterion from the examples and the N smallest models of the
      corpus; of every trap, NuSMV must say what we say of the goal
  traps faults [FILE.smv...] [--count N] [--seed S] [--engine NAME] [--nusmv COMMAND]
         [--limit SECONDS] [--jobs N]
      derives the mutants of the collision avoidance example, or of the models named, and of N random
      models, 200 unless --count says otherwise; NuSMV must call the trap of each false if a test
      shows the mutant at the outputs, and true if it is equivalent there
  tables [FILE.scr...] [--count N] [--seed S] [--engine NAME] [--nusmv COMMAND] [--limit SECONDS]
         [--jobs N] [--show]
      converts specifications in tables to SMV: those named and N random ones, 200 unless --count says
      otherwise; NuSMV must give every check of the tables and every property the verdict that we give it
  sal [--count N] [--seed S] [--jobs N] [--keep DIR] [--show] [--nusmv COMMAND] [--engine NAME]
      random SAL contexts with the seeds S to S+N-1, 200 unless --count says otherwise: their states, steps
      and deadlocks must be those that the language defines, NuSMV must give every theorem our verdict, and
      what is printed as SAL and read again must keep it; with --keep, contexts that differ are written to DIR
  sal FILE...
      prints models as SAL contexts; read again, every property must keep its verdict
  cross [MODEL MODEL] [--binary PATH] [--show]
      makes suites for branches, MC/DC and mutants from two models with the same variables, safety
      injection from tables and by hand unless others are named, and scores each against the goals of
      both; with --show, the goals that a suite misses are listed
  suites [--count N] [--sample N] [--dir DIR] [--nusmv COMMAND] [--limit SECONDS] [--jobs N]
      makes suites for the examples and the N smallest models of the corpus; every test must
      replay and show what it is said to; NuSMV must agree that a sample of N tests, 200 unless
      --sample says otherwise, are paths
  kills [--count N] [--seed N] [--binary PATH] [--dir DIR]
      kills `trapline generate` N times, 50 unless --count says otherwise, at random moments, and
      again while it goes on; with --resume it must end where an undisturbed run does, and do
      nothing twice
  rounds [--binary PATH]
      executes tests of a nondeterministic model and extends those that stay inconclusive; prints
      how many there are and how many rounds that takes, beside what was published
  tidy
      checks the rules between crates
  fuzz [--count N] [--seed N]
      feeds the reader N damaged models
  bench [reading] [explicit] [--megabytes N] [--nusmv COMMAND] [--limit SECONDS]
      measures how fast large flat models are read, and how many states a second the explicit
      engine sees
  bench criteria [--dir DIR]
      how long it takes from every model of the corpus to the goals of all criteria, and how many
      mutants a second are made and printed
  bench evaluate
      how long it takes to find out which of 1,000 goals suites of 1,000,000 states meet
  bench faults [--sample N] [--binary TRAPLINE] [--nusmv COMMAND] [--limit SECONDS]
      compares how long all mutants of the collision avoidance example take beside the model: here, with
      one model with a selector of mutants in NuSMV, and with one run of NuSMV a mutant, of which all are
      measured, or N evenly over all and the rest estimated; each run in 1,200 seconds unless --limit says
      otherwise
  bench vs-nusmv [--corpus] [--families] [--goals] [--only TEXT] [--engine NAME] [--runs N]
         [--limit SECONDS] [--dir DIR] [--nusmv COMMAND] [--table FILE] [--growth FILE]
         [--plot FILE.svg]
      compares time, memory and verdicts with NuSMV's: on the corpus, on families of models that
      grow, and on goals; only models whose names contain the text; each run in 60 seconds (goals:
      300) unless --limit says otherwise; the tables are written as Markdown
  bench generate [--count N] [--limit SECONDS] [--dir DIR] [--nusmv COMMAND] [--table FILE]
      compares the time and memory of `trapline generate` for branches, conditions and MC/DC with
      NuSMV's for the same traps, on the N smallest models of the corpus or all; each run in 60
      seconds unless --limit says otherwise
  bench against --binary OLD_TRAPLINE [--count N] [--only TEXT] [--limit SECONDS] [--dir DIR]
      runs `trapline generate` of this build and of an older one in turns, on the N smallest models
      of the corpus or all; fails when suites differ in size or verdicts, or when this build takes
      more than 5 % longer in total
  bench hard [--only TEXT] [--engine LIST] [--limit SECONDS] [--dir DIR] [--nusmv COMMAND]
         [--table FILE] [--keep DIR]
      how many properties of the corpus's hard models and of families with wide words, arrays and
      much control each engine and NuSMV (with BDDs, and with its incremental bounded search)
      decide in 60 seconds, or what --limit says; the list is of engines, nusmv and nusmv-bmc, with
      commas; with --keep, the models are written to DIR
  bench goals300 [--engine LIST] [--limit SECONDS] [--sample N] [--nusmv COMMAND] [--table FILE]
         [--keep DIR] [--show]
      how many of 5,000 goals on a model of 300 variables our engines decide in 300 seconds, and
      NuSMV of a sample; with --show, those that are open are printed

--strict reads as NuSMV does; --quick leaves out the checks that need a solver
";

/// How many random models or damaged texts there are when nobody says.
const N_CASES: u64 = 20_000;

/// What stands on the command line.
struct Args {
    files: Vec<PathBuf>,
    dir: PathBuf,
    convert: bool,
    how: How,
    nusmv: PathBuf,
    limit: Option<Duration>,
    steps: usize,
    sample: Option<usize>,
    count: Option<u64>,
    seed: u64,
    megabytes: usize,
    jobs: usize,
    binary: Option<PathBuf>,
    store: Option<PathBuf>,
    keep: Option<PathBuf>,
    show: bool,
    engine: Engine,
    versus: bench::Versus,
    contestants: Vec<bench::Contestant>,
}

/// The root of the checkout.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let outcome = args(words).and_then(|args| match task.as_str() {
        "corpus" => corpus::run(&args),
        "certificates" => certificates::run(&args),
        "cases" => cases::run(&args),
        "random" => random::run(&args),
        "paths" => paths::run(&args),
        "cross" => cross::run(&args),
        "tables" => tables::run(&args),
        "sal" => sal::run(&args),
        "traps" => traps::run(&args),
        "suites" => suites::run(&args),
        "kills" => kills::run(&args),
        "rounds" => rounds::run(&args),
        "tidy" => tidy::run(&root()),
        "fuzz" => fuzz::run(args.count.unwrap_or(N_CASES), args.seed, &root()),
        "bench" => bench::run(&args),
        _ => Err(USAGE.to_string()),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The engine with this name.
fn engine(name: &str) -> Result<Engine, String> {
    let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
    let known = ENGINES.iter().find(|engine| engine.name == name).copied();
    known.ok_or(format!("there is no engine `{name}`; take one of {}", names.join(", ")))
}

/// The number after an option.
fn number<N: std::str::FromStr>(option: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("{option} takes a number"))
}

fn args(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args {
        files: Vec::new(),
        dir: "../shared/corpus".into(),
        convert: false,
        how: How { strict: false, quick: false },
        nusmv: "../shared/tools/nusmv".into(),
        limit: None,
        steps: 1000,
        sample: None,
        count: None,
        seed: 1,
        megabytes: 10,
        jobs: parallel::N_THREADS,
        binary: None,
        store: None,
        keep: None,
        show: false,
        engine: ENGINES[0],
        versus: bench::Versus::default(),
        contestants: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value\n\n{USAGE}"));
        match word.as_str() {
            "--convert" => args.convert = true,
            "--strict" => args.how.strict = true,
            "--quick" => args.how.quick = true,
            "--show" => args.show = true,
            "--dir" => args.dir = value()?.into(),
            "--nusmv" => args.nusmv = value()?.into(),
            "--steps" => args.steps = value()?.parse().map_err(|_| "--steps takes a number")?,
            "--sample" => args.sample = Some(number(&word, &value()?)?),
            "--count" => args.count = Some(number(&word, &value()?)?),
            "--seed" => args.seed = value()?.parse().map_err(|_| "--seed takes a number")?,
            "--jobs" => args.jobs = value()?.parse().map_err(|_| "--jobs takes a number")?,
            "--engine" => args.choose(&value()?)?,
            "--binary" => args.binary = Some(value()?.into()),
            "--store" => args.store = Some(value()?.into()),
            "--keep" => args.keep = Some(value()?.into()),
            "--megabytes" => {
                args.megabytes = value()?.parse().map_err(|_| "--megabytes takes a number")?;
            }
            "--limit" => {
                let seconds = value()?.parse().map_err(|_| "--limit takes seconds")?;
                args.limit = Some(Duration::from_secs(seconds));
            }
            _ if args.versus.take(&word, &mut value)? => {}
            _ if word.starts_with('-') => return Err(format!("unknown option {word}\n\n{USAGE}")),
            _ => args.files.push(word.into()),
        }
    }
    Ok(args)
}

impl Args {
    /// Takes a list of engines; where NuSMV is one of several contestants, it may be in it.
    fn choose(&mut self, names: &str) -> Result<(), String> {
        for name in names.split(',') {
            match bench::Contestant::named(name) {
                Some(contestant) => self.contestants.push(contestant),
                None => self.engine = engine(name)?,
            }
            if let Some(bench::Contestant::Ours(engine)) = self.contestants.last() {
                self.engine = *engine;
            }
        }
        Ok(())
    }

    /// How many models of a list are wanted.
    fn n_models(&self) -> usize {
        self.count.map_or(usize::MAX, |count| count as usize)
    }

    /// NuSMV, with a directory of its own to work in.
    fn nusmv(&self) -> Result<Nusmv, String> {
        let command = self.nusmv.canonicalize().map_err(|e| format!("{:?}: {e}", self.nusmv))?;
        let dir = std::env::temp_dir().join(format!("trapline-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let limit = self.limit.unwrap_or(Duration::from_secs(60));
        Ok(Nusmv { command, dir, limit })
    }
}
