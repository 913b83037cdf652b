//! `trapline simulate`: random, guided or interactive runs.

mod constraint;
mod dialogue;
mod request;
mod stop;
mod walk;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::Budget;
use trapline_engine::simulate::Simulator;
use trapline_model::trace::Trace;
use trapline_suite::titled::{Titled, Traces};

use crate::args::ModelArgs;
use crate::checks;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load::{self, Loaded};
use crate::paint::Style;
use crate::replay::{self, Shows};
use crate::search::{self, LimitArgs};
use crate::trace_text::TraceText;
use crate::{interrupt, trace_files};
use request::Request;
use walk::{End, Source};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Random seed; the same seed gives the same run
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Number of steps
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub steps: usize,
    /// Number of runs
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub traces: usize,
    /// A constraint on every state, or on every step if it speaks of one; repeatable
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub constraint: Vec<String>,
    /// A constraint on state K, or on the step into it if it speaks of one; repeatable
    #[arg(long, value_name = "K:EXPR", value_parser = constraint::parse_at)]
    pub at: Vec<constraint::At>,
    /// Choose each step interactively; `h` lists the commands
    #[arg(short, long)]
    pub interactive: bool,
    /// Number of choices shown interactively
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub max_choices: usize,
    /// Work limit per state: operations evaluated, values tried, and the work of a SAT solver
    #[arg(long, alias = "max-tries", default_value_t = STATE_WORK, value_name = "N")]
    pub max_work: u64,
    /// Limits of the whole command.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// The output format
    #[arg(long, value_name = "NAME", default_value = TEXT, value_parser = formats())]
    pub format: String,
}

/// The work that finding one state may cost by default.
const STATE_WORK: u64 = 100_000_000;

/// The human-readable format.
const TEXT: &str = "text";

fn formats() -> PossibleValuesParser {
    let text = PossibleValue::new(TEXT).help("for people: the first state, then what changes");
    PossibleValuesParser::new(std::iter::once(text).chain(trace_files::formats()))
}

const EXAMPLES: &str = "\
Examples:
  trapline simulate valve.smv --steps 20 --seed 7
  trapline simulate valve.smv --constraint 'pressure != High' --at '3:Reset = On'
  trapline simulate valve.smv --traces 100 --format json -o runs.json
  trapline simulate valve.smv --interactive";

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.interactive && args.model.path.as_os_str() == "-" {
        return Err(Failure::refused("the dialogue reads standard input, so the model can't")
            .help("give the model as a file"));
    }
    let text = load::read(&args.model, context)?;
    let (request, diagnostics) = request::prepare(args, &text, &request::wishes(args), context)?;
    let loaded =
        load::finish(request.loaded, diagnostics, &args.model, &args.limit.limits(), context)?;
    checks::require(&loaded, &args.limit.limits(), context)?;
    let request = Request { loaded, constraints: request.constraints };
    if args.interactive {
        return dialogue::run(args, &text, request, context);
    }
    random(args, &request, context)
}

/// What was found.
struct Runs {
    /// Only the last may be without states.
    traces: Vec<Trace>,
    /// How the last one ended; a dead end is no end of all.
    end: End,
}

impl Runs {
    fn is_complete(&self) -> bool {
        !matches!(self.end, End::Interrupted | End::Stopped(_))
    }

    /// Those that can be shown.
    fn found(&self) -> &[Trace] {
        match self.traces.split_last() {
            Some((last, others)) if last.states.is_empty() => others,
            _ => &self.traces,
        }
    }
}

/// Makes the runs, then shows them and how they ended.
fn random(args: &Args, request: &Request, context: &Context) -> Result<Exit, Failure> {
    interrupt::watch();
    let runs = search::within(&args.limit.limits(), context, |budget| {
        walks(args, request, budget, context)
    });
    check(&request.loaded, runs.found())?;
    show(args, &request.loaded, &runs, context)?;
    Ok(match &runs.end {
        End::Whole | End::Stuck => Exit::Done,
        End::Interrupted => Exit::Interrupted,
        End::NoInitial => {
            context.terminal.error(no_initial_text(request), None);
            Exit::Negative
        }
        End::Stopped(stop) => {
            let last = runs.traces.last().cloned().unwrap_or_default();
            stop::report(stop, &request.loaded, &last, context)
        }
    })
}

/// The runs, up to the first that ends all.
fn walks(args: &Args, request: &Request, budget: &Budget<'_>, context: &Context) -> Runs {
    let simulator = Simulator::new(&request.loaded.model);
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut traces = Vec::new();
    for trace_idx in 0..args.traces {
        let mut trace = Trace::default();
        let n_states = args.steps.saturating_add(1);
        let source = Source { rng: &mut rng, max_work: args.max_work, budget };
        let end = walk::walk(&simulator, &request.constraints, n_states, &mut trace, source);
        let last = trace.states.len().saturating_sub(1);
        traces.push(trace);
        match end {
            End::Whole => {}
            End::Stuck => {
                let why = dead_end_text(request, last + 1);
                context
                    .terminal
                    .note(&format!("run {} ends in state {last}: {why}", trace_idx + 1));
            }
            End::NoInitial | End::Interrupted | End::Stopped(_) => return Runs { traces, end },
        }
    }
    Runs { traces, end: End::Whole }
}

fn no_initial_text(request: &Request) -> &'static str {
    match request.constraints.at(0).as_slice() {
        [] => "the model has no initial state",
        _ => "no initial state meets the constraints",
    }
}

fn dead_end_text(request: &Request, next_idx: usize) -> &'static str {
    match request.constraints.at(next_idx).as_slice() {
        [] => "it has no successor",
        _ => "no successor meets the constraints",
    }
}

/// Replays what was found, before anyone sees it.
fn check(loaded: &Loaded, traces: &[Trace]) -> Result<(), Failure> {
    replay::check(loaded, traces.iter().map(|trace| (trace, Shows::Run)))
}

fn show(args: &Args, loaded: &Loaded, runs: &Runs, context: &Context) -> Result<(), Failure> {
    if args.format != TEXT {
        let format = trace_files::format(&args.format)?;
        return trace_files::write(format, &titled(loaded, runs), context);
    }
    let mut output = context.output()?;
    let paint = output.paint;
    let text = TraceText::new(&loaded.model, paint);
    for (idx, trace) in runs.found().iter().enumerate() {
        if args.traces > 1 {
            let gap = if idx == 0 { "" } else { "\n" };
            let heading = paint.paint(Style::Heading, &format!("run {}", idx + 1));
            output.write(&format!("{gap}{heading}\n"))?;
        }
        output.write(&text.trace(trace))?;
    }
    output.finish()
}

fn titled<'a>(loaded: &'a Loaded, runs: &'a Runs) -> Traces<'a> {
    let list = runs.found().iter().enumerate();
    let list = list.map(|(idx, trace)| Titled::new(format!("run {}", idx + 1), trace));
    Traces {
        path: &loaded.path,
        model: &loaded.model,
        list: list.collect(),
        is_complete: runs.is_complete(),
        missed: Vec::new(),
    }
}
