//! `trapline show`: a suite on the terminal.

mod read;
mod text;

use std::path::PathBuf;

use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_suite::read::RecordedGoal;

use crate::args::{ModelArgs, ReadingArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::GoalArgs;
use crate::missing::ListArgs;
use crate::names;
use crate::search::SearchArgs;
use crate::suite_input::SuiteArgs;
use crate::trace_text::Detail;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The suite.
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// The tests to show, by name or number; by default a table of all
    #[arg(value_name = "TEST")]
    pub tests: Vec<String>,
    /// Show every state in full, not only what changes
    #[arg(long)]
    pub full: bool,
    /// Goals to list.
    #[command(flatten)]
    pub list: ListArgs,
    /// The model, to complete and replay the tests and to show which state reaches which goals
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<PathBuf>,
    /// Its reading options.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Goal selection, with --model.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Search options, with --model.
    #[command(flatten)]
    pub search: SearchArgs,
}

const EXAMPLES: &str = "\
Examples:
  trapline show suite.json                       a table of the tests, and what is not covered
  trapline show suite.json t3                    a test, as differences
  trapline show suite.json 1 2 --full            two tests, with all of every state
  trapline show suite.json t3 --model valve.smv  with the goals that each state reaches
  trapline show tests.csv --model valve.smv --criteria branch";

/// A suite to show.
pub struct Shown {
    /// What it was made from, if that is known.
    pub path: Option<String>,
    /// The model, or a model without rules.
    pub model: Model,
    /// The tests.
    pub tests: Vec<Test>,
    /// The goals; their tests are indices into `tests`.
    pub goals: Vec<RecordedGoal>,
    /// True if part of the work was not done.
    pub is_cut: bool,
    /// How the command ends.
    pub exit: Exit,
}

/// A test to show.
pub struct Test {
    /// Its name.
    pub name: String,
    /// What happens in it.
    pub trace: Trace,
    /// Is it a branch of the last test before it that is none?
    pub is_branch: bool,
    /// For each state the ids of the goals first reached there. Empty if unknown.
    pub reached: Vec<Vec<String>>,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let model = args.model.clone();
    let shown = match model.map(|path| ModelArgs { path, reading: args.reading.clone() }) {
        Some(model) => read::with_model(args, &model, context)?,
        None => read::alone(args, context)?,
    };
    let wanted = wanted(&args.tests, &shown.tests)?;
    let detail = if args.full { Detail::Full } else { Detail::Changes };
    match args.tests.is_empty() && !args.full {
        true => text::summary(&shown, &args.list, context)?,
        false => text::tests(&shown, &wanted, detail, context)?,
    }
    Ok(shown.exit)
}

/// The selected tests, by name or number, in the given order; by default all.
fn wanted(words: &[String], tests: &[Test]) -> Result<Vec<usize>, Failure> {
    if words.is_empty() {
        return Ok((0..tests.len()).collect());
    }
    let mut wanted = Vec::new();
    for word in words {
        let named = (0..tests.len()).filter(|&idx| tests[idx].name == *word);
        let n_before = wanted.len();
        wanted.extend(named);
        if wanted.len() == n_before {
            let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let number = number.filter(|idx| *idx < tests.len());
            wanted.push(number.ok_or_else(|| unknown(word, tests))?);
        }
    }
    Ok(wanted)
}

fn unknown(word: &str, tests: &[Test]) -> Failure {
    let failure = Failure::refused(format!("the suite has no test `{word}`"));
    match names::close(word, tests.iter().map(|test| test.name.as_str())).as_slice() {
        [] => failure.help("`trapline show SUITE` lists its tests; they have names and numbers"),
        close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
    }
}
