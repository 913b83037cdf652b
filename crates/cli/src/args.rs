//! What the user typed.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, ColorChoice, FromArgMatches, Parser};

use crate::commands::Command;

/// Makes tests from formal models, with a model checker as its engine.
#[derive(Debug, Parser)]
#[command(name = "trapline", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of all commands.
    #[command(flatten)]
    pub global: Global,
}

const EXAMPLES: &str = "\
Examples:
  trapline check valve.smv                     do its properties hold?
  trapline check valve.smv --parse-only        is the text a model?
  trapline simulate valve.smv --steps 20       a random run
  trapline simulate valve.smv --interactive    choose each step
  trapline graph valve.smv --format dot        what depends on what
  trapline show suite.json                     a suite and what it covers
  trapline convert valve.smv --to smv          the flat model

Exit codes:
  0 done · 1 a negative finding · 2 bad usage or input · 3 undecided · 70 a bug · 130 interrupted";

/// Options of all commands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Colours in messages and text output; `auto` also obeys NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Show errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show more of what is done
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Write the result to a file instead of standard output
    #[arg(short, global = true, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What a command takes. It is described only when that command is meant: to describe all of them takes
/// longer than many a small model.
#[derive(Debug)]
pub struct Later<T>(pub T);

impl<T: clap::Args> clap::Args for Later<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(T::augment_args)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(T::augment_args_for_update)
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Later<T>, clap::Error> {
        T::from_arg_matches(matches).map(Later)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Later<T>, clap::Error> {
        T::from_arg_matches_mut(matches).map(Later)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The model and how to read it.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// The model; `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How to read a model.
#[derive(Clone, Debug, clap::Args)]
pub struct ReadingArgs {
    /// The model's language, if its ending does not tell; standard input is SMV unless said here
    #[arg(long, value_parser = language_names(), help_heading = "Model")]
    pub language: Option<String>,
    /// The module to start from
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub main: Option<String>,
    /// Reject what the language's own tools reject, such as numbers for Booleans
    #[arg(long, help_heading = "Model")]
    pub strict: bool,
    /// Variables that the tester sets; instances and arrays stand for all their members
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub input: Vec<String>,
    /// Variables that the implementation shows
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub output: Vec<String>,
    /// Variables that nobody sees
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub internal: Vec<String>,
}

impl ReadingArgs {
    /// Does the user say who sets or sees anything?
    pub fn has_roles(&self) -> bool {
        [&self.input, &self.output, &self.internal].iter().any(|names| !names.is_empty())
    }
}

fn language_names() -> PossibleValuesParser {
    PossibleValuesParser::new(crate::load::languages().iter().map(|language| language.name))
}
