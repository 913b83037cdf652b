//! Goals: the options that all commands with criteria share, and the goals that they give.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::Why;
use trapline_goals::criteria::{ALIASES, CRITERIA, OBSERVABLE, find};
use trapline_goals::mutate::{OPERATORS, Operator};
use trapline_goals::{
    Demand, Goal, GoalSet, Mutate, Notice, Options, Trap, Visibility, derive_within,
};
use trapline_lang::FileGoal;
use trapline_model::{Model, Role};
use trapline_source::requirement::{Requirement, ids_at};
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::args::ModelArgs;
use crate::checks;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::{Extra, read_model_text};
use crate::load::{self, Also, Loaded};
use crate::names;
use crate::numbers::grouped;
use crate::search::{self, SearchArgs};
use crate::suite_input::SuiteText;

/// Goal selection arguments.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Goals")]
pub struct GoalArgs {
    /// The scope of the goals.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Count an evaluation of a condition only if it matters at an output: for condition, ufp and the
    /// MC/DC criteria
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub observable: Option<bool>,
    /// Include transition pairs in which a variable keeps its value
    #[arg(long)]
    pub self_loops: bool,
    /// In transition pairs, allow a variable to stay at the middle value
    #[arg(long)]
    pub staying: bool,
    /// Goals of your own: conditions to reach and properties to violate; see the end of --help
    #[arg(long, visible_alias = "goals", value_name = "FILE")]
    pub traps: Option<PathBuf>,
    /// All conjunctions of a goal of one criterion with a goal of another: value*branch; repeatable
    #[arg(long, value_name = "A*B")]
    pub product: Vec<String>,
    /// Only goals of these requirements, as tagged by comments `@req ID` in the model
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub req: Vec<String>,
}

/// What goals or mutants are derived from, and by which criteria.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Goals")]
pub struct ScopeArgs {
    /// The criteria, comma-separated; see the end of --help; `all` selects all of them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub criteria: Vec<String>,
    /// Only these variables and definitions; an array or instance stands for all its members
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub on: Vec<String>,
    /// Only what is in the source of these modules
    #[arg(long = "in", value_name = "MODULE", num_args = 1.., value_delimiter = ',')]
    pub within: Vec<String>,
    /// A condition on every state of the test, or on every step if it speaks of one; repeatable
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub purpose: Vec<String>,
    /// A monitor module: its parameters are names of the main module, which gets an instance named
    /// after the module; repeatable
    #[arg(long, value_name = "FILE")]
    pub observer: Vec<PathBuf>,
    /// What to mutate: the model, or its properties
    #[arg(long, value_name = "WHAT", default_value = "model", value_parser = ["model", "specs"])]
    pub mutate: String,
    /// Where a mutant of the model must show, if not as the suite says [default: reflect]
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = visibilities())]
    pub visibility: Vec<String>,
    /// Make the guards of cases mutually exclusive before they are mutated
    #[arg(long)]
    pub expound: bool,
    /// Skip variables and decisions with more goals than this
    #[arg(long, value_name = "N", default_value_t = Options::default().limit)]
    pub limit: usize,
}

fn visibilities() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("reflect").help("in some variable, perhaps not in an output"),
        PossibleValue::new("inline")
            .help("in an output: intermediate variables are substituted away before mutation"),
        PossibleValue::new("duplicate").help("in an output: the mutant runs beside the model"),
    ])
}

/// The default criterion.
const DEFAULT: &str = "branch";

/// A model with its goals.
pub struct Prepared {
    /// The model.
    pub loaded: Loaded,
    /// What the goals demand of tests.
    pub demand: Demand,
    /// The goals.
    pub set: GoalSet,
    /// True if some user-defined goals are invalid; the others count.
    pub has_wrong_traps: bool,
    /// Why goals are missing, if derivation was interrupted.
    pub cut: Option<Why>,
}

/// A model with several sets of goals.
pub struct Several {
    /// The model.
    pub loaded: Loaded,
    /// Where the mutants of each set must show.
    pub names: Vec<String>,
    /// The sets.
    pub sets: Vec<GoalSet>,
    /// As of [`Prepared`].
    pub has_wrong_traps: bool,
    /// As of [`Prepared`].
    pub cut: Option<Why>,
}

