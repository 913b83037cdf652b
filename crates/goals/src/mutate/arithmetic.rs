//! `arithmetic`: a number becomes one more, and one less.

use trapline_model::{BinaryOp, OccId, Shape, Type, Value, Word};

use super::{Operator, Rewrite, Role, Scene};

/// A number becomes one more, and one less.
pub const OPERATOR: Operator = Operator {
    name: "arithmetic",
    about: "a number e becomes e + 1, or e - 1",
    is_usual: false,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let occurrence = scene.model.occurrences.get(occ);
    // `next(e)` is e, once more.
    if scene.tree.role(occ) != Role::Inner || occurrence.shape == Shape::Next {
        return;
    }
    let exprs = &mut scene.model.exprs;
    let one = match exprs.ty(occurrence.expr) {
        Type::Int => Value::Int(1),
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, 1)),
        _ => return,
    };
    let one = exprs.value(one);
    for op in [BinaryOp::Add, BinaryOp::Sub] {
        let changed = scene.model.exprs.binary(op, occurrence.expr, one);
        scene.becomes(occ, Rewrite::Offset(op), changed);
    }
}
