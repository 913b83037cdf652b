//! What to say when the next state can't be found out.

use trapline_engine::Exhausted;
use trapline_engine::solve::Stop;
use trapline_engine::wellformed::failure_code;
use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_source::{Diagnostic, Diagnostics, Span};

use crate::circumstances;
use crate::context::Context;
use crate::exit::Exit;
use crate::load::Loaded;

/// Reports why a run stopped, and determines the exit code.
pub fn report(stop: &Stop, loaded: &Loaded, trace: &Trace, context: &Context) -> Exit {
    let model = &loaded.model;
    let diagnostic = match stop {
        Stop::Exhausted(exhausted) => {
            let option = match exhausted {
                Exhausted::Time => "--timeout",
                Exhausted::Memory => "--memory",
                Exhausted::Work | Exhausted::Depth | Exhausted::Interrupted => "--max-work",
            };
            let message = format!("{} was not found within {option}", next_state(trace));
            let help = format!("raise {option}, or add constraints");
            context.terminal.error(&message, Some(&help));
            return Exit::Undecided;
        }
        // Constraints of the command line have no position in the model.
        Stop::Failure { failure, span } if [failure.span, *span] == [Span::default(); 2] => {
            let (what, wanted) = (failure.kind.to_string(), next_state(trace));
            let message = format!("{what}, in a constraint, while looking for {wanted}");
            context.terminal.error(&message, None);
            return Exit::BadInput;
        }
        Stop::Failure { failure, span } => {
            let place = if failure.span == Span::default() { *span } else { failure.span };
            Diagnostic::error(failure_code(failure.kind), place, failure.kind.to_string())
                .note_here(circumstances(model, *span, trace))
        }
        Stop::Unbounded(var) => {
            let var = model.var(*var);
            let message = format!("nothing determines `{}`, which has no bounds", var.name);
            Diagnostic::error("unbounded", var.span, message)
                .note_here(format!("while looking for {}", next_state(trace)))
                .help("assign it, or pass a --constraint that gives it a value")
        }
    };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    context.terminal.report(&loaded.sources, &diagnostics);
    Exit::BadInput
}

fn next_state(trace: &Trace) -> String {
    match trace.states.len() {
        0 => "an initial state".into(),
        n_states => format!("a successor of state {}", n_states - 1),
    }
}

/// The state in which it failed: the values that the expression reads.
fn circumstances(model: &Model, span: Span, trace: &Trace) -> String {
    let Some(state) = trace.states.last() else {
        return "in an initial state".into();
    };
    let step = format!("in the step from state {}", trace.states.len() - 1);
    match circumstances::values(model, span, state).as_str() {
        "" => step,
        values => format!("{step}, where {values}"),
    }
}