/// Reads a model and derives its goals within the limits of a search; shows what is wrong and what
/// was left out.
pub fn prepare(
    model: &ModelArgs,
    args: &GoalArgs,
    limits: &SearchArgs,
    context: &Context,
) -> Result<Prepared, Failure> {
    prepare_for(model, args, None, limits, context)
}

/// The same for a suite: its criteria, its roles and what its goals demand count unless others are given.
pub fn prepare_for(
    model: &ModelArgs,
    args: &GoalArgs,
    suite: Option<&SuiteText>,
    limits: &SearchArgs,
    context: &Context,
) -> Result<Prepared, Failure> {
    refuse_several(&args.scope)?;
    let question = question(model, args, suite, limits, context)?;
    let (set, cut) = question.goals(args, &question.options, limits, context);
    let has_wrong_traps = question.loaded.goal_findings.has_errors();
    let Question { loaded, options: Options { visibility, observable, .. }, .. } = question;
    let demand = Demand { visibility, observable }.of_goals(&set.goals);
    Ok(Prepared { loaded, demand, set, has_wrong_traps, cut })
}

/// The same for each way in which mutants may have to show, with their names; goals that do not speak of
/// mutants are in each set.
pub fn prepare_each(
    model: &ModelArgs,
    args: &GoalArgs,
    limits: &SearchArgs,
    context: &Context,
) -> Result<Several, Failure> {
    let question = question(model, args, None, limits, context)?;
    let mut names = args.scope.visibility.clone();
    if names.is_empty() {
        names.push(Visibility::default().name().into());
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let (mut sets, mut cut) = (Vec::new(), None);
    for name in &names {
        let options = Options {
            visibility: Visibility::named(name).unwrap_or_default(),
            ..question.options.clone()
        };
        let (set, cut_here) = question.goals(args, &options, limits, context);
        cut = cut.or(cut_here);
        sets.push(set);
    }
    let has_wrong_traps = question.loaded.goal_findings.has_errors();
    Ok(Several { loaded: question.loaded, names, sets, has_wrong_traps, cut })
}

/// What goals are derived from, and which.
struct Question {
    loaded: Loaded,
    options: Options,
    criteria: Vec<String>,
}

fn question(
    model: &ModelArgs,
    args: &GoalArgs,
    suite: Option<&SuiteText>,
    limits: &SearchArgs,
    context: &Context,
) -> Result<Question, Failure> {
    let criteria = criteria(args, &suite.map(SuiteText::criteria).unwrap_or_default())?;
    check_observable(args, &criteria)?;
    let products = args.product.iter().map(|product| pair(product)).collect::<Result<_, _>>()?;
    let (mut loaded, options, traps) =
        read_for_several(model, &args.scope, args.traps.as_deref(), limits, context)?;
    if let Some(suite) = suite.filter(|_| !model.reading.has_roles()) {
        suite.set_roles(&mut loaded.model);
    }
    let demand = suite.map(SuiteText::demand).unwrap_or_default();
    // Mutants of properties show in no output.
    let usual = match options.mutate {
        Mutate::Model => demand.visibility,
        Mutate::Specs => Visibility::default(),
    };
    let options = Options {
        visibility: named_visibility(&args.scope).unwrap_or(usual),
        observable: args.observable.unwrap_or(demand.observable),
        products,
        traps,
        self_loops: args.self_loops,
        staying: args.staying,
        ..options
    };
    check_requirements(&args.req, &loaded.requirements)?;
    Ok(Question { loaded, options, criteria })
}

impl Question {
    /// Derives the goals; says what was left out.
    fn goals(
        &self,
        args: &GoalArgs,
        options: &Options,
        limits: &SearchArgs,
        context: &Context,
    ) -> (GoalSet, Option<Why>) {
        let loaded = &self.loaded;
        let names: Vec<&str> = self.criteria.iter().map(String::as_str).collect();
        tell_no_output(loaded, options, &names, context);
        let (mut set, cut) = search::run(limits, context, |budget| {
            derive_within(&loaded.model, &names, options, budget)
        });
        if !args.req.is_empty() {
            let is_wanted = |id: &&str| args.req.iter().any(|wanted| wanted == id);
            let ids = |goal: &Goal| ids_at(&loaded.requirements, goal.span.start);
            set.goals.retain(|goal| ids(goal).iter().any(is_wanted));
        }
        show_notices(&set.notices, loaded, context);
        if let Some(why) = &cut {
            context.terminal.note(&cut_notice(why, set.goals.len()));
        }
        if set.goals.is_empty() && cut.is_some() {
            // That message suffices.
        } else if set.goals.is_empty() && !args.req.is_empty() {
            context.terminal.note("these criteria find no goals for these requirements");
        } else if set.goals.is_empty() {
            show_nothing(&names, loaded, context);
        }
        (set, cut)
    }
}

/// Says that nothing can show at an output if there is none.
pub fn tell_no_output(loaded: &Loaded, options: &Options, names: &[&str], context: &Context) {
    let Options { visibility, observable, products, .. } = options;
    let demand = Demand { visibility: *visibility, observable: *observable };
    let factors = products.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]);
    let mut names = names.iter().copied().chain(factors);
    let is_demanded = names.any(|name| demand.about(name) != Demand::default());
    let Model { vars, defines, .. } = &loaded.model;
    let mut roles = vars.iter().map(|var| var.role).chain(defines.iter().map(|it| it.role));
    if is_demanded && !roles.any(|role| role == Role::Output) {
        context.terminal.note("the model has no output, so nothing can show at one: see --output");
    }
}

