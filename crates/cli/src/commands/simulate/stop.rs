//! What to say when the next state can't be found out.

use trapline_engine::solve::Stop;
use trapline_engine::wellformed::failure_code;
use trapline_model::dependency::support;
use trapline_model::print::failure_text;
use trapline_model::trace::Trace;
use trapline_model::{ExprId, Model};
use trapline_source::{Diagnostic, Diagnostics, Span};

use crate::context::Context;
use crate::exit::Exit;
use crate::load::Loaded;

/// How many values a message shows.
const MAX_VALUES: usize = 8;

/// Tells the user, and says how the run ends.
pub fn report(stop: &Stop, loaded: &Loaded, trace: &Trace, context: &Context) -> Exit {
    let model = &loaded.model;
    let diagnostic = match stop {
        Stop::TooHard => {
            let message = format!("{} was not found within --max-work", next_state(trace));
            context.terminal.error(&message, Some("raise --max-work, or add constraints"));
            return Exit::Undecided;
        }
        // Constraints of the command line have no place in the model.
        Stop::Failure { failure, span } if [failure.span, *span] == [Span::default(); 2] => {
            let (what, wanted) = (failure_text(failure.kind), next_state(trace));
            let message = format!("{what}, in a constraint, while looking for {wanted}");
            context.terminal.error(&message, None);
            return Exit::BadInput;
        }
        Stop::Failure { failure, span } => {
            let place = if failure.span == Span::default() { *span } else { failure.span };
            Diagnostic::error(failure_code(failure.kind), place, failure_text(failure.kind))
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
    let mut text = format!("in the step from state {}", trace.states.len() - 1);
    let read = expr_at(model, span).map(|expr| support(model, [expr]).current);
    let values: Vec<String> = read
        .iter()
        .flatten()
        .filter_map(|&var| Some((var, state.get(var)?)))
        .take(MAX_VALUES)
        .map(|(var, value)| format!("{} = {}", model.var(var).name, model.show(value)))
        .collect();
    if !values.is_empty() {
        text += &format!(", where {}", values.join(", "));
    }
    text
}

/// The assignment or constraint that stands at a place.
fn expr_at(model: &Model, span: Span) -> Option<ExprId> {
    let assigns = model.assigns.iter();
    let assigns = assigns.filter(|a| a.parts.iter().any(|part| part.body.span == span));
    let constraints = model.constraints.iter().filter(|c| c.body.span == span);
    assigns.map(|assign| assign.expr).chain(constraints.map(|c| c.body.expr)).next()
}
