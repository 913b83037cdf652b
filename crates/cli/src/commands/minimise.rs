//! `trapline minimise`: a smaller suite with the same coverage.

use std::ops::Range;

use trapline_engine::{Budget, Why};
use trapline_goals::decide::Makeable;
use trapline_model::trace::Trace;
use trapline_suite::coverage::coverage;
use trapline_suite::minimise::{Minimised, Needed, candidates, minimise_trees};
use trapline_suite::set_cover::{Objective, Proof};
use trapline_suite::suite::{Missing, Suite, Test};
use trapline_suite::tracker::Tracker;
use trapline_suite::tree;

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::initial::require_initial_state;
use crate::missing::ListArgs;
use crate::numbers::counted;
use crate::search::{self, SearchArgs};
use crate::suite_file::Form;
use crate::suite_input::{self, SuiteArgs, SuiteInput, Writes};
use crate::{interrupt, names, shown, suite_file};

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
    /// Tests to keep unchanged, by name
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Tests")]
    pub keep: Vec<String>,
    /// Objective to minimise
    #[arg(long, value_name = "WHAT", default_value = "tests", value_parser = ["tests", "steps"], help_heading = "Tests")]
    pub fewest: String,
    /// Goals to list.
    #[command(flatten)]
    pub list: ListArgs,
    /// The output format; by default json if the name after -o ends so, else text
    #[arg(long, value_name = "NAME", value_parser = suite_file::formats())]
    pub format: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  trapline minimise valve.smv suite.json -o small.json
  trapline minimise valve.smv tests.csv --criteria branch,condition -o small.json
  trapline minimise valve.smv suite.json --keep t1 t7 --fewest steps";

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let form = suite_file::format(args.format.as_deref(), context)?;
    let text = suite_input::read(&args.suite, &args.model.path, Writes::Suite, context)?;
    let prepared =
        goal_args::prepare_for(&args.model, &args.goals, Some(&text), &args.search, context)?;
    require_initial_state(&prepared.loaded, &args.search, context)?;
    let input = text.tests(&prepared.loaded, &args.search.limits(), context)?;
    if let Some(why) = &prepared.cut {
        return write_unchanged((form, why), &prepared, &input, args, context);
    }
    refuse_other_goals(args, &prepared, &input)?;
    let keep = kept(&args.keep, &input)?;
    let objective = match args.fewest.as_str() {
        "steps" => Objective::FewestSteps,
        _ => Objective::FewestTests,
    };
    let made = search::run(&args.search, context, |budget| {
        let tracker = Tracker::new(&prepared.set, budget);
        let covered = coverage(&tracker.subgoals, &input.tests, &budget.grace());
        if let Some(why) = covered.cut {
            return Err(why);
        }
        // The evaluations that the suite makes: what it shows is what must stay.
        let made = covered.made(tracker.set, &tracker.subgoals);
        let left = smaller((&tracker, &made), &input, &keep, objective, budget);
        let suite = suite((&tracker, &made), &prepared, &input, &left, budget)?;
        Ok((suite, left))
    });
    let (suite, left) = match made {
        Ok(made) => made,
        Err(why) => return write_unchanged((form, &why), &prepared, &input, args, context),
    };
    suite_file::check(&prepared.loaded, &suite)?;
    suite_file::write(form, &prepared, &suite, (&args.search, &args.list), context)?;
    tell(&input, &left, &suite, &args.fewest, context);
    Ok(exit(&prepared, &input))
}

fn exit(prepared: &Prepared, input: &SuiteInput) -> Exit {
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if prepared.has_wrong_traps => Exit::BadInput,
        () => input.exit(),
    }
}

/// There was not enough time to find out what the tests are needed for: all of them stay.
fn write_unchanged(
    (form, why): (Form, &Why),
    prepared: &Prepared,
    input: &SuiteInput,
    args: &Args,
    context: &Context,
) -> Result<Exit, Failure> {
    let text = format!("{why} before it was known what the tests reach: all of them are left");
    context.terminal.note(&text);
    let trunks: Vec<usize> = input.trees().iter().map(|tree| tree.start).collect();
    let named = input.tests.iter().enumerate().map(|(place, trace)| Test {
        name: input.name(place).into(),
        trace: trace.clone(),
        is_branch: trunks.binary_search(&place).is_err(),
    });
    let suite = Suite { tests: named.collect(), ..Suite::undecided(prepared.set.goals.len(), why) };
    suite_file::write(form, prepared, &suite, (&args.search, &args.list), context)?;
    Ok(match exit(prepared, input) {
        Exit::Done => Exit::Undecided,
        exit => exit,
    })
}

