//! Tests of the parser. Expressions are compared as s-expressions, programs as one line an item,
//! errors as `line:column code: message`.

mod errors;
mod expressions;
mod items;
mod literals;
mod print;
mod psl;
mod robustness;

use trapline_source::{Diagnostics, SourceFile, Sources};

use super::{Grammar, Merged, parse};
use crate::smv::syntax::Program;

/// The expression as an s-expression, or its errors.
fn expression(text: &str) -> String {
    single(text, Grammar::Smv)
}

fn single(text: &str, grammar: Grammar) -> String {
    let (sources, file) = load(text);
    let mut diagnostics = Diagnostics::new();
    let mut merged = Merged::default();
    let code = merged.add_expression(&file, grammar, &mut diagnostics);
    match code {
        Some(code) if !diagnostics.has_errors() => print::code(&merged.program, code),
        _ => print::diagnostics(&sources, &diagnostics),
    }
}

/// The items of the text, one a line, then what there is to say about it.
fn program(text: &str) -> String {
    let (sources, file) = load(text);
    let mut diagnostics = Diagnostics::new();
    let program = parse(&file, &mut diagnostics);
    print::program(&program) + &print::diagnostics(&sources, &diagnostics)
}

/// The errors in the text.
fn errors(text: &str) -> String {
    let (sources, file) = load(text);
    let mut diagnostics = Diagnostics::new();
    parse(&file, &mut diagnostics);
    print::diagnostics(&sources, &diagnostics)
}

/// The program and its errors as they are.
fn parse_only(text: &str) -> (Program, Diagnostics) {
    let (_, file) = load(text);
    let mut diagnostics = Diagnostics::new();
    (parse(&file, &mut diagnostics), diagnostics)
}

fn load(text: &str) -> (Sources, SourceFile) {
    let mut sources = Sources::new();
    // A file before it shows that positions are global.
    sources.add("other", "MODULE other").unwrap();
    let file = sources.add("test", text).unwrap().clone();
    (sources, file)
}

/// Checks a table of expressions.
fn check_all(grammar: Grammar, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(single(text, grammar), *expected, "{text}");
    }
}
