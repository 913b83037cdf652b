//! The SMV language of NuSMV 2.6, and what old models need.

mod lexer;
mod lower;
mod parser;
pub mod syntax;

pub use lower::lower;
pub use parser::{Grammar, parse, parse_expression};

use trapline_source::Diagnostics;

use crate::{Input, Output};

/// Reads a model.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut program = parse(input.file, diagnostics);
    let mut codes = Vec::with_capacity(input.expressions.len());
    for file in input.expressions {
        let (other, code) = parse_expression(file, Grammar::Smv, diagnostics);
        codes.extend(code.map(|code| program.append(&other, code)));
    }
    if diagnostics.has_errors() {
        return Output::default();
    }
    lower(&program, &codes, &input.options, diagnostics)
}
