//! `trapline run`: execute a suite on an implementation, or judge a recorded run.

mod hints;
mod junit;
mod mutants;
mod text;
mod trees;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use serde_json::{Value as Json, json};
use trapline_engine::possible::{Output, Ports};
use trapline_exec::adapters::{ADAPTERS, Connection, Protocol};
use trapline_exec::choices::{Choice, choices};
use trapline_exec::execute::Observation;
use trapline_exec::log::{self, Log};
use trapline_exec::reached::{Reached, reached_by};
use trapline_exec::result::{RunResult, Verdict};
use trapline_exec::rounds::{Extending, Outcome, Round, run_in_rounds};
use trapline_exec::run::Options;
use trapline_exec::tester::Tester;
use trapline_exec::write;
use trapline_goals::subgoals::Subgoals;
use trapline_model::{DefineId, Model, Role};
use trapline_suite::read;
use trapline_suite::rename::Dictionary;

use self::hints::Hints;
use self::trees::{extended, set_goals, tell_idle, trees};
use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, Extra};
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::map_file::MapFile;
use crate::missing::ListArgs;
use crate::proofs::{Known, Proofs};
use crate::search::{self, SearchArgs};
use crate::suite_input::{self, SuiteArgs, SuiteInput, Writes};
use crate::{interrupt, suite_file};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "trapline run [OPTIONS] <MODEL> <SUITE> --sut <WHAT>\n       trapline run [OPTIONS] <MODEL> --log <FILE>",
    after_help = format!("{}\n\n{EXAMPLES}", adapters_help())
)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The suite; `-` reads standard input
    #[arg(value_name = "SUITE", required_unless_present = "log")]
    pub suite: Option<PathBuf>,
    /// The format of the suite or log, if neither its name nor its content tells
    #[arg(long, value_name = "NAME", value_parser = suite_input::formats(), help_heading = "Suite")]
    pub suite_format: Option<String>,
    /// The implementation: a command, an address, `model` or `mutants`; see the end of --help
    #[arg(
        long,
        value_name = "WHAT",
        required_unless_present = "log",
        help_heading = "Implementation"
    )]
    pub sut: Option<String>,
    /// Judge a recorded run instead: a suite format, or JSON lines with `inputs` and `outputs`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sut", "suite"], help_heading = "Implementation")]
    pub log: Option<PathBuf>,
    /// How values are exchanged
    #[arg(long, value_name = "NAME", default_value = "json", value_parser = protocols(), help_heading = "Implementation")]
    pub protocol: String,
    /// A file that renames variables and values for the implementation or the log: lines
    /// `name = other`, `name : value = other`
    #[arg(long, value_name = "FILE", help_heading = "Implementation")]
    pub map: Option<PathBuf>,
    /// How a test begins: with a reset, or with a fresh process or connection
    #[arg(long, value_name = "HOW", default_value = "message", value_parser = resets(), help_heading = "Implementation")]
    pub reset: String,
    /// Time limit for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_step_timeout, help_heading = "Implementation")]
    pub step_timeout: Duration,
    /// How often a start that fails is tried again
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Implementation")]
    pub retries: usize,
    /// Outputs that the implementation does not show
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Implementation")]
    pub unobserved: Vec<String>,
    /// Number of implementations that run at once; the results are the same
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    pub jobs: usize,
    /// Stop at the first test that fails or breaks down
    #[arg(long)]
    pub fail_fast: bool,
    /// Only these tests
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub test: Vec<String>,
    /// Execute each test so many times, and tell which choices of the model were made
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one(), conflicts_with = "log")]
    pub repeat: usize,
    /// Extend tests that stay inconclusive, where the implementation chose otherwise, and execute them
    /// again; -o names the suite that is written then, with branches
    #[arg(long, conflicts_with = "log", help_heading = "Extension")]
    pub extend: bool,
    /// How often tests are extended, at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        requires = "extend",
        help_heading = "Extension"
    )]
    pub rounds: usize,
    /// Expect that the implementation repeats the choices that it made
    #[arg(long, requires = "extend", help_heading = "Extension")]
    pub refine: bool,
    /// Seed for the choices of `--sut model` and `--sut mutants`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Goal selection.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The output format; by default json or junit if the name after -o ends in .json or .xml, else text
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub format: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  trapline run valve.smv suite.json --sut './valve'
  trapline run valve.smv suite.json --sut 'python3 sut.py' --jobs 2 -o junit.xml
  trapline run valve.smv suite.json --sut tcp://127.0.0.1:4000 --fail-fast
  trapline run valve.smv suite.json --sut model
  trapline run valve.smv suite.json --sut mutants --criteria mutation:stuck-at
  trapline run valve.smv --log recorded.csv";

