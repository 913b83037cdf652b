//! `trapline render`: a suite in another form.

mod remarks;
mod skeleton;
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_engine::Exhausted;
use trapline_model::Model;
use trapline_report::formats::code::{self, skeleton::SKELETONS};
use trapline_report::formats::trace::{FORMATS, Format};
use trapline_suite::steps::{self, ExecutableSuite};
use trapline_suite::titled::{Titled, Traces};

use crate::args::ReadingArgs;
use crate::context::Context;
use crate::deadline::{self, Allowance};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::map_file::MapFile;
use crate::search::LimitArgs;
use crate::{files, suite_input, trace_files};
use remarks::Remarks;
use tests::{Detail, Tests};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "trapline render [OPTIONS] [MODEL] <SUITE>\n       trapline render [OPTIONS] --format adapter-<LANGUAGE> <MODEL>\n       trapline render --show-template <NAME>",
    after_help = EXAMPLES
)]
pub struct Args {
    /// The suite, or the model and the suite; `-` reads standard input. The model completes partial
    /// tests and tells where it is nondeterministic; a suite in JSON already contains this. The formats
    /// `adapter-...` take the model alone
    #[arg(value_name = "FILE", num_args = 1..=2, required_unless_present = "show_template")]
    pub files: Vec<PathBuf>,
    /// Options for reading the model.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Limits on checking the model and on completing tests.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// The format of the suite, if neither its name nor its content tells
    #[arg(long, value_name = "NAME", value_parser = suite_input::formats(), help_heading = "Suite")]
    pub suite_format: Option<String>,
    /// The output format; by default determined by the name after -o
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub format: Option<String>,
    /// Write a stub that connects test code to the implementation, to be filled in, instead of the
    /// tests
    #[arg(long, requires = "format")]
    pub stub: bool,
    /// A file that renames variables and values: lines `name = other`, `name : value = other`
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// A Jinja template of your own instead of a format
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "stub"])]
    pub template: Option<PathBuf>,
    /// Print the built-in template of a test code format, as a starting point
    #[arg(long, value_name = "NAME", value_parser = templates(), conflicts_with_all = ["files", "format", "template", "map"])]
    pub show_template: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  trapline render suite.json --format pytest -o test_valve.py
  trapline render suite.json --format pytest --stub -o adapter.py
  trapline render valve.smv --format adapter-python -o valve_sut.py
  trapline render valve.smv tests.csv --format nusmv-xml -o traces.xml
  trapline render suite.json --map names.txt --format csv
  trapline render --show-template googletest > mine.jinja
  trapline render suite.json --template mine.jinja -o tests.cpp";

fn formats() -> PossibleValuesParser {
    let code = code::FORMATS.iter().map(|it| PossibleValue::new(it.name).help(it.about));
    let skeletons = SKELETONS.iter().map(|it| PossibleValue::new(it.name).help(it.about));
    PossibleValuesParser::new(code.chain(skeletons).chain(trace_files::formats()))
}

fn templates() -> PossibleValuesParser {
    PossibleValuesParser::new(code::FORMATS.iter().map(|format| format.name))
}

/// A template of the user's gets no more bytes than this.
const MAX_MEMORY: u64 = 2 << 30;

/// And no more time, unless the user says otherwise.
const TEMPLATE_TIME: Duration = Duration::from_secs(60);

/// What a suite is called that goes to no file.
const SUITE: &str = "suite";

