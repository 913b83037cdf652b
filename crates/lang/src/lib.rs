//! The input languages: text in, a typed model out.
//!
//! A language is a folder and one line in [`LANGUAGES`]. Parsers know no model; only `lower`
//! does.

pub mod smv;

use trapline_model::{Clause, ExprId, Model, Syntax};
use trapline_source::{Diagnostics, Requirement, SourceFile};

/// A language that models are written in.
#[derive(Debug)]
pub struct Language {
    /// Its name, as `--language` takes it.
    pub name: &'static str,
    /// How its files end.
    pub ending: &'static str,
    /// Reads a model; what is wrong with it goes to the diagnostics.
    pub read: fn(&Input<'_>, &mut Diagnostics) -> Output,
    /// How what is read is shown.
    pub syntax: &'static dyn Syntax,
}

/// All languages.
pub const LANGUAGES: &[Language] =
    &[Language { name: "smv", ending: ".smv", read: smv::read, syntax: &smv::Smv }];

/// What to read.
#[derive(Debug)]
pub struct Input<'a> {
    /// The model.
    pub file: &'a SourceFile,
    /// Modules that watch it, in texts that follow it in [`trapline_source::Sources`]. The first
    /// module of each becomes a part of the main one, under its own name.
    pub observers: &'a [&'a SourceFile],
    /// Expressions over its main module, each a text of its own.
    pub expressions: &'a [&'a SourceFile],
    /// Formulas over its main module. One that is wrong is no error of the model.
    pub formulas: &'a [Formula<'a>],
    /// How to read it.
    pub options: Options,
}

/// A formula that is no part of the model.
#[derive(Debug)]
pub struct Formula<'a> {
    /// Its text.
    pub file: SourceFile,
    /// What it is written in.
    pub logic: Logic,
    /// What messages call it.
    pub what: &'a str,
}

/// What a formula may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// No temporal operators; it may be about a step.
    Plain,
    /// Computation tree logic.
    Ctl,
    /// Linear temporal logic.
    Ltl,
}

impl<'a> Input<'a> {
    /// A model alone, with default options.
    pub fn new(file: &'a SourceFile) -> Input<'a> {
        Input { file, observers: &[], expressions: &[], formulas: &[], options: Options::default() }
    }
}

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Reject what the language's own tools reject.
    pub strict: bool,
    /// The module to start from, if not the usual one.
    pub main: Option<String>,
}

/// What was read. It is whole only if the diagnostics hold no error.
#[derive(Debug)]
pub struct Output {
    /// The model.
    pub model: Model,
    /// The expressions; each is there unless something is wrong with it.
    pub expressions: Vec<ExprId>,
    /// The formulas, those that are right.
    pub formulas: Vec<Option<Clause>>,
    /// What is wrong with the others.
    pub formula_findings: Diagnostics,
    /// True if nothing in the text distinguishes inputs from outputs.
    pub has_no_roles: bool,
    /// The requirements that parts of the text are tagged with.
    pub requirements: Vec<Requirement>,
}

impl Output {
    /// An empty output, in a language.
    pub fn new(syntax: &'static dyn Syntax) -> Output {
        Output {
            model: Model::new(syntax),
            expressions: Vec::new(),
            formulas: Vec::new(),
            formula_findings: Diagnostics::new(),
            has_no_roles: false,
            requirements: Vec::new(),
        }
    }
}
