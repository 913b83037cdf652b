//! Reading a model: bytes, text, typed model, roles.

use std::sync::OnceLock;

use trapline_engine::{Limits, wellformed};
use trapline_goals::Goal;
use trapline_lang::{FileGoal, Input, Language, Options, smv};
use trapline_model::{Check, name};
use trapline_model::{ConstraintKind, ExprId, Model, Role, Syntax, Timing, roles};
use trapline_source::{Diagnostic, Diagnostics, Requirement, SourceFile, Sources, Span, Table};
use trapline_suite::write::goals::Origin;

use crate::args::{ModelArgs, ReadingArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::files::{Extra, Files, ModelText, read_model_text};
use crate::names;
use crate::search;

/// A model's text, and how it is to be read.
#[derive(Debug)]
pub struct Text {
    /// The text.
    pub text: ModelText,
    /// What it is written in.
    pub language: &'static Language,
}

/// What is read with a model.
#[derive(Debug, Default)]
pub struct Also {
    /// Modules that watch it.
    pub observers: Vec<ModelText>,
    /// Expressions that must be right.
    pub expressions: Vec<Extra>,
    /// A file of goals. Those that are wrong are left out.
    pub goals: Option<ModelText>,
}

/// A model that was read without errors.
#[derive(Debug)]
pub struct Loaded {
    /// The path as the user gave it.
    pub path: String,
    /// What the text of the model, with the files that it names, is known by.
    pub sha256: String,
    /// What it is written in.
    pub language: &'static str,
    /// The module that was started from.
    pub main: String,
    /// The texts of the model and the expressions.
    pub sources: Sources,
    /// The model.
    pub model: Model,
    /// The expressions, one for each extra.
    pub expressions: Vec<ExprId>,
    /// What the file of goals says.
    pub goals: Vec<FileGoal>,
    /// What is wrong with some of them.
    pub goal_findings: Diagnostics,
    /// The spans of the observers.
    pub observers: Vec<Span>,
    /// What parts of the texts are there for.
    pub requirements: Vec<Requirement>,
    /// What only a search can tell to be right.
    pub checks: Vec<Check>,
    /// The tables of the text, as they are written.
    pub tables: Vec<Table>,
}

impl Loaded {
    /// The line that a goal is about, if there is one.
    pub fn line(&self, goal: &Goal) -> Option<u64> {
        self.sources.location(goal.span.start).map(|place| place.line as u64)
    }

    /// The line of a place, with its file if that is another than the model's.
    pub fn line_text(&self, at: u32) -> String {
        self.sources.location(at).map_or(String::new(), |place| match place.path == self.path {
            true => format!("line {}", place.line),
            false => format!("{}:{}", place.path, place.line),
        })
    }

    /// Where the model comes from.
    pub fn origin(&self) -> Origin<'_> {
        let Loaded { path, sources, requirements, .. } = self;
        Origin { path, sources, requirements }
    }

    /// A model made of this one, with names that SMV can read.
    pub fn in_smv(&self, model: Model) -> Model {
        if self.language == smv::NAME { model } else { smv::print::legal(&model) }
    }

    /// The texts of what must hold along every test.
    pub fn purposes(&self) -> &[SourceFile] {
        &self.sources.files()[1 + self.observers.len()..][..self.expressions.len()]
    }
}

/// Reads a model, and shows what is wrong with it, as far as that is found within the limits.
pub fn load(args: &ModelArgs, limits: &Limits, context: &Context) -> Result<Loaded, Failure> {
    let text = read(args, context)?;
    let (loaded, diagnostics) = lower(&text, args, &Also::default(), context)?;
    finish(loaded, diagnostics, args, limits, context)
}

/// Makes the checks that need a solver, and shows all findings.
pub fn finish(
    loaded: Loaded,
    mut diagnostics: Diagnostics,
    args: &ModelArgs,
    limits: &Limits,
    context: &Context,
) -> Result<Loaded, Failure> {
    if !diagnostics.has_errors() {
        let options = wellformed::Options { strict: args.reading.strict };
        let report = search::within(limits, context, |budget| {
            wellformed::check(&loaded.model, options, budget, &mut diagnostics)
        });
        for span in report.undecided {
            let place = loaded.sources.location(span.start);
            let place = place.map_or(String::new(), |p| format!("{}:{}: ", p.path, p.line));
            context.terminal.detail(&format!("{place}whether this always has a value is open"));
        }
    }
    context.terminal.report(&loaded.sources, &diagnostics);
    if diagnostics.has_errors() { Err(Failure::Reported) } else { Ok(loaded) }
}

