//! `trapline evaluate`: which goals an existing suite reaches, and its score.

mod document;
mod lcov;
pub mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::Why;
use trapline_goals::winnow::Wishes;
use trapline_suite::evaluate::{Evaluated, Method, evaluate_trees};
use trapline_suite::suite::Missing;

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::initial::require_initial_state;
use crate::interrupt;
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
    /// How coverage is determined
    #[arg(long, value_name = "NAME", default_value = "native", value_parser = methods())]
    pub method: String,
    /// Goals to exclude: infeasible ones, trivial ones that every trace reaches, duplicates of
    /// others; comma-separated, or `none`
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "infeasible", value_parser = ["none", "infeasible", "trivial", "duplicate"])]
    pub winnow: Vec<String>,
    /// Fail if the score is lower: a number from 0 to 1, or a percentage such as 95%
    #[arg(long, value_name = "SCORE", value_parser = parse_score)]
    pub min_score: Option<f64>,
    /// The output format; by default lcov or json if the name after -o ends so, else text
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub format: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  trapline evaluate valve.smv suite.json --criteria mcdc-masking
  trapline evaluate valve.smv tests.csv --criteria branch,condition --min-score 0.95
  trapline evaluate valve.smv traces.xml --criteria mutation --winnow infeasible,duplicate
  trapline evaluate valve.smv suite.json --criteria branch,mcdc-masking -o coverage.lcov";

fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("native").help("evaluate each goal along each test"),
        PossibleValue::new("machine")
            .help("check each goal's trap property on a model of each test"),
    ])
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("text").help("for people: a table, and the goals not reached"),
        PossibleValue::new("json").help("for programs: trapline-coverage/1"),
        PossibleValue::new("lcov").help("for editors and CI: lines, branches and MC/DC"),
    ])
}

/// A share, as users write it.
pub fn parse_score(argument: &str) -> Result<f64, String> {
    let number = match argument.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0),
        None => argument.parse::<f64>(),
    };
    let score = number.ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "expected a number from 0 to 1, as in 0.95, or 95%".into())
}

/// What was found.
pub struct Found {
    /// The goals.
    pub prepared: Prepared,
    /// The suite.
    pub suite: SuiteInput,
    /// Its evaluation.
    pub evaluated: Evaluated,
}

impl Found {
    /// The tests that reach a goal, as they are numbered in the suite.
    pub fn tests(&self, goal: usize) -> Vec<usize> {
        let tests = self.evaluated.goals[goal].shown.tests();
        tests.into_iter().map(|test| self.suite.origins[test]).collect()
    }

    /// True if goals are missing, or not all tests were evaluated.
    pub fn is_cut(&self) -> bool {
        self.prepared.cut.is_some() || self.evaluated.cut.is_some()
    }

    /// The share of goals that are reached, if any goal counts.
    pub fn score(&self) -> Option<f64> {
        let all: Vec<usize> = (0..self.evaluated.goals.len()).collect();
        share(self.evaluated.score(&all))
    }
}

/// The note for tests that could not be evaluated in time.
pub fn unseen_notice(why: &Why) -> String {
    format!("{why} before all tests were looked at: they may reach more goals")
}

/// A share; nothing has none.
pub fn share((covered, total): (usize, usize)) -> Option<f64> {
    (total > 0).then(|| covered as f64 / total as f64)
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let format = format(args, context);
    let text = suite_input::read(&args.suite, &args.model.path, Writes::Other, context)?;
    let prepared =
        goal_args::prepare_for(&args.model, &args.goals, Some(&text), &args.search, context)?;
    require_initial_state(&prepared.loaded, &args.search, context)?;
    let suite = text.tests(&prepared.loaded, &args.search.limits(), context)?;
    if prepared.cut.is_none() {
        suite.tell_lost(&prepared.set, &args.goals, context);
    }
    let wants = |what: &str| args.winnow.iter().any(|wish| wish == what);
    let wishes = Wishes {
        infeasible: wants("infeasible"),
        trivial: wants("trivial"),
        duplicate: wants("duplicate"),
    };
    let method = if args.method == "machine" { Method::Machine } else { Method::Native };
    let evaluated = search::run(&args.search, context, |budget| {
        let engine = args.search.engine();
        let tests = (suite.tests.as_slice(), suite.trees());
        evaluate_trees(&prepared.set, (tests.0, &tests.1), method, wishes, engine, budget)
    });
    let found = Found { prepared, suite, evaluated };
    if let Some(why) = &found.evaluated.cut {
        context.terminal.note(&unseen_notice(why));
    }
    match format {
        "json" => document::write(&found, context)?,
        "lcov" => context.write(&lcov::text(&found))?,
        _ => text::write(&found, context)?,
    }
    text::tell(&found, args.min_score, context);
    Ok(exit(args, &found))
}

fn format<'a>(args: &'a Args, context: &Context) -> &'a str {
    let name = context.output.as_ref().map(|path| path.to_string_lossy().into_owned());
    let ends = |ending: &str| name.as_ref().is_some_and(|name| name.ends_with(ending));
    match &args.format {
        Some(format) => format,
        None if ends(".json") => "json",
        None if ends(".lcov") || ends(".info") => "lcov",
        None => "text",
    }
}

/// True if a score is not as high as demanded; nothing to score never is.
fn is_below(score: Option<f64>, min_score: f64) -> bool {
    score.is_none_or(|score| score < min_score)
}

fn exit(args: &Args, found: &Found) -> Exit {
    let is_low = args.min_score.is_some_and(|min_score| is_below(found.score(), min_score));
    let is_unknown = |(idx, goal): (usize, &trapline_suite::suite::Scored)| {
        matches!(goal.missing, Missing::Unknown(_)) && found.evaluated.winnowed[idx].is_none()
    };
    let wants_proofs = args.winnow.iter().any(|wish| wish == "infeasible");
    let has_unknown = wants_proofs && found.evaluated.goals.iter().enumerate().any(is_unknown);
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if found.prepared.has_wrong_traps => Exit::BadInput,
        () if found.suite.exit() != Exit::Done => found.suite.exit(),
        // A score that is not known yet is no finding.
        () if found.is_cut() => Exit::Undecided,
        () if is_low => Exit::Negative,
        () if has_unknown => Exit::Undecided,
        () => Exit::Done,
    }
}
