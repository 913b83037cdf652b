//! `trapline report`: a suite and what it shows, as a page.

mod documents;
mod page;
mod requirements;
mod run;
mod tables;
mod timeline;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_goals::{Demand, Visibility};
use trapline_report::formats::report::{Extra, FORMATS, Format};
use trapline_report::page::{Goal, Page, Showing, Verdict};
use trapline_suite::evaluate::evaluate_and_locate;
use trapline_suite::hits::Hits;
use trapline_suite::property::Property;

use super::evaluate::{parse_score, text::percent, unseen_notice};
use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::initial::require_initial_state;
use crate::interrupt;
use crate::missing;
use crate::numbers::{counted, grouped};
use crate::search::{self, SearchArgs};
use crate::suite_input::{self, SuiteArgs, SuiteInput, Writes};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{EXAMPLES}", goal_args::criteria_help()))]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The suite.
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// Goal selection.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The results of a run of the suite: a trapline-run/1 document
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// The output of `trapline compare --format json`
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Fail if the score is lower: a number from 0 to 1, or a percentage such as 95%
    #[arg(long, value_name = "SCORE", value_parser = parse_score)]
    pub min_score: Option<f64>,
    /// The report format; by default determined by the name after -o, else html
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub format: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  trapline report valve.smv suite.json -o report.html
  trapline report valve.smv tests.csv --criteria branch,mcdc-masking -o report.html
  trapline report valve.smv suite.json --run run.json --compare matrix.json -o report.html";

fn formats() -> PossibleValuesParser {
    let known = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(known)
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    for path in args.run.iter().chain(&args.compare) {
        context.protect(path)?;
    }
    let text = suite_input::read(&args.suite, &args.model.path, Writes::Other, context)?;
    let prepared =
        goal_args::prepare_for(&args.model, &args.goals, Some(&text), &args.search, context)?;
    require_initial_state(&prepared.loaded, &args.search, context)?;
    let suite = text.tests(&prepared.loaded, &args.search.limits(), context)?;
    if prepared.cut.is_none() {
        suite.tell_lost(&prepared.set, &args.goals, context);
    }
    let (evaluated, hits) = search::run(&args.search, context, |budget| {
        let trees = suite.trees();
        let tests = (suite.tests.as_slice(), trees.as_slice());
        evaluate_and_locate(&prepared.set, tests, args.search.engine(), budget)
    });
    let mut page = page::page(&prepared, &suite, (&evaluated, &hits));
    complete(&mut page, (&prepared, &suite), &hits, args, context)?;
    let format = format(args, context);
    tell_unused(args, format, context);
    context.write(&(format.write)(&page))?;
    tell(&page, args.min_score, context);
    Ok(match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if prepared.has_wrong_traps => Exit::BadInput,
        () if suite.exit() != Exit::Done => suite.exit(),
        // A score that is not known yet is no finding.
        () if prepared.cut.is_some() || hits.cut.is_some() => Exit::Undecided,
        () if is_low(&page, args.min_score) => Exit::Negative,
        () if hits.n_open > 0 || page.counts().unknown > 0 => Exit::Undecided,
        () => Exit::Done,
    })
}

/// Adds what the command line and other documents say.
fn complete(
    page: &mut Page,
    (prepared, suite): (&Prepared, &SuiteInput),
    hits: &Hits,
    args: &Args,
    context: &Context,
) -> Result<(), Failure> {
    page.suite.path = args.suite.suite.display().to_string();
    page.options = options(args, prepared.demand);
    if let Some(why) = &prepared.cut {
        page.notices.push(goal_args::cut_notice(why, prepared.set.goals.len()));
    }
    let unseen = hits.cut.as_ref().map(unseen_notice);
    let open = open_notice(page);
    for text in unseen.into_iter().chain(search::cut_notice(hits.n_open)).chain(open) {
        context.terminal.note(&text);
        page.notices.push(text);
    }
    page.notices.extend(shown_notice(page));
    if page.goals.is_empty() {
        page.notices.push("there are no goals, so there is no score".into());
    }
    page.requirements = requirements::requirements(prepared, &args.goals.req);
    if let Some(path) = &args.run {
        let about = run::About { page, prepared, suite };
        page.run = Some(run::run(path, &about, context)?);
    }
    if let Some(path) = &args.compare {
        page.comparison = Some(documents::comparison(path, context)?);
    }
    Ok(())
}

/// What to say of goals that are neither covered nor proved to be infeasible.
fn open_notice(page: &Page) -> Option<String> {
    // What is violated is decided, even if no test can show it.
    let is_open = |goal: &&Goal| {
        goal.verdict == Verdict::Unknown && goal.property != Some(Property::Violated)
    };
    let n_open = page.goals.iter().filter(is_open).count();
    (n_open > 0).then(|| {
        format!(
            "{} not decided, and counted as not reached: where a limit is the reason, \
             `trapline report` with a larger --timeout, --memory or --max-work decides more",
            counted(n_open as u64, "goal")
        )
    })
}

