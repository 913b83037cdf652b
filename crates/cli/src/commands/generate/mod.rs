//! `trapline generate`: a test suite.

mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::{ENGINES, Why};
use trapline_suite::bound::fewest_steps;
use trapline_suite::generate::{Fewest, Options, Slice, Strategy, generate};
use trapline_suite::set_cover::{Objective, Solution};
use trapline_suite::suite::{Missing, Scored, Suite, assemble};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::interrupt;
use crate::journal_file::JournalFile;
use crate::search::{self, SearchArgs};
use crate::suite_file::{self, Form};

/// What the user typed.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{EXAMPLES}", goal_args::criteria_help()))]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Which goals.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// How to search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// How tests are made.
    #[command(flatten)]
    pub tests: TestArgs,
    /// Go on with a run that did not finish: what it found is in the file of -o with `.journal`
    #[arg(long)]
    pub resume: bool,
    /// The form of the result; without it, json if the name after -o ends so, else text
    #[arg(long, value_name = "NAME", value_parser = suite_file::formats())]
    pub format: Option<String>,
}

/// How tests are made.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tests")]
pub struct TestArgs {
    /// How tests are made
    #[arg(long, value_name = "NAME", default_value = "extend", value_parser = strategies())]
    pub strategy: String,
    /// What the fewest of is wanted
    #[arg(long, value_name = "WHAT", default_value = "tests", value_parser = fewest())]
    pub fewest: String,
    /// Look no further than N steps from the start. What is not found there may still be found from
    /// where tests end, and else is unknown. Pays where proofs and deep goals take too long
    #[arg(long, value_name = "N")]
    pub initial_depth: Option<u64>,
    /// Extend a test by at most N steps at a time, else start another; 0 extends none. Pays where
    /// long tests are hard to run
    #[arg(long, value_name = "N")]
    pub extension_depth: Option<u64>,
    /// Extend a test by at least N steps at a time. Pays with --no-prune, for longer tests
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub min_depth: u64,
    /// Only shortest ways to goals, even where others are found sooner: no random walks
    #[arg(long)]
    pub incremental: bool,
    /// Where a test can't be extended, go back to the end of its first segment before starting
    /// anew. Pays where that segment is long
    #[arg(long)]
    pub branch: bool,
    /// A segment counts for the goal that it was made for and for no other. Pays for those who want
    /// more tests, or longer ones
    #[arg(long)]
    pub no_prune: bool,
    /// Which variables searches leave out
    #[arg(long, value_name = "WHICH", default_value = "each", value_parser = slices())]
    pub slice: String,
    /// What finds the first segments and the proofs, if not --engine
    #[arg(long, value_name = "NAME", value_parser = search::engine_names())]
    pub engine_initial: Option<String>,
    /// Walk N steps at random first, always to what is new. Pays on large models, where it is cheap
    /// and comes to deep states; tests get longer
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub warm_up: usize,
    /// Make N tests for each goal, with different inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub diverse: usize,
    /// Where random choices start; the same seed gives the same tests
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Say how many steps any suite needs that covers the same goals. Looks at all states of the
    /// model: for small ones
    #[arg(long)]
    pub lower_bound: bool,
    /// Leave the tests as they were made: no choice of the fewest, no cutting of ends
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
        PossibleValue::new("extend").help("from where a test ends, on to the next goal: few tests"),
        PossibleValue::new("separate").help("a test for each goal: short tests, easy to look at"),
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
        PossibleValue::new("initial").help("those that no goal needs"),
        PossibleValue::new("each").help("those that no open goal needs: less as goals fall"),
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
            engine: *engine,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let format = suite_file::format(args.format.as_deref(), context)?;
    let prepared = goal_args::prepare(&args.model, &args.goals, &args.search, context)?;
    let options = args.tests.options(&args.search);
    if let Some(why) = &prepared.cut {
        return write_without_tests(format, &prepared, why, args, context);
    }
    let mut journal = JournalFile::open(&prepared, &options, args.resume, context)?;
    let objective = (!args.tests.no_minimise).then_some(match options.fewest {
        Fewest::Tests => Objective::FewestTests,
        Fewest::Steps => Objective::FewestSteps,
    });
    let (mut suite, proved) = search::run(&args.search, context, |budget| {
        let made = generate(&prepared.set, &options, &mut journal, budget);
        let (suite, solution) = assemble(&prepared.set, &made, objective, budget);
        let covered = |idx: &usize| suite.goals[*idx].shown.is_some();
        let goals: Vec<usize> = (0..suite.goals.len()).filter(covered).collect();
        let n_steps = args
            .tests
            .lower_bound
            .then(|| fewest_steps(&prepared.set, &made.parts, &goals, budget));
        (suite, Proved { solution, n_steps, was_cut: budget.spend(0).is_err() })
    });
    if let Some(&goal) = suite.contradicted.first() {
        return Err(journal.contradicted(&prepared.set.goals[goal].id));
    }
    suite.is_complete &= !interrupt::is_raised() && !proved.was_cut;
    suite_file::check(&prepared.loaded, &suite)?;
    suite_file::write(format, &prepared, &suite, &args.search, context)?;
    text::tell(&prepared, &suite, &proved, context);
    journal.close(&suite)?;
    Ok(exit(&prepared, &suite))
}

/// There was not even enough for the goals. Those that are there are written, so that nobody waits
/// in vain for a result; the journal of another run is left as it is.
fn write_without_tests(
    format: Form,
    prepared: &Prepared,
    why: &Why,
    args: &Args,
    context: &Context,
) -> Result<Exit, Failure> {
    let suite = Suite::undecided(prepared.set.goals.len(), why);
    suite_file::write(format, prepared, &suite, &args.search, context)?;
    let proved = Proved { solution: None, was_cut: true, n_steps: None };
    text::tell(prepared, &suite, &proved, context);
    Ok(if interrupt::is_raised() { Exit::Interrupted } else { Exit::Undecided })
}

/// What is proved of a suite.
pub struct Proved {
    /// What was chosen of the tests that were found.
    pub solution: Option<Solution>,
    /// Did the time, the memory or the work run out?
    pub was_cut: bool,
    /// The steps that any suite needs, if somebody wants to know.
    pub n_steps: Option<Result<u64, Why>>,
}

fn exit(prepared: &Prepared, suite: &Suite) -> Exit {
    let is_unknown = |goal: &Scored| matches!(goal.missing, Missing::Unknown(_));
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if prepared.has_wrong_traps => Exit::BadInput,
        () if suite.goals.iter().any(is_unknown) => Exit::Undecided,
        () => Exit::Done,
    }
}
