//! Searching: the options that all commands with an engine share, and the budget they make.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::{Budget, ENGINES, Engine, Limits};

use crate::context::Context;
use crate::numbers::counted;
use crate::progress::ProgressLine;
use crate::{interrupt, memory};

/// Arguments of the command.
#[derive(Clone, Debug, clap::Args)]
pub struct SearchArgs {
    /// The engine
    #[arg(long, value_name = "NAME", default_value = ENGINES[0].name, value_parser = engine_names(), help_heading = "Search")]
    pub engine: String,
    /// Time and memory.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// Work limit; the unit depends on the engine, but unlike with --timeout the result is
    /// reproducible
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_work: Option<u64>,
}

/// What every command with work takes.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// Time limit in seconds; 0.5 is half a second
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, help_heading = "Search")]
    pub timeout: Option<Duration>,
    /// Memory limit in MiB (1,048,576 bytes)
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes, help_heading = "Search")]
    pub memory: Option<u64>,
}

impl LimitArgs {
    /// The limits. The time counts from the start of the process.
    pub fn limits(&self) -> Limits {
        Limits { time: self.timeout, memory: self.memory, ..Limits::default() }
    }
}

impl SearchArgs {
    /// The engine that the user wants.
    pub fn engine(&self) -> &'static Engine {
        let named = ENGINES.iter().find(|engine| engine.name == self.engine);
        named.unwrap_or(&ENGINES[0])
    }

    /// The limits. The time counts from the start of the process.
    pub fn limits(&self) -> Limits {
        Limits { work: self.max_work, ..self.limit.limits() }
    }
}

/// Runs a search with the budget that the options give. Ctrl-C only asks it to stop, and a
/// terminal shows how far it is.
pub fn run<T>(args: &SearchArgs, context: &Context, search: impl FnOnce(&Budget<'_>) -> T) -> T {
    interrupt::watch();
    within(&args.limits(), context, search)
}

/// Runs what may take long within limits; their time counts from the start of the process. Ctrl-C
/// ends the process, unless somebody watches for it.
pub fn within<T>(limits: &Limits, context: &Context, search: impl FnOnce(&Budget<'_>) -> T) -> T {
    let left = |time: Duration| time.saturating_sub(context.started.elapsed());
    let limits = Limits { time: limits.time.map(left), ..*limits };
    let line = ProgressLine::new(&context.terminal);
    let on_progress = |progress: &_| line.show(progress, memory::used());
    let budget = Budget::new(limits)
        .with_interrupt(&interrupt::is_raised)
        .with_memory(&memory::used)
        .with_progress(&on_progress);
    let found = search(&budget);
    line.clear();
    found
}

/// Runs the reporting of results: if the time is over, it has a little more.
pub fn tell<T>(args: &SearchArgs, context: &Context, tell: impl FnOnce(&Budget<'_>) -> T) -> T {
    run(args, context, |budget| tell(&budget.grace()))
}

/// Default work limit of commands for which searching is secondary: seconds, not minutes.
const WORK_BY_THE_WAY: u64 = 20_000_000;

/// The same for commands for which searching is secondary.
pub fn run_by_the_way<T>(
    args: &SearchArgs,
    context: &Context,
    search: impl FnOnce(&Budget<'_>) -> T,
) -> T {
    let mut args = args.clone();
    if args.limit.timeout.is_none() && args.max_work.is_none() {
        args.max_work = Some(WORK_BY_THE_WAY);
    }
    run(&args, context, search)
}

/// What to say if such a search was cut.
pub fn cut_notice(n_open: usize) -> Option<String> {
    (n_open > 0).then(|| {
        format!(
            "the search for what can happen at all ended with {} open, so verdicts on \
             mcdc-coupled goals and claims may be wrong; --max-work or --timeout give it more",
            counted(n_open as u64, "question")
        )
    })
}

/// The engines as values of an option.
pub fn engine_names() -> PossibleValuesParser {
    let engines = ENGINES.iter().map(|engine| PossibleValue::new(engine.name).help(engine.about));
    PossibleValuesParser::new(engines)
}

/// A time as users write it.
pub fn parse_seconds(argument: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = argument.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a number of seconds, as in 30 or 0.5".into())
}

/// Memory as users write it.
pub fn parse_mebibytes(argument: &str) -> Result<u64, String> {
    let n_bytes = argument.parse::<u64>().ok().and_then(|mib| mib.checked_mul(1 << 20));
    n_bytes.filter(|n| *n > 0).ok_or_else(|| "expected a whole number of MiB, as in 4096".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_fractions() {
        assert_eq!(parse_seconds("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_seconds("0"), Ok(Duration::ZERO));
        for wrong in ["", "x", "-1", "nan", "inf", "1e300", "1 s"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_is_counted_in_mebibytes() {
        assert_eq!(parse_mebibytes("2"), Ok(2 << 20));
        for wrong in ["", "0", "x", "-1", "0.5", "99999999999999999"] {
            assert!(parse_mebibytes(wrong).is_err(), "{wrong}");
        }
    }
}
