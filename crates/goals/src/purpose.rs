//! Purposes: what must hold along the whole of every test.

use trapline_model::{ConstraintKind, ExprId, Model, Reads};

use crate::monitor::constrain;

/// Adds a purpose to a model: a constraint of states, or of steps if it reads the next state or
/// inputs. Every path of the result is a path of the model.
pub fn add(model: &mut Model, expr: ExprId) {
    let is_step = model.exprs.info(expr).reads.any(Reads::STEP);
    constrain(model, if is_step { ConstraintKind::Trans } else { ConstraintKind::Invar }, expr);
}
