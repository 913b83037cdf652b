//! Reads suites: the file, its content, and the tests completed by the model.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::Value as Json;
use trapline_engine::Limits;
use trapline_goals::{Demand, GoalSet};
use trapline_model::name;
use trapline_model::trace::Trace;
use trapline_model::{Model, Role};
use trapline_source::{Diagnostic, Diagnostics, Span};
use trapline_suite::complete::{self, Completer};
use trapline_suite::inferred::{Inferred, infer, recorded_timing};
use trapline_suite::read::{
    self, Document, Draft, FORMATS, Format, ReadError, RecordedGoal, Wrong,
};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::goal_args::GoalArgs;
use crate::load::{self, Loaded};
use crate::names;
use crate::numbers::counted;
use crate::search;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct SuiteArgs {
    /// The suite; `-` reads standard input
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// The format of the suite, if neither its name nor its content tells
    #[arg(long, value_name = "NAME", value_parser = formats(), help_heading = "Suite")]
    pub suite_format: Option<String>,
}

/// The formats as values of an option.
pub fn formats() -> PossibleValuesParser {
    let known = FORMATS.iter().map(|it| PossibleValue::new(it.name).help(it.about));
    PossibleValuesParser::new(known)
}

/// A suite's text.
pub struct SuiteText {
    path: String,
    text: String,
    format: &'static Format,
    takes_negative: bool,
}

/// A suite that was read.
pub struct SuiteInput {
    /// The document.
    pub document: Document,
    /// The tests that the model allows.
    pub tests: Vec<Trace>,
    /// Their indices among the tests of the file.
    pub origins: Vec<usize>,
    /// True if a test is not allowed by the model, though the suite was made for this model.
    pub has_impossible: bool,
    /// The places among the tests of those that the implementation must not make to the end.
    pub negative: HashSet<usize>,
}

impl SuiteInput {
    /// The name of a test.
    pub fn name(&self, place: usize) -> &str {
        &self.document.drafts[self.origins[place]].name
    }

    /// The tests, each with its branches.
    pub fn trees(&self) -> Vec<Range<usize>> {
        let test_of = self.document.test_of();
        let numbers: Vec<usize> = self.origins.iter().map(|&origin| test_of[origin]).collect();
        let mut trees: Vec<Range<usize>> = Vec::new();
        for tree in numbers.chunk_by(|a, b| a == b) {
            let start = trees.last().map_or(0, |tree| tree.end);
            trees.push(start..start + tree.len());
        }
        trees
    }

    /// Number of goals covered according to the suite that are not among these.
    pub fn n_unknown_goals(&self, set: &GoalSet) -> usize {
        let known: HashSet<&str> = set.goals.iter().map(|goal| goal.id.as_str()).collect();
        let is_covered = |goal: &&RecordedGoal| goal.verdict.as_deref() == Some("covered");
        let covered = self.document.goals.iter().filter(is_covered);
        covered.filter(|goal| !known.contains(goal.id.as_str())).count()
    }

    /// Says how many goals of the suite are lost because options are missing that it was made with.
    pub fn tell_lost(&self, set: &GoalSet, args: &GoalArgs, context: &Context) {
        let n_lost = self.n_unknown_goals(set);
        if n_lost > 0 && args.scope.criteria.is_empty() {
            let lost = counted(n_lost as u64, "goal");
            context.terminal.note(&format!(
                "{lost} of the suite do not count: pass the options that it was made with"
            ));
        }
    }

    /// How a command ends that did what it could.
    pub fn exit(&self) -> Exit {
        if self.has_impossible { Exit::BadInput } else { Exit::Done }
    }
}

/// What a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// A suite, which may replace the one that is read.
    Suite,
    /// Something else, which must not.
    Other,
}

/// Reads the text of a suite.
pub fn read(
    args: &SuiteArgs,
    model: &Path,
    writes: Writes,
    context: &Context,
) -> Result<SuiteText, Failure> {
    if args.suite == Path::new("-") && model == Path::new("-") {
        return Err(Failure::refused("the model and the suite can't both be standard input"));
    }
    let files::Extra { place: path, text } = match writes {
        Writes::Other => files::read_text(&args.suite, context)?,
        Writes::Suite => files::read_replaceable(&args.suite, context)?,
    };
    let format = match &args.suite_format {
        Some(name) => read::find(name),
        None => read::recognise(&path, &text),
    };
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let format = format.ok_or_else(|| {
        Failure::refused(format!("`{path}` looks like no suite"))
            .help(format!("pass --suite-format, one of {}", names.join(", ")))
    })?;
    Ok(SuiteText { path, text, format, takes_negative: false })
}

impl SuiteText {
    /// The same, for who knows what to do with negative tests.
    pub fn with_negative(self) -> SuiteText {
        SuiteText { takes_negative: true, ..self }
    }

