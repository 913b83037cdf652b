//! `trapline check`: the model's own properties.

mod document;
mod findings;
pub mod property;
mod report;
mod select;
mod text;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::certificate::certificate;
use trapline_engine::{Checked, Finding, Outcome};
use trapline_goals::lint;
use trapline_lang::smv;
use trapline_source::Diagnostic;

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::initial::require_initial_state;
use crate::load::{self, Loaded};
use crate::numbers::counted;
use crate::search::{self, SearchArgs};
use crate::terminal::Output;
use crate::{checks, replay, trace_files};
use report::Report;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Check only this property, by index from 0 or by name; repeatable or comma-separated
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    pub property: Vec<String>,
    /// Write the inductive invariants that prove true properties as an SMV model with one invariant property
    /// each, so that another tool can confirm them
    #[arg(long, value_name = "FILE", conflicts_with = "parse_only")]
    pub certificate: Option<PathBuf>,
    /// Also report dead logic that only a search shows: branches that are never taken, and
    /// conditions that never change
    #[arg(long, conflicts_with_all = ["parse_only", "no_lint"])]
    pub lint: bool,
    /// Report no dead logic, not even what types alone show
    #[arg(long)]
    pub no_lint: bool,
    /// Only parse and type-check the model, and report errors
    #[arg(long)]
    pub parse_only: bool,
    /// The output format
    ///
    /// csv, itf and vcd write only the counterexample traces. An itf or vcd file holds one trace;
    /// for several, -o trace.vcd writes trace.vcd, trace-2.vcd and so on.
    #[arg(long, value_name = "NAME", default_value = TEXT, value_parser = formats())]
    pub format: String,
}

/// The human-readable format.
const TEXT: &str = "text";
/// The form for programs.
const JSON: &str = "json";

/// What a certificate begins with.
const CERTIFICATE: &str = "\
-- Every invariant below is inductive: it holds in the initial states, and after every step from
-- a state in which it holds. The proof after it says that the property follows from it.
-- NuSMV confirms each with one step of induction:
--   NuSMV -int FILE; go_bmc; check_invar_bmc -a classic; quit
";

const EXAMPLES: &str = "\
Examples:
  trapline check valve.smv
  trapline check valve.smv --timeout 60 --memory 4096 --format json -o verdicts.json
  trapline check valve.smv --property 2 --format vcd -o trace.vcd
  trapline check valve.smv --parse-only
  trapline check valve.smv --lint
  cat valve.smv | trapline check -

Exit codes:
  0 every property is true · 1 some property is false · 2 bad usage or input
  3 something is undecided, and nothing false · 130 interrupted";

fn formats() -> PossibleValuesParser {
    let text = PossibleValue::new(TEXT).help("for people: verdicts and counterexamples");
    let json = PossibleValue::new(JSON).help("for programs: trapline-check/1");
    let others = trace_files::formats().filter(|format| format.get_name() != JSON);
    PossibleValuesParser::new([text, json].into_iter().chain(others))
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.model, &args.search.limits(), context)?;
    let chosen = select::properties(&loaded.model, &args.property)?;
    if args.parse_only {
        return parse_only(args, &loaded, &chosen, context);
    }
    // A file that can't be written is better known before the search.
    let output = match args.format.as_str() {
        TEXT | JSON => Some(context.output()?),
        _ => None,
    };
    let certificate = match &args.certificate {
        Some(path) => Some((path, context.open(path)?)),
        None => None,
    };
    // The tables are checked with everything else, and not where the user asks for single properties.
    let wants_checks = args.property.is_empty();
    if wants_checks && !loaded.checks.is_empty() {
        require_initial_state(&loaded, &args.search, context)?;
    }
    let engine = args.search.engine();
    let (checked, work, lints, checks) = search::run(&args.search, context, |budget| {
        context.terminal.detail(&format!("searching with the engine {}", engine.name));
        let checked = (engine.check)(&loaded.model, &chosen, budget);
        checked.log.iter().for_each(|line| context.terminal.detail(line));
        let work = budget.work();
        // Of a model without an initial state everything is dead.
        let has_states = !checked.findings.contains(&Finding::NoInitialState);
        let wants_lints = args.lint && has_states;
        let lints = wants_lints.then(|| lint::by_reachability(&loaded.model, engine, budget));
        let checks = wants_checks.then(|| checks::decide(&loaded, engine, budget));
        (checked, work, lints, checks)
    });
    let mut report = Report::new(&loaded, engine, &chosen, (&checked, work));
    if let Some(checks) = &checks {
        report.add_checks(checks);
    }
    report.add_warnings(lint_by_types(args, &loaded));
    let (found, n_undecided) = lints.map_or((Vec::new(), 0), |l| (l.warnings, l.n_undecided));
    report.add_warnings(found);
    replay::check(&loaded, report.traces())?;
    show(args, &report, output, context)?;
    if n_undecided > 0 {
        let n_open = counted(n_undecided as u64, "question");
        context.terminal.note(&format!("--lint left {n_open} open, and reports nothing of them"));
    }
    if let Some((path, output)) = certificate {
        write_certificate((path, output), &loaded, (&chosen, &checked), context)?;
    }
    Ok(report.exit())
}

