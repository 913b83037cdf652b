//! The input languages: text in, a typed model out.
//!
//! A language is a folder and one line in [`LANGUAGES`]. Parsers know no model; only `lower`
//! does.

mod close;
mod requirement;
pub mod sal;
pub mod scr;
pub mod smv;
mod yard;

use std::fmt::Debug;

use trapline_model::{Check, Clause, ExprId, Model, PropertyKind, Syntax};
use trapline_source::{Diagnostics, Requirement, SourceFile, Table};

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
    /// What stands in a file of goals, a form and what it means each.
    pub goal_file: &'static [(&'static str, &'static str)],
}

/// All languages.
pub const LANGUAGES: &[Language] = &[
    Language {
        name: smv::NAME,
        ending: ".smv",
        read: smv::read,
        syntax: &smv::Smv,
        goal_file: smv::GOAL_FILE,
    },
    Language {
        name: "scr",
        ending: ".scr",
        read: scr::read,
        syntax: &scr::Scr,
        goal_file: scr::GOAL_FILE,
    },
    Language {
        name: "scr-markdown",
        ending: ".md",
        read: scr::read_markdown,
        syntax: &scr::Scr,
        goal_file: scr::GOAL_FILE,
    },
    Language {
        name: "scr-csv",
        ending: ".csv",
        read: scr::read_csv,
        syntax: &scr::Scr,
        goal_file: scr::GOAL_FILE,
    },
    Language {
        name: "sal",
        ending: ".sal",
        read: sal::read,
        syntax: &sal::Sal,
        goal_file: sal::GOAL_FILE,
    },
];

/// Where the further files of a model come from: those that its text names.
pub trait Loader: Debug {
    /// The file that another one names, by a path as it is written there. However it is named, the same
    /// file is loaded once: it is always given with the same base.
    ///
    /// # Errors
    /// Why there is no such text, as a sentence that names the file.
    fn load(&self, path: &str, from: &SourceFile) -> Result<SourceFile, String>;
}

/// The loader of those who have nothing but one text.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _: &SourceFile) -> Result<SourceFile, String> {
        Err(format!("can't read `{path}`: there are no further files here"))
    }
}

/// What to read.
#[derive(Debug)]
pub struct Input<'a> {
    /// The model.
    pub file: &'a SourceFile,
    /// Gives the files that it names.
    pub loader: &'a dyn Loader,
    /// Modules that watch it, in texts that follow it in [`trapline_source::Sources`]. The first
    /// module of each becomes a part of the main one, under its own name.
    pub observers: &'a [SourceFile],
    /// Expressions over its main module, each a text of its own.
    pub expressions: &'a [SourceFile],
    /// Goals over its main module. One that is wrong is no error of the model.
    pub goals: Option<&'a SourceFile>,
    /// How to read it.
    pub options: Options,
}

impl<'a> Input<'a> {
    /// A model alone, with default options.
    pub fn new(file: &'a SourceFile) -> Input<'a> {
        Input {
            file,
            loader: &NoFiles,
            observers: &[],
            expressions: &[],
            goals: None,
            options: Options::default(),
        }
    }
}

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Reject what the language's own tools reject.
    pub strict: bool,
    /// The module to start from, if not the usual one.
    pub main: Option<String>,
    /// Rows of a table that overlap are a choice, and no mistake.
    pub allow_overlap: bool,
}

/// What was read. It is whole only if the diagnostics hold no error.
#[derive(Debug)]
pub struct Output {
    /// The model.
    pub model: Model,
    /// The expressions; each is there unless something is wrong with it.
    pub expressions: Vec<ExprId>,
    /// What the file of goals says.
    pub goals: Vec<FileGoal>,
    /// What is wrong with some of them.
    pub goal_findings: Diagnostics,
    /// True if nothing in the text distinguishes inputs from outputs.
    pub has_no_roles: bool,
    /// The requirements that parts of the text are tagged with.
    pub requirements: Vec<Requirement>,
    /// What only a search can tell to be right.
    pub checks: Vec<Check>,
    /// The tables of the text, in its order; none in a language without tables.
    pub tables: Vec<Table>,
}

/// An entry of a file of goals.
#[derive(Clone, Debug)]
pub struct FileGoal {
    /// Its name, perhaps that of another one too.
    pub name: String,
    /// What is to be reached, or to be violated; nothing if it is wrong.
    pub clause: Option<Clause>,
    /// The kind of a never-claim; `None` for something to reach.
    pub claim: Option<PropertyKind>,
}

impl Output {
    /// An empty output, in a language.
    pub fn new(syntax: &'static dyn Syntax) -> Output {
        Output {
            model: Model::new(syntax),
            expressions: Vec::new(),
            goals: Vec::new(),
            goal_findings: Diagnostics::new(),
            has_no_roles: false,
            requirements: Vec::new(),
            checks: Vec::new(),
            tables: Vec::new(),
        }
    }
}
