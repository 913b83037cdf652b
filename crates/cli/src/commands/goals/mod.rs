//! `trapline goals`: the test goals that the criteria derive.

pub mod document;
pub mod table;
mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_goals::decide::{Decided, Verdict, decide};
use trapline_goals::winnow::{self, Winnowed};
use trapline_goals::{Builder, Goal, GoalSet, Options, mutate, reflect, traps};
use trapline_lang::smv::{self, Smv};
use trapline_model::Syntax;
use trapline_suite::property::Property;

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Prepared};
use crate::initial::require_initial_state;
use crate::interrupt;
use crate::search::{self, SearchArgs};

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
    /// Decide which goals are reachable
    #[arg(long)]
    pub verdicts: bool,
    /// Drop uninformative goals: infeasible ones, trivial ones that every trace reaches, and
    /// duplicates of others; comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = ["infeasible", "trivial", "duplicate"])]
    pub winnow: Vec<String>,
    /// Show only the number of goals per criterion
    #[arg(long)]
    pub count: bool,
    /// Show the model reflected as formulas instead: one per branch
    #[arg(long, conflicts_with_all = ["cases", "count", "verdicts"])]
    pub reflect: bool,
    /// Show the cases of the model instead as --expound makes them, with mutually exclusive guards
    #[arg(long, conflicts_with_all = ["count", "verdicts"])]
    pub cases: bool,
    /// The output format
    #[arg(long, value_name = "NAME", default_value = TEXT, value_parser = formats())]
    pub format: String,
}

/// The human-readable format.
const TEXT: &str = "text";
/// The form for programs.
const JSON: &str = "json";
/// The form for model checkers.
const SMV: &str = "smv";

const EXAMPLES: &str = "\
Examples:
  trapline goals valve.smv --criteria branch,mcdc-masking
  trapline goals valve.smv --criteria all --count
  trapline goals valve.smv --criteria condition --on Overridden --verdicts
  trapline goals valve.smv --criteria ufp --format smv > traps.smv    for NuSMV
  trapline goals valve.smv --criteria trap --traps mine.txt
  trapline goals valve.smv --reflect";

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new(TEXT).help("for people: one line per goal"),
        PossibleValue::new(JSON).help("for programs: trapline-goals/1"),
        PossibleValue::new(SMV)
            .help("the flattened model with one trap property per goal, for NuSMV"),
    ])
}

/// What was found.
pub struct Found {
    /// The goals.
    pub prepared: Prepared,
    /// Their verdicts, if requested.
    pub decided: Option<Decided>,
    /// What was dropped.
    pub winnowed: Winnowed,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.format == SMV && (args.count || args.cases) {
        return Err(Failure::refused("this has no form for model checkers")
            .help("leave out --format smv, or --count and --cases"));
    }
    if args.reflect || args.cases {
        return formulas(args, context);
    }
    let prepared = goal_args::prepare(&args.model, &args.goals, &args.search, context)?;
    let mut found = Found { prepared, decided: None, winnowed: Winnowed::default() };
    if args.verdicts || !args.winnow.is_empty() {
        require_initial_state(&found.prepared.loaded, &args.search, context)?;
        search(args, &mut found, context);
    }
    match (args.format.as_str(), args.count) {
        (TEXT, true) => context.write(&text::counts(&found))?,
        (TEXT, false) => text::write(&found, context)?,
        (JSON, true) => context.write(&document::counts(&found))?,
        (JSON, false) => {
            search::tell(&args.search, context, |budget| document::write(&found, budget, context))?
        }
        _ => {
            let trapped = traps::commented(&found.prepared.set);
            let model = found.prepared.loaded.in_smv(trapped.model);
            let mut text = smv::print::flat_with_comments(&model, &trapped.comments);
            for why in &trapped.left_out {
                text += &format!("{}\n", Smv.comment(why));
            }
            context.write(&text)?;
        }
    }
    text::tell(&found, context);
    Ok(exit(&found))
}

