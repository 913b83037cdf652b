//! Reading a model.

use trapline_lang::{Input, LANGUAGES, Options, Output, smv};
use trapline_model::{ExprId, Model};
use trapline_source::{Diagnostics, Sources};

/// The model, which must be right, and expressions over its main module.
pub fn read(text: &str, expressions: &[&str]) -> (Model, Vec<ExprId>) {
    try_read(text, expressions).unwrap_or_else(|findings| panic!("{findings}\n{text}"))
}

/// The model, and expressions over its main module.
///
/// # Errors
/// What is wrong with it.
pub fn try_read(text: &str, expressions: &[&str]) -> Result<(Model, Vec<ExprId>), String> {
    let mut sources = Sources::new();
    // Added first, so that places in the model are places in `text`.
    let file = sources.add("test.smv", text).expect("small").clone();
    let expressions: Vec<_> = expressions
        .iter()
        .map(|expression| sources.add("expression", expression).expect("small").clone())
        .collect();
    let input = Input { expressions: &expressions, ..Input::new(&file) };
    let mut diagnostics = Diagnostics::new();
    let output = smv::read(&input, &mut diagnostics);
    let findings: Vec<_> = diagnostics.list().iter().map(|d| (d.code, &d.message)).collect();
    match diagnostics.has_errors() {
        true => Err(format!("{findings:?}")),
        false => Ok((output.model, output.expressions)),
    }
}

/// A specification in tables, in the language with this name, with the sources that its places are in.
///
/// # Errors
/// What is wrong with it.
pub fn read_tables(
    text: &str,
    language: &str,
    options: Options,
) -> Result<(Output, Sources), String> {
    let mut sources = Sources::new();
    let file = sources.add("test", text).expect("small").clone();
    let mut diagnostics = Diagnostics::new();
    let language = LANGUAGES.iter().find(|known| known.name == language).expect("a language");
    let output = (language.read)(&Input { options, ..Input::new(&file) }, &mut diagnostics);
    let findings: Vec<_> = diagnostics.list().iter().map(|d| (d.code, &d.message)).collect();
    match diagnostics.has_errors() {
        true => Err(format!("{findings:?}")),
        false => Ok((output, sources)),
    }
}

/// What the chosen module of a SAL context is, with expressions over it.
///
/// # Errors
/// What is wrong with it.
pub fn try_read_sal(text: &str, main: &str, expressions: &[String]) -> Result<Output, String> {
    let mut sources = Sources::new();
    let file = sources.add("random.sal", text).expect("small").clone();
    let expressions: Vec<_> = expressions
        .iter()
        .map(|expression| sources.add("expression", expression).expect("small").clone())
        .collect();
    let options = Options { main: Some(main.into()), ..Options::default() };
    let input = Input { expressions: &expressions, options, ..Input::new(&file) };
    let mut diagnostics = Diagnostics::new();
    let output = trapline_lang::sal::read(&input, &mut diagnostics);
    let findings: Vec<_> = diagnostics.list().iter().map(|d| (d.code, &d.message)).collect();
    match diagnostics.has_errors() {
        true => Err(format!("{findings:?}")),
        false => Ok(output),
    }
}
