//! What users should know besides verdicts, as warnings and errors.

use trapline_engine::wellformed::failure_code;
use trapline_engine::{Checked, Finding, Outcome, Why};
use trapline_model::trace::Trace;
use trapline_model::{ConstraintKind, Failure, Model};
use trapline_source::{Diagnostic, Span};

use crate::circumstances;
use crate::numbers::grouped;

/// The span of what has none: after every text.
const NOWHERE: Span = Span { start: u32::MAX, end: u32::MAX };

/// A finding and the trace that shows it.
pub struct Explained<'a> {
    /// What was found.
    pub diagnostic: Diagnostic,
    /// Where it shows.
    pub trace: Option<&'a Trace>,
}

/// All findings, each once; expressions without a value come last.
pub fn explain<'a>(model: &Model, checked: &'a Checked) -> Vec<Explained<'a>> {
    let findings = checked.findings.iter().map(|finding| explain_finding(model, finding));
    let failures = checked.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Unknown(Why::Failure { failure, span, trace }) => {
            Some(explain_failure(model, *failure, *span, trace))
        }
        _ => None,
    });
    let mut explained: Vec<Explained<'a>> = Vec::new();
    for one in findings.chain(failures) {
        if explained.iter().all(|other| other.diagnostic != one.diagnostic) {
            explained.push(one);
        }
    }
    explained
}

fn explain_finding<'a>(model: &Model, finding: &'a Finding) -> Explained<'a> {
    let (diagnostic, trace) = match finding {
        Finding::NoInitialState => (no_initial_state(model), None),
        Finding::DeadEnd { trace, n_states } => (dead_end(*n_states), Some(trace)),
        Finding::NoFairPath { never } => (no_fair_path(model, never), None),
        Finding::UnfairInitialState { trace } => (unfair_initial_state(), Some(trace)),
        Finding::CompassionIgnored => (compassion_ignored(model), None),
    };
    Explained { diagnostic, trace }
}

fn no_initial_state(model: &Model) -> Diagnostic {
    let text = "the model has no initial state, so every property is true";
    let kinds = [ConstraintKind::Init, ConstraintKind::Invar];
    let [init, invar] = kinds.map(|kind| model.syntax.constraint(kind));
    Diagnostic::warning("no-initial-state", NOWHERE, text).help(format!(
        "compare {init}, {invar} and the init assignments: together they allow nothing"
    ))
}

fn dead_end(n_states: u128) -> Diagnostic {
    let text = match n_states {
        1 => "a state without a successor can be reached".to_string(),
        _ => format!("{} states without a successor can be reached", grouped(n_states)),
    };
    Diagnostic::warning("dead-end", NOWHERE, text)
        .help("CTL and LTL speak of infinite paths only: what ends there does not count")
}

fn no_fair_path(model: &Model, never: &[usize]) -> Diagnostic {
    let text = "no path is infinite and fair, so every CTL and LTL property is true";
    let mut places = never.iter().filter_map(|&idx| model.justice.get(idx));
    let Some(first) = places.next() else {
        let why = match (model.justice.as_slice(), model.compassion.as_slice()) {
            ([], []) => "every path ends",
            _ => "every path ends, or does not meet all fairness constraints again and again",
        };
        return Diagnostic::warning("no-fair-path", NOWHERE, text).help(why);
    };
    let note = "nothing that can be reached meets this";
    let warning = Diagnostic::warning("no-fair-path", first.span, text).note_here(note);
    places.fold(warning, |warning, place| warning.label(place.span, note))
}

fn unfair_initial_state() -> Diagnostic {
    let text = "an initial state starts no fair path";
    Diagnostic::warning("unfair-initial-state", NOWHERE, text)
        .help("CTL and LTL properties are not looked at in such states")
}

fn compassion_ignored(model: &Model) -> Diagnostic {
    let span = model.compassion.first().map_or(NOWHERE, |(first, _)| first.span);
    let text = "CTL properties are checked without compassion constraints, as in NuSMV";
    Diagnostic::warning("compassion-ignored", span, text).help("LTL takes it into account")
}

fn explain_failure<'a>(
    model: &Model,
    failure: Failure,
    span: Span,
    trace: &'a Trace,
) -> Explained<'a> {
    let place = if failure.span == Span::default() { span } else { failure.span };
    let values = trace.states.last().map(|state| circumstances::values(model, span, state));
    let note = match values.as_deref() {
        None | Some("") => "in a state that can be reached".to_string(),
        Some(values) => format!("when {values}"),
    };
    let diagnostic = Diagnostic::error(failure_code(failure.kind), place, failure.kind.to_string())
        .note_here(note);
    Explained { diagnostic, trace: Some(trace).filter(|trace| !trace.states.is_empty()) }
}
