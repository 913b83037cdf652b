//! `trapline mutants`: the mutants, each as a diff.

pub mod document;
pub mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::Why;
use trapline_goals::criteria::mutation;
use trapline_goals::mutate::status::{Status, statuses};
use trapline_goals::mutate::{self, Mutants};
use trapline_goals::{Builder, GoalSet};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, ScopeArgs};
use crate::initial::require_initial_state;
use crate::interrupt;
use crate::load::Loaded;
use crate::search::{self, SearchArgs};
use crate::suite_input::SuiteText;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{EXAMPLES}", goal_args::operators_help()))]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Which mutants: the criteria are `mutation` and `mutation:OPERATOR`.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Only list them: do not decide which can be killed
    #[arg(long)]
    pub list: bool,
    /// Show only the number of mutants per operator
    #[arg(long)]
    pub count: bool,
    /// Show what mutants allow that the model forbids, if they forbid nothing that it allows:
    /// negative tests, which an implementation must not pass
    #[arg(long, conflicts_with = "list")]
    pub negative: bool,
    /// The output format
    #[arg(long, value_name = "NAME", default_value = TEXT, value_parser = formats())]
    pub format: String,
}

/// The human-readable format.
const TEXT: &str = "text";

const EXAMPLES: &str = "\
Examples:
  trapline mutants valve.smv
  trapline mutants valve.smv --criteria mutation:stuck-at,mutation:remove --count
  trapline mutants valve.smv --mutate specs --format json -o mutants.json
  trapline mutants valve.smv --on Overridden --negative

A mutant is killable if some test shows that it is wrong, equivalent if none can tell it from the
model, excluded only if it forbids nothing that the model allows but allows more, and invalid if a
variable would depend on itself.";

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new(TEXT).help("for people: each mutant as a diff"),
        PossibleValue::new("json").help("for programs: trapline-mutants/1"),
    ])
}

/// What was found.
pub struct Found {
    /// The model.
    pub loaded: Loaded,
    /// The mutants.
    pub mutants: Mutants,
    /// Their goals, in order.
    pub set: GoalSet,
    /// Why mutants are missing, if any are.
    pub cut: Option<Why>,
    /// Their statuses, if requested.
    pub statuses: Option<Vec<Status>>,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let derived = if args.list { Derived::Mutants } else { Derived::Goals };
    let mut found = find((&args.model, None), &args.scope, &args.search, derived, context)?;
    if !args.list {
        require_initial_state(&found.loaded, &args.search, context)?;
        let engine = args.search.engine();
        let (set, mutants) = (&found.set, &found.mutants);
        let found_out =
            search::run(&args.search, context, |budget| statuses(set, mutants, engine, budget));
        found.statuses = Some(found_out);
    }
    let is_text = args.format == TEXT;
    match (is_text, args.count) {
        (true, true) => context.write(&text::counts(&found))?,
        (true, false) => text::write(&found, args.negative, context)?,
        (false, _) => document::write(&found, args, context)?,
    }
    text::tell(&found, context);
    let is_unknown = |status: &Status| matches!(status, Status::Unknown(_));
    let has_unknown = found.statuses.iter().flatten().any(is_unknown);
    Ok(match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if has_unknown || found.cut.is_some() => Exit::Undecided,
        () => Exit::Done,
    })
}

/// What is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The mutants.
    Mutants,
    /// Also the goal of each.
    Goals,
}

/// The mutants of a model; the roles that a suite was made with count.
pub fn find(
    (model, suite): (&ModelArgs, Option<&SuiteText>),
    scope: &ScopeArgs,
    search: &SearchArgs,
    derived: Derived,
    context: &Context,
) -> Result<Found, Failure> {
    let mut names = goal_args::named_criteria(scope)?;
    if names.is_empty() {
        names.push("mutation".into());
    }
    if let Some(other) = names.iter().find(|name| !name.starts_with("mutation")) {
        return Err(Failure::refused(format!("`{other}` makes no mutants"))
            .help("take mutation, or one operator as in mutation:stuck-at"));
    }
    let (mut loaded, options, _) = goal_args::read(model, scope, None, search, context)?;
    if let Some(suite) = suite.filter(|_| !model.reading.has_roles()) {
        suite.set_roles(&mut loaded.model);
    }
    if derived == Derived::Goals {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        goal_args::tell_no_output(&loaded, &options, &names, context);
    }
    let mut operators: Vec<usize> =
        names.iter().flat_map(|name| mutation::operators(name)).collect();
    operators.sort_unstable();
    operators.dedup();
    let (mutants, set, cut) = search::run(search, context, |budget| {
        let mut builder = Builder::new(loaded.model.clone(), &options).within(budget);
        builder.criterion = "mutation".into();
        let mut mutants = mutate::mutants(&mut builder, &operators);
        mutation::drop_environment(&builder, &mut mutants);
        if derived == Derived::Goals {
            mutation::add_goals(&mut builder, &mutants);
            mutants.list.truncate(builder.goals.len());
        }
        let Builder { model, goals, faults, notices, cut, .. } = builder;
        let (points, others) = (Vec::new(), Vec::new());
        (mutants, GoalSet { model, goals, points, mutants: others, faults, notices }, cut)
    });
    goal_args::show_notices(&set.notices, &loaded, context);
    if let Some(why) = &cut {
        context.terminal.note(&goal_args::cut_notice(why, mutants.list.len()));
    }
    Ok(Found { loaded, mutants, set, cut, statuses: None })
}
