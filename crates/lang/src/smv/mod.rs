//! The SMV language of NuSMV 2.6, and what old models need.

mod checked;
mod goal_file;
mod include;
mod lexer;
mod lower;
mod observe;
mod outline;
mod parser;
pub mod print;
mod requirements;
pub mod syntax;

pub use checked::{flat_with_checks, with_checks};
pub use goal_file::GOAL_FILE;
pub use lower::{Extras, lower};
pub use parser::{Grammar, Merged, parse};
pub use print::Smv;

use trapline_source::Diagnostics;

use crate::{Input, Output};

/// What the language is called.
pub const NAME: &str = "smv";

/// Reads a model.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut merged = Merged::default();
    let files = include::add(&mut merged, input, diagnostics);
    observe::add(&mut merged, input, diagnostics);
    let mut extras = Extras::default();
    for file in input.expressions {
        extras.expressions.extend(merged.add_expression(file, Grammar::Smv, diagnostics));
    }
    if diagnostics.has_errors() {
        return Output::new(&Smv);
    }
    let files = files.iter().chain(input.observers);
    let requirements = files.flat_map(|file| requirements::find(file, diagnostics)).collect();
    if let Some(file) = input.goals {
        for entry in goal_file::entries(&file.text) {
            let text = file.part(entry.range.clone());
            let code = merged.add_expression(&text, Grammar::Smv, &mut extras.findings);
            extras.goals.push((entry, code));
        }
    }
    Output { requirements, ..lower(&merged.program, extras, &input.options, diagnostics) }
}