fn adapters_help() -> String {
    let mut lines = vec!["Implementations:".to_string()];
    lines.extend(ADAPTERS.iter().rev().map(|it| format!("  {:20} {}", it.form, it.about)));
    let about = "every mutant of the model in turn: which of them do the tests catch?";
    lines.push(format!("  {:20} {about}", mutants::SUT));
    lines.join("\n")
}

fn at_least_one() -> impl clap::builder::TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..).map(|n| n as usize)
}

fn parse_step_timeout(argument: &str) -> Result<Duration, String> {
    let time = search::parse_seconds(argument)?;
    if time.is_zero() {
        Err("expected more than 0 seconds, as in 30 or 0.5".into())
    } else {
        Ok(time)
    }
}

fn parse_jobs(argument: &str) -> Result<usize, String> {
    let n_jobs = argument.parse().ok().filter(|&n_jobs| n_jobs > 0);
    n_jobs.ok_or_else(|| "expected a number of implementations, 1 or more".into())
}

fn protocols() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("json").help("a JSON object per line"),
        PossibleValue::new("csv").help("a header of names, then a row per exchange; for shells"),
    ])
}

fn resets() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("message").help("a line asks for it"),
        PossibleValue::new("process").help("it is started anew for each test"),
    ])
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("text").help("for people: a line per test, and what went wrong"),
        PossibleValue::new("json").help("for programs: trapline-run/1"),
        PossibleValue::new("junit").help("for CI servers: JUnit XML"),
    ])
}

/// What was executed, and what that shows.
pub struct Found {
    /// The model and its goals.
    pub prepared: Prepared,
    /// The results.
    pub run: RunResult,
    /// The goals that they reach.
    pub reached: Reached,
    /// The tests that the model does not allow, which are not executed.
    pub dropped: Vec<String>,
    /// Were they made for this model?
    pub has_impossible: bool,
    /// How many goals nothing can reach, as the suite records.
    pub n_infeasible: usize,
    /// Was the first failure the end?
    pub is_fail_fast: bool,
    /// How tests were extended.
    pub rounds: Vec<Round>,
    /// Why those that are still inconclusive were not extended once more, by their places.
    pub given_up: Vec<(usize, String)>,
    /// The choices of the model, if tests were repeated.
    pub choices: Vec<Choice>,
    /// The mutants that failures resemble.
    pub hints: Hints,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.sut.as_deref() == Some(mutants::SUT) {
        if args.extend || args.repeat > 1 {
            let text = "mutants are played once, with the tests as they are";
            return Err(Failure::refused(text).help("leave out --extend and --repeat"));
        }
        return mutants::run(args, context);
    }
    let found = match &args.log {
        Some(path) => judge_log(args, path, context)?,
        None => execute(args, context)?,
    };
    for (_, test) in &found.run.tests {
        if let Some(name) = test.extra.first() {
            let more = if test.extra.len() > 1 { ", ..." } else { "" };
            let text = format!("the model has no output `{name}`{more}, so it is ignored");
            context.terminal.note(&text);
            break;
        }
    }
    let mut output = match args.extend {
        true => context.terminal.output(None)?,
        false => context.output()?,
    };
    match format(args, context) {
        "json" => output.write(&format!("{:#}\n", json(args, &found)))?,
        "junit" => output.write(&junit::document(&found))?,
        _ => text::write(&found, &mut output)?,
    }
    output.finish()?;
    text::tell(&found, context);
    Ok(exit(&found))
}

/// The document of a run.
fn json(args: &Args, found: &Found) -> Json {
    let goals = Some((&found.prepared.set, &found.reached));
    let loaded = &found.prepared.loaded;
    let origin = write::Origin {
        path: &loaded.path,
        sha256: &loaded.sha256,
        language: loaded.language,
        main: &loaded.main,
        sources: &loaded.sources,
        model: &loaded.model,
    };
    let mut json = write::document(origin, &found.run, goals);
    found.hints.add_to(&mut json);
    if !found.dropped.is_empty() {
        json["complete"] = false.into();
        json["dropped"] = found.dropped.as_slice().into();
    }
    if args.extend {
        json["rounds"] = found.rounds.iter().map(round).collect();
    }
    if args.repeat > 1 {
        let choices = found.choices.iter();
        json["choices"] = choices.map(|it| write::choice(origin, it)).collect();
    }
    json
}

fn round(round: &Round) -> Json {
    let Round { n_inconclusive, n_extended, n_left } = round;
    json!({"inconclusive": n_inconclusive, "extended": n_extended, "left": n_left})
}