/// Reads the text only.
pub fn read(args: &ModelArgs, context: &Context) -> Result<Text, Failure> {
    let language = language(args)?;
    Ok(Text { text: read_model_text(&args.path, context)?, language })
}

/// From the text to the model. The result is whole only if the diagnostics hold no error.
pub fn lower(
    text: &Text,
    args: &ModelArgs,
    also: &Also,
    context: &Context,
) -> Result<(Loaded, Diagnostics), Failure> {
    let files = Files::new(context);
    let mut diagnostics = Diagnostics::new();
    let file = files.add_model_text(&text.text)?;
    let observers = also.observers.iter().map(|observer| files.add_model_text(observer));
    let observers: Vec<SourceFile> = observers.collect::<Result<_, _>>()?;
    let expressions = also.expressions.iter().map(|extra| files.add(extra));
    let expressions: Vec<SourceFile> = expressions.collect::<Result<_, _>>()?;
    let goals = also.goals.as_ref().map(|goals| files.add_model_text(goals)).transpose()?;
    let input = Input {
        file: &file,
        loader: &files,
        observers: &observers,
        expressions: &expressions,
        goals: goals.as_ref(),
        options: Options {
            strict: args.reading.strict,
            main: args.reading.main.clone(),
            allow_overlap: args.reading.allow_overlap,
        },
    };
    let output = (text.language.read)(&input, &mut diagnostics);
    let mut model = output.model;
    if !diagnostics.has_errors() {
        for observer in &observers {
            hide(&mut model, observer);
        }
        set_roles(&mut model, &args.reading)?;
        if output.has_no_roles && args.reading.input.is_empty() {
            warn_without_roles(&model, &mut diagnostics);
        }
    }
    let spans = observers.iter().map(|observer| observer.span()).collect();
    let loaded = Loaded {
        path: text.text.place.clone(),
        sha256: files.sha256(&text.text),
        language: text.language.name,
        main: args.reading.main.clone().unwrap_or_else(|| "main".into()),
        sources: files.finish(&mut diagnostics),
        model,
        expressions: output.expressions,
        goals: output.goals,
        goal_findings: output.goal_findings,
        observers: spans,
        requirements: output.requirements,
        checks: output.checks,
        tables: output.tables,
    };
    Ok((loaded, diagnostics))
}

/// Observers are unknown to the implementation.
fn hide(model: &mut Model, observer: &SourceFile) {
    let span = observer.span();
    let is_inside = |place: Span| span.start <= place.start && place.end <= span.end;
    for var in model.vars.iter_mut().filter(|var| is_inside(var.span)) {
        var.role = Role::Internal;
    }
    for define in model.defines.iter_mut().filter(|define| is_inside(define.body.span)) {
        define.role = Role::Internal;
    }
}

/// A model of nothing but constraints does not say which variables the tester sets.
fn warn_without_roles(model: &Model, diagnostics: &mut Diagnostics) {
    let trans = model.constraints.iter().find(|c| c.kind == ConstraintKind::Trans);
    let span = trans.map_or(Span::default(), |constraint| constraint.body.span);
    let text = "nothing tells inputs from outputs: every variable counts as an output";
    let pragma = model.syntax.pragma("input", "x y");
    let help =
        format!("declare inputs with a comment `{pragma}` in the model, or with --input x y");
    diagnostics.push(Diagnostic::warning("no-inputs", span, text).help(help));
}

/// The languages that models are read in.
static LANGUAGES: OnceLock<&'static [Language]> = OnceLock::new();

/// Says which languages there are; the first word counts.
pub fn set_languages(languages: &'static [Language]) {
    let _ = LANGUAGES.set(languages);
}

/// The languages that models are read in.
pub fn languages() -> &'static [Language] {
    LANGUAGES.get().copied().unwrap_or(trapline_lang::LANGUAGES)
}

