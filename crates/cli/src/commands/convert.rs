//! `trapline convert`: a model in another form: flat, or its tables as a document.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_lang::{sal, scr, smv};
use trapline_model::Formula;
use trapline_report::formats::document::{self, Document};
use trapline_source::Span;

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
    write: fn(&Loaded, &Context) -> Result<Written, Failure>,
}

/// What a form makes of a model.
struct Written {
    text: String,
    /// The properties that are left out, and why if there is something to say.
    left_out: Vec<(Span, Option<&'static str>)>,
}

impl Written {
    fn whole(text: String) -> Result<Written, Failure> {
        Ok(Written { text, left_out: Vec::new() })
    }
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
        name: "sal",
        about: "a context with one module for the tools of SAL, and theorems",
        says: Says::Behaviour,
        write: sal,
    },
    Form {
        name: "markdown",
        about: "the tables, as a document that is read back with --language scr-markdown",
        says: Says::Tables,
        write: |loaded, _| Written::whole(scr::markdown(&loaded.tables)),
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
        write: |loaded, _| Written::whole(scr::plain(&loaded.tables)),
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
fn smv(loaded: &Loaded, _: &Context) -> Result<Written, Failure> {
    let text = match loaded.language == smv::NAME {
        true => smv::print::flat(&loaded.model),
        false => smv::flat_with_checks(&loaded.model, &loaded.checks, property_lines(loaded)),
    };
    let properties = loaded.model.properties.iter();
    let left_out = properties.filter(|it| matches!(it.formula, Formula::Unsupported(_)));
    Ok(Written { text, left_out: left_out.map(|it| (it.span, None)).collect() })
}

/// The context, with the author's properties: checks of tables are those of `trapline check`. It has the
/// name of the file that it is written to, as SAL wants it, or that of the model.
fn sal(loaded: &Loaded, context: &Context) -> Result<Written, Failure> {
    let path = context.output.as_deref().unwrap_or(Path::new(&loaded.path));
    let stem = path.file_stem().map_or("model".into(), |stem| stem.to_string_lossy());
    let name = sal::print::context_name(if stem == "-" { "model" } else { &stem });
    let lines = if loaded.language == smv::NAME { Vec::new() } else { property_lines(loaded) };
    let printed = sal::print::context(&loaded.model, &name, &lines).map_err(|refused| {
        context.terminal.report(&loaded.sources, &refused);
        Failure::Reported
    })?;
    let left_out = printed.left_out.into_iter().map(|(span, why)| (span, Some(why)));
    Ok(Written { text: printed.text, left_out: left_out.collect() })
}

/// Where the model's own properties are.
fn property_lines(loaded: &Loaded) -> Vec<String> {
    let own = loaded.model.properties.iter().map(|own| loaded.line_text(own.span.start));
    own.collect()
}

/// The tables as a page.
fn html(loaded: &Loaded, _: &Context) -> Result<Written, Failure> {
    let keywords = loaded.model.syntax.keywords();
    let page = Document { title: &loaded.path, keywords, tables: &loaded.tables };
    Written::whole(document::html(&page))
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
    let written = (form.write)(&loaded, context)?;
    context.write(&written.text)?;
    for (span, why) in written.left_out {
        let place = loaded.sources.location(span.start);
        let line = place.map_or(0, |place| place.line);
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        context.terminal.note(&format!("the property in line {line} is left out{why}"));
    }
    Ok(Exit::Done)
}
