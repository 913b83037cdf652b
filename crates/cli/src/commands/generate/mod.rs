//! `trapline generate`: a test suite.

mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::{ENGINES, Why};
use trapline_suite::bound::fewest_steps;
use trapline_suite::generate::{Fewest, Options, Slice, Strategy, Traces, generate};
use trapline_suite::set_cover::{Objective, Solution};
use trapline_suite::suite::{Missing, Scored, Suite, assemble};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::initial::require_initial_state;
use crate::interrupt;
use crate::journal_file::JournalFile;
use crate::missing::ListArgs;
use crate::search::{self, SearchArgs};
use crate::suite_file::{self, Form};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{EXAMPLES}", goal_args::criteria_help()))]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Goal selection.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Generation options.
    #[command(flatten)]
    pub tests: TestArgs,
    /// Resume an unfinished run from its journal, the -o file with `.journal` appended
    #[arg(long)]
    pub resume: bool,
    /// Goals to list.
    #[command(flatten)]
    pub list: ListArgs,
    /// The output format; by default json if the name after -o ends so, else text
    #[arg(long, value_name = "NAME", value_parser = suite_file::formats())]
    pub format: Option<String>,
}

/// Generation options.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tests")]
pub struct TestArgs {
    /// The generation strategy
    #[arg(long, value_name = "NAME", default_value = "extend", value_parser = strategies())]
    pub strategy: String,
    /// Objective to minimise
    #[arg(long, value_name = "WHAT", default_value = "tests", value_parser = fewest())]
    pub fewest: String,
    /// Search at most N steps from the initial states. Goals not found there may still be found by
    /// extending tests; otherwise they are unknown. Useful when proofs and deep goals take too long
    #[arg(long, value_name = "N")]
    pub initial_depth: Option<u64>,
    /// Extend a test by at most N steps at a time, otherwise start a new one; 0 disables extension.
    /// Useful when long tests are hard to run
    #[arg(long, value_name = "N")]
    pub extension_depth: Option<u64>,
    /// Extend a test by at least N steps at a time. Useful with --no-prune, for longer tests
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub min_depth: u64,
    /// Use only shortest paths to goals, even where others are found sooner: no random walks
    #[arg(long)]
    pub incremental: bool,
    /// Where a test can't be extended, backtrack to the end of its first segment before starting a
    /// new test. Useful when that segment is long
    #[arg(long)]
    pub branch: bool,
    /// Credit a segment only with the goal that it was made for. Useful for more or longer tests
    #[arg(long)]
    pub no_prune: bool,
    /// Which variables searches slice away
    #[arg(long, value_name = "WHICH", default_value = "each", value_parser = slices())]
    pub slice: String,
    /// The engine for initial segments and proofs, if not --engine
    #[arg(long, value_name = "NAME", value_parser = search::engine_names())]
    pub engine_initial: Option<String>,
    /// Start with N random steps, preferring those that reach new goals. Useful on large models,
    /// where it cheaply reaches deep states; tests get longer
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub warm_up: usize,
    /// Generate N tests per goal, with different inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub diverse: usize,
    /// Random seed; the same seed gives the same tests
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Report a lower bound on the steps of any suite that covers the same goals. Explores all
    /// states, so only for small models
    #[arg(long)]
    pub lower_bound: bool,
    /// Keep the tests as generated: do not select a smallest subset, do not truncate tests
    #[arg(long)]
    pub no_minimise: bool,
}

const EXAMPLES: &str = "\
Examples:
  trapline generate valve.smv --criteria branch,mcdc-masking -o suite.json
  trapline generate valve.smv --criteria mutation --strategy separate -o suite.json
  trapline generate valve.smv --criteria value --purpose '!Overridden'
  trapline generate valve.smv --criteria all --timeout 60 -o suite.json
  trapline generate valve.smv --criteria all -o suite.json --resume";

fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("extend").help("extend each test to the next goal: few, long tests"),
        PossibleValue::new("separate").help(
            "a shortest trace for each goal, of these the fewest tests that reach all goals; with \
             --no-minimise all of them",
        ),
    ])
}

fn fewest() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("tests").help("the fewest tests, then the fewest steps"),
        PossibleValue::new("steps").help("the fewest steps, then the fewest tests"),
    ])
}

fn slices() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("none").help("none"),
        PossibleValue::new("initial").help("those that no goal depends on"),
        PossibleValue::new("each")
            .help("those that no open goal depends on: slices shrink as goals are met"),
    ])
}