    /// Gives the roles and timings that the suite was made with to what the model still has.
    pub fn set_roles(&self, model: &mut Model) {
        let json = self.json();
        let mut recorded: HashMap<&str, Role> = HashMap::new();
        for (key, role) in
            [("internal", Role::Internal), ("output", Role::Output), ("input", Role::Input)]
        {
            let names = json["roles"][key].as_array().into_iter().flatten();
            recorded.extend(names.filter_map(Json::as_str).map(|name| (name, role)));
        }
        let role = |name: &str| {
            let (array, _) = name::split_indices(name);
            recorded.get(name).or_else(|| recorded.get(array)).copied()
        };
        for var in &mut model.vars {
            var.role = role(&var.name).unwrap_or(var.role);
            var.timing = recorded_timing(&json, &var.name).or(var.timing);
        }
        for define in &mut model.defines {
            define.role = role(&define.name).unwrap_or(define.role);
        }
    }

    /// The content of the suite, if it is in JSON.
    fn json(&self) -> Json {
        match self.format.name {
            "json" => serde_json::from_str(&self.text).unwrap_or_default(),
            _ => Json::Null,
        }
    }

    /// What the goals that it was made for demand of tests.
    pub fn demand(&self) -> Demand {
        read::demand(&self.json())
    }

    /// The criteria that the suite was made for, if it records them.
    pub fn criteria(&self) -> Vec<String> {
        let json = self.json();
        let mut names: Vec<String> = Vec::new();
        for goal in json["goals"].as_array().into_iter().flatten() {
            let name = goal["criterion"].as_str().filter(|name| !name.contains('*'));
            if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// The tests, completed by the model within the limits; what is wrong is shown.
    pub fn tests(
        self,
        loaded: &Loaded,
        limits: &Limits,
        context: &Context,
    ) -> Result<SuiteInput, Failure> {
        let document = read::read(&loaded.model, self.format, &self.text)
            .map_err(|errors| self.refuse(&errors, loaded, context))?;
        let is_other = document.model_sha256.as_ref().is_some_and(|sha| *sha != loaded.sha256);
        if is_other {
            let text = format!("`{}` was made for another version of the model", self.path);
            context.terminal.note(&text);
        }
        if !self.takes_negative && !document.negative.is_empty() {
            let text = format!("`{}` has negative tests, which only `run` takes", self.path);
            return Err(Failure::refused(text));
        }
        let completer = Completer::new(&loaded.model);
        let (mut tests, mut origins) = (Vec::new(), Vec::new());
        let mut findings = Diagnostics::new();
        let completed: Vec<_> = search::within(limits, context, |budget| {
            let complete = |(idx, draft): (usize, &Draft)| {
                let limits = complete::Limits::default();
                match document.negative.contains(&idx) {
                    true => completer.complete_negative(draft, &limits, budget).map_err(|why| {
                        let message = why.message(&loaded.model);
                        (format!("test `{}`: {message}", draft.name), Span::default())
                    }),
                    false => completer.complete(draft, &limits, budget).map_err(|why| {
                        let message = why.message(&loaded.model);
                        let (name, state) = (&draft.name, why.state());
                        let span = why.spans(&loaded.model).first().copied().unwrap_or_default();
                        (format!("test `{name}`, state {state}: {message}"), span)
                    }),
                }
            };
            document.drafts.iter().enumerate().map(complete).collect()
        });
        for (idx, completed) in completed.into_iter().enumerate() {
            match completed {
                Ok(trace) => {
                    tests.push(trace);
                    origins.push(idx);
                }
                Err((text, span)) => findings.push(match is_other {
                    true => Diagnostic::warning("impossible-test", span, text),
                    false => Diagnostic::error("impossible-test", span, text),
                }),
            }
        }
        let is_negative = |place: &usize| document.negative.contains(&origins[*place]);
        let negative = (0..tests.len()).filter(is_negative).collect();
        let has_impossible = !is_other && origins.len() < document.drafts.len();
        context.terminal.report(&loaded.sources, &findings);
        Ok(SuiteInput { document, tests, origins, has_impossible, negative })
    }

    /// Infers a model from the suite.
    pub fn infer(self, context: &Context) -> Result<Inferred, Failure> {
        if !["json", "itf"].contains(&self.format.name) {
            let text = format!("`{}` does not say enough without its model", self.path);
            return Err(Failure::refused(text).help("pass the model before the suite"));
        }
        infer(&self.text, &load::syntax_of).map_err(|errors| {
            for error in errors {
                context.terminal.error(&format!("{}: {error}", self.path), None);
            }
            Failure::Reported
        })
    }

    fn refuse(&self, errors: &[ReadError], loaded: &Loaded, context: &Context) -> Failure {
        let vars = || loaded.model.vars.iter().map(|var| var.name.as_str());
        for error in errors {
            let help = match &error.wrong {
                Wrong::UnknownName(name) => match names::close(name, vars()).as_slice() {
                    [] => None,
                    close => Some(format!("did you mean `{}`?", close.join("` or `"))),
                },
                _ => None,
            };
            context.terminal.error(&format!("{}: {error}", self.path), help.as_deref());
        }
        Failure::Reported
    }
}