/// What to say if goals are missing.
pub fn cut_notice(why: &Why, n_goals: usize) -> String {
    format!(
        "{why} before all goals were derived: only {} of them are in the result",
        grouped(n_goals as u64)
    )
}

fn refuse_several(args: &ScopeArgs) -> Result<(), Failure> {
    if args.visibility.len() < 2 {
        return Ok(());
    }
    let failure = Failure::refused("only `compare` takes several ways to show mutants");
    Err(failure.help("name one after --visibility"))
}

/// Reads a model with what goals need besides, and the goals of a file if there is one.
pub fn read(
    model: &ModelArgs,
    args: &ScopeArgs,
    traps: Option<&Path>,
    limits: &SearchArgs,
    context: &Context,
) -> Result<(Loaded, Options, Option<Vec<Trap>>), Failure> {
    refuse_several(args)?;
    read_for_several(model, args, traps, limits, context)
}

fn read_for_several(
    model: &ModelArgs,
    args: &ScopeArgs,
    traps: Option<&Path>,
    limits: &SearchArgs,
    context: &Context,
) -> Result<(Loaded, Options, Option<Vec<Trap>>), Failure> {
    check_visibility(args)?;
    let text = load::read(model, context)?;
    let observers = args.observer.iter().map(|path| read_model_text(path, context));
    let purposes = args
        .purpose
        .iter()
        .enumerate()
        .map(|(idx, text)| Extra { place: format!("<purpose {}>", idx + 1), text: text.clone() });
    let also = Also {
        observers: observers.collect::<Result<_, _>>()?,
        expressions: purposes.collect(),
        goals: traps.map(|path| read_model_text(path, context)).transpose()?,
    };
    let (loaded, diagnostics) = load::lower(&text, model, &also, context)?;
    let mut loaded = load::finish(loaded, diagnostics, model, &limits.limits(), context)?;
    checks::require(&loaded, &limits.limits(), context)?;
    context.terminal.report(&loaded.sources, &loaded.goal_findings);
    // What must hold along the whole of every test.
    let spans: Vec<Span> = loaded.purposes().iter().map(SourceFile::span).collect();
    for (&purpose, span) in loaded.expressions.iter().zip(spans) {
        loaded.model.require(purpose, span);
    }
    let traps = also.goals.map(|_| named_traps(&loaded.goals));
    let options = options(args, &loaded)?;
    Ok((loaded, options, traps))
}

/// The goals that are right, no two with the same name.
fn named_traps(goals: &[FileGoal]) -> Vec<Trap> {
    let mut names = std::collections::HashMap::<&str, usize>::new();
    let traps = goals.iter().filter_map(|goal| {
        let count = names.entry(&goal.name).or_default();
        *count += 1;
        let name = match count {
            1 => goal.name.clone(),
            n => format!("{}#{n}", goal.name),
        };
        Some(Trap { name, clause: goal.clause?, claim: goal.claim })
    });
    traps.collect()
}

