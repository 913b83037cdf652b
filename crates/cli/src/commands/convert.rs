//! `trapline convert`: a model in another form: flat, or its tables as a document.

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_lang::{scr, smv};
use trapline_model::check::Wanted;
use trapline_model::goal::Target;
use trapline_model::transform::Extension;
use trapline_model::{Clause, Formula, Model, Property, PropertyKind, Role, Syntax};
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
    let mut model = Extension::new(loaded.model.clone());
    let own = loaded.model.properties.iter().map(|own| loaded.line_text(own.span.start));
    let mut comments: Vec<String> = own.collect();
    for check in &loaded.checks {
        let (Target::State(expr) | Target::Step(expr)) = check.target else { continue };
        let never = model.exprs.not(expr);
        let span = check.diagnostic.labels[0].span;
        let formula = Formula::Holds(Clause::unwritten(never, span));
        let (kind, verdict) = match check.wanted {
            Wanted::Never => (PropertyKind::Invar, "true"),
            Wanted::Sometime => (PropertyKind::Invar, "false"),
            // A formula without temporal operators is about initial states.
            Wanted::NotAtFirst => (PropertyKind::Ltl, "true"),
        };
        model.add_property(kind, Some(check.name.clone()), formula);
        comments.push(format!("{verdict}, unless {}", check.diagnostic.message));
    }
    let text = smv::print::flat_with_comments(&model, &comments);
    // Pragmas belong to a module.
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{head}\n{}{body}", pragmas(&loaded.model))
}

/// The tables as a page.
fn html(loaded: &Loaded) -> String {
    let keywords = loaded.model.syntax.keywords();
    document::html(&Document { title: &loaded.path, keywords, tables: &loaded.tables })
}

/// The roles of the variables, which SMV has no words for.
fn pragmas(model: &Model) -> String {
    let line = |role: Role, name: &str| {
        let own = model.vars.iter().filter(|var| var.role == role).map(|var| var.name.as_str());
        let names: Vec<&str> = own.collect();
        match names.as_slice() {
            [] => String::new(),
            names => format!("{}\n", smv::Smv.pragma(name, &names.join(" "))),
        }
    };
    [(Role::Input, "input"), (Role::Output, "output"), (Role::Internal, "internal")]
        .map(|(role, name)| line(role, name))
        .concat()
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
