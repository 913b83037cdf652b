//! `trapline graph`: what depends on what.

use clap::builder::PossibleValuesParser;
use trapline_model::Model;
use trapline_report::formats::graph::{self, FORMATS, Focus, FocusError, View};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load;
use crate::names;
use crate::search::LimitArgs;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Limits on checking it.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// The output format; `svg` does not need Graphviz
    #[arg(long, value_parser = format_names(), default_value = FORMATS[0].name)]
    pub format: String,
    /// Show only the condensation: the graph of the strongly connected components
    #[arg(long, conflicts_with = "instances")]
    pub scc: bool,
    /// Group the variables by module instance
    #[arg(long)]
    pub instances: bool,
    /// Show only this variable and what it depends on; repeatable or comma-separated; an array, an
    /// instance or a define stands for its variables
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub focus: Vec<String>,
    /// With --focus: show what depends on these variables instead
    #[arg(long, requires = "focus")]
    pub reverse: bool,
}

fn format_names() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|format| format.name))
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.model, &args.limit.limits(), context)?;
    let view = match (args.scc, args.instances) {
        (true, _) => View::Sets,
        (false, true) => View::Instances,
        (false, false) => View::Variables,
    };
    let graph = graph::of(&loaded.model, &loaded.path, &focus(args))
        .map_err(|error| refuse(&loaded.model, &error))?;
    let format = FORMATS.iter().find(|format| format.name == args.format);
    let format = format.ok_or_else(|| Failure::Bug(format!("no format `{}`", args.format)))?;
    context.write(&(format.write)(&graph, view))?;
    Ok(Exit::Done)
}

fn focus(args: &Args) -> Focus {
    match (args.focus.is_empty(), args.reverse) {
        (true, _) => Focus::All,
        (false, false) => Focus::DependedOnBy(args.focus.clone()),
        (false, true) => Focus::DependingOn(args.focus.clone()),
    }
}

fn refuse(model: &Model, error: &FocusError) -> Failure {
    let failure = Failure::refused(error.to_string());
    let FocusError::Unknown(name) = error else { return failure };
    let vars = model.vars.iter().map(|var| var.name.as_str());
    let arrays = model.arrays.iter().map(|array| array.name.as_str());
    let defines = model.defines.iter().map(|define| define.name.as_str());
    match names::close(name, vars.chain(arrays).chain(defines)).as_slice() {
        [] => failure,
        close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
    }
}