/// Dead logic that needs no search.
fn lint_by_types(args: &Args, loaded: &Loaded) -> Vec<Diagnostic> {
    if args.no_lint { Vec::new() } else { lint::by_types(&loaded.model) }
}

/// Writes the inductive invariants, and reports how many proofs have none.
fn write_certificate(
    (path, mut output): (&Path, Output),
    loaded: &Loaded,
    (chosen, checked): (&[usize], &Checked),
    context: &Context,
) -> Result<(), Failure> {
    let (model, n_proved) = certificate(&loaded.model, chosen, checked);
    let model = loaded.in_smv(model);
    output.write(&format!("{CERTIFICATE}{}", smv::print::flat(&model)))?;
    output.finish()?;
    let is_true = |outcome: &&Outcome| matches!(outcome, Outcome::True(_));
    let n_true = checked.outcomes.iter().filter(is_true).count();
    context.terminal.note(&format!(
        "{}: invariants for {n_proved} of {}; --engine sat finds invariants",
        path.display(),
        counted(n_true as u64, "true property")
    ));
    Ok(())
}

/// Writes the result, then the summary on standard error.
fn show(
    args: &Args,
    report: &Report<'_>,
    output: Option<Output>,
    context: &Context,
) -> Result<(), Failure> {
    match (args.format.as_str(), output) {
        (TEXT, Some(mut output)) => {
            text::write(report, context, &mut output)?;
            output.finish()?;
            text::tell(report, context);
        }
        (_, Some(mut output)) => {
            output.write(&document::write(report))?;
            output.finish()?;
            text::tell_briefly(report, context);
        }
        (format, None) => {
            let format = trace_files::format(format)?;
            let written = trace_files::write(format, &report.counterexamples(), context);
            // The verdicts are reported even if the traces cannot be written.
            text::tell(report, context);
            written?;
        }
    }
    Ok(())
}

fn parse_only(
    args: &Args,
    loaded: &Loaded,
    chosen: &[usize],
    context: &Context,
) -> Result<Exit, Failure> {
    let mut report = Report::unsearched(loaded, chosen);
    report.add_warnings(lint_by_types(args, loaded));
    match args.format.as_str() {
        TEXT => {
            context.write(&summary(loaded))?;
            text::tell_findings(&report, context, |_| String::new());
        }
        JSON => context.write(&document::write(&report))?,
        format => {
            trace_files::write(trace_files::format(format)?, &report.counterexamples(), context)?
        }
    }
    Ok(Exit::Done)
}

/// What a model has.
fn summary(loaded: &Loaded) -> String {
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let model = &loaded.model;
    format!(
        "{}: ok, {}, {}, {}\n",
        loaded.path,
        count(model.vars.len(), "variable", "variables"),
        count(model.defines.len(), "definition", "definitions"),
        count(model.properties.len(), "property", "properties"),
    )
}
