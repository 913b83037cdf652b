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
    /// Say which goals a suite reaches, and its score
    Evaluate(evaluate::Args),
    /// Make a suite smaller, with the same coverage
    #[command(alias = "minimize")]
    Minimise(minimise::Args),
    /// Score every criterion's suite against every criterion's goals
    Compare(compare::Args),
    /// List the mutants of the model, each as a diff
    Mutants(mutants::Args),
    /// Write a suite in another form: test code, data, or by your own template
    Render(render::Args),
    /// Show a suite and what it covers as a page
    Report(report::Args),
    /// Show a suite on the terminal: a table, or its tests as differences
    Show(show::Args),
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
        Command::Evaluate(args) => evaluate::run(args, context),
        Command::Minimise(args) => minimise::run(args, context),
        Command::Compare(args) => compare::run(args, context),
        Command::Mutants(args) => mutants::run(args, context),
        Command::Render(args) => render::run(args, context),
        Command::Report(args) => report::run(args, context),
        Command::Show(args) => show::run(args, context),
        Command::Simulate(args) => simulate::run(args, context),
        Command::Graph(args) => graph::run(args, context),
        Command::Convert(args) => convert::run(args, context),
    }
}