impl TestArgs {
    fn options(&self, search: &SearchArgs) -> Options {
        let engine = search.engine();
        let named = |name: &String| ENGINES.iter().find(|engine| engine.name == name);
        let initial_engine = self.engine_initial.as_ref().and_then(named).unwrap_or(engine);
        Options {
            strategy: match self.strategy.as_str() {
                "separate" => Strategy::Separate,
                _ => Strategy::Extend,
            },
            fewest: if self.fewest == "steps" { Fewest::Steps } else { Fewest::Tests },
            initial_depth: self.initial_depth,
            extension_depth: self.extension_depth,
            min_depth: self.min_depth,
            is_incremental: self.incremental,
            branch: self.branch,
            no_prune: self.no_prune,
            slice: match self.slice.as_str() {
                "none" => Slice::None,
                "initial" => Slice::Initial,
                _ => Slice::Each,
            },
            warm_up: self.warm_up,
            seed: self.seed,
            diverse: self.diverse,
            shorten: !self.no_minimise,
            initial_engine: *initial_engine,
            ..Options::usual(Strategy::Extend, *engine)
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let format = suite_file::format(args.format.as_deref(), context)?;
    let prepared = goal_args::prepare(&args.model, &args.goals, &args.search, context)?;
    require_initial_state(&prepared.loaded, &args.search, context)?;
    let options = args.tests.options(&args.search);
    if let Some(why) = &prepared.cut {
        return write_without_tests(format, &prepared, why, args, context);
    }
    let mut journal = JournalFile::open(&prepared, &options, args.resume, context)?;
    let objective = (!args.tests.no_minimise).then_some(match options.fewest {
        Fewest::Tests => Objective::FewestTests,
        Fewest::Steps => Objective::FewestSteps,
    });
    let (mut suite, proved, is_misfit) = search::run(&args.search, context, |budget| {
        let made = generate(&prepared.set, &options, &mut journal, budget);
        let (suite, solution) = assemble(&prepared.set, &made, objective, budget);
        let covered = |idx: &usize| suite.goals[*idx].shown.is_some();
        let goals: Vec<usize> = (0..suite.goals.len()).filter(covered).collect();
        let n_steps = args
            .tests
            .lower_bound
            .then(|| fewest_steps(&prepared.set, &made.subgoals, &goals, budget));
        let was_cut = budget.spend(0).is_err();
        let proved = Proved { solution, n_steps, was_cut, traces: made.traces };
        (suite, proved, made.is_misfit)
    });
    if is_misfit {
        return Err(journal.misfit());
    }
    if let Some(&goal) = suite.contradicted.first() {
        return Err(journal.contradicted(&prepared.set.goals[goal].id));
    }
    // Where every goal is decided, nothing is left to find.
    let is_cut = proved.was_cut && suite.goals.iter().any(is_unknown);
    suite.is_complete &= !interrupt::is_raised() && !is_cut;
    suite_file::check(&prepared.loaded, &suite)?;
    suite_file::write(format, &prepared, &suite, (&args.search, &args.list), context)?;
    text::tell(&prepared, &suite, &proved, context);
    journal.close(&suite)?;
    Ok(exit(&prepared, &suite))
}

/// The budget did not even suffice to derive the goals. Those derived are written, so that there is
/// a result; the journal of another run is left as it is.
fn write_without_tests(
    format: Form,
    prepared: &Prepared,
    why: &Why,
    args: &Args,
    context: &Context,
) -> Result<Exit, Failure> {
    let suite = Suite::undecided(prepared.set.goals.len(), why);
    suite_file::write(format, prepared, &suite, (&args.search, &args.list), context)?;
    let proved = Proved { solution: None, was_cut: true, n_steps: None, traces: None };
    text::tell(prepared, &suite, &proved, context);
    Ok(if interrupt::is_raised() { Exit::Interrupted } else { Exit::Undecided })
}

/// What is proved of a suite.
pub struct Proved {
    /// The set cover of the generated tests.
    pub solution: Option<Solution>,
    /// True if a time, memory or work limit was hit.
    pub was_cut: bool,
    /// The lower bound on steps, if requested.
    pub n_steps: Option<Result<u64, Why>>,
    /// With one trace for each goal, how many there are.
    pub traces: Option<Traces>,
}

fn is_unknown(goal: &Scored) -> bool {
    matches!(goal.missing, Missing::Unknown(_))
}

fn exit(prepared: &Prepared, suite: &Suite) -> Exit {
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if prepared.has_wrong_traps => Exit::BadInput,
        () if suite.goals.iter().any(is_unknown) => Exit::Undecided,
        () => Exit::Done,
    }
}