fn search(args: &Args, found: &mut Found, context: &Context) {
    let wants = |what: &str| args.winnow.iter().any(|wish| wish == what);
    let (engine, set) = (args.search.engine(), &mut found.prepared.set);
    let decided = search::run(&args.search, context, |budget| {
        let mut decided = decide(set, engine, budget);
        let wishes = winnow::Wishes {
            infeasible: wants("infeasible"),
            trivial: wants("trivial"),
            duplicate: wants("duplicate"),
        };
        found.winnowed = winnow::winnow(set, &mut decided, wishes, engine, budget);
        decided
    });
    found.decided = Some(decided);
}

fn exit(found: &Found) -> Exit {
    let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(_));
    let has_unknown =
        found.decided.as_ref().is_some_and(|decided| decided.verdicts.iter().any(is_unknown));
    match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if found.prepared.has_wrong_traps => Exit::BadInput,
        () if has_unknown || found.prepared.cut.is_some() => Exit::Undecided,
        () => Exit::Done,
    }
}

/// `--reflect` and `--cases`: what mutation with `--expound` works on.
fn formulas(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (loaded, options, _) =
        goal_args::read(&args.model, &args.goals.scope, None, &args.search, context)?;
    let options = Options { expound: true, mutate: trapline_goals::Mutate::Model, ..options };
    let mut builder = Builder::new(loaded.model.clone(), &options);
    builder.criterion = "expound".into();
    if args.cases {
        let subjects = mutate::subjects(&mut builder);
        goal_args::show_notices(&builder.notices, &loaded, context);
        let cases = match args.format.as_str() {
            JSON => document::cases(&loaded, &builder.model, &subjects),
            _ => text::cases(&builder.model, &subjects),
        };
        return context.write(&cases).map(|()| Exit::Done);
    }
    let reflected = reflect::reflect(&mut builder);
    goal_args::show_notices(&builder.notices, &loaded, context);
    match args.format.as_str() {
        SMV => {
            let model = reflect::as_properties(builder.model.into_model(), &reflected);
            let model = loaded.in_smv(model);
            let comments: Vec<String> = reflected.into_iter().map(|one| one.text).collect();
            context.write(&smv::print::flat_with_comments(&model, &comments))?;
        }
        JSON => context.write(&document::reflected(&loaded, &builder.model, &reflected))?,
        _ => context.write(&text::reflected(&builder.model, &reflected))?,
    }
    Ok(Exit::Done)
}

/// How many goals each criterion has, in the order in which they come.
pub fn by_criterion(set: &GoalSet) -> Vec<(&str, Vec<usize>)> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (idx, goal) in set.goals.iter().enumerate() {
        match groups.iter_mut().find(|(name, _)| *name == goal.criterion) {
            Some((_, goals)) => goals.push(idx),
            None => groups.push((&goal.criterion, vec![idx])),
        }
    }
    groups
}

/// What a verdict says of the property that a goal is, if it is one of the model.
pub fn property(goal: &Goal, verdict: &Verdict) -> Option<Property> {
    let reason = match verdict {
        Verdict::Covered(_) => None,
        Verdict::Infeasible(how) | Verdict::MayKill(how) => Some(how.clone()),
        Verdict::Unknown(why) => Some(why.to_string()),
    };
    Property::of(goal, verdict_word(verdict), reason.as_deref())
}

/// A word for a verdict.
pub fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Covered(_) => "covered",
        Verdict::Infeasible(_) => "infeasible",
        Verdict::MayKill(_) => "may-kill",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The words for verdicts that tables have; one for faults only where there is such a verdict.
pub fn verdict_words(verdicts: &[Verdict]) -> Vec<&'static str> {
    let has_may_kill = verdicts.iter().any(|verdict| matches!(verdict, Verdict::MayKill(_)));
    words(has_may_kill)
}

/// The same for what is known of the goals of a suite.
pub fn words(has_may_kill: bool) -> Vec<&'static str> {
    let mut words = vec!["covered", "infeasible", "unknown"];
    if has_may_kill {
        words.insert(1, "may-kill");
    }
    words
}