fn check_requirements(wanted: &[String], known: &[Requirement]) -> Result<(), Failure> {
    let ids = || known.iter().map(|requirement| requirement.id.as_str());
    let Some(unknown) = wanted.iter().find(|wanted| !ids().any(|id| id == wanted.as_str())) else {
        return Ok(());
    };
    let failure = Failure::refused(format!("the model speaks of no requirement `{unknown}`"));
    Err(match names::close(unknown, ids()).as_slice() {
        [] => failure.help("a comment `@req ID` in the model says what is there for it"),
        close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
    })
}

fn options(args: &ScopeArgs, loaded: &Loaded) -> Result<Options, Failure> {
    let within = args.within.iter().map(|name| module(&loaded.model, name));
    for name in &args.on {
        load::check_name(&loaded.model, name)?;
    }
    Ok(Options {
        on: args.on.clone(),
        within: within.collect::<Result<_, _>>()?,
        hidden: loaded.observers.clone(),
        expound: args.expound,
        limit: args.limit,
        mutate: if args.mutate == "specs" { Mutate::Specs } else { Mutate::Model },
        visibility: named_visibility(args).unwrap_or_default(),
        ..Options::default()
    })
}

/// Where mutants must show, if the user says it.
fn named_visibility(args: &ScopeArgs) -> Option<Visibility> {
    args.visibility.first().and_then(|name| Visibility::named(name))
}

fn module(model: &Model, wanted: &str) -> Result<Span, Failure> {
    let found = model.modules.iter().find(|(name, _)| name == wanted);
    found.map(|(_, span)| *span).ok_or_else(|| {
        let known = model.modules.iter().map(|(name, _)| name.as_str());
        let failure = Failure::refused(format!("the model has no module `{wanted}`"));
        match names::close(wanted, known.clone()).as_slice() {
            [] => failure.help(format!("its modules: {}", known.collect::<Vec<_>>().join(", "))),
            close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
        }
    })
}

/// An option that would change nothing is an error.
fn check_visibility(args: &ScopeArgs) -> Result<(), Failure> {
    let usual = Visibility::default().name();
    let other = args.visibility.iter().find(|name| *name != usual);
    let Some(other) = other.filter(|_| args.mutate == "specs") else { return Ok(()) };
    let text = format!("`--visibility {other}` says nothing about mutants of the properties");
    Err(Failure::refused(text)
        .help("they have no outputs: leave out --visibility or --mutate specs"))
}

/// The same for observability.
fn check_observable(args: &GoalArgs, names: &[String]) -> Result<(), Failure> {
    let is_meant = |name: &String| OBSERVABLE.contains(&name.as_str());
    if args.observable != Some(true) || names.iter().any(is_meant) {
        return Ok(());
    }
    let text = "`--observable` says nothing about the selected criteria";
    let list = OBSERVABLE.join(", ");
    Err(Failure::refused(text).help(format!("it is for {list}: name one with --criteria")))
}

/// The names of the selected criteria, without duplicates.
fn criteria(args: &GoalArgs, usual: &[String]) -> Result<Vec<String>, Failure> {
    let mut wanted = named_criteria(&args.scope)?;
    let is_usual = wanted.is_empty() && args.product.is_empty() && args.traps.is_none();
    if is_usual {
        wanted.extend(usual.iter().filter(|name| find(name).is_some()).cloned());
    }
    if wanted.is_empty() && args.product.is_empty() && args.traps.is_none() {
        wanted.push(DEFAULT.into());
    }
    if args.traps.is_some() && !wanted.iter().any(|name| name == "trap") {
        wanted.push("trap".into());
    }
    Ok(wanted)
}

/// The criteria that are named, each once.
pub fn named_criteria(args: &ScopeArgs) -> Result<Vec<String>, Failure> {
    let mut wanted: Vec<String> = Vec::new();
    for name in args.criteria.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if name == "all" {
            // Properties as never-claims are goals only on request.
            let all = CRITERIA.iter().map(|criterion| criterion.name.to_string());
            wanted.extend(all.filter(|name| name != "trap"));
        } else {
            wanted.push(known(name)?.to_string());
        }
    }
    let mut seen = std::collections::HashSet::new();
    wanted.retain(|name| seen.insert(name.clone()));
    Ok(wanted)
}