/// What is to be made.
enum Form {
    /// Test code.
    Code(&'static code::Format),
    /// What test code needs.
    Stub(&'static str),
    /// By a template of the user's: its path, its text and its time.
    Template(String, String, Duration),
    /// Data.
    Traces(&'static Format),
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if let Some(format) = args.show_template.as_deref().and_then(code::find) {
        context.write(&format.template())?;
        return Ok(Exit::Done);
    }
    if let Some(skeleton) = args.format.as_deref().and_then(code::skeleton::find) {
        return skeleton::write(skeleton, args, context);
    }
    let form = form(args, context)?;
    let map = args.map.as_ref().map(|path| MapFile::read(path, context)).transpose()?;
    let tests = tests::read(args, context)?;
    let is_data = matches!(form, Form::Traces(_));
    if !is_data && !tests.says_choices {
        context.terminal.note(
            "the suite does not say where the model leaves a choice, so all outputs are compared; \
             pass the model too to be sure",
        );
    }
    let detail = if is_data { Detail::Trace } else { Detail::Everything };
    let list = tests.titled(detail, &args.limit, context);
    match map {
        None => write(&form, &tests, &tests.model, list, context)?,
        Some(map) => {
            let renamed = map.renaming.apply(&tests.model, &list);
            let renamed = renamed.map_err(|wrong| map.refuse(&wrong, context))?;
            let list = list.iter().enumerate().map(|(idx, old)| renamed.titled(idx, old));
            write(&form, &tests, &renamed.model, list.collect(), context)?;
        }
    }
    Ok(tests.exit)
}

fn write(
    form: &Form,
    tests: &Tests,
    model: &Model,
    list: Vec<Titled<'_>>,
    context: &Context,
) -> Result<(), Failure> {
    let (path, is_complete) = (tests.path.as_str(), tests.is_complete);
    let traces = Traces { path, model, list, is_complete, missed: tests.missed() };
    let (place, template) = match form {
        Form::Traces(format) => return trace_files::write(format, &traces, context),
        Form::Code(format) => (format.name, &format.template()),
        Form::Stub(template) => ("the stub", &template.to_string()),
        Form::Template(path, text, _) => (path.as_str(), text),
    };
    let mut suite = steps::steps(&traces, steps::TURNS);
    if !matches!(form, Form::Stub(_)) {
        let remarks = Remarks::new(&suite, tests);
        suite.remarks = remarks.lines();
        remarks.tell(context);
    }
    let suite = Arc::new(suite);
    let text = match form {
        Form::Template(_, _, time) => by_users_template(place, template, suite, *time, context)?,
        _ => code::render(template, suite, &name(context, SUITE))
            .map_err(|error| Failure::Bug(format!("{place}: {error}")))?,
    };
    context.write(&text)
}

/// A template of the user's may ask for any amount of memory, and take any time.
fn by_users_template(
    place: &str,
    template: &str,
    suite: Arc<ExecutableSuite>,
    time: Duration,
    context: &Context,
) -> Result<String, Failure> {
    let (template, name) = (template.to_string(), name(context, SUITE));
    let allowance = Allowance { time, memory: MAX_MEMORY };
    match deadline::watch(allowance, move || code::render(&template, suite, &name)) {
        Ok(Ok(text)) => text.map_err(|error| Failure::refused(format!("{place}: {error}"))),
        Ok(Err(Exhausted::Memory)) => {
            let text = format!("{place}: the template needs more than {} MiB", MAX_MEMORY >> 20);
            Err(Failure::refused(text))
        }
        Ok(Err(_)) => {
            let message = format!("{place}: the template needs more than {} s", time.as_secs_f64());
            Err(Failure::Exhausted { message, help: "allow more with --timeout" })
        }
        Err(error) => Err(Failure::refused(format!("can't start a thread: {error}"))),
    }
}

/// What the result is called: the name of the file that it goes to.
fn name(context: &Context, without_file: &str) -> String {
    let stem = context.output.as_deref().and_then(Path::file_stem);
    stem.map_or_else(|| without_file.into(), |stem| stem.to_string_lossy().into_owned())
}

fn form(args: &Args, context: &Context) -> Result<Form, Failure> {
    if let Some(path) = &args.template {
        let files::Extra { place, text } = files::read_text(path, context)?;
        return Ok(Form::Template(place, text, args.limit.timeout.unwrap_or(TEMPLATE_TIME)));
    }
    let name = args.format.as_deref().or_else(|| told(context)).ok_or_else(|| {
        Failure::refused("the form of the result is not known")
            .help("pass --format; `trapline render --help` lists the forms")
    })?;
    match (code::find(name), args.stub) {
        (None, false) => trace_files::format(name).map(Form::Traces),
        (Some(format), false) => {
            refuse_adapter(format, context)?;
            Ok(Form::Code(format))
        }
        (format, true) => stub(name, format.and_then(|format| format.stub), context),
    }
}

/// Tests under the name of their adapter would replace what is filled in by hand.
fn refuse_adapter(format: &code::Format, context: &Context) -> Result<(), Failure> {
    let output = context.output.as_deref().and_then(Path::file_name);
    match format.stub {
        Some((adapter, _)) if output.is_some_and(|name| name == adapter) => {
            let text = format!("`{adapter}` is what connects the tests with the implementation");
            Err(Failure::refused(text).help("choose another name for the tests, or pass --stub"))
        }
        _ => Ok(()),
    }
}

/// The format determined by the name of the result: the first one with the longest matching
/// extension.
fn told(context: &Context) -> Option<&'static str> {
    let output = context.output.as_deref()?.to_string_lossy();
    let data = FORMATS.iter().map(|format| (format.ending, format.name));
    let code = code::FORMATS.iter().map(|format| (format.ending, format.name));
    let mut best: Option<(&str, &str)> = None;
    for (ending, name) in data.chain(code).filter(|(ending, _)| output.ends_with(ending)) {
        if best.is_none_or(|(known, _)| known.len() < ending.len()) {
            best = Some((ending, name));
        }
    }
    best.map(|(_, name)| name)
}

fn stub(
    name: &str,
    stub: Option<(&'static str, &'static str)>,
    context: &Context,
) -> Result<Form, Failure> {
    let Some((_, template)) = stub else {
        return Err(Failure::refused(format!("{name} needs nothing to be filled in")));
    };
    keep_filled_in(context)?;
    Ok(Form::Stub(template))
}

/// What is filled in by hand is not written over.
fn keep_filled_in(context: &Context) -> Result<(), Failure> {
    match &context.output {
        Some(path) if path.exists() => {
            let text = format!("`{}` is there already, and may be filled in", path.display());
            Err(Failure::refused(text).help("remove it, or choose another name"))
        }
        _ => Ok(()),
    }
}
