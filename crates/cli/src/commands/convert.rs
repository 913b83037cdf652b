//! `trapline convert`: the flat model in another form.

use clap::builder::PossibleValuesParser;
use trapline_lang::smv;
use trapline_model::{Formula, Model, Property};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load;
use crate::search::LimitArgs;

/// A form that a model can be written in.
struct Form {
    name: &'static str,
    write: fn(&Model) -> String,
}

/// All forms.
const FORMS: &[Form] = &[Form { name: "smv", write: smv::print::flat }];

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Limits on checking it.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// The format: `smv` is a single module for NuSMV, with the same verdicts
    #[arg(long, value_parser = form_names(), default_value = FORMS[0].name)]
    pub to: String,
}

fn form_names() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMS.iter().map(|form| form.name))
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.model, &args.limit.limits(), context)?;
    let form = FORMS.iter().find(|form| form.name == args.to);
    let form = form.ok_or_else(|| Failure::Bug(format!("no form `{}`", args.to)))?;
    context.write(&(form.write)(&loaded.model))?;
    let left_out = |property: &&Property| matches!(property.formula, Formula::Unsupported(_));
    for property in loaded.model.properties.iter().filter(left_out) {
        let place = loaded.sources.location(property.span.start);
        let line = place.map_or(0, |place| place.line);
        context.terminal.note(&format!("the property in line {line} is left out"));
    }
    Ok(Exit::Done)
}
