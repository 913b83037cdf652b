//! Purposes: what must hold along the whole of every test.

use trapline_model::{Clause, Constraint, ConstraintKind, ExprId, Model, Reads};
use trapline_source::Span;

/// Adds a purpose to a model: a constraint of states, or of steps if it reads the next state or
/// inputs. Every path of the result is a path of the model.
pub fn add(model: &mut Model, expr: ExprId) {
    let is_step = model.exprs.info(expr).reads.any(Reads::NEXT.and(Reads::INPUT));
    let kind = if is_step { ConstraintKind::Trans } else { ConstraintKind::Invar };
    let body = Clause { expr, occ: None, span: Span::default() };
    model.constraints.push(Constraint { kind, body });
}
