//! Tests of the parser. Expressions are compared as s-expressions, declarations as one line each,
//! errors as `line:column code: message` with the help in the next line.

mod declarations;
mod errors;
mod expressions;
mod modules;
mod print;
mod robustness;

use trapline_source::{Diagnostics, SourceFile, Sources, Span};

use crate::sal::syntax::{Context, Name, Names};

/// A context with nothing in it.
fn empty_context(names: &mut Names) -> Context {
    let name = Name { id: names.intern("none"), span: Span::new(0, 0) };
    Context {
        name,
        params: Vec::new(),
        decls: Vec::new(),
        nodes: Vec::new(),
        operands: Vec::new(),
        modules: Vec::new(),
        span: Span::new(0, 0),
    }
}

fn load(text: &str) -> (Sources, SourceFile) {
    let mut sources = Sources::new();
    // A file before it shows that positions are global.
    sources.add("other", "c: CONTEXT").unwrap();
    let file = sources.add("test", text).unwrap().clone();
    (sources, file)
}

/// The expression as an s-expression, or its errors.
fn expression(text: &str) -> String {
    let (sources, file) = load(text);
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    let mut context = empty_context(&mut names);
    match super::expression(&file, &mut context, &mut names, &mut diagnostics) {
        Some(node) => {
            assert!(!diagnostics.has_errors(), "{text}");
            print::Printer { context: &context, names: &names }.node(node)
        }
        None => print::diagnostics(&sources, &diagnostics),
    }
}

/// The module, or its errors.
fn module(text: &str) -> String {
    let (sources, file) = load(text);
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    let mut context = empty_context(&mut names);
    match super::module(&file, &mut context, &mut names, &mut diagnostics) {
        Some(module) => {
            assert!(!diagnostics.has_errors(), "{text}");
            print::Printer { context: &context, names: &names }.module(module)
        }
        None => print::diagnostics(&sources, &diagnostics),
    }
}

/// The context, a line a declaration, then what there is to say about it.
fn context(text: &str) -> String {
    let (sources, file) = load(text);
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    let context = super::parse(&file, &mut names, &mut diagnostics);
    let text = context.map(|context| print::Printer { context: &context, names: &names }.context());
    text.unwrap_or_default() + &print::diagnostics(&sources, &diagnostics)
}

/// The declarations of a context, or what is wrong with them.
fn declarations(text: &str) -> String {
    let whole = context(&format!("c: CONTEXT = BEGIN {text} END"));
    whole.split_once('\n').expect("a context").1.trim_end().to_string()
}

/// What is said of each text, with the text before it.
fn listed(shown: fn(&str) -> String, texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        out += &format!("{text}\n");
        shown(text).lines().for_each(|line| out += &format!("    {line}\n"));
    }
    out
}

/// The errors in a text.
fn errors(text: &str) -> String {
    let (sources, file) = load(text);
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    super::parse(&file, &mut names, &mut diagnostics);
    print::diagnostics(&sources, &diagnostics)
}

/// The context and its errors as they are.
fn parse_only(text: &str) -> (Option<Context>, Diagnostics) {
    let (_, file) = load(text);
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    (super::parse(&file, &mut names, &mut diagnostics), diagnostics)
}

/// Checks a table of texts.
fn check_all(shown: fn(&str) -> String, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text}");
    }
}
