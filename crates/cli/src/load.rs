//! Reading a model: bytes, text, typed model, roles.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use trapline_engine::{Limits, wellformed};
use trapline_lang::{Formula, Input, Language, Logic, Options};
use trapline_model::name;
use trapline_model::{
    Clause, ConstraintKind, ExprId, Model, PropertyKind, Role, Syntax, Timing, roles,
};
use trapline_source::{Diagnostic, Diagnostics, Requirement, SourceFile, Sources, Span};
use trapline_suite::write::goals::Origin;

use crate::args::{ModelArgs, ReadingArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::names;
use crate::search;
use crate::suite_file::sha256;

/// Files beyond this size are refused.
const MAX_MIB: u64 = 256;

/// A model's text, and how it is to be read.
#[derive(Debug)]
pub struct Text {
    /// The path as the user gave it.
    pub path: String,
    /// The text.
    pub text: String,
    /// What it is written in.
    pub language: &'static Language,
}

/// An expression over the model that the user gave elsewhere.
#[derive(Clone, Debug)]
pub struct Extra {
    /// How messages refer to its position.
    pub place: String,
    /// The expression.
    pub text: String,
}

/// What is read with a model.
#[derive(Debug, Default)]
pub struct Also {
    /// Modules that watch it.
    pub observers: Vec<Extra>,
    /// Expressions that must be right.
    pub expressions: Vec<Extra>,
    /// A text with formulas, and where in it each one is. Those that are wrong are left out.
    pub formulas: Option<(Extra, Vec<Entry>)>,
}

/// A formula in a text.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub range: std::ops::Range<usize>,
    /// What it is written in.
    pub logic: Logic,
    /// The kind of a never-claim; `None` for something to reach.
    pub claim: Option<PropertyKind>,
}

/// A model that was read without errors.
#[derive(Debug)]
pub struct Loaded {
    /// The path as the user gave it.
    pub path: String,
    /// What the text of the model is known by.
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
    /// The formulas, one for each entry.
    pub formulas: Vec<Option<Clause>>,
    /// What is wrong with some of them.
    pub formula_findings: Diagnostics,
    /// The spans of the observers.
    pub observers: Vec<Span>,
    /// What parts of the texts are there for.
    pub requirements: Vec<Requirement>,
}

impl Loaded {
    /// Where the model comes from.
    pub fn origin(&self) -> Origin<'_> {
        let Loaded { path, sources, requirements, .. } = self;
        Origin { path, sources, requirements }
    }

    /// The texts of what must hold along every test.
    pub fn purposes(&self) -> &[SourceFile] {
        &self.sources.files()[1 + self.observers.len()..][..self.expressions.len()]
    }
}

/// Reads a model, and shows what is wrong with it, as far as that is found within the limits.
pub fn load(args: &ModelArgs, limits: &Limits, context: &Context) -> Result<Loaded, Failure> {
    let text = read(args, context)?;
    let (loaded, diagnostics) = lower(&text, args, &Also::default())?;
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
    let Extra { place: path, text } = read_text(&args.path, context)?;
    Ok(Text { path, text, language })
}

/// Reads a text in UTF-8; its file is safe from being overwritten from here on.
pub fn read_text(path: &Path, context: &Context) -> Result<Extra, Failure> {
    context.protect(path)?;
    read_replaceable(path, context)
}

/// Reads a text in UTF-8 whose file the result may replace.
pub fn read_replaceable(path: &Path, context: &Context) -> Result<Extra, Failure> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        read_limited(&name, io::stdin().lock())?
    } else {
        let failed = |error| Failure::Io { action: "read", path: name.clone(), error };
        read_limited(&name, File::open(path).map_err(failed)?)?
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Extra { place: name, text }),
        Err(error) => {
            let valid_up_to = error.utf8_error().valid_up_to();
            Err(report_bad_byte(&name, error.as_bytes(), valid_up_to, context))
        }
    }
}

