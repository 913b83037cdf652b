//! `negate`: every Boolean expression that is no negation is negated.

use trapline_model::{Expr, OccId, Shape, UnaryOp};

use super::{Operator, Rewrite, Role, Scene};

/// Every Boolean expression that is no negation is negated.
pub const OPERATOR: Operator =
    Operator { name: "negate", about: "a Boolean expression is negated", is_usual: true, changes };

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let occurrence = scene.model.occurrences.get(occ);
    let is_truth =
        matches!(scene.tree.role(occ), Role::Connective | Role::Condition | Role::Constant);
    // `next(e)` is e, once more.
    let is_wrapped = scene.tree.role(occ) == Role::Connective && occurrence.shape == Shape::Next;
    let has_event = scene.tree.has_event(scene.model, occ);
    let exprs = &mut scene.model.exprs;
    let is_negation = scene.tree.role(occ) == Role::Connective
        && matches!(exprs.get(occurrence.expr), Expr::Unary(UnaryOp::Not, _));
    if is_truth && !is_wrapped && !is_negation && !has_event {
        let negated = exprs.unary(UnaryOp::Not, occurrence.expr);
        scene.becomes(occ, Rewrite::Negation, negated);
    }
}
