//! Arguments of the command.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, ColorChoice, FromArgMatches, Parser};

use crate::commands::Command;

/// Generates tests from formal models, using model checking engines of its own.
#[derive(Debug, Parser)]
#[command(name = "trapline", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Options common to all commands.
    #[command(flatten)]
    pub global: Global,
}

const EXAMPLES: &str = "\
Examples:
  trapline check valve.smv                     do its properties hold?
  trapline check valve.smv --parse-only        is the text a model?
  trapline simulate valve.smv --steps 20       a random run
  trapline simulate valve.smv --interactive    choose each step
  trapline graph valve.smv --format dot        the dependency graph
  trapline show suite.json                     a suite and what it covers
  trapline convert valve.smv --to smv          the flattened model

Exit codes:
  0 done · 1 a negative finding · 2 bad usage or input · 3 undecided · 70 a bug · 130 interrupted";

/// Options common to all commands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Colour messages and text output; `auto` also honours NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Show errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show what is being done and why
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
        command.defer(|command| {
            // What is described there are the arguments, and not the command.
            let about = command.get_about().cloned().unwrap_or_default();
            T::augment_args(command).about(about)
        })
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

/// The model and its reading options.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// The model; `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,
    /// Its reading options.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Options for reading a model.
#[derive(Clone, Debug, clap::Args)]
pub struct ReadingArgs {
    /// The model's language, if the file extension does not tell; standard input defaults to SMV
    #[arg(long, value_parser = language_names(), help_heading = "Model")]
    pub language: Option<String>,
    /// The main module
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub main: Option<String>,
    /// Reject what the language's reference tools reject, such as numbers used as Booleans
    #[arg(long, help_heading = "Model")]
    pub strict: bool,
    /// Rows of a table that overlap are a choice of the implementation, and no mistake
    #[arg(long, help_heading = "Model")]
    pub allow_overlap: bool,
    /// Variables that the tester controls; an instance or array stands for all its members. `NAME:step` is
    /// sent with the step that its value decides, `NAME:state` with its state
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub input: Vec<String>,
    /// Variables and definitions that the implementation exposes; nothing else is an output then
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub output: Vec<String>,
    /// Variables that are neither controlled nor observed
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = "Model")]
    pub internal: Vec<String>,
}

impl ReadingArgs {
    /// True if the user assigns any roles.
    pub fn has_roles(&self) -> bool {
        [&self.input, &self.output, &self.internal].iter().any(|names| !names.is_empty())
    }
}

fn language_names() -> PossibleValuesParser {
    PossibleValuesParser::new(crate::load::languages().iter().map(|language| language.name))
}
