//! Under which circumstances an expression has no value.

use trapline_model::dependency::support;
use trapline_model::trace::State;
use trapline_model::{ExprId, Formula, Model};
use trapline_source::Span;

/// How many values a message shows.
const MAX_VALUES: usize = 8;

/// The values in a state that the expression at a span reads: `x = 1, y = 2`.
pub fn values(model: &Model, span: Span, state: &State) -> String {
    let read = expr_at(model, span).map(|expr| support(model, [expr]).current);
    let values: Vec<String> = read
        .iter()
        .flatten()
        .filter_map(|&var| Some((var, state.get(var)?)))
        .take(MAX_VALUES)
        .map(|(var, value)| format!("{} = {}", model.var(var).name, model.show(value)))
        .collect();
    values.join(", ")
}

/// The assignment, constraint or property at a span.
fn expr_at(model: &Model, span: Span) -> Option<ExprId> {
    let assigns = model.assigns.iter();
    let assigns = assigns.filter(|a| a.parts.iter().any(|part| part.body.span == span));
    let assigns = assigns.map(|assign| assign.expr);
    let constraints = model.constraints.iter().map(|constraint| constraint.body);
    let pairs = model.compassion.iter().flat_map(|(first, second)| [*first, *second]);
    let properties = model.properties.iter().flat_map(|property| match property.formula {
        Formula::Holds(clause) => vec![clause],
        Formula::Min(from, to) | Formula::Max(from, to) => vec![from, to],
        Formula::Unsupported(_) => Vec::new(),
    });
    let clauses = constraints.chain(model.justice.iter().copied()).chain(pairs).chain(properties);
    let clauses = clauses.filter(|clause| clause.span == span).map(|clause| clause.expr);
    assigns.chain(clauses).next()
}