/// Says how many goals are not shown at the outputs, if any.
fn shown_notice(page: &Page) -> Option<String> {
    let [outputs, inside, unknown] = [Showing::Outputs, Showing::Inside, Showing::Unknown]
        .map(|showing| page.n_shown(showing) as u64);
    let open = match unknown {
        0 => String::new(),
        _ => format!(", and of {} that is not determined", grouped(unknown)),
    };
    (inside + unknown > 0).then(|| {
        format!(
            "running the tests shows {} of the {} at the outputs; {} are reached only inside, where \
             nothing that is judged shows them{open}",
            grouped(outputs),
            counted(outputs + inside + unknown, "covered goal"),
            grouped(inside),
        )
    })
}

/// The requested format, or the one that the file name determines.
fn format(args: &Args, context: &Context) -> &'static Format {
    let path = context.output.as_deref().unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let is_meant = |format: &&Format| match &args.format {
        Some(name) => format.name == name,
        None => format.endings.iter().any(|ending| path.ends_with(ending)),
    };
    FORMATS.iter().find(is_meant).unwrap_or(&FORMATS[0])
}

/// Says which of the documents that were asked for the report does not show.
fn tell_unused(args: &Args, format: &Format, context: &Context) {
    let given = [
        (Extra::Run, "--run", args.run.is_some()),
        (Extra::Comparison, "--compare", args.compare.is_some()),
    ];
    for (extra, option, is_given) in given {
        if is_given && !format.shows.contains(&extra) {
            let text = format!("a report in the format {} does not show {option}", format.name);
            context.terminal.note(&text);
        }
    }
}

/// The options that say what the goals are.
fn options(args: &Args, demand: Demand) -> Vec<(String, String)> {
    let scope = &args.goals.scope;
    let lists = [
        ("--criteria", &scope.criteria),
        ("--on", &scope.on),
        ("--in", &scope.within),
        ("--purpose", &scope.purpose),
        ("--product", &args.goals.product),
        ("--req", &args.goals.req),
        ("--input", &args.model.reading.input),
        ("--output", &args.model.reading.output),
        ("--internal", &args.model.reading.internal),
    ];
    let given = lists.into_iter().filter(|(_, values)| !values.is_empty());
    let mut options: Vec<(String, String)> =
        given.map(|(name, values)| (name.to_string(), values.join(","))).collect();
    let paths = scope.observer.iter().map(|path| ("--observer", path));
    let paths = paths.chain(args.goals.traps.iter().map(|path| ("--traps", path)));
    options.extend(paths.map(|(name, path)| (name.into(), path.display().to_string())));
    options.extend(args.model.reading.main.iter().map(|main| ("--main".into(), main.clone())));
    if args.goals.scope.limit != trapline_goals::Options::default().limit {
        options.push(("--limit".into(), args.goals.scope.limit.to_string()));
    }
    let flags = [
        ("--strict", args.model.reading.strict),
        ("--self-loops", args.goals.self_loops),
        ("--staying", args.goals.staying),
        ("--expound", scope.expound),
        ("--observable", demand.observable),
    ];
    let flags = flags.into_iter().filter(|(_, is_given)| *is_given);
    options.extend(flags.map(|(name, _)| (name.to_string(), String::new())));
    if scope.mutate != "model" {
        options.push(("--mutate".into(), scope.mutate.clone()));
    }
    if demand.visibility != Visibility::default() {
        options.push(("--visibility".into(), demand.visibility.name().into()));
    }
    options
}

fn is_low(page: &Page, min_score: Option<f64>) -> bool {
    let counts = page.counts();
    let is_below = |min_score| counts.without_score().is_some() || counts.score() < min_score;
    min_score.is_some_and(is_below)
}

/// Reports the summary on standard error.
fn tell(page: &Page, min_score: Option<f64>, context: &Context) {
    let counts = page.counts();
    let score = match counts.without_score() {
        Some(word) => word.to_string(),
        None => format!(
            "{} of {} reached, {}",
            grouped(counts.covered as u64),
            counted(counts.counting() as u64, "goal"),
            percent(counts.score())
        ),
    };
    let mut text = format!("{}: {score}", counted(page.tests.len() as u64, "test"));
    if let Some(min_score) = min_score.filter(|_| is_low(page, min_score)) {
        text += &format!(": less than {}", percent(min_score));
    }
    text += &missing::violated(page.goals.iter().filter_map(|goal| goal.property));
    context.terminal.summary(&text);
}
