//! `trapline check`: the model's own properties.

mod document;
mod findings;
mod property;
mod select;
mod text;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::{Checked, Engine, Outcome, Stats, Why};
use trapline_report::formats::trace::{Titled, Traces};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load::{self, Loaded};
use crate::replay::{self, Shows};
use crate::search::{self, SearchArgs};
use crate::trace_files;
use findings::Explained;

/// What the user typed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Check only this property, by its index from 0 or its name; may be repeated or a list with
    /// commas
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    pub property: Vec<String>,
    /// Only read the model, and say what is wrong with its text
    #[arg(long)]
    pub parse_only: bool,
    /// The form of the result
    ///
    /// csv, itf and vcd give the traces of the false properties and nothing else. A file in itf
    /// or vcd holds one trace; of several, -o trace.vcd makes trace.vcd, trace-2.vcd and so on.
    #[arg(long, value_name = "NAME", default_value = TEXT, value_parser = formats())]
    pub format: String,
}

/// The form for people.
const TEXT: &str = "text";
/// The form for programs.
const JSON: &str = "json";

const EXAMPLES: &str = "\
Examples:
  trapline check valve.smv
  trapline check valve.smv --timeout 60 --memory 4096 --format json -o verdicts.json
  trapline check valve.smv --property 2 --format vcd -o trace.vcd
  trapline check valve.smv --parse-only
  cat valve.smv | trapline check -

Exit codes:
  0 every property is true · 1 some property is false · 2 bad usage or input
  3 something is undecided, and nothing false · 130 interrupted";

/// What there is to report.
struct Report<'a> {
    loaded: &'a Loaded,
    /// `None` if only the text was read.
    engine: Option<&'static Engine>,
    answers: Vec<Answer<'a>>,
    findings: Vec<Explained<'a>>,
    stats: Option<Stats>,
    work: u64,
}

/// A property and what was found out about it.
struct Answer<'a> {
    property_idx: usize,
    /// `None` if only the text was read.
    outcome: Option<&'a Outcome>,
}

fn formats() -> PossibleValuesParser {
    let text = PossibleValue::new(TEXT).help("for people: verdicts and counterexamples");
    let json = PossibleValue::new(JSON).help("for programs: trapline-check/1");
    let others = trace_files::formats().filter(|format| format.get_name() != JSON);
    PossibleValuesParser::new([text, json].into_iter().chain(others))
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.model, context)?;
    let chosen = select::properties(&loaded.model, &args.property)?;
    if args.parse_only {
        return parse_only(args, &loaded, &chosen, context);
    }
    // A file that can't be written is better known before the search.
    let output = match args.format.as_str() {
        TEXT | JSON => Some(context.output()?),
        _ => None,
    };
    let engine = args.search.engine();
    let (checked, work) = search::run(&args.search, context, |budget| {
        context.terminal.detail(&format!("searching with the engine {}", engine.name));
        let checked = (engine.check)(&loaded.model, &chosen, budget);
        (checked, budget.work())
    });
    let report = report(&loaded, engine, &chosen, &checked, work);
    replay::check(&loaded, traces(&checked, &report.findings))?;
    match output {
        Some(mut output) => {
            match args.format.as_str() {
                TEXT => text::write(&report, context, &mut output)?,
                _ => output.write(&document::write(&report))?,
            }
            output.finish()?;
            match args.format.as_str() {
                TEXT => text::tell(&report, context),
                _ => text::tell_briefly(&report, context),
            }
        }
        None => {
            let format = trace_files::format(&args.format)?;
            let written = trace_files::write(format, &report.traces(), context);
            // The verdicts are worth knowing even if the traces can't be written.
            text::tell(&report, context);
            written?;
        }
    }
    Ok(report.exit())
}

fn parse_only(
    args: &Args,
    loaded: &Loaded,
    chosen: &[usize],
    context: &Context,
) -> Result<Exit, Failure> {
    let answers = chosen.iter().map(|&property_idx| Answer { property_idx, outcome: None });
    let report = Report {
        loaded,
        engine: None,
        answers: answers.collect(),
        findings: Vec::new(),
        stats: None,
        work: 0,
    };
    match args.format.as_str() {
        TEXT => context.write(&summary(loaded))?,
        JSON => context.write(&document::write(&report))?,
        format => trace_files::write(trace_files::format(format)?, &report.traces(), context)?,
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

fn report<'a>(
    loaded: &'a Loaded,
    engine: &'static Engine,
    chosen: &[usize],
    checked: &'a Checked,
    work: u64,
) -> Report<'a> {
    let answers = chosen.iter().zip(&checked.outcomes);
    let answers =
        answers.map(|(&property_idx, outcome)| Answer { property_idx, outcome: Some(outcome) });
    Report {
        loaded,
        engine: Some(engine),
        answers: answers.collect(),
        findings: findings::explain(&loaded.model, checked),
        stats: Some(checked.stats),
        work,
    }
}

/// Every trace that will be seen.
fn traces<'a>(
    checked: &'a Checked,
    findings: &'a [Explained<'a>],
) -> impl Iterator<Item = (&'a trapline_model::trace::Trace, Shows)> {
    let counterexamples = checked.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::False(trace) => Some((trace, Shows::Run)),
        _ => None,
    });
    let others = findings.iter().filter_map(|found| {
        let shows = match found.diagnostic.severity {
            trapline_source::Severity::Warning => Shows::Run,
            trapline_source::Severity::Error => Shows::Failure,
        };
        Some((found.trace?, shows))
    });
    counterexamples.chain(others)
}

impl<'a> Report<'a> {
    /// Was nothing cut short by the user?
    fn is_complete(&self) -> bool {
        let interrupted = Outcome::Unknown(Why::Interrupted);
        self.answers.iter().all(|answer| answer.outcome != Some(&interrupted))
    }

    /// How the run ends: a false property wins over one that is undecided.
    fn exit(&self) -> Exit {
        let has = |is_meant: fn(&Outcome) -> bool| {
            self.answers.iter().filter_map(|answer| answer.outcome).any(is_meant)
        };
        if !self.is_complete() {
            Exit::Interrupted
        } else if has(|outcome| matches!(outcome, Outcome::False(_))) {
            Exit::Negative
        } else if has(|outcome| matches!(outcome, Outcome::Unknown(Why::Failure { .. }))) {
            Exit::BadInput
        } else if has(|outcome| matches!(outcome, Outcome::Unknown(_))) {
            Exit::Undecided
        } else {
            Exit::Done
        }
    }

    /// The counterexamples.
    fn traces(&self) -> Traces<'a> {
        let list = self.answers.iter().filter_map(|answer| match answer.outcome {
            Some(Outcome::False(trace)) => Some(Titled { title: self.title(answer), trace }),
            _ => None,
        });
        Traces {
            path: &self.loaded.path,
            model: &self.loaded.model,
            list: list.collect(),
            is_complete: self.is_complete(),
        }
    }

    /// The property that a trace shows to be false.
    fn title(&self, answer: &Answer<'_>) -> String {
        let property = &self.loaded.model.properties[answer.property_idx];
        let line = property::line(self.loaded, property);
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        format!("false: {}{line}", property::text(self.loaded, property))
    }
}