/// From the text to the model. The result is whole only if the diagnostics hold no error.
pub fn lower(text: &Text, args: &ModelArgs, also: &Also) -> Result<(Loaded, Diagnostics), Failure> {
    let mut sources = Sources::new();
    let bases = add_sources(&mut sources, text, also)?;
    let mut diagnostics = Diagnostics::new();
    let files: Vec<&SourceFile> = bases.iter().filter_map(|&base| sources.file_at(base)).collect();
    let options = Options { strict: args.reading.strict, main: args.reading.main.clone() };
    let (observers, others) = files[1..].split_at(also.observers.len());
    let (expressions, others) = others.split_at(also.expressions.len());
    let entries = also.formulas.iter().flat_map(|(_, entries)| entries).zip(others.iter().cycle());
    let formulas: Vec<Formula<'_>> = entries
        .map(|(entry, file)| Formula {
            file: file.part(entry.range.clone()),
            logic: entry.logic,
            what: "a goal",
        })
        .collect();
    let input = Input { observers, expressions, formulas: &formulas, options, file: files[0] };
    let output = (text.language.read)(&input, &mut diagnostics);
    let mut model = output.model;
    if !diagnostics.has_errors() {
        for observer in observers {
            hide(&mut model, observer);
        }
        set_roles(&mut model, &args.reading)?;
        if output.has_no_roles && args.reading.input.is_empty() {
            warn_without_roles(&model, &mut diagnostics);
        }
    }
    let spans = observers.iter().map(|observer| observer.span()).collect();
    let loaded = Loaded {
        path: text.path.clone(),
        sha256: sha256(&text.text),
        language: text.language.name,
        main: args.reading.main.clone().unwrap_or_else(|| "main".into()),
        sources,
        model,
        expressions: output.expressions,
        formulas: output.formulas,
        formula_findings: output.formula_findings,
        observers: spans,
        requirements: output.requirements,
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

/// The model, its observers right behind it, the expressions, and the text with formulas.
fn add_sources(sources: &mut Sources, text: &Text, also: &Also) -> Result<Vec<u32>, Failure> {
    let main = (text.path.as_str(), text.text.as_str());
    let formulas = also.formulas.iter().map(|(text, _)| text);
    let others = also.observers.iter().chain(&also.expressions).chain(formulas);
    let others = others.map(|extra| (extra.place.as_str(), extra.text.as_str()));
    let added = std::iter::once(main).chain(others).map(|(path, text)| {
        let file = sources.add(path, text);
        file.map(|file| file.base).map_err(|_| Failure::refused("the texts are too large together"))
    });
    added.collect()
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

fn read_limited(path: &str, reader: impl Read) -> Result<Vec<u8>, Failure> {
    let max = MAX_MIB << 20;
    let mut bytes = Vec::new();
    match reader.take(max + 1).read_to_end(&mut bytes) {
        Err(error) => Err(Failure::Io { action: "read", path: path.into(), error }),
        Ok(_) if bytes.len() as u64 > max => {
            Err(Failure::refused(format!("`{path}` is larger than {MAX_MIB} MiB")))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Shows the first byte that is no UTF-8.
fn report_bad_byte(path: &str, bytes: &[u8], valid_up_to: usize, context: &Context) -> Failure {
    /// How much of the text after the bad byte may be shown.
    const MAX_AFTER: usize = 100;
    let after = &bytes[valid_up_to..bytes.len().min(valid_up_to + MAX_AFTER)];
    let rest_of_line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes[..valid_up_to]).into_owned();
    text += &String::from_utf8_lossy(rest_of_line);
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let (start, bad) = (valid_up_to as u32, bytes[valid_up_to]);
    let end = start + char::REPLACEMENT_CHARACTER.len_utf8() as u32;
    let message = format!("byte 0x{bad:02X} is not valid UTF-8");
    let error = Diagnostic::error("not-utf8", Span::new(start, end), message);
    diagnostics.push(error.help("save it as UTF-8"));
    if sources.add(path, &text).is_err() {
        return Failure::refused(format!("`{path}` is too large"));
    }
    context.terminal.report(&sources, &diagnostics);
    Failure::Reported
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
