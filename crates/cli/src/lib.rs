//! The command line: what the user typed, one file for each command, and all input and output.
//!
//! A library with one function, so that a program with other languages is one line.

mod args;
mod checks;
mod circumstances;
mod commands;
mod context;
mod deadline;
mod excerpt;
mod exit;
mod failure;
mod files;
mod goal_args;
mod initial;
mod interrupt;
mod journal_file;
mod journal_record;
mod load;
mod map_file;
mod memory;
mod missing;
mod names;
mod numbers;
mod paint;
mod progress;
mod proofs;
mod replay;
mod search;
mod shown;
mod suite_file;
mod suite_input;
mod terminal;
mod trace_files;
mod trace_text;

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use trapline_lang::Language;

use args::Cli;
use context::Context;
use exit::Exit;
use failure::Failure;
use terminal::Terminal;

/// Runs the program on its arguments, with these languages.
pub fn main(languages: &'static [Language]) -> ExitCode {
    load::set_languages(languages);
    let started = Instant::now();
    std::panic::set_hook(Box::new(|info| terminal::report_bug(&info.to_string())));
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| match Cli::try_parse() {
        Ok(cli) => run(cli, started),
        Err(error) => terminal::show_usage(&error),
    }));
    // The hook has told about the panic already.
    outcome.unwrap_or(Exit::Bug).into()
}

fn run(cli: Cli, started: Instant) -> Exit {
    interrupt::install();
    deadline::enforce(&cli.command.limits(), started);
    let terminal = Terminal::new(&cli.global);
    let context = Context { terminal, output: cli.global.out, started, read: RefCell::default() };
    match commands::run(&cli.command, &context) {
        Ok(exit) => exit,
        Err(failure) => fail(failure, &context.terminal),
    }
}

fn fail(failure: Failure, terminal: &Terminal) -> Exit {
    match failure {
        Failure::Reported => Exit::BadInput,
        // The reader of our output has seen enough.
        Failure::BrokenPipe => Exit::Done,
        Failure::Bug(text) => {
            terminal::report_bug(&text);
            Exit::Bug
        }
        Failure::Refused { message, help } => {
            terminal.error(&message, help.as_deref());
            Exit::BadInput
        }
        Failure::Exhausted { message, help } => {
            terminal.error(&message, Some(help));
            Exit::Undecided
        }
        Failure::Io { .. } => {
            terminal.error(&failure.to_string(), None);
            Exit::BadInput
        }
    }
}