/// A name of a criterion, aliases resolved.
fn known(name: &str) -> Result<&str, Failure> {
    if find(name).is_some() {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        return Ok(alias.map_or(name, |(_, name)| name));
    }
    let all = all_names();
    let known: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let failure = Failure::refused(format!("there is no criterion `{name}`"));
    let list = format!("known: {}, all", known.join(", "));
    Err(match names::close(name, all.iter().map(String::as_str)).first() {
        Some(close) => failure.help(format!("did you mean `{close}`? {list}")),
        None => failure.help(list),
    })
}

/// Everything that `--criteria` takes.
fn all_names() -> Vec<String> {
    let criteria = CRITERIA.iter().map(|criterion| criterion.name.to_string());
    let aliases = ALIASES.iter().map(|(alias, _)| (*alias).to_string());
    let operators = OPERATORS.iter().map(|operator| format!("mutation:{}", operator.name));
    criteria.chain(aliases).chain(operators).chain(["all".to_string()]).collect()
}

/// The criteria, for the end of `--help`.
pub fn criteria_help() -> String {
    let mut lines = vec!["Criteria (branch if none is named):".to_string()];
    lines.extend(CRITERIA.iter().map(|one| format!("  {:24} {}", one.name, one.about)));
    lines.extend(ALIASES.iter().map(|(alias, name)| format!("  {alias:24} the same as {name}")));
    lines.push(operators_help());
    lines.push(goal_files_help());
    lines.join("\n")
}

/// What a file of goals holds in each language, for the end of `--help`.
fn goal_files_help() -> String {
    let mut lines = Vec::new();
    let mut languages: Vec<_> = load::languages().iter().collect();
    // Languages that only differ in how a model is laid out have the same goals.
    while let Some(forms) = languages.first().map(|first| first.goal_file) {
        let own = languages.extract_if(.., |language| language.goal_file == forms);
        let names: Vec<&str> = own.map(|language| language.name).collect();
        let names = names.join(", ");
        lines.push(format!("Lines of a file of goals (--traps) for a model in {names}:"));
        lines.extend(forms.iter().map(|(form, about)| format!("  {form:24} {about}")));
    }
    lines.join("\n")
}

/// The operators of mutation, for the end of `--help`.
pub fn operators_help() -> String {
    let mut lines = vec!["Operators of mutation:".to_string()];
    let line = |one: &Operator| {
        let unusual = if one.is_usual { "" } else { " (only if it is named)" };
        format!("  {:24} {}{unusual}", format!("mutation:{}", one.name), one.about)
    };
    lines.extend(OPERATORS.iter().map(line));
    lines.join("\n")
}

fn pair(text: &str) -> Result<(String, String), Failure> {
    let Some((left, right)) = text.split_once('*') else {
        return Err(Failure::refused(format!("`{text}` is no product"))
            .help("write two criteria with * between them, as in value*branch"));
    };
    Ok((known(left.trim())?.to_string(), known(right.trim())?.to_string()))
}

/// Says what was left out.
pub fn show_notices(notices: &[Notice], loaded: &Loaded, context: &Context) {
    let mut diagnostics = Diagnostics::new();
    for notice in notices {
        let (span, text) = (notice.span, notice.text.clone());
        let warning = match notice.is_caveat {
            true => Diagnostic::warning("visibility-not-promised", span, text),
            false => Diagnostic::warning("goals-left-out", span, text),
        };
        diagnostics.push(match notice.is_limit {
            true => warning.help("--limit N changes how many are allowed"),
            false => warning,
        });
    }
    context.terminal.report(&loaded.sources, &diagnostics);
}

/// Says that there is nothing, and why if that is plain.
fn show_nothing(names: &[&str], loaded: &Loaded, context: &Context) {
    let needs_decisions = |name: &&str| {
        !matches!(*name, "value" | "pair" | "boundary" | "trap" | "property" | "mutation")
            && !name.starts_with("mutation:")
    };
    let is_plain = loaded.model.sites.is_empty() && names.iter().all(needs_decisions);
    let why = if is_plain { ": it has no decisions" } else { "" };
    context.terminal.note(&format!("these criteria find no goals in the model{why}"));
}