fn format<'a>(args: &'a Args, context: &Context) -> &'a str {
    let name = context
        .output
        .as_ref()
        .filter(|_| !args.extend)
        .map(|path| path.to_string_lossy().into_owned());
    let ends = |ending: &str| name.as_ref().is_some_and(|name| name.ends_with(ending));
    match &args.format {
        Some(format) => format,
        None if ends(".json") => "json",
        None if ends(".xml") => "junit",
        None => "text",
    }
}

fn exit(found: &Found) -> Exit {
    let run = &found.run;
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if run.count(Verdict::Fail) + run.count(Verdict::Error) > 0 => Exit::Negative,
        // What was not executed is no success.
        () if found.has_impossible => Exit::BadInput,
        () if run.tests.is_empty() && run.is_complete && found.dropped.is_empty() => Exit::BadInput,
        () if run.count(Verdict::Inconclusive) > 0 => Exit::Undecided,
        () if !run.is_complete || !found.dropped.is_empty() => Exit::Undecided,
        () => Exit::Done,
    }
}

fn execute(args: &Args, context: &Context) -> Result<Found, Failure> {
    let (Some(path), Some(sut)) = (&args.suite, &args.sut) else {
        return Err(Failure::refused("there is no suite or no implementation"));
    };
    let suite = SuiteArgs { suite: path.clone(), suite_format: args.suite_format.clone() };
    let writes = if args.extend { Writes::Suite } else { Writes::Other };
    let text = suite_input::read(&suite, &args.model.path, writes, context)?.with_negative();
    let Args { model, goals, search, .. } = args;
    let prepared = goal_args::prepare_for(model, goals, Some(&text), search, context)?;
    let suite = text.tests(&prepared.loaded, &args.search.limits(), context)?;
    if args.extend && !suite.negative.is_empty() {
        let text = "the suite has negative tests, which can't be extended";
        return Err(Failure::refused(text).help("run them without --extend"));
    }
    let mut trees = trees(args, &suite)?;
    tell_idle(&trees, &prepared.loaded.model, context);
    set_goals(&mut trees, &suite, &prepared);
    let as_read = trees.clone();
    let options = options(args, sut, &prepared, context)?;
    let extending =
        Extending { n_rounds: args.rounds, is_refined: args.refine, engine: *args.search.engine() };
    let found = search::run(&args.search, context, |budget| {
        let subgoals = Subgoals::new(&prepared.set, budget);
        let extending = Some(&extending).filter(|_| args.extend);
        let goals = (&prepared.set, &subgoals);
        let outcome = run_in_rounds(goals, &mut trees, &options, extending, budget)?;
        let choices = match args.repeat {
            1 => Vec::new(),
            _ => choices(&subgoals, &outcome.run, &options.observation.unobserved, budget),
        };
        let written = (args.extend && context.output.is_some())
            .then(|| extended(&prepared, &suite, &subgoals, &trees, budget));
        Ok((outcome, choices, written))
    });
    let (outcome, choices, written) =
        found.map_err(|breakdown: trapline_exec::adapters::Breakdown| {
            Failure::refused(breakdown.to_string())
        })?;
    if let Some(written) = written {
        suite_file::check(&prepared.loaded, &written)?;
        let limits = (&args.search, &ListArgs::default());
        suite_file::write(suite_file::Form::Json, &prepared, &written, limits, context)?;
    }
    let drafts = suite.document.drafts.iter().enumerate();
    let dropped = drafts.filter(|(idx, _)| !suite.origins.contains(idx));
    let dropped = dropped.map(|(_, draft)| draft.name.clone()).collect();
    let Outcome { run, reached, rounds, given_up } = outcome;
    let n_infeasible = n_infeasible(&prepared, &suite, &reached);
    let hints = Hints::new(&prepared.loaded, &suite, &as_read, &run);
    let has_impossible = suite.has_impossible;
    Ok(Found {
        prepared,
        run,
        reached,
        dropped,
        has_impossible,
        n_infeasible,
        is_fail_fast: args.fail_fast,
        rounds,
        given_up,
        choices,
        hints,
    })
}

fn options(
    args: &Args,
    sut: &str,
    prepared: &Prepared,
    context: &Context,
) -> Result<Options, Failure> {
    let names = names_of(args, &prepared.loaded.model, context)?.map(Arc::new);
    let unobserved = unobserved(args, &prepared.loaded.model, names.as_deref())?;
    Ok(Options {
        connection: Connection {
            to: sut.into(),
            protocol: if args.protocol == "csv" { Protocol::Csv } else { Protocol::Json },
            names,
            restarts: args.reset == "process",
            step_timeout: args.step_timeout,
            retries: args.retries,
            seed: args.seed,
        },
        n_jobs: args.jobs,
        is_fail_fast: args.fail_fast,
        observation: Observation { unobserved },
        n_repeats: args.repeat,
    })
}