/// The language by name, or by the file's ending.
fn language(args: &ModelArgs) -> Result<&'static Language, Failure> {
    let path = args.path.to_string_lossy();
    let found = match &args.reading.language {
        Some(name) => languages().iter().find(|language| language.name == name),
        None if path == "-" => languages().first(),
        None => languages().iter().find(|language| path.ends_with(language.ending)),
    };
    found.ok_or_else(|| {
        let list = |field: fn(&Language) -> &'static str| {
            languages().iter().map(field).collect::<Vec<_>>().join(", ")
        };
        let (endings, names) = (list(|language| language.ending), list(|language| language.name));
        Failure::refused(format!("`{path}` has none of the known endings ({endings})"))
            .help(format!("pass --language, one of {names}"))
    })
}

/// How a language is written, by its name; the first one is meant where none is named.
pub fn syntax_of(language: Option<&str>) -> &'static dyn Syntax {
    let named = languages().iter().find(|known| Some(known.name) == language);
    named.unwrap_or(&languages()[0]).syntax
}

/// Applies `--input`, `--output` and `--internal`. Short names come first, so that a member's
/// role wins over that of its instance. Whoever names outputs names all of them.
pub fn set_roles(model: &mut Model, args: &ReadingArgs) -> Result<(), Failure> {
    let lists = [
        (&args.input, Role::Input),
        (&args.output, Role::Output),
        (&args.internal, Role::Internal),
    ];
    let mut wanted: Vec<(&str, Role, Option<Timing>)> = Vec::new();
    for (names, role) in lists {
        wanted.extend(names.iter().map(|name| {
            let (name, timing) = if role == Role::Input { timed(name) } else { (&**name, None) };
            (name, role, timing)
        }));
    }
    wanted.sort_by_key(|(name, role, timing)| (name.len(), *name, *role, *timing));
    wanted.dedup();
    if let Some(pair) = wanted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let what = if pair[0].1 == pair[1].1 { "timings" } else { "roles" };
        return Err(Failure::refused(format!("`{}` is given two {what}", pair[0].0)));
    }
    if !args.output.is_empty() {
        roles::forget_outputs(model);
    }
    for (name, role, timing) in wanted {
        if !roles::set(model, name, role) {
            return Err(unknown_name(model, name));
        }
        if let Some(timing) = timing.filter(|timing| !roles::set_timing(model, name, *timing)) {
            return Err(Failure::refused(format!("`{name}` can't be sent {}", timing.with()))
                .help(
                    "what belongs to steps goes with them, and what never changes with state 0",
                ));
        }
    }
    Ok(())
}

/// The name of an input, and when it is sent if that is said: `cmd:step`.
fn timed(text: &str) -> (&str, Option<Timing>) {
    let timings = [(":step", Timing::Step), (":state", Timing::State)];
    let mut found = timings
        .iter()
        .filter_map(|(ending, timing)| text.strip_suffix(ending).map(|name| (name, Some(*timing))));
    found.next().unwrap_or((text, None))
}

/// Is there something with this name?
pub fn check_name(model: &Model, name: &str) -> Result<(), Failure> {
    let vars = model.vars.iter().map(|var| var.name.as_str());
    let defines = model.defines.iter().map(|define| define.name.as_str());
    let is_meant = |known: &str| name::is_within(known, name);
    if vars.chain(defines).any(is_meant) { Ok(()) } else { Err(unknown_name(model, name)) }
}

fn unknown_name(model: &Model, name: &str) -> Failure {
    let vars = model.vars.iter().map(|var| var.name.as_str());
    let arrays = model.arrays.iter().map(|array| array.name.as_str());
    let defines = model.defines.iter().map(|define| define.name.as_str());
    let instances = model.vars.iter().filter_map(|var| name::split_member(&var.name).0);
    let close = names::close(name, vars.chain(arrays).chain(defines).chain(instances));
    let failure = Failure::refused(format!("the model has nothing called `{name}`"));
    match close.as_slice() {
        _ if name.contains(':') => failure.help("an input is sent with `:step` or `:state`"),
        [] => failure.help("it takes variables, arrays, definitions and instances"),
        close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
    }
}
