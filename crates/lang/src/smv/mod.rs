//! The SMV language of NuSMV 2.6, and what old models need.

mod lexer;
mod lower;
mod observe;
mod outline;
mod parser;
pub mod print;
mod requirements;
pub mod syntax;

pub use lower::{Extras, lower};
pub use parser::{Grammar, parse, parse_expression};
pub use print::Smv;

use trapline_source::Diagnostics;

use crate::{Input, Output};

/// Reads a model.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut program = parse(&observe::whole_text(input), diagnostics);
    observe::add_instances(&mut program, input, diagnostics);
    let mut extras = Extras::default();
    for file in input.expressions {
        let (other, code) = parse_expression(file, Grammar::Smv, diagnostics);
        extras.expressions.extend(code.map(|code| program.append(&other, code)));
    }
    if diagnostics.has_errors() {
        return Output::new(&Smv);
    }
    let files = std::iter::once(&input.file).chain(input.observers);
    let requirements = files.flat_map(|file| requirements::find(file, diagnostics)).collect();
    for formula in input.formulas {
        let (other, code) = parse_expression(&formula.file, Grammar::Smv, &mut extras.findings);
        extras.formulas.push((code.map(|code| program.append(&other, code)), formula));
    }
    Output { requirements, ..lower(&program, extras, &input.options, diagnostics) }
}
