//! Commands that say what tests can do need an initial state.

use trapline_engine::clash::{Clash, clash};
use trapline_source::{Diagnostic, Diagnostics, Span};

use crate::context::Context;
use crate::failure::Failure;
use crate::load::Loaded;
use crate::search::{self, SearchArgs};

/// Refuses a model without an initial state, and shows which of its rules clash.
pub fn require_initial_state(
    loaded: &Loaded,
    limits: &SearchArgs,
    context: &Context,
) -> Result<(), Failure> {
    let is_purpose = |span: Span| loaded.purposes().iter().any(|file| file.span() == span);
    let found = search::within(&limits.limits(), context, |budget| {
        clash(&loaded.model, is_purpose, budget)
    });
    let Some(clash) = found else { return Ok(()) };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(explain(&clash, is_purpose));
    context.terminal.report(&loaded.sources, &diagnostics);
    Err(Failure::Reported)
}

/// The clash, with the purpose as the main place if it takes part.
fn explain(clash: &Clash, is_purpose: impl Fn(Span) -> bool) -> Diagnostic {
    let purpose = clash.spans.iter().position(|span| is_purpose(*span));
    let text = match purpose {
        Some(_) => "no initial state meets the purpose",
        None => "the model has no initial state",
    };
    let main = purpose.unwrap_or(clash.spans.len() - 1);
    let error = Diagnostic::error("no-initial-state", clash.spans[main], text);
    let others = clash.spans.iter().enumerate().filter(|(idx, _)| *idx != main);
    let error = match clash.spans.len() {
        1 => error.note_here("no state meets this"),
        _ => error.note_here("no state meets this and the rest that is marked"),
    };
    let error = others.fold(error, |error, (_, span)| error.label(*span, ""));
    match clash.is_minimal {
        true => error.help("change one of the places that are marked"),
        false => error.help(
            "change one of the places that are marked; perhaps fewer of them clash already: to find \
             out took too long",
        ),
    }
}
