//! Total expressions, for tools that require a value even where it is irrelevant.
//!
//! NuSMV rejects a property with a non-exhaustive `case` or a division by zero in any state at all.
//! So partial operators are made total: a `case` takes its last branch, a division divides by one.
//! Where an expression is defined, its value is unchanged.

use rustc_hash::FxHashMap;
use trapline_model::transform::substitute::{bottom_up, with_parts};
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Model, Type, Value, Word};

use crate::defined::{Defined, is_shift, is_zero};

/// That an expression is defined and true, stated by a total expression.
pub fn holds(model: &mut Model, defined: &mut Defined, expr: ExprId) -> ExprId {
    if !defined.can_fail(model, expr) {
        return expr;
    }
    let has_value = defined.defined(model, expr);
    let both = model.exprs.and(has_value, expr);
    total(model, defined, both)
}

/// The expression made total. Defines that can fail are expanded.
pub fn total(model: &mut Model, defined: &mut Defined, root: ExprId) -> ExprId {
    let mut total = std::mem::take(&mut defined.total);
    bottom_up(model, &mut total, root, |model, id| operands(model, defined, id), of_node);
    defined.total = total;
    defined.total[&root]
}

/// The operands that must be made total first: a define that can fail is its body.
fn operands(model: &mut Model, defined: &mut Defined, id: ExprId) -> Vec<ExprId> {
    match model.exprs.get(id) {
        Expr::Define(define) | Expr::NextDefine(define) => {
            let body = model.define(define).body.expr;
            if !defined.can_fail(model, body) {
                return Vec::new();
            }
            let is_next = matches!(model.exprs.get(id), Expr::NextDefine(_));
            vec![if is_next { model.exprs.prime(body) } else { body }]
        }
        // The default after the last branch is never needed.
        Expr::Ite(c, t, e) if matches!(model.exprs.get(e), Expr::Fail(_)) => vec![c, t],
        expr => model.exprs.operands(expr).as_slice().to_vec(),
    }
}

fn of_node(
    model: &mut Model,
    id: ExprId,
    operands: &[ExprId],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    match model.exprs.get(id) {
        Expr::Define(_) | Expr::NextDefine(_) => operands.first().map_or(id, |body| known[body]),
        Expr::Ite(_, t, e) if matches!(model.exprs.get(e), Expr::Fail(_)) => known[&t],
        Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), a, b) => {
            let is_wrong = is_zero(&mut model.exprs, known[&b]);
            let by = or_else(&mut model.exprs, known[&b], 1, is_wrong);
            model.exprs.binary(op, known[&a], by)
        }
        Expr::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b) => {
            let is_right = is_shift(&mut model.exprs, id, known[&b]);
            let is_wrong = model.exprs.not(is_right);
            let by = or_else(&mut model.exprs, known[&b], 0, is_wrong);
            model.exprs.binary(op, known[&a], by)
        }
        _ => with_parts(&mut model.exprs, id, operands, known),
    }
}

/// The number, or another one where it is invalid.
fn or_else(exprs: &mut Exprs, number: ExprId, other: u64, is_wrong: ExprId) -> ExprId {
    if exprs.is_false(is_wrong) {
        return number;
    }
    let other = match exprs.ty(number) {
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, other)),
        _ => Value::Int(other as i64),
    };
    let other = exprs.value(other);
    exprs.add(Expr::Ite(is_wrong, other, number))
}
