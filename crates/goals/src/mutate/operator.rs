//! `operator`: an operator is replaced by another one.

use trapline_model::{BinaryOp, Expr, OccId, Shape};

use super::{Operator, Rewrite, Role, Scene};

/// An operator is replaced by another one.
pub const OPERATOR: Operator = Operator {
    name: "operator",
    about: "& and | are swapped, = and != too, and each of < <= > >= becomes another comparison",
    is_usual: true,
    changes,
};

const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    if !matches!(scene.tree.role(occ), Role::Connective | Role::Condition) {
        return;
    }
    let occurrence = scene.model.occurrences.get(occ);
    let Expr::Binary(op, a, b) = scene.model.exprs.get(occurrence.expr) else { return };
    if occurrence.shape != Shape::Operator {
        return;
    }
    let others: Vec<BinaryOp> = match op {
        BinaryOp::And => vec![BinaryOp::Or],
        BinaryOp::Or => vec![BinaryOp::And],
        BinaryOp::Eq => vec![BinaryOp::Ne],
        BinaryOp::Ne => vec![BinaryOp::Eq],
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            COMPARISONS.into_iter().filter(|other| *other != op).collect()
        }
        _ => return,
    };
    for other in others {
        let changed = scene.model.exprs.binary(other, a, b);
        scene.becomes(occ, Rewrite::Operator(other), changed);
    }
}