/// How many goals nothing can reach, as the suite records.
fn n_infeasible(prepared: &Prepared, suite: &SuiteInput, reached: &Reached) -> usize {
    let proofs = Proofs::new(prepared, &suite.document);
    let is_infeasible = |goal_idx: usize| matches!(proofs.of(goal_idx), Known::Infeasible(_));
    let goals = reached.goals.iter().enumerate();
    goals.filter(|(idx, shown)| !shown.is_some() && is_infeasible(*idx)).count()
}

/// What the implementation calls variables and values.
fn names_of(args: &Args, model: &Model, context: &Context) -> Result<Option<Dictionary>, Failure> {
    let Some(path) = &args.map else { return Ok(None) };
    let map = MapFile::read(path, context)?;
    let names = map.renaming.dictionary(model).map_err(|wrong| map.refuse(&wrong, context))?;
    Ok(Some(names))
}

/// The outputs that the user says nobody sees, or that the implementation has no name for.
fn unobserved(
    args: &Args,
    model: &Model,
    names: Option<&Dictionary>,
) -> Result<Vec<Output>, Failure> {
    let mut outputs = Ports::new(model).outputs;
    outputs.retain(|output| names.is_some_and(|names| names.leaves_out(*output)));
    for wanted in &args.unobserved {
        let before = outputs.len();
        let is_meant = |name: &str| {
            name == wanted
                || name
                    .strip_prefix(wanted.as_str())
                    .is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let vars =
            model.var_ids().filter(|(_, var)| var.role == Role::Output && is_meant(&var.name));
        outputs.extend(vars.map(|(var, _)| Output::Var(var)));
        let defines = model.defines.iter().enumerate();
        let defines = defines.filter(|(_, it)| it.role == Role::Output && is_meant(&it.name));
        outputs.extend(defines.map(|(idx, _)| Output::Define(DefineId(idx as u32))));
        if outputs.len() == before {
            return Err(Failure::refused(format!("the model has no output `{wanted}`")));
        }
    }
    Ok(outputs)
}

fn judge_log(args: &Args, path: &Path, context: &Context) -> Result<Found, Failure> {
    let Extra { place, text } = files::read_text(path, context)?;
    let prepared = goal_args::prepare(&args.model, &args.goals, &args.search, context)?;
    let names = names_of(args, &prepared.loaded.model, context)?;
    let model = names.as_ref().map_or(&prepared.loaded.model, |names| &names.model);
    let mut logs = logs(args, (&place, &text), model, context)?;
    if let Some(names) = &names {
        let renamed = logs.iter().map(|log| log.renamed(names)).collect::<Result<_, _>>();
        logs = renamed.map_err(|why| Failure::refused(format!("{place}: {why}")))?;
    }
    let (run, reached) = search::run(&args.search, context, |budget| {
        let subgoals = Subgoals::new(&prepared.set, budget);
        let tester = Tester::new(&subgoals.model, budget);
        let mut run = RunResult { is_complete: true, tests: Vec::new() };
        for (idx, log) in logs.iter().enumerate() {
            run.tests.push((idx, log::judge(log, &tester)));
        }
        let reached = reached_by(&prepared.set, &subgoals, &run, &budget.grace());
        (run, reached)
    });
    Ok(Found {
        prepared,
        run,
        reached,
        dropped: Vec::new(),
        has_impossible: false,
        n_infeasible: 0,
        is_fail_fast: false,
        rounds: Vec::new(),
        given_up: Vec::new(),
        choices: Vec::new(),
        hints: Hints::default(),
    })
}

/// The runs that a file records.
fn logs(
    args: &Args,
    (place, text): (&str, &str),
    model: &Model,
    context: &Context,
) -> Result<Vec<Log>, Failure> {
    let is_lines = place.ends_with(".jsonl") || place.ends_with(".ndjson");
    if is_lines && args.suite_format.is_none() {
        return Log::from_lines(model, place, text)
            .map_err(|(line, why)| Failure::refused(format!("{place}: line {line}: {why}")));
    }
    let format = match &args.suite_format {
        Some(name) => read::find(name),
        None => read::recognise(place, text),
    };
    let format = format.ok_or_else(|| Failure::refused(format!("`{place}` looks like no log")))?;
    let document = read::read(model, format, text).map_err(|errors| {
        for error in errors {
            context.terminal.error(&format!("{place}: {error}"), None);
        }
        Failure::Reported
    })?;
    Ok(document.drafts.iter().map(|draft| Log::from_draft(model, draft)).collect())
}
