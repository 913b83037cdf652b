//! The commands, one file each.

pub mod check;
pub mod compare;
pub mod convert;
pub mod evaluate;
pub mod generate;
pub mod goals;
pub mod graph;
pub mod minimise;
pub mod mutants;
pub mod render;
pub mod report;
pub mod show;
pub mod simulate;

use clap::Subcommand;

use crate::args::Later;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the model's own properties
    Check(Later<check::Args>),
    /// List the test goals that the criteria derive
    Goals(Later<goals::Args>),
    /// Make a test suite
    Generate(Later<generate::Args>),
    /// Say which goals a suite reaches, and its score
    Evaluate(Later<evaluate::Args>),
    /// Make a suite smaller, with the same coverage
    #[command(alias = "minimize")]
    Minimise(Later<minimise::Args>),
    /// Score every criterion's suite against every criterion's goals
    Compare(Later<compare::Args>),
    /// List the mutants of the model, each as a diff
    Mutants(Later<mutants::Args>),
    /// Write a suite in another form: test code, data, or by your own template
    Render(Later<render::Args>),
    /// Show a suite and what it covers as a page
    Report(Later<report::Args>),
    /// Show a suite on the terminal: a table, or its tests as differences
    Show(Later<show::Args>),
    /// Walk through the model: at random, guided, or step by step
    Simulate(Later<simulate::Args>),
    /// Show what depends on what
    Graph(Later<graph::Args>),
    /// Write the flat model in another form
    Convert(Later<convert::Args>),
}

/// Runs a command.
pub fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Check(Later(args)) => check::run(args, context),
        Command::Goals(Later(args)) => goals::run(args, context),
        Command::Generate(Later(args)) => generate::run(args, context),
        Command::Evaluate(Later(args)) => evaluate::run(args, context),
        Command::Minimise(Later(args)) => minimise::run(args, context),
        Command::Compare(Later(args)) => compare::run(args, context),
        Command::Mutants(Later(args)) => mutants::run(args, context),
        Command::Render(Later(args)) => render::run(args, context),
        Command::Report(Later(args)) => report::run(args, context),
        Command::Show(Later(args)) => show::run(args, context),
        Command::Simulate(Later(args)) => simulate::run(args, context),
        Command::Graph(Later(args)) => graph::run(args, context),
        Command::Convert(Later(args)) => convert::run(args, context),
    }
}
