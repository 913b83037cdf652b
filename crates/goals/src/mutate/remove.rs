//! `remove`: a condition, or its negation, is removed from a conjunction, disjunction or
//! implication, unless it compares with a number.

use trapline_model::{BinaryOp, Expr, Model, OccId, Shape, UnaryOp, Value};

use super::{Operator, Rewrite, Role, Scene};

/// A condition, or its negation, is removed.
pub const OPERATOR: Operator = Operator {
    name: "remove",
    about: "a condition is removed from a conjunction, disjunction or implication",
    is_usual: true,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let is_removable = matches!(scene.tree.role(occ), Role::Condition | Role::Event);
    if !is_removable || compares_with_number(scene.model, occ) {
        return;
    }
    let mut removed = occ;
    if let Some(above) = scene.tree.parent(occ)
        && is_negation(scene.model, above)
    {
        removed = above;
    }
    let Some(above) = scene.tree.parent(removed) else { return };
    let occurrence = scene.model.occurrences.get(above);
    let has_rest = matches!(
        scene.model.exprs.get(occurrence.expr),
        Expr::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, ..)
    );
    let operands = scene.model.occurrences.children(above);
    // An event is left without its condition, but no condition without its event.
    let is_there = match occurrence.shape {
        Shape::Operator => has_rest,
        Shape::When => operands.first() != Some(&removed),
        _ => false,
    };
    if !is_there {
        return;
    }
    let Some(&rest) = operands.iter().find(|&&operand| operand != removed) else { return };
    let expr = scene.model.occurrences.get(rest).expr;
    // Of two equal operands it does not matter which one remains.
    if removed > rest && expr == scene.model.occurrences.get(removed).expr {
        return;
    }
    scene.becomes(above, Rewrite::Operand(rest), expr);
}

fn is_negation(model: &Model, occ: OccId) -> bool {
    let occurrence = model.occurrences.get(occ);
    occurrence.shape == Shape::Operator
        && matches!(model.exprs.get(occurrence.expr), Expr::Unary(UnaryOp::Not, _))
}

fn compares_with_number(model: &Model, occ: OccId) -> bool {
    let children = model.occurrences.children(occ);
    let is_number = |&child: &OccId| {
        let value = model.exprs.as_const(model.occurrences.get(child).expr);
        matches!(value, Some(Value::Int(_) | Value::Word(_) | Value::Real(_)))
    };
    children.iter().any(is_number)
}
