//! The commands, one file each.

pub mod check;
pub mod convert;
pub mod generate;
pub mod goals;
pub mod graph;
pub mod mutants;
pub mod simulate;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the model's own properties
    Check(check::Args),
    /// List the test goals that the criteria derive
    Goals(goals::Args),
    /// Make a test suite
    Generate(generate::Args),
    /// List the mutants of the model, each as a diff
    Mutants(mutants::Args),
    /// Walk through the model: at random, guided, or step by step
    Simulate(simulate::Args),
    /// Show what depends on what
    Graph(graph::Args),
    /// Write the flat model in another form
    Convert(convert::Args),
}

/// Runs a command.
pub fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(args, context),
        Command::Goals(args) => goals::run(args, context),
        Command::Generate(args) => generate::run(args, context),
        Command::Mutants(args) => mutants::run(args, context),
        Command::Simulate(args) => simulate::run(args, context),
        Command::Graph(args) => graph::run(args, context),
        Command::Convert(args) => convert::run(args, context),
    }
}
