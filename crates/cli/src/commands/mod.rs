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
pub mod run;
pub mod show;
pub mod simulate;

use clap::Subcommand;
use trapline_engine::Limits;

use crate::args::Later;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the model's own properties
    Check(Later<check::Args>),
    /// List the test goals derived by the coverage criteria
    Goals(Later<goals::Args>),
    /// Generate a test suite
    Generate(Later<generate::Args>),
    /// Evaluate which goals a suite reaches, and its score
    Evaluate(Later<evaluate::Args>),
    /// Minimise a suite while preserving its coverage
    #[command(alias = "minimize")]
    Minimise(Later<minimise::Args>),
    /// Evaluate every criterion's suite against every criterion's goals
    Compare(Later<compare::Args>),
    /// List the mutants of the model, each as a diff
    Mutants(Later<mutants::Args>),
    /// Execute a suite on an implementation, or judge a recorded run
    Run(Later<run::Args>),
    /// Render a suite as test code, as data, or with your own template
    Render(Later<render::Args>),
    /// Write a report of a suite and its coverage
    Report(Later<report::Args>),
    /// Show a suite on the terminal: as a table, or its tests with what changes at each step
    Show(Later<show::Args>),
    /// Simulate the model: at random, under constraints, or interactively
    Simulate(Later<simulate::Args>),
    /// Show the dependency graph of the variables
    Graph(Later<graph::Args>),
    /// Write the flattened model in another format, or its tables as a document
    Convert(Later<convert::Args>),
}

impl Command {
    /// The limits of the whole command. A dialogue has limits for each of its questions instead.
    pub fn limits(&self) -> Limits {
        match self {
            Command::Check(Later(args)) => args.search.limits(),
            Command::Goals(Later(args)) => args.search.limits(),
            Command::Generate(Later(args)) => args.search.limits(),
            Command::Evaluate(Later(args)) => args.search.limits(),
            Command::Minimise(Later(args)) => args.search.limits(),
            Command::Compare(Later(args)) => args.search.limits(),
            Command::Mutants(Later(args)) => args.search.limits(),
            Command::Run(Later(args)) => args.search.limits(),
            Command::Report(Later(args)) => args.search.limits(),
            Command::Show(Later(args)) => args.search.limits(),
            Command::Simulate(Later(args)) if args.interactive => Limits::default(),
            Command::Simulate(Later(args)) => args.limit.limits(),
            Command::Render(Later(args)) => args.limit.limits(),
            Command::Graph(Later(args)) => args.limit.limits(),
            Command::Convert(Later(args)) => args.limit.limits(),
        }
    }
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
        Command::Run(Later(args)) => run::run(args, context),
        Command::Render(Later(args)) => render::run(args, context),
        Command::Report(Later(args)) => report::run(args, context),
        Command::Show(Later(args)) => show::run(args, context),
        Command::Simulate(Later(args)) => simulate::run(args, context),
        Command::Graph(Later(args)) => graph::run(args, context),
        Command::Convert(Later(args)) => convert::run(args, context),
    }
}