/// Without `--criteria` the goals are those of the suite, which other options may have determined.
fn refuse_other_goals(args: &Args, prepared: &Prepared, input: &SuiteInput) -> Result<(), Failure> {
    let n_lost = input.n_unknown_goals(&prepared.set);
    if n_lost == 0 || !args.goals.scope.criteria.is_empty() {
        return Ok(());
    }
    let text = format!("{} of the suite would not count", counted(n_lost as u64, "goal"));
    Err(Failure::refused(text).help(
        "pass the options that it was made with, such as --mutate specs, or name the --criteria \
         that count",
    ))
}

/// The indices of the tests to keep.
fn kept(wanted: &[String], input: &SuiteInput) -> Result<Vec<usize>, Failure> {
    let all = || (0..input.tests.len()).map(|place| input.name(place));
    let places = |wanted: &String| {
        let is_meant = |(place, known): (usize, &str)| (known == wanted).then_some(place);
        let found: Vec<usize> = all().enumerate().filter_map(is_meant).collect();
        if found.is_empty() {
            let failure = Failure::refused(format!("the suite has no test `{wanted}`"));
            return Err(match names::close(wanted, all()).as_slice() {
                [] => failure.help("names are those of the suite; unnamed tests are t1, t2, ..."),
                close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
            });
        }
        Ok(found)
    };
    let kept: Vec<Vec<usize>> = wanted.iter().map(places).collect::<Result<_, _>>()?;
    Ok(kept.concat())
}

/// The best choice of the tests, each a test of the suite.
fn smaller(
    (tracker, makeable): (&Tracker<'_>, &Makeable),
    input: &SuiteInput,
    keep: &[usize],
    objective: Objective,
    budget: &Budget<'_>,
) -> Minimised {
    let set = tracker.set;
    let goals: Vec<usize> = (0..set.goals.len()).collect();
    let needed =
        Needed { set, subgoals: &tracker.subgoals, makeable, goals: &goals, is_asked: &|_| true };
    let trees = input.trees();
    let branched = || trees.iter().filter(|tree| tree.len() > 1).flat_map(Range::clone);
    let whole: Vec<usize> = keep.iter().copied().chain(branched()).collect();
    let distinct = candidates(&set.model, &input.tests, &whole, objective);
    let tests: Vec<_> = distinct.iter().map(|&idx| input.tests[idx].clone()).collect();
    let place = |kept: &usize| distinct.binary_search(kept).ok();
    let keep: Vec<usize> = keep.iter().filter_map(place).collect();
    let trees = trees.iter().filter_map(|tree| {
        let start = place(&tree.start)?;
        Some(start..start + tree.len())
    });
    let trees: Vec<Range<usize>> = trees.collect();
    let mut left = minimise_trees(&needed, (&tests, &trees), &keep, objective, budget);
    left.origins.iter_mut().for_each(|origin| *origin = distinct[*origin]);
    left
}

fn suite(
    (tracker, makeable): (&Tracker<'_>, &Makeable),
    prepared: &Prepared,
    input: &SuiteInput,
    left: &Minimised,
    budget: &Budget<'_>,
) -> Result<Suite, Why> {
    if let Some(why) = left.given_up.clone() {
        return Err(why);
    }
    let trunks: Vec<usize> = input.trees().iter().map(|tree| tree.start).collect();
    let tests = left.tests.iter().zip(&left.origins).map(|(trace, origin)| Test {
        name: input.name(*origin).into(),
        trace: trace.clone(),
        is_branch: trunks.binary_search(origin).is_err(),
    });
    let goals = (&tracker.subgoals, makeable);
    suite_file::scored((prepared, &input.document), goals, &tests.collect::<Vec<_>>(), budget)
}

fn tell(input: &SuiteInput, left: &Minimised, suite: &Suite, fewest: &str, context: &Context) {
    let of = |tests: &[Trace], trees: &[Range<usize>]| {
        let n_steps = |tree: &Range<usize>| {
            tree::n_steps(&tests[tree.clone()].iter().collect::<Vec<_>>()) as u64
        };
        let n_tests = counted(trees.len() as u64, "test");
        format!("{n_tests} with {}", counted(trees.iter().map(n_steps).sum::<u64>(), "step"))
    };
    let bound = &left.solution.bound;
    let proof = match bound.proof {
        Proof::Exact | Proof::First => format!("no choice of whole tests has fewer {fewest}"),
        Proof::Gap => format!(
            "at least {} and {} are needed",
            counted(bound.n_tests, "test"),
            counted(bound.n_steps, "step")
        ),
    };
    let before = of(&input.tests, &input.trees());
    let mut text = format!("{}; before: {before}; {proof}", of(&left.tests, &suite.trees()));
    let remark = shown::remark(suite.goals.iter().map(|goal| goal.evidence.word()));
    if !remark.is_empty() {
        let n_covered = suite.goals.iter().filter(|goal| goal.missing == Missing::No).count();
        text += &format!("; {} covered{remark}", counted(n_covered as u64, "goal"));
    }
    context.terminal.summary(&text);
}
