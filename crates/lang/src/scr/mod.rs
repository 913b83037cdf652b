//! SCR tables (Software Cost Reduction): specifications of event-driven control software.
//!
//! A specification is a set of tables over monitored, controlled and internal variables. It is
//! written in a plain form, in Markdown or in comma-separated values ([`layout`]); from there on all
//! are the same.

mod document;
mod expression;
mod goal_file;
mod layout;
mod lower;
mod parser;
mod print;
mod requirements;
mod syntax;
mod tables;
mod token;

pub use document::{markdown, plain};
pub use goal_file::GOAL_FILE;
pub use print::Scr;

use trapline_source::{Diagnostic, Diagnostics};

use crate::{Input, Output};
use expression::Grammar;
use layout::{Form, Piece};

/// Reads a specification in the plain form.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    read_in(layout::text, input, diagnostics)
}

/// Reads a Markdown document whose tables are the specification.
pub fn read_markdown(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    read_in(layout::markdown, input, diagnostics)
}

/// Reads comma-separated values.
pub fn read_csv(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    read_in(layout::csv, input, diagnostics)
}

fn read_in(form: Form, input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut output = Output::new(&Scr);
    let sections = form(input.file, diagnostics);
    let mut spec = parser::parse(&sections, diagnostics);
    if let Some(observer) = input.observers.first() {
        let text = "a specification in SCR takes no observers";
        diagnostics.push(Diagnostic::error("no-observer", observer.span(), text));
    }
    let expressions: Vec<_> = input
        .expressions
        .iter()
        .map(|file| parser::expression(&mut spec, Piece::whole(file), Grammar::Plain, diagnostics))
        .collect();
    let goals = input.goals.map(|file| goal_file::read(&mut spec, file, &mut output.goal_findings));
    if spec.variables.is_empty() && !diagnostics.has_errors() {
        let text = "there are no variables here";
        let help = "a specification declares variables in MONITORED, CONTROLLED, TERMS and \
                    MODECLASS, and gives them values in tables";
        diagnostics.push(Diagnostic::error("empty", input.file.span(), text).help(help));
    }
    let mut lowered = lower::lower(&spec, &input.options, diagnostics);
    for code in expressions.into_iter().flatten() {
        let clause = lowered.expression(&spec, code, &input.options, diagnostics);
        output.expressions.extend(clause.map(|clause| clause.expr));
    }
    for entry in goals.into_iter().flatten() {
        let findings = &mut output.goal_findings;
        let goal = goal_file::lower(entry, &spec, &mut lowered, &input.options, findings);
        output.goals.push(goal);
    }
    output.requirements = requirements::find(input.file, &sections, diagnostics);
    output.tables = tables::tables(input.file, &sections, &spec);
    output.model = lowered.model;
    output.checks = lowered.checks;
    output
}
