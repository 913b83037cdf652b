//! The command line: what the user typed, one file for each command, and all input and output.

mod args;
mod commands;
mod context;
mod defines;
mod excerpt;
mod exit;
mod failure;
mod interrupt;
mod json;
mod load;
mod names;
mod paint;
mod terminal;
mod trace_csv;
mod trace_text;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use context::Context;
use exit::Exit;
use failure::Failure;
use terminal::Terminal;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| terminal::report_bug(&info.to_string())));
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(error) => terminal::show_usage(&error),
    }));
    // The hook has told about the panic already.
    outcome.unwrap_or(Exit::Bug).into()
}

fn run(cli: Cli) -> Exit {
    interrupt::install();
    let context = Context { terminal: Terminal::new(&cli.global), output: cli.global.out };
    match commands::run(&cli.command, &context) {
        Ok(exit) => exit,
        Err(failure) => fail(failure, &context.terminal),
    }
}

fn fail(failure: Failure, terminal: &Terminal) -> Exit {
    match failure {
        Failure::Reported => Exit::BadInput,
        // Whoever read our output has seen enough.
        Failure::BrokenPipe => Exit::Done,
        Failure::Bug(text) => {
            terminal::report_bug(&text);
            Exit::Bug
        }
        Failure::Refused { message, help } => {
            terminal.error(&message, help.as_deref());
            Exit::BadInput
        }
        Failure::Io { .. } => {
            terminal.error(&failure.to_string(), None);
            Exit::BadInput
        }
    }
}
