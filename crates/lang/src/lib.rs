//! The input languages: text in, a typed model out.
//!
//! A language is a folder and one line in [`LANGUAGES`]. Parsers know no model; only `lower`
//! does.

pub mod smv;

use trapline_model::{ExprId, Model};
use trapline_source::{Diagnostics, SourceFile};

/// A language that models are written in.
#[derive(Debug)]
pub struct Language {
    /// Its name, as `--language` takes it.
    pub name: &'static str,
    /// How its files end.
    pub ending: &'static str,
    /// Reads a model; what is wrong with it goes to the diagnostics.
    pub read: fn(&Input<'_>, &mut Diagnostics) -> Output,
}

/// All languages.
pub const LANGUAGES: &[Language] = &[Language { name: "smv", ending: ".smv", read: smv::read }];

/// What to read.
#[derive(Debug)]
pub struct Input<'a> {
    /// The model.
    pub file: &'a SourceFile,
    /// Expressions over its main module, each a text of its own.
    pub expressions: &'a [&'a SourceFile],
    /// How to read it.
    pub options: Options,
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
#[derive(Debug, Default)]
pub struct Output {
    /// The model.
    pub model: Model,
    /// The expressions; each is there unless something is wrong with it.
    pub expressions: Vec<ExprId>,
    /// Nothing in the text tells inputs from outputs.
    pub has_no_roles: bool,
}
