//! `trapline convert`: a model in another form: flat, or its tables as a document.

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_lang::{scr, smv};
use trapline_model::{Formula, Property};
use trapline_report::formats::document::{self, Document};

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load::{self, Loaded};
use crate::search::LimitArgs;

/// A form that a model can be written in.
struct Form {
    name: &'static str,
    about: &'static str,
    /// What it says of a model.
    says: Says,
    write: fn(&Loaded) -> String,
}

/// What a form says of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// What it does.
    Behaviour,
    /// How its tables are written.
    Tables,
}

/// All forms.
const FORMS: &[Form] = &[
    Form {
        name: "smv",
        about: "a single module for NuSMV, with the same verdicts",
        says: Says::Behaviour,
        write: smv,
    },
    Form {
        name: "markdown",
        about: "the tables, as a document that is read back with --language scr-markdown",
        says: Says::Tables,
        write: |loaded| scr::markdown(&loaded.tables),
    },
    Form {
        name: "html",
        about: "the tables, as a page to read or print",
        says: Says::Tables,
        write: html,
    },
    Form {
        name: "scr",
        about: "the tables, as a text that is read back",
        says: Says::Tables,
        write: |loaded| scr::plain(&loaded.tables),
    },
];

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Limits on checking it.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// The format
    #[arg(long, value_name = "NAME", value_parser = form_names(), default_value = FORMS[0].name)]
    pub to: String,
}

fn form_names() -> PossibleValuesParser {
    let forms = FORMS.iter().map(|form| PossibleValue::new(form.name).help(form.about));
    PossibleValuesParser::new(forms)
}

/// The flat model. Checks of tables become properties; those of modes that must be reachable say
/// that they are not, so that the counterexample leads there.
fn smv(loaded: &Loaded) -> String {
    if loaded.language == smv::NAME {
        return smv::print::flat(&loaded.model);
    }
    let own = loaded.model.properties.iter().map(|own| loaded.line_text(own.span.start));
    smv::flat_with_checks(&loaded.model, &loaded.checks, own.collect())
}

/// The tables as a page.
fn html(loaded: &Loaded) -> String {
    let keywords = loaded.model.syntax.keywords();
    document::html(&Document { title: &loaded.path, keywords, tables: &loaded.tables })
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.model, &args.limit.limits(), context)?;
    let form = FORMS.iter().find(|form| form.name == args.to);
    let form = form.ok_or_else(|| Failure::Bug(format!("no form `{}`", args.to)))?;
    if form.says == Says::Tables && loaded.tables.is_empty() {
        let (path, name) = (&loaded.path, form.name);
        return Err(Failure::refused(format!("`{path}` has no tables"))
            .help(format!("the form {name} is for specifications in SCR: .scr, .md and .csv")));
    }
    context.write(&(form.write)(&loaded))?;
    let left_out = |property: &&Property| matches!(property.formula, Formula::Unsupported(_));
    if form.says == Says::Tables {
        return Ok(Exit::Done);
    }
    for property in loaded.model.properties.iter().filter(left_out) {
        let place = loaded.sources.location(property.span.start);
        let line = place.map_or(0, |place| place.line);
        context.terminal.note(&format!("the property in line {line} is left out"));
    }
    Ok(Exit::Done)
}
