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
pub use parser::{Grammar, Merged, parse};
pub use print::Smv;

use trapline_source::Diagnostics;

use crate::{Input, Output};

/// Reads a model.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut merged = Merged::default();
    merged.add_modules(input.file, diagnostics);
    observe::add(&mut merged, input, diagnostics);
    let mut extras = Extras::default();
    for file in input.expressions {
        extras.expressions.extend(merged.add_expression(file, Grammar::Smv, diagnostics));
    }
    if diagnostics.has_errors() {
        return Output::new(&Smv);
    }
    let files = std::iter::once(&input.file).chain(input.observers);
    let requirements = files.flat_map(|file| requirements::find(file, diagnostics)).collect();
    for formula in input.formulas {
        let code = merged.add_expression(&formula.file, Grammar::Smv, &mut extras.findings);
        extras.formulas.push((code, formula));
    }
    Output { requirements, ..lower(&merged.program, extras, &input.options, diagnostics) }
}
